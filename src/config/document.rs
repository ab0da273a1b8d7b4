//! TOML text and `--set` overrides, parsed to a tree of values with their places.
//!
//! The text is parsed once. Overrides and derived values are set in the parsed document, which
//! keeps comments and order. The tree is read from that document, and the text in a checkpoint is
//! printed from it. Line numbers are those of the text before overrides, as in the user's editor.

use super::fault::{Fault, OF_STAGE, Place, UNSET, UNSET_IF_THERE};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use toml_edit::{
    ArrayOfTables, Document as Parsed, DocumentMut, InlineTable, Item, TableLike,
    Value as TomlValue,
};

/// A value and its place in the input.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Its key from the root, written as `--set` takes it; empty for the root.
    pub(super) path: String,
    /// Its place in the input.
    pub(super) place: Place,
    /// The value as written, shortened, for messages.
    pub(super) shown: String,
    /// The value.
    pub(super) value: Value,
    /// The contents of the file that it names.
    pub(super) contents: Option<Contents>,
}

impl Node {
    /// The entries, if this is a table.
    pub(super) fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// Whether it is this text.
    pub(super) fn is_text(&self, text: &str) -> bool {
        matches!(&self.value, Value::Text(found) if found == text)
    }

    /// The value of a key, if this is a table with that key.
    pub(super) fn child(&self, key: &str) -> Option<&Node> {
        let mut entries = self.entries().iter();
        entries.find(|(k, _)| k == key).map(|(_, node)| node)
    }

    /// The value of a key, if this is a table with that key.
    pub(super) fn child_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.value {
            Value::Table(entries) => entries.iter_mut().find(|(k, _)| k == key).map(|(_, n)| n),
            _ => None,
        }
    }

    /// The entries, if this is a list.
    pub(super) fn items_mut(&mut self) -> &mut [Node] {
        match &mut self.value {
            Value::List(items) => items,
            _ => &mut [],
        }
    }
}

/// The contents of a file at the node that names it.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// They have been read.
    Whole(Arc<[u8]>),
    /// They could not be read.
    Missing(String),
    /// The run has used them and does not need them again.
    Used,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Date,
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

/// A parsed configuration with all later changes. It prints as the TOML text in a checkpoint.
#[derive(Clone, Debug)]
pub(super) struct Document(DocumentMut);

impl Document {
    /// Sets a key, given as in `--set`. Missing tables on the way to it are created.
    ///
    /// # Errors
    /// A key on the way that is neither table nor list, or an index beyond the list.
    pub(super) fn set(&mut self, path: &str, value: impl Into<TomlValue>) -> Result<(), String> {
        let keys: Vec<&str> = path.split('.').collect();
        set(self.0.as_item_mut(), &keys, value.into())
    }
}

impl Document {
    /// Removes a section.
    pub(super) fn take(&mut self, section: &str) {
        self.0.remove(section);
    }

    /// Adds a list of tables as a section.
    pub(super) fn add(&mut self, section: &str, tables: ArrayOfTables) {
        self.0.insert(section, Item::ArrayOfTables(tables));
    }

