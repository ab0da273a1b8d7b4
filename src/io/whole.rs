//! Files that are there whole or not at all: written under a temporary name, and renamed when all of them is on the disk.

use std::fs::File;
use std::path::{Path, PathBuf};

/// What the temporary name ends in.
pub(super) const TEMPORARY: &str = ".tmp";

/// What a file is called until all of it is written.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// The same for a file that several processes may write at the same time: each has a name of its own, and the last to be done gives the file.
#[must_use]
pub fn own_temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}{TEMPORARY}", std::process::id()));
    path.with_file_name(name)
}

/// To the disk, then to its name, then the name to the disk.
pub(super) fn publish(temporary: &Path, path: &Path) -> std::io::Result<()> {
    File::options().write(true).open(temporary)?.sync_all()?;
    std::fs::rename(temporary, path)?;
    keep_name(path)
}

/// Makes a folder with those above it that are not there, and brings their names to the disk: a file in a folder whose own name is lost with the
/// power is lost as well.
///
/// # Errors
/// As [`std::fs::create_dir_all`]; not if a name cannot be brought to the disk, which some file systems refuse.
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

/// Brings the name of a file or folder to the disk.
fn keep_name(path: &Path) -> std::io::Result<()> {
    // Elsewhere a folder cannot be opened, and the system sees to it.
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
