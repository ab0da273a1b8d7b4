//! Which room may use which: the map of `src/lib.rs` and design's "never sees", read from the paths in the code.

use crate::code::Source;
use std::collections::BTreeSet;

/// Every room with its row. A room uses rooms of smaller rows only. The map in `src/lib.rs` says the same.
pub(crate) const ROOMS: [(&str, u32); 25] = [
    ("math", 0),
    ("rng", 0),
    ("comm", 0),
    ("pool", 0),
    ("shape", 1),
    ("law", 1),
    ("body", 2),
    ("contact", 2),
    ("detect", 3),
    ("solver", 3),
    ("problem", 3),
    ("measure", 3),
    ("domain", 4),
    ("render", 4),
    ("scheme", 5),
    ("sample", 5),
    ("io", 5),
    ("config", 6),
    ("sim", 7),
    ("report", 7),
    ("fclib", 7),
    ("bench", 7),
    ("command", 8),
    ("main", 9),
    ("lib", 10),
];

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

/// The room a path belongs to: `src/law.rs` and `src/law/coulomb.rs` are of room `law`.
pub(crate) fn room_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let first = inside.split('/').next().unwrap_or(inside);
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

fn row(room: &str) -> Option<u32> {
    ROOMS
        .iter()
        .find(|(name, _)| *name == room)
        .map(|(_, row)| *row)
}

/// Source in a room that nobody knows.
pub(crate) fn unknown_room(source: &Source) -> Option<String> {
    let room = room_of(&source.path)?;
    row(room).is_none().then(|| {
        format!(
            "{}: `{room}` is no room; put the file into a room's folder, or give the new room a row in ROOMS \
             (tests/repository/rooms.rs) and in the map of src/lib.rs",
            source.path
        )
    })
}

/// A use of something at the crate's root.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    line: usize,
    room: String,
    test: bool,
}

/// Everything that a file of the library names at the crate's root, through `crate::` or enough `super::`.
pub(crate) fn imports(source: &Source) -> BTreeSet<Import> {
    // How many modules a file stands in by its path: src/law.rs in one, src/law/coulomb.rs in two.
    let file_depth = source.path.matches('/').count();
    let mut found = BTreeSet::new();
    let mut i = 0;
    while i < source.tokens.len() {
        let starts = matches!(source.word(i), "crate" | "super" | "self");
        if starts && source.is_path_separator(i + 1) && !source.continues_path(i) {
            i = follow(source, i, file_depth + source.tokens[i].depth, &mut found);
        } else {
            i += 1;
        }
    }
    found
}

/// Follows one path or use tree from token `i`, seen from `level` modules below the root; returns the token after it.
fn follow(source: &Source, mut i: usize, mut level: usize, found: &mut BTreeSet<Import>) -> usize {
    loop {
        match source.word(i) {
            "crate" => level = 0,
            "super" => level = level.saturating_sub(1),
            "self" if source.is_path_separator(i + 1) => {}
            "{" => break,
            name => {
                if level == 0 {
                    let token = &source.tokens[i];
                    found.insert(Import {
                        line: token.line,
                        room: name.to_owned(),
                        test: token.test,
                    });
                }
                return i + 1;
            }
        }
        if !source.is_path_separator(i + 1) {
            return i + 1; // `pub(crate)` and the like
        }
        i += 3;
    }
    // A list in braces, each part of it followed from the same level.
    i += 1;
    while i < source.tokens.len() && source.word(i) != "}" {
        i = follow(source, i, level, found);
        // To the comma or the end of the list, over what is left of this part.
        let mut nested = 0usize;
        while i < source.tokens.len() {
            match source.word(i) {
                "," if nested == 0 => {
                    i += 1;
                    break;
                }
                "}" if nested == 0 => break,
                "{" => nested += 1,
                "}" => nested -= 1,
                _ => {}
            }
            i += 1;
        }
    }
    i + 1
}

/// Uses against the order of the rooms.
pub(crate) fn wrong_imports(source: &Source) -> Vec<String> {
    let Some(room) = room_of(&source.path) else {
        return Vec::new();
    };
    let Some(own_row) = row(room) else {
        return Vec::new();
    };
    if own_row >= 9 {
        return Vec::new(); // main and lib.rs see everything
    }
    let mut faults = Vec::new();
    for import in imports(source) {
        let (target, at) = (
            import.room.as_str(),
            format!("{}:{}", source.path, import.line),
        );
        if target == room {
            continue;
        }
        let Some(target_row) = row(target) else {
            faults.push(format!("{at}: `{target}` at the crate's root is no room"));
            continue;
        };
        let listed = SAME_ROW.iter().any(|(a, b, _)| (*a, *b) == (room, target));
        if target_row >= own_row && !listed {
            faults.push(format!(
                "{at}: {room} (row {own_row}) uses {target} (row {target_row}); a room uses only rooms of smaller rows"
            ));
        } else if !import.test {
            faults.extend(
                reserved(room, target).map(|why| format!("{at}: {room} uses {target}: {why}")),
            );
        }
    }
    for (i, token) in source.tokens.iter().enumerate().filter(|(_, t)| !t.test) {
        let named = match token.text.as_str() {
            "fs" => {
                source.is_path_separator(i + 1)
                    || (source.continues_path(i) && source.word(i - 3) == "std")
            }
            _ => !source.continues_path(i) && row(&token.text).is_none(),
        };
        if let Some(why) = reserved(room, &token.text).filter(|_| named) {
            faults.push(format!(
                "{}:{}: {}: {why}",
                source.path, token.line, token.text
            ));
        }
    }
    faults
}

