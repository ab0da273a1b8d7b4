//! The `[time]` table: the length of steps, and the end of the run.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{By, Key, Needed, Or, Preset, Whole};
use super::reader::{Number, Range, Section, must, needs, refuse, report, wrong_type};
use super::table::Table;
use crate::scheme::pace::{Pace, Rule};

/// The conditions that end a run; the first to be met does.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct End {
    /// After this number of steps, counted from time zero.
    pub steps: Option<u64>,
    /// At this time [s].
    pub until: Option<f64>,
    /// When the translational kinetic energy per body falls below this fraction of `m g d`.
    pub rest: Option<f64>,
    /// Before this time [s] it is not at rest.
    pub rest_after: f64,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = self.steps.map(|n| format!("step {n}"));
        let until = self.until.map(|t| format!("time {t} s"));
        let rest = self.rest.map(|r| match self.rest_after > 0.0 {
            true => format!(
                "rest (kinetic energy per body below {r:e} m g d, not before {} s)",
                self.rest_after
            ),
            false => format!("rest (kinetic energy per body below {r:e} m g d)"),
        });
        let ends: Vec<String> = [steps, until, rest].into_iter().flatten().collect();
        f.write_str(&ends.join(" or "))
    }
}

/// The largest number of steps: up to it, the number times the time step is still an accurate time.
const MOST_STEPS: f64 = 1e15;

const STEP: Number = Number(Range::Positive, "s");

const DT: Key<By<Pace>, Needed> = Key::new(
    "dt",
    By {
        says: "a finite number > 0 [s], or a table { at_most, at_least, travel, growth, length }",
        read: pace,
    },
    Needed,
    "length of a step; or a rule, with the next five keys, see [below](#time-steps-by-a-rule)",
);
const UNTIL: Key<Number, Or> = Key::new(
    "until",
    Number(Range::NotNegative, "s"),
    Or("—"),
    "end of the run at this time; at least one of `until`, `steps` and `rest` must be given",
);
const STEPS: Key<Whole, Or> = Key::new(
    "steps",
    Whole::from(0),
    Or("—"),
    "end of the run after this number of steps",
);
const REST: Key<Number, Or> = Key::new(
    "rest",
    Number(Range::NotNegative, "of m g d"),
    Or("—"),
    "end of the run when the kinetic energy per body is below this fraction of `m g d`, while \
     walls carry the load of gravity and of the regions' forces; 0: it does not end at rest",
);
const REST_AFTER: Key<Number, Preset<f64>> = Key::new(
    "rest_after",
    Number(Range::NotNegative, "s"),
    Preset(0.0),
    "before this time the run does not end at rest",
);

/// `[time]`.
pub(super) const TABLE: Table =
    Table::new("time", &[&DT, &RULE, &UNTIL, &STEPS, &REST, &REST_AFTER]);

const AT_MOST: Key<Number, Needed> = Key::new("at_most", STEP, Needed, "longest step");
const AT_LEAST: Key<Number, Needed> = Key::new("at_least", STEP, Needed, "shortest step");
const TRAVEL: Key<Number, Preset<f64>> = Key::new(
    "travel",
    // With more than half a radius two bodies could pass through each other within a step.
    Number(Range::Between(1e-6, 0.5), "of a radius"),
    Preset(0.1),
    "longest distance that a body or wall moves in a step, in units of `length`",
);
const GROWTH: Key<Number, Preset<f64>> = Key::new(
    "growth",
    Number(Range::Between(1.001, 2.0), ""),
    Preset(1.1),
    "largest ratio of a step to the step before",
);
const LENGTH: Key<Number, Or> = Key::new(
    "length",
    Number(Range::Positive, "m"),
    Or("the smallest radius of bodies and walls"),
    "unit of `travel`: see below",
);

/// The rule of a time step.
const RULE: Table = Table::new("dt", &[&AT_MOST, &AT_LEAST, &TRAVEL, &GROWTH, &LENGTH]);

pub(super) fn read(root: &Section, gravity: [f64; 3], faults: &mut Vec<Fault>) -> (Pace, End) {
    let section = root.declared(&TABLE, faults);
    let pace = section.read(&DT, faults);
    let pace = pace.unwrap_or(Pace::Even(f64::NAN));
    let rest = section.read(&REST, faults);
    let end = End {
        steps: section.read(&STEPS, faults),
        until: section.read(&UNTIL, faults),
        // 0 disables the end at rest: the kinetic energy is never below it.
        rest: rest.filter(|fraction| *fraction > 0.0),
        rest_after: section.read(&REST_AFTER, faults),
    };
    if let (Some(node), None) = (section.get("rest_after"), section.get("rest")) {
        needs(node, "rest", faults);
    }
    if let (Some(node), Some(until)) = (section.get("dt"), end.until) {
        few_enough(node, &pace, until, faults);
    }
    if (end.steps, end.until, end.rest) == (None, None, None) {
        let accepted = "at least one of until = TIME [s], steps = NUMBER, rest = FRACTION of m g d \
                        (without an end the run would never stop)";
        section.missing("until", accepted, faults);
    }
    if let (Some(node), None, None) = (section.get("rest"), end.steps, end.until)
        && gravity == [0.0; 3]
    {
        let message = "must come with until or steps without gravity, as rest is \
                       measured by m g d; found neither";
        report(node, message, faults);
    }
    (pace, end)
}

/// Checks that until the end there is at least one step of fixed length, and not too many steps.
fn few_enough(node: &Node, pace: &Pace, until: f64, faults: &mut Vec<Fault>) {
    let (least, accepted) = match pace {
        Pace::Even(_) => (1.0, "1 to"),
        Pace::Rule(_) => (0.0, "at most"),
    };
    let dt = pace.at_least();
    if until > 0.0 && (until / dt < least || until / dt > MOST_STEPS) {
        let accepted = format!("long enough for {accepted} {MOST_STEPS:.0e} steps until {until} s");
        let found = format!("{dt:e} s, which makes {:.1e} steps", until / dt);
        must(node, &accepted, &found, faults);
    }
}

/// A number, or the table of a rule.
fn pace(node: &Node, says: &str, faults: &mut Vec<Fault>) -> Option<Pace> {
    match node.value {
        Value::Table(_) => return Some(Pace::Rule(rule(node, faults))),
        Value::Float(_) | Value::Integer(_) => return Some(Pace::Even(STEP.read(node, faults))),
        _ => wrong_type(node, says, faults),
    }
    None
}

/// The table of a rule.
fn rule(node: &Node, faults: &mut Vec<Fault>) -> Rule {
    let section = Section::of(node, &[&RULE], faults);
    let rule = Rule {
        at_most: section.read(&AT_MOST, faults),
        at_least: section.read(&AT_LEAST, faults),
        travel: section.read(&TRAVEL, faults),
        growth: section.read(&GROWTH, faults),
        length: section.read(&LENGTH, faults),
    };
    if let Some(node) = section.get(AT_LEAST.name)
        && rule.at_least > rule.at_most
    {
        refuse(
            node,
            &format!("up to at_most = {:e} [s]", rule.at_most),
            faults,
        );
    }
    rule
}
