//! Rules that keep the house in order, on the files themselves: who uses whom, lengths, names, MPI and `unsafe`.
//!
//! Each rule is a function from files to their faults; an example next to it shows that it finds them.

#[path = "repository/circles.rs"]
mod circles;
#[path = "repository/code.rs"]
mod code;
#[path = "repository/rooms.rs"]
mod rooms;
#[path = "repository/text.rs"]
mod text;
#[path = "repository/verbs.rs"]
mod verbs;

use code::Source;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files in the folders (or the files themselves) whose name ends in one of the endings, by their paths.
fn files(places: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut waiting: Vec<PathBuf> = places.iter().map(|p| root().join(p)).collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            waiting.extend(entries.map(|entry| entry.expect("a folder that can be read").path()));
            continue;
        }
        let name = path.strip_prefix(root()).expect("a path below the root");
        let name = name.to_string_lossy();
        if path.is_file() && endings.iter().any(|e| name.ends_with(e)) {
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
            found.push(Source::new(&name, &text));
        }
    }
    assert!(!found.is_empty(), "{places:?}: no files");
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

static LIBRARY: LazyLock<Vec<Source>> = LazyLock::new(|| files(&["src"], &[".rs"]));
static RUST: LazyLock<Vec<Source>> =
    LazyLock::new(|| files(&["src", "tests", "benches"], &[".rs"]));

#[track_caller]
fn none(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn rooms_use_only_rooms_above_them() {
    let lib = files(&["src/lib.rs"], &[".rs"]);
    let rows = rooms::rows(&lib[0].text);
    none(LIBRARY.iter().filter_map(|s| rooms::unknown_room(&rows, s)));
    none(LIBRARY.iter().flat_map(|s| rooms::wrong_imports(&rows, s)));
}

#[test]
fn no_file_is_in_a_circle() {
    none(circles::circles(&LIBRARY, &circles::WAITING));
}

/// A run knows its scheme by what all schemes have in common.
#[test]
fn only_the_room_of_schemes_names_one() {
    let outside = LIBRARY.iter().filter(|s| !s.path.starts_with("src/scheme"));
    let named = outside.filter(|s| s.text.contains("moreau_jean"));
    none(named.map(|s| format!("{}: names moreau_jean; accepted: Scheme", s.path)));
}

#[test]
fn the_relative_velocity_at_a_contact_is_written_once() {
    let places = verbs::relative_velocities(&LIBRARY);
    assert_eq!(places.len(), 1, "\n{}\n", places.join("\n"));
}

#[test]
fn the_step_and_the_solve_are_read_at_once() {
    let long = |(room, name)| verbs::too_long(&LIBRARY, room, name);
    none(
        [("src/scheme/", "step"), ("src/solver/nsgs", "solve")]
            .into_iter()
            .flat_map(long),
    );
}

#[test]
fn no_file_is_too_long() {
    none(RUST.iter().flat_map(text::too_long));
}

#[test]
fn names_say_what_is_inside() {
    none(RUST.iter().flat_map(text::empty_names));
}

#[test]
fn one_file_names_the_mpi_crate() {
    none(RUST.iter().flat_map(text::foreign_mpi));
}

#[test]
fn unsafe_code_is_in_its_places() {
    none(RUST.iter().flat_map(text::foreign_unsafe));
}

#[test]
fn nothing_is_left_over() {
    let endings = [".rs", ".sh", ".toml", ".py", ".sbatch", "/run"];
    let sources = files(&["src", "tests", "benches", "jobs", ".ci"], &endings);
    none(sources.iter().flat_map(text::leftovers));
}

#[test]
fn documents_name_files_that_are_there() {
    let documents = files(&["README.md", "CONTRIBUTING.md", "docs"], &[".md"]);
    let exists = |path: &str| root().join(path).exists();
    none(documents.iter().flat_map(|d| text::dead_paths(d, &exists)));
}
