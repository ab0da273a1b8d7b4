//! The `[checkpoint]` and `[limits]` tables: intervals of checkpoints, and bounds on the run.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{By, Key, Or, Preset, Whole, Words};
use super::reader::{Number, Range, Section, needs, wrong_type};
use super::table::Table;

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

const EVERY: Key<Whole, Or> = Key::new(
    "every",
    Whole::from(0),
    Or("500; 0 with an interval"),
    "steps between checkpoints; 0: only at the end",
);
const KEEP: Key<Whole, Preset<u64>> =
    Key::new("keep", Whole::from(1), Preset(2), "number of files kept");
const INTERVAL: Key<By<Given>, Or> = Key::new(
    "interval",
    By {
        says: "a number > 0 [s], or \"auto\"",
        read: interval,
    },
    Or("none"),
    "wall time between two checkpoints; `\"auto\"`: √(2 C M), C being the time that the last \
     checkpoint took and M `checkpoint.failures`; at least 20 C, so that checkpoints take at most \
     a twentieth of the time",
);
const FAILURES: Key<Number, Preset<f64>> = Key::new(
    "failures",
    SECONDS,
    // A day.
    Preset(86400.0),
    "with `interval = \"auto\"`: mean time between failures",
);

/// `[checkpoint]`.
pub(super) const CHECKPOINT: Table =
    Table::new("checkpoint", &[&EVERY, &INTERVAL, &FAILURES, &KEEP]);

const SECONDS: Number = Number(Range::Positive, "s");

/// The interval as the file has it.
#[derive(Debug)]
enum Given {
    Seconds(f64),
    Auto,
}

fn interval(node: &Node, says: &str, faults: &mut Vec<Fault>) -> Option<Given> {
    match &node.value {
        Value::Text(text) if text == "auto" => Some(Given::Auto),
        Value::Text(_) => {
            wrong_type(node, says, faults);
            None
        }
        _ => Some(Given::Seconds(SECONDS.read(node, faults))),
    }
}

/// Reads `[checkpoint]`.
pub(super) fn checkpoints(root: &Section, faults: &mut Vec<Fault>) -> Checkpoints {
    let section = root.declared(&CHECKPOINT, faults);
    let failures = section.read(&FAILURES, faults);
    let interval = section.read(&INTERVAL, faults).map(|given| match given {
        Given::Auto => Interval::Auto { failures },
        Given::Seconds(seconds) => Interval::Seconds(seconds),
    });
    if let (Some(node), false) = (
        section.get(FAILURES.name),
        matches!(interval, Some(Interval::Auto { .. })),
    ) {
        needs(node, "interval = \"auto\"", faults);
    }
    // An interval in wall-clock time replaces the default interval in steps.
    let every = if interval.is_some() { 0 } else { 500 };
    Checkpoints {
        every: section.read(&EVERY, faults).unwrap_or(every),
        interval,
        keep: section.read(&KEEP, faults) as usize,
    }
}

const THEN: Key<Words<bool>, Preset<bool>> = Key::new(
    "then",
    Words(&[("warn", false), ("stop", true)]),
    Preset(false),
    "beyond the limit: a warning the first time, and the number of such steps at the end; \
     `\"stop\"`: the run ends with status 3, after a checkpoint of that step",
);

type Above = Key<Number, Preset<f64>>;

const fn above(unit: &'static str, preset: f64, text: &'static str) -> Above {
    let number = Number(Range::NotNegative, unit);
    Key::new("above", number, Preset(preset), text)
}

const CAPPED: Above = above(
    "steps in a row",
    0.0,
    "limit, checked in every step, of the number of steps in a row that end at the sweep cap",
);
const OVERLAP: Above = above(
    "of the smaller radius",
    0.1,
    "limit of the largest overlap, in every step",
);
const ENERGY: Above = above(
    "of the energy",
    0.05,
    "limit of the energy that contacts have given to bodies, in every step: see below",
);

/// `[limits]`.
pub(super) const LIMITS: Table = Table::new("limits", &[&OF_CAPPED, &OF_OVERLAP, &OF_ENERGY]);

const OF_CAPPED: Table = Table::new("capped", &[&CAPPED, &THEN]);
const OF_OVERLAP: Table = Table::new("overlap", &[&OVERLAP, &THEN]);
const OF_ENERGY: Table = Table::new("energy", &[&ENERGY, &THEN]);

/// Reads `[limits]`.
pub(super) fn limits(root: &Section, faults: &mut Vec<Fault>) -> Limits {
    let section = root.declared(&LIMITS, faults);
    let mut limit = |table: &Table, above: &Above| {
        let table = section.declared(table, faults);
        Limit {
            above: table.read(above, faults),
            stop: table.read(&THEN, faults),
        }
    };
    Limits {
        capped: limit(&OF_CAPPED, &CAPPED),
        overlap: limit(&OF_OVERLAP, &OVERLAP),
        energy: limit(&OF_ENERGY, &ENERGY),
    }
}
