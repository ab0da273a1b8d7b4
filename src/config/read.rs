//! The schema: every key there is, its range and its default, read from the tree into a [`Scenario`].
//!
//! A key that does nothing is refused, never ignored: who writes it believes that it does something.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{Number, Range, Section, tell};
use super::{End, Material, Scenario};
use super::{bodies, walls};
use crate::math::Vector3;
use crate::solver::{Order, Settings};

const ROOT: [&str; 10] = [
    "title",
    "gravity",
    "time",
    "domain",
    "solver",
    "material",
    "wall",
    "bodies",
    "output",
    "checkpoint",
];
const METRES: Number = Number(Range::Finite, "m");
const SIZE: Number = Number(Range::Positive, "m");

/// Reads the scenario; what it returns is only good if it has added no fault. `name` is the title of a file without one.
pub(super) fn scenario(root: &Node, name: &str, faults: &mut Vec<Fault>) -> Scenario {
    let section = Section::new(root, &ROOT, faults);
    let title = section.text_if("title", faults).unwrap_or(name).to_owned();
    let gravity = section.vector("gravity", Number(Range::Finite, "m/s2"), faults);
    let (dt, end) = time(&section, gravity, faults);
    let domain = domain(&section, faults);
    let solver = solver(&section, faults);
    let materials = materials(&section, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let walls = walls::read(&section, &names, &domain, faults);
    let samples = bodies::read(&section, &materials, &domain, faults);
    let series_every = output(&section, faults);
    let checkpoint = section.table("checkpoint", &["every", "keep"], faults);
    Scenario {
        title,
        text: String::new(),
        gravity: Vector3::from(gravity),
        dt,
        end,
        lower: Vector3::from(domain.lower),
        upper: Vector3::from(domain.upper),
        solver,
        pairs: crate::law::PairTable::of_friction(
            &materials.iter().map(|m| m.friction).collect::<Vec<_>>(),
        ),
        periodic: [false; 3],
        delete_outside: false,
        two_dimensional: false,
        materials,
        walls,
        samples,
        max_initial_overlap: domain.max_overlap,
        series_every,
        checkpoint_every: checkpoint.whole_if("every", 0, faults).unwrap_or(500),
        checkpoint_keep: checkpoint.whole_if("keep", 1, faults).unwrap_or(2) as usize,
    }
}

fn time(root: &Section, gravity: [f64; 3], faults: &mut Vec<Fault>) -> (f64, End) {
    let section = root.table("time", &["dt", "until", "steps", "rest"], faults);
    let dt = section.number("dt", Number(Range::Positive, "s"), faults);
    let end = End {
        steps: section.whole_if("steps", 0, faults),
        until: section.number_if("until", Number(Range::NotNegative, "s"), faults),
        // 0 switches the end at rest off: nothing is slower than that.
        rest: section
            .number_if("rest", Number(Range::NotNegative, "of m g d"), faults)
            .filter(|fraction| *fraction > 0.0),
    };
    if end == End::default() {
        let accepted = "at least one of until = TIME [s], steps = NUMBER, rest = FRACTION of m g d \
                        (without an end the run would go on for ever)";
        section.missing("until", accepted, faults);
    }
    if let (Some(node), None, None) = (section.get("rest"), end.steps, end.until)
        && gravity == [0.0; 3]
    {
        let message = "rest is measured by m g d, and there is no gravity; \
                       accepted: until or steps beside it";
        tell(node, message, faults);
    }
    (dt, end)
}

/// A box, and what holds for all that starts in it.
pub(super) struct Domain {
    /// Lower corner [m].
    pub(super) lower: [f64; 3],
    /// Upper corner [m].
    pub(super) upper: [f64; 3],
    max_overlap: f64,
}

fn domain(root: &Section, faults: &mut Vec<Fault>) -> Domain {
    let known = ["lower", "upper", "periodic", "max_overlap"];
    let section = root.table("domain", &known, faults);
    let lower = section.vector("lower", METRES, faults);
    let upper = section.vector("upper", METRES, faults);
    if let Some(node) = section.get("upper") {
        corners(node, lower, upper, faults);
    }
    if let Some(node) = section.get("periodic") {
        periodic(node, faults);
    }
    let overlap = Number(Range::Between(0.0, 1.0), "of the smaller radius");
    let max_overlap = section.number_if("max_overlap", overlap, faults);
    Domain {
        lower,
        upper,
        max_overlap: max_overlap.unwrap_or(0.01),
    }
}

/// Tells on which axes an upper corner does not lie above its lower corner.
pub(super) fn corners(node: &Node, lower: [f64; 3], upper: [f64; 3], faults: &mut Vec<Fault>) {
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        let (low, high) = (lower[axis], upper[axis]);
        if high <= low {
            let accepted = format!("more than the lower corner's {low} [m]");
            tell(
                node,
                format!("{name} = {high}; accepted: {accepted}"),
                faults,
            );
        }
    }
}

