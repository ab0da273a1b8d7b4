//! The numbers of the laws: `f64`, or a vector register with one contact per lane.
//!
//! All operations are those of IEEE 754 in the order written, none fused, and branches are
//! selections by a mask. So a law computes the same bits for each contact in both forms.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, or one per lane.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A truth value, or one per lane.
    type Mask: Mask;

    /// Whether it is a single number: then work may be skipped if its result is not selected.
    const ALONE: bool = false;

    /// The constant `x` in every lane; `self` only selects the register.
    fn splat(self, x: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `self < other`.
    fn less(self, other: Self) -> Self::Mask;
    /// `self ≤ other`.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `self > other`.
    fn greater(self, other: Self) -> Self::Mask;
    /// `self = other`.
    fn equals(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, `no` where it is false.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// A truth value, or one per lane.
pub trait Mask: Copy {
    /// Logical and.
    fn and(self, other: Self) -> Self;
    /// Logical or.
    fn or(self, other: Self) -> Self;
    /// Logical negation.
    fn not(self) -> Self;
    /// Whether any lane is true.
    fn any(self) -> bool;
}

impl Real for f64 {
    type Mask = bool;
    const ALONE: bool = true;

    #[inline(always)]
    fn splat(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn less(self, other: f64) -> bool {
        self < other
    }
    #[inline(always)]
    fn at_most(self, other: f64) -> bool {
        self <= other
    }
    #[inline(always)]
    fn greater(self, other: f64) -> bool {
        self > other
    }
    #[inline(always)]
    fn equals(self, other: f64) -> bool {
        self == other
    }
    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
}

impl Mask for bool {
    #[inline(always)]
    fn and(self, other: bool) -> bool {
        self & other
    }
    #[inline(always)]
    fn or(self, other: bool) -> bool {
        self | other
    }
    #[inline(always)]
    fn not(self) -> bool {
        !self
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// A vector of such numbers, component by component.
pub type Three<R> = [R; 3];

// Loops instead of `map`: the compiler does not always inline a closure into code for wide
// registers.

/// `a · b`.
#[inline(always)]
pub fn dot<R: Real>(a: &Three<R>, b: &Three<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a × b`.
#[inline(always)]
pub fn cross<R: Real>(a: &Three<R>, b: &Three<R>) -> Three<R> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// `a + b`.
#[inline(always)]
pub fn add<R: Real>(a: &Three<R>, b: &Three<R>) -> Three<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a − b`.
#[inline(always)]
pub fn sub<R: Real>(a: &Three<R>, b: &Three<R>) -> Three<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a b` with a number `b`.
#[inline(always)]
pub fn scaled<R: Real>(a: &Three<R>, b: R) -> Three<R> {
    [a[0] * b, a[1] * b, a[2] * b]
}

/// The part of `a` perpendicular to the unit vector `n`; `along` is the component along `n`.
#[inline(always)]
pub fn across<R: Real>(a: &Three<R>, n: &Three<R>, along: R) -> Three<R> {
    sub(a, &scaled(n, along))
}

/// `|a|`.
#[inline(always)]
pub fn length<R: Real>(a: &Three<R>) -> R {
    dot(a, a).sqrt()
}

/// `yes` where the mask is true, `no` where it is false.
#[inline(always)]
pub fn select<R: Real>(mask: R::Mask, yes: &Three<R>, no: &Three<R>) -> Three<R> {
    [
        R::select(mask, yes[0], no[0]),
        R::select(mask, yes[1], no[1]),
        R::select(mask, yes[2], no[2]),
    ]
}

/// `a`, scaled down to the length `bound` where it is longer.
#[inline(always)]
pub fn clamped<R: Real>(a: &Three<R>, bound: R) -> Three<R> {
    let size = length(a);
    let scale = R::select(size.greater(bound), bound / size, size.splat(1.0));
    scaled(a, scale)
}

/// Rotates a vector by the shortest rotation from the unit vector `from` to the unit vector `to`.
///
/// A half turn has an undefined axis; it only takes the parallel component along.
#[inline(always)]
pub fn turned_with<R: Real>(from: &Three<R>, to: &Three<R>, v: &Three<R>) -> Three<R> {
    let same = (from[0].equals(to[0]).and(from[1].equals(to[1]))).and(from[2].equals(to[2]));
    if R::ALONE && same.any() {
        return *v;
    }
    let (axis, cosine) = (cross(from, to), dot(from, to));
    let one = cosine.splat(1.0);
    let along = dot(v, from);
    let back = add(&sub(v, &scaled(from, along)), &scaled(to, along));
    let turned = add(
        &add(&scaled(v, cosine), &cross(&axis, v)),
        &scaled(&axis, dot(&axis, v) / (one + cosine)),
    );
    let turned = select(cosine.at_most(cosine.splat(-1.0 + 1e-12)), &back, &turned);
    // Keeps all bits.
    select(same, v, &turned)
}
