//! Stabilised biconjugate gradients.

use super::{Limits, Solved, System, add_scaled};

/// Solves `A x = b` for any A, from `x = 0`. Collective.
///
/// BiCGSTAB of van der Vorst (1992), preconditioned from the right. It is broken where a scalar
/// product that it divides by vanishes; x is then the last approximation.
pub fn stabilised(system: &mut impl System, b: &[f64], x: &mut [f64], limits: &Limits) -> Solved {
    let n = system.len();
    x.fill(0.0);
    // The shadow of the residual is its value at the start.
    let (mut r, shadow) = (b.to_vec(), b);
    let [mut p, mut v, mut t] = [b.to_vec(), vec![0.0; n], vec![0.0; n]];
    let mut y = vec![0.0; n];
    let mut solved = Solved::default();
    let [mut rho] = system.products([[&r, &r]]);
    solved.residual = rho.sqrt();
    loop {
        if solved.ends(limits, &[rho]) {
            return solved;
        }
        system.precondition(&p, &mut y);
        system.apply(&y, &mut v);
        let [along] = system.products([[shadow, &v]]);
        let alpha = rho / along;
        if !alpha.is_finite() {
            solved.broken = true;
            return solved;
        }
        add_scaled(x, alpha, &y);
        add_scaled(&mut r, -alpha, &v);
        system.precondition(&r, &mut y);
        system.apply(&y, &mut t);
        solved.products += 2;
        let [both, square] = system.products([[&t, &r], [&t, &t]]);
        // A residual of zero has no further direction.
        let omega = if square == 0.0 { 0.0 } else { both / square };
        add_scaled(x, omega, &y);
        add_scaled(&mut r, -omega, &t);
        let [next, left] = system.products([[shadow, &r], [&r, &r]]);
        solved.residual = left.sqrt();
        let beta = next / rho * (alpha / omega);
        if !beta.is_finite() && solved.residual > limits.residual {
            solved.broken = true;
            return solved;
        }
        for k in 0..n {
            p[k] = r[k] + beta * (p[k] - omega * v[k]);
        }
        rho = next;
    }
}
