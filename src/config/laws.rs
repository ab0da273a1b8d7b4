//! The contact laws: `[[pair]]`, mixing of materials without one, and `[[bond]]`.

use super::document::{Node, Value};
use super::fault::Fault;
use super::materials::{self, Material, two};
use super::reader::{Number, Range, Section, both, must, refuse};
use crate::law::Laws;
use crate::law::bond::{Begin, Between, Four, Glue, Joint};

/// The sections read by this file.
pub(super) const SECTIONS: [&str; 2] = ["pair", "bond"];

/// Keys of a bond's stiffnesses.
const STIFFNESS: [&str; 4] = ["normal", "tangential", "bending", "twisting"];

/// Keys of its strengths.
const STRENGTH: [&str; 4] = ["tension", "shear", "bending", "twisting"];

/// Reads all laws.
pub(super) fn read(root: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> Laws {
    let pairs = materials::pairs(root, materials, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let accepted = "tables headed [[bond]] with materials or pairs, and stiffness";
    let nodes = root.tables("bond", accepted, faults);
    if let Some(beyond) = nodes.get(Joint::MOST) {
        let found = format!("{} entries", nodes.len());
        must(beyond, &format!("at most {}", Joint::MOST), &found, faults);
    }
    let bonds = nodes.iter().filter_map(|node| bond(node, &names, faults));
    Laws {
        bonds: bonds.collect(),
        pairs,
    }
}

fn bond(node: &Node, names: &[&str], faults: &mut Vec<Fault>) -> Option<Glue> {
    let known = [
        "materials",
        "pairs",
        "at",
        "on_contact",
        "gap",
        "stiffness",
        "strength",
    ];
    let section = Section::new(node, &known, faults);
    let between = match (section.get("materials"), section.get("pairs")) {
        (Some(_), Some(second)) => {
            both(second, ["materials", "pairs"], faults);
            None
        }
        (None, Some(list)) => pairs(list, faults),
        _ => two(&section, names, faults).map(|two| Between::Materials(two.map(|k| k as u32))),
    };
    let at = section.number_if("at", Number(Range::NotNegative, "s"), faults);
    let on_contact = section.truth_if("on_contact", faults) == Some(true);
    if let (true, Some(second)) = (on_contact, section.get("at")) {
        both(second, ["on_contact", "at"], faults);
    }
    let gap = section.number_if("gap", Number(Range::NotNegative, "m"), faults);
    section.need("stiffness", "a table of four stiffnesses", faults)?;
    let stiffness = section.table("stiffness", &STIFFNESS, faults);
    let strength = section.table("strength", &STRENGTH, faults);
    Some(Glue {
        between: between?,
        begin: if on_contact {
            Begin::Contact
        } else {
            Begin::At(at.unwrap_or(0.0))
        },
        gap: gap.unwrap_or(0.0),
        stiffness: four([0, 1, 2, 3].map(|k| {
            let unit = ["N/m", "N/m", "N m/rad", "N m/rad"][k];
            stiffness.number(STIFFNESS[k], Number(Range::Positive, unit), faults)
        })),
        strength: four([0, 1, 2, 3].map(|k| {
            let number = Number(Range::Positive, ["N", "N", "N m", "N m"][k]);
            let strength = strength.number_if(STRENGTH[k], number, faults);
            strength.unwrap_or(f64::INFINITY)
        })),
    })
}

fn four([normal, tangential, bending, twisting]: [f64; 4]) -> Four {
    Four {
        normal,
        tangential,
        bending,
        twisting,
    }
}

/// Pairs of body ids.
fn pairs(node: &Node, faults: &mut Vec<Fault>) -> Option<Between> {
    let Value::List(items) = &node.value else {
        refuse(
            node,
            "a list of pairs of body ids, as [[0, 1], [1, 2]]",
            faults,
        );
        return None;
    };
    let mut pairs = Vec::with_capacity(items.len());
    for item in items {
        let ids: Vec<u64> = match &item.value {
            Value::List(ids) => ids.iter().filter_map(id).collect(),
            _ => Vec::new(),
        };
        match ids[..] {
            [a, b] if a != b => pairs.push([a.min(b), a.max(b)]),
            _ => refuse(item, "two different body ids, as [0, 1]", faults),
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Some(Between::Pairs(pairs))
}

fn id(node: &Node) -> Option<u64> {
    match node.value {
        Value::Integer(id) => u64::try_from(id).ok(),
        _ => None,
    }
}
