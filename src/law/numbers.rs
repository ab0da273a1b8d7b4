//! The numbers of a law's parts in a row: how batches store them, a lane for each contact.

use crate::math::real::Three;

/// Numbers by place.
pub trait Numbers<R> {
    /// The k-th.
    fn number(&self, k: usize) -> R;

    /// Panics if there are fewer than `end`, so that those below need no check.
    fn reach(&self, end: usize);

    /// Three from the k-th on.
    #[inline(always)]
    fn three(&self, k: usize) -> Three<R> {
        [self.number(k), self.number(k + 1), self.number(k + 2)]
    }
}

/// A part of a law, as so many numbers.
pub trait Part<R>: Sized {
    /// How many.
    const NUMBERS: usize;

    /// Reads them from place `at` on.
    fn read(from: &impl Numbers<R>, at: usize) -> Self;

    /// Hands them out, one after the other.
    fn write(&self, put: &mut impl FnMut(R));

    /// The k-th number in a lane without a contact: no answer there is to be NaN.
    fn neutral(_k: usize) -> f64 {
        0.0
    }
}
