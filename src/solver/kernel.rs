//! The sweep through a block: the plain one, contact by contact, and the fast one, many lanes at once. Both do the same to the
//! last bit; a test says so.

use super::batch::{Batch, Batches, Eight, Eight3, Kind, LANES, Springs};
use super::lanes::{Columns, Lanes, Rows, Width, Work, prefetch};
use crate::body::Member;
use crate::law::full::Extra;
use pulp::Simd;

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
    contact.apply(&d, members);
    let mut change = so_far + d.norm_squared() / contact.law.normal_mass;
    if let Some(extra) = extra.filter(Extra::has_couples) {
        let d = wanted_couple - extra.couple;
        batches.set_couple(slot, &wanted_couple);
        contact.apply_couple(&d, &extra, members);
        change += d.norm_squared() / extra.turning_mass;
    }
    change
}

/// Batches between the asking for one and its use.
const AHEAD: usize = 3;

/// The same, with vector registers. `members` may have more than the block's bodies and what stands still.
pub fn sweep(width: Width, batches: &mut Batches, order: &[u32], members: &mut [Member]) -> f64 {
    width.dispatch(Sweep {
        batches,
        order,
        members,
    })
}

struct Sweep<'a> {
    batches: &'a mut Batches,
    order: &'a [u32],
    members: &'a mut [Member],
}

impl Work for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn with<S: Lanes>(self, simd: S) -> f64 {
        let mut changes = [0.0; LANES];
        for (turn, &k) in self.order.iter().enumerate() {
            if let Some(&soon) = self.order.get(turn + AHEAD) {
                prefetch(&self.batches.all[soon as usize]);
            }
            let (kind, of_kind) = self.batches.kind(k as usize);
            if kind == Kind::Full {
                for (lane, change) in changes.iter_mut().enumerate() {
                    let slot = k * LANES as u32 + lane as u32;
                    *change = update(self.batches, slot, self.members, *change);
                }
                continue;
            }
            let soft = kind == Kind::Soft;
            let springs = soft.then(|| &self.batches.springs[of_kind]);
            let batch = &mut self.batches.all[k as usize];
            match self.members.first_chunk_mut::<{ Batches::SMALL }>() {
                Some(few) if self.batches.small => {
                    update_batch(simd, batch, springs, few, &mut changes);
                }
                _ => update_batch(simd, batch, springs, self.members, &mut changes),
            }
        }
        sum(&changes)
    }
}

#[inline(always)]
fn update_batch<S: Lanes, R: Rows + ?Sized>(
    simd: S,
    batch: &mut Batch,
    springs: Option<&Springs>,
    members: &mut R,
    changes: &mut Eight,
) {
    for part in (0..LANES).step_by(S::F64_LANES) {
        match springs {
            None => update_lanes::<S, R, false>(simd, batch, None, part, members, changes),
            springs => update_lanes::<S, R, true>(simd, batch, springs, part, members, changes),
        }
    }
}

/// The lanes' sums, in an order that does not depend on how many the registers have.
fn sum(changes: &[f64; LANES]) -> f64 {
    changes.iter().sum()
}

