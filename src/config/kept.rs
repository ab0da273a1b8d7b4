//! The `[[file]]` entries: contents of files in the text of a configuration.
//!
//! The program writes them, so that a checkpoint does not depend on the files.

use super::document::{Source, Value};
use super::fault::Fault;
use super::files::{File, hash_of};
use super::key::{Entry, Key, Needed, Preset, Text, Whole};
use super::reader::{Section, must, wrong_type};
use super::table;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use toml_edit::{ArrayOfTables, Table, Value as TomlValue};

const PATH: Key<Text, Needed> = Key::new(
    "path",
    Text("the absolute path of a file"),
    Needed,
    "the file",
);
const BYTES: Key<Whole, Preset<u64>> = Key::new("bytes", Whole::from(0), Preset(0), "its size");
const HASH: Key<Text, Needed> = Key::new(
    "hash",
    Text("the hash of its contents"),
    Needed,
    "XXH64 of its contents",
);
const CONTENTS: Entry = Entry::new(
    "text",
    "a text in quotes",
    "none; then `base64`, or neither for a file of more than 1 MiB",
    "its contents",
);
const BINARY: Entry = Entry::new(
    "base64",
    "a text in quotes",
    "none",
    "its contents in Base64, where they are not UTF-8",
);

/// `[[file]]`.
pub(super) const TABLE: table::Table =
    table::Table::new("file", &[&PATH, &BYTES, &HASH, &CONTENTS, &BINARY]).kind(
        "[[file]]",
        "a file that the configuration names; the program writes it into checkpoints",
    );

/// Takes the entries out of the tree and the document.
pub(super) fn take(source: &mut Source, faults: &mut Vec<Fault>) -> Vec<File> {
    let Value::Table(sections) = &mut source.root.value else {
        return Vec::new();
    };
    let Some(at) = sections.iter().position(|(key, _)| key == TABLE.name) else {
        return Vec::new();
    };
    let (_, list) = sections.remove(at);
    source.document.take(TABLE.name);
    let Value::List(entries) = &list.value else {
        wrong_type(&list, "tables headed [[file]], as in checkpoints", faults);
        return Vec::new();
    };
    let mut files = Vec::new();
    for node in entries {
        let section = Section::of(node, &[&TABLE], faults);
        let path = section.read(&PATH, faults);
        let bytes = section.read(&BYTES, faults);
        let hash = section.read(&HASH, faults);
        let stored = |key: &str| {
            section.get(key).and_then(|node| match &node.value {
                Value::Text(text) => Some((node, text)),
                _ => None,
            })
        };
        let of_binary = stored(BINARY.name).and_then(|(node, text)| {
            let contents = BASE64_STANDARD.decode(text);
            if let Err(why) = &contents {
                must(node, "contents in Base64", &why.to_string(), faults);
            }
            Some((node, contents.ok()?))
        });
        let of_text = stored(CONTENTS.name).map(|(node, text)| (node, text.clone().into_bytes()));
        let contents = of_text.or(of_binary);
        let file = File {
            path: path.unwrap_or_default(),
            bytes,
            hash: hash.unwrap_or_default(),
            contents: contents
                .as_ref()
                .map(|(_, contents)| contents.clone().into()),
        };
        if let Some((node, contents)) = &contents
            && (contents.len() as u64, hash_of(contents)) != (file.bytes, file.hash.clone())
        {
            let accepted = format!("of {} bytes with hash {}", file.bytes, file.hash);
            let found = format!("{} bytes with hash {}", contents.len(), hash_of(contents));
            must(node, &accepted, &found, faults);
        }
        files.push(file);
    }
    files
}

/// The entries of these files, each path once; `None` without any.
pub(super) fn entries<'a>(files: impl Iterator<Item = &'a File>) -> Option<ArrayOfTables> {
    let mut entries = ArrayOfTables::new();
    let mut known: Vec<&str> = Vec::new();
    for file in files {
        if known.contains(&file.path.as_str()) {
            continue;
        }
        known.push(&file.path);
        let mut table = Table::new();
        // After all other tables.
        table.set_position(Some(isize::MAX));
        let mut put = |key: &str, value: TomlValue| drop(table.insert(key, value.into()));
        put(PATH.name, file.path.as_str().into());
        put(BYTES.name, (file.bytes as i64).into());
        put(HASH.name, file.hash.as_str().into());
        if let Some(contents) = file.stored() {
            match std::str::from_utf8(contents) {
                Ok(text) => put(CONTENTS.name, text.into()),
                Err(_) => put(BINARY.name, BASE64_STANDARD.encode(contents).into()),
            }
        }
        entries.push(table);
    }
    (!entries.is_empty()).then_some(entries)
}

/// The text of a configuration for readers, without the contents of files.
#[must_use]
pub fn without_contents(text: &str) -> String {
    let Ok(mut document) = text.parse::<toml_edit::DocumentMut>() else {
        return text.to_owned();
    };
    let files = document.get_mut(TABLE.name);
    if let Some(files) = files.and_then(|item| item.as_array_of_tables_mut()) {
        for file in files.iter_mut() {
            file.remove(CONTENTS.name);
            file.remove(BINARY.name);
        }
    }
    document.to_string()
}
