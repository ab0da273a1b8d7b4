//! Reads typed, checked values from the tree, one call per key, and collects faults.
//!
//! After a fault the call returns a placeholder: NaN for numbers, so that comparisons with it cause
//! no second fault. No value is used once the list holds a fault.

use super::document::{Node, Value};
use super::fault::{Fault, Place};

/// A range of accepted numbers, without NaN and infinities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    /// Any finite number.
    Finite,
    /// Greater than zero.
    Positive,
    /// Zero or greater.
    NotNegative,
    /// From the first to the second, both included.
    Between(f64, f64),
    /// Strictly between the two.
    Inside(f64, f64),
}

/// The largest number in a configuration.
const LARGEST: f64 = 1e60;

impl Range {
    fn accepts(self, x: f64) -> bool {
        // Squares and products of larger numbers overflow; no SI quantity is that large.
        x.abs() <= LARGEST
            && match self {
                Self::Finite => true,
                Self::Positive => x > 0.0,
                Self::NotNegative => x >= 0.0,
                Self::Between(low, high) => (low..=high).contains(&x),
                Self::Inside(low, high) => x > low && x < high,
            }
    }

    fn says(self) -> String {
        match self {
            Self::Finite => "a finite number".to_owned(),
            Self::Positive => "a finite number > 0".to_owned(),
            Self::NotNegative => "a finite number >= 0".to_owned(),
            Self::Between(low, high) => {
                format!("a number from {} to {}", short(low), short(high))
            }
            Self::Inside(low, high) => format!("a number > {} and < {}", short(low), short(high)),
        }
    }
}

/// A number in few digits.
pub(super) fn short(x: f64) -> String {
    match x == 0.0 || (1e-6..1e6).contains(&x.abs()) {
        true => x.to_string(),
        false => format!("{x:e}"),
    }
}

/// An accepted range of numbers, and their unit as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) Range, pub(super) &'static str);

/// A coordinate.
pub(super) const METRES: Number = Number(Range::Finite, "m");
/// A length of a body or a block.
pub(super) const SIZE: Number = Number(Range::Positive, "m");

impl Number {
    /// Whether it may be `x`.
    pub(super) fn accepts(self, x: f64) -> bool {
        self.0.accepts(x)
    }

    /// The accepted range and the unit, as text.
    pub(super) fn says(self) -> String {
        let Self(range, unit) = self;
        if unit.is_empty() {
            range.says()
        } else {
            format!("{} [{unit}]", range.says())
        }
    }

    /// The number in the node; NaN and a fault if the value is not accepted.
    pub(super) fn read(self, node: &Node, faults: &mut Vec<Fault>) -> f64 {
        let x = match node.value {
            Value::Float(x) => x,
            Value::Integer(n) => n as f64,
            _ => {
                wrong_type(node, &self.says(), faults);
                return f64::NAN;
            }
        };
        if self.accepts(x) {
            return x;
        }
        let size = if x.is_finite() && x.abs() > LARGEST {
            format!(", at most {LARGEST:e} in size")
        } else {
            String::new()
        };
        refuse(node, &(self.says() + &size), faults);
        f64::NAN
    }

    /// Exactly `N` such numbers; NaN in place of one that is not accepted.
    pub(super) fn read_list<const N: usize>(
        self,
        node: &Node,
        faults: &mut Vec<Fault>,
    ) -> [f64; N] {
        let mut numbers = [f64::NAN; N];
        match &node.value {
            Value::List(items) if items.len() == N => {
                for (x, item) in numbers.iter_mut().zip(items) {
                    *x = self.read(item, faults);
                }
            }
            Value::List(items) => {
                let says = format!("{N} numbers, each {}", self.says());
                let found = format!("{}, {} values", node.shown, items.len());
                must(node, &says, &found, faults);
            }
            _ => wrong_type(
                node,
                &format!("{N} numbers in brackets, each {}", self.says()),
                faults,
            ),
        }
        numbers
    }
}

/// Adds a fault at a node.
pub(super) fn report(node: &Node, message: impl Into<String>, faults: &mut Vec<Fault>) {
    faults.push(Fault {
        place: node.place.clone(),
        key: node.path.clone(),
        message: message.into(),
    });
}

/// Adds the fault `must be …; found …` at a node.
pub(super) fn must(node: &Node, accepted: &str, found: &str, faults: &mut Vec<Fault>) {
    report(node, format!("must be {accepted}; found {found}"), faults);
}

/// Adds the fault `must be …; found …` with the value as written.
pub(super) fn refuse(node: &Node, accepted: &str, faults: &mut Vec<Fault>) {
    must(node, accepted, &node.shown, faults);
}

/// Adds the fault that a table holds two keys that exclude each other.
pub(super) fn both(node: &Node, keys: [&str; 2], faults: &mut Vec<Fault>) {
    let [a, b] = keys;
    must(node, &format!("{a} or {b}"), "both", faults);
}

