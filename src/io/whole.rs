//! Files that are complete or absent: written under a temporary name, synced, and renamed.

use std::fs::File;
use std::path::{Path, PathBuf};

/// The ending of the temporary name.
pub(super) const TEMPORARY: &str = ".tmp";

/// The name of a file until it is complete.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// A temporary name for a file that several processes may write at the same time.
///
/// Each process has its own; the last to finish gives the file.
#[must_use]
pub fn own_temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}{TEMPORARY}", std::process::id()));
    path.with_file_name(name)
}

/// Syncs the file, renames it, and syncs its name.
pub(super) fn publish(temporary: &Path, path: &Path) -> std::io::Result<()> {
    File::options().write(true).open(temporary)?.sync_all()?;
    std::fs::rename(temporary, path)?;
    keep_name(path)
}

/// Makes a folder with its missing parents, and syncs their names.
///
/// If power is lost, a file in a folder whose own name is lost is lost as well.
///
/// # Errors
/// As [`std::fs::create_dir_all`]; not if a name cannot be synced, which some file systems refuse.
pub fn make_folder(path: &Path) -> std::io::Result<()> {
    let new: Vec<&Path> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .collect();
    std::fs::create_dir_all(path)?;
    for folder in new {
        let _ = keep_name(folder);
    }
    Ok(())
}

/// Syncs the name of a file or folder.
fn keep_name(path: &Path) -> std::io::Result<()> {
    // On other systems a folder cannot be opened, and the system syncs names.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let here = Path::new(".");
        let named = !folder.as_os_str().is_empty();
        File::open(if named { folder } else { here })?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_with_those_above_them_unless_a_file_is_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        make_folder(&deep).unwrap();
        make_folder(&deep).unwrap();
        assert!(deep.is_dir());
        std::fs::write(dir.path().join("file"), "").unwrap();
        make_folder(&dir.path().join("file/below")).unwrap_err();
    }
}
