//! Watches a solve that goes on to the cap: whether the second half of its sweeps lessened the violation.

use crate::solver::merit::Verdict;

/// The part of the violation that must be left after the second half of the sweeps for a step to count as stalled.
const STALLED: f64 = 0.9;

/// What is known of the first half of the sweeps.
pub(super) struct Stall {
    /// The sweep after which the first half is over.
    half: u64,
    /// `Σ|d|²/m_n` that was left then [J].
    violation: f64,
}

impl Stall {
    /// Of a solve that is given up after so many sweeps.
    pub(super) fn new(max_sweeps: u64) -> Self {
        Self {
            half: max_sweeps / 2,
            violation: f64::INFINITY,
        }
    }

    /// Whether the first half of the sweeps is over after so many.
    pub(super) fn is_halfway(&self, sweeps: u64) -> bool {
        sweeps == self.half
    }

    /// Notes what is violated halfway.
    pub(super) fn note(&mut self, verdict: &Verdict) {
        self.violation = verdict.violation;
    }

    /// Whether at the cap the second half has not lessened it by a tenth.
    pub(super) fn stands_still(&self, verdict: &Verdict) -> bool {
        (verdict.violation / self.violation).sqrt() >= STALLED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A violation of which 0.89 is left after the second half is progress, one of which 0.91 is left is none.
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