    /// The tree of its values, without places.
    pub(super) fn tree(&self) -> Node {
        Places::default().node("", self.0.as_item(), &Place::File)
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Documents are equal if their texts are.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// The document with overrides applied, and the tree read from it.
pub(super) struct Source {
    /// The document.
    pub(super) document: Document,
    /// The root table.
    pub(super) root: Node,
    /// Overrides that could not be applied.
    pub(super) faults: Vec<Fault>,
}

impl Source {
    /// Parses the text, applies the overrides (`key=value`, or `-key` to remove one) and reads the
    /// tree.
    ///
    /// Text that is not TOML is an error.
    pub(super) fn read(text: &str, overrides: &[String]) -> Result<Self, Vec<Fault>> {
        let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let original = Parsed::parse(text).map_err(|e| {
            let line = |span: std::ops::Range<usize>| Place::Line(line_of(&breaks, span.start));
            let line = e.span().map_or(Place::File, line);
            vec![fault(
                line,
                "",
                format!("not TOML: {}", e.message().replace('\n', ", ")),
            )]
        })?;
        let mut places = Places::default();
        places.gather(&breaks, "", original.as_item(), 1);
        let mut document = Document(original.into_mut());
        let mut faults = Vec::new();
        for text in overrides {
            match apply(&mut document, text) {
                Ok(path) => places.overrides.push((path, text.clone())),
                Err((path, message)) => {
                    faults.push(fault(Place::Set(text.clone()), &path, message));
                }
            }
        }
        let root = places.node("", document.0.as_item(), &Place::File);
        Ok(Self {
            document,
            root,
            faults,
        })
    }
}

fn fault(place: Place, key: &str, message: String) -> Fault {
    Fault {
        place,
        key: key.to_owned(),
        message,
    }
}

/// The line of the byte at an offset, in a text with these line breaks.
fn line_of(breaks: &[usize], offset: usize) -> usize {
    1 + breaks.partition_point(|&at| at < offset)
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// The places of all keys.
#[derive(Default)]
struct Places {
    lines: HashMap<String, usize>,
    overrides: Vec<(String, String)>,
}

impl Places {
    /// Records the lines of an item of the original text and of all items in it.
    ///
    /// `breaks` are the line breaks of the text, `above` is the line of the parent.
    fn gather(&mut self, breaks: &[usize], path: &str, item: &Item, above: usize) {
        let here = match item.span() {
            Some(span) if !path.is_empty() => line_of(breaks, span.start),
            _ => above,
        };
        self.lines.insert(path.to_owned(), here);
        if let Some(table) = item.as_table_like() {
            for (key, child) in table.iter() {
                self.gather(breaks, &join(path, key), child, here);
            }
        } else if let Some(tables) = item.as_array_of_tables() {
            for (k, table) in tables.iter().enumerate() {
                let item = Item::Table(table.clone());
                self.gather(breaks, &join(path, &k.to_string()), &item, here);
            }
        } else if let Some(array) = item.as_array() {
            for (k, value) in array.iter().enumerate() {
                let item = Item::Value(value.clone());
                self.gather(breaks, &join(path, &k.to_string()), &item, here);
            }
        }
    }

    /// The place of the value at `path`; `above` is the place of its parent.
    fn of(&self, path: &str, above: &Place) -> Place {
        let last = self.overrides.iter().rev();
        if let Some((_, text)) = last.clone().find(|(set, _)| lies_in(path, set)) {
            return Place::Set(text.clone());
        }
        if path.is_empty() {
            return Place::File;
        }
        if let Some(&line) = self.lines.get(path) {
            return Place::Line(line);
        }
        let inside = last.clone().find(|(set, _)| lies_in(set, path));
        inside.map_or_else(|| above.clone(), |(_, text)| Place::Set(text.clone()))
    }

    fn node(&self, path: &str, item: &Item, above: &Place) -> Node {
        let place = self.of(path, above);
        let below = |key: &str, item: &Item| self.node(&join(path, key), item, &place);
        let value = if let Some(table) = item.as_table_like() {
            let entries = table
                .iter()
                .map(|(key, item)| (key.to_owned(), below(key, item)));
            Value::Table(entries.collect())
        } else if let Some(tables) = item.as_array_of_tables() {
            let tables = tables.iter().map(|t| Item::Table(t.clone())).enumerate();
            Value::List(tables.map(|(k, t)| below(&k.to_string(), &t)).collect())
        } else {
            match item.as_value() {
                Some(TomlValue::Boolean(v)) => Value::Boolean(*v.value()),
                Some(TomlValue::Integer(v)) => Value::Integer(*v.value()),
                Some(TomlValue::Float(v)) => Value::Float(*v.value()),
                Some(TomlValue::String(v)) => Value::Text(v.value().clone()),
                Some(TomlValue::Array(v)) => {
                    let items = v.iter().map(|v| Item::Value(v.clone())).enumerate();
                    Value::List(items.map(|(k, v)| below(&k.to_string(), &v)).collect())
                }
                _ => Value::Date,
            }
        };
        Node {
            path: path.to_owned(),
            place,
            shown: shorten(item),
            value,
            contents: None,
        }
    }
}

/// Whether the key `path` equals `outer` or is part of it.
fn lies_in(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn shorten(item: &Item) -> String {
    let Some(value) = item.as_value() else {
        return "a table".to_owned();
    };
    let mut value = value.clone();
    value.decor_mut().clear();
    let text = value.to_string();
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &one_line[..cut]),
        None => one_line,
    }
}

/// The fault of an override of an entry of a list.
const WHOLE_ENTRY: &str = "must be a key of the entry, such as name; found the whole entry";

/// Applies one override and returns its key; on failure the key, as far as parsed, and the reason.
fn apply(document: &mut Document, text: &str) -> Result<String, (String, String)> {
    let wrong = |path: &str, message: String| Err((path.to_owned(), message));
    if let Some(path) = text.strip_prefix(UNSET_IF_THERE) {
        let keys: Vec<&str> = path.split('.').collect();
        remove(document.0.as_item_mut(), &keys);
        return Ok(path.to_owned());
    }
    if let Some(path) = text.strip_prefix(UNSET) {
        let keys: Vec<&str> = path.split('.').collect();
        if remove(document.0.as_item_mut(), &keys) {
            return Ok(path.to_owned());
        }
        let found = match is_there(document.0.as_item(), &keys) {
            true => WHOLE_ENTRY,
            false => "must be a key that is there; found none",
        };
        return wrong(path, found.to_owned());
    }
    let text = text.strip_prefix(OF_STAGE).unwrap_or(text);
    let Some((path, value)) = text.split_once('=') else {
        return wrong(
            "",
            "must be key=value, as in time.dt=1e-3; found no \"=\"".to_owned(),
        );
    };
    let (path, value) = (path.trim(), value.trim());
    if path.split('.').any(str::is_empty) {
        return wrong(
            path,
            "must be names joined by dots, as in time.dt; found an empty one".to_owned(),
        );
    }
    if value.is_empty() {
        return wrong(path, "must be key=value; found no value".to_owned());
    }
    // A value that is not TOML is a text without its quotes, which the shell has removed.
    let mut value = value.parse::<TomlValue>().unwrap_or_else(|_| value.into());
    value.decor_mut().clear();
    match document.set(path, value) {
        Ok(()) => Ok(path.to_owned()),
        Err(message) => wrong(path, message),
    }
}

/// The number of keys that together are one key of a table, as those that a stage sets.
///
/// Of several spellings the longest one that leads to the value.
fn together(table: &dyn TableLike, keys: &[&str]) -> usize {
    let there = |n: &usize| table.get(&keys[..*n].join(".")).is_some();
    let leads = |n: &usize| {
        let child = table.get(&keys[..*n].join("."));
        child.is_some_and(|child| is_there(child, &keys[*n..]))
    };
    let ways = || (1..=keys.len()).rev().filter(there);
    let mut leading = ways().filter(leads);
    leading.next().or_else(|| ways().next()).unwrap_or(1)
}

/// Whether an item has a value at these keys.
fn is_there(item: &Item, keys: &[&str]) -> bool {
    let Some((key, rest)) = keys.split_first() else {
        return true;
    };
    if let Some(table) = item.as_table_like() {
        return (1..=keys.len()).any(|n| {
            let child = table.get(&keys[..n].join("."));
            child.is_some_and(|child| is_there(child, &keys[n..]))
        });
    }
    let Ok(k) = key.parse::<usize>() else {
        return false;
    };
    if let Some(tables) = item.as_array_of_tables() {
        let table = tables.get(k).map(|table| Item::Table(table.clone()));
        return table.is_some_and(|table| is_there(&table, rest));
    }
    let value = item.as_array().and_then(|array| array.get(k));
    value.is_some_and(|value| is_there(&Item::Value(value.clone()), rest))
}

/// Removes a key of a table; `false`: it is not there.
fn remove(item: &mut Item, keys: &[&str]) -> bool {
    let Some((key, rest)) = keys.split_first() else {
        return false;
    };
    if let Some(table) = item.as_table_like_mut() {
        let n = together(table, keys);
        let key = keys[..n].join(".");
        return match &keys[n..] {
            [] => table.remove(&key).is_some(),
            rest => table.get_mut(&key).is_some_and(|child| remove(child, rest)),
        };
    }
    let Ok(k) = key.parse::<usize>() else {
        return false;
    };
    if let Some(tables) = item.as_array_of_tables_mut() {
        let Some(slot) = tables.get_mut(k) else {
            return false;
        };
        let mut child = Item::Table(std::mem::take(slot));
        let done = remove(&mut child, rest);
        if let Item::Table(table) = child {
            *slot = table;
        }
        return done;
    }
    let slot = item.as_array_mut().and_then(|array| array.get_mut(k));
    let Some(slot) = slot else {
        return false;
    };
    let mut child = Item::Value(slot.clone());
    let done = remove(&mut child, rest);
    if let Item::Value(value) = child {
        *slot = value;
    }
    done
}

fn set(item: &mut Item, keys: &[&str], mut value: TomlValue) -> Result<(), String> {
    let Some((key, rest)) = keys.split_first() else {
        // The old value's decoration holds the comment at the end of the line.
        if let Some(old) = item.as_value() {
            *value.decor_mut() = old.decor().clone();
        }
        *item = Item::Value(value);
        return Ok(());
    };
    let index = |len: usize| {
        let found = key.parse().ok().filter(|&k: &usize| k < len);
        found.ok_or_else(|| format!("must be one of {len} entries, counted from 0; found {key:?}"))
    };
    if item.is_table_like() {
        let table: &mut dyn TableLike = item.as_table_like_mut().expect("just asked");
        let n = together(table, keys);
        if n > 1
            && let Some(child) = table.get_mut(&keys[..n].join("."))
        {
            return set(child, &keys[n..], value);
        }
        if !table.contains_key(key) {
            let child = if rest.is_empty() {
                Item::Value(value.clone())
            } else {
                Item::Value(TomlValue::InlineTable(InlineTable::new()))
            };
            table.insert(key, child);
        }
        return match table.get_mut(key) {
            Some(child) => set(child, rest, value),
            None => Err(format!("cannot set {key:?}")),
        };
    }
    if let Some(tables) = item.as_array_of_tables_mut() {
        let k = index(tables.len())?;
        let Some(slot) = tables.get_mut(k) else {
            return Err(format!("must be an entry; found {key:?}"));
        };
        if rest.is_empty() {
            return Err(WHOLE_ENTRY.to_owned());
        }
        let mut child = Item::Table(std::mem::take(slot));
        let done = set(&mut child, rest, value);
        if let Item::Table(table) = child {
            *slot = table;
        }
        return done;
    }
    if let Some(array) = item.as_array_mut() {
        let k = index(array.len())?;
        let Some(slot) = array.get_mut(k) else {
            return Err(format!("must be an entry; found {key:?}"));
        };
        let mut child = Item::Value(slot.clone());
        set(&mut child, rest, value)?;
        if let Item::Value(value) = child {
            *slot = value;
        }
        return Ok(());
    }
    Err(format!(
        "must be a key of a table; found {key:?} of {}",
        shorten(item)
    ))
}
