//! The `[checkpoint]` and `[limits]` tables: when checkpoints are written, and bounds that are
//! watched.

use super::document::Value;
use super::fault::Fault;
use super::reader::{Number, Range, Section, needs, wrong_type};

/// When checkpoints are written, apart from the last one, and how many are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoints {
    /// Every so many steps; 0: not by steps.
    pub every: u64,
    /// By the clock.
    pub interval: Option<Interval>,
    /// Checkpoints kept.
    pub keep: usize,
}

/// Time between two checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// So long [s].
    Seconds(f64),
    /// As Young found [Comm. ACM 17 (1974) 530]: `√(2 C M)` with the measured time C of a
    /// checkpoint and the mean time M [s] between two failures, and at least 20 C, so that
    /// checkpoints take no more than a twentieth of the time.
    Auto {
        /// Mean time between failures [s].
        failures: f64,
    },
}

/// Bounds that are checked in every step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Steps in a row that ended at the sweep cap.
    pub capped: Limit,
    /// Overlap over the smaller radius.
    pub overlap: Limit,
    /// Energy that contacts gave in place of taking it, over what they took and what moves.
    pub energy: Limit,
}

/// A bound, and the action beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bound.
    pub above: f64,
    /// Whether the run ends.
    pub stop: bool,
}

/// Mean time between failures where the configuration names none: a day.
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
    // Who says when by the clock does not mean the steps as well.
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
