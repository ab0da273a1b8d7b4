//! Vector registers as the numbers in which laws are written, with a contact in each lane.

use super::batch::{Eight, Eight3, Line};
use super::lanes::Lanes;
use crate::law::Numbers;
use crate::math::real::{Mask, Real, Three};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A register, with pulp's proof that the processor has it.
#[derive(Clone, Copy)]
pub(super) struct Lane<S: Lanes> {
    simd: S,
    x: S::f64s,
}

/// A truth value for each lane.
#[derive(Clone, Copy)]
pub(super) struct Lanewise<S: Lanes> {
    simd: S,
    mask: S::m64s,
}

impl<S: Lanes> Lane<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, x: S::f64s) -> Self {
        Self { simd, x }
    }

    /// The same number in all lanes.
    #[inline(always)]
    pub(super) fn all(simd: S, x: f64) -> Self {
        Self {
            simd,
            x: simd.splat_f64s(x),
        }
    }

    /// Lanes of eight numbers, from lane `part` on.
    #[inline(always)]
    pub(super) fn load(simd: S, from: &Eight, part: usize) -> Self {
        let lanes = pulp::bytemuck::cast_slice(&from[part..part + S::F64_LANES]);
        Self {
            simd,
            x: pulp::bytemuck::pod_read_unaligned(lanes),
        }
    }

    #[inline(always)]
    pub(super) fn load3(simd: S, from: &Eight3, part: usize) -> Three<Self> {
        [
            Self::load(simd, &from[0], part),
            Self::load(simd, &from[1], part),
            Self::load(simd, &from[2], part),
        ]
    }

    /// Writes them to eight numbers, from lane `part` on.
    #[inline(always)]
    pub(super) fn store(self, to: &mut Eight, part: usize) {
        let bytes = pulp::bytemuck::bytes_of(&self.x);
        pulp::bytemuck::cast_slice_mut::<f64, u8>(&mut to[part..part + S::F64_LANES])
            .copy_from_slice(bytes);
    }

    /// Adds to eight numbers, from lane `part` on.
    #[inline(always)]
    pub(super) fn add_to(self, sums: &mut Eight, part: usize) {
        (Self::load(self.simd, sums, part) + self).store(sums, part);
    }

    /// The register.
    #[inline(always)]
    pub(super) fn register(self) -> S::f64s {
        self.x
    }
}

/// Writes a vector of each lane to three eights, from lane `part` on.
#[inline(always)]
pub(super) fn store3<S: Lanes>(to: &mut Eight3, part: usize, numbers: &Three<Lane<S>>) {
    numbers[0].store(&mut to[0], part);
    numbers[1].store(&mut to[1], part);
    numbers[2].store(&mut to[2], part);
}

/// The numbers of a batch's parts, from lane `part` on.
pub(super) struct Columns<'a, S> {
    pub(super) simd: S,
    pub(super) lines: &'a [Line],
    pub(super) part: usize,
}

impl<S: Lanes> Numbers<Lane<S>> for Columns<'_, S> {
    #[inline(always)]
    fn number(&self, k: usize) -> Lane<S> {
        Lane::load(self.simd, &self.lines[k].0, self.part)
    }

    #[inline(always)]
    fn reach(&self, end: usize) {
        assert!(end <= self.lines.len());
    }
}

impl<S: Lanes> Add for Lane<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.simd, self.simd.add_f64s(self.x, other.x))
    }
}

impl<S: Lanes> Sub for Lane<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.simd, self.simd.sub_f64s(self.x, other.x))
    }
}

impl<S: Lanes> Mul for Lane<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::new(self.simd, self.simd.mul_f64s(self.x, other.x))
    }
}

impl<S: Lanes> Div for Lane<S> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::new(self.simd, self.simd.div_f64s(self.x, other.x))
    }
}

impl<S: Lanes> Neg for Lane<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(self.simd, self.simd.neg_f64s(self.x))
    }
}

impl<S: Lanes> Lane<S> {
    #[inline(always)]
    fn mask(self, mask: S::m64s) -> Lanewise<S> {
        Lanewise {
            simd: self.simd,
            mask,
        }
    }
}

impl<S: Lanes> Real for Lane<S> {
    type Mask = Lanewise<S>;

    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        Self::all(self.simd, x)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::new(self.simd, self.simd.sqrt_f64s(self.x))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::new(self.simd, self.simd.abs_f64s(self.x))
    }
    #[inline(always)]
    fn less(self, other: Self) -> Lanewise<S> {
        self.mask(self.simd.less_than_f64s(self.x, other.x))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Lanewise<S> {
        self.mask(self.simd.less_than_or_equal_f64s(self.x, other.x))
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Lanewise<S> {
        self.mask(self.simd.greater_than_f64s(self.x, other.x))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Lanewise<S> {
        self.mask(self.simd.equal_f64s(self.x, other.x))
    }
    #[inline(always)]
    fn select(mask: Lanewise<S>, yes: Self, no: Self) -> Self {
        Self::new(yes.simd, yes.simd.select_f64s(mask.mask, yes.x, no.x))
    }
}

impl<S: Lanes> Mask for Lanewise<S> {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self {
            simd: self.simd,
            mask: self.simd.and_m64s(self.mask, other.mask),
        }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self {
            simd: self.simd,
            mask: self.simd.or_m64s(self.mask, other.mask),
        }
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self {
            simd: self.simd,
            mask: self.simd.not_m64s(self.mask),
        }
    }
    #[inline(always)]
    fn any(self) -> bool {
        let (zero, one) = (self.simd.splat_f64s(0.0), self.simd.splat_f64s(1.0));
        let ones = self.simd.select_f64s(self.mask, one, zero);
        self.simd.reduce_sum_f64s(ones) != 0.0
    }
}
