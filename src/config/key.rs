//! Keys that declare themselves: the reader and docs/config.md are made from one declaration.

use super::document::{Node, Value};
use super::fault::Fault;
use super::reader::{Number, Section, one_of, refuse, short, unknown, wrong_type};
use super::table::{Declared, Table};

/// The values that a key accepts.
pub(super) trait Accepts {
    /// A value as the program uses it.
    type Value;

    /// The same of a key that must be given, with a placeholder after a fault.
    type Needed;

    /// The accepted values as text, after "must be".
    fn says(&self) -> String;

    /// The value of a node.
    ///
    /// After a fault it is `None`, or a placeholder with which comparisons cause no second fault.
    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<Self::Value>;

    /// A value as TOML.
    fn shown(&self, value: &Self::Value) -> String;

    /// The value of a key that must be given.
    fn needed(value: Option<Self::Value>) -> Self::Needed;
}

impl Accepts for Number {
    type Value = f64;
    type Needed = f64;

    fn says(&self) -> String {
        Number::says(*self)
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<f64> {
        Some(Number::read(*self, node, faults))
    }

    fn shown(&self, value: &f64) -> String {
        short(*value)
    }

    fn needed(value: Option<f64>) -> f64 {
        value.unwrap_or(f64::NAN)
    }
}

/// Whole numbers, both bounds included.
pub(super) struct Whole(pub(super) u64, pub(super) u64);

impl Whole {
    /// Whole numbers without an upper bound.
    pub(super) const fn from(least: u64) -> Self {
        Self(least, u64::MAX)
    }
}

impl Accepts for Whole {
    type Value = u64;
    type Needed = Option<u64>;

    fn says(&self) -> String {
        match *self {
            Self(least, u64::MAX) => format!("a whole number >= {least}"),
            Self(least, most) if most == least + 1 => format!("{least} or {most}"),
            Self(least, most) => format!("a whole number from {least} to {most}"),
        }
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<u64> {
        match node.value {
            Value::Integer(n) => match u64::try_from(n) {
                Ok(n) if (self.0..=self.1).contains(&n) => return Some(n),
                _ => refuse(node, &self.says(), faults),
            },
            _ => wrong_type(node, &self.says(), faults),
        }
        (self.1 == u64::MAX).then_some(self.0)
    }

    fn shown(&self, value: &u64) -> String {
        value.to_string()
    }

    fn needed(value: Option<u64>) -> Option<u64> {
        value
    }
}

/// `true` or `false`.
pub(super) struct Truth;

impl Accepts for Truth {
    type Value = bool;
    type Needed = Option<bool>;

