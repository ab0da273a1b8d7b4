//! The `[[stage]]` entries: parts of a run that follow one another.
//!
//! A stage continues the run with other keys, as `moreau resume` with `--unset` and `--set` does.
//! Its end takes the place of that in `[time]`.

use super::document::{Node, Value};
use super::fault::{Fault, OF_STAGE, UNSET, UNSET_IF_THERE};
use super::past;
use super::reader::{Number, Range, Section, both, must, needs, report};
use toml_edit::Value as TomlValue;

/// A stage of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// The step and the time [s] at which it began; `None`: it is still to come.
    pub begun: Option<(u64, f64)>,
    until: Until,
    steps: Option<u64>,
    rest: Option<f64>,
    rest_after: Option<f64>,
    /// Overrides of the configuration.
    changes: Vec<String>,
}

/// The time at which a stage ends [s].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Until {
    /// It ends by another condition.
    Open,
    /// Counted from time zero.
    Time(f64),
    /// Counted from the start of the stage.
    Duration(f64),
}

impl Stage {
    /// The step and the time [s] at which it began.
    #[must_use]
    pub fn begun_at(&self) -> (u64, f64) {
        self.begun.unwrap_or_default()
    }

    /// The overrides with which it begins after a step, at a time [s].
    ///
    /// They are its changes, its end in place of the one before, and a note of its begin.
    #[must_use]
    pub fn overrides(&self, number: usize, (step, time): (u64, f64)) -> Vec<String> {
        let mut all = self.changes.clone();
        let mut put = |key: &str, value: Option<String>| {
            all.push(match value {
                Some(value) => format!("time.{key}={value}"),
                None => format!("{UNSET_IF_THERE}time.{key}"),
            });
        };
        let until = match self.until {
            Until::Open => None,
            Until::Time(until) => Some(until),
            Until::Duration(duration) => Some(time + duration),
        };
        put("until", until.map(number_text));
        put("steps", self.steps.map(|n| (step + n).to_string()));
        put("rest", Some(number_text(self.rest.unwrap_or_default())));
        let after = self.rest_after.unwrap_or_default();
        put("rest_after", Some(number_text(time + after)));
        all.push(format!("stage.{number}.begun.step={step}"));
        all.push(format!("stage.{number}.begun.time={}", number_text(time)));
        all
    }

    /// Its end and its changes, for messages.
    #[must_use]
    pub fn about(&self) -> String {
        let until = match self.until {
            Until::Open => None,
            Until::Time(until) => Some(format!("until {until} s")),
            Until::Duration(duration) => Some(format!("for {duration} s")),
        };
        let steps = self.steps.map(|n| format!("for {n} steps"));
        let after = self.rest_after.filter(|after| *after > 0.0);
        let after = after.map_or(String::new(), |after| format!(", not before {after} s"));
        let rest = self
            .rest
            .map(|rest| format!("until rest ({rest:e} m g d{after})"));
        let ends: Vec<String> = [until, steps, rest].into_iter().flatten().collect();
        let changes = self
            .changes
            .iter()
            .map(|change| match change.strip_prefix(UNSET) {
                Some(key) => format!("without {key}"),
                None => change.trim_start_matches(OF_STAGE).to_owned(),
            });
        let mut about = vec![ends.join(" or ")];
        about.extend(changes);
        about.join(", ")
    }
}

/// A number as TOML reads it back, bit by bit.
fn number_text(x: f64) -> String {
    format!("{x:?}")
}

const KEYS: [&str; 9] = [
    "name",
    "until",
    "duration",
    "steps",
    "rest",
    "rest_after",
    "set",
    "unset",
    "begun",
];

/// Reads all entries, of a run that has `begun` or begins.
pub(super) fn read(root: &Section, begun: bool, faults: &mut Vec<Fault>) -> Vec<Stage> {
    let accepted = "tables headed [[stage]] with until, duration, steps or rest";
    let nodes = root.tables("stage", accepted, faults);
    let mut stages: Vec<Stage> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let stage = entry(number, node, faults);
        if let (false, Some(note)) = (begun, node.child("begun")) {
            must(note, "left out of a run that begins", &note.shown, faults);
        }
        let after = stages.last().is_some_and(|before| before.begun.is_none());
        if let (true, Some(begun)) = (after && stage.begun.is_some(), node.child("begun")) {
            must(
                begun,
                "left out while a stage before it has not begun",
                &begun.shown,
                faults,
            );
        }
        stages.push(stage);
    }
    stages
}

