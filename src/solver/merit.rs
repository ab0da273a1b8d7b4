//! The judge: measures any field of impulses against the contact laws, and alone decides on
//! convergence.
//!
//! For each contact `d = S(r) − r`, where `S` is the law solved at the present velocities (without
//! an update). `|d|/m_n` is the velocity by which the contact still violates its law (`m_n`: normal
//! reduced mass).
//!
//! - **Residual**, which decides: `√(Σ|d|²/m_n / E_ref)`.
//! - **Relative change**, reported only: `√(Σ|d|²/m_n) / √(Σ|r|²/m_n)`. In an infeasible state the
//!   impulses grow without bound, and this quantity falls although nothing converges.

mod many;

use super::batch::split;
use super::blocks::{Block, Blocks, Share, Tally, Worst};
use super::lanes::Width;
use super::work;
use crate::body::Member;
use crate::math::{Vector3, nan_max};

/// Below this fraction of the bodies' own speeds a violation counts as rounding.
///
/// A body at speed v has its velocity to 1.1e-16 v, and a contact's relative velocity consists of
/// ten such numbers.
const ROUNDING: f64 = 1e-14;

/// The scales of a step, fixed before its first sweep [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    /// The load that impulses balance:
    /// `E_ref = Σ_bodies m |Δt F_ext/m|² + Σ_contacts m_n |u_free|²`.
    pub reference: f64,
    /// The reference for rounding errors: `Σ_bodies m |v_free|²`.
    pub motion: f64,
}

/// The result of the judge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// `√(Σ|d|²/m_n / E_ref)`; 0 if no contact violates its law.
    pub residual: f64,
    /// `√(Σ|d|²/m_n) / √(Σ|r|²/m_n)`; 0 without impulses.
    pub relative_change: f64,
    /// Largest `|d|/m_n` [m/s].
    pub largest_violation: f64,
    /// `Σ|d|²/m_n` [J].
    pub violation: f64,
    /// `Σ|r|²/m_n` [J].
    pub impulse: f64,
    /// Whether the residual is within the tolerance, or the violation is rounding.
    pub converged: bool,
    /// Whether a number was not finite; such a field never counts as converged.
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

    /// The judge's verdict, from sums over all contacts of all ranks.
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
            violation,
            impulse,
            converged: finite && self.accepts(violation, tolerance),
            non_finite: !(finite && self.reference.is_finite() && self.motion.is_finite()),
        }
    }
}

pub(super) use many::TERMS;

/// Measures a block, as a visit. Changes neither impulses nor velocities. `dt` is the length of the
/// step [s], in which sleeping touches may close.
pub(super) fn measure(
    block: &mut Block,
    members: &mut [Member],
    (width, dt): (Width, f64),
) -> Share<TERMS> {
    let closing = block.look_at_sleeping(members, dt);
    if block.turns() == 0 {
        let mut share = Share::default();
        share.sums[2] = closing as f64;
        return share;
    }
    let (mut share, worst) = width.dispatch(many::Gauge { block, members });
    share.sums[2] = closing as f64;
    block.worst = worst;
    if !block.all_at_once() {
        let (beside, worst) = plain_measure(block, members, block.batches.first_full());
        if worst.0 > block.worst.0 {
            block.worst = worst;
        }
        let sums = share.sums.iter_mut().zip(beside.sums);
        sums.for_each(|(sum, term)| *sum += term);
        share.largest = nan_max(share.largest, beside.largest);
    }
    if work::pushes_what_moves(block, members) {
        let work = work::of_block(block, members, 0);
        share.sums[3..].copy_from_slice(&work.to_array());
    }
    share
}

/// The same contact by contact, for the batches from `first` on.
///
/// Also returns the largest violation and its contact. Couples are weighted by their own reduced
/// inertia.
fn plain_measure(block: &Block, members: &[Member], first: usize) -> (Share<TERMS>, Worst) {
    let mut share = Share::default();
    let mut worst = (0.0, 0);
    for one in block.each().filter(|one| split(one.slot).0 >= first) {
        let (c, slot) = (&one.contact, one.slot);
        let wanted = one.wanted(members);
        let mass = c.law.normal_mass;
        let square = (Vector3::from(wanted.linear) - c.impulse).norm_squared();
        let mut violation = square / mass;
        let mut impulse = c.impulse.norm_squared() / mass;
        if let Some(couples) = &one.parts.couples {
            let turned = Vector3::from(wanted.couple) - c.couple;
            violation += turned.norm_squared() / couples.turning_mass;
            impulse += c.couple.norm_squared() / couples.turning_mass;
        }
        share.sums[0] += violation;
        share.sums[1] += impulse;
        let speed = (violation / mass).sqrt();
        if speed > worst.0 {
            worst = (speed, slot);
        }
        share.largest = nan_max(share.largest, speed);
    }
    let work = work::of_block(block, members, first);
    share.sums[3..].copy_from_slice(&work.to_array());
    (share, worst)
}

