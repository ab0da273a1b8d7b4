//! Sums and a maximum over the contacts of blocks.

use crate::math::{ExactSum, nan_max};

/// The total of the visits to blocks.
#[derive(Clone, Debug)]
pub struct Tally<const N: usize> {
    /// Sums over contacts; the addition over blocks is exact.
    pub sums: [ExactSum; N],
    /// A maximum over contacts; NaN if one is NaN.
    pub largest: f64,
}

/// One block's share of a [`Tally`].
#[derive(Clone, Copy, Debug)]
pub struct Share<const N: usize> {
    /// Terms of the sums.
    pub sums: [f64; N],
    /// A maximum.
    pub largest: f64,
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self {
            sums: std::array::from_fn(|_| ExactSum::default()),
            largest: 0.0,
        }
    }
}

impl<const N: usize> Default for Share<N> {
    fn default() -> Self {
        Self {
            sums: [0.0; N],
            largest: 0.0,
        }
    }
}

impl Share<1> {
    /// A share with a single sum.
    #[must_use]
    pub fn of(sum: f64) -> Self {
        Self {
            sums: [sum],
            largest: 0.0,
        }
    }
}

impl<const N: usize> Tally<N> {
    pub(super) fn add(&mut self, share: &Share<N>) {
        for (sum, term) in self.sums.iter_mut().zip(share.sums) {
            sum.add(term);
        }
        self.largest = nan_max(self.largest, share.largest);
    }
}
