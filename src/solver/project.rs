//! Projection of positions: removes overlaps left by the solve without changing velocities.
//!
//! After the solve each contact is about to reach the gap `g + Δt u_n`. Where that is negative, the
//! bodies are moved apart. Their displacements `w` [m] are those of the least mass-weighted norm
//! that open all gaps: with a multiplier λ ≥ 0 [kg m] for each contact,
//!
//! `w = M⁻¹ Σ ± λ n`, `0 ≤ λ ⟂ g + Δt u_n + (w_b − w_a)·n ≥ 0`.
//!
//! A few sweeps over this problem, from λ = 0, with the blocks, tours and hand-overs of the
//! velocities, remove most of it. A contact that pushed too far takes its push back, but never
//! pulls; so bodies are not lifted off each other. They are not rotated. Walls that move by
//! Newton's law take their pushes together after each sweep, as they take impulses; others stay.
//!
//! Overlaps of the size of `g Δt²/2`, the way of free fall within a step, or below [`SLACK`], stay;
//! so do those of the way by which loads move a free wall and the bodies that it touches within a
//! step, where this is larger.
//! Of a deeper overlap a step removes three times as much. Pushes that cannot remove it, as the
//! sweeps are few and clumps are not rotated, open other gaps; the loads close these, and a packing
//! that whole pushes shake in each step gets denser than it can be.
//! In a hollow wall the gap also falls by the bend of the wall along the way of the body.
//! Sweeps leave some gaps a little open, and through these bodies fall in the next step: a packing
//! whose overlaps were all removed would not come to rest. Contacts with springs are left out, as
//! their overlap is the deflection of the spring. Pairs that sleep take part: bodies must not be
//! pushed into each other.

use super::batch::{Batches, LANES, split};
use super::blocks::{Block, Blocks, Share, Tally};
use super::course::Course;
use super::grid::{Parity, Tour};
use super::halo::Halo;
use super::kernel::rigid::RigidContact;
use super::lanes::{Lanes, Work};
use super::order::{Turn, draw_order, turns};
use super::plan::{Aim, Plan};
use super::pushed::Pushed;
use super::settings::Settings;
use super::vectors::Lane;
use crate::body::Member;
use crate::contact::{Neighbours, Touch};
use crate::law::Kind;
use crate::math::real::{Real, dot, scaled};
use crate::math::{Vector3, nan_max};

/// An overlap that stays, in radii of the smaller body.
pub const SLACK: f64 = 2e-5;

/// The largest overlap that stays because of a load, in the same radii.
const MOST: f64 = 0.05;

/// The largest part of an old overlap that a step removes, in slacks. Five are unstable.
const OLD: f64 = 3.0;

/// Displacements of the bodies in addition to their velocities [m], stored in place of velocities.
///
/// They are valid on the rank that holds the body at colour 0. `members` are those with which a
/// solve has just ended; `dt` is the length of the step [s], `gains` are the velocities that
/// gravity and loads add in it [m/s]. `bend` returns how much nearer the sides of a pair come
/// beyond `Δt u_n` [m], from their touch, the smaller radius [m] and the way of the second relative
/// to the first, without driven walls [m]; `radius` the smaller radius of a pair that sleeps [m],
/// if it has no springs. `None` if no contact is about to overlap. Collective.
pub fn project<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    pushed: &Pushed,
    halo: &mut H,
    settings: &Settings,
    (step, dt, gains): (u64, f64, [f64; 2]),
    (bend, radius): (impl Bend, impl Radius),
) -> Option<Vec<Member>> {
    let aims = Aims {
        dt,
        fraction: settings.projection.fraction,
        slacks: gains.map(|gain| 0.5 * gain * dt),
    };
    let predict = |block: &mut Block, members: &mut [Member]| {
        let width = settings.width;
        let largest = predict(block, members, (&bend, &radius), aims, |work| {
            width.dispatch(work)
        });
        Share {
            largest,
            ..Share::default()
        }
    };
    let tally: Tally<0> = Course::new(blocks, members, halo).run(&Tour::plain(), &predict);
    if halo.max(tally.largest) <= 0.0 {
        return None;
    }
    // Bodies split among ranks are pushed in parts, as in sweeps over velocities.
    blocks.trade_masses();
    let mut ways = members.to_vec();
    ways.iter_mut().for_each(|way| way.set_motion(&[0.0; 6]));
    let mut course = Course::new(blocks, &mut ways, halo);
    course.begin();
    for number in 0..settings.projection.sweeps {
        // Random streams of their own, beyond those of the sweeps over velocities.
        let drawn = settings.max_sweeps + number;
        let push_apart = |block: &mut Block, members: &mut [Member]| {
            draw_order(block, (settings.seed, step, drawn));
            let Block {
                batches,
                plans,
                rigid,
                order,
                ..
            } = block;
            for turn in turns(order, batches.len()) {
                match turn {
                    Turn::Batches(order) => settings.width.dispatch(PushApart {
                        batches,
                        plans,
                        order,
                        members,
                        fraction: aims.fraction,
                    }),
                    Turn::Rigid(k) => push_apart_one(&mut rigid[k], members),
                }
            }
            block.part_asleep(members, aims.fraction);
            Share::default()
        };
        let tour = Tour::draw(settings.seed, step, drawn);
        let _: Tally<0> = course.sweep(&tour, &push_apart);
        pushed.take_pushes(course.blocks, course.members, course.halo);
    }
    course.go_to(Parity(0));
    blocks.trade_masses();
    Some(ways)
}

