//! Pairs of bodies to vector registers and back, for each type of processor.
//!
//! `pulp` detects the processor's features at run time and provides the arithmetic. This file
//! combines the rows of two [`Member`]s, and transposes several of them into columns with a lane
//! for each pair. All arithmetic is that of IEEE 754. Only products with 1 and −1 are fused, and
//! these are exact; so every processor finds the same bits.

use super::batch::Batches;
use crate::body::Member;
use pulp::Simd;

/// Six columns, each with one number per lane: three of velocity, three of spin.
pub(super) type Columns<S> = [<S as Simd>::f64s; 6];

/// Members by index.
pub(super) trait Rows {
    /// The member at an index.
    fn row(&self, place: u16) -> &Member;
    /// The member at an index, mutable.
    fn row_mut(&mut self, place: u16) -> &mut Member;
}

impl Rows for [Member] {
    #[inline(always)]
    fn row(&self, place: u16) -> &Member {
        &self[usize::from(place)]
    }
    #[inline(always)]
    fn row_mut(&mut self, place: u16) -> &mut Member {
        &mut self[usize::from(place)]
    }
}

/// A byte is a valid index here, so no bounds check is needed.
impl Rows for [Member; Batches::SMALL] {
    #[inline(always)]
    fn row(&self, place: u16) -> &Member {
        &self[usize::from(place) % Batches::SMALL]
    }
    #[inline(always)]
    fn row_mut(&mut self, place: u16) -> &mut Member {
        &mut self[usize::from(place) % Batches::SMALL]
    }
}

/// A type of vector registers.
pub(super) trait Lanes: Simd {
    /// `v_b − v_a` and `s_b + s_a` of the members at the given indices.
    #[inline(always)]
    fn meet<R: Rows + ?Sized>(self, rows: &R, a: &[u16], b: &[u16]) -> Columns<Self> {
        let mut columns = [self.splat_f64s(0.0); 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let lanes: &mut [f64] = pulp::bytemuck::cast_slice_mut(std::slice::from_mut(column));
            for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                let (a, b) = (rows.row(a).0[k], rows.row(b).0[k]);
                *lane = if k < 3 { b - a } else { b + a };
            }
        }
        columns
    }

    /// Velocities and spins of the members at the given indices.
    #[inline(always)]
    fn columns<R: Rows + ?Sized>(self, rows: &R, places: &[u16]) -> Columns<Self> {
        let mut columns = [self.splat_f64s(0.0); 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let lanes: &mut [f64] = pulp::bytemuck::cast_slice_mut(std::slice::from_mut(column));
            for (lane, &place) in lanes.iter_mut().zip(places) {
                *lane = rows.row(place).0[k];
            }
        }
        columns
    }

    /// Applies impulses d and couples c to the members: `v −= d/m`, `s −= (l²/I) c`.
    #[inline(always)]
    fn push<R: Rows + ?Sized>(self, rows: &mut R, places: &[u16], change: Columns<Self>) {
        for (k, column) in change.iter().enumerate() {
            let lanes: &[f64] = pulp::bytemuck::cast_slice(std::slice::from_ref(column));
            for (&lane, &place) in lanes.iter().zip(places) {
                let row = &mut rows.row_mut(place).0;
                row[k] -= lane * row[if k < 3 { 6 } else { 7 }];
            }
        }
    }

    /// Applies impulses d to pairs of members, and the couples `c = n × d` to both alike.
    ///
    /// `v_a −= d/m_a`, `v_b += d/m_b`, `s −= (l²/I) c`.
    #[inline(always)]
    fn part<R: Rows + ?Sized>(self, rows: &mut R, a: &[u16], b: &[u16], change: Columns<Self>) {
        for (k, column) in change.iter().enumerate() {
            let lanes: &[f64] = pulp::bytemuck::cast_slice(std::slice::from_ref(column));
            for ((&lane, &a), &b) in lanes.iter().zip(a).zip(b) {
                let response = if k < 3 { 6 } else { 7 };
                let row = &mut rows.row_mut(a).0;
                row[k] -= lane * row[response];
                let row = &mut rows.row_mut(b).0;
                let push = lane * row[response];
                row[k] = if k < 3 { row[k] + push } else { row[k] - push };
            }
        }
    }
}

impl Lanes for pulp::Scalar {}

