//! The errors of samples.

use std::path::{Path, PathBuf};

/// The reason why a sample cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("{}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file has an error.
    #[error("{}:{line}: {message}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The error, the value found, and the accepted values.
        message: String,
    },
    /// A checkpoint, whose bodies the run reads.
    #[error("{}: the bodies of a checkpoint are read by the run", .0.display())]
    Elsewhere(PathBuf),
    /// The region is too small for the bodies.
    #[error("{0}")]
    Full(String),
}

impl Error {
    pub(super) fn line(file: &Path, line: u64, message: impl Into<String>) -> Self {
        Self::Line {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    pub(super) fn unreadable(file: &Path, source: std::io::Error) -> Self {
        Self::Unreadable {
            file: file.to_owned(),
            source,
        }
    }
}