/// `Σ|d|²/m_n` over all contacts of one rank at the present velocities [J].
///
/// This is the sum by which the judge decides; nothing changes.
pub fn violation(blocks: &mut Blocks, members: &mut [Member], width: Width) -> f64 {
    let visit = |block: &mut Block, members: &mut [Member]| measure(block, members, (width, 0.0));
    let tally: Tally<TERMS> = blocks.each(members, &visit);
    let [violation, ..] = tally.sums;
    violation.value()
}

/// Sums `m_n |u|²` over the contacts of a block, and over its sleeping touches, as a visit; changes
/// nothing.
pub(super) fn relative_motion(block: &mut Block, members: &mut [Member], width: Width) -> Share<1> {
    let mut sum = width.dispatch(many::Motion { block, members });
    if !block.all_at_once() {
        sum += plain_motion(block, members, block.batches.first_full());
    }
    Share::of(sum + block.motion_of_sleeping(members))
}

/// The same contact by contact, for the batches from `first` on.
fn plain_motion(block: &Block, members: &[Member], first: usize) -> f64 {
    let these = block.each().filter(|one| split(one.slot).0 >= first);
    let each = these.map(|one| {
        let velocity = one.relative_velocity(members) + block.drive(one.origin).linear;
        one.contact.law.normal_mass * velocity.norm_squared()
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Origin;
    use crate::rng::{Purpose, Stream};
    use crate::solver::kernel::plain_sweep;
    use crate::solver::kernel::tests::{random_block, widths};

    /// The measure by vector registers agrees with the laws contact by contact, for all kinds of
    /// laws.
    #[test]
    fn many_at_once_are_as_each_by_itself() {
        for trial in 0..60 {
            let mut draw = Stream::new(Purpose::Trial, 36, [trial, 0, 0]);
            let (mut batches, mut members, _) = random_block(&mut draw, 1 + trial as usize * 5);
            // Impulses within the laws.
            let order: Vec<u32> = (0..batches.len() as u32).collect();
            plain_sweep(&mut batches, &order, &mut members);
            let moved = |m: &Member| {
                let mut before = *m;
                before.set_motion(&[0; 6].map(|_| draw.between(-1.0, 1.0)));
                before
            };
            let mut block = Block {
                before: members.iter().map(moved).collect(),
                free: members.iter().map(Member::moves).collect(),
                origins: vec![Origin::default(); batches.slots().len()],
                batches,
                ..Block::default()
            };
            // In two trials of three the members that are not free stand still.
            for k in (0..members.len()).filter(|&k| trial % 3 > 0 && !block.free[k]) {
                members[k].set_motion(&[0.0; 6]);
                block.before[k].set_motion(&[0.0; 6]);
            }
            let (expected, worst) = plain_measure(&block, &members, 0);
            let motion = plain_motion(&block, &members, 0);
            for width in widths() {
                let share = measure(&mut block, &mut members, (width, 0.0));
                let scale: f64 = expected.sums.iter().map(|x| x.abs()).sum();
                for (x, y) in share.sums.iter().zip(expected.sums) {
                    assert!(
                        (x - y).abs() < 1e-13 * scale,
                        "trial {trial}: {share:?}, {expected:?}"
                    );
                }
                assert!((share.largest / expected.largest - 1.0).abs() < 1e-14);
                assert_eq!(block.worst.1, worst.1);
                let relative = relative_motion(&mut block, &mut members, width).sums[0];
                assert!((relative / motion - 1.0).abs() < 1e-13);
            }
            members[0].0[0] = f64::NAN;
            let touched = block
                .batches
                .all
                .iter()
                .any(|b| b.place.iter().flatten().any(|p| *p == 0));
            let share = measure(&mut block, &mut members, (Width::Widest, 0.0));
            assert!(!touched || share.sums[0].is_nan() && share.largest.is_nan());
        }
    }

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
