//! The `[cell]` table: a periodic cell that deforms.

use super::document::{Node, Value};
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, Names, Needed, Or, Preset, Text, Truth};
use super::ramp;
use super::reader::{Number, Range, Section, both, must, needs, refuse};
use super::table::Table;
use crate::body::{Cell, Edge, Shearing, Signal, Stress, Wall};
use crate::math::Vector3;
use crate::scheme::NAMES;
use crate::scheme::quasistatic::{Linear, Statics};
use crate::shape::Surface;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The keys that move an edge.
const MOTIONS: [&str; 4] = [RATE.name, TRUE_RATE.name, ramp::FILE.name, STRESS.name];

const RATE: Key<Number, Needed> = Key::new(
    "rate",
    Number(Range::Finite, "1/s"),
    Needed,
    "strain rate, `L = L₀ (1 + rate t)`, extension positive",
);
const TRUE_RATE: Key<Number, Needed> = Key::new(
    "true_rate",
    Number(Range::Finite, "1/s"),
    Needed,
    "`L = L₀ exp(rate t)`: rates that add up to zero keep the volume (an undrained test)",
);
const STRAIN: Key<Text, Needed> = Key::new(
    ramp::FILE.name,
    Text("the path of a CSV file with columns time, value"),
    Needed,
    "the strain over time: linear between the times, constant before and after",
);
const STRESS: Key<Number, Needed> = Key::new(
    "stress",
    Number(Range::Finite, "Pa"),
    Needed,
    "stress that is held, compression positive",
);
const EDGE: Table = Table::new(
    "x",
    &[&RATE, &TRUE_RATE, &STRAIN, &STRESS, &ramp::FACTOR],
)
.optional([
    "the edge keeps its length",
    "a table with `rate`, `true_rate`, `file` or `stress`",
    "motion of the edge along x: at a rate, by a strain over time, or as long as the stress across \
     it is as given",
]);
const MEAN: Table = Table::new("mean", &[&STRESS, &ramp::FACTOR]).optional([
    "none",
    "a table",
    "all edges strain alike, in addition to their own rates, until their mean stress is this; not \
     with an edge under a stress",
]);
const AXIS: Key<Names, Needed> = Key::new("axis", Names(&AXES), Needed, "the axis of the deviator");
const DEVIATOR: Table = Table::new("deviator", &[&AXIS, &STRESS, &ramp::FACTOR]).optional([
    "none",
    "a table",
    "the edge along `axis` strains against the others at constant volume, in addition, until the \
     stress across it exceeds the mean of the others by this",
]);
const ALONG: Key<Names, Needed> = Key::new(
    "along",
    Names(&AXES),
    Needed,
    "direction of shear, along which positions move",
);
const ACROSS: Key<Names, Needed> = Key::new(
    "across",
    Names(&AXES),
    Needed,
    "direction of the velocity gradient: they move in proportion to their height along it",
);
const SHEAR_RATE: Key<Number, Needed> = Key::new(
    RATE.name,
    Number(Range::Finite, "1/s"),
    Needed,
    "rate of the shear strain",
);
const SHEAR: Table = Table::new("shear", &[&ALONG, &ACROSS, &SHEAR_RATE, &STRAIN]).optional([
    "none",
    "a table with `rate` or `file`",
    "simple shear, at a rate or by a strain over time; not with quasi-static schemes, \
     `affine = false`, `[[measure]]`",
]);
const MASS: Key<Number, Or> = Key::new(
    "mass",
    Number(Range::Positive, "kg"),
    Or("a layer of the bodies"),
    "mass of a strain that follows a stress; not with quasi-static schemes, which need none",
);
const AFFINE: Key<Truth, Preset<bool>> = Key::new(
    "affine",
    Truth,
    Preset(true),
    "whether bodies move with the cell in proportion; if not, only their images do, and contacts \
     carry the strain inwards; not with quasi-static schemes",
);
const Y: Entry = Entry::new(
    "y",
    "as `cell.x`",
    "as `cell.x`",
    "motion of the edge along y",
);
const Z: Entry = Entry::new(
    "z",
    "as `cell.x`",
    "as `cell.x`",
    "motion of the edge along z",
);

/// `[cell]`.
pub(super) const TABLE: Table = Table::new(
    "cell",
    &[&EDGE, &Y, &Z, &MEAN, &DEVIATOR, &SHEAR, &MASS, &AFFINE],
)
.optional([
    "the domain keeps its size",
    "a table with at least one of `x`, `y`, `z`, `mean`, `deviator`, `shear`",
    "a periodic cell that deforms",
]);

