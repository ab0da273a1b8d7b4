//! The settings of the solver.

use super::lanes::Width;
use crate::law::GapRule;

/// The settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The load residual at which a step counts as converged.
    pub tolerance: f64,
    /// Number of sweeps after which a step counts as not converged.
    pub max_sweeps: u64,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// How often a new order of contacts is drawn.
    pub order: Order,
    /// Edge of a block [m]; `None`: four times the largest diameter.
    pub block_edge: Option<f64>,
    /// Distance below which two bodies are candidates for a contact even at rest [m]; `None`: a
    /// twentieth of the smallest radius.
    pub skin: Option<f64>,
    /// Bodies with a larger radius are large [m]; `None`: those with more than eight times
    /// the median radius.
    pub large_radius: Option<f64>,
    /// Treatment of overlaps by rigid contacts.
    pub gap: GapRule,
    /// Removal of the remaining overlaps.
    pub projection: Projection,
    /// Whether contacts start with the force of the last step; otherwise they start with none.
    pub warm_start: bool,
    /// Largest relative change of each of these forces, drawn at random; 0: no change.
    pub start_spread: f64,
    /// Acceleration of the sweeps, where their order is kept within a step.
    pub acceleration: Acceleration,
    /// Number of times that a sweep passes through each block before the next colour.
    pub inner_passes: u64,
    /// How often ranks exchange velocities.
    pub exchange: Exchange,
    /// Vector registers of the sweep; the result does not depend on them.
    pub width: Width,
}

/// Sweeps over positions after each solve, which remove overlaps without changing velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Number of sweeps; 0: none.
    pub sweeps: u64,
    /// Fraction of an overlap that each sweep removes at a contact.
    pub fraction: f64,
}

/// How often a new order of contacts is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// For each sweep.
    Sweep,
    /// For each step, and kept within it, as momentum needs.
    Step,
}

/// How often ranks exchange velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// After each colour of a sweep, from holder to holder: the sweep over many ranks is the serial
    /// sweep, bit for bit.
    Phase,
    /// Once per sweep: a body at a cut is split among the ranks that know it.
    ///
    /// After the sweep these combine the velocities of the parts. The sweeps depend on the number
    /// of ranks.
    Sweep,
}

impl Settings {
    /// The settings of a run whose configuration sets none.
    pub const DEFAULT: Self = Self {
        tolerance: 1e-2,
        max_sweeps: 500,
        seed: 1,
        order: Order::Step,
        block_edge: None,
        large_radius: None,
        skin: None,
        gap: GapRule::Positive,
        projection: Projection {
            sweeps: 2,
            fraction: 1.0,
        },
        warm_start: true,
        start_spread: 0.0,
        acceleration: Acceleration::MOMENTUM,
        inner_passes: 1,
        exchange: Exchange::Phase,
        width: Width::Widest,
    };

    /// The paper's plain sweeps: a new order of contacts for each sweep, no momentum [001 §1.5].
    #[must_use]
    pub fn plain_sweeps() -> Self {
        Self {
            order: Order::Sweep,
            acceleration: Acceleration::NONE,
            ..Self::default()
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The acceleration of sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration {
    /// Cap of β at the start of a solve, below 1; 0: plain sweeps.
    pub momentum: f64,
}

impl Acceleration {
    /// Plain sweeps.
    pub const NONE: Acceleration = Acceleration { momentum: 0.0 };

    /// The measured best value for solves of few sweeps; long solves raise it by themselves.
    pub const MOMENTUM: Acceleration = Acceleration { momentum: 0.7 };
}

impl Default for Acceleration {
    fn default() -> Self {
        Self::MOMENTUM
    }
}
