//! The solver of the linear systems of an assembly, as its settings choose.

use super::direct::direct;
use super::settings::Linear;
use super::stiffness::Stiffness;
use crate::solver::linear::{Limits, Solved, conjugate_gradients, stabilised};
use std::borrow::Cow;

/// Solves `A x = b` for a stiffness that is `symmetric` or not, from `x = 0`. Collective.
pub(super) fn solve(
    stiffness: &mut Stiffness,
    symmetric: bool,
    (b, x): (Cow<[f64]>, &mut [f64]),
    limits: &Limits,
) -> Solved {
    if stiffness.tangents.assembly.statics.linear == Linear::Direct {
        let solved = direct(stiffness, symmetric, (&b, &mut *x), limits);
        if !solved.broken {
            return solved;
        }
        // A matrix that is singular, or whose factors have no room, may still have an answer.
        x.fill(0.0);
    }
    match symmetric {
        true => conjugate_gradients(stiffness, b.into_owned(), x, limits),
        false => stabilised(stiffness, &b, x, limits),
    }
}
