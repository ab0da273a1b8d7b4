//! Why a sample cannot be made.

use std::path::{Path, PathBuf};

/// Why a sample cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("{}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in a file is wrong.
    #[error("{}:{line}: {message}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong, what was found, what is accepted.
        message: String,
    },
    /// A checkpoint, whose bodies are not made here.
    #[error("{}: the bodies of a checkpoint are read by the run", .0.display())]
    Elsewhere(PathBuf),
    /// There is no room for the bodies.
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
