//! The `[[stage]]` entries: parts of a run that follow one another.
//!
//! A stage continues the run with other keys, as `moreau resume` with `--unset` and `--set` does.
//! Its end takes the place of that in `[time]`.

use super::document::{Node, Value};
use super::fault::{Fault, OF_STAGE, Place, UNSET, UNSET_IF_THERE};
use super::key::{Entry, Key, Needed, Or, Preset, TEXT, Text, Whole};
use super::past;
use super::reader::{Number, Range, Section, both, must, needs, report};
use super::table::Table;
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

    /// Fails if its `until` is not later than its begin [s].
    pub(super) fn lasts(&self, begins: f64) -> Result<(), String> {
        match self.until {
            Until::Time(until) if until <= begins => Err(format!(
                "must be later than the end of the part before, {begins} s; found {until}"
            )),
            _ => Ok(()),
        }
    }

    /// The time at which it ends, with steps of `dt` [s]; `None`: it is not known before the run.
    pub(super) fn end(&self, begins: Option<f64>, dt: Option<f64>) -> Option<f64> {
        let until = match self.until {
            Until::Open => None,
            Until::Time(until) => Some(Some(until)),
            Until::Duration(duration) => Some(begins.map(|begins| begins + duration)),
        };
        let steps = self.steps.map(|n| Some(begins? + n as f64 * dt?));
        let rest = self.rest.map(|_| None);
        earliest([until, steps, rest])
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

/// The earliest of the ends that are given [s]; `None`: one of them is not known.
pub(super) fn earliest(ends: [Option<Option<f64>>; 3]) -> Option<f64> {
    let known: Option<Vec<f64>> = ends.into_iter().flatten().collect();
    known?.into_iter().min_by(f64::total_cmp)
}

/// A number as TOML reads it back, bit by bit.
fn number_text(x: f64) -> String {
    format!("{x:?}")
}

const SECONDS: Number = Number(Range::NotNegative, "s");

const NAME: Key<Text, Or> = Key::new(
    "name",
    TEXT,
    Or("`stage` and its number"),
    "name in messages",
);
const UNTIL: Key<Number, Or> = Key::new(
    "until",
    SECONDS,
    Or("—"),
    "end of the stage, counted from time zero; at least one of `until`, `duration`, `steps` and \
     `rest` must be given. Ends of earlier parts do not count any more",
);
const DURATION: Key<Number, Or> = Key::new(
    "duration",
    Number(Range::Positive, "s"),
    Or("—"),
    "the same, counted from the start of the stage",
);
const STEPS: Key<Whole, Or> = Key::new(
    "steps",
    Whole::from(1),
    Or("—"),
    "end after this number of steps, counted from the start of the stage",
);
const REST: Key<Number, Or> = Key::new(
    "rest",
    Number(Range::Positive, "of m g d"),
    Or("—"),
    "end at rest, as `time.rest`",
);
const REST_AFTER: Key<Number, Or> = Key::new(
    "rest_after",
    SECONDS,
    Or("one step"),
    "the stage lasts at least so long before `rest` may end it",
);
const SET: Entry = Entry::new(
    "set",
    "a table of keys and their new values",
    "none",
    "keys with their new values, after `unset`. Of a table each key is set, others of its keys stay",
);
const REMOVED: Entry = Entry::new("unset", "a list of keys", "none", "keys that are removed");
const STEP: Key<Whole, Preset<u64>> = Key::new(
    "step",
    Whole::from(0),
    Preset(0),
    "the step at which the stage began",
);
const TIME: Key<Number, Needed> =
    Key::new("time", SECONDS, Needed, "the time at which the stage began");
const BEGUN: Table = Table::new("begun", &[&STEP, &TIME]).optional([
    "the stage is to come",
    "a table",
    "a note of the program, in the configuration of a checkpoint",
]);

/// `[[stage]]`.
pub(super) const TABLE: Table = Table::new(
    "stage",
    &[
        &NAME,
        &UNTIL,
        &DURATION,
        &STEPS,
        &REST,
        &REST_AFTER,
        &SET,
        &REMOVED,
        &BEGUN,
    ],
)
.kind("[[stage]]", "a part of the run, with other keys");

/// Reads all entries, of a run that has `begun` or begins.
pub(super) fn read(root: &Section, begun: bool, faults: &mut Vec<Fault>) -> Vec<Stage> {
    let accepted = "tables headed [[stage]] with until, duration, steps or rest";
    let nodes = root.tables("stage", accepted, faults);
    let mut stages: Vec<Stage> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let stage = entry(number, node, faults);
        if let (false, Some(note)) = (begun, node.child(BEGUN.name)) {
            must(note, "left out of a run that begins", &note.shown, faults);
        }
        let after = stages.last().is_some_and(|before| before.begun.is_none());
        if let (true, Some(begun)) = (after && stage.begun.is_some(), node.child(BEGUN.name)) {
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
    let section = Section::of(node, &[&TABLE], faults);
    let until = section.read(&UNTIL, faults);
    let duration = section.read(&DURATION, faults);
    if let (Some(_), Some(node)) = (until, section.get(DURATION.name)) {
        both(node, [UNTIL.name, DURATION.name], faults);
    }
    let steps = section.read(&STEPS, faults);
    let rest = section.read(&REST, faults);
    let rest_after = section.read(&REST_AFTER, faults);
    if let (Some(node), None) = (section.get(REST_AFTER.name), section.get(REST.name)) {
        needs(node, REST.name, faults);
    }
    let ends = [UNTIL.name, DURATION.name, STEPS.name, REST.name];
    if ends.iter().all(|key| section.get(key).is_none()) {
        let accepted = "at least one of until = TIME [s], duration = TIME [s], steps = NUMBER, \
                        rest = FRACTION of m g d";
        section.missing(DURATION.name, accepted, faults);
    }
    let mut changes = Vec::new();
    removed(&section, &mut changes, faults);
    if let Some(set) = section.get(SET.name) {
        match &set.value {
            Value::Table(entries) if !entries.is_empty() => {
                for (key, node) in entries {
                    changed(key, node, &mut changes, faults);
                }
            }
            _ => must(set, SET.accepts, &set.shown, faults),
        }
    }
    let begun = section.get(BEGUN.name).map(|node| {
        let begun = Section::of(node, &[&BEGUN], faults);
        (begun.read(&STEP, faults), begun.read(&TIME, faults))
    });
    let name = section.read(&NAME, faults);
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
    let Some(node) = section.get(REMOVED.name) else {
        return;
    };
    let Value::List(items) = &node.value else {
        must(node, REMOVED.accepts, &node.shown, faults);
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
    changes.push(format!("{OF_STAGE}{key}={}", value_text(node)));
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

/// A value as TOML in one line.
fn value_text(node: &Node) -> String {
    let list =
        |items: Vec<String>, [open, close]: [&str; 2]| format!("{open}{}{close}", items.join(", "));
    match &node.value {
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(x) if x.is_nan() => "nan".to_owned(),
        Value::Float(x) => number_text(*x),
        Value::Text(text) => TomlValue::from(text.as_str()).to_string(),
        Value::Date => node.shown.clone(),
        Value::List(items) => list(items.iter().map(value_text).collect(), ["[", "]"]),
        Value::Table(entries) => {
            let entries = entries.iter().map(|(key, node)| {
                format!("{} = {}", TomlValue::from(key.as_str()), value_text(node))
            });
            list(entries.collect(), ["{ ", " }"])
        }
    }
}

/// The place of an override in the entry of its stage; that of the entry for other places.
pub(super) fn place_in(entry: &Node, of: &Place) -> Place {
    let Place::Set(change) = of else {
        return entry.place.clone();
    };
    let key = change.trim_start_matches([OF_STAGE, UNSET]);
    let key = key.split('=').next().unwrap_or_default();
    let set = entry.child(SET.name).and_then(|set| below(set, key));
    let removed = entry.child(REMOVED.name).map(|node| match &node.value {
        Value::List(items) => items.iter().find(|item| item.is_text(key)).unwrap_or(node),
        _ => node,
    });
    let found = match change.starts_with(UNSET) {
        true => removed,
        false => set,
    };
    found.unwrap_or(entry).place.clone()
}

/// The value at a key, the names of which may be joined by dots in several ways.
fn below<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.entries().iter().find_map(|(name, child)| {
        let rest = key.strip_prefix(name.as_str())?;
        match rest.strip_prefix('.') {
            Some(rest) => below(child, rest),
            None => rest.is_empty().then_some(child),
        }
    })
}
