//! The `[domain]` table: the box in which bodies move, and its periodic axes.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{METRES, Number, Range, Section, must, refuse, report};

/// The domain.
pub(super) struct Domain {
    /// Lower corner [m].
    pub(super) lower: [f64; 3],
    /// Upper corner [m].
    pub(super) upper: [f64; 3],
    /// Largest accepted overlap of two initial bodies, as a fraction of the smaller radius.
    pub(super) max_overlap: f64,
    /// Which axes are periodic.
    pub(super) periodic: [bool; 3],
    /// Whether bodies are discs in the plane z = 0.
    pub(super) two_dimensional: bool,
    /// Whether a body that leaves the domain is deleted.
    pub(super) delete_outside: bool,
}

/// Reads `[domain]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Domain {
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
        refuse(node, "2 or 3", faults);
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

/// Reports axes on which the upper corner does not lie above the lower corner.
pub(super) fn corners(node: &Node, lower: [f64; 3], upper: [f64; 3], faults: &mut Vec<Fault>) {
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        let (low, high) = (lower[axis], upper[axis]);
        if high <= low {
            let accepted = format!("more than the lower corner's {low} [m] along {name}");
            must(node, &accepted, &high.to_string(), faults);
        }
    }
}

/// The periodic axes.
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
    refuse(node, "three booleans, as [true, false, false]", faults);
    [false; 3]
}

/// In two dimensions bodies are discs that move in the plane z = 0.
fn plane(section: &Section, domain: &Domain, gravity: &Section, faults: &mut Vec<Fault>) {
    let mut wrong = |section: &Section, key: &str, message: &str| {
        if let Some(node) = section.get(key) {
            report(node, message, faults);
        }
    };
    if domain.periodic[2] {
        wrong(
            section,
            "periodic",
            "must be false for z in two dimensions; found true",
        );
    }
    if domain.lower[2] >= 0.0 || domain.upper[2] <= 0.0 {
        wrong(
            section,
            "lower",
            &format!(
                "must be a domain with the plane z = 0 strictly inside, as -0.5 to 0.5 [m]; found z = {} to {}",
                domain.lower[2], domain.upper[2]
            ),
        );
    }
    if let Some(Value::List(g)) = gravity.get("gravity").map(|n| &n.value)
        && let Some(z) = g.get(2)
        && !matches!(z.value, Value::Float(0.0) | Value::Integer(0))
    {
        let message = format!("must be 0 along z in two dimensions; found {}", z.shown);
        wrong(gravity, "gravity", &message);
    }
}
