//! Results of a conversion: files that are whole or not there, and why they are not.

use crate::io::own_temporary;
use std::io::Write;
use std::path::Path;

/// Why nothing was converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// What is to be converted is not as it should be, or the files may not be where they are to be.
    #[error("{0}")]
    Input(String),
    /// The result cannot be written.
    #[error("{0}")]
    Output(String),
}

impl Fault {
    /// The exit status.
    #[must_use]
    pub fn status(&self) -> i32 {
        match self {
            Self::Input(_) => 2,
            Self::Output(_) => 4,
        }
    }
}

/// Writes a text under a temporary name, and gives it its own when all of it is there.
pub(super) fn write_text(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let temporary = own_temporary(path);
    let fault = |e: std::io::Error| Fault::Output(format!("{}: {e}", path.display()));
    let written = std::fs::File::create(&temporary)
        .map_err(fault)
        .and_then(|file| {
            let mut to = std::io::BufWriter::new(file);
            write(&mut to)?;
            to.flush().map_err(fault)?;
            std::fs::rename(&temporary, path).map_err(fault)
        });
    if written.is_err() {
        // It may not even exist; the fault that is told is the one that came first.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
