//! What the scheme keeps from step to step beside the state.

use super::watch::Watch;
use crate::contact::ContactRow;
use crate::detect::Detector;
use crate::scheme::physics::Physics;
use crate::solver::blocks::Blocks;

/// The time step of contact dynamics. All that it keeps is memory to be used again, but for two things: what the last step saw of
/// its contacts, which is asked for after it, and the count of stalled steps, which starts anew where a run goes on.
pub struct MoreauJean {
    pub(super) physics: Physics,
    pub(super) detector: Detector,
    /// The rows of the contacts of the step before the last.
    pub(super) rows: Vec<ContactRow>,
    pub(super) blocks: Blocks,
    pub(super) watch: Watch,
}

impl std::fmt::Debug for MoreauJean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MoreauJean")
            .field("physics", &self.physics)
            .finish_non_exhaustive()
    }
}

impl MoreauJean {
    /// No step yet; blocks will be visited by so many threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(physics: Physics, threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            physics,
            detector: Detector::default(),
            rows: Vec::new(),
            blocks: Blocks::new(threads)?,
            watch: Watch::default(),
        })
    }

    /// What does not change.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        &self.physics
    }
}
