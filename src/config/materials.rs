//! The `[[material]]` and `[[pair]]` entries: coefficients of each material against itself, and of pairs where mixing them will
//! not do.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{Number, Range, Section, tell};
use crate::law::{Arm, Pair, PairTable};

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Density [kg/m³].
    pub density: f64,
    /// Coefficients against itself.
    pub own: Coefficients,
}

/// Coefficients as the configuration gives them; see [`Pair`](crate::law::Pair).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// Friction.
    pub friction: Option<f64>,
    /// Friction of what slides.
    pub sliding_friction: Option<f64>,
    /// Rolling friction.
    pub rolling: Option<Arm>,
    /// Torsion friction.
    pub torsion: Option<Arm>,
    /// Cohesion force [N].
    pub cohesion: Option<f64>,
    /// Its range [m].
    pub cohesion_range: Option<f64>,
    /// Normal restitution.
    pub restitution: Option<f64>,
    /// Tangential restitution.
    pub tangential_restitution: Option<f64>,
    /// Stiffness of a contact [N/m].
    pub stiffness: Option<f64>,
    /// Young's modulus [Pa].
    pub young: Option<f64>,
    /// Tangential over normal stiffness.
    pub tangential_ratio: Option<f64>,
}

/// The keys of coefficients, in materials and pairs alike.
const COEFFICIENTS: [&str; 14] = [
    "friction",
    "sliding_friction",
    "rolling",
    "rolling_ratio",
    "torsion",
    "torsion_ratio",
    "cohesion",
    "cohesion_range",
    "restitution",
    "tangential_restitution",
    "stiffness",
    "young",
    "tangential_stiffness_ratio",
    "materials",
];

/// Reads all materials.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Vec<Material> {
    let accepted = "one or more tables headed [[material]] with name, density, friction";
    let mut materials: Vec<Material> = Vec::new();
    for node in root.need_tables("material", accepted, faults) {
        let mut known = vec!["name", "density"];
        known.extend(&COEFFICIENTS[..13]);
        let section = Section::new(node, &known, faults);
        let name = section
            .text("name", "a name in quotes", faults)
            .unwrap_or_default();
        let twice = materials.iter().any(|m| m.name == name);
        if let (true, Some(named), false) = (twice, section.get("name"), name.is_empty()) {
            let message = format!("{} is there twice; accepted: a new name", named.shown);
            tell(named, message, faults);
        }
        let density = section.number("density", Number(Range::Positive, "kg/m3"), faults);
        section.need("friction", "a finite number >= 0", faults);
        materials.push(Material {
            name: name.to_owned(),
            density,
            own: coefficients(&section, faults),
        });
    }
    materials
}

fn coefficients(section: &Section, faults: &mut Vec<Fault>) -> Coefficients {
    let plain = Number(Range::NotNegative, "");
    let share = Number(Range::Between(0.0, 1.0), "");
    let arm = |length: &str, ratio: &str, faults: &mut Vec<Fault>| {
        let metres = section.number_if(length, Number(Range::NotNegative, "m"), faults);
        let of_radius = section.number_if(ratio, Number(Range::NotNegative, "of r*"), faults);
        if let (Some(_), Some(_), Some(node)) = (metres, of_radius, section.get(ratio)) {
            let message = format!("stands beside {length}; accepted: one of the two");
            tell(node, message, faults);
        }
        metres.map(Arm::Length).or(of_radius.map(Arm::Reduced))
    };
    let found = Coefficients {
        rolling: arm("rolling", "rolling_ratio", faults),
        torsion: arm("torsion", "torsion_ratio", faults),
        friction: section.number_if("friction", plain, faults),
        sliding_friction: section.number_if("sliding_friction", plain, faults),
        cohesion: section.number_if("cohesion", Number(Range::NotNegative, "N"), faults),
        cohesion_range: section.number_if(
            "cohesion_range",
            Number(Range::NotNegative, "m"),
            faults,
        ),
        restitution: section.number_if("restitution", share, faults),
        tangential_restitution: section.number_if("tangential_restitution", share, faults),
        stiffness: section.number_if("stiffness", Number(Range::Positive, "N/m"), faults),
        young: section.number_if("young", Number(Range::Positive, "Pa"), faults),
        tangential_ratio: section.number_if(
            "tangential_stiffness_ratio",
            Number(Range::Positive, ""),
            faults,
        ),
    };
    let together = |a: &str, b: &str, why: &str, faults: &mut Vec<Fault>| {
        if let (Some(_), Some(node)) = (section.get(a), section.get(b)) {
            tell(node, format!("stands beside {a}; {why}"), faults);
        }
    };
    together("stiffness", "young", "accepted: one of the two", faults);
    if let (Some(slow), Some(fast), Some(node)) = (
        found.friction,
        found.sliding_friction,
        section.get("sliding_friction"),
    ) && fast > slow
    {
        let message = format!("{fast} exceeds friction; accepted: 0 to {slow}");
        tell(node, message, faults);
    }
    if let (Some(_), None, Some(node)) = (
        found.cohesion.filter(|f| *f > 0.0),
        found.cohesion_range,
        section.get("cohesion"),
    ) {
        let message = "needs a range; accepted: cohesion_range [m] beside it, 0 for none";
        tell(node, message, faults);
    }
    found
}