    fn says(&self) -> String {
        "true or false".to_owned()
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<bool> {
        match node.value {
            Value::Boolean(truth) => Some(truth),
            _ => {
                wrong_type(node, &self.says(), faults);
                None
            }
        }
    }

    fn shown(&self, value: &bool) -> String {
        value.to_string()
    }

    fn needed(value: Option<bool>) -> Option<bool> {
        value
    }
}

/// A text, which must not be empty: the accepted ones in words.
pub(super) struct Text(pub(super) &'static str);

/// A text of any kind.
pub(super) const TEXT: Text = Text("a text in quotes");

impl Accepts for Text {
    type Value = String;
    type Needed = Option<String>;

    fn says(&self) -> String {
        self.0.to_owned()
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<String> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => return Some(text.clone()),
            Value::Text(_) => refuse(node, "a text that is not empty", faults),
            _ => wrong_type(node, TEXT.0, faults),
        }
        None
    }

    fn shown(&self, value: &String) -> String {
        format!("{value:?}")
    }

    fn needed(value: Option<String>) -> Option<String> {
        value
    }
}

/// One of several words, each with its value.
pub(super) struct Words<V: 'static>(pub(super) &'static [(&'static str, V)]);

impl<V: Copy + PartialEq> Accepts for Words<V> {
    type Value = V;
    type Needed = Option<V>;

    fn says(&self) -> String {
        let words: Vec<&str> = self.0.iter().map(|(word, _)| *word).collect();
        one_of(&words)
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<V> {
        let word = TEXT.read(node, faults)?;
        let found = self.0.iter().find(|(known, _)| *known == word);
        if found.is_none() {
            let words: Vec<&str> = self.0.iter().map(|(word, _)| *word).collect();
            unknown(node, &word, &words, faults);
        }
        found.map(|(_, value)| *value)
    }

    fn shown(&self, value: &V) -> String {
        let word = self.0.iter().find(|(_, known)| known == value);
        word.map_or_else(String::new, |(word, _)| format!("\"{word}\""))
    }

    fn needed(value: Option<V>) -> Option<V> {
        value
    }
}

/// One of several names.
pub(super) struct Names(pub(super) &'static [&'static str]);

impl Accepts for Names {
    type Value = &'static str;
    type Needed = Option<&'static str>;

    fn says(&self) -> String {
        one_of(self.0)
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<&'static str> {
        let name = TEXT.read(node, faults)?;
        let found = self.0.iter().find(|known| **known == name).copied();
        if found.is_none() {
            unknown(node, &name, self.0, faults);
        }
        found
    }

    fn shown(&self, value: &&'static str) -> String {
        format!("\"{value}\"")
    }

    fn needed(value: Option<&'static str>) -> Option<&'static str> {
        value
    }
}

/// This many numbers.
pub(super) struct List<const N: usize>(pub(super) Number);

/// Three numbers: a vector.
pub(super) type Three = List<3>;

impl<const N: usize> Accepts for List<N> {
    type Value = [f64; N];
    type Needed = [f64; N];

    fn says(&self) -> String {
        format!("{N} numbers in brackets, each {}", self.0.says())
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<[f64; N]> {
        Some(self.0.read_list(node, faults))
    }

    fn shown(&self, value: &[f64; N]) -> String {
        format!("{value:?}")
    }

    fn needed(value: Option<[f64; N]>) -> [f64; N] {
        value.unwrap_or([f64::NAN; N])
    }
}

/// Values that a function reads.
pub(super) struct By<V> {
    /// The accepted values as text.
    pub(super) says: &'static str,
    /// Reads a node, and reports values that are not accepted.
    pub(super) read: fn(&Node, &str, &mut Vec<Fault>) -> Option<V>,
}

impl<V: std::fmt::Debug> Accepts for By<V> {
    type Value = V;
    type Needed = Option<V>;

    fn says(&self) -> String {
        self.says.to_owned()
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<V> {
        (self.read)(node, self.says, faults)
    }

    fn shown(&self, value: &V) -> String {
        format!("{value:?}")
    }

    fn needed(value: Option<V>) -> Option<V> {
        value
    }
}

/// The key must be given.
pub(super) struct Needed;

/// Without the key this value holds.
pub(super) struct Preset<V>(pub(super) V);

/// Without the key this holds, in words, as it depends on other keys or is not a value.
pub(super) struct Or(pub(super) &'static str);

/// One key of a table.
pub(super) struct Key<A, W> {
    pub(super) name: &'static str,
    accepts: A,
    without: W,
    /// Its meaning, in Markdown.
    text: &'static str,
}

impl<A, W> Key<A, W> {
    /// Its name, the values that it accepts, the value without it, and its meaning.
    pub(super) const fn new(
        name: &'static str,
        accepts: A,
        without: W,
        text: &'static str,
    ) -> Self {
        Self {
            name,
            accepts,
            without,
            text,
        }
    }
}

impl<A: Accepts, W> Key<A, W> {
    /// The accepted values as text, after "must be".
    pub(super) fn says(&self) -> String {
        self.accepts.says()
    }
}

/// The key of a value that a section has.
pub(super) trait Readable {
    /// The value with the one that holds without the key.
    type Output;

    /// Reads the key in a section.
    fn read(&self, section: &Section, faults: &mut Vec<Fault>) -> Self::Output;
}

impl<A: Accepts> Readable for Key<A, Needed> {
    type Output = A::Needed;

    fn read(&self, section: &Section, faults: &mut Vec<Fault>) -> Self::Output {
        let node = section.need(self.name, &self.accepts.says(), faults);
        A::needed(node.and_then(|node| self.accepts.read(node, faults)))
    }
}

impl<A: Accepts<Value: Clone>> Readable for Key<A, Preset<A::Value>> {
    type Output = A::Value;

    fn read(&self, section: &Section, faults: &mut Vec<Fault>) -> Self::Output {
        let node = section.get(self.name);
        let value = node.and_then(|node| self.accepts.read(node, faults));
        value.unwrap_or_else(|| self.without.0.clone())
    }
}

impl<A: Accepts> Readable for Key<A, Or> {
    type Output = Option<A::Value>;

    fn read(&self, section: &Section, faults: &mut Vec<Fault>) -> Self::Output {
        self.accepts.read(section.get(self.name)?, faults)
    }
}

/// A key whose values are read with the help of other entries, such as their names.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) without: &'static str,
    pub(super) accepts: &'static str,
    pub(super) text: &'static str,
}

impl Entry {
    /// Its name, the values that it accepts, the value without it, and its meaning.
    pub(super) const fn new(
        name: &'static str,
        accepts: &'static str,
        without: &'static str,
        text: &'static str,
    ) -> Self {
        Self {
            name,
            without,
            accepts,
            text,
        }
    }
}

impl Declared for Entry {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cells(&self) -> [String; 3] {
        [self.without, self.accepts, self.text].map(str::to_owned)
    }
}

impl<A: Accepts + Sync> Declared for Key<A, Needed> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cells(&self) -> [String; 3] {
        ["—".to_owned(), self.accepts.says(), self.text.to_owned()]
    }
}

impl<A: Accepts<Value: Sync> + Sync> Declared for Key<A, Preset<A::Value>> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cells(&self) -> [String; 3] {
        let preset = format!("`{}`", self.accepts.shown(&self.without.0));
        [preset, self.accepts.says(), self.text.to_owned()]
    }
}

impl<A: Accepts + Sync> Declared for Key<A, Or> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cells(&self) -> [String; 3] {
        let Or(without) = self.without;
        [
            without.to_owned(),
            self.accepts.says(),
            self.text.to_owned(),
        ]
    }
}

impl<'a> Section<'a> {
    /// The value of a key, or the one that holds without it.
    pub(super) fn read<K: Readable>(&self, key: &K, faults: &mut Vec<Fault>) -> K::Output {
        key.read(self, faults)
    }

    /// A node as a table of these keys.
    pub(super) fn of(node: &'a Node, tables: &[&Table], faults: &mut Vec<Fault>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for name in tables.iter().flat_map(|table| table.names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self::new(node, &names, faults)
    }

    /// The table with these keys.
    pub(super) fn declared(&self, table: &Table, faults: &mut Vec<Fault>) -> Self {
        self.table(table.name, &table.names(), faults)
    }

    /// The index of a name in a list of names from other entries, such as materials.
    pub(super) fn name_of(
        &self,
        key: &str,
        names: &[&str],
        faults: &mut Vec<Fault>,
    ) -> Option<usize> {
        let node = self.need(key, &one_of(names), faults)?;
        let word = TEXT.read(node, faults)?;
        let found = names.iter().position(|name| **name == word);
        // Without any names another fault was reported, which this one would repeat.
        if found.is_none() && !names.is_empty() {
            unknown(node, &word, names, faults);
        }
        found
    }
}
