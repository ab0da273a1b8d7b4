//! The key `scheme`, the `[quasistatic]` table, and keys that only quasi-static schemes have.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{Key, Or, Preset, Truth, Whole, Words};
use super::materials::Material;
use super::reader::{Number, Range, Section, must, needs, refuse, report};
use super::table::Table;
use crate::body::faces::{face, turning};
use crate::body::{Freedom, Motion, Wall};
use crate::law::Laws;
use crate::math::Vector3;
use crate::scheme::NAMES;
use crate::scheme::pace::Pace;
use crate::scheme::quasistatic::{Breaking, Linear, Method, Select, Start, Statics, Then};
use crate::shape::Period;

/// The parts of a scenario that a scheme without inertia limits.
pub(super) struct Others<'a> {
    pub pace: &'a Pace,
    pub materials: &'a [Material],
    pub laws: &'a Laws,
    pub walls: &'a [Wall],
    /// The entry of each wall.
    pub entries: &'a [usize],
    pub planar: bool,
    pub period: Period,
}

const DEFAULT: Statics = Statics::DEFAULT;

/// `None`: the time step of contact dynamics.
pub(super) const SCHEME: Key<Words<Option<Method>>, Preset<Option<Method>>> = Key::new(
    "scheme",
    Words(&[
        (NAMES[0], None),
        (NAMES[1], Method::named(NAMES[1])),
        (NAMES[2], Method::named(NAMES[2])),
        (NAMES[3], Method::named(NAMES[3])),
    ]),
    Preset(None),
    "the time step of contact dynamics; the others: increments of the loads without inertia, \
     [docs/theory.md](theory.md)",
);
const SHARE: Number = Number(Range::Inside(0.0, 1.0), "");
const TOLERANCE: Key<Number, Preset<f64>> = Key::new(
    "tolerance",
    SHARE,
    Preset(DEFAULT.tolerance),
    "largest unbalanced force of a body at the end of an increment, over the mean normal force; \
     above the rounding of positions",
);
const MAX_ITERATIONS: Key<Whole, Or> = Key::new(
    "max_iterations",
    Whole::from(1),
    Or("60; 150 with `tangent = \"seed\"`"),
    "iterations after which an increment is halved; with `\"kishino\"` one is 100 sweeps over the \
     bodies, so that 60 are 6000 sweeps",
);
const LINEAR_TOLERANCE: Key<Number, Preset<f64>> = Key::new(
    "linear_tolerance",
    SHARE,
    Preset(DEFAULT.linear_tolerance),
    "with `\"bagi_bojtar\"`: largest residual of a linear system, over the unbalanced forces",
);
const LINEAR: Key<Words<Linear>, Preset<Linear>> = Key::new(
    "linear",
    Words(&[("iterative", Linear::Iterative), ("direct", Linear::Direct)]),
    Preset(DEFAULT.linear),
    "with `\"bagi_bojtar\"`, `\"serrano_rodriguez\"`: linear systems are solved by conjugate \
     gradients, or BiCGSTAB where contacts slide; `\"direct\"`: by the factors of the matrix on \
     the first rank, at most 100 000 unknowns (6 a body, 3 in two dimensions)",
);
const TANGENT: Key<Words<bool>, Preset<bool>> = Key::new(
    "tangent",
    Words(&[("coulomb", true), ("seed", false)]),
    Preset(DEFAULT.coulomb),
    "with `\"bagi_bojtar\"`: the friction of sliding contacts follows their normal force in the \
     stiffness; `\"seed\"`: it is constant",
);
const GEOMETRIC: Key<Truth, Preset<bool>> = Key::new(
    "geometric",
    Truth,
    Preset(DEFAULT.geometric),
    "with `\"bagi_bojtar\"`: the stiffness follows the turning of normal forces with the lines of \
     centres; fewer iterations where contacts press strongly or are smooth",
);
const RESISTANCE: Key<Number, Or> = Key::new(
    "resistance",
    Number(Range::Positive, "N/m"),
    Or("by the unbalanced forces"),
    "with `\"bagi_bojtar\"`: a constant ρ that holds bodies without contacts",
);
const JUMP: Key<Number, Preset<f64>> = Key::new(
    "jump",
    Number(Range::Positive, "of a radius"),
    Preset(DEFAULT.jump),
    "largest displacement of a body that two contacts hold, in its radii, beyond that of the \
     walls; else the increment is halved. It is halved as well where contacts give more than 1 % \
     of the energy in the springs: the loads do not lead to such an equilibrium",
);
const SELECT: Key<Words<Select>, Preset<Select>> = Key::new(
    "select",
    Words(&[("block", Select::Block), ("largest", Select::Largest)]),
    Preset(Select::Block),
    "with `\"kishino\"`: in each block the largest error first; `\"largest\"`: of all bodies, at \
     most 20 000; ranks agree on each move, so more of them are not faster",
);
const BREAK: Key<Words<Breaking>, Preset<Breaking>> = Key::new(
    "break",
    Words(&[("worst", Breaking::Worst), ("all", Breaking::All)]),
    Preset(DEFAULT.breaking),
    "where bonds have reached their strengths in balance, the worst one breaks, and balance is \
     sought again; `\"all\"`: all of them in every iteration, also those that a passing force \
     overloads",
);
const START: Key<Words<Start>, Preset<Start>> = Key::new(
    "start",
    Words(&[("springs", Start::Springs), ("forces", Start::Forces)]),
    Preset(DEFAULT.start),
    "with `resume` from a checkpoint of the time step: contacts begin with the forces of their \
     overlaps; `\"forces\"`: with their own, so that a rigid packing in balance stays as it is. \
     Each contact then keeps the gap at which its spring has no force",
);
const THEN: Key<Words<Then>, Preset<Then>> = Key::new(
    "then",
    Words(&[("stop", Then::Stop), ("error", Then::Error)]),
    Preset(DEFAULT.then),
    "where no equilibrium carries the loads, the run ends in order, with status 0; `\"error\"`: \
     with status 3",
);

