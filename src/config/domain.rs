//! The `[domain]` table: the box in which bodies move, and its periodic axes.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{Accepts, Key, List, Needed, Preset, Three, Whole, Words};
use super::reader::{METRES, Number, Range, Section, must, refuse, report};
use super::table::Table;

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

/// The lower corner of a box.
pub(super) const LOWER: Key<Three, Needed> =
    Key::new("lower", List(METRES), Needed, "lower corner");
/// The upper corner of a box.
pub(super) const UPPER: Key<Three, Needed> =
    Key::new("upper", List(METRES), Needed, "upper corner");
const PERIODIC: Key<Axes, Preset<[bool; 3]>> = Key::new(
    "periodic",
    Axes,
    Preset([false; 3]),
    "which axes are periodic",
);
const MAX_OVERLAP: Key<Number, Preset<f64>> = Key::new(
    "max_overlap",
    Number(Range::Between(0.0, 1.0), "of the smaller radius"),
    Preset(0.01),
    "largest overlap of two initial bodies",
);
const OUTSIDE: Key<Words<bool>, Preset<bool>> = Key::new(
    "outside",
    Words(&[("error", false), ("delete", true)]),
    Preset(false),
    "a body that leaves the domain ends the run; `\"delete\"`: it is deleted",
);
const DIMENSIONS: Key<Whole, Preset<u64>> = Key::new(
    "dimensions",
    Whole(2, 3),
    Preset(3),
    "2: discs, one metre thick, in the plane z = 0, which must lie inside the domain",
);

/// `[domain]`.
pub(super) const TABLE: Table = Table::new(
    "domain",
    &[
        &LOWER,
        &UPPER,
        &PERIODIC,
        &MAX_OVERLAP,
        &OUTSIDE,
        &DIMENSIONS,
    ],
);

/// Reads `[domain]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Domain {
    let section = root.declared(&TABLE, faults);
    let [lower, upper] = [&LOWER, &UPPER].map(|key| section.read(key, faults));
    if let Some(node) = section.get(UPPER.name) {
        corners(node, lower, upper, faults);
    }
    let domain = Domain {
        lower,
        upper,
        max_overlap: section.read(&MAX_OVERLAP, faults),
        periodic: section.read(&PERIODIC, faults),
        two_dimensional: section.read(&DIMENSIONS, faults) == 2,
        delete_outside: section.read(&OUTSIDE, faults),
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

/// A boolean for each axis.
struct Axes;

impl Accepts for Axes {
    type Value = [bool; 3];
    type Needed = Option<[bool; 3]>;

    fn says(&self) -> String {
        "three booleans, as [true, false, false]".to_owned()
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<[bool; 3]> {
        let axis = |node: &Node| match node.value {
            Value::Boolean(periodic) => Some(periodic),
            _ => None,
        };
        let axes: Option<Vec<bool>> = match &node.value {
            Value::List(axes) if axes.len() == 3 => axes.iter().map(axis).collect(),
            _ => None,
        };
        if let Some([x, y, z]) = axes.as_deref() {
            return Some([*x, *y, *z]);
        }
        refuse(node, &self.says(), faults);
        None
    }

    fn shown(&self, value: &[bool; 3]) -> String {
        format!("{value:?}")
    }

    fn needed(value: Option<[bool; 3]>) -> Option<[bool; 3]> {
        value
    }
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
