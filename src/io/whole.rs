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

/// To the disk, then to its name, then the name to the disk.
pub(super) fn publish(temporary: &Path, path: &Path) -> std::io::Result<()> {
    File::options().write(true).open(temporary)?.sync_all()?;
    std::fs::rename(temporary, path)?;
    // Elsewhere a folder cannot be opened, and the system sees to it.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let here = Path::new(".");
        let named = !folder.as_os_str().is_empty();
        File::open(if named { folder } else { here })?.sync_all()?;
    }
    Ok(())
}
