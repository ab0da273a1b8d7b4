//! The paths of frames, and the names of their files.

use super::kind::Kind;
use crate::io::whole::{TEMPORARY, temporary};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The folder of frames, in that of a run.
pub(super) const FRAMES: &str = "frames";

/// The table of contents.
pub(super) fn table(out: &Path, kind: Kind) -> PathBuf {
    out.join(format!("{}.vtkhdf", kind.name()))
}

/// The table of contents in XDMF.
pub(super) fn description(out: &Path, kind: Kind) -> PathBuf {
    out.join(format!("{}.xmf", kind.name()))
}

/// The name of a frame's file in the table of contents.
pub(super) fn name(kind: Kind, step: u64) -> String {
    format!("{FRAMES}/{}-{step:08}.h5", kind.name())
}

/// The file of a frame.
pub(super) fn frame(out: &Path, kind: Kind, step: u64) -> PathBuf {
    out.join(name(kind, step))
}

/// The step in the name of a frame's file.
fn step(kind: Kind, file: &str) -> Option<u64> {
    let digits = file.strip_prefix(kind.name())?.strip_prefix('-')?;
    let step = digits.strip_suffix(".h5")?.parse().ok()?;
    (name(kind, step) == format!("{FRAMES}/{file}")).then_some(step)
}

/// The steps of the frames, in ascending order.
pub(super) fn frames(out: &Path, kind: Kind) -> Result<Vec<u64>> {
    let mut steps: Vec<u64> = files(out)?.iter().filter_map(|f| step(kind, f)).collect();
    steps.sort_unstable();
    Ok(steps)
}

fn files(out: &Path) -> Result<Vec<String>> {
    let entries = match std::fs::read_dir(out.join(FRAMES)) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let name = |entry: Result<std::fs::DirEntry>| Ok(entry?.file_name().into_string().ok());
    let names: Result<Vec<Option<String>>> = entries.map(name).collect();
    Ok(names?.into_iter().flatten().collect())
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Removes incomplete frames that a crash left.
pub(super) fn remove_cut_off(out: &Path, kind: Kind) -> Result<()> {
    let all = files(out)?;
    let whole = all.iter().filter_map(|file| file.strip_suffix(TEMPORARY));
    let mut cut_off = whole.filter_map(|file| step(kind, file));
    cut_off.try_for_each(|at| remove(&temporary(&frame(out, kind, at))))
}

/// Whether the folder of a run holds frames.
///
/// # Errors
/// If the folder cannot be read.
pub fn any(out: &Path) -> Result<bool> {
    let mut found = false;
    for kind in Kind::ALL {
        found |= !frames(out, kind)?.is_empty() || table(out, kind).exists();
    }
    Ok(found)
}

/// Removes all frames of a run, and the folder if it holds no other files.
///
/// # Errors
/// If something cannot be removed.
pub fn clear(out: &Path) -> Result<()> {
    for kind in Kind::ALL {
        remove(&description(out, kind))?;
        remove(&temporary(&description(out, kind)))?;
        remove(&table(out, kind))?;
        remove(&temporary(&table(out, kind)))?;
        remove_cut_off(out, kind)?;
        for step in frames(out, kind)? {
            remove(&frame(out, kind, step))?;
        }
    }
    // Files of others stay.
    let _ = std::fs::remove_dir(out.join(FRAMES));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stand_in_names_and_files_of_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        assert!(!any(out).unwrap());
        std::fs::create_dir(out.join(FRAMES)).unwrap();
        let files = [
            "frames/bodies-00000100.h5",
            "frames/bodies-123456789.h5",
            "frames/bodies-00000007.h5",
            "frames/bodies-00000300.h5.tmp",
            "frames/contacts-00000100.h5",
        ];
        let others = ["frames/bodies-7.h5", "frames/note.txt", "bodies.csv"];
        for file in files.iter().chain(&others) {
            std::fs::write(out.join(file), "").unwrap();
        }
        assert_eq!(frames(out, Kind::Bodies).unwrap(), [7, 100, 123_456_789]);
        assert_eq!(frames(out, Kind::Contacts).unwrap(), [100]);
        assert!(any(out).unwrap());
        clear(out).unwrap();
        assert!(!any(out).unwrap());
        assert!(files.iter().all(|file| !out.join(file).exists()));
        assert!(others.iter().all(|file| out.join(file).exists()));
    }
}
