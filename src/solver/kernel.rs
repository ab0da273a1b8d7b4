//! The sweep through a block, plain and fast, and the warm start.
//!
//! The plain sweep goes contact by contact; the fast one has a contact in each lane of a vector
//! register. Both use the same function for the law ([`answer`](crate::law::answer)), so they find
//! the same bits. In the warm start the impulses of the last step act on the velocities.

mod now;
pub mod rigid;
mod whole;

pub(super) use now::{Now, velocity};

use super::batch::{Batch, Batches, Eight, LANES, Places, SpringLines};
use super::lanes::{Lanes, Rows, Width, Work, prefetch};
use super::soon::Soon;
use super::vectors::{Lane, store3};
use crate::body::Member;
use crate::law::{Kind, Parts};
use crate::math::Vector3;
use crate::math::real::{cross, dot};
use whole::Whole;

/// Updates each contact once, batch by batch in the order given; returns `Σ|d|²/m_n` over the
/// changes d [J].
///
/// This is the algorithm: the law's answer at the present velocities replaces the impulse, and the
/// bodies take the change.
pub fn plain_sweep(batches: &mut Batches, order: &[u32], members: &mut [Member]) -> f64 {
    let mut changes = [0.0; LANES];
    for &batch in order {
        for (lane, change) in changes.iter_mut().enumerate() {
            *change = update(
                batches,
                batch * LANES as u32 + lane as u32,
                members,
                *change,
            );
        }
    }
    sum(&changes)
}

/// Updates one contact by the impulse that its law demands. Returns `so_far` plus `|d|²/m_n`.
#[inline]
pub fn update(batches: &mut Batches, slot: u32, members: &mut [Member], so_far: f64) -> f64 {
    if let Some(contact) = batches.plain(slot) {
        // The same function; this contact has no parts to read.
        let wanted = contact.wanted(&Parts::NONE, members).linear.into();
        let d = wanted - contact.impulse;
        batches.set_impulse(slot, &wanted);
        contact.apply(&d, members);
        return so_far + d.norm_squared() / contact.law.normal_mass;
    }
    let (contact, parts) = (batches.contact(slot), batches.parts(slot));
    let wanted = contact.wanted(&parts, members);
    let linear = wanted.linear.into();
    let d = linear - contact.impulse;
    batches.set_impulse(slot, &linear);
    let change = so_far + d.norm_squared() / contact.law.normal_mass;
    let Some(couples) = &parts.couples else {
        contact.apply(&d, members);
        return change;
    };
    let turned = Vector3::from(wanted.couple) - contact.couple;
    batches.set_couple(slot, &wanted.couple.into());
    contact.apply_all(&d, &turned, couples.inverse_lever, members);
    change + turned.norm_squared() / couples.turning_mass
}

/// The number of batches by which the prefetch is ahead.
const AHEAD: usize = 3;

/// The same with vector registers. `members` may contain more than the block's bodies and the
/// immovable member.
pub fn sweep(width: Width, batches: &mut Batches, order: &[u32], members: &mut [Member]) -> f64 {
    let [change] = width.dispatch(Sweep {
        batches: [batches],
        orders: [order],
        members: [members],
        soon: &Soon::default(),
    });
    change
}

/// The same through two blocks at once that share no body.
///
/// Work on one block fills the waits of the other.
pub fn sweep_two(
    width: Width,
    batches: [&mut Batches; 2],
    orders: [&[u32]; 2],
    members: [&mut [Member]; 2],
    soon: &Soon,
) -> [f64; 2] {
    width.dispatch(Sweep {
        batches,
        orders,
        members,
        soon,
    })
}

