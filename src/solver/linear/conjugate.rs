//! Conjugate gradients with one reduction an iteration.

use super::{Limits, Solved, System, add_scaled, scaled_plus};

/// Solves `A x = b` for a symmetric positive definite A, from `x = 0`. Collective.
///
/// The memory of b becomes that of the residual.
///
/// The recurrences are those of Chronopoulos and Gear (1989): both scalar products of an iteration
/// are taken of the same residual, so they travel in one message.
///
/// A semidefinite matrix is solved as well where b has no part in its null space.
pub fn conjugate_gradients(
    system: &mut impl System,
    b: Vec<f64>,
    x: &mut [f64],
    limits: &Limits,
) -> Solved {
    let n = system.len();
    x.fill(0.0);
    let mut r = b;
    let [mut u, mut w] = [vec![0.0; n], vec![0.0; n]];
    // Directions and their products.
    let [mut p, mut s] = [vec![0.0; n], vec![0.0; n]];
    let (mut before, mut alpha) = (0.0, 0.0);
    let mut solved = Solved::default();
    loop {
        system.precondition(&r, &mut u);
        system.apply(&u, &mut w);
        solved.products += 1;
        let [gamma, delta, square] = system.products([[&r, &u], [&w, &u], [&r, &r]]);
        solved.residual = square.sqrt();
        // The first pass finds the residual at the start; its product counts.
        if solved.ends(limits, &[gamma, delta]) {
            return solved;
        }
        let first = solved.products == 1;
        let beta = if first { 0.0 } else { gamma / before };
        let curvature = if first {
            delta
        } else {
            delta - beta * gamma / alpha
        };
        if curvature <= 0.0 || gamma == 0.0 {
            solved.broken = true;
            return solved;
        }
        (before, alpha) = (gamma, gamma / curvature);
        scaled_plus(&mut p, beta, &u);
        scaled_plus(&mut s, beta, &w);
        add_scaled(x, alpha, &p);
        add_scaled(&mut r, -alpha, &s);
    }
}
