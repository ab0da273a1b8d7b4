//! What the projection of positions notes of each batch.

use super::batch::{Eight, LANES};

/// What is to be done about the contacts of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Gaps that they are about to have at the end of the step [m].
    pub gap: Eight,
    /// Fraction of an overlap to be taken back in a sweep over the sum of the inverse masses [kg].
    pub push: Eight,
}

impl Plan {
    /// Nothing is to be done.
    pub const NOTHING: Plan = Plan {
        gap: [f64::INFINITY; LANES],
        push: [0.0; LANES],
    };
}
