//! The `[checkpoint]` and `[limits]` tables: intervals of checkpoints, and bounds on the run.

use super::document::Value;
use super::fault::Fault;
use super::reader::{Number, Range, Section, needs, wrong_type};

/// The intervals of checkpoints, and how many are kept. A last one is always written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoints {
    /// Steps between two checkpoints; 0: no interval in steps.
    pub every: u64,
    /// Interval in wall-clock time.
    pub interval: Option<Interval>,
    /// Checkpoints kept.
    pub keep: usize,
}

/// Time between two checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// This many seconds [s].
    Seconds(f64),
    /// Young's interval [Comm. ACM 17 (1974) 530]: `√(2 C M)`.
    ///
    /// C is the measured time of a checkpoint, M [s] the mean time between two failures. The
    /// interval is at least 20 C, so that checkpoints take at most a twentieth of the time.
    Auto {
        /// Mean time between failures [s].
        failures: f64,
    },
}

/// Bounds that are checked in every step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Steps in succession that ended at the sweep cap.
    pub capped: Limit,
    /// Overlap divided by the smaller radius.
    pub overlap: Limit,
    /// Energy that contacts added to the bodies, over the energy that they dissipated and the
    /// kinetic energy.
    pub energy: Limit,
}

/// A bound, and the action when it is exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bound.
    pub above: f64,
    /// Whether the run ends; otherwise it warns.
    pub stop: bool,
}

/// The default mean time between failures: a day.
const DAY: f64 = 86400.0;

/// `[checkpoint]`.
pub(super) fn checkpoints(root: &Section, faults: &mut Vec<Fault>) -> Checkpoints {
    let known = ["every", "interval", "failures", "keep"];
    let section = root.table("checkpoint", &known, faults);
    let failures = section.number_if("failures", Number(Range::Positive, "s"), faults);
    let accepted = "a number > 0 [s], or \"auto\"";
    let interval = section.get("interval").and_then(|node| match &node.value {
        Value::Text(text) if text == "auto" => Some(Interval::Auto {
            failures: failures.unwrap_or(DAY),
        }),
        Value::Text(_) => {
            wrong_type(node, accepted, faults);
            None
        }
        _ => Some(Interval::Seconds(
            Number(Range::Positive, "s").read(node, faults),
        )),
    });
    if let (Some(node), false) = (
        section.get("failures"),
        matches!(interval, Some(Interval::Auto { .. })),
    ) {
        needs(node, "interval = \"auto\"", faults);
    }
    // An interval in wall-clock time replaces the default interval in steps.
    let every = if interval.is_some() { 0 } else { 500 };
    Checkpoints {
        every: section.whole_if("every", 0, faults).unwrap_or(every),
        interval,
        keep: section.whole_if("keep", 1, faults).unwrap_or(2) as usize,
    }
}

/// `[limits]`.
pub(super) fn limits(root: &Section, faults: &mut Vec<Fault>) -> Limits {
    let section = root.table("limits", &["capped", "overlap", "energy"], faults);
    let mut limit = |key: &str, default: f64, unit: &'static str| {
        let table = section.table(key, &["above", "then"], faults);
        let above = table.number_if("above", Number(Range::NotNegative, unit), faults);
        let then = table.choice_if("then", &["warn", "stop"], faults);
        Limit {
            above: above.unwrap_or(default),
            stop: then == Some("stop"),
        }
    };
    Limits {
        capped: limit("capped", 0.0, "steps in a row"),
        overlap: limit("overlap", 0.1, "of the smaller radius"),
        energy: limit("energy", 0.05, "of the energy"),
    }
}