#[cfg(target_arch = "aarch64")]
impl Lanes for pulp::aarch64::Neon {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Columns, Lanes, Rows};
    use pulp::bytemuck::cast;
    use pulp::f64x4;
    use pulp::x86::{V3, V4};
    use std::arch::x86_64::{__m256d, __m512d, __m512i};

    /// The sign of the second row relative to the first: velocities are subtracted, spins are
    /// added.
    const SIGNS: [f64; 8] = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0];

    // Closures would be functions of their own, without the registers, so there are none here.
    impl Lanes for V4 {
        #[inline(always)]
        fn columns<R: Rows + ?Sized>(self, rows: &R, places: &[u16]) -> Columns<Self> {
            let mut lines = [self.avx512f._mm512_setzero_pd(); 8];
            for k in 0..8 {
                lines[k] = cast(rows.row(places[k]).0);
            }
            let [a, b, c, d, e, f, ..] = transposed8(self, lines);
            [cast(a), cast(b), cast(c), cast(d), cast(e), cast(f)]
        }

        #[inline(always)]
        fn push<R: Rows + ?Sized>(self, rows: &mut R, places: &[u16], change: Columns<Self>) {
            let x = self.avx512f;
            let responses: __m512i = cast([6u64, 6, 6, 7, 7, 7, 6, 7]);
            let mut columns = [x._mm512_setzero_pd(); 8];
            for k in 0..6 {
                columns[k] = cast(change[k]);
            }
            let lines = transposed8(self, columns);
            for k in 0..8 {
                let row: __m512d = cast(rows.row(places[k]).0);
                let response = x._mm512_maskz_permutexvar_pd(0b11_1111, responses, row);
                let push = x._mm512_mul_pd(lines[k], response);
                rows.row_mut(places[k]).0 = cast(x._mm512_sub_pd(row, push));
            }
        }

        #[inline(always)]
        fn meet<R: Rows + ?Sized>(self, rows: &R, a: &[u16], b: &[u16]) -> Columns<Self> {
            let x = self.avx512f;
            let signs: __m512d = cast(SIGNS);
            let mut lines = [x._mm512_setzero_pd(); 8];
            for k in 0..8 {
                lines[k] =
                    x._mm512_fnmadd_pd(cast(rows.row(a[k]).0), signs, cast(rows.row(b[k]).0));
            }
            let [a, b, c, d, e, f, ..] = transposed8(self, lines);
            [cast(a), cast(b), cast(c), cast(d), cast(e), cast(f)]
        }

        #[inline(always)]
        fn part<R: Rows + ?Sized>(self, rows: &mut R, a: &[u16], b: &[u16], change: Columns<Self>) {
            let x = self.avx512f;
            let signs: __m512d = cast(SIGNS);
            let responses: __m512i = cast([6u64, 6, 6, 7, 7, 7, 6, 7]);
            let mut columns = [x._mm512_setzero_pd(); 8];
            for k in 0..6 {
                columns[k] = cast(change[k]);
            }
            let lines = transposed8(self, columns);
            for k in 0..8 {
                let row: __m512d = cast(rows.row(a[k]).0);
                let response = x._mm512_maskz_permutexvar_pd(0b11_1111, responses, row);
                let push = x._mm512_mul_pd(lines[k], response);
                rows.row_mut(a[k]).0 = cast(x._mm512_sub_pd(row, push));
                let row: __m512d = cast(rows.row(b[k]).0);
                let response = x._mm512_maskz_permutexvar_pd(0b11_1111, responses, row);
                let push = x._mm512_mul_pd(lines[k], response);
                rows.row_mut(b[k]).0 = cast(x._mm512_fmadd_pd(push, signs, row));
            }
        }
    }

    impl Lanes for V3 {
        #[inline(always)]
        fn columns<R: Rows + ?Sized>(self, rows: &R, places: &[u16]) -> Columns<Self> {
            let mut columns: Columns<Self> = [f64x4(0.0, 0.0, 0.0, 0.0); 6];
            for half in 0..2 {
                let mut lines = [self.avx._mm256_setzero_pd(); 4];
                for k in 0..4 {
                    lines[k] = of_row(rows, places[k], half);
                }
                let of_half = transposed4(self, lines);
                for k in 0..(6 - 4 * half).min(4) {
                    columns[4 * half + k] = cast(of_half[k]);
                }
            }
            columns
        }

        #[inline(always)]
        fn push<R: Rows + ?Sized>(self, rows: &mut R, places: &[u16], change: Columns<Self>) {
            let x = self.avx;
            let [low, high] = changed(self, change);
            for k in 0..4 {
                let [row_low, row_high]: [__m256d; 2] =
                    [of_row(rows, places[k], 0), of_row(rows, places[k], 1)];
                let [of_low, of_high] = responses(self, row_high);
                let low: [f64; 4] = cast(x._mm256_sub_pd(row_low, x._mm256_mul_pd(low[k], of_low)));
                let high: [f64; 4] =
                    cast(x._mm256_sub_pd(row_high, x._mm256_mul_pd(high[k], of_high)));
                let row = &mut rows.row_mut(places[k]).0;
                row[..4].copy_from_slice(&low);
                row[4..].copy_from_slice(&high);
            }
        }

        #[inline(always)]
        fn meet<R: Rows + ?Sized>(self, rows: &R, a: &[u16], b: &[u16]) -> Columns<Self> {
            let signs: [[f64; 4]; 2] = cast(SIGNS);
            let mut columns: Columns<Self> = [f64x4(0.0, 0.0, 0.0, 0.0); 6];
            for half in 0..2 {
                let mut lines = [self.avx._mm256_setzero_pd(); 4];
                for k in 0..4 {
                    lines[k] = self.fma._mm256_fnmadd_pd(
                        of_row(rows, a[k], half),
                        cast(signs[half]),
                        of_row(rows, b[k], half),
                    );
                }
                let of_half = transposed4(self, lines);
                for k in 0..(6 - 4 * half).min(4) {
                    columns[4 * half + k] = cast(of_half[k]);
                }
            }
            columns
        }

        #[inline(always)]
        fn part<R: Rows + ?Sized>(self, rows: &mut R, a: &[u16], b: &[u16], change: Columns<Self>) {
            let (x, signs): (_, [[f64; 4]; 2]) = (self.avx, cast(SIGNS));
            let lines = changed(self, change);
            for k in 0..4 {
                for (place, second) in [(a[k], false), (b[k], true)] {
                    let high: __m256d = of_row(rows, place, 1);
                    let low: __m256d = of_row(rows, place, 0);
                    let [of_low, of_high] = responses(self, high);
                    let push = x._mm256_mul_pd(lines[0][k], of_low);
                    let turn = x._mm256_mul_pd(lines[1][k], of_high);
                    let low = if second {
                        self.fma._mm256_fmadd_pd(push, cast(signs[0]), low)
                    } else {
                        x._mm256_sub_pd(low, push)
                    };
                    let high = x._mm256_sub_pd(high, turn);
                    let row = &mut rows.row_mut(place).0;
                    row[..4].copy_from_slice(&cast::<_, [f64; 4]>(low));
                    row[4..].copy_from_slice(&cast::<_, [f64; 4]>(high));
                }
            }
        }
    }

    /// Six columns, transposed to halves of rows.
    #[inline(always)]
    fn changed(simd: V3, change: Columns<V3>) -> [[__m256d; 4]; 2] {
        let zero = simd.avx._mm256_setzero_pd();
        let mut columns = [zero; 8];
        for k in 0..6 {
            columns[k] = cast(change[k]);
        }
        let [c0, c1, c2, c3, c4, c5, c6, c7] = columns;
        [
            transposed4(simd, [c0, c1, c2, c3]),
            transposed4(simd, [c4, c5, c6, c7]),
        ]
    }

    /// `[w, w, w, i]` and `[i, i, 0, 0]` from the second half of a row, `[s_2, s_3, w, i]`.
    #[inline(always)]
    fn responses(simd: V3, high: __m256d) -> [__m256d; 2] {
        let low = simd.avx2._mm256_permute4x64_pd::<0b11_10_10_10>(high);
        let turning = simd.avx2._mm256_permute4x64_pd::<0b11_11_11_11>(high);
        let zero = simd.avx._mm256_setzero_pd();
        [low, simd.avx._mm256_blend_pd::<0b0011>(zero, turning)]
    }

    /// One half of a row.
    #[inline(always)]
    fn of_row<R: Rows + ?Sized>(rows: &R, place: u16, half: usize) -> __m256d {
        let halves: [[f64; 4]; 2] = cast(rows.row(place).0);
        cast(halves[half])
    }

    /// Transposes rows to columns and back: pairs of numbers, then pairs of pairs, then quadruples.
    #[inline(always)]
    fn transposed8(simd: V4, r: [__m512d; 8]) -> [__m512d; 8] {
        let x = simd.avx512f;
        let [a, c, e, g] = quarters(
            simd,
            x._mm512_unpacklo_pd(r[0], r[1]),
            x._mm512_unpacklo_pd(r[2], r[3]),
            x._mm512_unpacklo_pd(r[4], r[5]),
            x._mm512_unpacklo_pd(r[6], r[7]),
        );
        let [b, d, f, h] = quarters(
            simd,
            x._mm512_unpackhi_pd(r[0], r[1]),
            x._mm512_unpackhi_pd(r[2], r[3]),
            x._mm512_unpackhi_pd(r[4], r[5]),
            x._mm512_unpackhi_pd(r[6], r[7]),
        );
        [a, b, c, d, e, f, g, h]
    }

    /// Transposes the quarters of four registers.
    #[inline(always)]
    fn quarters(simd: V4, p: __m512d, q: __m512d, r: __m512d, s: __m512d) -> [__m512d; 4] {
        let x = simd.avx512f;
        let (even_low, even_high) = (
            x._mm512_shuffle_f64x2::<0x88>(p, q),
            x._mm512_shuffle_f64x2::<0x88>(r, s),
        );
        let (odd_low, odd_high) = (
            x._mm512_shuffle_f64x2::<0xdd>(p, q),
            x._mm512_shuffle_f64x2::<0xdd>(r, s),
        );
        [
            x._mm512_shuffle_f64x2::<0x88>(even_low, even_high),
            x._mm512_shuffle_f64x2::<0x88>(odd_low, odd_high),
            x._mm512_shuffle_f64x2::<0xdd>(even_low, even_high),
            x._mm512_shuffle_f64x2::<0xdd>(odd_low, odd_high),
        ]
    }

    #[inline(always)]
    fn transposed4(simd: V3, r: [__m256d; 4]) -> [__m256d; 4] {
        let x = simd.avx;
        let (a, b) = (
            x._mm256_unpacklo_pd(r[0], r[1]),
            x._mm256_unpackhi_pd(r[0], r[1]),
        );
        let (c, d) = (
            x._mm256_unpacklo_pd(r[2], r[3]),
            x._mm256_unpackhi_pd(r[2], r[3]),
        );
        [
            x._mm256_permute2f128_pd::<0x20>(a, c),
            x._mm256_permute2f128_pd::<0x20>(b, d),
            x._mm256_permute2f128_pd::<0x31>(a, c),
            x._mm256_permute2f128_pd::<0x31>(b, d),
        ]
    }
}