/// Reads `[cell]`; `None`: the domain keeps its size.
pub(super) fn read(
    root: &Section,
    (domain, walls, gravity): (&Domain, &[Wall], [f64; 3]),
    faults: &mut Vec<Fault>,
) -> Option<Cell> {
    let node = root.get("cell")?;
    let section = root.declared(&TABLE, faults);
    let edges = AXES.map(|name| edge(&section, name, faults));
    let planar = domain.two_dimensional;
    let (mean, deviator) = combined(&section, (planar, &edges), faults);
    let all = section.get("mean").or_else(|| section.get("deviator"));
    let shear = shearing(&section, domain, faults);
    let sheared = |axis: usize| {
        let of = |shear: &Shearing| shear.along == axis || shear.across == axis;
        section
            .get("shear")
            .filter(|_| shear.as_ref().is_some_and(of))
    };
    for (axis, name) in AXES.into_iter().enumerate() {
        let all = all.filter(|_| axis < 2 || !planar);
        let Some(edge) = section.get(name).or(all).or(sheared(axis)) else {
            continue;
        };
        if planar && axis == 2 {
            must(edge, "an edge along x or y in two dimensions", "z", faults);
        } else if !domain.periodic[axis] {
            needs(edge, &format!("domain.periodic along {name}"), faults);
        }
        // Heights would change with the cell.
        if gravity[axis] != 0.0 {
            let found = format!("gravity.{axis} = {}", gravity[axis]);
            must(
                edge,
                &format!("an axis without gravity, not {name}"),
                &found,
                faults,
            );
        }
        // A surface that varies along the edge would have to be strained itself.
        let across = |wall: &&Wall| {
            let mut surfaces = wall.surface.parts().iter();
            surfaces.any(|surface| match surface {
                Surface::Plane(plane) => plane.normal[axis] != 0.0,
                _ => true,
            })
        };
        if let Some(wall) = walls.iter().find(across) {
            let accepted = format!("walls that are planes along {name}, which the cell strains");
            must(edge, &accepted, &format!("wall {}", wall.name), faults);
        }
    }
    let edge = AXES.iter().find_map(|name| section.get(name));
    if all.or(edge).or(section.get("shear")).is_none() {
        let accepted = "at least one of x, y and z, each with one of rate, true_rate, file and \
                        stress, or mean, deviator or shear";
        refuse(node, accepted, faults);
    }
    // Regions stand where they are while bodies move with the cell.
    for key in ["inlet", "outlet", "freeze", "force", "support"] {
        if let Some(other) = root.get(key) {
            both(other, ["cell", key], faults);
        }
    }
    // A cell may move while bodies rest in it.
    let rest = root.get("time").and_then(|time| time.child("rest"));
    let ends = |node: &&Node| !matches!(node.value, Value::Integer(0) | Value::Float(0.0));
    if let Some(rest) = rest.filter(ends) {
        both(rest, ["cell", "time.rest"], faults);
    }
    measures_follow(root, faults);
    let mass = section.read(&MASS, faults);
    let affine = section.read(&AFFINE, faults);
    if !affine {
        bodies_are_free(root, faults);
    }
    let [lower, upper] = [domain.lower, domain.upper].map(Vector3::from);
    let cell = Cell {
        lower,
        lengths: upper - lower,
        planar,
        edges,
        mean,
        deviator,
        shear,
        mass,
        affine,
    };
    if let Some(shear) = section.get("shear") {
        if !affine {
            must(shear, "given with cell.affine = true", "false", faults);
        }
        // Windows would have to be sheared as well.
        if let Some(measure) = root.get("measure") {
            both(measure, ["cell.shear", "measure"], faults);
        }
    }
    if let (Some(mass), false) = (section.get("mass"), cell.holds_stress()) {
        needs(mass, "a stress", faults);
    }
    Some(cell)
}

/// Refuses regions and rings of measures where a cell deforms.
///
/// Regions stand where they are while bodies move with the cell, and rings need a fixed radius.
fn measures_follow(root: &Section, faults: &mut Vec<Fault>) {
    let accepted = "tables headed [[measure]]";
    for node in root.tables("measure", accepted, &mut Vec::new()) {
        for (key, node) in node.entries() {
            match (key.as_str(), &node.value) {
                ("region", _) => both(node, ["cell", "measure.region"], faults),
                ("axis", Value::Text(axis)) if axis == "r" => {
                    must(node, "x, y or z with a [cell]", &node.shown, faults);
                }
                _ => {}
            }
        }
    }
}

/// Refuses bodies that are held where only images move: an end of the cell would pass them.
fn bodies_are_free(root: &Section, faults: &mut Vec<Fault>) {
    for node in root.tables("bodies", "tables headed [[bodies]]", &mut Vec::new()) {
        if let Some(motion) = node.child("motion")
            && !motion.is_text("free")
        {
            let accepted = "\"free\" with cell.affine = false";
            must(motion, accepted, &motion.shown, faults);
        }
    }
}

