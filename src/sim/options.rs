//! What the command line says.

use crate::body::BodyId;
use std::path::PathBuf;
use std::time::Duration;

/// What the command line says beside the configuration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for results; by default `out` in the working directory, or the checkpoint's folder.
    pub out: Option<PathBuf>,
    /// `key=value` overrides of the configuration, in order.
    pub set: Vec<String>,
    /// Ends at this step instead of where the configuration says; not remembered in checkpoints.
    pub steps: Option<u64>,
    /// Ends at this time [s] instead of where the configuration says; not remembered in checkpoints.
    pub until: Option<f64>,
    /// Threads per rank.
    pub threads: usize,
    /// Wall time after which the run ends with a checkpoint, from the start of the program.
    pub wall_limit: Option<Duration>,
    /// Whether a run that the folder already holds may be deleted.
    pub overwrite: bool,
    /// Whether a run that the folder already holds goes on.
    pub or_resume: bool,
    /// For tests: before this step the velocity of this body is made NaN.
    pub nan_before: Option<(u64, BodyId)>,
}
