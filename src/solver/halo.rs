//! The communication of the solver with other ranks.

use super::grid::Parity;
use crate::body::Member;
use crate::math::ExactSum;

/// The communication that the solver needs.
///
/// In a sweep each body's newest velocity is on one rank, its holder, which changes as the tour
/// goes from colour to colour ([`Span::holder`](super::grid::Span::holder)).
pub trait Halo {
    /// Indices of the bodies that this rank hands over when the tour leaves `from` by flipping
    /// `axis`.
    fn leaving(&self, from: Parity, axis: usize) -> impl Iterator<Item = usize>;

    /// Begins a solve at colour 0: until now every copy of a body was up to date, from now on only
    /// the holder's is.
    fn begin(&mut self, members: &mut [Member]);

    /// Starts to send the present velocities of the bodies to be handed over.
    fn send(&mut self, from: Parity, axis: usize, members: &[Member]);

    /// Lets messages make progress while blocks are swept.
    fn progress(&self) {}

    /// Receives the velocities of the bodies that this rank holds after the flip and did not hold
    /// before.
    fn receive(&mut self, from: Parity, axis: usize, members: &mut [Member]);

    /// A sweep begins: until they [`meet`](Halo::meet), ranks sweep independently.
    fn part(&mut self, _: &[Member]) {}

    /// A sweep has ended: the parts of bodies split among ranks are combined.
    fn meet(&mut self, _: &mut [Member]) {}

    /// The exact sum over all ranks.
    fn sum(&self, sums: &mut [ExactSum]);

    /// The maximum over all ranks; NaN if one is NaN.
    fn max(&self, value: f64) -> f64;
}

/// The halo of a run on one rank, which exchanges nothing.
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
