//! The judge's measures of contacts with springs at most, in the lanes of vector registers.

use crate::body::Member;
use crate::law::{Impulse, Kind, work};
use crate::math::real::{Real, add, dot, scaled};
use crate::solver::batch::{Batch, Batches, Eight, LANES, SpringLines};
use crate::solver::blocks::{Block, Share, Worst};
use crate::solver::kernel::{Now, velocity};
use crate::solver::lanes::{Lanes, Rows, Work};
use crate::solver::vectors::Lane;

/// The number of sums of the judge: `Σ|d|²/m_n`, `Σ|r|²/m_n`, the number of sleeping touches that
/// close, and the terms of [`work::Work`].
pub(in crate::solver) const TERMS: usize = 3 + work::Work::TERMS;

/// Violation, impulse and work at the contacts of a block, and the largest violation.
///
/// It assumes that bodies that are not free stand still.
pub(super) struct Gauge<'a> {
    pub(super) block: &'a Block,
    pub(super) members: &'a [Member],
}

/// Sums over contacts, one per lane.
#[derive(Default)]
struct Sums {
    violation: Eight,
    impulse: Eight,
    normal: Eight,
    friction: Eight,
    elastic: Eight,
    /// The largest `|d|²/m_n²`, and its batch.
    worst: Eight,
    batch: Eight,
}

impl Work for Gauge<'_> {
    type Output = (Share<TERMS>, Worst);

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) -> (Share<TERMS>, Worst) {
        let batches = &self.block.batches;
        let mut sums = Sums::default();
        for (k, batch) in batches.all[..batches.first_full()].iter().enumerate() {
            let rows = (self.members, &self.block.before[..]);
            let places = batches.places(k);
            let springs = places.kind.has(Kind::SPRINGS);
            let springs = springs.then(|| &batches.parts[places.parts..]);
            let springs = springs.and_then(|lines| lines.first_chunk());
            match (self.members.first_chunk(), springs) {
                (Some(few), springs) if batches.small => {
                    let few: &[Member; Batches::SMALL] = few;
                    of_batch(s, (k, batch, springs), (few, rows.1), &mut sums);
                }
                (_, springs) => of_batch(s, (k, batch, springs), rows, &mut sums),
            }
        }
        let total = |of: &Eight| of.iter().sum::<f64>();
        let mut share = Share::default();
        share.sums[0] = total(&sums.violation);
        share.sums[1] = total(&sums.impulse);
        let work = work::Work {
            normal: total(&sums.normal),
            friction: total(&sums.friction),
            elastic: total(&sums.elastic),
            ..work::Work::default()
        };
        share.sums[3..].copy_from_slice(&work.to_array());
        let mut worst = (0.0, 0);
        for lane in 0..LANES {
            let speed = sums.worst[lane].sqrt();
            if speed > worst.0 {
                worst = (speed, sums.batch[lane] as u32 * LANES as u32 + lane as u32);
            }
        }
        // A NaN fails comparisons with the maximum, but it is in the sum.
        share.largest = if share.sums[0].is_finite() {
            worst.0
        } else {
            share.sums[0]
        };
        (share, worst)
    }
}

#[inline(always)]
fn of_batch<S: Lanes, R: Rows + ?Sized>(
    s: S,
    (k, batch, springs): (usize, &Batch, Option<&SpringLines>),
    rows: (&R, &[Member]),
    sums: &mut Sums,
) {
    for part in (0..LANES).step_by(S::F64_LANES) {
        match springs {
            None => of_lanes::<S, R, false>(s, (k, batch, None), part, rows, sums),
            some => of_lanes::<S, R, true>(s, (k, batch, some), part, rows, sums),
        }
    }
}

#[inline(always)]
fn of_lanes<S: Lanes, R: Rows + ?Sized, const SOFT: bool>(
    s: S,
    (k, batch, springs): (usize, &Batch, Option<&SpringLines>),
    part: usize,
    (now, before): (&R, &[Member]),
    sums: &mut Sums,
) {
    let lanes = part..part + S::F64_LANES;
    let [a, b] = &batch.place;
    let (a, b) = (&a[lanes.clone()], &b[lanes]);
    let motion = s.meet(now, a, b);
    let now = Now::of::<SOFT>(s, batch, springs, part, &motion);
    let Now { r, u, d, .. } = &now;
    let (n, mass) = (&now.law.normal, now.law.normal_mass);
    let of_d = dot(d, d) / mass;
    let of_r = dot(r, r) / mass;
    let speed2 = of_d / mass;
    let worst = Lane::load(s, &sums.worst, part);
    let worse = speed2.greater(worst);
    Real::select(worse, speed2, worst).store(&mut sums.worst, part);
    let so_far = Lane::load(s, &sums.batch, part);
    let here = Lane::all(s, k as f64);
    Real::select(worse, here, so_far).store(&mut sums.batch, part);

    // The mean of the relative velocities before and after the step.
    let before = velocity(s, &s.meet(before, a, b), n);
    let mean = scaled(&add(u, &before), Lane::all(s, 0.5));
    let [normal, friction] = work::of_impulse(n, r, &mean);
    of_d.add_to(&mut sums.violation, part);
    of_r.add_to(&mut sums.impulse, part);
    normal.add_to(&mut sums.normal, part);
    friction.add_to(&mut sums.friction, part);
    if SOFT {
        let elastic = now.parts.elastic(n, &Impulse::of(*r));
        elastic.add_to(&mut sums.elastic, part);
    }
}

/// `Σ m_n |u|²` of a block.
pub(super) struct Motion<'a> {
    pub(super) block: &'a Block,
    pub(super) members: &'a [Member],
}

impl Work for Motion<'_> {
    type Output = f64;

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) -> f64 {
        let batches = &self.block.batches;
        let mut sums = Eight::default();
        for batch in &batches.all[..batches.first_full()] {
            for part in (0..LANES).step_by(S::F64_LANES) {
                let lanes = part..part + S::F64_LANES;
                let [a, b] = &batch.place;
                let motion = s.meet(self.members, &a[lanes.clone()], &b[lanes]);
                let n = Lane::load3(s, &batch.normal, part);
                let u = velocity(s, &motion, &n);
                let mass = Lane::load(s, &batch.normal_mass, part);
                (dot(&u, &u) * mass).add_to(&mut sums, part);
            }
        }
        sums.iter().sum()
    }
}
