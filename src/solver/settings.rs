//! What the user may set of the solver.

use super::lanes::Width;
use crate::law::GapRule;

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
    pub width: Width,
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
    Sweep,
    /// For each step, and kept within it, as momentum needs.
    #[default]
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

impl Settings {
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

/// The settings of a run whose configuration sets none.
impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-2,
            max_sweeps: 500,
            seed: 1,
            order: Order::default(),
            block_edge: None,
            skin: None,
            gap: GapRule::default(),
            projection: Projection::default(),
            warm_start: true,
            start_spread: 0.0,
            acceleration: Acceleration::default(),
            inner_passes: 1,
            exchange: Exchange::default(),
            width: Width::default(),
        }
    }
}

/// How sweeps are accelerated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration {
    /// Cap of β at the start of a solve, below 1; 0: plain sweeps.
    pub momentum: f64,
}

impl Acceleration {
    /// Plain sweeps.
    pub const NONE: Acceleration = Acceleration { momentum: 0.0 };

    /// As was found best for solves of few sweeps; long ones raise it by themselves.
    pub const MOMENTUM: Acceleration = Acceleration { momentum: 0.7 };
}

impl Default for Acceleration {
    fn default() -> Self {
        Self::MOMENTUM
    }
}
