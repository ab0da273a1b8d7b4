//! The checkpoints of a folder: their names, the newest one, removal of old ones.

use super::Error;
use crate::io::whole::{TEMPORARY, temporary};
use std::path::{Path, PathBuf};

const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".h5";

/// The file name of the checkpoint of a step.
pub(super) fn name(step: u64) -> String {
    format!("{PREFIX}{step:08}{SUFFIX}")
}

/// The step in the path of a checkpoint.
pub(super) fn step_of(path: &Path) -> Option<u64> {
    step(path.file_name()?.to_str()?)
}

/// The step in the name of a checkpoint.
fn step(file_name: &str) -> Option<u64> {
    let digits = file_name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let step = digits.parse().ok()?;
    (name(step) == file_name).then_some(step)
}

/// The paths of a folder's checkpoints, newest (largest step) first. Only names are read.
///
/// # Errors
/// If the folder cannot be read.
pub fn newest(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut steps = entries(dir)
        .map_err(|e| Error::Read(format!("{}: cannot read the folder: {e}", dir.display())))?;
    steps.retain(|(_, whole)| *whole);
    Ok(steps
        .into_iter()
        .map(|(step, _)| dir.join(name(step)))
        .collect())
}

/// Removes all but the newest `keep` checkpoints of a folder, and incomplete files that a crash
/// left.
///
/// Checkpoints of steps beyond `step` belong to another run, and stay. Only one rank may call it,
/// after the checkpoint of `step` is written; with `keep` 0 none remains.
///
/// # Errors
/// If the folder cannot be read or a file cannot be removed.
pub fn prune(dir: &Path, keep: usize, step: u64) -> Result<(), Error> {
    let fault = |e| {
        Error::Write(format!(
            "{}: cannot remove old checkpoints: {e}",
            dir.display()
        ))
    };
    let (whole, cut_off): (Vec<_>, Vec<_>) = entries(dir)
        .map_err(fault)?
        .into_iter()
        .filter(|(at, _)| *at <= step)
        .partition(|(_, whole)| *whole);
    let old = whole
        .into_iter()
        .skip(keep)
        .map(|(at, _)| dir.join(name(at)));
    let mut result = Ok(());
    for path in old.chain(
        cut_off
            .into_iter()
            .map(|(step, _)| temporary(&dir.join(name(step)))),
    ) {
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => result = Err(fault(e)),
            _ => {}
        }
    }
    result
}

/// Renames the checkpoints beyond `step` to `…h5.superseded`, and returns their new paths.
///
/// A run that continues from `step` writes its own. Without the renaming, [`prune`] and the next
/// resume would take those of the former run, or damaged ones, for the newest. Only one rank may
/// call it.
///
/// # Errors
/// If the folder cannot be read or a file cannot be renamed.
pub fn set_aside(dir: &Path, step: u64) -> Result<Vec<PathBuf>, Error> {
    let fault = |e| {
        Error::Write(format!(
            "{}: cannot rename checkpoints beyond step {step}: {e}",
            dir.display()
        ))
    };
    let mut renamed = Vec::new();
    let beyond = |(at, whole): &(u64, bool)| *whole && *at > step;
    for (at, _) in entries(dir).map_err(fault)?.into_iter().filter(beyond) {
        let whole = dir.join(name(at));
        // A checkpoint that was renamed earlier keeps its name.
        let aside = (1..).map(|k| {
            let mut aside = whole.clone().into_os_string();
            aside.push(".superseded");
            if k > 1 {
                aside.push(format!("-{k}"));
            }
            PathBuf::from(aside)
        });
        let free = |path: &PathBuf| !path.exists();
        if let Some(aside) = aside.into_iter().find(free) {
            std::fs::rename(&whole, &aside).map_err(fault)?;
            renamed.push(aside);
        }
    }
    Ok(renamed)
}

/// The step of each checkpoint, newest first, and whether it has its final name.
fn entries(dir: &Path) -> std::io::Result<Vec<(u64, bool)>> {
    let mut steps = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let file_name = entry?.file_name();
        let Some(file_name) = file_name.to_str() else {
            continue;
        };
        let whole = !file_name.ends_with(TEMPORARY);
        if let Some(step) = step(file_name.strip_suffix(TEMPORARY).unwrap_or(file_name)) {
            steps.push((step, whole));
        }
    }
    steps.sort_unstable_by(|a, b| b.cmp(a));
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stand_in_names_and_only_such_names_count() {
        assert_eq!(name(42), "checkpoint-00000042.h5");
        assert_eq!(name(u64::MAX), "checkpoint-18446744073709551615.h5");
        for of in [0, 42, 99_999_999, 100_000_000, u64::MAX] {
            assert_eq!(step(&name(of)), Some(of));
        }
        for other in [
            "checkpoint-42.h5",
            "checkpoint-00000042.h5.tmp",
            "checkpoint-+0000042.h5",
            "checkpoint-.h5",
            "a.h5",
        ] {
            assert_eq!(step(other), None, "{other}");
        }
    }

    #[test]
    fn the_newest_are_kept_by_number_not_by_alphabet_and_left_overs_go() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| std::fs::write(dir.path().join(name), "").unwrap();
        let steps = [5, 99_999_999, 100_000_000, 7];
        steps.iter().for_each(|&step| file(&name(step)));
        [
            "checkpoint-00000009.h5.tmp",
            "series.csv",
            "checkpoint-note.h5",
        ]
        .into_iter()
        .for_each(file);
        let paths = |steps: &[u64]| {
            steps
                .iter()
                .map(|&s| dir.path().join(name(s)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            newest(dir.path()),
            Ok(paths(&[100_000_000, 99_999_999, 7, 5]))
        );
        prune(dir.path(), 2, 100_000_000).unwrap();
        assert_eq!(newest(dir.path()), Ok(paths(&[100_000_000, 99_999_999])));
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            4,
            "files of others stay"
        );
        assert!(
            newest(&dir.path().join("nowhere")).is_err()
                && prune(&dir.path().join("nowhere"), 1, 9).is_err()
        );
    }
}
