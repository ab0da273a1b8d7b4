//! The configuration: TOML as typed, checked as a whole, made into a [`Scenario`].
//!
//! All faults are told at once, before anything runs or is written, each with file, line, key, value, and what is accepted.

use crate::math::Vector3;
use crate::sample::Sample;
use crate::shape::HalfSpace;
use crate::solver::Settings;

/// A checked run: what `moreau run` needs to start.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// A line for logs and reports.
    pub title: String,
    /// The configuration as run: the TOML text with overrides applied.
    pub text: String,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// Time step [s].
    pub dt: f64,
    /// When the run ends.
    pub end: End,
    /// Lower corner of the domain [m].
    pub lower: Vector3,
    /// Upper corner of the domain [m].
    pub upper: Vector3,
    /// The solver's settings.
    pub solver: Settings,
    /// Materials by number.
    pub materials: Vec<Material>,
    /// Walls by number.
    pub walls: Vec<Wall>,
    /// Initial bodies; ids count through them in order.
    pub samples: Vec<Sample>,
    /// Largest accepted overlap of two initial bodies, as a fraction of the smaller radius.
    pub max_initial_overlap: f64,
    /// Series rows every so many steps.
    pub series_every: u64,
    /// Checkpoints every so many steps; 0: only at the end.
    pub checkpoint_every: u64,
    /// Checkpoints kept.
    pub checkpoint_keep: usize,
}

/// When a run ends: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct End {
    /// At this step, counted from time zero.
    pub steps: Option<u64>,
    /// At this time [s].
    pub until: Option<f64>,
    /// When the translational kinetic energy per body falls below this fraction of `m g d`.
    pub rest: Option<f64>,
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Density [kg/m³].
    pub density: f64,
    /// Coefficient of friction against itself; between two materials: the geometric mean.
    pub friction: f64,
}

/// A wall: an immovable half-space that bodies stay out of.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// For logs and reports: `floor`, `box.x-`, …
    pub name: String,
    /// Its surface.
    pub shape: HalfSpace,
    /// Number of its material.
    pub material: u32,
}