/// The bend of a pair: see [`project`].
pub trait Bend: Fn(&Neighbours, &Touch, f64, &Vector3) -> f64 + Sync {}
impl<F: Fn(&Neighbours, &Touch, f64, &Vector3) -> f64 + Sync> Bend for F {}

/// The smaller radius of a pair that sleeps [m]; `None` with springs.
pub trait Radius: Fn(&Neighbours) -> Option<f64> + Sync {}
impl<F: Fn(&Neighbours) -> Option<f64> + Sync> Radius for F {}

/// The aims of a projection.
#[derive(Clone, Copy)]
struct Aims {
    dt: f64,
    fraction: f64,
    /// The overlaps that stay under gravity and under loads [m].
    slacks: [f64; 2],
}

/// Records the gap that each contact will have, and the response of its bodies to a push.
///
/// Returns the largest overlap beyond the slack [m]; 0 if there is none.
fn predict(
    block: &mut Block,
    members: &[Member],
    (bend, radius): (&impl Bend, &impl Radius),
    Aims {
        dt,
        fraction,
        slacks: [of_gravity, of_loads],
    }: Aims,
    dispatch: impl FnOnce(Predict) -> f64,
) -> f64 {
    let mut plans = std::mem::take(&mut block.plans);
    plans.clear();
    plans.resize(block.batches.len(), Plan::NOTHING);
    let mut deepest = 0.0;
    let batched = (block.batches.len() * LANES) as u32;
    let slack = |radius: f64| {
        let of_loads = of_loads.min(MOST * radius);
        nan_max(of_gravity, of_loads).max(SLACK * radius)
    };
    let asleep = block.aim_asleep(members, dt, |pair| {
        radius(pair).map_or(f64::INFINITY, slack)
    });
    for (k, origin) in block.origins.iter().enumerate() {
        let slack = slack(origin.smaller_radius);
        let slot = block.slots()[k];
        let (pair, touch) = (&block.pairs[block.of[k] as usize], &block.touches[k]);
        // The present gap, of which the step opens only a part, less the bend; a NaN stays.
        let opened = |[a, b]: [usize; 2]| {
            let way = (members[b].velocity() - members[a].velocity()) * dt;
            let (gap, least) = (origin.gap + slack, -OLD * slack);
            let gap = if gap < least { least } else { gap };
            gap - bend(pair, touch, origin.smaller_radius, &way)
        };
        if slot < batched {
            let (batch, lane) = split(slot);
            if !block.batches.places(batch).kind.has(Kind::SOFT) {
                let place = &block.batches.all[batch].place;
                let gap = opened([0, 1].map(|side| usize::from(place[side][lane])));
                let normal = &block.batches.all[batch].normal;
                let moved = match origin.drive {
                    0 => 0.0,
                    _ => {
                        let normal = [0, 1, 2].map(|axis| normal[axis][lane]);
                        dt * dot(&normal, &block.drive(origin).linear.into())
                    }
                };
                plans[batch].gap[lane] = gap + moved;
            }
            continue;
        }
        let drive = block.drive(origin).linear;
        let one = &mut block.rigid[(slot - batched) as usize];
        one.plan = [0.0; 3];
        if one.parts.springs.is_none() {
            let velocity = one.relative_velocity(members) + drive;
            let normal = &one.contact.law.normal;
            let places = one.contact.place.map(|place| place as usize);
            let gap = opened(places) + dt * velocity.dot(normal);
            let pushes = block.pushing.iter().filter(|push| push.slot == slot);
            let pushed: f64 = pushes.map(|push| push.inverse_mass).sum();
            let [a, b] = places.map(|place| members[place].inverse_mass());
            // A push only moves centres: it cannot part a held body and a wall on a hinge.
            if a + b + pushed > 0.0 {
                one.plan = [gap, fraction / (a + b + pushed), 0.0];
            }
            deepest = nan_max(deepest, -gap);
        }
    }
    let batches = &block.batches;
    let in_batches = dispatch(Predict {
        batches,
        plans: &mut plans,
        members,
        dt,
    });
    block.plans = plans;
    nan_max(nan_max(deepest, asleep), in_batches)
}