/// Prefetches all cache lines of a value that is about to be used.
///
/// If `FAR`, the value is used later and goes to a larger cache.
#[inline(always)]
pub(super) fn prefetch<const FAR: bool, T>(wanted: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        let first: *const i8 = wanted.cast();
        for line in (0..size_of::<T>()).step_by(64) {
            let line = first.wrapping_add(line);
            // SAFETY: a hint, which reads nothing, wherever the pointer leads.
            #[allow(unsafe_code)]
            unsafe {
                match FAR {
                    true => _mm_prefetch::<_MM_HINT_T1>(line),
                    false => _mm_prefetch::<_MM_HINT_T0>(line),
                }
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = wanted;
}

/// The vector registers that a sweep uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Width {
    /// The widest that the processor has.
    #[default]
    Widest,
    /// At most four lanes (AVX2).
    Four,
    /// One contact at a time.
    One,
}

/// Work to be done with vector registers.
pub(super) trait Work {
    /// Its result.
    type Output;
    /// Does the work.
    fn with<S: Lanes>(self, simd: S) -> Self::Output;
}

/// Wraps a [`Work`] for pulp.
struct On<S, W>(S, W);

impl<S: Lanes, W: Work> pulp::NullaryFnOnce for On<S, W> {
    type Output = W::Output;
    #[inline(always)]
    fn call(self) -> W::Output {
        self.1.with(self.0)
    }
}

impl Width {
    /// Does the work with these registers, or with narrower ones if the processor lacks them.
    #[inline(always)]
    pub(super) fn dispatch<W: Work>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Self::Widest
                && let Some(simd) = pulp::x86::V4::try_new()
            {
                return simd.vectorize(On(simd, work));
            }
            if self != Self::One
                && let Some(simd) = pulp::x86::V3::try_new()
            {
                return simd.vectorize(On(simd, work));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if self != Self::One
            && let Some(simd) = pulp::aarch64::Neon::try_new()
        {
            return simd.vectorize(On(simd, work));
        }
        work.with(pulp::Scalar::new())
    }

    /// The name of these registers on this processor, and their number of lanes.
    #[must_use]
    pub fn told(self) -> (&'static str, usize) {
        struct Tell;
        impl Work for Tell {
            type Output = (&'static str, usize);
            fn with<S: Lanes>(self, _: S) -> Self::Output {
                let lanes = S::F64_LANES;
                match (lanes, cfg!(target_arch = "aarch64")) {
                    (1, _) => ("scalar", lanes),
                    (_, true) => ("neon", lanes),
                    (4, _) => ("avx2", lanes),
                    _ => ("avx512", lanes),
                }
            }
        }
        self.dispatch(Tell)
    }
}
