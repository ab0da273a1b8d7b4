//! The numbers of a law's parts in a row, as batches store them: one lane per contact.

use crate::math::real::Three;

/// Numbers addressed by index.
pub trait Numbers<R> {
    /// The k-th number.
    fn number(&self, k: usize) -> R;

    /// Panics if fewer than `end` numbers exist, so that the ones below need no check.
    fn reach(&self, end: usize);

    /// The three numbers from the k-th on.
    #[inline(always)]
    fn three(&self, k: usize) -> Three<R> {
        [self.number(k), self.number(k + 1), self.number(k + 2)]
    }
}

/// A part of a law, stored as a fixed number of numbers.
pub trait Part<R>: Sized {
    /// The number of its numbers.
    const NUMBERS: usize;

    /// Reads them from index `at` on.
    fn read(from: &impl Numbers<R>, at: usize) -> Self;

    /// Passes them to `put`, one after the other.
    fn write(&self, put: &mut impl FnMut(R));

    /// The k-th number in a lane without a contact, chosen so that the answer there is not NaN.
    fn neutral(_k: usize) -> f64 {
        0.0
    }
}
