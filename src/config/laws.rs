//! The contact laws: `[[pair]]`, mixing of materials without one, and `[[bond]]`.

use super::document::{Contents, Node, Value};
use super::fault::{Fault, Place};
use super::files::contents;
use super::materials::{self, Material, two};
use super::reader::{Number, Range, Section, both, must, needs, refuse, report};
use crate::law::Laws;
use crate::law::bond::{Beam, Begin, Between, Criterion, Four, Glue, Joint, Stiffness};

/// The sections read by this file.
pub(super) const SECTIONS: [&str; 2] = ["pair", "bond"];

/// Keys of a bond's stiffnesses, given one by one.
const STIFFNESS: [&str; 4] = ["normal", "tangential", "bending", "twisting"];

/// Keys of a beam, from which all stiffnesses follow.
const BEAM: [&str; 3] = ["young", "shear", "radius"];

/// Keys of its strengths.
const STRENGTH: [&str; 4] = ["tension", "shear", "bending", "twisting"];

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
    let accepted = "a table of four stiffnesses, or of young, shear and radius of a beam";
    section.need("stiffness", accepted, faults)?;
    let stiffness = stiffness(&section, faults);
    let strength = section.table("strength", &STRENGTH, faults);
    let criterion = section.choice_if("criterion", &["each", "sum"], faults);
    if let (Some(node), None) = (section.get("criterion"), section.get("strength")) {
        needs(node, "strength", faults);
    }
    let glue = Glue {
        between: between?,
        begin: if on_contact {
            Begin::Contact
        } else {
            Begin::At(at.unwrap_or(0.0))
        },
        gap: gap.unwrap_or(0.0),
        stiffness,
        strength: four([0, 1, 2, 3].map(|k| {
            let number = Number(Range::Positive, ["N", "N", "N m", "N m"][k]);
            let strength = strength.number_if(STRENGTH[k], number, faults);
            strength.unwrap_or(f64::INFINITY)
        })),
        criterion: match criterion {
            Some("sum") => Criterion::Sum,
            _ => Criterion::Each,
        },
    };
    Some((glue, list))
}

/// Stiffnesses one by one, or those of a beam.
fn stiffness(bond: &Section, faults: &mut Vec<Fault>) -> Stiffness {
    let known = [&STIFFNESS[..], &BEAM[..]].concat();
    let section = bond.table("stiffness", &known, faults);
    let of_beam = BEAM.iter().find_map(|key| section.get(key));
    let given = STIFFNESS.iter().find_map(|key| section.get(key));
    if let (Some(node), Some(_)) = (given, of_beam) {
        let accepted = format!("{} or {}", STIFFNESS.join(", "), BEAM.join(", "));
        must(node, &accepted, "keys of both", faults);
    }
    let mut number = |key: &str, unit| section.number(key, Number(Range::Positive, unit), faults);
    if of_beam.is_some() {
        return Stiffness::Beam(Beam {
            young: number("young", "Pa"),
            shear: number("shear", "Pa"),
            radius: number("radius", "m"),
        });
    }
    Stiffness::Given(four(
        [0, 1, 2, 3].map(|k| number(STIFFNESS[k], ["N/m", "N/m", "N m/rad", "N m/rad"][k])),
    ))
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
