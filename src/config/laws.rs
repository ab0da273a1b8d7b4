//! The contact laws: `[[pair]]`, mixing of materials without one, and `[[bond]]`.

use super::document::{Contents, Node, Value};
use super::fault::{Fault, Place};
use super::files::contents;
use super::key::{Entry, Key, Needed, Or, Preset, Truth, Words};
use super::materials::{self, Material, two};
use super::reader::{Number, Range, SIZE, Section, both, must, needs, refuse, report};
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

/// Pairs of bodies listed in a configuration, with their places.
///
/// Whether these bodies exist is checked once they are made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// Number of the bond.
    pub bond: usize,
    /// The pairs, in the order of the list, the smaller id first.
    pub pairs: Vec<[u64; 2]>,
    /// Key of the list.
    key: String,
    /// Place of the list, or of each pair if they stand in the configuration.
    places: Vec<Place>,
    /// The file of the list with the line of each pair, if it has one.
    file: Option<(String, Vec<u64>)>,
}

impl Listed {
    /// The fault of a pair.
    pub(super) fn fault(&self, pair: usize, message: &str) -> Fault {
        let list = || self.places.first().cloned().unwrap_or(Place::File);
        match &self.file {
            Some((file, lines)) => Fault {
                place: list(),
                key: self.key.clone(),
                message: format!("{file}:{}: {message}", lines[pair]),
            },
            None => Fault {
                place: self.places.get(pair).cloned().unwrap_or_else(list),
                key: format!("{}.{pair}", self.key),
                message: message.to_owned(),
            },
        }
    }
}

/// Reads all laws, and the lists of pairs among them.
pub(super) fn read(
    root: &Section,
    materials: &[Material],
    faults: &mut Vec<Fault>,
) -> (Laws, Vec<Listed>) {
    let pairs = materials::pairs(root, materials, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let accepted = "tables headed [[bond]] with materials or pairs, and stiffness";
    let nodes = root.tables("bond", accepted, faults);
    if let Some(beyond) = nodes.get(Joint::MOST) {
        let found = format!("{} entries", nodes.len());
        must(beyond, &format!("at most {}", Joint::MOST), &found, faults);
    }
    let mut listed = Vec::new();
    let bonds = nodes.iter().enumerate().filter_map(|(number, node)| {
        let (glue, list) = bond(node, &names, faults)?;
        listed.extend(list.map(|list| Listed {
            bond: number,
            ..list
        }));
        Some(glue)
    });
    let bonds = bonds.collect();
    (Laws { bonds, pairs }, listed)
}

fn bond(node: &Node, names: &[&str], faults: &mut Vec<Fault>) -> Option<(Glue, Option<Listed>)> {
    let section = Section::of(node, &[&BOND], faults);
    let mut list = None;
    let between = match (section.get(MATERIALS.name), section.get(PAIRS.name)) {
        (Some(_), Some(second)) => {
            both(second, [MATERIALS.name, PAIRS.name], faults);
            None
        }
        (None, Some(node)) => {
            list = listed(node, faults);
            list.as_ref().map(|list| {
                let mut pairs = list.pairs.clone();
                pairs.sort_unstable();
                pairs.dedup();
                Between::Pairs(pairs)
            })
        }
        _ => two(&section, names, faults).map(|two| Between::Materials(two.map(|k| k as u32))),
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

/// Pairs of body ids: a list, or the path of a file.
fn listed(node: &Node, faults: &mut Vec<Fault>) -> Option<Listed> {
    let mut list = Listed {
        key: node.path.clone(),
        ..Listed::default()
    };
    match &node.value {
        Value::List(items) => {
            for item in items {
                let ids: Vec<u64> = match &item.value {
                    Value::List(ids) => ids.iter().filter_map(id).collect(),
                    _ => Vec::new(),
                };
                match ids[..] {
                    [a, b] if a != b => {
                        list.pairs.push([a.min(b), a.max(b)]);
                        list.places.push(item.place.clone());
                    }
                    _ => refuse(item, "two different body ids, as [0, 1]", faults),
                }
            }
        }
        // A run that continues has bonded them before.
        Value::Text(_) if matches!(node.contents, Some(Contents::Used)) => {}
        Value::Text(file) => {
            list.places.push(node.place.clone());
            match contents(node).and_then(|contents| of_file(file, &contents)) {
                Ok((pairs, lines)) => {
                    list.pairs = pairs;
                    list.file = Some((file.clone(), lines));
                }
                Err(found) => {
                    let accepted = "the path of a CSV file with the header a,b and two different \
                                    body ids a line";
                    report(node, format!("must be {accepted}; found {found}"), faults);
                    return None;
                }
            }
        }
        _ => {
            let accepted = "a list of pairs of body ids, as [[0, 1], [1, 2]], or the path of a \
                            CSV file with them";
            refuse(node, accepted, faults);
            return None;
        }
    }
    Some(list)
}

fn id(node: &Node) -> Option<u64> {
    match node.value {
        Value::Integer(id) => u64::try_from(id).ok(),
        _ => None,
    }
}

/// The pairs of a CSV file, the smaller id first, and their lines.
fn of_file(name: &str, contents: &[u8]) -> Result<(Vec<[u64; 2]>, Vec<u64>), String> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(contents);
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    if header.iter().ne(["a", "b"]) {
        let found = header.iter().collect::<Vec<_>>().join(",");
        return Err(format!("{name}:1: the header {found}"));
    }
    let (mut pairs, mut lines) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            format!("{name}:{line}: {}", e.to_string().replace('\n', " "))
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        match (record[0].parse::<u64>(), record[1].parse::<u64>()) {
            (Ok(a), Ok(b)) if a != b => pairs.push([a.min(b), a.max(b)]),
            _ => return Err(format!("{name}:{line}: {},{}", &record[0], &record[1])),
        }
        lines.push(line);
    }
    Ok((pairs, lines))
}
