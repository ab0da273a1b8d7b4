//! The two sides of a new contact.

use crate::law::reduced_masses;
use crate::solver::reaction::Reaction;

/// The data of one of the two bodies that each contact needs.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) at: Place,
    pub(super) lever: f64,
    /// The side's response in the law: that of the member, or for a wall that moves by Newton's
    /// law, that of its part.
    pub(super) seen: Reaction,
    pub(super) material: u32,
    /// Radius [m]; infinite for walls.
    pub(super) radius: f64,
    /// The number of ranks among which it is split.
    pub(super) split: f64,
    /// The mass of a large body over that of its part in the block; 1 for all others.
    pub(super) parts: f64,
}

/// The index of a side.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Index among the bodies.
    Body(usize),
    /// Index among the walls that move by Newton's law, and the large bodies.
    Pushed(usize),
    /// Number of a wall that no impulse moves.
    Still(usize),
}

/// Reduced masses, normal and tangential [kg], of this rank's parts of two sides.
pub(super) fn masses([a, b]: [&Side; 2], [of_a, of_b]: [f64; 2]) -> (f64, f64) {
    reduced_masses(
        [a.seen.normal * of_a, b.seen.normal * of_b],
        [a.seen.tangential * of_a, b.seen.tangential * of_b],
        [a.seen.turning * of_a, b.seen.turning * of_b],
        [a.lever, b.lever],
    )
}

/// Turning mass [kg m²] and coupling of this rank's parts of two sides; 1 where neither rotates.
pub(super) fn turning([a, b]: [&Side; 2], [of_a, of_b]: [f64; 2]) -> [f64; 2] {
    let [a_turning, b_turning] = [a.seen.turning * of_a, b.seen.turning * of_b];
    let turning = a_turning + b_turning;
    let mass = if turning > 0.0 { 1.0 / turning } else { 1.0 };
    [mass, b.lever * b_turning - a.lever * a_turning]
}