fn entry(number: usize, node: &Node, faults: &mut Vec<Fault>) -> Stage {
    let section = Section::new(node, &KEYS, faults);
    let seconds = Number(Range::NotNegative, "s");
    let span = Number(Range::Positive, "s");
    let until = section.number_if("until", seconds, faults);
    let duration = section.number_if("duration", span, faults);
    if let (Some(_), Some(node)) = (until, section.get("duration")) {
        both(node, ["until", "duration"], faults);
    }
    let share = Number(Range::Positive, "of m g d");
    let steps = section.whole_if("steps", 1, faults);
    let rest = section.number_if("rest", share, faults);
    let rest_after = section.number_if("rest_after", seconds, faults);
    if let (Some(node), None) = (section.get("rest_after"), section.get("rest")) {
        needs(node, "rest", faults);
    }
    let ends = ["until", "duration", "steps", "rest"];
    if ends.iter().all(|key| section.get(key).is_none()) {
        let accepted = "at least one of until = TIME [s], duration = TIME [s], steps = NUMBER, \
                        rest = FRACTION of m g d";
        section.missing("duration", accepted, faults);
    }
    let mut changes = Vec::new();
    removed(&section, &mut changes, faults);
    if let Some(set) = section.get("set") {
        match &set.value {
            Value::Table(entries) if !entries.is_empty() => {
                for (key, node) in entries {
                    changed(key, node, &mut changes, faults);
                }
            }
            _ => must(
                set,
                "a table of keys and their new values",
                &set.shown,
                faults,
            ),
        }
    }
    let begun = section.get("begun").map(|node| {
        let begun = Section::new(node, &["step", "time"], faults);
        let step = begun.whole_if("step", 0, faults).unwrap_or_default();
        (step, begun.number("time", seconds, faults))
    });
    let name = section.text_if("name", faults).map(str::to_owned);
    Stage {
        name: name.unwrap_or_else(|| format!("stage {number}")),
        begun,
        until: match (until, duration) {
            (Some(time), _) => Until::Time(time),
            (None, Some(duration)) => Until::Duration(duration),
            _ => Until::Open,
        },
        steps,
        rest,
        rest_after,
        changes,
    }
}

/// The keys that a stage removes.
fn removed(section: &Section, changes: &mut Vec<String>, faults: &mut Vec<Fault>) {
    let Some(node) = section.get("unset") else {
        return;
    };
    let Value::List(items) = &node.value else {
        must(node, "a list of keys", &node.shown, faults);
        return;
    };
    for item in items {
        match &item.value {
            Value::Text(key) if allowed(key, item, faults) => changes.push(format!("{UNSET}{key}")),
            Value::Text(_) => {}
            _ => must(item, "a key, such as \"wall.0.servo\"", &item.shown, faults),
        }
    }
}

/// A changed key with its value; of a table each of its keys.
fn changed(key: &str, node: &Node, changes: &mut Vec<String>, faults: &mut Vec<Fault>) {
    if let Value::Table(entries) = &node.value {
        if entries.is_empty() {
            must(
                node,
                "a value, or a table of values",
                "an empty table",
                faults,
            );
        }
        for (name, node) in entries {
            changed(&format!("{key}.{name}"), node, changes, faults);
        }
        return;
    }
    if !allowed(key, node, faults) {
        return;
    }
    let is_same = |change: &String| {
        let change = change.trim_start_matches(OF_STAGE);
        change.split('=').next() == Some(key)
    };
    if changes.iter().any(is_same) {
        must(node, "given once", &format!("{key} twice"), faults);
        return;
    }
    let sign = match is_path(key, &node.value) || names_file(&node.value) {
        true => OF_STAGE.to_string(),
        false => String::new(),
    };
    changes.push(format!("{sign}{key}={}", value_text(&node.value)));
}

/// Whether a stage may change a key.
fn allowed(key: &str, node: &Node, faults: &mut Vec<Fault>) -> bool {
    let of_end = ["until", "steps", "rest", "rest_after"];
    let is_end = key
        .strip_prefix("time.")
        .is_some_and(|key| of_end.contains(&key));
    let first = key.split('.').next().unwrap_or_default();
    let why = if is_end {
        Some("a stage ends by its own keys until, duration, steps, rest; must be another key")
    } else if ["stage", "file"].contains(&first) {
        Some("must be a key of the configuration but for stages and stored files")
    } else {
        past::of(key)
    };
    if let Some(why) = why {
        report(node, format!("{key}: {why}"), faults);
    }
    why.is_none()
}

/// Whether a key with this value, given as in `--set`, names a file.
pub(super) fn is_path(key: &str, value: &Value) -> bool {
    let last = key.rsplit('.').next();
    matches!(value, Value::Text(_)) && matches!(last, Some("file" | "pairs"))
}

/// Whether a list of tables, such as composed motions, names a file.
fn names_file(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| names_file(&item.value)),
        Value::Table(entries) => {
            let mut each = entries.iter();
            each.any(|(key, node)| is_path(key, &node.value) || names_file(&node.value))
        }
        _ => false,
    }
}

/// A value as TOML in one line.
fn value_text(value: &Value) -> String {
    let list =
        |items: Vec<String>, [open, close]: [&str; 2]| format!("{open}{}{close}", items.join(", "));
    match value {
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(x) => number_text(*x),
        Value::Text(text) => TomlValue::from(text.as_str()).to_string(),
        Value::Date => String::new(),
        Value::List(items) => {
            let items = items.iter().map(|item| value_text(&item.value));
            list(items.collect(), ["[", "]"])
        }
        Value::Table(entries) => {
            let entries = entries.iter().map(|(key, node)| {
                format!(
                    "{} = {}",
                    TomlValue::from(key.as_str()),
                    value_text(&node.value)
                )
            });
            list(entries.collect(), ["{ ", " }"])
        }
    }
}
