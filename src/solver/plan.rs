//! The data of each batch for the projection of positions.

use super::batch::{Eight, LANES};

/// The projection of the contacts of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Gaps that they will have at the end of the step [m].
    pub gap: Eight,
    /// Fraction of an overlap removed per sweep, over the sum of the inverse masses [kg].
    pub push: Eight,
    /// Displacement times mass by which each contact has pushed its bodies apart so far [kg m].
    pub pushed: Eight,
}

impl Plan {
    /// No projection.
    pub const NOTHING: Plan = Plan {
        gap: [0.0; LANES],
        push: [0.0; LANES],
        pushed: [0.0; LANES],
    };
}
