//! The outcome of a solve.

use crate::law::work::Work;
use crate::solver::merit::Verdict;

/// The outcome of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps done.
    pub sweeps: u64,
    /// How often momentum stalled and took another order.
    pub renewals: u64,
    /// The judge's last verdict.
    pub verdict: Verdict,
    /// The energy dissipated at the contacts, over all ranks.
    pub work: Work,
    /// Whether the step ended at the cap without progress.
    ///
    /// The second half of its sweeps then reduced the violation by less than a tenth.
    pub stalled: bool,
}
