//! The `[time]` table: the length of steps, and the end of the run.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{Number, Range, Section, must, needs, refuse, report, wrong_type};
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

/// The default of `travel` and `growth`.
const TRAVEL: f64 = 0.1;
const GROWTH: f64 = 1.1;

pub(super) fn read(root: &Section, gravity: [f64; 3], faults: &mut Vec<Fault>) -> (Pace, End) {
    let section = root.table(
        "time",
        &["dt", "until", "steps", "rest", "rest_after"],
        faults,
    );
    let pace = match section.get("dt") {
        Some(node) if matches!(node.value, Value::Table(_)) => Pace::Rule(rule(node, faults)),
        Some(node) if !matches!(node.value, Value::Float(_) | Value::Integer(_)) => {
            let table = "a table { at_most, at_least, travel, growth, length }";
            wrong_type(node, &format!("{}, or {table}", STEP.says()), faults);
            Pace::Even(f64::NAN)
        }
        _ => Pace::Even(section.number("dt", STEP, faults)),
    };
    let end = End {
        steps: section.whole_if("steps", 0, faults),
        until: section.number_if("until", Number(Range::NotNegative, "s"), faults),
        // 0 disables the end at rest: the kinetic energy is never below it.
        rest: section
            .number_if("rest", Number(Range::NotNegative, "of m g d"), faults)
            .filter(|fraction| *fraction > 0.0),
        rest_after: section
            .number_if("rest_after", Number(Range::NotNegative, "s"), faults)
            .unwrap_or_default(),
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

/// The table of a rule.
fn rule(node: &Node, faults: &mut Vec<Fault>) -> Rule {
    let known = ["at_most", "at_least", "travel", "growth", "length"];
    let section = Section::new(node, &known, faults);
    let rule = Rule {
        at_most: section.number("at_most", STEP, faults),
        at_least: section.number("at_least", STEP, faults),
        // With more than half a radius two bodies could pass through each other within a step.
        travel: section
            .number_if(
                "travel",
                Number(Range::Between(1e-6, 0.5), "of a radius"),
                faults,
            )
            .unwrap_or(TRAVEL),
        growth: section
            .number_if("growth", Number(Range::Between(1.001, 2.0), ""), faults)
            .unwrap_or(GROWTH),
        length: section.number_if("length", Number(Range::Positive, "m"), faults),
    };
    if let Some(node) = section.get("at_least")
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
