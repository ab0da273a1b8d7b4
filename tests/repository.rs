//! Rules that keep the house in order, on the files themselves: who imports whom, names, lengths, places of MPI and `unsafe`.
//!
//! Each rule is a function from a file to its faults, and shows beside it, on a small example, that it finds what it is for.

#[path = "repository/code.rs"]
mod code;
#[path = "repository/rooms.rs"]
mod rooms;
#[path = "repository/text.rs"]
mod text;

use code::Source;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below the folders (or the files themselves) whose name ends in one of the endings, in the order of their paths.
fn files(places: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut waiting: Vec<PathBuf> = places.iter().map(|p| root().join(p)).collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            waiting.extend(entries.map(|entry| entry.expect("a folder that can be read").path()));
        } else if path.is_file() && endings.iter().any(|e| path.to_string_lossy().ends_with(e)) {
            let text =
                fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            found.push(Source::new(&from_root(&path), &text));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn from_root(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("a path below the root");
    inside.to_string_lossy().replace('\\', "/")
}

fn rust_files() -> Vec<Source> {
    let found = files(&["src", "tests", "benches"], &[".rs"]);
    assert!(
        found.iter().any(|f| f.path == "src/lib.rs"),
        "the source was not found"
    );
    found
}

#[track_caller]
fn none(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn rooms_use_only_what_stands_above_them() {
    none(
        files(&["src"], &[".rs"])
            .iter()
            .flat_map(rooms::wrong_imports),
    );
}

#[test]
fn every_room_is_known_and_on_the_map() {
    let sources = files(&["src"], &[".rs"]);
    none(sources.iter().filter_map(rooms::unknown_room));
    let lib = sources
        .iter()
        .find(|s| s.path == "src/lib.rs")
        .expect("src/lib.rs");
    none(rooms::wrong_map(&lib.text));
}

#[test]
fn no_file_is_longer_than_can_be_read_at_once() {
    none(rust_files().iter().filter_map(text::too_long));
}

#[test]
fn names_say_what_is_inside() {
    none(rust_files().iter().flat_map(text::empty_names));
}

#[test]
fn one_file_names_the_mpi_crate() {
    none(rust_files().iter().flat_map(text::foreign_mpi));
}

#[test]
fn unsafe_is_in_its_places_and_reasoned() {
    none(rust_files().iter().flat_map(text::unsafe_faults));
}

#[test]
fn nothing_is_left_over() {
    let sources = files(
        &["src", "tests", "benches", "jobs", ".ci"],
        &[".rs", ".sh", ".toml", ".py", ".sbatch", "/run"],
    );
    none(sources.iter().flat_map(text::leftovers));
}

#[test]
fn documents_name_files_that_are_there() {
    let documents = files(&["README.md", "CONTRIBUTING.md", "docs"], &[".md"]);
    assert!(
        documents.iter().any(|d| d.path == "README.md"),
        "README.md is missing"
    );
    let exists = |path: &str| root().join(path).exists();
    none(documents.iter().flat_map(|d| text::dead_paths(d, &exists)));
}
