//! The options of the command line.

use crate::body::BodyId;
use std::path::PathBuf;
use std::time::Duration;

/// The options of the command line in addition to the configuration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for results; by default `out` in the working directory, or the checkpoint's folder.
    pub out: Option<PathBuf>,
    /// `key=value` overrides of the configuration, in order.
    pub set: Vec<String>,
    /// Ends at this step instead of the configured end; checkpoints do not store it.
    pub steps: Option<u64>,
    /// Ends at this time [s] instead of the configured end; checkpoints do not store it.
    pub until: Option<f64>,
    /// Threads per rank.
    pub threads: usize,
    /// Wall time after which the run ends with a checkpoint, from the start of the program.
    pub wall_limit: Option<Duration>,
    /// Whether a run that the folder already holds may be deleted.
    pub overwrite: bool,
    /// Whether to continue a run that the folder already holds.
    pub or_resume: bool,
    /// Whether files that the configuration names count as the checkpoint holds them, also where
    /// they were edited since.
    pub kept_files: bool,
    /// For tests: sets the velocity of this body to NaN before this step.
    pub nan_before: Option<(u64, BodyId)>,
}

impl Options {
    /// The same options for a run that continues in its folder as its checkpoint says.
    #[must_use]
    pub fn as_stored(&self) -> Self {
        Self {
            set: Vec::new(),
            out: None,
            overwrite: false,
            kept_files: true,
            ..self.clone()
        }
    }
}
