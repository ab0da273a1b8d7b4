//! The solver: finds together the impulses of all contacts of a step.
//!
//! [`nsgs`] is the paper's algorithm: the sweep and the solve. [`blocks`] holds the contacts as the sweep visits them,
//! [`grid`] the blocks' geometry and the tour of their colours, [`merit`] the judge, which alone decides what is converged,
//! [`work`] where the energy goes, [`pushed`] walls that move by Newton's law, and [`project`] takes overlaps back.
//! Of other ranks the solver asks only a [`Halo`].

pub mod accelerate;
pub mod batch;
pub mod blocks;
pub mod grid;
pub mod kernel;
pub mod lanes;
pub mod merit;
pub mod nsgs;
pub mod project;
pub mod pushed;
mod shared;
mod vectors;
mod work;

pub use crate::law::GapRule;

use crate::body::Member;
use crate::math::ExactSum;
use accelerate::Acceleration;
use grid::Parity;

/// What the user may set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The load residual at which a step counts as converged.
    pub tolerance: f64,
    /// Sweeps after which a step is given up as not converged.
    pub max_sweeps: u64,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// When a new order of contacts is drawn.
    pub order: Order,
    /// Edge of a block [m]; `None`: four of the largest diameters.
    pub block_edge: Option<f64>,
    /// Distance below which two bodies are candidates for a contact even at rest [m]; `None`: a twentieth of the smallest
    /// radius.
    pub skin: Option<f64>,
    /// What becomes of overlaps of rigid contacts.
    pub gap: GapRule,
    /// How overlaps that are left are taken back.
    pub projection: Projection,
    /// Whether contacts start with the force of the last step; else with none.
    pub warm_start: bool,
    /// By up to which share each of these forces is made smaller or larger at random; 0: not at all.
    pub start_spread: f64,
    /// Acceleration of the sweeps, where their order is kept within a step.
    pub acceleration: Acceleration,
    /// How often in a sweep each block is swept before the next colour.
    pub inner_passes: u64,
    /// How often ranks tell each other velocities.
    pub exchange: Exchange,
    /// Vector registers of the sweep; the result does not depend on them.
    pub width: lanes::Width,
}

/// Sweeps over positions after each solve, which take overlaps back without touching velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// How many; 0: none.
    pub sweeps: u64,
    /// Fraction of an overlap that each aims at.
    pub fraction: f64,
}

impl Default for Projection {
    fn default() -> Self {
        Self {
            sweeps: 0,
            fraction: 0.1,
        }
    }
}

/// When a new order of contacts is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// For each sweep.
    #[default]
    Sweep,
    /// For each step, and kept within it.
    Step,
}

/// How often ranks tell each other velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Exchange {
    /// After each colour of a sweep, from holder to holder: the sweep over many ranks is the serial sweep, bit for bit.
    #[default]
    Phase,
    /// Once a sweep: a body at a cut is split among the ranks that know it, which then take together what became of the parts.
    /// Other sweeps on another number of ranks.
    Sweep,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-2,
            max_sweeps: 500,
            seed: 1,
            order: Order::Sweep,
            block_edge: None,
            skin: None,
            gap: GapRule::default(),
            projection: Projection::default(),
            warm_start: true,
            start_spread: 0.0,
            acceleration: Acceleration::default(),
            inner_passes: 1,
            exchange: Exchange::default(),
            width: lanes::Width::default(),
        }
    }
}

/// The little that the solver asks of other ranks.
///
/// In a sweep each body's newest velocity is on one rank, its holder, which changes as the tour goes from colour to colour
/// ([`grid::Span::holder`]).
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