/// Adds the way of the step to the gaps in the plans. Returns the largest overlap.
struct Predict<'a> {
    batches: &'a Batches,
    plans: &'a mut [Plan],
    members: &'a [Member],
    dt: f64,
}

impl Work for Predict<'_> {
    type Output = f64;

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) -> f64 {
        let dt = Lane::all(s, self.dt);
        let mut deepest = 0.0;
        for (batch, plan) in self.batches.all.iter().zip(self.plans) {
            for part in (0..LANES).step_by(S::F64_LANES) {
                let lanes = part..part + S::F64_LANES;
                let [a, b] = &batch.place;
                let [x, y, z, ..] = s.meet(self.members, &a[lanes.clone()], &b[lanes]);
                let velocity = [Lane::new(s, x), Lane::new(s, y), Lane::new(s, z)];
                let n = Lane::load3(s, &batch.normal, part);
                let gap = Lane::load(s, &plan.gap, part) + dt * dot(&velocity, &n);
                gap.store(&mut plan.gap, part);
            }
            for gap in plan.gap {
                deepest = nan_max(deepest, -gap);
            }
        }
        deepest
    }
}

/// Moves the two bodies of one contact apart, or lets them come closer again.
fn push_apart_one(one: &mut RigidContact, members: &mut [Member]) {
    let [gap, push, pushed] = one.plan;
    let mut aim = Aim { gap, pushed };
    let places = one.contact.place.map(|p| p as usize);
    aim.push_apart(|_| push, &one.contact.law.normal, places, members);
    one.plan[2] = aim.pushed;
}

/// One sweep over the displacements.
struct PushApart<'a> {
    batches: &'a Batches,
    plans: &'a mut [Plan],
    order: &'a [u32],
    members: &'a mut [Member],
    fraction: f64,
}

impl Work for PushApart<'_> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) {
        let (zero, fraction) = (Lane::all(s, 0.0), Lane::all(s, self.fraction));
        for &k in self.order {
            let (batch, plan) = (&self.batches.all[k as usize], &mut self.plans[k as usize]);
            for part in (0..LANES).step_by(S::F64_LANES) {
                let lanes = part..part + S::F64_LANES;
                let [a, b] = &batch.place;
                let (a, b) = (&a[lanes.clone()], &b[lanes]);
                let [x, y, z, ..] = s.meet(self.members, a, b);
                let n = Lane::load3(s, &batch.normal, part);
                let way = [Lane::new(s, x), Lane::new(s, y), Lane::new(s, z)];
                let gap = Lane::load(s, &plan.gap, part) + dot(&way, &n);
                let pushed = Lane::load(s, &plan.pushed, part);
                let push = fraction * Lane::load(s, &batch.normal_mass, part);
                let wanted = pushed - push * gap;
                let wanted = Real::select(wanted.less(zero), zero, wanted);
                wanted.store(&mut plan.pushed, part);
                let apart = scaled(&n, wanted - pushed);
                let mut change = [zero.register(); 6];
                for axis in 0..3 {
                    change[axis] = apart[axis].register();
                }
                s.part(self.members, a, b, change);
            }
        }
    }
}
