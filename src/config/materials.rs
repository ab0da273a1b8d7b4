//! The `[[material]]` and `[[pair]]` entries: coefficients of materials and of pairs.
//!
//! A material's coefficients hold between bodies of that material. Those of two materials are mixed
//! from both, unless a `[[pair]]` gives them.
//!
//! [`TABLE`] lists every coefficient once. Reading, faults, mixing and the keys that entries may
//! hold follow from it.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{Entry, Key, Needed, Text};
use super::reader::{Number, Range, Section, both, must, refuse, report, twice};
use super::table::{Declared, Table};
use crate::law::{Arm, Elasticity, Pair, PairTable};

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Density [kg/m³].
    pub density: f64,
    /// Coefficients of a contact of the material with itself.
    pub own: Coefficients,
}

/// The coefficients that one entry gives; see [`Pair`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients([Option<f64>; TABLE.len()]);

/// A coefficient of contacts, as entries give it.
struct Coefficient {
    key: &'static str,
    /// Its accepted range and its unit.
    number: Number,
    /// Another key for the same property. An entry gives one of the two.
    or: Option<&'static str>,
    /// Its value in a material without it.
    absent: Absent,
    /// The mixing rule of two materials, and the field of the pair that gets the result.
    mix: Mix,
    /// Its meaning, in Markdown.
    text: &'static str,
}

enum Absent {
    /// Every material must give it.
    Refused,
    /// A number; infinity for a stiffness: rigid.
    Is(f64),
    /// The value of another key.
    As(&'static str),
    /// No value: a pair has the property only if both materials give it, by the same key.
    None,
}

enum Mix {
    /// `√(x_a x_b)`.
    Mean(fn(&mut Pair, f64)),
    /// Not by itself: [`hertz`] mixes it with the moduli.
    WithModuli,
    /// The inverses `1/x_a`, `1/x_b` of the two sides.
    Inverses(fn(&mut Pair, [f64; 2])),
}

const NUMBER: Number = Number(Range::NotNegative, "");
const LENGTH: Number = Number(Range::NotNegative, "m");
const OF_RADIUS: Number = Number(Range::NotNegative, "of r*");
const NEWTON: Number = Number(Range::NotNegative, "N");
const SHARE: Number = Number(Range::Between(0.0, 1.0), "");
const POISSON: Number = Number(Range::Between(0.0, 0.5), "");
const RATIO: Number = Number(Range::Positive, "");
const STIFFNESS: Number = Number(Range::Positive, "N/m");
const TURNING: Number = Number(Range::NotNegative, "N m/rad");
const MODULUS: Number = Number(Range::Positive, "Pa");

/// Every coefficient, in the order in which messages list them.
#[rustfmt::skip]
const TABLE: &[Coefficient] = &[
    row("friction", NUMBER, Absent::Refused, Mix::Mean(|pair, x| pair.friction = x))
        .text("static friction coefficient"),
    row("sliding_friction", NUMBER, Absent::As("friction"), Mix::Mean(|pair, x| pair.sliding_friction = x))
        .text("friction coefficient of a sliding contact"),
    row("rolling", LENGTH, Absent::None, Mix::Mean(|pair, x| pair.rolling = Arm::Length(x)))
        .or("rolling_ratio").text("rolling friction, a length"),
    row("rolling_ratio", OF_RADIUS, Absent::None, Mix::Mean(|pair, x| pair.rolling = Arm::Reduced(x)))
        .or("rolling").text("rolling friction, a multiple of the reduced radius r*"),
    row("torsion", LENGTH, Absent::None, Mix::Mean(|pair, x| pair.torsion = Arm::Length(x)))
        .or("torsion_ratio").text("torsion friction, a length"),
    row("torsion_ratio", OF_RADIUS, Absent::None, Mix::Mean(|pair, x| pair.torsion = Arm::Reduced(x)))
        .or("torsion").text("torsion friction, a multiple of the reduced radius r*"),
    row("cohesion", NEWTON, Absent::Is(0.0), Mix::Mean(|pair, x| pair.cohesion = x))
        .text("pull-off force; with `cohesion_range`"),
    row("cohesion_range", LENGTH, Absent::Is(0.0), Mix::Mean(|pair, x| pair.cohesion_range = x))
        .text("gap up to which it acts; must be given with a `cohesion` above 0"),
    row("restitution", SHARE, Absent::Is(0.0), Mix::Mean(|pair, x| pair.restitution = x))
        .text("normal restitution; with a stiffness by a dashpot, 0: none"),
    row("tangential_restitution", SHARE, Absent::Is(0.0), Mix::Mean(|pair, x| pair.tangential_restitution = x))
        .text("tangential restitution; not with a stiffness or `poisson`"),
    row("stiffness", STIFFNESS, RIGID, Mix::Inverses(|pair, [a, b]| pair.compliance = (a + b) / 2.0))
        .or("young").text("stiffness of a contact"),
    row("young", MODULUS, RIGID, Mix::Inverses(|pair, both| pair.inverse_young = both))
        .or("stiffness").text("Young's modulus"),
    row("poisson", POISSON, Absent::None, Mix::WithModuli)
        .text("with `young`: the law of Hertz and Mindlin in place of linear springs"),
    row("tangential_stiffness_ratio", RATIO, Absent::Is(1.0), Mix::Mean(|pair, x| pair.tangential_ratio = x))
        .text("tangential over normal stiffness; not with `poisson`, from which it follows"),
    row("bending_stiffness", TURNING, Absent::Is(0.0), Mix::Mean(|pair, x| pair.bending_stiffness = x))
        .text("stiffness of a contact about its tangents, up to the limit of `rolling`; 0: rigid"),
    row("twisting_stiffness", TURNING, Absent::Is(0.0), Mix::Mean(|pair, x| pair.twisting_stiffness = x))
        .text("stiffness of a contact about its normal, up to the limit of `torsion`; 0: rigid"),
];

const RIGID: Absent = Absent::Is(f64::INFINITY);

const fn row(key: &'static str, number: Number, absent: Absent, mix: Mix) -> Coefficient {
    Coefficient {
        key,
        number,
        or: None,
        absent,
        mix,
        text: "",
    }
}

impl Coefficient {
    const fn or(mut self, key: &'static str) -> Self {
        self.or = Some(key);
        self
    }

