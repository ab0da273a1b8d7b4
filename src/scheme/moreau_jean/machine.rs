//! The data that the scheme keeps from step to step in addition to the state.

use super::watch::Watch;
use crate::body::BodyId;
use crate::contact::ContactRow;
use crate::detect::{Detector, Pairs};
use crate::domain::partition::Partition;
use crate::math::Vector3;
use crate::scheme::physics::Physics;
use crate::scheme::state::WallReference;
use crate::solver::blocks::Blocks;

/// The time step of contact dynamics, with memory that it uses again.
///
/// Two fields are more than memory: the last step's overlaps and loads at contacts, which are read
/// after it, and the count of stalled steps, which starts at zero when a run is continued.
pub struct MoreauJean {
    pub(super) physics: Physics,
    pub(super) detector: Detector,
    /// The pairs of the last step's plan.
    pub(super) pairs: Option<Paired>,
    /// Memory for the rows of contacts.
    pub(super) rows: Vec<ContactRow>,
    pub(super) blocks: Blocks,
    pub(super) watch: Watch,
}

/// The pairs of a plan, and all that they are a function of.
#[derive(Clone, Debug)]
pub(super) struct Paired {
    pub(super) ids: Vec<BodyId>,
    pub(super) places: Vec<Vector3>,
    pub(super) halves: Vec<f64>,
    pub(super) walls: Vec<WallReference>,
    pub(super) partition: Partition,
    pub(super) pairs: Pairs,
}

impl Paired {
    /// Whether they are the pairs of these bodies and walls with this partition.
    pub(super) fn is_of(
        &self,
        (ids, places, halves): (&[BodyId], &[Vector3], &[f64]),
        walls: &[WallReference],
        partition: &Partition,
    ) -> bool {
        self.ids == ids
            && self.places == places
            && self.halves == halves
            && self.walls == walls
            && self.partition == *partition
    }
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
            pairs: None,
            rows: Vec::new(),
            blocks: Blocks::new(threads)?,
            watch: Watch::default(),
        })
    }

    /// The constants of the run.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        &self.physics
    }
}
