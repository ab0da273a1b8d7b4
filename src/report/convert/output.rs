//! Results of a conversion: files that are complete or absent, and the errors of a conversion.

use crate::io::own_temporary;
use std::io::Write;
use std::path::Path;

/// The reason why a conversion failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The source or the place of the results is invalid.
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

/// Writes a text under a temporary name, and renames it once complete.
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
        // The file may not exist; the first error is the one reported.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
