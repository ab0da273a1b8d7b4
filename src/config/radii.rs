//! Distributions of radii, wherever an entry has a `radius`.

use super::document::{Node, Value};
use super::fault::Fault;
use super::files::contents;
use super::key::{Entry, Key, List, Needed, Or};
use super::reader::{Number, Range, SIZE, Section, must, refuse, report, wrong_type};
use super::table::Table;
use crate::sample::{Radius, Share};

const UNIFORM: Key<List<2>, Needed> = Key::new(
    "uniform",
    List(SIZE),
    Needed,
    "uniform distribution by number between two radii, the smaller first",
);
const BY_MASS: Key<List<2>, Needed> = Key::new(
    "uniform_by_mass",
    List(SIZE),
    Needed,
    "uniform distribution by mass between two radii",
);
const MEAN: Key<Number, Needed> = Key::new("mean", SIZE, Needed, "mean radius");
const MEDIAN: Key<Number, Needed> = Key::new("median", SIZE, Needed, "median radius");
const DEVIATION: Key<Number, Needed> = Key::new("deviation", SIZE, Needed, "standard deviation");
const OF_LOGARITHM: Key<Number, Needed> = Key::new(
    "deviation",
    Number(Range::Positive, "of ln r"),
    Needed,
    "standard deviation of the logarithm",
);
const LOWER: Key<Number, Needed> = Key::new("lower", SIZE, Needed, "lower bound");
const UPPER: Key<Number, Needed> = Key::new("upper", SIZE, Needed, "upper bound");
const NORMAL: Table = Table::new("normal", &[&MEAN, &DEVIATION, &LOWER, &UPPER]).optional([
    "—",
    "a table",
    "a normal distribution, cut off at the bounds",
]);
const LOGNORMAL: Table = Table::new("lognormal", &[&MEDIAN, &OF_LOGARITHM, &LOWER, &UPPER])
    .optional([
        "—",
        "a table",
        "a lognormal distribution, cut off at the bounds",
    ]);
const RADIUS: Key<Number, Needed> = Key::new("radius", SIZE, Needed, "radius");
const SHARE: Key<Number, Or> = Key::new(
    "share",
    Number(Range::Positive, ""),
    Or("—"),
    "its share of the number of bodies",
);
const SHARE_BY_MASS: Key<Number, Or> = Key::new(
    "share_by_mass",
    Number(Range::Positive, ""),
    Or("—"),
    "its share of the mass, in place of `share`",
);
const MIX: Table = Table::new("mix", &[&RADIUS, &SHARE, &SHARE_BY_MASS]).optional([
    "—",
    "a list of { radius, share }, or of { radius, share_by_mass }",
    "several radii",
]);
const CURVE: Entry = Entry::new(
    "table",
    "the path of a CSV file with the header radius,share",
    "—",
    "a sieve curve: the share of the mass up to each radius, from 0 to 1",
);

/// A distribution of radii.
pub(super) const TABLE: Table = Table::new(
    "radius",
    &[&UNIFORM, &BY_MASS, &NORMAL, &LOGNORMAL, &MIX, &CURVE],
)
.kind("radius", "a table with one of the distributions below");

/// The accepted radii, as text.
pub(super) const RADII: &str = "a number > 0 [m], or a table with one of uniform, uniform_by_mass, normal, lognormal, mix, table";

/// A smaller fraction of a distribution between its bounds indicates a mistake.
const LEAST_KEPT: f64 = 1e-6;

/// Reads a radius or a distribution of radii; `discs`: masses scale with r² instead of r³.
pub(super) fn radii(node: &Node, discs: bool, faults: &mut Vec<Fault>) -> Radius {
    let nothing = Radius::Constant(f64::NAN);
    match &node.value {
        Value::Float(_) | Value::Integer(_) => return Radius::Constant(SIZE.read(node, faults)),
        Value::Table(_) => {}
        _ => {
            wrong_type(node, RADII, faults);
            return nothing;
        }
    }
    let section = Section::of(node, &[&TABLE], faults);
    let kinds = TABLE.names().into_iter();
    let given: Vec<&str> = kinds.filter(|k| section.get(k).is_some()).collect();
    let [kind] = given[..] else {
        let found = match given[..] {
            [] => "no distribution".to_owned(),
            _ => given.join(" and "),
        };
        must(node, RADII, &found, faults);
        return nothing;
    };
    let Some(value) = section.get(kind) else {
        return nothing;
    };
    let before = faults.len();
    let radius = match kind {
        "uniform" => {
            let [low, high] = rising(&section, &UNIFORM, faults);
            Radius::Uniform(low, high)
        }
        "uniform_by_mass" => match rising(&section, &BY_MASS, faults) {
            [low, high] if low < high => Radius::sieve(&[(low, 0.0), (high, 1.0)], discs),
            [low, _] => Radius::Constant(low),
        },
        "normal" => {
            let section = Section::of(value, &[&NORMAL], faults);
            Radius::Normal {
                mean: section.read(&MEAN, faults),
                deviation: section.read(&DEVIATION, faults),
                bounds: bounds(&section, faults),
            }
        }
        "lognormal" => {
            let section = Section::of(value, &[&LOGNORMAL], faults);
            Radius::LogNormal {
                median: section.read(&MEDIAN, faults),
                deviation: section.read(&OF_LOGARITHM, faults),
                bounds: bounds(&section, faults),
            }
        }
        "mix" => mix(value, discs, faults),
        _ => table(value, discs, faults),
    };
    if faults.len() > before {
        return nothing;
    }
    let kept = radius.kept();
    if kept < LEAST_KEPT {
        let accepted =
            format!("a distribution with at least {LEAST_KEPT:e} of it between lower and upper");
        must(value, &accepted, &format!("{kept:.1e}"), faults);
    }
    radius
}

