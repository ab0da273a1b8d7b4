//! Which room may use which: the map of `src/lib.rs` and design's "never sees", by the paths that code names.

use crate::code::Source;
use std::collections::BTreeMap;

/// The row of files that see every room.
const EVERYTHING: u32 = u32::MAX;

/// Pairs in the same row, where the first may use the second all the same.
const SAME_ROW: [(&str, &str, &str); 4] = [
    ("rng", "math", "draws are of vectors as well"),
    ("comm", "math", "sums over ranks are exact sums"),
    ("contact", "body", "a contact's key is made of body ids"),
    (
        "fclib",
        "sim",
        "the problem of a run's next step is made by what would do the step",
    ),
];

/// What only some may use, tests apart (they may stage what their room never sees): a room, or names of a crate.
const RESERVED: [(&[&str], &[&str], &str); 3] = [
    (
        &["comm"],
        &["domain", "io", "sim", "report", "main"],
        "physics never sees ranks; what it needs of them it asks through a trait (the solver's Halo)",
    ),
    (
        &["fs", "File", "OpenOptions"],
        &["sample", "io", "config", "sim", "report", "command", "main"],
        "physics never sees files",
    ),
    (
        &["hdf5", "hdf5_sys", "hdf5_metno", "hdf5_metno_sys"],
        &["io", "comm"],
        "HDF5 stays behind io; comm only hands it the communicator",
    ),
];

/// Rooms with their rows: a room uses rooms of smaller rows only.
pub(crate) type Rows = BTreeMap<String, u32>;

/// The rooms on the map in the text of `src/lib.rs`; the file itself, and `main`, see them all.
pub(crate) fn rows(lib: &str) -> Rows {
    let on_map = |line: &str| {
        let mut cells = line.strip_prefix("//! | ")?.split(" | ");
        let row: u32 = cells.next()?.parse().ok()?;
        Some((cells.next()?.trim_matches(['[', ']', '`']).to_owned(), row))
    };
    let ends = [
        ("main".to_owned(), EVERYTHING),
        ("lib".to_owned(), EVERYTHING),
    ];
    lib.lines().filter_map(on_map).chain(ends).collect()
}

/// Source in a room that is not on the map.
pub(crate) fn unknown_room(rows: &Rows, source: &Source) -> Option<String> {
    let module = source.module()?;
    let room = module.first().map_or("lib", String::as_str);
    let fault = || {
        format!(
            "{}: `{room}` is no room on the map in src/lib.rs",
            source.path
        )
    };
    (!rows.contains_key(room)).then(fault)
}

/// The room that a path names from a module, through `crate::`, `self::` or `super::`.
fn room_named<'p>(mut from: &[String], path: &'p [String]) -> Option<&'p str> {
    let from_root = matches!(path.first()?.as_str(), "crate" | "self" | "super");
    for word in path.iter().filter(|_| from_root) {
        match word.as_str() {
            "crate" => from = &[],
            "super" => from = from.split_last().map_or(from, |(_, parent)| parent),
            "self" => {}
            name => return from.is_empty().then_some(name),
        }
    }
    None
}

