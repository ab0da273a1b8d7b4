//! The failures of a run.

use crate::comm::Failure;

/// The failure of a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The input is wrong; nothing was run or written.
    #[error("{0}")]
    Input(String),
    /// A step failed.
    #[error("{0}")]
    Failed(String),
    /// The end was reached, but not all results could be written.
    #[error("{0}")]
    Incomplete(String),
    /// The run was stopped early, in order; it can be continued.
    #[error("{0}")]
    Stopped(String),
}

impl RunError {
    /// The exit status: 2 for bad input, 3 for a failed run, 4 for missing results, 75 for a run
    /// that can be continued (`EX_TEMPFAIL`).
    #[must_use]
    pub fn status(&self) -> i32 {
        match self {
            Self::Input(_) => 2,
            Self::Failed(_) => 3,
            Self::Incomplete(_) => 4,
            Self::Stopped(_) => 75,
        }
    }
}

impl Failure for RunError {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.status() as u8];
        bytes.extend_from_slice(self.to_string().as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (status, text) = bytes.split_first().unwrap_or((&3, b"unknown failure"));
        let text = String::from_utf8_lossy(text).into_owned();
        match status {
            2 => Self::Input(text),
            4 => Self::Incomplete(text),
            75 => Self::Stopped(text),
            _ => Self::Failed(text),
        }
    }
}