/// Two radii, the smaller first.
fn rising(section: &Section, key: &Key<List<2>, Needed>, faults: &mut Vec<Fault>) -> [f64; 2] {
    let [low, high] = section.read(key, faults);
    if let (true, Some(node)) = (high < low, section.get(key.name)) {
        refuse(node, "two radii, the smaller first", faults);
    }
    [low, high]
}

fn bounds(section: &Section, faults: &mut Vec<Fault>) -> [f64; 2] {
    let lower = section.read(&LOWER, faults);
    let upper = section.read(&UPPER, faults);
    if let (true, Some(node)) = (upper <= lower, section.get(UPPER.name)) {
        refuse(node, &format!("more than lower = {lower} [m]"), faults);
    }
    [lower, upper]
}

fn mix(node: &Node, discs: bool, faults: &mut Vec<Fault>) -> Radius {
    let accepted = "a list of { radius, share }, or of { radius, share_by_mass }";
    let items = match &node.value {
        Value::List(items) if !items.is_empty() => items,
        Value::List(_) => {
            must(node, accepted, "an empty list", faults);
            return Radius::Mix(Vec::new());
        }
        _ => {
            wrong_type(node, accepted, faults);
            return Radius::Mix(Vec::new());
        }
    };
    let mut shares = Vec::new();
    let mut by_mass = None;
    for item in items {
        let section = Section::of(item, &[&MIX], faults);
        let radius = section.read(&RADIUS, faults);
        let number = section.read(&SHARE, faults);
        let mass = section.read(&SHARE_BY_MASS, faults);
        let share = match (number, mass) {
            (Some(share), None) | (None, Some(share)) => share,
            _ => {
                let found = if number.is_some() { "both" } else { "neither" };
                must(item, "share or share_by_mass", found, faults);
                continue;
            }
        };
        if *by_mass.get_or_insert(mass.is_some()) != mass.is_some() {
            must(item, "all by share or all by share_by_mass", "both", faults);
        }
        shares.push(Share { radius, share });
    }
    match by_mass {
        Some(true) => Radius::mix_by_mass(&shares, discs),
        _ => Radius::Mix(shares),
    }
}

fn table(node: &Node, discs: bool, faults: &mut Vec<Fault>) -> Radius {
    let accepted = "a CSV file with the header radius,share, ascending radii [m], and for each the mass fraction of smaller radii, ascending from 0 to 1";
    let Value::Text(file) = &node.value else {
        wrong_type(node, accepted, faults);
        return Radius::Constant(f64::NAN);
    };
    match contents(node).and_then(|contents| points(file, &contents)) {
        Ok(points) => Radius::sieve(&points, discs),
        Err(why) => {
            report(node, format!("{why}; must be {accepted}"), faults);
            Radius::Constant(f64::NAN)
        }
    }
}

/// The points of a sieve curve.
fn points(name: &str, contents: &[u8]) -> Result<Vec<(f64, f64)>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(contents);
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    if header.iter().ne(["radius", "share"]) {
        return Err(format!("{name}:1: the header is not radius,share"));
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut line = 1;
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(line, csv::Position::line);
            format!("{name}:{line}: {}", e.to_string().replace('\n', " "))
        })?;
        line = record.position().map_or(line, csv::Position::line);
        let wrong = |what: &str| Err(format!("{name}:{line}: {what}"));
        let (Ok(radius), Ok(share)) = (record[0].parse::<f64>(), record[1].parse::<f64>()) else {
            return wrong(&format!(
                "{:?}, {:?} are not two numbers",
                &record[0], &record[1]
            ));
        };
        if !(radius > 0.0 && radius <= 1e60) {
            return wrong(&format!("radius {radius} is not a finite number > 0"));
        }
        match points.last() {
            None if share != 0.0 => return wrong(&format!("the first share is {share}, not 0")),
            Some((before, _)) if radius <= *before => {
                return wrong(&format!("radius {radius} is not above the one before it"));
            }
            Some((_, before)) if !(*before..=1.0).contains(&share) => {
                return wrong(&format!(
                    "share {share} is not between the one before it and 1"
                ));
            }
            _ => points.push((radius, share)),
        }
    }
    match points.last() {
        Some((_, 1.0)) => Ok(points),
        Some((_, share)) => Err(format!("{name}:{line}: the last share is {share}, not 1")),
        None => Err(format!("{name}:{line}: found no points")),
    }
}