/// Uses against the order of the rooms.
pub(crate) fn wrong_imports(rows: &Rows, source: &Source) -> Vec<String> {
    let module = source.module().unwrap_or_default();
    let row = |room: &str| rows.get(room).copied();
    let Some((room, own_row)) = module.first().and_then(|room| Some((room, row(room)?))) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for name in source.code.names.iter().filter(|_| own_row < EVERYTHING) {
        let mut fault =
            |what: String| faults.push(format!("{}:{}: {what}", source.path, name.line));
        let from = [&module[..], &name.module].concat();
        let target = room_named(&from, &name.words).filter(|target| target != room);
        let listed = |target: &str| SAME_ROW.iter().any(|(a, b, _)| (*a, *b) == (room, target));
        match target.map(|target| (target, row(target))) {
            Some((target, None)) => fault(format!("`{target}` at the crate's root is no room")),
            Some((target, Some(its))) if its >= own_row && !listed(target) => fault(format!(
                "{room} (row {own_row}) uses {target} (row {its}); a room uses only rooms of smaller rows"
            )),
            _ => {}
        }
        // Of other crates the first word counts, and what of the standard library a path names.
        let words: Vec<&str> = name.words.iter().map(String::as_str).collect();
        let foreign = match words[..] {
            ["crate" | "self" | "super", ..] => None,
            ["", first, ..] | ["std", first, ..] | [first, ..] => Some(first),
            [] => None,
        };
        for (names, users, why) in RESERVED.iter().filter(|_| !name.test) {
            let mut both = target.iter().chain(&foreign);
            let named = both
                .find(|named| names.contains(named) && (target.is_some() || row(named).is_none()));
            if let Some(named) = named.filter(|_| !users.contains(&room.as_str())) {
                fault(format!("{room} uses {named}: {why}"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Rows {
        rows(include_str!("../../src/lib.rs"))
    }

    fn faults(path: &str, text: &str) -> Vec<String> {
        wrong_imports(&map(), &Source::new(path, text))
    }

    #[test]
    fn every_way_to_name_a_room_is_seen() {
        let text = "//! crate::sim in a comment
            use crate::{math::{self, Vector3}, solver::nsgs};
            use super::super::io::{Snapshot, series};
            fn f(x: crate::sim::Run) { let y = vec![crate::config::End { a: crate::law::B }]; \"crate::report::x\"; }
            use super::{own, super::domain};
            mod inner { use super::super::super::{shape, super::super::what}; use super::here; use self::there; }";
        let source = Source::new("src/detect/narrow.rs", text);
        let module = source.module().expect("a module");
        let room = |n: &crate::code::Name| {
            room_named(&[&module[..], &n.module].concat(), &n.words).map(str::to_owned)
        };
        let rooms: Vec<String> = source.code.names.iter().filter_map(room).collect();
        let expected = [
            "math", "math", "solver", "io", "io", "sim", "config", "law", "domain", "shape", "what",
        ];
        assert_eq!(rooms, expected);
    }

    #[test]
    fn a_room_may_not_use_a_room_below_it_nor_in_its_row() {
        #[rustfmt::skip]
        let cases = [
            ("src/scheme/moreau_jean.rs", "use crate::{solver, domain, math::Vector3};", 0),
            ("src/law.rs", "fn f() { crate::body::g() }", 1),
            ("src/detect/grid.rs", "use crate::{math::{Vector3}, solver::Settings};", 1),
            ("src/io.rs", "use super::scheme;", 1),
            ("src/contact.rs", "use crate::body::BodyId;", 0),
            ("src/body.rs", "use crate::contact::ContactKey;", 1),
            ("src/body.rs", "use crate::*;", 1),
            ("src/body.rs", "use crate::utilities::x;", 1),
            ("src/main.rs", "use crate::anything;", 0),
        ];
        for (path, text, count) in cases {
            assert_eq!(faults(path, text).len(), count, "{path}: {text}");
        }
    }

    #[test]
    fn physics_sees_neither_ranks_nor_files_but_its_tests_may() {
        #[rustfmt::skip]
        let cases = [
            ("src/solver/nsgs.rs", "use crate::comm::Comm;", 1),
            ("src/domain.rs", "use crate::comm::Comm;", 0),
            ("src/solver/nsgs.rs", "#[cfg(test)] mod tests { use crate::comm::threads; use std::fs; } fn f() {}", 0),
            ("src/solver/nsgs.rs", "#[cfg(test)] mod tests { use crate::domain::Domain; }", 1),
            ("src/law.rs", "use std::{fs, path::Path};", 1),
            ("src/law.rs", "fn f(data: f64) { std::fs::read(data) }", 1),
            ("src/sim.rs", "fn f() { hdf5::silence_errors(true) }", 1),
            ("src/io/hdf.rs", "use hdf5::File;", 0),
        ];
        for (path, text, count) in cases {
            assert_eq!(faults(path, text).len(), count, "{path}: {text}");
        }
    }

    #[test]
    fn a_new_room_needs_a_line_on_the_map() {
        let unknown = |path: &str| unknown_room(&map(), &Source::new(path, "")).is_some();
        assert!(!unknown("src/law/coulomb.rs") && !unknown("tests/bits.rs"));
        assert!(unknown("src/cli/flags.rs"));
        let map = "//! | row | room | what |\n//! | --- | --- | --- |\n//! | 1 | [`law`] | x |\n";
        assert_eq!(rows(map)["law"], 1);
        assert_eq!(rows(map).len(), 3);
    }
}