/// `[quasistatic]`.
pub(super) const TABLE: Table = Table::new(
    "quasistatic",
    &[
        &TOLERANCE,
        &MAX_ITERATIONS,
        &LINEAR_TOLERANCE,
        &LINEAR,
        &TANGENT,
        &GEOMETRIC,
        &RESISTANCE,
        &JUMP,
        &SELECT,
        &BREAK,
        &START,
        &THEN,
    ],
);

/// Reads the scheme; `None`: the time step of contact dynamics.
pub(super) fn read(root: &Section, others: &Others, faults: &mut Vec<Fault>) -> Option<Statics> {
    let section = root.declared(&TABLE, faults);
    let scheme = root.read(&SCHEME, faults);
    let select = section.read(&SELECT, faults);
    with_faces(root, others, faults);
    let Some(mut method) = scheme else {
        // With the name of the time step the tables wait for another scheme.
        for key in [TABLE.name, "support"] {
            if let (Some(node), None) = (root.get(key), root.get(SCHEME.name)) {
                let schemes = NAMES[1..].join("\", \"");
                needs(node, &format!("scheme = one of \"{schemes}\""), faults);
            }
        }
        return None;
    };
    if let Method::Kishino(order) = &mut method {
        *order = select;
    } else if let Some(node) = section.get(SELECT.name) {
        needs(node, "scheme = \"kishino\"", faults);
    }
    let of_bagi_bojtar = [
        LINEAR_TOLERANCE.name,
        TANGENT.name,
        GEOMETRIC.name,
        RESISTANCE.name,
    ];
    for node in of_bagi_bojtar.iter().filter_map(|key| section.get(key)) {
        if method != Method::BagiBojtar {
            needs(node, "scheme = \"bagi_bojtar\"", faults);
        }
    }
    for key in [MAX_ITERATIONS.name, JUMP.name, THEN.name] {
        if let (Some(node), Method::SerranoRodriguez) = (section.get(key), method) {
            needs(node, "scheme = \"bagi_bojtar\" or \"kishino\"", faults);
        }
    }
    if let (Some(node), Method::Kishino(_)) = (section.get(LINEAR.name), method) {
        let accepted = "scheme = \"bagi_bojtar\" or \"serrano_rodriguez\"";
        needs(node, accepted, faults);
    }
    // A bond with a fault joins nothing, but is there.
    if let (Some(node), None) = (section.get(BREAK.name), root.get("bond")) {
        needs(node, "a [[bond]]", faults);
    }
    if method == Method::SerranoRodriguez {
        for bond in root.tables("bond", "", &mut Vec::new()) {
            if let Some(node) = bond.child("strength") {
                let accepted = "left out under serrano_rodriguez, whose bonds do not break";
                must(node, accepted, "strength", faults);
            }
        }
    }
    refuse_others(root, others, faults);
    let coulomb = section.read(&TANGENT, faults);
    let iterations = section.read(&MAX_ITERATIONS, faults);
    Some(Statics {
        method,
        planar: others.planar,
        tolerance: section.read(&TOLERANCE, faults),
        max_iterations: iterations.unwrap_or(if coulomb { DEFAULT.max_iterations } else { 150 }),
        linear_tolerance: section.read(&LINEAR_TOLERANCE, faults),
        linear: section.read(&LINEAR, faults),
        coulomb,
        geometric: section.read(&GEOMETRIC, faults),
        resistance: section.read(&RESISTANCE, faults),
        jump: section.read(&JUMP, faults),
        start: section.read(&START, faults),
        then: section.read(&THEN, faults),
        breaking: section.read(&BREAK, faults),
    })
}

