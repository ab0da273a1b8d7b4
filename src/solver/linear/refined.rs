//! Iterative refinement.

use super::{Limits, Solved, System, add_scaled};

/// Rounds after which it ends; two are enough where the factors are good.
const ROUNDS: u64 = 10;

/// The residual that rounding leaves, over the norm of the matrix and that of the solution.
const ROUNDING: f64 = 1e-14;

/// The solution above which a matrix is singular, over the right-hand side and the norm's inverse.
const SINGULAR: f64 = 1e13;

/// Solves `A x = b` with an inverse that is exact to rounding, from `x = 0`. Collective.
///
/// `inverse` returns `A⁻¹ r`, or `None` if it cannot, the same on all ranks; `norm` is that of A.
/// A residual that rounding leaves counts as converged. A solution so large that A must be singular
/// does not.
pub fn refined(
    system: &mut impl System,
    (norm, mut inverse): (f64, impl FnMut(&[f64]) -> Option<Vec<f64>>),
    b: &[f64],
    x: &mut [f64],
    limits: &Limits,
) -> Solved {
    x.fill(0.0);
    let mut r = b.to_vec();
    let mut y = vec![0.0; b.len()];
    let [square] = system.products([[b, b]]);
    let size = square.sqrt();
    let mut solved = Solved {
        residual: size,
        ..Solved::default()
    };
    while !solved.ends(limits, &[]) {
        let Some(z) = inverse(&r).filter(|_| solved.products < ROUNDS) else {
            solved.broken = true;
            return solved;
        };
        add_scaled(x, 1.0, &z);
        system.apply(x, &mut y);
        solved.products += 1;
        for ((r, b), y) in r.iter_mut().zip(b).zip(&y) {
            *r = b - y;
        }
        let [left, answer] = system.products([[&r, &r], [x, x]]);
        solved.residual = left.sqrt();
        let reach = norm * answer.sqrt();
        if reach.is_nan() || reach > SINGULAR * size {
            solved.broken = true;
            return solved;
        }
        if solved.residual <= ROUNDING * reach {
            solved.converged = true;
            return solved;
        }
    }
    solved
}
