//! Eight numbers, one for each contact of a batch.

/// Number of contacts in a batch.
pub const LANES: usize = 8;

/// One number for each contact of a batch.
pub type Eight = [f64; LANES];

/// A vector for each contact, component by component.
pub type Eight3 = [Eight; 3];
