//! The energy dissipated at the contacts of a block in a step, contact by contact
//! ([`crate::law::work`]).

use super::batch::split;
use super::blocks::{Block, Blocks, Seen, Share, Tally};
use super::course::Course;
use super::grid::Tour;
use super::halo::Halo;
use crate::body::Member;
use crate::contact::WallImpulse;
use crate::law::work::{Work, of_couple, of_impulse};
use crate::law::{self, Kind, relative_velocity};
use crate::math::Vector3;
use crate::math::real::{Three, add, dot, sub};
use std::sync::{Mutex, PoisonError};

/// Whether a member that is not free moves, or moved before the step: only then does it bring in
/// work.
pub(super) fn pushes_what_moves(block: &Block, members: &[Member]) -> bool {
    let moves = |m: &Member| m.motion().iter().any(|x| *x != 0.0);
    let mut unfree = (block.free.iter().enumerate()).filter(|(_, free)| !**free);
    unfree.any(|(k, _)| moves(&members[k]) || moves(&block.before[k]))
}

/// The work at the contacts of a block in its batches from `first` on, at the members' present
/// velocities.
pub(super) fn of_block(block: &Block, members: &[Member], first: usize) -> Work {
    let mut work = Work::default();
    for one in block.each() {
        let (c, parts) = (&one.contact, &one.parts);
        if split(one.slot).0 < first {
            continue;
        }
        if c.impulse == Vector3::zeros() && parts.kind() == Kind::PLAIN {
            continue;
        }
        let n: Three<f64> = c.law.normal.into();
        let (r, couple) = (c.impulse.into(), c.couple.into());
        let Means {
            linear: u,
            at_b,
            from_a,
            angular: [w_a, w_b],
        } = Means::of(block, members, &one);
        let [normal, friction] = of_impulse(&n, &r, &u);
        let [rolling, torsion] = of_couple(&n, &couple, &sub(&w_b, &w_a));
        let r_n = dot(&r, &n);
        if r_n >= 0.0 {
            work.normal += normal;
        } else {
            work.cohesion += normal;
        }
        work.friction += friction;
        work.torsion += torsion;
        work.rolling += rolling;
        let [a, b] = c.place.map(|p| p as usize);
        let drive = block.drive(one.origin);
        if !block.free[a] {
            work.driven += dot(&couple, &w_a) - dot(&r, &from_a);
        }
        if !block.free[b] {
            work.driven -= dot(&r, &at_b) + dot(&couple, &w_b);
        } else if one.origin.drive != 0 {
            work.driven -= dot(&r, &drive.linear.into());
        }
        work.prestress += parts.bond.map_or(0.0, |bond| bond.prestress);
        let elastic = parts.elastic(&n, &c.now());
        if law::breaks(parts, &n, &c.now()) {
            work.fracture += elastic;
        } else {
            work.elastic += elastic;
        }
    }
    work
}

/// Velocities at a contact, as means of those before and after the step.
struct Means {
    /// Relative velocity of the second side against the first.
    linear: Three<f64>,
    /// That of the second side's surface, and the negative of the first's.
    at_b: Three<f64>,
    from_a: Three<f64>,
    /// Angular velocities of the two sides, which matter only with couples.
    angular: [Three<f64>; 2],
}

impl Means {
    #[inline(always)]
    fn of(block: &Block, members: &[Member], one: &Seen) -> Self {
        let [a, b] = one.contact.place.map(|p| p as usize);
        let couples = one.parts.couples;
        let inverse_lever = couples.map_or([0.0; 2], |couples| couples.inverse_lever);
        let mean = |k: usize, inverse_lever: f64| {
            let (now, before) = (&members[k], &block.before[k]);
            let spin = (now.spin() + before.spin()) * 0.5;
            let velocity = (now.velocity() + before.velocity()) * 0.5;
            (velocity, spin, spin * inverse_lever)
        };
        let (v_a, s_a, w_a) = mean(a, inverse_lever[0]);
        let (v_b, s_b, w_b) = mean(b, inverse_lever[1]);
        let drive = block.drive(one.origin);
        let (v_b, w_b) = (v_b + drive.linear, w_b + drive.angular);
        // The first body's surface moves relative to an immovable one at `−(v_a + s_a × e_a)`.
        let [to_a, to_b] = one.arms().map(Into::into);
        let from_a = relative_velocity(&(-v_a).into(), &s_a.into(), &to_a);
        let at_b = relative_velocity(&v_b.into(), &s_b.into(), &to_b);
        let linear = match one.is_rigid() {
            false => {
                let n = one.contact.law.normal.into();
                relative_velocity(&(v_b - v_a).into(), &(s_a + s_b).into(), &n)
            }
            true => add(&at_b, &from_a),
        };
        Self {
            linear,
            at_b,
            from_a,
            angular: [w_a.into(), w_b.into()],
        }
    }
}

/// The impulses of this rank's contacts with some walls, and their work. Collective.
///
/// `members` are those with which a solve has just ended; `counts` says which walls count.
pub fn at_walls<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    counts: impl Fn(usize) -> bool + Sync,
) -> Vec<WallImpulse> {
    let bodies = blocks.ids().len();
    let found = Mutex::new(Vec::new());
    let visit = |block: &mut Block, members: &mut [Member]| {
        let some = of_walls(block, members, bodies, &counts);
        if !some.is_empty() {
            let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(some);
        }
        Share::default()
    };
    let _: Tally<0> = Course::new(blocks, members, halo).run(&Tour::plain(), &visit);
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The impulses of a block's contacts with walls that count, as far as they carry one.
fn of_walls(
    block: &Block,
    members: &[Member],
    bodies: usize,
    counts: &impl Fn(usize) -> bool,
) -> Vec<WallImpulse> {
    let impulse = |(index, wall): (usize, usize)| {
        let one = block.one(index);
        let (r, normal) = (one.contact.impulse, one.contact.law.normal);
        if r == Vector3::zeros() {
            return None;
        }
        let touch = &block.touches[index];
        let along = r.dot(&normal);
        let mean = Means::of(block, members, &one).linear;
        Some(WallImpulse {
            wall,
            feature: touch.feature,
            point: touch.point + touch.normal * (0.5 * touch.gap),
            impulse: [along, (r - normal * along).norm()],
            work: of_impulse(&normal.into(), &r.into(), &mean),
        })
    };
    let with_walls = block.with_walls(bodies).filter(|(_, wall)| counts(*wall));
    with_walls.filter_map(impulse).collect()
}
