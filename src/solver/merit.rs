//! The judge: measures any field of impulses against the contact laws, and alone decides what is converged.
//!
//! For each contact `d = S(r) − r`, where `S` is the law solved at the present velocities (nothing is updated). `|d|/m_n` is
//! the velocity by which the contact still violates its law (`m_n`: normal reduced mass).
//!
//! - **Residual**, which decides: `√(Σ|d|²/m_n / E_ref)`.
//! - **Relative change**, reported: `√(Σ|d|²/m_n) / √(Σ|r|²/m_n)`. In an infeasible state the impulses grow for ever and this
//!   quantity falls although nothing converges, so it decides nothing.

use super::blocks::{Block, Share, Tally};
use crate::contact::Member;
use crate::math::{ExactSum, nan_max};

/// Below this fraction of the bodies' own speeds a violation is rounding, not error: a body at speed v knows its velocity
/// to 1.1e-16 v, and a contact's relative velocity is made of ten such numbers.
const ROUNDING: f64 = 1e-14;

/// The scales of a step, fixed before its first sweep. All are squares of energies' roots: [J] = [kg m²/s²].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    /// `E_ref = Σ_bodies m |Δt F_ext/m|² + Σ_contacts m_n |u_free|²`: what the impulses have to balance.
    pub reference: f64,
    /// `Σ_bodies m |v_free|²`: what rounding is measured against.
    pub motion: f64,
}

/// What the judge found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// `√(Σ|d|²/m_n / E_ref)`; 0 where nothing violates its law.
    pub residual: f64,
    /// `√(Σ|d|²/m_n) / √(Σ|r|²/m_n)`; 0 where there is no impulse.
    pub relative_change: f64,
    /// Largest `|d|/m_n` [m/s].
    pub largest_violation: f64,
    /// Whether the residual is within the tolerance, or the violation is rounding.
    pub converged: bool,
    /// Whether a number was not finite: such a field is never converged.
    pub non_finite: bool,
}

impl Scale {
    /// Whether a sum `Σ|d|²/m_n` is small enough.
    #[must_use]
    pub fn accepts(&self, violation: f64, tolerance: f64) -> bool {
        // A NaN fails every comparison and is not accepted.
        violation <= tolerance * tolerance * self.reference
            || violation <= ROUNDING * ROUNDING * self.motion
    }

    /// The judge's verdict on sums over all contacts of all ranks.
    #[must_use]
    pub fn judge(
        &self,
        violation: f64,
        impulse: f64,
        largest_violation: f64,
        tolerance: f64,
    ) -> Verdict {
        let finite = violation.is_finite() && impulse.is_finite() && largest_violation.is_finite();
        let ratio = |a: f64, b: f64| if a == 0.0 { 0.0 } else { (a / b).sqrt() };
        Verdict {
            residual: ratio(violation, self.reference),
            relative_change: ratio(violation, impulse),
            largest_violation,
            converged: finite && self.accepts(violation, tolerance),
            non_finite: !(finite && self.reference.is_finite() && self.motion.is_finite()),
        }
    }
}

/// A visit that measures a block: sums `Σ|d|²/m_n` and `Σ|r|²/m_n`, and the largest `|d|/m_n`; changes nothing.
pub(super) fn measure(block: &mut Block, members: &mut [Member]) -> Share {
    let mut share = Share::default();
    for c in &block.contacts {
        let (wanted, _) = c.wanted(members);
        let mass = c.law.normal_mass;
        let square = (wanted - c.impulse).norm_squared();
        share.sums[0] += square / mass;
        share.sums[1] += c.impulse.norm_squared() / mass;
        share.largest = nan_max(share.largest, square.sqrt() / mass);
    }
    share
}

/// A visit that sums `m_n |u|²` over the contacts of a block; changes nothing.
pub(super) fn relative_motion(block: &mut Block, members: &mut [Member]) -> Share {
    let mut share = Share::default();
    for c in &block.contacts {
        share.sums[0] += c.law.normal_mass * c.relative_velocity(members).norm_squared();
    }
    share
}

/// The first sum of a tally, alone.
pub(super) fn first_sum(tally: Tally) -> ExactSum {
    let [first, _] = tally.sums;
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_nan_is_never_converged() {
        let scale = Scale {
            reference: 1.0,
            motion: 1.0,
        };
        assert!(scale.judge(1e-9, 1.0, 1e-3, 1e-2).converged);
        for (v, r, m) in [
            (f64::NAN, 1.0, 1.0),
            (1e-9, f64::NAN, 1.0),
            (1e-9, 1.0, f64::NAN),
            (1e-9, f64::INFINITY, 1.0),
        ] {
            let verdict = scale.judge(v, r, m, 1e-2);
            assert!(verdict.non_finite && !verdict.converged);
        }
        let broken = Scale {
            reference: f64::NAN,
            motion: 1.0,
        };
        assert!(broken.judge(1.0, 1.0, 1.0, 1e-2).non_finite);
        assert!(!broken.judge(1.0, 1.0, 1.0, 1e-2).converged);
    }

    #[test]
    fn the_tolerance_is_on_velocities_in_units_of_the_load() {
        let scale = Scale {
            reference: 4.0,
            motion: 0.0,
        };
        assert!(scale.judge(4e-4, 1.0, 0.0, 1e-2).converged);
        assert!(!scale.judge(4.1e-4, 1.0, 0.0, 1e-2).converged);
        assert_eq!(scale.judge(4e-4, 1.0, 0.0, 1e-2).residual, 1e-2);
        assert!(
            Scale::default().judge(0.0, 0.0, 0.0, 1e-2).converged,
            "no load and no violation"
        );
    }
}
