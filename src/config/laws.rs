//! The contact laws: `[[pair]]`, mixing of materials without one, and `[[bond]]`.

use super::document::{Contents, Node, Value};
use super::fault::{Fault, Place};
use super::files::contents;
use super::materials::{self, Material, two};
use super::reader::{Number, Range, SIZE, Section, both, must, needs, refuse, report};
use crate::law::Laws;
use crate::law::bond::{
    Beam, Begin, Between, Four, Glue, Joint, Parallel, Radius, Stiffness, Strength, Stress,
};

/// Keys of a bond's stiffnesses, given one by one.
const STIFFNESS: [&str; 4] = ["normal", "tangential", "bending", "twisting"];

/// Keys of a beam, from which all stiffnesses follow with the radius of its section.
const BEAM: [&str; 2] = ["young", "shear"];

/// Keys of a parallel bond, likewise.
const PARALLEL: [&str; 2] = ["normal_per_area", "tangential_per_area"];

/// Keys of the radius of the section, of which one is given.
const RADIUS: [&str; 2] = ["radius", "radius_ratio"];

/// Keys of its strengths as forces.
const STRENGTH: [&str; 4] = ["tension", "shear", "bending", "twisting"];

/// Keys of its strengths as stresses.
const STRESS: [&str; 3] = ["tensile_stress", "cohesion", "friction_angle"];

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
    let known = [
        "materials",
        "pairs",
        "at",
        "on_contact",
        "gap",
        "stiffness",
        "strength",
        "criterion",
    ];
    let section = Section::new(node, &known, faults);
    let mut list = None;
    let between = match (section.get("materials"), section.get("pairs")) {
        (Some(_), Some(second)) => {
            both(second, ["materials", "pairs"], faults);
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
    let at = section.number_if("at", Number(Range::NotNegative, "s"), faults);
    let on_contact = section.truth_if("on_contact", faults) == Some(true);
    if let (true, Some(second)) = (on_contact, section.get("at")) {
        both(second, ["on_contact", "at"], faults);
    }
    let gap = section.number_if("gap", Number(Range::NotNegative, "m"), faults);
    let accepted = "a table of four stiffnesses, or of those of a beam or a parallel bond";
    section.need("stiffness", accepted, faults)?;
    let stiffness = stiffness(&section, faults);
    let strength = strength(&section, stiffness.radius(), faults);
    let glue = Glue {
        between: between?,
        begin: if on_contact {
            Begin::Contact
        } else {
            Begin::At(at.unwrap_or(0.0))
        },
        gap: gap.unwrap_or(0.0),
        stiffness,
        strength,
    };
    Some((glue, list))
}

/// Stiffnesses one by one, or those of a section: of a beam, or of a parallel bond.
fn stiffness(bond: &Section, faults: &mut Vec<Fault>) -> Stiffness {
    let known = [&STIFFNESS[..], &BEAM, &PARALLEL, &RADIUS].concat();
    let section = bond.table("stiffness", &known, faults);
    let found = |keys: &[&str]| keys.iter().find_map(|key| section.get(key));
    let given = [&STIFFNESS[..], &BEAM, &PARALLEL].map(found);
    if let (Some(node), true) = (
        given.into_iter().flatten().next(),
        given.iter().flatten().count() > 1,
    ) {
        let [four, beam, parallel] = [&STIFFNESS[..], &BEAM, &PARALLEL].map(|k| k.join(", "));
        let accepted = format!("{four}; or {beam}, radius; or {parallel}, radius");
        must(node, &accepted, "keys of more than one", faults);
    }
    let mut number = |key: &str, unit| section.number(key, Number(Range::Positive, unit), faults);
    let [_, of_beam, of_parallel] = given;
    if of_beam.is_some() {
        let [young, shear] = BEAM.map(|key| number(key, "Pa"));
        return Stiffness::Beam(Beam {
            young,
            shear,
            radius: radius(&section, faults),
        });
    }
    if of_parallel.is_some() {
        let [normal, tangential] = PARALLEL.map(|key| number(key, "Pa/m"));
        return Stiffness::Parallel(Parallel {
            normal,
            tangential,
            radius: radius(&section, faults),
        });
    }
    let units = ["N/m", "N/m", "N m/rad", "N m/rad"];
    let each = four([0, 1, 2, 3].map(|k| number(STIFFNESS[k], units[k])));
    if let Some(node) = found(&RADIUS) {
        let with = [BEAM, PARALLEL]
            .map(|keys| keys.join(" and "))
            .join(", or ");
        needs(node, &with, faults);
    }
    Stiffness::Given(each)
}

/// The radius of a section.
fn radius(section: &Section, faults: &mut Vec<Fault>) -> Radius {
    let [length, ratio] = RADIUS;
    match (section.get(length), section.get(ratio)) {
        (Some(_), Some(second)) => both(second, RADIUS, faults),
        (None, Some(node)) => {
            return Radius::OfSmaller(Number(Range::Positive, "").read(node, faults));
        }
        _ => {}
    }
    Radius::Length(section.number(length, SIZE, faults))
}

/// Strengths as forces, or as stresses in a section of this radius.
fn strength(bond: &Section, radius: Option<Radius>, faults: &mut Vec<Fault>) -> Strength {
    let criterion = bond.choice_if("criterion", &["each", "sum", "stress"], faults);
    let by_stress = criterion == Some("stress");
    let section = if by_stress {
        bond.table("strength", &STRESS, faults)
    } else {
        bond.table("strength", &STRENGTH, faults)
    };
    let Some(node) = bond.get("criterion") else {
        return Strength::Each(forces(&section, faults));
    };
    if bond.get("strength").is_none() {
        needs(node, "strength", faults);
    }
    if !by_stress {
        let forces = forces(&section, faults);
        return match criterion {
            Some("sum") => Strength::Sum(forces),
            _ => Strength::Each(forces),
        };
    }
    let Some(radius) = radius else {
        let accepted = "each or sum where stiffness has neither radius nor radius_ratio";
        refuse(node, accepted, faults);
        return Strength::UNBREAKABLE;
    };
    let [tension, cohesion, angle] = STRESS;
    let stress = Number(Range::Positive, "Pa");
    let friction = section.number_if(angle, Number(Range::Between(0.0, 1.5), "rad"), faults);
    if let (Some(node), None) = (section.get(angle), section.get(cohesion)) {
        needs(node, cohesion, faults);
    }
    let mut number = |key| section.number_if(key, stress, faults);
    Strength::Stress(Stress {
        tension: number(tension).unwrap_or(f64::INFINITY),
        cohesion: number(cohesion).unwrap_or(f64::INFINITY),
        friction: libm::tan(friction.unwrap_or(0.0)),
        radius,
    })
}

/// Strengths as forces; one that is not given does not break the bond.
fn forces(strength: &Section, faults: &mut Vec<Fault>) -> Four {
    four([0, 1, 2, 3].map(|k| {
        let number = Number(Range::Positive, ["N", "N", "N m", "N m"][k]);
        let strength = strength.number_if(STRENGTH[k], number, faults);
        strength.unwrap_or(f64::INFINITY)
    }))
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
