//! The sweep through a block: the plain one, contact by contact, and the fast one, many lanes at once. Both do the same to the
//! last bit; a test says so. And the start of a solve: the impulses that contacts bring along.

mod whole;

use super::batch::{Batch, Batches, Eight, Kind, LANES, Places, Springs};
use super::lanes::{Lanes, Rows, Width, Work, prefetch};
use super::vectors::{add_to, cross, dot, load, load3, store3};
use crate::body::Member;
use crate::law::full::Extra;
use whole::Whole;

/// Updates each contact once, batch by batch in the order given; returns `Σ|d|²/m_n` over the changes d [J].
///
/// This is the algorithm: the law's answer at the present velocities replaces the impulse, and the bodies take the change.
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

/// One contact takes the impulse that its law asks for. Returns `so_far` plus `|d|²/m_n`.
#[inline]
pub fn update(batches: &mut Batches, slot: u32, members: &mut [Member], so_far: f64) -> f64 {
    let contact = batches.contact(slot);
    let extra = batches.extra(slot);
    let (wanted, wanted_couple, _) = contact.wanted(extra.as_ref(), members);
    let d = wanted - contact.impulse;
    batches.set_impulse(slot, &wanted);
    let change = so_far + d.norm_squared() / contact.law.normal_mass;
    let Some(extra) = extra.filter(Extra::has_couples) else {
        contact.apply(&d, members);
        return change;
    };
    let couple = wanted_couple - extra.couple;
    batches.set_couple(slot, &wanted_couple);
    contact.apply_all(&d, &couple, &extra, members);
    change + couple.norm_squared() / extra.turning_mass
}

/// Batches between the asking for one and its use.
const AHEAD: usize = 3;

/// The same, with vector registers. `members` may have more than the block's bodies and what stands still.
pub fn sweep(width: Width, batches: &mut Batches, order: &[u32], members: &mut [Member]) -> f64 {
    let [change] = width.dispatch(Sweep {
        batches: [batches],
        orders: [order],
        members: [members],
    });
    change
}

/// The same through two blocks at once that share no body, so that the one's work fills the waits of the other.
pub fn sweep_two(
    width: Width,
    batches: [&mut Batches; 2],
    orders: [&[u32]; 2],
    members: [&mut [Member]; 2],
) -> [f64; 2] {
    width.dispatch(Sweep {
        batches,
        orders,
        members,
    })
}

