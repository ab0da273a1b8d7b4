//! Eight numbers, one of each contact of a batch.

/// Contacts in a batch.
pub const LANES: usize = 8;

/// One number of each contact of a batch.
pub type Eight = [f64; LANES];

/// A vector of each, component by component.
pub type Eight3 = [Eight; 3];
