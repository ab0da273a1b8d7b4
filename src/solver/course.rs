//! The tour through the eight colours: blocks are visited colour by colour.
//!
//! Between two colours the bodies whose holder changes are handed over.

use super::blocks::{Blocks, Tally, Visit};
use super::grid::{Parity, Tour};
use super::halo::Halo;
use crate::body::Member;

/// Blocks, the members that they share, and the present colour of the tour.
#[derive(Debug)]
pub struct Course<'a, H> {
    /// The blocks.
    pub blocks: &'a mut Blocks,
    /// All members on this rank: bodies, then walls that move by Newton's law.
    pub members: &'a mut [Member],
    /// Other ranks.
    pub halo: &'a mut H,
    /// The present colour.
    at: Parity,
}

impl<'a, H: Halo> Course<'a, H> {
    /// A course at colour 0, where solves begin and end.
    pub fn new(blocks: &'a mut Blocks, members: &'a mut [Member], halo: &'a mut H) -> Self {
        Self {
            blocks,
            members,
            halo,
            at: Parity(0),
        }
    }

    /// Begins a solve: until now every copy of a member was up to date, from now on only the
    /// holder's is.
    pub fn begin(&mut self) {
        self.halo.begin(self.members);
    }

    /// Goes to a colour axis by axis, handing over bodies on the way.
    pub fn go_to(&mut self, to: Parity) {
        for axis in 0..3 {
            if self.at.on(axis) != to.on(axis) {
                self.halo.send(self.at, axis, self.members);
                self.halo.receive(self.at, axis, self.members);
                self.at = self.at.flipped(axis);
            }
        }
    }

    /// Runs a tour that changes velocities; at its end the parts of split bodies are combined.
    pub fn sweep<const N: usize>(&mut self, tour: &Tour, visit: &impl Visit<N>) -> Tally<N> {
        self.halo.part(self.members);
        let tally = self.run(tour, visit);
        self.halo.meet(self.members);
        tally
    }

    /// Runs a tour through the eight colours: visits the blocks of each, and hands over bodies
    /// whose holder changes.
    pub fn run<const N: usize>(&mut self, tour: &Tour, visit: &impl Visit<N>) -> Tally<N> {
        // From the last colour of the last tour to the first of this one.
        self.go_to(tour.start());
        let mut tally = Tally::default();
        for (colour, axis) in tour.phases() {
            let (blocks, members) = (&mut *self.blocks, &mut *self.members);
            blocks.phase((colour, axis), members, &mut tally, visit, self.halo);
            self.halo.receive(colour, axis, self.members);
        }
        self.at = tour.start();
        tally
    }

    /// The total of the visits on all ranks. Collective.
    #[must_use]
    pub fn reduce<const N: usize>(&self, tally: Tally<N>) -> [f64; N] {
        let mut sums = tally.sums;
        self.halo.sum(&mut sums);
        sums.map(|s| s.value())
    }
}