fn periodic(node: &Node, faults: &mut Vec<Fault>) {
    let accepted = "accepted: [false, false, false]";
    let axis = |node: &Node| match node.value {
        Value::Boolean(periodic) => Some(periodic),
        _ => None,
    };
    let axes: Option<Vec<bool>> = match &node.value {
        Value::List(axes) if axes.len() == 3 => axes.iter().map(axis).collect(),
        _ => None,
    };
    match axes {
        Some(axes) if axes.contains(&true) => {
            let why = "periodic axes are not available yet in this version";
            tell(node, format!("{}: {why}; {accepted}", node.shown), faults);
        }
        Some(_) => {}
        None => tell(
            node,
            format!("{} is not three booleans; {accepted}", node.shown),
            faults,
        ),
    }
}

fn solver(root: &Section, faults: &mut Vec<Fault>) -> Settings {
    let known = [
        "tolerance",
        "max_sweeps",
        "order",
        "exchange",
        "seed",
        "block_edge",
        "skin",
    ];
    let section = root.table("solver", &known, faults);
    let default = Settings::default();
    let tolerance = section.number_if("tolerance", Number(Range::Inside(0.0, 1.0), ""), faults);
    let max_sweeps = section.whole_if("max_sweeps", 1, faults);
    let order = match section.choice_if("order", &["sweep", "step"], faults) {
        Some("step") => Order::Step,
        Some(_) => Order::Sweep,
        None => default.order,
    };
    let exchange = section.choice_if("exchange", &["phase", "sweep"], faults);
    if let (Some(node), Some("sweep")) = (section.get("exchange"), exchange) {
        let why = "this exchange is not available yet in this version; accepted: \"phase\"";
        tell(node, format!("{}: {why}", node.shown), faults);
    }
    Settings {
        tolerance: tolerance.unwrap_or(default.tolerance),
        max_sweeps: max_sweeps.unwrap_or(default.max_sweeps),
        seed: section.whole_if("seed", 0, faults).unwrap_or(default.seed),
        order,
        block_edge: section.number_if("block_edge", SIZE, faults),
        skin: section.number_if("skin", SIZE, faults),
        ..default
    }
}

fn materials(root: &Section, faults: &mut Vec<Fault>) -> Vec<Material> {
    let accepted = "one or more tables headed [[material]] with name, density, friction";
    let tables = root.need_tables("material", accepted, faults);
    let mut materials: Vec<Material> = Vec::new();
    for node in tables {
        let section = Section::new(node, &["name", "density", "friction"], faults);
        let name = section
            .text("name", "a name in quotes", faults)
            .unwrap_or_default();
        let twice = materials.iter().any(|m| m.name == name);
        if let (true, Some(named), false) = (twice, section.get("name"), name.is_empty()) {
            let message = format!("{} is there twice; accepted: a new name", named.shown);
            tell(named, message, faults);
        }
        materials.push(Material {
            name: name.to_owned(),
            density: section.number("density", Number(Range::Positive, "kg/m3"), faults),
            friction: section.number("friction", Number(Range::NotNegative, ""), faults),
        });
    }
    materials
}

fn output(root: &Section, faults: &mut Vec<Fault>) -> u64 {
    // `every` is known, so that it is told what it is and not what it might be a misspelling of.
    let section = root.table("output", &["series", "every"], faults);
    if let Some(node) = section.get("every") {
        tell(
            node,
            "frames are not available yet in this version; accepted: series",
            faults,
        );
    }
    section.whole_if("series", 1, faults).unwrap_or(1)
}
