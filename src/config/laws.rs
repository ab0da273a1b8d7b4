//! The contact laws: `[[pair]]`, mixing of materials without one, and `[[bond]]`.

use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, Needed, Or, Preset, Truth, Words};
use super::listed::{Listed, listed};
use super::materials::{self, Material, two};
use super::reader::{Number, Range, SIZE, Section, both, must, needs, refuse};
use super::regions::{KEY as REGION_KEY, NamedRegion, named, no_images};
use super::table::Table;
use crate::law::Laws;
use crate::law::bond::{
    Beam, Begin, Between, Four, Glue, Joint, Parallel, Radius, Stiffness, Strength, Stress,
};

const fn positive(
    name: &'static str,
    unit: &'static str,
    text: &'static str,
) -> Key<Number, Needed> {
    Key::new(name, Number(Range::Positive, unit), Needed, text)
}

/// Stiffnesses of a bond, given one by one.
const STIFFNESS: [Key<Number, Needed>; 4] = [
    positive("normal", "N/m", "normal stiffness"),
    positive("tangential", "N/m", "tangential stiffness"),
    positive("bending", "N m/rad", "bending stiffness"),
    positive("twisting", "N m/rad", "twisting stiffness"),
];

/// Those of a beam, from which all stiffnesses follow with the radius of its section.
const BEAM: [Key<Number, Needed>; 2] = [
    positive(
        "young",
        "Pa",
        "a beam in place of the four: Young's modulus",
    ),
    positive("shear", "Pa", "shear modulus of the beam"),
];

/// Those of a parallel bond, likewise.
const PARALLEL: [Key<Number, Needed>; 2] = [
    positive(
        "normal_per_area",
        "Pa/m",
        "a parallel bond in place of the four: normal stiffness over the area of the section",
    ),
    positive(
        "tangential_per_area",
        "Pa/m",
        "tangential stiffness over the area",
    ),
];

/// The radius of the section of a beam or a parallel bond, of which one is given.
const LENGTH: Key<Number, Needed> = Key::new(
    "radius",
    SIZE,
    Needed,
    "radius of the section of a beam or a parallel bond",
);
const RATIO: Key<Number, Needed> = positive(
    "radius_ratio",
    "",
    "the same as a multiple of the smaller radius of the two bodies, in place of `radius`",
);
const RADIUS: [&str; 2] = [LENGTH.name, RATIO.name];

const OF_STIFFNESS: Table = Table::new(
    "stiffness",
    &[
        &STIFFNESS[0],
        &STIFFNESS[1],
        &STIFFNESS[2],
        &STIFFNESS[3],
        &BEAM[0],
        &BEAM[1],
        &PARALLEL[0],
        &PARALLEL[1],
        &LENGTH,
        &RATIO,
    ],
)
.optional([
    "—",
    "a table of the first four keys, or of those of a beam or a parallel bond",
    "stiffness of the bond",
]);

/// A strength; without it the bond does not break by this force.
type Limit = Key<Number, Or>;

const fn limit(name: &'static str, unit: &'static str, text: &'static str) -> Limit {
    Key::new(name, Number(Range::Positive, unit), Or("unbreakable"), text)
}

/// Strengths as forces.
const FORCES: [Limit; 4] = [
    limit("tension", "N", "largest tensile force"),
    limit("shear", "N", "largest shear force"),
    limit("bending", "N m", "largest bending couple"),
    limit("twisting", "N m", "largest twisting couple"),
];

const OF_FORCES: Table = Table::new(
    "strength",
    &[&FORCES[0], &FORCES[1], &FORCES[2], &FORCES[3]],
)
.optional([
    "unbreakable",
    "a table of the first four keys; of the last three with `criterion = \"stress\"`",
    "strength of the bond",
]);

/// Strengths as stresses.
const TENSILE: Limit = limit("tensile_stress", "Pa", "largest tensile stress");
const COHESION: Limit = limit(
    "cohesion",
    "Pa",
    "cohesion, the shear strength without normal stress",
);
const ANGLE: Key<Number, Preset<f64>> = Key::new(
    "friction_angle",
    Number(Range::Between(0.0, 1.5), "rad"),
    Preset(0.0),
    "friction angle of the shear strength (Mohr–Coulomb); with `cohesion`",
);
const OF_STRESSES: Table = Table::new("strength", &[&TENSILE, &COHESION, &ANGLE]);