/// The table of all pairs: mixed from the materials, then overridden by the `[[pair]]` entries.
pub(super) fn pairs(root: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> PairTable {
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let accepted = "tables headed [[pair]] with materials and coefficients";
    let mut overrides: Vec<([usize; 2], Coefficients, &Node)> = Vec::new();
    for node in root.tables("pair", accepted, faults) {
        let section = Section::new(node, &COEFFICIENTS, faults);
        let Some(of) = two(&section, &names, faults) else {
            continue;
        };
        if overrides.iter().any(|(other, ..)| *other == of) {
            let message = format!(
                "the pair of {} and {} is there twice; accepted: one entry",
                names[of[0]], names[of[1]]
            );
            tell(node, message, faults);
        }
        let found = coefficients(&section, faults);
        if found == Coefficients::default() {
            tell(
                node,
                "holds no coefficient; accepted: at least one beside materials",
                faults,
            );
        }
        overrides.push((of, found, node));
    }
    PairTable::new(materials.len(), |a, b| {
        let (a, b) = (a as usize, b as usize);
        let special = overrides.iter().find(|(of, ..)| *of == [a, b]);
        let none = Coefficients::default();
        let own = special.map_or(&none, |(_, own, _)| own);
        let pair = mixed(&materials[a].own, &materials[b].own, own);
        let place = special.map(|(_, _, node)| *node).or(root.get("material"));
        if let (Err(why), Some(node)) = (&pair, place) {
            let message = format!(
                "{why} between {} and {}; accepted: a [[pair]] of the two that says it",
                materials[a].name, materials[b].name
            );
            tell(node, message, faults);
        }
        pair.unwrap_or(Pair::RIGID)
    })
}

fn two(section: &Section, names: &[&str], faults: &mut Vec<Fault>) -> Option<[usize; 2]> {
    let accepted = format!("two of the names {}", names.join(", "));
    let node = section.need("materials", &accepted, faults)?;
    let found: Option<Vec<usize>> = match &node.value {
        Value::List(items) if items.len() == 2 => items
            .iter()
            .map(|item| match &item.value {
                Value::Text(name) => names.iter().position(|n| n == name),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let Some(found) = found else {
        tell(
            node,
            format!("{} is not accepted; accepted: {accepted}", node.shown),
            faults,
        );
        return None;
    };
    Some([found[0].min(found[1]), found[0].max(found[1])])
}

/// The coefficients between two materials: what `special` says, and for the rest the geometric mean of each one's own;
/// compliances are the mean of the two.
fn mixed(a: &Coefficients, b: &Coefficients, special: &Coefficients) -> Result<Pair, String> {
    let mean = |of: fn(&Coefficients) -> Option<f64>| {
        let [x, y] = [a, b].map(|side| of(side).unwrap_or(0.0));
        of(special).unwrap_or_else(|| (x * y).sqrt())
    };
    let friction = mean(|c| c.friction);
    // What a pair says of friction goes for sliding too, unless it says more.
    let own = mean(|c| c.sliding_friction.or(c.friction));
    let sliding = special.sliding_friction.or(special.friction).unwrap_or(own);
    // Where both stand in one place, that place has been told.
    let apart = special.sliding_friction.is_some() != special.friction.is_some();
    if apart && sliding > friction {
        return Err(format!(
            "sliding_friction {sliding} exceeds friction {friction},"
        ));
    }
    let arm = |what: &str, of: fn(&Coefficients) -> Option<Arm>| match (of(special), of(a), of(b)) {
        (Some(arm), ..) => Ok(arm),
        (None, Some(Arm::Length(x)), Some(Arm::Length(y))) => Ok(Arm::Length((x * y).sqrt())),
        (None, Some(Arm::Reduced(x)), Some(Arm::Reduced(y))) => Ok(Arm::Reduced((x * y).sqrt())),
        (None, None, _) | (None, _, None) => Ok(Arm::NONE),
        _ => Err(format!(
            "{what} is a length and a ratio, which cannot be mixed,"
        )),
    };
    // The compliance of a pair's own stiffness stands for all of it.
    let whole = special.stiffness.is_some() || special.young.is_some();
    let inverse = |k: Option<f64>| k.map_or(0.0, |k| 1.0 / k);
    let compliance = match whole {
        true => inverse(special.stiffness),
        false => (inverse(a.stiffness) + inverse(b.stiffness)) / 2.0,
    };
    let inverse_young = match whole {
        true => [inverse(special.young); 2],
        false => [inverse(a.young), inverse(b.young)],
    };
    let [x, y] = [a, b].map(|side| side.tangential_ratio.unwrap_or(1.0));
    let pair = Pair {
        friction,
        sliding_friction: sliding,
        rolling: arm("rolling friction", |c| c.rolling)?,
        torsion: arm("torsion friction", |c| c.torsion)?,
        cohesion: mean(|c| c.cohesion),
        cohesion_range: mean(|c| c.cohesion_range),
        restitution: mean(|c| c.restitution),
        tangential_restitution: mean(|c| c.tangential_restitution),
        compliance,
        inverse_young,
        tangential_ratio: special.tangential_ratio.unwrap_or((x * y).sqrt()),
    };
    let soft = compliance > 0.0 || inverse_young != [0.0; 2];
    if soft && (pair.restitution > 0.0 || pair.tangential_restitution > 0.0) {
        return Err("there are restitution and stiffness, which do not go together,".to_owned());
    }
    Ok(pair)
}