/// Contacts of a batch from lane `part` on, as many as the registers have lanes: the law of [`coulomb::solve`], with springs that of
/// [`full::solve`], operation by operation.
///
/// [`coulomb::solve`]: crate::law::coulomb::solve
/// [`full::solve`]: crate::law::full::solve
#[inline(always)]
fn update_lanes<S: Lanes, R: Rows + ?Sized, const SOFT: bool>(
    s: S,
    batch: &mut Batch,
    springs: Option<&Springs>,
    part: usize,
    members: &mut R,
    changes: &mut Eight,
) {
    let lanes = part..part + S::F64_LANES;
    let (places_a, places_b) = (&batch.place[0][lanes.clone()], &batch.place[1][lanes]);
    let mut a: Columns<S> = s.gather(members, places_a);
    let mut b: Columns<S> = s.gather(members, places_b);
    let n = load3(s, &batch.normal, part);
    let r = load3(s, &batch.impulse, part);
    let (m_n, m_t) = (
        load(s, &batch.normal_mass, part),
        load(s, &batch.tangential_mass, part),
    );

    // u = v_b − v_a − (s_a + s_b) × n
    let spin = [
        s.add_f64s(a[3], b[3]),
        s.add_f64s(a[4], b[4]),
        s.add_f64s(a[5], b[5]),
    ];
    let turn = cross(s, &spin, &n);
    let mut u = turn;
    for k in 0..3 {
        u[k] = s.sub_f64s(s.sub_f64s(b[k], a[k]), turn[k]);
    }
    let u_n = dot(s, &u, &n);
    let r_n = dot(s, &r, &n);
    // R_n = r_n − m_n (u_n + b_n [+ γ_n r_n])
    let mut closing = s.add_f64s(u_n, load(s, &batch.closing_speed, part));
    if SOFT && let Some(springs) = springs {
        closing = s.add_f64s(
            closing,
            s.mul_f64s(load(s, &springs.softness[0], part), r_n),
        );
    }
    let new_n = s.sub_f64s(r_n, s.mul_f64s(m_n, closing));
    // R_t = r_t − m_t (u_t [+ γ_t (r_t − r_t,previous)])
    let mut new_t = r;
    for k in 0..3 {
        let tangential = s.sub_f64s(r[k], s.mul_f64s(n[k], r_n));
        let mut slip = s.sub_f64s(u[k], s.mul_f64s(n[k], u_n));
        if SOFT && let Some(springs) = springs {
            let stretch = s.sub_f64s(tangential, load(s, &springs.previous_tangential[k], part));
            slip = s.add_f64s(
                slip,
                s.mul_f64s(stretch, load(s, &springs.softness[1], part)),
            );
        }
        new_t[k] = s.sub_f64s(tangential, s.mul_f64s(slip, m_t));
    }
    // Back into the disc of radius μ R_n.
    let size = s.sqrt_f64s(dot(s, &new_t, &new_t));
    let bound = s.mul_f64s(load(s, &batch.friction, part), new_n);
    let slides = s.greater_than_f64s(size, bound);
    let scale = s.select_f64s(slides, s.div_f64s(bound, size), s.splat_f64s(1.0));
    let zero = s.splat_f64s(0.0);
    let open = s.less_than_or_equal_f64s(new_n, zero);
    let (mut wanted, mut d) = (r, r);
    for k in 0..3 {
        let pushed = s.add_f64s(s.mul_f64s(n[k], new_n), s.mul_f64s(new_t[k], scale));
        wanted[k] = s.select_f64s(open, zero, pushed);
        d[k] = s.sub_f64s(wanted[k], r[k]);
    }
    store3(s, &mut batch.impulse, part, &wanted);
    let couple = cross(s, &n, &d);
    for k in 0..3 {
        a[k] = s.sub_f64s(a[k], s.mul_f64s(d[k], a[6]));
        a[3 + k] = s.sub_f64s(a[3 + k], s.mul_f64s(couple[k], a[7]));
        b[k] = s.add_f64s(b[k], s.mul_f64s(d[k], b[6]));
        b[3 + k] = s.sub_f64s(b[3 + k], s.mul_f64s(couple[k], b[7]));
    }
    s.scatter(members, places_a, a);
    s.scatter(members, places_b, b);
    let change = s.div_f64s(dot(s, &d, &d), m_n);
    let sums = s.add_f64s(load(s, changes, part), change);
    store(s, changes, part, sums);
}

#[inline(always)]
fn load<S: Simd>(_: S, from: &Eight, part: usize) -> S::f64s {
    pulp::bytemuck::pod_read_unaligned(pulp::bytemuck::cast_slice(&from[part..part + S::F64_LANES]))
}

#[inline(always)]
fn load3<S: Simd>(s: S, from: &Eight3, part: usize) -> [S::f64s; 3] {
    [
        load(s, &from[0], part),
        load(s, &from[1], part),
        load(s, &from[2], part),
    ]
}

#[inline(always)]
fn store<S: Simd>(_: S, to: &mut Eight, part: usize, numbers: S::f64s) {
    let bytes = pulp::bytemuck::bytes_of(&numbers);
    pulp::bytemuck::cast_slice_mut::<f64, u8>(&mut to[part..part + S::F64_LANES])
        .copy_from_slice(bytes);
}

#[inline(always)]
fn store3<S: Simd>(s: S, to: &mut Eight3, part: usize, numbers: &[S::f64s; 3]) {
    for (to, numbers) in to.iter_mut().zip(numbers) {
        store(s, to, part, *numbers);
    }
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> S::f64s {
    let (x, y) = (s.mul_f64s(a[0], b[0]), s.mul_f64s(a[1], b[1]));
    s.add_f64s(s.add_f64s(x, y), s.mul_f64s(a[2], b[2]))
}

#[inline(always)]
fn cross<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> [S::f64s; 3] {
    [
        s.sub_f64s(s.mul_f64s(a[1], b[2]), s.mul_f64s(a[2], b[1])),
        s.sub_f64s(s.mul_f64s(a[2], b[0]), s.mul_f64s(a[0], b[2])),
        s.sub_f64s(s.mul_f64s(a[0], b[1]), s.mul_f64s(a[1], b[0])),
    ]
}

#[cfg(test)]
mod tests;
