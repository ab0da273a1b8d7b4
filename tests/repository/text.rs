//! Rules on single files: length, names, MPI and `unsafe` in their places, nothing left over, documents that name real files.

use crate::code::{Role, Source};

/// Lines that a Rust file may have.
const LONGEST: usize = 500;

/// Words in file names that say nothing about the content.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "common", "helper", "helpers", "misc", "manager", "managers",
];

/// The only file that may name the MPI crate.
const MPI_HOME: &str = "src/comm/mpi.rs";

/// The file whose child module is called `mpi`.
const MPI_PARENT: &str = "src/comm.rs";

/// Where `unsafe` may be: calls of C libraries, jobs and bodies that threads share, hints to processors.
/// Lints ask for the permission and for the reason.
const UNSAFE: [&str; 7] = [
    MPI_HOME,
    "src/pool/team.rs",
    "src/io/hdf.rs",
    "src/io/hdf/",
    "src/solver/shared.rs",
    "src/solver/blocks.rs",
    "src/solver/lanes.rs",
];

/// A file of too many lines.
pub(crate) fn too_long(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    let fault = format!(
        "{}: {lines} lines; accepted: {LONGEST}; split it by its tasks",
        source.path
    );
    Vec::from_iter((lines > LONGEST).then_some(fault))
}

/// A file or folder whose name says nothing.
pub(crate) fn empty_names(source: &Source) -> Vec<String> {
    let words = source.path.split(['/', '_', '.']);
    let empty = words.filter(|word| EMPTY_NAMES.contains(word));
    let fault = |word| format!("{}: `{word}` says nothing about the content", source.path);
    empty.map(fault).collect()
}

/// Places outside [`MPI_HOME`] that name the MPI crate.
pub(crate) fn foreign_mpi(source: &Source) -> Vec<String> {
    let foreign = |name: &&crate::code::Name| {
        let words: Vec<&str> = name.words.iter().map(String::as_str).collect();
        match words[..] {
            ["", "mpi" | "mpi_sys", ..] | ["mpi_sys", ..] | ["mpi", "ffi", ..] => true,
            // A variable may have that name.
            ["mpi"] => name.role != Role::Use && source.path != MPI_PARENT,
            ["mpi", ..] => source.path != MPI_PARENT,
            _ => false,
        }
    };
    let names = source.code.names.iter().filter(|_| source.path != MPI_HOME);
    let fault = |line| {
        format!(
            "{}:{line}: only {MPI_HOME} names the MPI crate",
            source.path
        )
    };
    names.filter(foreign).map(|name| fault(name.line)).collect()
}

/// A file that allows `unsafe` and may not.
pub(crate) fn foreign_unsafe(source: &Source) -> Vec<String> {
    let allows = ["allow", "expect"].map(|word| [word, "(unsafe", "_code"].concat());
    let allowed = allows.iter().any(|allow| source.text.contains(allow));
    let place = UNSAFE.iter().any(|place| source.path.starts_with(place));
    let fault = format!(
        "{}: `unsafe` belongs into {} only",
        source.path,
        UNSAFE.join(", ")
    );
    Vec::from_iter((allowed && !place).then_some(fault))
}

/// Marks of unfinished work; lints find the macros. Put together here, so that this file holds none of them.
fn marks() -> [String; 3] {
    [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["X"; 3].concat(),
    ]
}

/// Marks of unfinished work in a file.
pub(crate) fn leftovers(source: &Source) -> Vec<String> {
    let marks = marks();
    let mut faults = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        for mark in words.filter(|word| marks.iter().any(|mark| mark == word)) {
            faults.push(format!(
                "{}:{}: `{mark}` is left over",
                source.path,
                number + 1
            ));
        }
    }
    faults
}

/// Folders whose files documents name from the root.
const FOLDERS: [&str; 7] = [
    "configs/", "jobs/", "tests/", "docs/", "src/", "benches/", ".ci/",
];

