//! The solver of the linear systems of an assembly, as its settings choose.

use super::direct::direct;
use super::settings::Linear;
use super::stiffness::Stiffness;
use crate::solver::linear::{Limits, Solved, conjugate_gradients, stabilised};

/// Solves `A x = b` for a stiffness that is `symmetric` or not, from `x = 0`. Collective.
pub(super) fn solve(
    stiffness: &mut Stiffness,
    symmetric: bool,
    (b, x): (&[f64], &mut [f64]),
    limits: &Limits,
) -> Solved {
    match (stiffness.assembly.statics.linear, symmetric) {
        (Linear::Direct, _) => direct(stiffness, symmetric, (b, x), limits),
        (Linear::Iterative, true) => conjugate_gradients(stiffness, b, x, limits),
        (Linear::Iterative, false) => stabilised(stiffness, b, x, limits),
    }
}
