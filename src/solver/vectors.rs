//! Threes of vector registers: a vector of each lane, component by component.

use super::batch::{Eight, Eight3};
use pulp::Simd;

/// Lanes of eight numbers, from lane `part` on.
#[inline(always)]
pub(super) fn load<S: Simd>(_: S, from: &Eight, part: usize) -> S::f64s {
    pulp::bytemuck::pod_read_unaligned(pulp::bytemuck::cast_slice(&from[part..part + S::F64_LANES]))
}

#[inline(always)]
pub(super) fn load3<S: Simd>(s: S, from: &Eight3, part: usize) -> [S::f64s; 3] {
    [
        load(s, &from[0], part),
        load(s, &from[1], part),
        load(s, &from[2], part),
    ]
}

#[inline(always)]
pub(super) fn store<S: Simd>(_: S, to: &mut Eight, part: usize, numbers: S::f64s) {
    let bytes = pulp::bytemuck::bytes_of(&numbers);
    pulp::bytemuck::cast_slice_mut::<f64, u8>(&mut to[part..part + S::F64_LANES])
        .copy_from_slice(bytes);
}

#[inline(always)]
pub(super) fn store3<S: Simd>(s: S, to: &mut Eight3, part: usize, numbers: &[S::f64s; 3]) {
    for (to, numbers) in to.iter_mut().zip(numbers) {
        store(s, to, part, *numbers);
    }
}

#[inline(always)]
pub(super) fn dot<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> S::f64s {
    let (x, y) = (s.mul_f64s(a[0], b[0]), s.mul_f64s(a[1], b[1]));
    s.add_f64s(s.add_f64s(x, y), s.mul_f64s(a[2], b[2]))
}

#[inline(always)]
pub(super) fn cross<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> [S::f64s; 3] {
    [
        s.sub_f64s(s.mul_f64s(a[1], b[2]), s.mul_f64s(a[2], b[1])),
        s.sub_f64s(s.mul_f64s(a[2], b[0]), s.mul_f64s(a[0], b[2])),
        s.sub_f64s(s.mul_f64s(a[0], b[1]), s.mul_f64s(a[1], b[0])),
    ]
}

/// Adds to eight numbers, from lane `part` on.
#[inline(always)]
pub(super) fn add_to<S: Simd>(s: S, sums: &mut Eight, part: usize, terms: S::f64s) {
    let so_far = load(s, sums, part);
    store(s, sums, part, s.add_f64s(so_far, terms));
}

/// `a − b`.
#[inline(always)]
pub(super) fn sub3<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> [S::f64s; 3] {
    [
        s.sub_f64s(a[0], b[0]),
        s.sub_f64s(a[1], b[1]),
        s.sub_f64s(a[2], b[2]),
    ]
}

/// `a b` with a number for each lane.
#[inline(always)]
pub(super) fn scaled<S: Simd>(s: S, a: &[S::f64s; 3], b: S::f64s) -> [S::f64s; 3] {
    [
        s.mul_f64s(a[0], b),
        s.mul_f64s(a[1], b),
        s.mul_f64s(a[2], b),
    ]
}

/// `a + b`.
#[inline(always)]
pub(super) fn add3<S: Simd>(s: S, a: &[S::f64s; 3], b: &[S::f64s; 3]) -> [S::f64s; 3] {
    [
        s.add_f64s(a[0], b[0]),
        s.add_f64s(a[1], b[1]),
        s.add_f64s(a[2], b[2]),
    ]
}
