//! The English of the documents, and of comments and messages in the source: banned phrases, the
//! length of lines, the length of a section's first sentence.
//!
//! Each rule is a function from a text to its faults, and shows on a small example that it finds
//! its fault.

#[path = "prose/rules.rs"]
mod rules;
#[path = "prose/text.rs"]
mod text;

use std::fs;
use std::path::{Path, PathBuf};
use text::Part;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Paths from the root of all files below `place` whose name ends in `ending`, sorted.
fn files(place: &str, ending: &str) -> Vec<String> {
    let mut waiting = vec![root().join(place)];
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            waiting.extend(entries.map(|entry| entry.expect("a directory entry").path()));
        } else if path.is_file() && path.to_string_lossy().ends_with(ending) {
            let inside = path.strip_prefix(root()).expect("a path below the root");
            found.push(inside.to_string_lossy().into_owned());
        }
    }
    found.sort_unstable();
    found
}

/// The parts of prose of a file, by its kind.
fn parts(path: &str) -> Vec<Part> {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    match Path::new(path).extension().and_then(|e| e.to_str()) {
        Some("md") => text::markdown(&text),
        Some("rs") => text::rust(&text),
        _ => text::hashed(&text),
    }
}

/// Fails with all faults of the files, one per line: path, line, fault.
#[track_caller]
fn pass(paths: &[String]) {
    let mut faults = Vec::new();
    for path in paths {
        for (line, fault) in rules::faults(&parts(path)) {
            faults.push(format!("{path}:{line}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn documents_are_written_in_plain_english() {
    let mut paths = files("docs", ".md");
    paths.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned));
    assert!(paths.len() > 10, "only {} documents", paths.len());
    pass(&paths);
}

#[test]
fn scripts_and_configurations_are_written_in_plain_english() {
    let mut paths = files("configs", ".toml");
    paths.extend(files("jobs", ".sh"));
    paths.extend(files("jobs", ".sbatch"));
    paths.push(".ci/run".to_owned());
    assert!(paths.len() > 30, "only {} files", paths.len());
    pass(&paths);
}

#[test]
fn the_source_is_written_in_plain_english() {
    let paths = files("src", ".rs");
    assert!(paths.len() > 200, "only {} files", paths.len());
    pass(&paths);
}