/// Refuses walls under pressure that have no face.
fn with_faces(root: &Section, others: &Others, faults: &mut Vec<Fault>) {
    let nodes = root.tables("wall", "", &mut Vec::new());
    for (wall, &entry) in others.walls.iter().zip(others.entries) {
        let (key, pressure) = match &wall.motion {
            Motion::Free(free) => ("free", free.pressure),
            Motion::Servo(servo) => ("servo", servo.pressure),
            Motion::Fixed | Motion::Driven(_) => continue,
        };
        if pressure == 0.0 {
            continue;
        }
        let node = nodes[entry].child(key).and_then(|of| of.child("pressure"));
        let node = node.unwrap_or(&nodes[entry]);
        let name = &wall.name;
        if face(wall, others.walls, &others.period, others.planar).is_none() {
            let accepted = "left out, or push a plane across an axis, with a period or two planes along each other axis";
            must(
                node,
                accepted,
                &format!("{pressure} Pa on wall {name}"),
                faults,
            );
        } else if let Some(turns) = turning(wall, others.walls, &others.period, others.planar) {
            let accepted =
                "left out, or push a plane between others that do not turn out of its face";
            let found = format!("wall {}, which turns, next to wall {name}", turns.name);
            must(node, accepted, &found, faults);
        }
    }
}

/// Refuses keys without a meaning under schemes without inertia, and keys not built for them.
fn refuse_others(root: &Section, others: &Others, faults: &mut Vec<Fault>) {
    let Some(scheme) = root.get("scheme") else {
        return;
    };
    if let Pace::Rule(_) = others.pace {
        let accepted = format!("\"{}\" with a rule of time.dt", NAMES[0]);
        refuse(scheme, &accepted, faults);
    }
    for (a, first) in others.materials.iter().enumerate() {
        for (b, second) in others.materials.iter().enumerate().skip(a) {
            let pair = others.laws.pairs.between(a as u32, b as u32);
            let of = format!("between {} and {}", first.name, second.name);
            if pair.hertz.is_some() {
                let accepted = format!("\"{}\" with poisson {of}", NAMES[0]);
                must(scheme, &accepted, &scheme.shown, faults);
            } else if !pair.is_soft() {
                let accepted = format!("\"{}\", or stiffness or young given {of}", NAMES[0]);
                must(scheme, &accepted, &scheme.shown, faults);
            }
            if pair.cohesion > 0.0 || pair.bounces() {
                let accepted = format!("\"{}\" with cohesion or restitution {of}", NAMES[0]);
                must(scheme, &accepted, &scheme.shown, faults);
            }
        }
    }
    for key in ["growth", "inlet", "outlet", "freeze", "template"] {
        if let Some(node) = root.get(key) {
            report(
                node,
                format!("must be absent under a quasi-static scheme; found {key}"),
                faults,
            );
        }
    }
    let outside = root.get("domain").and_then(|of| of.child("outside"));
    if let Some(node) = outside.filter(|node| node.is_text("delete")) {
        let accepted = "\"error\" under a quasi-static scheme, which deletes no body";
        must(node, accepted, &node.shown, faults);
    }
    let rest = root.get("time").and_then(|time| time.child("rest"));
    // 0: the run does not end at rest, as one that goes on from a packing at rest.
    let ends = |node: &Node| !matches!(node.value, Value::Integer(0) | Value::Float(0.0));
    if let Some(node) = rest.filter(|node| ends(node)) {
        report(
            node,
            "must be absent under a quasi-static scheme, which has no motion; found rest",
            faults,
        );
    }
    let bodies = match root.get("bodies").map(|node| &node.value) {
        Some(Value::List(entries)) => &entries[..],
        _ => &[],
    };
    for entry in bodies {
        if let Some(node) = entry.child("motion")
            && node.is_text("driven")
        {
            let accepted = "\"free\" or \"fixed\" under a quasi-static scheme";
            refuse(node, accepted, faults);
        }
    }
    for wall in others.walls {
        if wall.surface_velocity != Vector3::zeros() {
            let accepted = format!("\"{}\", or walls without surface_velocity", NAMES[0]);
            must(scheme, &accepted, &format!("wall {}", wall.name), faults);
        }
        let slides = |free: &Freedom| {
            free.direction.is_some() && free.inertia.is_none() && free.turning.is_none()
        };
        let may = match &wall.motion {
            Motion::Fixed | Motion::Driven(_) => true,
            Motion::Free(free) => slides(free),
            Motion::Servo(_) => false,
        };
        if !may {
            let found = format!("wall {}", wall.name);
            must(
                scheme,
                &format!(
                    "\"{}\", or walls that are fixed, driven, or free along a direction",
                    NAMES[0]
                ),
                &found,
                faults,
            );
        }
    }
}