/// Adds the fault that a key has no effect without another.
pub(super) fn needs(node: &Node, with: &str, faults: &mut Vec<Fault>) {
    let message = format!("does nothing without {with}; found {}", node.shown);
    report(node, message, faults);
}

/// Adds the fault that a name is already in use.
pub(super) fn twice(node: &Node, name: &str, faults: &mut Vec<Fault>) {
    must(node, "a new name", &format!("{name} twice"), faults);
}

/// Adds the fault that a list holds an item twice.
pub(super) fn repeated(item: &Node, faults: &mut Vec<Fault>) {
    must(
        item,
        "in the list once",
        &format!("{} twice", item.shown),
        faults,
    );
}

/// Adds the fault that a word is unknown.
pub(super) fn unknown(node: &Node, word: &str, known: &[&str], faults: &mut Vec<Fault>) {
    let near = nearest(word, known).map(|k| format!("; did you mean {k}?"));
    let found = format!("{}{}", node.shown, near.unwrap_or_default());
    must(node, &one_of(known), &found, faults);
}

/// Adds the fault that a value is of another type.
pub(super) fn wrong_type(node: &Node, accepted: &str, faults: &mut Vec<Fault>) {
    let found = match &node.value {
        Value::Table(_) => "a table".to_owned(),
        value => format!("{}, {}", node.shown, kind(value)),
    };
    must(node, accepted, &found, faults);
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a fraction",
        Value::Text(_) => "a text",
        Value::Date => "a date",
        Value::List(_) => "a list",
        Value::Table(_) => "a table",
    }
}

/// The known word nearest to `word`, if one is so near that it was probably meant.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let likeness = |k: &str| strsim::damerau_levenshtein(&lower, &k.to_lowercase());
    let best = known.iter().min_by_key(|k| likeness(k))?;
    (likeness(best) <= 1 + word.chars().count().max(best.chars().count()) / 3).then_some(*best)
}

pub(super) fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}

/// One table of the configuration, being read.
pub(super) struct Section<'a> {
    path: String,
    place: Place,
    /// `None`: the file does not have the table. Missing keys without a default are then reported
    /// only if the table is `needed`.
    entries: Option<&'a [(String, Node)]>,
    needed: bool,
}

impl<'a> Section<'a> {
    /// A table and its known keys; all others are faults.
    pub(super) fn new(node: &'a Node, known: &[&str], faults: &mut Vec<Fault>) -> Self {
        let entries = match &node.value {
            Value::Table(entries) => Some(entries.as_slice()),
            _ => {
                wrong_type(node, "a table of keys", faults);
                None
            }
        };
        for (key, child) in entries.unwrap_or_default() {
            if !known.contains(&key.as_str()) {
                let near = nearest(key, known).map(|k| format!("did you mean {k}? "));
                let (known, near) = (known.join(", "), near.unwrap_or_default());
                let message = format!("unknown key; {near}known keys: {known}");
                report(child, message, faults);
            }
        }
        Self {
            path: node.path.clone(),
            place: node.place.clone(),
            entries,
            needed: entries.is_some(),
        }
    }

    /// The table called `key`. Without it all of its keys are missing: those with a default get it.
    pub(super) fn table(&self, key: &str, known: &[&str], faults: &mut Vec<Fault>) -> Self {
        match self.get(key) {
            Some(node) => Self::new(node, known, faults),
            None => Self {
                path: self.path_of(key),
                place: Place::File,
                entries: None,
                needed: true,
            },
        }
    }

    /// The tables of the array of tables called `key`; none if the key is missing.
    pub(super) fn tables(&self, key: &str, accepted: &str, faults: &mut Vec<Fault>) -> &'a [Node] {
        let Some(node) = self.get(key) else {
            return &[];
        };
        match &node.value {
            Value::List(items) => items,
            _ => {
                wrong_type(node, accepted, faults);
                &[]
            }
        }
    }

    /// The same for an array that must have at least one table.
    pub(super) fn need_tables(
        &self,
        key: &str,
        accepted: &str,
        faults: &mut Vec<Fault>,
    ) -> &'a [Node] {
        self.need(key, accepted, faults);
        let tables = self.tables(key, accepted, faults);
        if let (Some(Value::List(_)), true) = (self.get(key).map(|n| &n.value), tables.is_empty()) {
            self.missing(key, accepted, faults);
        }
        tables
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        let entries = self.entries.unwrap_or_default();
        entries.iter().find(|(k, _)| k == key).map(|(_, node)| node)
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Reports a missing key.
    pub(super) fn missing(&self, key: &str, accepted: &str, faults: &mut Vec<Fault>) {
        if self.needed {
            faults.push(Fault {
                place: self.place.clone(),
                key: self.path_of(key),
                message: format!("missing; must be {accepted}"),
            });
        }
    }

    /// The value of a required key.
    pub(super) fn need(
        &self,
        key: &str,
        accepted: &str,
        faults: &mut Vec<Fault>,
    ) -> Option<&'a Node> {
        let node = self.get(key);
        if node.is_none() {
            self.missing(key, accepted, faults);
        }
        node
    }
}