const MATERIALS: Entry = Entry::new(
    "materials",
    "two names of `[[material]]`",
    "—",
    "bodies of these materials are bonded",
);
const PAIRS: Entry = Entry::new(
    "pairs",
    "a list of pairs of body ids, as [[0, 1], [1, 2]], or the path of a CSV file with the header \
     a,b",
    "—",
    "these bodies are bonded, in place of `materials`",
);
const REGION: Entry = Entry::new(
    REGION_KEY,
    "the name of a `[[region]]`",
    "—",
    "bodies whose centres lie in the region are bonded, and to walls; with `materials` only those \
     of these materials",
);
const AT: Key<Number, Preset<f64>> = Key::new(
    "at",
    Number(Range::NotNegative, "s"),
    Preset(0.0),
    "the time at which bonds are made",
);
const ON_CONTACT: Key<Truth, Preset<bool>> = Key::new(
    "on_contact",
    Truth,
    Preset(false),
    "in place of `at`: a bond is made each time two bodies touch that have no broken bond",
);
const GAP: Key<Number, Preset<f64>> = Key::new(
    "gap",
    Number(Range::NotNegative, "m"),
    Preset(0.0),
    "bodies within this gap are bonded, and bodies that press on each other",
);

/// The rule by which the forces of a bond reach its strengths.
#[derive(Clone, Copy, PartialEq)]
enum Criterion {
    Each,
    Sum,
    Stress,
}

const CRITERION: Key<Words<Criterion>, Preset<Criterion>> = Key::new(
    "criterion",
    Words(&[
        ("each", Criterion::Each),
        ("sum", Criterion::Sum),
        ("stress", Criterion::Stress),
    ]),
    Preset(Criterion::Each),
    "with `strength`: a bond breaks when one of its four forces reaches its strength; `\"sum\"`: when the sum of the \
     four, each over its strength, reaches 1; `\"stress\"`: when a stress at the edge of the section \
     of a beam or a parallel bond reaches its strength",
);

/// `[[bond]]`.
pub(super) const BOND: Table = Table::new(
    "bond",
    &[
        &MATERIALS,
        &PAIRS,
        &REGION,
        &AT,
        &ON_CONTACT,
        &GAP,
        &OF_STIFFNESS,
        &OF_FORCES,
        &OF_STRESSES,
        &CRITERION,
    ],
)
.kind("[[bond]]", "bonds between balls");

