//! Measures of the distance of impulses from a solution.
//!
//! All three use one property: a solution is a fixed point of `r ↦ P_K(r − ρ û)` for any ρ > 0,
//! contact by contact. They differ in ρ and in the divisor of the distance. A NaN in the impulses
//! gives NaN.

use super::Problem;
use crate::law::cone;
use crate::math::{nan_max, norm};

/// Siconos' error (`fc3d_compute_error`, Siconos 4.4).
///
/// `|r − P_K(r − û)| / max(|q|, |r|, |u|)` with u = W r + q, ρ = 1, and the distance itself where
/// that maximum is below 2.2e-16. It adds impulses and velocities, so it depends on the units, and
/// where W is far from 1 it is blunt.
#[must_use]
pub fn siconos_error(problem: &Problem, impulse: &[f64]) -> f64 {
    let mut u = vec![0.0; impulse.len()];
    problem.matrix.apply(impulse, &problem.q, &mut u);
    siconos_error_at(problem, impulse, &u)
}

/// [`siconos_error`] for a given `u = W r + q`.
#[must_use]
pub fn siconos_error_at(problem: &Problem, impulse: &[f64], velocity: &[f64]) -> f64 {
    let distance = distance(problem, impulse, velocity, |_| 1.0);
    let sizes = [norm(&problem.q), norm(impulse), norm(velocity)];
    if sizes.iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    let scale = sizes[0].max(sizes[1]).max(sizes[2]);
    if scale > f64::EPSILON {
        distance / scale
    } else {
        distance
    }
}

/// FCLib's merit (`fclib_merit_local`, `MERIT_1`): `|r − P_K(r − û)| / (1 + √|q|)`. The root of the
/// norm is FCLib's.
#[must_use]
pub fn fclib_merit(problem: &Problem, impulse: &[f64]) -> f64 {
    let mut u = vec![0.0; impulse.len()];
    problem.matrix.apply(impulse, &problem.q, &mut u);
    fclib_merit_at(problem, impulse, &u)
}

/// [`fclib_merit`] for a given `u = W r + q`.
#[must_use]
pub fn fclib_merit_at(problem: &Problem, impulse: &[f64], velocity: &[f64]) -> f64 {
    distance(problem, impulse, velocity, |_| 1.0) / (1.0 + norm(&problem.q).sqrt())
}

/// An error independent of units: `|r − P_K(r − ρ û)| / |r|`, with `ρ_i = 1/|W_ii|₂` of each
/// contact.
///
/// Where r = 0 the divisor is `|ρ q|`, the size of the impulses required.
#[must_use]
pub fn residual(problem: &Problem, impulse: &[f64]) -> f64 {
    let mut u = vec![0.0; impulse.len()];
    problem.matrix.apply(impulse, &problem.q, &mut u);
    residual_at(problem, impulse, &u)
}

/// [`residual`] for a given `u = W r + q`.
#[must_use]
pub fn residual_at(problem: &Problem, impulse: &[f64], velocity: &[f64]) -> f64 {
    let rho = scales(problem);
    let distance = distance(problem, impulse, velocity, |i| rho[i]);
    let mut size = norm(impulse);
    if size == 0.0 {
        let d = problem.matrix.dimension;
        let parts = problem.q.chunks_exact(d).zip(&rho);
        size = parts.map(|(q, rho)| (rho * norm(q)).powi(2)).sum::<f64>();
        size = size.sqrt();
    }
    if distance == 0.0 {
        0.0
    } else {
        distance / size
    }
}

/// Whether impulses have grown without an answer.
///
/// They are far larger than the free velocities demand of each contact alone, and velocities still
/// violate the law by a fraction of these. So are the impulses on a body between walls that close:
/// they can grow for ever, and an error relative to them falls though nothing is solved. Also
/// returns `|r|` and that fraction, `|(r − P_K(r − ρ û))/ρ| / |q|` with ρ as in [`residual`].
#[must_use]
pub(super) fn growth_without_answer(
    problem: &Problem,
    impulse: &[f64],
    velocity: &[f64],
) -> (bool, [f64; 2]) {
    let d = problem.matrix.dimension;
    let rho = scales(problem);
    let needed = problem.q.chunks_exact(d).zip(&rho);
    let needed: f64 = needed.map(|(q, rho)| (rho * norm(q)).powi(2)).sum();
    let off = distances(problem, impulse, velocity, |i| rho[i]);
    let off: f64 = off
        .zip(&rho)
        .map(|(square, rho)| square / (rho * rho))
        .sum();
    let (size, violation) = (norm(impulse), off.sqrt() / norm(&problem.q));
    let grown = size > GROWN * needed.sqrt() && violation > VIOLATED;
    (grown, [size, violation])
}

