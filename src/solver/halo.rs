//! What the solver asks of other ranks.

use super::grid::Parity;
use crate::body::Member;
use crate::math::ExactSum;

/// The little that the solver asks of other ranks.
///
/// In a sweep each body's newest velocity is on one rank, its holder, which changes as the tour goes from colour to colour
/// ([`Span::holder`](super::grid::Span::holder)).
pub trait Halo {
    /// Places of the bodies that this rank hands over when the tour leaves `from` by flipping `axis`.
    fn leaving(&self, from: Parity, axis: usize) -> impl Iterator<Item = usize>;

    /// A solve begins at colour 0: until now every copy of a body had its newest velocity, from here on only the holder's.
    fn begin(&mut self, members: &mut [Member]);

    /// Starts to hand them over: their velocities as they are now.
    fn send(&mut self, from: Parity, axis: usize, members: &[Member]);

    /// Lets what is sent travel, while blocks are swept.
    fn progress(&self) {}

    /// Takes over the velocities of the bodies that this rank holds after the flip and did not hold before.
    fn receive(&mut self, from: Parity, axis: usize, members: &mut [Member]);

    /// A sweep begins: what follows is each rank's own doing, until they [`meet`](Halo::meet).
    fn part(&mut self, _: &[Member]) {}

    /// A sweep has ended: bodies that are split among ranks are put together.
    fn meet(&mut self, _: &mut [Member]) {}

    /// The sum over all ranks, exact.
    fn sum(&self, sums: &mut [ExactSum]);

    /// The largest over all ranks, NaN if one is NaN.
    fn max(&self, value: f64) -> f64;
}

/// The halo of a run on one rank: nothing to exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Halo for Alone {
    fn leaving(&self, _: Parity, _: usize) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }
    fn begin(&mut self, _: &mut [Member]) {}
    fn send(&mut self, _: Parity, _: usize, _: &[Member]) {}
    fn receive(&mut self, _: Parity, _: usize, _: &mut [Member]) {}
    fn sum(&self, _: &mut [ExactSum]) {}
    fn max(&self, value: f64) -> f64 {
        value
    }
}