/// Reads all laws, and the lists of pairs among them.
pub(super) fn read(
    root: &Section,
    (materials, regions, domain): (&[Material], &[NamedRegion], &Domain),
    faults: &mut Vec<Fault>,
) -> (Laws, Vec<Listed>) {
    let pairs = materials::pairs(root, materials, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let accepted = "tables headed [[bond]] with materials, region or pairs, and stiffness";
    let nodes = root.tables("bond", accepted, faults);
    if let Some(beyond) = nodes.get(Joint::MOST) {
        let found = format!("{} entries", nodes.len());
        must(beyond, &format!("at most {}", Joint::MOST), &found, faults);
    }
    let mut listed = Vec::new();
    let bonds = nodes.iter().enumerate().filter_map(|(number, node)| {
        let (glue, list) = bond((number, node), (&names, regions, domain), faults)?;
        listed.extend(list);
        Some(glue)
    });
    let bonds = bonds.collect();
    (Laws { bonds, pairs }, listed)
}

fn bond(
    (number, node): (usize, &Node),
    (names, regions, domain): (&[&str], &[NamedRegion], &Domain),
    faults: &mut Vec<Fault>,
) -> Option<(Glue, Option<Listed>)> {
    let section = Section::of(node, &[&BOND], faults);
    let mut list = None;
    let between = match (section.get(REGION.name), section.get(PAIRS.name)) {
        (Some(_), Some(second)) => {
            both(second, [REGION.name, PAIRS.name], faults);
            None
        }
        (Some(_), None) => inside(&section, (names, regions, domain), faults),
        (None, Some(second)) if section.get(MATERIALS.name).is_some() => {
            both(second, [MATERIALS.name, PAIRS.name], faults);
            None
        }
        (None, Some(node)) => {
            list = listed(number, node, faults);
            list.as_ref().map(|list| {
                let mut pairs = list.pairs.clone();
                pairs.sort_unstable();
                pairs.dedup();
                Between::Pairs(pairs)
            })
        }
        (None, None) => of_two(&section, names, faults).map(Between::Materials),
    };
    let at = section.read(&AT, faults);
    let on_contact = section.read(&ON_CONTACT, faults);
    if let (true, Some(second)) = (on_contact, section.get(AT.name)) {
        both(second, [ON_CONTACT.name, AT.name], faults);
    }
    let gap = section.read(&GAP, faults);
    let accepted = "a table of four stiffnesses, or of those of a beam or a parallel bond";
    section.need(OF_STIFFNESS.name, accepted, faults)?;
    let stiffness = stiffness(&section, faults);
    let strength = strength(&section, stiffness.radius(), faults);
    let glue = Glue {
        between: between?,
        begin: if on_contact {
            Begin::Contact
        } else {
            Begin::At(at)
        },
        gap,
        stiffness,
        strength,
    };
    Some((glue, list))
}

/// Bonds in a region.
fn inside(
    section: &Section,
    (names, regions, domain): (&[&str], &[NamedRegion], &Domain),
    faults: &mut Vec<Fault>,
) -> Option<Between> {
    let found = named(section, regions, faults);
    let materials = match section.get(MATERIALS.name) {
        None => None,
        Some(_) => Some(of_two(section, names, faults)?),
    };
    let found = found?;
    no_images(section, found, domain, faults);
    Some(Between::In(found.region, materials))
}

fn of_two(section: &Section, names: &[&str], faults: &mut Vec<Fault>) -> Option<[u32; 2]> {
    two(section, names, faults).map(|two| two.map(|k| k as u32))
}

/// Stiffnesses one by one, or those of a section: of a beam, or of a parallel bond.
fn stiffness(bond: &Section, faults: &mut Vec<Fault>) -> Stiffness {
    let section = bond.declared(&OF_STIFFNESS, faults);
    let names = |keys: &[Key<Number, Needed>]| keys.iter().map(|key| key.name).collect::<Vec<_>>();
    let ways = [&STIFFNESS[..], &BEAM, &PARALLEL].map(names);
    let found = |keys: &[&str]| keys.iter().find_map(|key| section.get(key));
    let given = [0, 1, 2].map(|way| found(&ways[way]));
    if let (Some(node), true) = (
        given.into_iter().flatten().next(),
        given.iter().flatten().count() > 1,
    ) {
        let [four, beam, parallel] = ways.each_ref().map(|keys| keys.join(", "));
        let accepted = format!("{four}; or {beam}, radius; or {parallel}, radius");
        must(node, &accepted, "keys of more than one", faults);
    }
    let [_, of_beam, of_parallel] = given;
    if of_beam.is_some() {
        let [young, shear] = BEAM.each_ref().map(|key| section.read(key, faults));
        return Stiffness::Beam(Beam {
            young,
            shear,
            radius: radius(&section, faults),
        });
    }
    if of_parallel.is_some() {
        let [normal, tangential] = PARALLEL.each_ref().map(|key| section.read(key, faults));
        return Stiffness::Parallel(Parallel {
            normal,
            tangential,
            radius: radius(&section, faults),
        });
    }
    let each = four(STIFFNESS.each_ref().map(|key| section.read(key, faults)));
    if let Some(node) = found(&RADIUS) {
        let with = [&ways[1], &ways[2]].map(|keys| keys.join(" and "));
        needs(node, &with.join(", or "), faults);
    }
    Stiffness::Given(each)
}

/// The radius of a section.
fn radius(section: &Section, faults: &mut Vec<Fault>) -> Radius {
    match (section.get(LENGTH.name), section.get(RATIO.name)) {
        (Some(_), Some(second)) => both(second, RADIUS, faults),
        (None, Some(_)) => return Radius::OfSmaller(section.read(&RATIO, faults)),
        _ => {}
    }
    Radius::Length(section.read(&LENGTH, faults))
}

/// Strengths as forces, or as stresses in a section of this radius.
fn strength(bond: &Section, radius: Option<Radius>, faults: &mut Vec<Fault>) -> Strength {
    let criterion = bond.read(&CRITERION, faults);
    let section = match criterion {
        Criterion::Stress => bond.declared(&OF_STRESSES, faults),
        Criterion::Each | Criterion::Sum => bond.declared(&OF_FORCES, faults),
    };
    if let (Some(node), None) = (bond.get(CRITERION.name), bond.get(OF_FORCES.name)) {
        needs(node, OF_FORCES.name, faults);
    }
    match criterion {
        Criterion::Each => return Strength::Each(forces(&section, faults)),
        Criterion::Sum => return Strength::Sum(forces(&section, faults)),
        Criterion::Stress => {}
    }
    let Some(radius) = radius else {
        if let Some(node) = bond.get(CRITERION.name) {
            let accepted = "each or sum where stiffness has neither radius nor radius_ratio";
            refuse(node, accepted, faults);
        }
        return Strength::UNBREAKABLE;
    };
    let friction = section.read(&ANGLE, faults);
    if let (Some(node), None) = (section.get(ANGLE.name), section.get(COHESION.name)) {
        needs(node, COHESION.name, faults);
    }
    let mut number = |key: &Limit| section.read(key, faults).unwrap_or(f64::INFINITY);
    Strength::Stress(Stress {
        tension: number(&TENSILE),
        cohesion: number(&COHESION),
        friction: libm::tan(friction),
        radius,
    })
}

/// Strengths as forces; one that is not given does not break the bond.
fn forces(strength: &Section, faults: &mut Vec<Fault>) -> Four {
    let number = |key: &Limit| strength.read(key, faults).unwrap_or(f64::INFINITY);
    four(FORCES.each_ref().map(number))
}

fn four([normal, tangential, bending, twisting]: [f64; 4]) -> Four {
    Four {
        normal,
        tangential,
        bending,
        twisting,
    }
}
