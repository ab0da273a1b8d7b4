//! How a solve ended.

use crate::law::work::Work;
use crate::solver::merit::Verdict;

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps done.
    pub sweeps: u64,
    /// How often momentum was stuck and took another order.
    pub renewals: u64,
    /// The judge's last verdict.
    pub verdict: Verdict,
    /// Where the energy went at the contacts, over all ranks.
    pub work: Work,
    /// Whether the step ended at the cap, and the second half of its sweeps did not lessen the violation by a tenth.
    pub stalled: bool,
}