/// Links and paths in a Markdown document that lead nowhere. `exists` says whether a path from the root is there.
pub(crate) fn dead_paths(document: &Source, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let folder = (document.path.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let plain = |path: &&str| {
        path.chars()
            .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    };
    let mut faults = Vec::new();
    for (number, line) in document.text.lines().enumerate() {
        let words = line.split(|c: char| c.is_whitespace() || "`'\"()[],;|".contains(c));
        let words = words.map(|word| {
            word.trim_start_matches("./")
                .trim_end_matches([':', '.', '/'])
        });
        // Without a line's number.
        let paths = words.map(|word| word.split_once(':').map_or(word, |(path, _)| path));
        let paths = paths.filter(|path| FOLDERS.iter().any(|f| path.starts_with(f)));
        let links = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ', '#']).next());
        let links = links.filter(|link| !link.is_empty() && !link.contains(':'));
        let links: Vec<&str> = links.collect();
        let elsewhere = |path: &&str| !links.contains(path) && !exists(path);
        let dead = paths.filter(plain).filter(elsewhere).map(str::to_owned);
        let from_here = links
            .iter()
            .map(|link| join(folder, link))
            .filter(|path| !exists(path));
        for path in dead.chain(from_here) {
            faults.push(format!(
                "{}:{}: {path} is not there",
                document.path,
                number + 1
            ));
        }
    }
    faults
}

/// `path` as seen from `folder`, from the root.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_finds_its_faults_and_no_others() {
        type Rule = fn(&Source) -> Vec<String>;
        let [long, longer] = [500, 501].map(|lines| "//\n".repeat(lines));
        let allows = ["#![allow(unsafe", "_code)]"].concat();
        let [to_do, mend, mark] = marks().map(|mark| format!("a # {mark}: b"));
        #[rustfmt::skip]
        let cases: [(Rule, &str, &str, usize); 30] = [
            (too_long, "src/x.rs", &long, 0),
            (too_long, "src/x.rs", &longer, 1),
            (empty_names, "src/io/utils.rs", "", 1),
            (empty_names, "tests/common/mod.rs", "", 1),
            (empty_names, "src/file_helpers.rs", "", 1),
            (empty_names, "tests/commonplace.rs", "", 0),
            (foreign_mpi, "src/io.rs", "use ::mpi::traits::*;", 1),
            (foreign_mpi, "src/io.rs", "use mpi::ffi;", 1),
            (foreign_mpi, "src/io.rs", "fn f() { ::mpi::x() }", 1),
            (foreign_mpi, "src/io.rs", "fn f() -> mpi::Rank { 1 }", 1),
            (foreign_mpi, "src/io.rs", "extern crate mpi;", 1),
            (foreign_mpi, "src/io.rs", "use mpi as m;", 1),
            (foreign_mpi, "src/io.rs", "fn f() { vec![mpi_sys::x()]; }", 1),
            (foreign_mpi, MPI_HOME, "use ::mpi::traits::*;", 0),
            (foreign_mpi, MPI_PARENT, "use ::mpi::x; fn f() { mpi::ffi::y() }", 2),
            (foreign_mpi, MPI_PARENT, "mod mpi; pub use mpi::World;", 0),
            (foreign_mpi, "src/main.rs", "use crate::comm::mpi::World;", 0),
            (foreign_mpi, "src/main.rs", "fn f() { let mpi = 1; g(mpi) } // mpi::", 0),
            (foreign_mpi, "src/main.rs", "#[cfg(feature = \"mpi\")] mod mpi;", 0),
            (foreign_unsafe, "src/law.rs", &allows, 1),
            (foreign_unsafe, "src/io/hdf/write.rs", &allows, 0),
            (foreign_unsafe, "src/law.rs", "// unsafe", 0),
            (leftovers, "jobs/x.sh", &to_do, 1),
            (leftovers, "jobs/x.sh", &mend, 1),
            (leftovers, "jobs/x.sh", &mark, 1),
            (leftovers, "jobs/x.sh", "mktemp /tmp/aXXXXXX # METHODOLOGY", 0),
            (dead_links, "README.md", "[b](docs/b.md#part \"t\"), [w](https://x.org/y), [here](#x)", 0),
            (dead_links, "README.md", "`moreau run configs/a.toml`, `src/law.rs:12`, `docs/`, `src/<room>.rs`", 0),
            (dead_links, "docs/b.md", "[up](../configs/a.toml) [self](b.md) `src/law.rs`", 0),
            (dead_links, "docs/b.md", "[from here](configs/a.toml)", 1),
        ];
        for (rule, path, text, count) in cases {
            let faults = rule(&Source::new(path, text));
            assert_eq!(faults.len(), count, "{path}: {text}: {faults:?}");
        }
        for dead in [
            "[c](docs/c.md)",
            "see `configs/c.toml`.",
            "```\nmoreau run ./configs/c.toml",
        ] {
            assert_eq!(
                dead_links(&Source::new("README.md", dead)).len(),
                1,
                "{dead}"
            );
        }
    }

    fn dead_links(source: &Source) -> Vec<String> {
        let there = ["configs/a.toml", "docs/b.md", "docs", "src/law.rs"];
        dead_paths(source, &|path| there.contains(&path))
    }
}
