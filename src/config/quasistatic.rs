//! The key `scheme`, the `[quasistatic]` table, and keys that only quasi-static schemes have.

use super::document::{Node, Value};
use super::fault::Fault;
use super::materials::Material;
use super::reader::{Number, Range, Section, must, needs, refuse, report};
use crate::body::faces::face;
use crate::body::{Freedom, Motion, Wall};
use crate::law::Laws;
use crate::math::Vector3;
use crate::scheme::NAMES;
use crate::scheme::pace::Pace;
use crate::scheme::quasistatic::{Breaking, Linear, Method, Select, Start, Statics, Then};
use crate::shape::Period;

/// The sections read by this file.
pub(super) const SECTIONS: [&str; 3] = ["scheme", "quasistatic", "support"];

/// The parts of a scenario that a scheme without inertia limits.
pub(super) struct Others<'a> {
    pub pace: &'a Pace,
    pub materials: &'a [Material],
    pub laws: &'a Laws,
    pub walls: &'a [Wall],
    pub planar: bool,
    pub period: Period,
}

/// Reads the scheme; `None`: the time step of contact dynamics.
pub(super) fn read(root: &Section, others: &Others, faults: &mut Vec<Fault>) -> Option<Statics> {
    let known = [
        "tolerance",
        "max_iterations",
        "linear_tolerance",
        "linear",
        "tangent",
        "geometric",
        "resistance",
        "jump",
        "select",
        "break",
        "start",
        "then",
    ];
    let section = root.table("quasistatic", &known, faults);
    let scheme = root.choice_if("scheme", &NAMES, faults);
    let select = section.choice_if("select", &["block", "largest"], faults);
    let default = Statics::default();
    with_faces(root, others, faults);
    let Some(mut method) = scheme.and_then(Method::named) else {
        // With the name of the time step the tables wait for another scheme.
        for key in ["quasistatic", "support"] {
            if let (Some(node), None) = (root.get(key), root.get("scheme")) {
                let schemes = NAMES[1..].join("\", \"");
                needs(node, &format!("scheme = one of \"{schemes}\""), faults);
            }
        }
        return None;
    };
    if let (Method::Kishino(order), Some("largest")) = (&mut method, select) {
        *order = Select::Largest;
    }
    if let (Some(node), false) = (section.get("select"), matches!(method, Method::Kishino(_))) {
        needs(node, "scheme = \"kishino\"", faults);
    }
    let of_bagi_bojtar = ["linear_tolerance", "tangent", "geometric", "resistance"];
    for node in of_bagi_bojtar.iter().filter_map(|key| section.get(key)) {
        if method != Method::BagiBojtar {
            needs(node, "scheme = \"bagi_bojtar\"", faults);
        }
    }
    let linear = section.choice_if("linear", &["iterative", "direct"], faults);
    if let (Some(node), Method::Kishino(_)) = (section.get("linear"), method) {
        let accepted = "scheme = \"bagi_bojtar\" or \"serrano_rodriguez\"";
        needs(node, accepted, faults);
    }
    let tangent = section.choice_if("tangent", &["coulomb", "seed"], faults);
    let breaking = section.choice_if("break", &["worst", "all"], faults);
    if let (Some(node), false) = (section.get("break"), others.laws.join()) {
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
    let share = Number(Range::Inside(0.0, 1.0), "");
    let stiffness = Number(Range::Positive, "N/m");
    let jump = Number(Range::Positive, "of a radius");
    let coulomb = tangent != Some("seed");
    let iterations = section.whole_if("max_iterations", 1, faults);
    refuse_others(root, others, faults);
    Some(Statics {
        method,
        planar: others.planar,
        tolerance: (section.number_if("tolerance", share, faults)).unwrap_or(default.tolerance),
        max_iterations: iterations.unwrap_or(if coulomb { default.max_iterations } else { 150 }),
        linear_tolerance: (section.number_if("linear_tolerance", share, faults))
            .unwrap_or(default.linear_tolerance),
        linear: match linear {
            Some("direct") => Linear::Direct,
            _ => Linear::Iterative,
        },
        coulomb,
        geometric: (section.truth_if("geometric", faults)).unwrap_or(default.geometric),
        resistance: section.number_if("resistance", stiffness, faults),
        jump: (section.number_if("jump", jump, faults)).unwrap_or(default.jump),
        start: match section.choice_if("start", &["springs", "forces"], faults) {
            Some("forces") => Start::Forces,
            _ => Start::Springs,
        },
        then: match section.choice_if("then", &["stop", "error"], faults) {
            Some("error") => Then::Error,
            _ => Then::Stop,
        },
        breaking: match breaking {
            Some("all") => Breaking::All,
            _ => Breaking::Worst,
        },
    })
}

/// Refuses walls under pressure that have no face.
fn with_faces(root: &Section, others: &Others, faults: &mut Vec<Fault>) {
    for wall in others.walls {
        let (key, pressure) = match &wall.motion {
            Motion::Free(free) => ("free", free.pressure),
            Motion::Servo(servo) => ("servo", servo.pressure),
            Motion::Fixed | Motion::Driven(_) => continue,
        };
        let has_face = || face(wall, others.walls, &others.period, others.planar).is_some();
        if pressure != 0.0 && !has_face() {
            let accepted = format!(
                "wall {} without {key}.pressure, or as a plane across an axis, with a period or two planes along \
                 each other axis",
                wall.name
            );
            must_at(root, &accepted, &format!("{pressure} Pa"), faults);
        }
    }
}

/// Adds a fault of the walls.
fn must_at(root: &Section, accepted: &str, found: &str, faults: &mut Vec<Fault>) {
    if let Some(node) = root.get("wall") {
        must(node, accepted, found, faults);
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
