//! Detects a solve whose second half of sweeps, up to the cap, did not reduce the violation.

use crate::solver::merit::Verdict;

/// The fraction of the violation that remains after the second half of sweeps in a stalled step.
///
/// A step with more of it counts as stalled.
const STALLED: f64 = 0.9;

/// The state of the solve after the first half of the sweeps.
pub(super) struct Stall {
    /// The last sweep of the first half.
    half: u64,
    /// `Σ|d|²/m_n` after it [J].
    violation: f64,
}

impl Stall {
    /// For a solve with this cap of sweeps.
    pub(super) fn new(max_sweeps: u64) -> Self {
        Self {
            half: max_sweeps / 2,
            violation: f64::INFINITY,
        }
    }

    /// Whether this sweep is the last of the first half.
    pub(super) fn is_halfway(&self, sweeps: u64) -> bool {
        sweeps == self.half
    }

    /// Records the violation halfway.
    pub(super) fn note(&mut self, verdict: &Verdict) {
        self.violation = verdict.violation;
    }

    /// Whether, at the cap, the second half has reduced the violation by less than a tenth.
    pub(super) fn stands_still(&self, verdict: &Verdict) -> bool {
        (verdict.violation / self.violation).sqrt() >= STALLED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A violation that falls to 0.89 in the second half is progress, one that falls to 0.91 is
    /// not.
    #[test]
    fn a_tenth_in_the_second_half_is_progress() {
        let verdict = |violation: f64| Verdict {
            violation: violation * violation,
            ..Verdict::default()
        };
        let mut stall = Stall::new(9);
        assert_eq!([3, 4, 5].map(|k| stall.is_halfway(k)), [false, true, false]);
        assert!(
            !stall.stands_still(&verdict(1.0)),
            "nothing to compare with"
        );
        stall.note(&verdict(1.0));
        assert!(!stall.stands_still(&verdict(0.89)));
        assert!(stall.stands_still(&verdict(0.91)));
        assert!(!stall.stands_still(&verdict(f64::NAN)));
    }
}