    const fn text(mut self, text: &'static str) -> Self {
        self.text = text;
        self
    }
}

impl Declared for Coefficient {
    fn name(&self) -> &'static str {
        self.key
    }

    fn cells(&self) -> [String; 3] {
        let without = match self.absent {
            Absent::Refused => "—".to_owned(),
            Absent::Is(x) if x == f64::INFINITY => "rigid".to_owned(),
            Absent::Is(x) => format!("`{x}`"),
            Absent::As(other) => format!("as `{other}`"),
            Absent::None => "none".to_owned(),
        };
        let text = match self.or {
            Some(other) => format!("{}; or `{other}` in its place", self.text),
            None => self.text.to_owned(),
        };
        [without, self.number.says(), text]
    }
}

/// The coefficients as keys.
const COEFFICIENTS: [&dyn Declared; TABLE.len()] = {
    let mut keys: [&dyn Declared; TABLE.len()] = [&TABLE[0]; TABLE.len()];
    let mut k = 1;
    while k < TABLE.len() {
        keys[k] = &TABLE[k];
        k += 1;
    }
    keys
};

const NAME: Key<Text, Needed> = Key::new(
    "name",
    Text("a name in quotes"),
    Needed,
    "name by which others refer to it",
);
const DENSITY: Key<Number, Needed> = Key::new(
    "density",
    // Masses of any bodies are then far from the smallest and the largest number.
    Number(Range::Between(1e-9, 1e12), "kg/m3"),
    Needed,
    "density",
);
const MATERIALS: Entry = Entry::new(
    "materials",
    "two names of `[[material]]`",
    "—",
    "the two materials",
);

/// `[[material]]`.
pub(super) const MATERIAL: Table = Table::new("material", &[&NAME, &DENSITY]).kind(
    "[[material]]",
    "a material, with the coefficients below for a contact of it with itself",
);
/// `[[pair]]`.
pub(super) const PAIR: Table = Table::new("pair", &[&MATERIALS]).kind(
    "[[pair]]",
    "two materials, with coefficients of a `[[material]]` in place of the mixed ones between them",
);
/// The coefficients of both.
pub(super) const OF_CONTACTS: Table = Table::new("material+pair:contact", &COEFFICIENTS);

impl Coefficients {
    /// The coefficient that the entry gives under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<f64> {
        let found = TABLE.iter().position(|c| c.key == key)?;
        self.0[found]
    }

    /// The coefficient that the entry gives, by its own key or by its default key.
    fn given(&self, c: &Coefficient) -> Option<f64> {
        self.get(c.key).or(match c.absent {
            Absent::As(other) => self.get(other),
            _ => None,
        })
    }

    /// The value of a coefficient in a material.
    fn value(&self, c: &Coefficient) -> Option<f64> {
        self.given(c).or(match c.absent {
            Absent::Is(x) => Some(x),
            _ => None,
        })
    }

    /// Whether the entry gives the same property by the alternative key.
    fn by_other_key(&self, c: &Coefficient) -> bool {
        c.or.is_some_and(|other| self.get(other).is_some())
    }
}