struct Sweep<'a, const N: usize> {
    batches: [&'a mut Batches; N],
    orders: [&'a [u32]; N],
    members: [&'a mut [Member]; N],
    soon: &'a Soon<'a>,
}

impl<const N: usize> Work for Sweep<'_, N> {
    type Output = [f64; N];

    #[inline(always)]
    fn with<S: Lanes>(mut self, simd: S) -> [f64; N] {
        let mut changes = [[0.0; LANES]; N];
        let mut turns = self.orders[0].len();
        for order in self.orders {
            turns = turns.max(order.len());
        }
        for turn in 0..turns {
            self.soon.fetch(turn, turns);
            for (order, batches) in self.orders.iter().zip(&self.batches) {
                if let Some(&soon) = order.get(turn + AHEAD) {
                    prefetch::<false, _>(&batches.all[soon as usize]);
                }
            }
            if !self.all_at_once(simd, turn, &mut changes) {
                for (j, changes) in changes.iter_mut().enumerate() {
                    if let Some(&k) = self.orders[j].get(turn) {
                        self.one(simd, j, k, changes);
                    }
                }
            }
        }
        let mut sums = [0.0; N];
        for j in 0..N {
            sums[j] = sum(&changes[j]);
        }
        sums
    }
}

impl<const N: usize> Sweep<'_, N> {
    /// Updates the batches of a turn together, one per block, where possible.
    ///
    /// They must all exist and have one kind, and all indices of members must fit into a byte.
    #[inline(always)]
    fn all_at_once<S: Lanes>(&mut self, simd: S, turn: usize, changes: &mut [Eight; N]) -> bool {
        let mut places = [Places::default(); N];
        let mut turns = [0; N];
        for j in 0..N {
            let Some(&k) = self.orders[j].get(turn) else {
                return false;
            };
            turns[j] = k as usize;
            places[j] = self.batches[j].places(k as usize);
            let kind = places[j].kind;
            if !self.batches[j].small || kind != places[0].kind || !kind.has_springs_at_most() {
                return false;
            }
        }
        let soft = places[0].kind.has(Kind::SPRINGS);
        let mut springs = [None; N];
        let mut of_turn = [const { None }; N];
        for (j, batches) in self.batches.iter_mut().enumerate() {
            let Batches { all, parts, .. } = &mut **batches;
            if soft {
                springs[j] = parts[places[j].parts..].first_chunk();
            }
            of_turn[j] = all.get_mut(turns[j]);
        }
        let mut few = [const { None }; N];
        for (few, members) in few.iter_mut().zip(&mut self.members) {
            *few = members.first_chunk_mut::<{ Batches::SMALL }>();
        }
        let (Some(mut batches), Some(mut few)) = (every(of_turn), every(few)) else {
            return false;
        };
        update_batches(simd, &mut batches, springs, &mut few, changes);
        true
    }

    /// Updates one batch.
    #[inline(always)]
    fn one<S: Lanes>(&mut self, simd: S, j: usize, k: u32, changes: &mut Eight) {
        let places = self.batches[j].places(k as usize);
        let Batches {
            all,
            parts,
            couples,
            small,
            ..
        } = &mut *self.batches[j];
        let batch = &mut all[k as usize];
        let lines = &parts[places.parts..];
        let members = &mut *self.members[j];
        let kind = places.kind;
        if kind.has_springs_at_most() {
            let springs = lines.first_chunk().filter(|_| kind.has(Kind::SPRINGS));
            let changes = std::array::from_mut(changes);
            match members.first_chunk_mut::<{ Batches::SMALL }>() {
                Some(few) if *small => {
                    update_batches(simd, &mut [batch], [springs], &mut [few], changes);
                }
                _ => update_batches(simd, &mut [batch], [springs], &mut [members], changes),
            }
            return;
        }
        let couple = couples.get_mut(places.couples).filter(|_| kind.turns());
        let mut whole = Whole {
            batch,
            kind,
            lines,
            couple,
        };
        match members.first_chunk_mut::<{ Batches::SMALL }>() {
            Some(few) if *small => whole.update(simd, few, changes),
            _ => whole.update(simd, members, changes),
        }
    }
}

