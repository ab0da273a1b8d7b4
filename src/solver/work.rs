//! The energy dissipated at the contacts of a block in a step, contact by contact
//! ([`crate::law::work`]).

use super::batch::split;
use super::blocks::Block;
use crate::body::Member;
use crate::law::work::{Work, of_couple, of_impulse};
use crate::law::{self, Kind, relative_velocity};
use crate::math::Vector3;
use crate::math::real::{Three, add, dot, sub};

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
        let (c, parts, origin) = (&one.contact, &one.parts, one.origin);
        if split(one.slot).0 < first {
            continue;
        }
        if c.impulse == Vector3::zeros() && parts.kind() == Kind::PLAIN {
            continue;
        }
        let n: Three<f64> = c.law.normal.into();
        let [a, b] = c.place.map(|p| p as usize);
        let (r, couple) = (c.impulse.into(), c.couple.into());
        let inverse_lever = (parts.couples).map_or([0.0; 2], |couples| couples.inverse_lever);
        // Velocities of the two sides at the contact, as means over the step, and angular
        // velocities, which matter only with couples.
        let mean = |k: usize, inverse_lever: f64| {
            let (now, before) = (&members[k], &block.before[k]);
            let spin = (now.spin() + before.spin()) * 0.5;
            let velocity = (now.velocity() + before.velocity()) * 0.5;
            (velocity, spin, spin * inverse_lever)
        };
        let (v_a, s_a, w_a) = mean(a, inverse_lever[0]);
        let (v_b, s_b, w_b) = mean(b, inverse_lever[1]);
        let drive = block.drive(origin);
        let (v_b, w_b) = (v_b + drive.linear, w_b + drive.angular);
        // The first body's surface moves relative to an immovable one at `−(v_a + s_a × e_a)`.
        let [to_a, to_b] = one.arms().map(Into::into);
        let from_a = relative_velocity(&(-v_a).into(), &s_a.into(), &to_a);
        let at_b = relative_velocity(&v_b.into(), &s_b.into(), &to_b);
        let [w_a, w_b] = [w_a.into(), w_b.into()];
        let u = match one.is_rigid() {
            false => relative_velocity(&(v_b - v_a).into(), &(s_a + s_b).into(), &n),
            true => add(&at_b, &from_a),
        };
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
        if !block.free[a] {
            work.driven += dot(&couple, &w_a) - dot(&r, &from_a);
        }
        if !block.free[b] {
            work.driven -= dot(&r, &at_b) + dot(&couple, &w_b);
        } else if origin.drive != 0 {
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
