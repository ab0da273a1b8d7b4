//! Projection of positions: removes overlaps left by the solve without changing velocities.
//!
//! Bodies are moved, so kinetic energy stays the same. After the solve each contact is about to
//! reach the gap `g + Δt u_n`. In a few sweeps (with the blocks, tours and hand-overs of the
//! velocities) every contact whose gap is still negative moves its two bodies apart along the
//! normal. It removes a fraction of the gap, in the ratio of the inverse masses. Bodies are neither
//! pulled nor rotated; walls stay. Compliant contacts are left out: their overlap is the deflection
//! of their spring.

use super::batch::{Batches, LANES, split};
use super::blocks::{Block, Blocks, Share, Tally};
use super::course::Course;
use super::grid::{Parity, Tour};
use super::halo::Halo;
use super::kernel::rigid::RigidContact;
use super::lanes::{Lanes, Work};
use super::order::{Turn, draw_order, turns};
use super::plan::Plan;
use super::settings::Settings;
use super::vectors::Lane;
use crate::body::Member;
use crate::math::real::{Real, dot, scaled};

/// Displacements of the bodies in addition to their velocities [m], stored in place of velocities.
///
/// They are valid on the rank that holds the body at colour 0. `members` are those with which a
/// solve has just ended.
pub fn project<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    settings: &Settings,
    step: u64,
    dt: f64,
) -> Vec<Member> {
    let aims = (dt, settings.projection.fraction);
    let predict = |block: &mut Block, members: &mut [Member]| predict(block, members, aims);
    let _: Tally<0> = Course::new(blocks, members, halo).run(&Tour::plain(), &predict);

    let mut ways = members.to_vec();
    ways.iter_mut().for_each(|way| way.set_motion(&[0.0; 6]));
    let mut course = Course::new(blocks, &mut ways, halo);
    course.begin();
    for number in 0..settings.projection.sweeps {
        // Random streams of their own, beyond those of the sweeps over velocities.
        let drawn = settings.max_sweeps + number;
        let push_apart = |block: &mut Block, members: &mut [Member]| {
            draw_order(block, (settings.seed, step, drawn));
            let Block { batches, plans, .. } = &*block;
            for turn in turns(&block.order, batches.len()) {
                match turn {
                    Turn::Batches(order) => settings.width.dispatch(PushApart {
                        batches,
                        plans,
                        order,
                        members,
                    }),
                    Turn::Rigid(k) => push_apart_one(&block.rigid[k], members),
                }
            }
            Share::default()
        };
        let tour = Tour::draw(settings.seed, step, drawn);
        let _: Tally<0> = course.sweep(&tour, &push_apart);
    }
    course.go_to(Parity(0));
    ways
}

/// Records the gap that each contact will have, and the response of its bodies to a push.
///
/// Contacts with springs are left out.
fn predict(block: &mut Block, members: &mut [Member], (dt, fraction): (f64, f64)) -> Share<0> {
    let mut plans = std::mem::take(&mut block.plans);
    plans.clear();
    plans.resize(block.batches.len(), Plan::NOTHING);
    let mut rigid = Vec::with_capacity(block.rigid.len());
    for one in block.each() {
        let (c, origin) = (&one.contact, one.origin);
        let [gap, push] = if one.parts.springs.is_none() {
            let velocity = one.relative_velocity(members) + block.drive(origin).linear;
            let [a, b] = c.place.map(|p| members[p as usize].inverse_mass());
            let push = if a + b > 0.0 { fraction / (a + b) } else { 0.0 };
            [origin.gap + dt * velocity.dot(&c.law.normal), push]
        } else {
            [f64::INFINITY, 0.0]
        };
        if one.is_rigid() {
            rigid.push([gap, push]);
            continue;
        }
        let (batch, lane) = split(one.slot);
        plans[batch].gap[lane] = gap;
        plans[batch].push[lane] = push;
    }
    for (one, plan) in block.rigid.iter_mut().zip(rigid) {
        one.plan = plan;
    }
    block.plans = plans;
    Share::default()
}

/// Moves the two bodies of one contact apart.
fn push_apart_one(one: &RigidContact, members: &mut [Member]) {
    let ([gap, push], n) = (one.plan, one.contact.law.normal);
    let [a, b] = one.contact.place.map(|p| p as usize);
    let gap = gap + (members[b].velocity() - members[a].velocity()).dot(&n);
    if gap < 0.0 {
        let apart = n * (push * -gap);
        for (k, sign) in [(a, -1.0), (b, 1.0)] {
            let member = &mut members[k];
            let (way, spin) = (member.velocity(), member.spin());
            member.set(&(way + apart * (sign * member.inverse_mass())), &spin);
        }
    }
}

/// One sweep: removes a fraction of each remaining overlap.
struct PushApart<'a> {
    batches: &'a Batches,
    plans: &'a [Plan],
    order: &'a [u32],
    members: &'a mut [Member],
}

impl Work for PushApart<'_> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) {
        let zero = Lane::all(s, 0.0);
        for &k in self.order {
            let (batch, plan) = (&self.batches.all[k as usize], &self.plans[k as usize]);
            for part in (0..LANES).step_by(S::F64_LANES) {
                let lanes = part..part + S::F64_LANES;
                let [a, b] = &batch.place;
                let (a, b) = (&a[lanes.clone()], &b[lanes]);
                let [x, y, z, ..] = s.meet(self.members, a, b);
                let n = Lane::load3(s, &batch.normal, part);
                let way = [Lane::new(s, x), Lane::new(s, y), Lane::new(s, z)];
                let gap = Lane::load(s, &plan.gap, part) + dot(&way, &n);
                let push = Lane::load(s, &plan.push, part) * -gap;
                let push = Real::select(gap.less(zero), push, zero);
                let apart = scaled(&n, push);
                let mut change = [zero.register(); 6];
                for axis in 0..3 {
                    change[axis] = apart[axis].register();
                }
                s.part(self.members, a, b, change);
            }
        }
    }
}