/// Why `room` may not use `name`, if it may not.
fn reserved(room: &str, name: &str) -> Option<&'static str> {
    RESERVED
        .iter()
        .find(|(names, users, _)| {
            names.contains(&name) && !users.contains(&room) && !names.contains(&room)
        })
        .map(|(_, _, why)| *why)
}

/// Rooms of which the map in the text of `src/lib.rs` says something else than [`ROOMS`].
pub(crate) fn wrong_map(lib: &str) -> Vec<String> {
    let map: Vec<(&str, &str)> = lib
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("//! | ")?.split(" | ");
            let number = cells.next()?;
            let name = cells.next()?.trim_matches(['[', ']', '`']);
            number.parse::<u32>().is_ok().then_some((name, number))
        })
        .collect();
    let mut faults = Vec::new();
    for (name, number) in &map {
        if row(name).map(|r| r.to_string()).as_deref() != Some(number) {
            faults.push(format!("src/lib.rs: the map has room {name} in row {number}, tests/repository/rooms.rs has not"));
        }
    }
    for line in lib.lines() {
        let module = line
            .strip_prefix("pub mod ")
            .and_then(|m| m.strip_suffix(';'));
        if let Some(module) = module.filter(|m| map.iter().all(|(name, _)| name != m)) {
            faults.push(format!("src/lib.rs: room {module} is not on the map"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        wrong_imports(&Source::new(path, text))
    }

    #[test]
    fn every_way_to_name_a_room_is_seen() {
        let text = "//! crate::sim in a comment\n\
            use crate::{math::{self, Vector3}, solver::nsgs};\n\
            use super::super::io::{Snapshot, series};\n\
            pub(crate) fn f(x: crate::sim::Run) { let y = vec![crate::config::End { a: crate::law::B }]; \"crate::report::x\"; }\n\
            use super::{own, super::domain};\n\
            pub(in crate::detect) mod inner { use super::super::super::{shape, super::super::what}; use super::here; use self::there; }";
        let found = imports(&Source::new("src/detect/narrow.rs", text));
        let rooms: BTreeSet<&str> = found.iter().map(|i| i.room.as_str()).collect();
        let expected = [
            "config", "detect", "domain", "io", "law", "math", "shape", "sim", "solver", "what",
        ];
        assert_eq!(rooms.into_iter().collect::<Vec<_>>(), expected);
        assert!(found.iter().any(|i| i.line == 3 && i.room == "io"));
    }

    #[test]
    fn a_room_below_may_not_use_a_room_above_nor_beside() {
        assert!(
            faults(
                "src/scheme/moreau_jean.rs",
                "use crate::{solver, domain, math::Vector3};"
            )
            .is_empty()
        );
        assert_eq!(faults("src/law.rs", "fn f() { crate::body::g() }").len(), 1);
        assert_eq!(
            faults(
                "src/detect/grid.rs",
                "use crate::{math::{Vector3}, solver::Settings};"
            )
            .len(),
            1
        );
        assert_eq!(faults("src/io.rs", "use super::scheme;").len(), 1);
        assert!(faults("src/contact.rs", "use crate::body::BodyId;").is_empty());
        assert_eq!(
            faults("src/body.rs", "use crate::contact::ContactKey;").len(),
            1
        );
        assert_eq!(
            faults("src/body.rs", "use crate::*;").len(),
            1,
            "the whole crate"
        );
        assert_eq!(
            faults("src/body.rs", "use crate::utilities::x;").len(),
            1,
            "no room"
        );
        assert!(faults("src/main.rs", "use crate::anything;").is_empty());
    }

    #[test]
    fn physics_sees_neither_ranks_nor_files_but_its_tests_may() {
        assert_eq!(
            faults("src/solver/nsgs.rs", "use crate::comm::Comm;").len(),
            1
        );
        assert!(faults("src/domain.rs", "use crate::comm::Comm;").is_empty());
        let test = "#[cfg(test)] mod tests { use crate::comm::threads; use std::fs; } fn f() {}";
        assert!(faults("src/solver/nsgs.rs", test).is_empty());
        let test_above = "#[cfg(test)] mod tests { use crate::domain::Domain; }";
        assert_eq!(faults("src/solver/nsgs.rs", test_above).len(), 1);
        assert_eq!(
            faults(
                "src/law.rs",
                "use std::{fs, path::Path}; fn f() { fs::read(\"a\") }"
            )
            .len(),
            1
        );
        assert_eq!(
            faults("src/law.rs", "use std::fs; fn f(fs: f64) { g(fs) }").len(),
            1
        );
        assert_eq!(
            faults("src/law.rs", "fn f() { std::fs::read(\"a\") }").len(),
            1
        );
        assert_eq!(
            faults("src/sim.rs", "fn f() { hdf5::silence_errors(true) }").len(),
            1
        );
        assert!(faults("src/io/hdf.rs", "use hdf5::File;").is_empty());
    }

    #[test]
    fn a_new_room_must_be_given_a_row_and_a_line_on_the_map() {
        assert!(unknown_room(&Source::new("src/law/coulomb.rs", "")).is_none());
        assert!(unknown_room(&Source::new("tests/bits.rs", "")).is_none());
        let hint = unknown_room(&Source::new("src/cli/flags.rs", "")).expect("a fault");
        assert!(hint.contains("`cli` is no room"), "{hint}");
        let map = "//! | row | room | what |\n//! | --- | --- | --- |\n//! | 1 | [`law`] | x |\npub mod law;\n";
        assert!(wrong_map(map).is_empty());
        assert_eq!(wrong_map(&map.replace("| 1 |", "| 2 |")).len(), 1);
        assert_eq!(wrong_map(&format!("{map}pub mod shape;\n")).len(), 1);
    }
}