/// Reads all materials.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Vec<Material> {
    let accepted = "one or more tables headed [[material]] with name, density, friction";
    let mut materials: Vec<Material> = Vec::new();
    for node in root.need_tables("material", accepted, faults) {
        let section = Section::of(node, &[&MATERIAL, &OF_CONTACTS], faults);
        let name = section.read(&NAME, faults).unwrap_or_default();
        let is_there = materials.iter().any(|m| m.name == name);
        if let (true, Some(named), false) = (is_there, section.get(NAME.name), name.is_empty()) {
            twice(named, &named.shown, faults);
        }
        let density = section.read(&DENSITY, faults);
        for c in TABLE.iter().filter(|c| matches!(c.absent, Absent::Refused)) {
            section.need(c.key, &c.number.says(), faults);
        }
        if let (Some(node), None, None) = (
            section.get("poisson"),
            section.get("young"),
            section.get("stiffness"),
        ) {
            let message = format!("must come with young; found {} alone", node.shown);
            report(node, message, faults);
        }
        materials.push(Material {
            name,
            density,
            own: coefficients(&section, faults),
        });
    }
    materials
}

fn coefficients(section: &Section, faults: &mut Vec<Fault>) -> Coefficients {
    let mut found = Coefficients::default();
    for (x, c) in found.0.iter_mut().zip(TABLE) {
        *x = section.get(c.key).map(|node| c.number.read(node, faults));
    }
    for (k, c) in TABLE.iter().enumerate() {
        let before = TABLE[..k].iter().find(|earlier| c.or == Some(earlier.key));
        if let (Some(earlier), Some(node)) = (before, section.get(c.key))
            && section.get(earlier.key).is_some()
        {
            both(node, [earlier.key, c.key], faults);
        }
    }
    if let (Some(slow), Some(fast), Some(node)) = (
        found.get("friction"),
        found.get("sliding_friction"),
        section.get("sliding_friction"),
    ) && fast > slow
    {
        refuse(node, &format!("0 to {slow}, the friction"), faults);
    }
    for (key, other) in [
        ("stiffness", "young"),
        (
            "tangential_stiffness_ratio",
            "no tangential_stiffness_ratio, which follows from it",
        ),
    ] {
        if let (Some(_), Some(_), Some(node)) =
            (found.get("poisson"), found.get(key), section.get("poisson"))
        {
            report(node, format!("must come with {other}; found {key}"), faults);
        }
    }
    if let (Some(_), None, Some(node)) = (
        found.get("cohesion").filter(|f| *f > 0.0),
        found.get("cohesion_range"),
        section.get("cohesion"),
    ) {
        let with = "must come with cohesion_range [m], 0 for none";
        report(node, format!("{with}; found {} alone", node.shown), faults);
    }
    found
}

/// The table of all pairs: mixed from the materials, then overridden by the `[[pair]]` entries.
pub(super) fn pairs(root: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> PairTable {
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let accepted = "tables headed [[pair]] with materials and coefficients";
    let mut overrides: Vec<([usize; 2], Coefficients, &Node)> = Vec::new();
    for node in root.tables("pair", accepted, faults) {
        let section = Section::of(node, &[&PAIR, &OF_CONTACTS], faults);
        let Some(of) = two(&section, &names, faults) else {
            continue;
        };
        if overrides.iter().any(|(other, ..)| *other == of) {
            let found = format!("{} and {} twice", names[of[0]], names[of[1]]);
            must(node, "one entry for two materials", &found, faults);
        }
        let found = coefficients(&section, faults);
        if found == Coefficients::default() {
            let accepted = "the materials and at least one coefficient";
            must(node, accepted, "no coefficient", faults);
        }
        overrides.push((of, found, node));
    }
    PairTable::new(materials.len(), |a, b| {
        let (a, b) = (a as usize, b as usize);
        let special = overrides.iter().find(|(of, ..)| *of == [a, b]);
        let none = Coefficients::default();
        let own = special.map_or(&none, |(_, own, _)| own);
        let (pair, wrong) = mixed(&materials[a].own, &materials[b].own, own);
        let place = special.map(|(_, _, node)| *node).or(root.get("material"));
        let of = format!("{} and {}", materials[a].name, materials[b].name);
        for why in wrong {
            if let Some(node) = place {
                let message = format!("{why} between {of}; a [[pair]] of the two can set it");
                report(node, message, faults);
            }
        }
        pair
    })
}

pub(super) fn two(
    section: &Section,
    names: &[&str],
    faults: &mut Vec<Fault>,
) -> Option<[usize; 2]> {
    let accepted = format!("two of the names {}", names.join(", "));
    let node = section.need(MATERIALS.name, &accepted, faults)?;
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
        refuse(node, &accepted, faults);
        return None;
    };
    Some([found[0].min(found[1]), found[0].max(found[1])])
}