struct Sweep<'a, const N: usize> {
    batches: [&'a mut Batches; N],
    orders: [&'a [u32]; N],
    members: [&'a mut [Member]; N],
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
            for (order, batches) in self.orders.iter().zip(&self.batches) {
                if let Some(&soon) = order.get(turn + AHEAD) {
                    prefetch(&batches.all[soon as usize]);
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
    /// The batches of a turn together, if there is one in each block, all are of one kind, and all members can be named in a byte.
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
            let Batches {
                all,
                springs: soft_ones,
                ..
            } = &mut **batches;
            if soft {
                springs[j] = soft_ones.get(places[j].parts[0]);
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

    /// A batch by itself.
    #[inline(always)]
    fn one<S: Lanes>(&mut self, simd: S, j: usize, k: u32, changes: &mut Eight) {
        let Places { kind, parts } = self.batches[j].places(k as usize);
        let Batches {
            all,
            springs,
            couples,
            bonds,
            drives,
            small,
            ..
        } = &mut *self.batches[j];
        let batch = &mut all[k as usize];
        let springs = springs.get(parts[0]).filter(|_| kind.has(Kind::SPRINGS));
        let members = &mut *self.members[j];
        if kind.has_springs_at_most() {
            let changes = std::array::from_mut(changes);
            match members.first_chunk_mut::<{ Batches::SMALL }>() {
                Some(few) if *small => {
                    update_batches(simd, &mut [batch], [springs], &mut [few], changes);
                }
                _ => update_batches(simd, &mut [batch], [springs], &mut [members], changes),
            }
            return;
        }
        let mut whole = Whole {
            batch,
            springs,
            couples: couples
                .get_mut(parts[1])
                .filter(|_| kind.has(Kind::COUPLES)),
            bonds: bonds.get(parts[2]).filter(|_| kind.has(Kind::BONDS)),
            drives: drives.get(parts[3]).filter(|_| kind.has(Kind::DRIVES)),
        };
        match members.first_chunk_mut::<{ Batches::SMALL }>() {
            Some(few) if *small => whole.update(simd, few, changes),
            _ => whole.update(simd, members, changes),
        }
    }
}

/// All of them, if all are there.
#[inline(always)]
fn every<T, const N: usize>(of: [Option<T>; N]) -> Option<[T; N]> {
    if of.iter().any(Option::is_none) {
        return None;
    }
    Some(of.map(|one| one.expect("all are there")))
}

#[inline(always)]
fn update_batches<S: Lanes, R: Rows + ?Sized, const N: usize>(
    simd: S,
    batches: &mut [&mut Batch; N],
    springs: [Option<&Springs>; N],
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

/// The lanes' sums, in an order that does not depend on how many the registers have.
fn sum(changes: &[f64; LANES]) -> f64 {
    changes.iter().sum()
}

/// Contacts of N batches from lane `part` on, as many of each as the registers have lanes. The batches share no body, so it is all the
/// same which goes first: they go together, a stage at a time.
#[inline(always)]
fn update_lanes<S: Lanes, R: Rows + ?Sized, const N: usize, const SOFT: bool>(
    s: S,
    batches: &mut [&mut Batch; N],
    springs: [Option<&Springs>; N],
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
        let now = law::<S, SOFT>(s, batches[j], springs[j], part, &motion[j]);
        let Now { n, d, .. } = now;
        store3(s, &mut batches[j].impulse, part, &now.wanted);
        let [c_x, c_y, c_z] = cross(s, &n, &d);
        change[j] = [d[0], d[1], d[2], c_x, c_y, c_z];
        let mass = load(s, &batches[j].normal_mass, part);
        add_to(s, &mut changes[j], part, s.div_f64s(dot(s, &d, &d), mass));
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

/// Some contacts of a batch and what the law asks of them.
pub(super) struct Now<S: Lanes> {
    /// Normals.
    pub(super) n: [S::f64s; 3],
    /// Impulses.
    pub(super) r: [S::f64s; 3],
    /// Relative velocities.
    pub(super) u: [S::f64s; 3],
    /// What the law asks for.
    pub(super) wanted: [S::f64s; 3],
    /// And by how much that differs from `r`.
    pub(super) d: [S::f64s; 3],
}

/// The law of [`coulomb::solve`], with springs that of [`full::solve`], operation by operation. `motion` is `v_b − v_a` and `s_a + s_b`.
///
/// [`coulomb::solve`]: crate::law::coulomb::solve
/// [`full::solve`]: crate::law::full::solve
#[inline(always)]
pub(super) fn law<S: Lanes, const SOFT: bool>(
    s: S,
    batch: &Batch,
    springs: Option<&Springs>,
    part: usize,
    motion: &[S::f64s; 6],
) -> Now<S> {
    let zero = s.splat_f64s(0.0);
    let [v_x, v_y, v_z, s_x, s_y, s_z] = *motion;
    let n = load3(s, &batch.normal, part);
    let r = load3(s, &batch.impulse, part);
    // u = v_b − v_a − (s_a + s_b) × n
    let turn = cross(s, &[s_x, s_y, s_z], &n);
    let mut u = [v_x, v_y, v_z];
    for k in 0..3 {
        u[k] = s.sub_f64s(u[k], turn[k]);
    }
    let u_n = dot(s, &u, &n);
    let r_n = dot(s, &r, &n);
    // R_n = r_n − m_n (u_n + b_n [+ γ_n r_n])
    let mut closing = s.add_f64s(u_n, load(s, &batch.closing_speed, part));
    if SOFT && let Some(springs) = springs {
        let soft = load(s, &springs.softness[0], part);
        closing = s.add_f64s(closing, s.mul_f64s(soft, r_n));
    }
    let (m_n, m_t) = (
        load(s, &batch.normal_mass, part),
        load(s, &batch.tangential_mass, part),
    );
    let new_n = s.sub_f64s(r_n, s.mul_f64s(m_n, closing));
    // R_t = r_t − m_t (u_t [+ γ_t (r_t − r_t,previous)])
    let mut new_t = r;
    for k in 0..3 {
        let tangential = s.sub_f64s(r[k], s.mul_f64s(n[k], r_n));
        let mut slip = s.sub_f64s(u[k], s.mul_f64s(n[k], u_n));
        if SOFT && let Some(springs) = springs {
            let stretch = s.sub_f64s(tangential, load(s, &springs.previous_tangential[k], part));
            let soft = load(s, &springs.softness[1], part);
            slip = s.add_f64s(slip, s.mul_f64s(stretch, soft));
        }
        new_t[k] = s.sub_f64s(tangential, s.mul_f64s(slip, m_t));
    }
    // Back into the disc of radius μ R_n.
    let size = s.sqrt_f64s(dot(s, &new_t, &new_t));
    let bound = s.mul_f64s(load(s, &batch.friction, part), new_n);
    let slides = s.greater_than_f64s(size, bound);
    let scale = s.select_f64s(slides, s.div_f64s(bound, size), s.splat_f64s(1.0));
    let open = s.less_than_or_equal_f64s(new_n, zero);
    let (mut wanted, mut d) = (r, r);
    for k in 0..3 {
        let pushed = s.add_f64s(s.mul_f64s(n[k], new_n), s.mul_f64s(new_t[k], scale));
        wanted[k] = s.select_f64s(open, zero, pushed);
        d[k] = s.sub_f64s(wanted[k], r[k]);
    }
    Now { n, r, u, wanted, d }
}

/// Lets the impulses that the contacts bring along act on the velocities, batch by batch.
pub fn warm_start(width: Width, batches: &Batches, members: &mut [Member]) {
    width.dispatch(WarmStart { batches, members });
    for slot in batches.full_slots() {
        let (contact, extra) = (batches.contact(slot), batches.extra(slot));
        contact.apply(&contact.impulse, members);
        if let Some(extra) = extra {
            contact.apply_couple(&extra.couple, &extra, members);
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
                let n = load3(s, &batch.normal, part);
                let r = load3(s, &batch.impulse, part);
                let [c_x, c_y, c_z] = cross(s, &n, &r);
                let [a, b] = &batch.place;
                let change = [r[0], r[1], r[2], c_x, c_y, c_z];
                s.part(self.members, &a[lanes.clone()], &b[lanes], change);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
