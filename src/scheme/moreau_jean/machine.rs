//! The data that the scheme keeps from step to step in addition to the state.

use super::watch::Watch;
use crate::body::Bodies;
use crate::detect::Detector;
use crate::pool::Pool;
use crate::scheme::known::Planned;
use crate::scheme::physics::Physics;
use crate::solver::blocks::Blocks;

/// The time step of contact dynamics, with memory that it uses again.
///
/// Two fields are more than memory: the blocks, which keep the contacts of the last step until they
/// are brought to the state, and the count of stalled steps, which starts at zero when a run is
/// continued.
pub struct MoreauJean {
    pub(super) physics: Physics,
    pub(super) detector: Detector,
    /// Memory for the columns of bodies.
    pub(super) columns: Bodies,
    /// The plan of the last step, whose pairs are in the blocks.
    pub(super) planned: Option<Planned>,
    /// [`State::kept`](crate::scheme::State::kept) of the state whose contacts the blocks keep.
    pub(super) kept: u64,
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
    /// The scheme before its first step, with this number of threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(physics: Physics, threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            physics,
            detector: Detector::default(),
            columns: Bodies::default(),
            planned: None,
            kept: 0,
            blocks: Blocks::new(threads)?,
            watch: Watch::default(),
        })
    }

    /// The threads of this rank.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        self.blocks.pool()
    }

    /// The constants of the run.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        &self.physics
    }
}
