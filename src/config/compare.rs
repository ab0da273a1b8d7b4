//! The differences between a configuration that is given again and that of a checkpoint.

use super::document::{Node, Value};
use super::files::{File, Named};
use super::past;
use super::scenario::Scenario;

/// A key in which two configurations differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key, written as `--set` takes it.
    pub key: String,
    /// Its value in the given configuration; `None` if it lacks the key.
    pub given: Option<String>,
    /// Its value in the checkpoint; `None` if it lacks the key.
    pub stored: Option<String>,
    /// The reason why the run cannot continue with it; `None` if it can.
    pub refused: Option<&'static str>,
}

/// Lists of which a checkpoint knows the entries by their numbers.
const NUMBERED: [&str; 6] = ["material", "wall", "bond", "template", "inlet", "outlet"];

/// The title, and lengths that a run derives from its bodies, unless they are given.
const DERIVED: [&str; 5] = [
    "title",
    "solver.block_edge",
    "solver.skin",
    "solver.large_radius",
    "time.dt.length",
];

/// The keys in which the configuration `given` differs from the `stored` one, in the order of
/// their keys.
///
/// Spelling, comments, the order of keys, and places of files with the same contents are not
/// differences, nor are a title and derived lengths that the given one lacks.
#[must_use]
pub fn differences(given: &Scenario, stored: &Scenario) -> Vec<Difference> {
    let mut comparison = Comparison {
        files: [&given.files, &stored.files],
        found: Vec::new(),
    };
    let [ours, theirs] = [given, stored].map(|scenario| scenario.document.tree());
    comparison.nodes("", Some(&ours), Some(&theirs));
    let mut found = comparison.found;
    // Older checkpoints hold the parts of clumps in place of their file.
    if given.templates == stored.templates {
        found.retain(|difference| difference.key.split('.').next() != Some("template"));
    }
    for difference in &mut found {
        let number = difference.key.strip_prefix("stage.");
        let number = number.and_then(|rest| rest.split('.').next()?.parse::<usize>().ok());
        let stage = number.and_then(|number| stored.stages.get(number));
        if stage.is_some_and(|stage| stage.begun.is_some()) {
            difference.refused = Some("the stage has begun; must be as it was");
        }
    }
    found.retain(|difference| difference.given.is_some() || !DERIVED.contains(&&*difference.key));
    found
}

struct Comparison<'a> {
    files: [&'a [Named]; 2],
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn nodes(&mut self, key: &str, given: Option<&Node>, stored: Option<&Node>) {
        if key == "file" {
            return;
        }
        match [given, stored].map(|node| node.map(|node| &node.value)) {
            [Some(Value::Table(ours)), Some(Value::Table(theirs))] => {
                self.tables(key, ours, theirs);
            }
            [Some(Value::List(ours)), Some(Value::List(theirs))]
                if ours.iter().chain(theirs).any(is_table) =>
            {
                self.lists(key, ours, theirs);
            }
            // A missing section is that without keys.
            [Some(Value::Table(ours)), None] => self.tables(key, ours, &[]),
            [None, Some(Value::Table(theirs))] => self.tables(key, &[], theirs),
            // A file may have other contents under the same path, or the same under another one.
            [Some(Value::Text(_)), Some(Value::Text(_))] if self.files_of(key).is_some() => {
                self.named_files(key);
            }
            [Some(ours), Some(theirs)] if same(ours, theirs) => {}
            _ => self.differs(key, [given, stored].map(shown), None),
        }
    }

    fn tables(&mut self, key: &str, ours: &[(String, Node)], theirs: &[(String, Node)]) {
        let child = |name: &str| match key {
            "" => name.to_owned(),
            _ => format!("{key}.{name}"),
        };
        for (name, node) in ours {
            self.nodes(&child(name), Some(node), find(theirs, name));
        }
        for (name, node) in theirs.iter().filter(|(name, _)| find(ours, name).is_none()) {
            self.nodes(&child(name), None, Some(node));
        }
    }

    fn lists(&mut self, key: &str, ours: &[Node], theirs: &[Node]) {
        for k in 0..ours.len().max(theirs.len()) {
            let at = format!("{key}.{k}");
            let (one, other) = (ours.get(k), theirs.get(k));
            let here = one.zip(other);
            let stays = here.is_some_and(|(one, other)| same(&one.value, &other.value));
            let moved = |node: &Node| theirs.iter().any(|other| same(&node.value, &other.value));
            if NUMBERED.contains(&key) && !stays && one.is_some_and(moved) {
                let why = "the checkpoint knows the entries by their numbers; must keep its place \
                           in the list";
                self.differs(&at, [one, other].map(shown), Some(why));
            } else if here.is_some() {
                self.nodes(&at, one, other);
            } else {
                self.differs(&at, [one, other].map(shown), None);
            }
        }
    }

    /// The files that a key names, in both configurations.
    fn files_of(&self, key: &str) -> Option<[&File; 2]> {
        let of = |all: &'_ [Named]| all.iter().position(|named| named.key == key);
        let [ours, theirs] = self.files;
        let [one, other] = [&ours[of(ours)?], &theirs[of(theirs)?]];
        Some([one.file.as_ref()?, other.file.as_ref()?])
    }

    fn named_files(&mut self, key: &str) {
        let Some([one, other]) = self.files_of(key) else {
            return;
        };
        if (one.bytes, &one.hash) != (other.bytes, &other.hash) {
            let shown = [one, other].map(|file| Some(file.shown()));
            self.differs(key, shown, None);
        }
    }

    fn differs(
        &mut self,
        key: &str,
        [given, stored]: [Option<String>; 2],
        refused: Option<&'static str>,
    ) {
        self.found.push(Difference {
            key: key.to_owned(),
            given,
            stored,
            refused: refused.or_else(|| past::of(key)),
        });
    }
}

fn find<'a>(entries: &'a [(String, Node)], name: &str) -> Option<&'a Node> {
    let mut named = entries.iter().filter(|(key, _)| key == name);
    named.next().map(|(_, node)| node)
}

fn is_table(node: &Node) -> bool {
    matches!(node.value, Value::Table(_))
}

fn shown(node: Option<&Node>) -> Option<String> {
    node.map(|node| node.shown.clone())
}

/// Whether two values are the same, whatever their spelling.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Table(ours), Value::Table(theirs)) => {
            let each = |(name, node): &(String, Node)| {
                find(theirs, name).is_some_and(|other| same(&node.value, &other.value))
            };
            ours.len() == theirs.len() && ours.iter().all(each)
        }
        (Value::List(ours), Value::List(theirs)) => {
            let mut each = ours.iter().zip(theirs);
            ours.len() == theirs.len() && each.all(|(one, other)| same(&one.value, &other.value))
        }
        (Value::Boolean(one), Value::Boolean(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Integer(one), Value::Integer(other)) => one == other,
        (Value::Integer(whole), Value::Float(x)) | (Value::Float(x), Value::Integer(whole)) => {
            *whole as f64 == *x
        }
        (Value::Float(one), Value::Float(other)) => one == other,
        _ => false,
    }
}
