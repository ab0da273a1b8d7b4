//! The judge's measures of plain and soft contacts, as many at once as vector registers have lanes.

use super::TERMS;
use crate::body::Member;
use crate::solver::batch::{Batch, Batches, Eight, LANES, Springs};
use crate::solver::blocks::{Block, Share, Worst};
use crate::solver::kernel::{Now, law};
use crate::solver::lanes::{Lanes, Rows, Work};
use crate::solver::vectors::{add_to, cross, dot, load, load3, store};
use crate::solver::work;

/// Violation, impulse and work at the contacts of a block, and the largest violation. Bodies that are not free are taken to stand still.
pub(super) struct Gauge<'a> {
    pub(super) block: &'a Block,
    pub(super) members: &'a [Member],
}

/// Sums over contacts, a lane each.
#[derive(Default)]
struct Sums {
    violation: Eight,
    impulse: Eight,
    normal: Eight,
    friction: Eight,
    elastic: Eight,
    /// The largest `|d|²/m_n²`, and in which batch.
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
            match (self.members.first_chunk(), batches.springs_of(k)) {
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
        share.sums[2..].copy_from_slice(&work.to_array());
        let mut worst = (0.0, 0);
        for lane in 0..LANES {
            let speed = sums.worst[lane].sqrt();
            if speed > worst.0 {
                worst = (speed, sums.batch[lane] as u32 * LANES as u32 + lane as u32);
            }
        }
        // A NaN is larger than nothing, but is in the sum.
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
    (k, batch, springs): (usize, &Batch, Option<&Springs>),
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
    (k, batch, springs): (usize, &Batch, Option<&Springs>),
    part: usize,
    (now, before): (&R, &[Member]),
    sums: &mut Sums,
) {
    let lanes = part..part + S::F64_LANES;
    let [a, b] = &batch.place;
    let (a, b) = (&a[lanes.clone()], &b[lanes]);
    let motion = s.meet(now, a, b);
    let Now { n, r, u, d, .. } = law::<S, SOFT>(s, batch, springs, part, &motion);
    let mass = load(s, &batch.normal_mass, part);
    let of_d = s.div_f64s(dot(s, &d, &d), mass);
    let of_r = s.div_f64s(dot(s, &r, &r), mass);
    let speed2 = s.div_f64s(of_d, mass);
    let worst = load(s, &sums.worst, part);
    let worse = s.greater_than_f64s(speed2, worst);
    store(
        s,
        &mut sums.worst,
        part,
        s.select_f64s(worse, speed2, worst),
    );
    let so_far = load(s, &sums.batch, part);
    let here = s.splat_f64s(k as f64);
    store(s, &mut sums.batch, part, s.select_f64s(worse, here, so_far));

    // The mean of the relative velocities before and after the step.
    let [v_x, v_y, v_z, s_x, s_y, s_z] = s.meet(before, a, b);
    let turn = cross(s, &[s_x, s_y, s_z], &n);
    let mut mean = [v_x, v_y, v_z];
    for axis in 0..3 {
        let both = s.add_f64s(u[axis], s.sub_f64s(mean[axis], turn[axis]));
        mean[axis] = s.mul_f64s(both, s.splat_f64s(0.5));
    }
    let (r_n, mean_n) = (dot(s, &r, &n), dot(s, &mean, &n));
    let normal = s.mul_f64s(r_n, mean_n);
    let all = dot(s, &r, &mean);
    add_to(s, &mut sums.violation, part, of_d);
    add_to(s, &mut sums.impulse, part, of_r);
    add_to(s, &mut sums.normal, part, s.neg_f64s(normal));
    add_to(s, &mut sums.friction, part, s.sub_f64s(normal, all));
    if SOFT && let Some(springs) = springs {
        let r_n2 = s.mul_f64s(r_n, r_n);
        let r_t2 = s.sub_f64s(dot(s, &r, &r), r_n2);
        let [soft_n, soft_t] = [0, 1].map(|k| load(s, &springs.softness[k], part));
        let twice = s.add_f64s(s.mul_f64s(soft_n, r_n2), s.mul_f64s(soft_t, r_t2));
        add_to(
            s,
            &mut sums.elastic,
            part,
            s.mul_f64s(twice, s.splat_f64s(0.5)),
        );
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
                let [v_x, v_y, v_z, s_x, s_y, s_z] = motion;
                let n = load3(s, &batch.normal, part);
                let turn = cross(s, &[s_x, s_y, s_z], &n);
                let mut u = [v_x, v_y, v_z];
                for axis in 0..3 {
                    u[axis] = s.sub_f64s(u[axis], turn[axis]);
                }
                let mass = load(s, &batch.normal_mass, part);
                let more = s.mul_f64s(dot(s, &u, &u), mass);
                add_to(s, &mut sums, part, more);
            }
        }
        sums.iter().sum()
    }
}