/// The coefficients between two materials, and all faults of their mixture.
///
/// `special` holds the coefficients of a `[[pair]]`; the others are mixed from each material's own.
fn mixed(a: &Coefficients, b: &Coefficients, special: &Coefficients) -> (Pair, Vec<String>) {
    let (mut pair, mut wrong) = (Pair::RIGID, Vec::new());
    for c in TABLE {
        let sides = match special.given(c) {
            Some(x) => Some([x, x]),
            None if special.by_other_key(c) => None,
            None => a.value(c).zip(b.value(c)).map(<[f64; 2]>::from),
        };
        match (sides, &c.mix) {
            (Some([x, _]), Mix::Mean(set)) if special.given(c).is_some() => set(&mut pair, x),
            (Some([x, y]), Mix::Mean(set)) => set(&mut pair, (x * y).sqrt()),
            (Some(sides), Mix::Inverses(set)) => set(&mut pair, sides.map(|x| 1.0 / x)),
            (None, _) | (_, Mix::WithModuli) => {}
        }
        let only = |x: &Coefficients| x.get(c.key).is_some() && !x.by_other_key(c);
        let only_other = |x: &Coefficients| x.get(c.key).is_none() && x.by_other_key(c);
        // A material that gives both has been refused already.
        let one_each = only(a) && only_other(b);
        let said = special.get(c.key).is_some() || special.by_other_key(c);
        if let (Absent::None, true, false, Some(other)) = (&c.absent, one_each, said, c.or) {
            wrong.push(format!(
                "must be given by one key; found {} and {other}",
                c.key
            ));
        }
    }
    // A `[[pair]]` that gives both has been refused already.
    let given = ["friction", "sliding_friction"].map(|key| special.get(key).is_some());
    let (slow, fast) = (pair.friction, pair.sliding_friction);
    if given[0] != given[1] && fast > slow {
        let accepted = format!("sliding_friction must be 0 to {slow}, the friction");
        wrong.push(format!("{accepted}; found {fast}"));
    }
    let soft = pair.compliance > 0.0 || pair.inverse_young != [0.0; 2];
    wrong.extend(hertz(&mut pair, [a, b], special));
    if soft && pair.tangential_restitution > 0.0 {
        let other = if pair.hertz.is_some() {
            "poisson"
        } else {
            "stiffness"
        };
        wrong.push(format!(
            "must be tangential_restitution or {other}; found both"
        ));
    }
    (pair, wrong)
}

/// Gives a pair the law of Hertz and Mindlin where one of its sides has a Poisson ratio.
///
/// Returns a fault of the mixture.
fn hertz(pair: &mut Pair, of: [&Coefficients; 2], special: &Coefficients) -> Option<String> {
    let own = special.get("poisson");
    let ratios = of.map(|side| own.or(side.get("poisson")));
    // An entry with poisson and stiffness has been refused already.
    let both = |x: &&Coefficients| x.get("poisson").is_some() && x.get("stiffness").is_some();
    if ratios == [None; 2] || [of[0], of[1], special].iter().any(both) {
        return None;
    }
    if pair.compliance > 0.0 {
        return Some("must be poisson with young; found stiffness".to_owned());
    }
    let known = |side: usize| ratios[side].is_some() || pair.inverse_young[side] == 0.0;
    if !(known(0) && known(1)) {
        return Some("must be poisson with each young; found one without".to_owned());
    }
    let side = |k: usize| [pair.inverse_young[k], ratios[k].unwrap_or(0.0)];
    pair.hertz = Elasticity::of([side(0), side(1)]);
    pair.inverse_young = [0.0; 2];
    // The dashpot of a contact that opens is as weak as its spring: it would hold nothing.
    (pair.hertz.is_some() && pair.restitution > 0.0 && pair.cohesion > 0.0)
        .then(|| "must be restitution or cohesion with poisson; found both".to_owned())
}