/// Refuses a cell with keys of the scheme that have no meaning or are not built for it.
pub(super) fn suits(
    root: &Section,
    cell: Option<&Cell>,
    statics: Option<&Statics>,
    faults: &mut Vec<Fault>,
) {
    let (Some(cell), Some(statics)) = (cell, statics) else {
        return;
    };
    let of = |section: &str, key: &str| root.get(section)?.child(key);
    if let Some(mass) = of("cell", "mass") {
        needs(mass, &format!("scheme = \"{}\"", NAMES[0]), faults);
    }
    if let Some(shear) = of("cell", "shear") {
        needs(shear, &format!("scheme = \"{}\"", NAMES[0]), faults);
    }
    if let (true, Some(node)) = (statics.geometric, of("quasistatic", "geometric")) {
        must(node, "false with a [cell]", "true", faults);
    }
    if let (false, Some(node)) = (cell.affine, of("cell", "affine")) {
        must(
            node,
            &format!("true without scheme = \"{}\"", NAMES[0]),
            "false",
            faults,
        );
    }
    if let (true, Linear::Direct, Some(node)) = (
        cell.holds_stress(),
        statics.linear,
        of("quasistatic", "linear"),
    ) {
        let accepted = "\"iterative\" with a stress of the [cell]";
        must(node, accepted, "\"direct\"", faults);
    }
}

/// The motion of an edge.
fn edge(section: &Section, name: &'static str, faults: &mut Vec<Fault>) -> Edge {
    let Some(node) = section.get(name) else {
        return Edge::Fixed;
    };
    let edge = section.table(name, &EDGE.names(), faults);
    let given = MOTIONS.into_iter().filter(|key| edge.get(key).is_some());
    let given: Vec<&str> = given.collect();
    let &[key] = &given[..] else {
        match (&given[..], given.get(1).and_then(|key| edge.get(key))) {
            (&[first, second, ..], Some(node)) => both(node, [first, second], faults),
            _ => refuse(node, &format!("one of {}", MOTIONS.join(", ")), faults),
        }
        return Edge::Fixed;
    };
    if let (Some(factor), false) = (edge.get("factor"), key == "stress") {
        needs(factor, "stress", faults);
    }
    match key {
        "rate" => Edge::Strain(Signal::Rate(edge.read(&RATE, faults))),
        "true_rate" => Edge::Grows(edge.read(&TRUE_RATE, faults)),
        "file" => ramp::of_file(&edge, faults).map_or(Edge::Fixed, |points| {
            Edge::Strain(Signal::Table {
                times: points.times,
                values: points.values,
                rates: false,
            })
        }),
        _ => Edge::Stress(stress(&edge, faults)),
    }
}

/// The axis that a key names.
fn axis(
    section: &Section,
    key: &Key<Names, Needed>,
    planar: bool,
    faults: &mut Vec<Fault>,
) -> Option<usize> {
    let in_plane = Key::new(key.name, Names(&["x", "y"]), Needed, "");
    let named = section.read(if planar { &in_plane } else { key }, faults)?;
    AXES.iter().position(|name| *name == named)
}

/// Simple shear: its axes, and its strain over time.
fn shearing(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Option<Shearing> {
    section.get("shear")?;
    let table = section.declared(&SHEAR, faults);
    let [along, across] =
        [&ALONG, &ACROSS].map(|key| axis(&table, key, domain.two_dimensional, faults));
    let (along, across) = (along?, across?);
    if along == across {
        let node = table.get("across")?;
        must(node, "another axis than along", AXES[across], faults);
        return None;
    }
    let strain = match (table.get("rate"), table.get("file")) {
        (Some(_), None) => Signal::Rate(table.read(&SHEAR_RATE, faults)),
        (None, Some(_)) => {
            let points = ramp::of_file(&table, faults)?;
            Signal::Table {
                times: points.times,
                values: points.values,
                rates: false,
            }
        }
        (Some(_), Some(node)) => {
            both(node, ["rate", "file"], faults);
            return None;
        }
        (None, None) => {
            refuse(section.get("shear")?, "given with rate or file", faults);
            return None;
        }
    };
    Some(Shearing {
        along,
        across,
        strain,
    })
}

/// The stress of a table, with its factor over time.
fn stress(section: &Section, faults: &mut Vec<Fault>) -> Stress {
    Stress {
        size: section.read(&STRESS, faults),
        factor: ramp::factor(section, faults),
    }
}

/// The mean stress that is held, and the deviator with its axis.
fn combined(
    section: &Section,
    (planar, edges): (bool, &[Edge; 3]),
    faults: &mut Vec<Fault>,
) -> (Option<Stress>, Option<(usize, Stress)>) {
    for key in ["mean", "deviator"] {
        let stressed = edges.iter().position(|edge| edge.stress().is_some());
        if let (Some(node), Some(axis)) = (section.get(key), stressed) {
            both(
                node,
                [
                    &format!("cell.{}.stress", AXES[axis]),
                    &format!("cell.{key}"),
                ],
                faults,
            );
        }
    }
    let mean = section.get("mean").map(|_| {
        let table = section.declared(&MEAN, faults);
        stress(&table, faults)
    });
    let deviator = section.get("deviator").map(|_| {
        let table = section.declared(&DEVIATOR, faults);
        let axis = axis(&table, &AXIS, planar, faults);
        (axis.unwrap_or(0), stress(&table, faults))
    });
    (mean, deviator)
}
