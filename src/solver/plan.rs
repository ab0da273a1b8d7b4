//! The data of each batch for the projection of positions.

use super::batch::{Eight, LANES};

/// The projection of the contacts of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Gaps that they will have at the end of the step [m]; infinite: left out.
    pub gap: Eight,
    /// Displacement times mass by which each contact has pushed its bodies apart so far [kg m].
    pub pushed: Eight,
}

impl Plan {
    /// No projection.
    pub const NOTHING: Plan = Plan {
        gap: [f64::INFINITY; LANES],
        pushed: [0.0; LANES],
    };
}

/// A sleeping touch in the projection of positions.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The gap after the step, with the overlap that stays [m].
    pub gap: f64,
    /// The multiplier [kg m].
    pub pushed: f64,
}
