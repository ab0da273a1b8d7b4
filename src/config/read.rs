//! The schema: every key there is, its range and its default, read from the tree into a [`Scenario`].
//!
//! A key that does nothing is refused, never ignored: who writes it believes that it does something.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{Number, Range, Section, tell};
use super::{Balance, Scenario};
use super::{acts, bodies, materials, measures, output, regions, safety, time, walls};
use crate::math::Vector3;
use crate::solver::accelerate::Acceleration;
use crate::solver::{Exchange, GapRule, Order, Projection, Settings};

const ROOT: [&str; 20] = [
    "title",
    "gravity",
    "time",
    "domain",
    "solver",
    "material",
    "pair",
    "wall",
    "region",
    "measure",
    "bodies",
    "inlet",
    "outlet",
    "freeze",
    "force",
    "growth",
    "balance",
    "output",
    "checkpoint",
    "limits",
];
const METRES: Number = Number(Range::Finite, "m");
const SIZE: Number = Number(Range::Positive, "m");

/// Reads the scenario; what it returns is only good if it has added no fault. `name` is the title of a file without one.
pub(super) fn scenario(root: &Node, name: &str, faults: &mut Vec<Fault>) -> Scenario {
    let section = Section::new(root, &ROOT, faults);
    let title = section.text_if("title", faults).unwrap_or(name).to_owned();
    let gravity = section.vector("gravity", Number(Range::Finite, "m/s2"), faults);
    let (pace, end) = time::read(&section, gravity, faults);
    let domain = domain(&section, faults);
    let solver = solver(&section, faults);
    let materials = materials::read(&section, faults);
    let pairs = materials::pairs(&section, &materials, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let walls = walls::read(&section, &names, &domain, faults);
    let regions = regions::read(&section, &domain, faults);
    let measures = measures::read(&section, &domain, gravity, &regions, faults);
    let growth = acts::growth(&section, solver.gap, faults);
    let samples = bodies::read(&section, &materials, &domain, &regions, growth, faults);
    let inlets = acts::inlets(&section, &materials, &regions, &domain, faults);
    let acts = acts::read(&section, &regions, &domain, growth, faults);
    let balance = balance(&section, faults);
    let output = output::read(&section, faults);
    let checkpoints = safety::checkpoints(&section, faults);
    let limits = safety::limits(&section, faults);
    Scenario {
        title,
        text: String::new(),
        gravity: Vector3::from(gravity),
        pace,
        end,
        lower: Vector3::from(domain.lower),
        upper: Vector3::from(domain.upper),
        solver,
        pairs,
        periodic: domain.periodic,
        delete_outside: domain.delete_outside,
        two_dimensional: domain.two_dimensional,
        materials,
        walls,
        regions,
        measures,
        samples,
        inlets,
        acts,
        max_initial_overlap: domain.max_overlap,
        balance,
        output,
        checkpoints,
        limits,
    }
}

/// A box, and what holds for all that starts in it.
pub(super) struct Domain {
    /// Lower corner [m].
    pub(super) lower: [f64; 3],
    /// Upper corner [m].
    pub(super) upper: [f64; 3],
    max_overlap: f64,
    /// Which axes are periodic.
    pub(super) periodic: [bool; 3],
    /// Whether bodies are discs in the plane z = 0.
    pub(super) two_dimensional: bool,
    delete_outside: bool,
}

fn domain(root: &Section, faults: &mut Vec<Fault>) -> Domain {
    let known = [
        "lower",
        "upper",
        "periodic",
        "max_overlap",
        "outside",
        "dimensions",
    ];
    let section = root.table("domain", &known, faults);
    let lower = section.vector("lower", METRES, faults);
    let upper = section.vector("upper", METRES, faults);
    if let Some(node) = section.get("upper") {
        corners(node, lower, upper, faults);
    }
    let periodic = section.get("periodic");
    let periodic = periodic.map_or([false; 3], |node| periodic_axes(node, faults));
    let outside = section.choice_if("outside", &["error", "delete"], faults);
    let dimensions = section.whole_if("dimensions", 2, faults).unwrap_or(3);
    if let (true, Some(node)) = (dimensions > 3, section.get("dimensions")) {
        tell(
            node,
            format!("{} is not accepted; accepted: 2 or 3", node.shown),
            faults,
        );
    }
    let overlap = Number(Range::Between(0.0, 1.0), "of the smaller radius");
    let max_overlap = section.number_if("max_overlap", overlap, faults);
    let domain = Domain {
        lower,
        upper,
        max_overlap: max_overlap.unwrap_or(0.01),
        periodic,
        two_dimensional: dimensions == 2,
        delete_outside: outside == Some("delete"),
    };
    if domain.two_dimensional {
        plane(&section, &domain, root, faults);
    }
    domain
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

/// Which axes are periodic.
fn periodic_axes(node: &Node, faults: &mut Vec<Fault>) -> [bool; 3] {
    let axis = |node: &Node| match node.value {
        Value::Boolean(periodic) => Some(periodic),
        _ => None,
    };
    let axes: Option<Vec<bool>> = match &node.value {
        Value::List(axes) if axes.len() == 3 => axes.iter().map(axis).collect(),
        _ => None,
    };
    if let Some([x, y, z]) = axes.as_deref() {
        return [*x, *y, *z];
    }
    let message = format!(
        "{} is not three booleans; accepted: [true, false, false] and the like",
        node.shown
    );
    tell(node, message, faults);
    [false; 3]
}

/// In two dimensions bodies are discs that move in the plane z = 0.
fn plane(section: &Section, domain: &Domain, gravity: &Section, faults: &mut Vec<Fault>) {
    let mut refuse = |section: &Section, key: &str, message: &str| {
        if let Some(node) = section.get(key) {
            tell(node, message, faults);
        }
    };
    if domain.periodic[2] {
        refuse(
            section,
            "periodic",
            "there is no third axis in two dimensions; accepted: false for z",
        );
    }
    if domain.lower[2] >= 0.0 || domain.upper[2] <= 0.0 {
        refuse(
            section,
            "lower",
            "two dimensions are the plane z = 0; accepted: a domain with z = 0 strictly inside, as -0.5 to 0.5 [m]",
        );
    }
    if let Some(Value::List(g)) = gravity.get("gravity").map(|n| &n.value)
        && let Some(z) = g.get(2)
        && !matches!(z.value, Value::Float(0.0) | Value::Integer(0))
    {
        refuse(
            gravity,
            "gravity",
            "points out of the plane z = 0; accepted: z = 0",
        );
    }
}

fn solver(root: &Section, faults: &mut Vec<Fault>) -> Settings {
    let known = [
        "tolerance",
        "max_sweeps",
        "order",
        "acceleration",
        "momentum",
        "warm_start",
        "start_spread",
        "exchange",
        "inner_passes",
        "seed",
        "block_edge",
        "skin",
        "gap",
        "gap_fraction",
        "gap_speed",
        "projection",
        "projection_fraction",
    ];
    let section = root.table("solver", &known, faults);
    let default = Settings::default();
    let tolerance = section.number_if("tolerance", Number(Range::Inside(0.0, 1.0), ""), faults);
    let max_sweeps = section.whole_if("max_sweeps", 1, faults);
    let order = match section.choice_if("order", &["sweep", "step"], faults) {
        Some("sweep") => Order::Sweep,
        _ => Order::Step,
    };
    let acceleration = acceleration(&section, order, faults);
    let exchange = match section.choice_if("exchange", &["phase", "sweep"], faults) {
        Some("sweep") => Exchange::Sweep,
        _ => Exchange::Phase,
    };
    let passes = section.whole_if("inner_passes", 1, faults).unwrap_or(1);
    if let (true, Some(node)) = (passes > 64, section.get("inner_passes")) {
        tell(
            node,
            format!("{} is not accepted; accepted: 1 to 64", node.shown),
            faults,
        );
    }
    let gap = gap_rule(&section, faults);
    let (warm_start, start_spread) = start(&section, faults);
    let sweeps = section.whole_if("projection", 0, faults).unwrap_or(0);
    let fraction = Number(Range::Between(0.0, 1.0), "of an overlap");
    let fraction = section.number_if("projection_fraction", fraction, faults);
    if let (true, 0, Some(node)) = (
        fraction.is_some(),
        sweeps,
        section.get("projection_fraction"),
    ) {
        tell(
            node,
            "does nothing without projection; accepted: projection = NUMBER beside it",
            faults,
        );
    }
    Settings {
        gap,
        projection: Projection {
            sweeps,
            fraction: fraction.unwrap_or(default.projection.fraction),
        },
        tolerance: tolerance.unwrap_or(default.tolerance),
        max_sweeps: max_sweeps.unwrap_or(default.max_sweeps),
        seed: section.whole_if("seed", 0, faults).unwrap_or(default.seed),
        order,
        block_edge: section.number_if("block_edge", SIZE, faults),
        skin: section.number_if("skin", SIZE, faults),
        warm_start,
        start_spread,
        acceleration,
        exchange,
        inner_passes: passes,
        width: default.width,
    }
}

/// Whether contacts start a solve with the force of the last step, and by up to which share that is changed at random.
fn start(section: &Section, faults: &mut Vec<Fault>) -> (bool, f64) {
    let warm = section.truth_if("warm_start", faults).unwrap_or(true);
    let share = Number(Range::Between(0.0, 1.0), "of the force of the last step");
    let spread = section.number_if("start_spread", share, faults);
    if let (false, Some(node)) = (warm, section.get("start_spread")) {
        let why = "does nothing where contacts start with no force; accepted: warm_start = true beside it";
        tell(node, why, faults);
    }
    (warm, spread.unwrap_or(0.0))
}

/// Whether sweeps are accelerated, which needs one order kept within a step.
fn acceleration(section: &Section, order: Order, faults: &mut Vec<Fault>) -> Acceleration {
    let wanted = section.choice_if("acceleration", &["momentum", "none"], faults);
    let below_one = Number(Range::Inside(0.0, 1.0), "");
    let cap = section.number_if("momentum", below_one, faults);
    if let (Some(node), Some("momentum"), Order::Sweep) =
        (section.get("acceleration"), wanted, order)
    {
        let why = "needs one order kept within a step; accepted: \"none\", or order = \"step\"";
        tell(node, format!("{}: {why}", node.shown), faults);
    }
    let takes_part = wanted.unwrap_or("momentum") == "momentum" && order == Order::Step;
    if let (Some(node), false) = (section.get("momentum"), takes_part) {
        let why = "does nothing without acceleration; accepted: acceleration = \"momentum\" and order = \"step\" beside it";
        tell(node, why, faults);
    }
    match takes_part {
        true => cap.map_or(Acceleration::MOMENTUM, |momentum| Acceleration { momentum }),
        false => Acceleration::NONE,
    }
}

/// What becomes of overlaps.
fn gap_rule(section: &Section, faults: &mut Vec<Fault>) -> GapRule {
    let rule = section.choice_if("gap", &["positive", "full", "recover"], faults);
    let share = Number(Range::Between(0.0, 1.0), "of an overlap in a step");
    let fraction = section.number_if("gap_fraction", share, faults);
    let speed = section.number_if("gap_speed", Number(Range::Positive, "m/s"), faults);
    if rule != Some("recover") {
        for key in ["gap_fraction", "gap_speed"] {
            if let Some(node) = section.get(key) {
                tell(
                    node,
                    "does nothing with this rule; accepted: gap = \"recover\" beside it",
                    faults,
                );
            }
        }
    }
    match rule {
        Some("full") => GapRule::Full,
        Some("recover") => GapRule::Recover {
            fraction: fraction.unwrap_or(0.1),
            top_speed: speed.unwrap_or(f64::INFINITY),
        },
        _ => GapRule::Positive,
    }
}

fn balance(root: &Section, faults: &mut Vec<Fault>) -> Balance {
    let section = root.table("balance", &["every", "above"], faults);
    let every = section.whole_if("every", 0, faults);
    let above = section.number_if(
        "above",
        Number(Range::Between(1.0, 1000.0), "of the mean work"),
        faults,
    );
    Balance {
        every: every.unwrap_or(20),
        above: above.unwrap_or(1.1),
    }
}
