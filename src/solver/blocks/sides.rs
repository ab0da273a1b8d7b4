//! The two sides of a contact that is being made.

use crate::law::reduced_masses;
use crate::solver::reaction::Reaction;

/// What every contact needs to know of one of its two bodies.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) at: Place,
    pub(super) lever: f64,
    /// What of the side's inertia the law sees: as the member's response, but of a wall that moves by Newton's law its share.
    pub(super) seen: Reaction,
    pub(super) material: u32,
    /// Infinite for walls.
    pub(super) radius: f64,
    /// Among how many ranks it is split.
    pub(super) split: f64,
}

/// Where it stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Among the bodies.
    Body(usize),
    /// A wall's number, and its place among those that move by Newton's law.
    Pushed(usize, usize),
    /// Number of a wall that does not, whatever pushes it.
    Still(usize),
}

/// Reduced masses, normal and tangential [kg], of two sides of which this rank has one part in so many.
pub(super) fn masses([a, b]: [&Side; 2], [of_a, of_b]: [f64; 2]) -> (f64, f64) {
    reduced_masses(
        [a.seen.normal * of_a, b.seen.normal * of_b],
        [a.seen.tangential * of_a, b.seen.tangential * of_b],
        [a.seen.turning * of_a, b.seen.turning * of_b],
        [a.lever, b.lever],
    )
}

/// Turning mass [kg m²] and coupling of the same, 1 where nothing turns.
pub(super) fn turning([a, b]: [&Side; 2], [of_a, of_b]: [f64; 2]) -> [f64; 2] {
    let [a_turning, b_turning] = [a.seen.turning * of_a, b.seen.turning * of_b];
    let turning = a_turning + b_turning;
    let mass = if turning > 0.0 { 1.0 / turning } else { 1.0 };
    [mass, b.lever * b_turning - a.lever * a_turning]
}