/// All values, if all are present.
#[inline(always)]
fn every<T, const N: usize>(of: [Option<T>; N]) -> Option<[T; N]> {
    if of.iter().any(Option::is_none) {
        return None;
    }
    Some(of.map(|one| one.expect("all are present")))
}

#[inline(always)]
fn update_batches<S: Lanes, R: Rows + ?Sized, const N: usize>(
    simd: S,
    batches: &mut [&mut Batch; N],
    springs: [Option<&SpringLines>; N],
    members: &mut [&mut R; N],
    changes: &mut [Eight; N],
) {
    for part in (0..LANES).step_by(S::F64_LANES) {
        match springs[0] {
            None => update_lanes::<S, R, N, false>(simd, batches, springs, part, members, changes),
            Some(_) => {
                update_lanes::<S, R, N, true>(simd, batches, springs, part, members, changes)
            }
        }
    }
}

/// The sum over lanes, in an order independent of the width of the registers.
fn sum(changes: &[f64; LANES]) -> f64 {
    changes.iter().sum()
}

/// Updates contacts of N batches from lane `part` on, as many of each as the registers have lanes.
///
/// The batches share no body, so their order does not matter, and they advance together, stage by
/// stage.
#[inline(always)]
fn update_lanes<S: Lanes, R: Rows + ?Sized, const N: usize, const SOFT: bool>(
    s: S,
    batches: &mut [&mut Batch; N],
    springs: [Option<&SpringLines>; N],
    part: usize,
    members: &mut [&mut R; N],
    changes: &mut [Eight; N],
) {
    let zero = s.splat_f64s(0.0);
    let lanes = part..part + S::F64_LANES;
    let mut motion = [[zero; 6]; N];
    for j in 0..N {
        let [a, b] = &batches[j].place;
        motion[j] = s.meet(&*members[j], &a[lanes.clone()], &b[lanes.clone()]);
    }
    let mut change = [[zero; 6]; N];
    for j in 0..N {
        let now = Now::of::<SOFT>(s, batches[j], springs[j], part, &motion[j]);
        let Now { d, .. } = now;
        store3(&mut batches[j].impulse, part, &now.wanted);
        let c = cross(&now.law.normal, &d);
        for k in 0..3 {
            change[j][k] = d[k].register();
            change[j][k + 3] = c[k].register();
        }
        (dot(&d, &d) / now.law.normal_mass).add_to(&mut changes[j], part);
    }
    for j in 0..N {
        let [a, b] = &batches[j].place;
        s.part(
            &mut *members[j],
            &a[lanes.clone()],
            &b[lanes.clone()],
            change[j],
        );
    }
}

/// Applies the initial impulses of the contacts to the velocities, batch by batch.
pub fn warm_start(width: Width, batches: &Batches, members: &mut [Member]) {
    width.dispatch(WarmStart { batches, members });
    for slot in batches.full_slots() {
        let (contact, parts) = (batches.contact(slot), batches.parts(slot));
        contact.apply(&contact.impulse, members);
        if let Some(couples) = &parts.couples {
            contact.apply_couple(&contact.couple, couples.inverse_lever, members);
        }
    }
}

struct WarmStart<'a> {
    batches: &'a Batches,
    members: &'a mut [Member],
}

impl Work for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) {
        for batch in &self.batches.all[..self.batches.first_full()] {
            for part in (0..LANES).step_by(S::F64_LANES) {
                let lanes = part..part + S::F64_LANES;
                let n = Lane::load3(s, &batch.normal, part);
                let r = Lane::load3(s, &batch.impulse, part);
                let c = cross(&n, &r);
                let [a, b] = &batch.place;
                let mut change = [s.splat_f64s(0.0); 6];
                for k in 0..3 {
                    change[k] = r[k].register();
                    change[k + 3] = c[k].register();
                }
                s.part(self.members, &a[lanes.clone()], &b[lanes], change);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