/// Whether these impulses have grown without an answer, as those between walls that close.
#[must_use]
pub fn is_unanswered(problem: &Problem, impulse: &[f64]) -> bool {
    let mut u = vec![0.0; impulse.len()];
    problem.matrix.apply(impulse, &problem.q, &mut u);
    growth_without_answer(problem, impulse, &u).0
}

/// Impulses have grown beyond this multiple of those that the contacts need one by one.
const GROWN: f64 = 1e3;

/// The fraction of the free velocities by which velocities may violate the law.
const VIOLATED: f64 = 1e-3;

/// `|r − P_K(r − ρ û)|`.
fn distance(
    problem: &Problem,
    impulse: &[f64],
    velocity: &[f64],
    rho: impl Fn(usize) -> f64,
) -> f64 {
    let mut sum = 0.0;
    for square in distances(problem, impulse, velocity, rho) {
        sum += square;
    }
    sum.sqrt()
}

/// The square of [`distance`] at each contact.
fn distances<'a>(
    problem: &'a Problem,
    impulse: &'a [f64],
    velocity: &'a [f64],
    rho: impl Fn(usize) -> f64 + 'a,
) -> impl Iterator<Item = f64> + 'a {
    let d = problem.matrix.dimension;
    let contacts = impulse.chunks_exact(d).zip(velocity.chunks_exact(d));
    contacts.enumerate().map(move |(i, (r, u))| {
        let coefficients = problem.coefficients(i);
        let mut y = [0.0; 5];
        let y = &mut y[..d];
        let rho = rho(i);
        for k in 0..d {
            y[k] = r[k] - rho * u[k];
        }
        y[0] -= rho * lift(u, coefficients);
        cone::project(y, coefficients);
        (0..d).map(|k| (r[k] - y[k]) * (r[k] - y[k])).sum()
    })
}

/// `μ|u_T| + μ_r|u_M|`: De Saxcé's addition to the normal velocity.
#[inline]
pub(super) fn lift(u: &[f64], [mu, rolling]: [f64; 2]) -> f64 {
    match u {
        [_, t] => mu * t.abs(),
        [_, a, b] => mu * (a * a + b * b).sqrt(),
        [_, a, b, c, d] => mu * (a * a + b * b).sqrt() + rolling * (c * c + d * d).sqrt(),
        _ => 0.0,
    }
}

/// `1/|W_ii|₂` of each contact; for a zero diagonal block, the mean of the others.
fn scales(problem: &Problem) -> Vec<f64> {
    let n = problem.contacts();
    let norms = (0..n).map(|i| spectral_norm(problem.matrix.diagonal(i), problem.matrix.dimension));
    let mut scales: Vec<f64> = norms.map(|norm| 1.0 / norm).collect();
    if scales.iter().any(|x| x.is_infinite()) {
        let known = scales.iter().filter(|x| !x.is_infinite());
        let (sum, count) = known.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
        let mean = if count > 0.0 { sum / count } else { 1.0 };
        for x in scales.iter_mut().filter(|x| x.is_infinite()) {
            *x = mean;
        }
    }
    scales
}

/// The largest singular value of a small square matrix.
///
/// AᵀA is squared until one direction remains: 2⁻⁵² after ten squarings for a ratio of singular
/// values of 0.98 or less, and the error never exceeds that ratio.
fn spectral_norm(a: &[f64], d: usize) -> f64 {
    let largest = a.iter().fold(0.0f64, |m, x| nan_max(m, x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let scaled = |k: usize| a[k] / largest;
    let mut gram = [0.0; 25];
    for i in 0..d {
        for j in 0..d {
            gram[i * d + j] = (0..d).map(|k| scaled(k * d + i) * scaled(k * d + j)).sum();
        }
    }
    let first = gram;
    for _ in 0..10 {
        let trace: f64 = (0..d).map(|i| gram[i * d + i]).sum();
        let mut next = [0.0; 25];
        for i in 0..d {
            for j in 0..d {
                let sum: f64 = (0..d).map(|k| gram[i * d + k] * gram[k * d + j]).sum();
                next[i * d + j] = sum / (trace * trace);
            }
        }
        gram = next;
    }
    // tr(G P)/tr(P), P the power: the mean of the squared singular values, weighted by their 1024th
    // powers.
    let mut top = 0.0;
    for i in 0..d {
        for k in 0..d {
            top += first[i * d + k] * gram[k * d + i];
        }
    }
    let trace: f64 = (0..d).map(|i| gram[i * d + i]).sum();
    largest * (top / trace).sqrt()
}

#[cfg(test)]
mod tests;
