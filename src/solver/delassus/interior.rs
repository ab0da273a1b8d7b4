//! Problems without friction from within.
//!
//! The normal parts alone are a linear complementarity problem: `u = W r + q`, `r ≥ 0`, `u ≥ 0`, `r u = 0` of each contact. An interior-point
//! method keeps all r and u above zero and lets the products of all contacts fall together. Newton's method on `W r + q − u = 0`, `r u = μ`
//! gives its steps: a predictor towards μ = 0, then a corrector that aims as far down as the predictor got and takes up the product that it
//! leaves (S. Mehrotra, SIAM Journal on Optimization 2, 575–601, 1992). r and u go the same share of their way, as W ties them. The factors
//! are those of W with `u/r` more on its diagonal, so they are a symmetric positive definite matrix's where W is symmetric.
//!
//! It does not lose itself where W is nearly singular, as a packing near isostaticity has it, nor where steps are so long that inertia hardly
//! counts and the problem is nearly a linear programme: `docs/decisions.md` has figures.

use super::Delassus;
use super::equations::{Equations, Factors};
use super::merit::norm;
use super::one_contact::Law;
use super::solve::{End, Run};

/// Steps, at most.
const STEPS: u64 = 200;

/// Share of the way to where the first r or u would be zero.
const NEARLY: f64 = 0.995;

/// A step of a smaller share than this leads nowhere.
const SHORT: f64 = 1e-8;

/// `|W r + q − u|/|q|` from which on impulses are looked at.
const OFF: f64 = 1e-2;

/// What W's diagonal is raised by in the equations of a step, as a share of it: where W is singular they have an answer all the same, and the
/// next step makes up for it.
const RAISED: f64 = 1e-14;

/// A matrix whose two halves differ by less, in units of its largest number, is symmetric.
const ROUNDING: f64 = 1e-12;

/// Impulses and velocities, all above zero.
struct Inside {
    r: Vec<f64>,
    u: Vec<f64>,
}

/// The factors of `W` with this on its diagonal as well.
fn factors<const D: usize>(
    w: &Delassus,
    equations: &mut Equations<D>,
    more: impl Fn(usize) -> f64,
) -> Option<Factors> {
    for i in 0..w.contacts() {
        for at in w.starts[i]..w.starts[i + 1] {
            let mut block = [[0.0; D]; D];
            block[0][0] = w.blocks[at];
            if w.columns[at] as usize == i {
                block[0][0] += RAISED * w.blocks[at] + more(i);
            }
            equations.set(at, &block);
        }
    }
    equations.factored()
}

impl<const D: usize, L: Law<D>> Run<'_, D, L> {
    /// For problems of one number a contact, from no guess.
    pub(super) fn interior(&mut self) -> End {
        if D > 1 {
            self.log
                .push("contacts have friction: no interior-point method".to_owned());
            return End::Stalled;
        }
        let w = &self.problem.matrix;
        let symmetric = w.asymmetry() <= ROUNDING;
        let equations = if symmetric {
            Equations::positive(w)
        } else {
            Equations::new(w)
        };
        let Some(mut equations) = equations else {
            self.log.push(
                "too many contacts for an interior-point method, or too many of them coupled"
                    .to_owned(),
            );
            return End::Stalled;
        };
        let mut steps = 0;
        let end = self.steps_within(&mut equations, &mut steps);
        self.log.push(format!(
            "interior: {steps} steps: {end}, error {:.2e}",
            self.error
        ));
        end
    }

    /// Impulses and velocities that W, with as much again on its diagonal, and q lead to, both moved until none of them is near zero.
    fn inside(&self, equations: &mut Equations<D>) -> Option<Inside> {
        let (w, q, diagonal) = (&self.problem.matrix, self.q.as_flattened(), self.diagonal());
        let mut r: Vec<f64> = q.iter().map(|q| -q).collect();
        if !factors(w, equations, |i| diagonal[i])?.solve(&mut r) {
            return None;
        }
        let mut u = vec![0.0; r.len()];
        w.apply(&r, q, &mut u);
        for x in [&mut r, &mut u] {
            let least = x.iter().copied().fold(f64::INFINITY, f64::min);
            let most = x.iter().map(|x| x.abs()).fold(0.0, f64::max);
            let shift = (-1.5 * least).max(0.0) + 0.1 * most;
            x.iter_mut().for_each(|x| *x += shift);
        }
        let positive = r.iter().chain(&u).all(|x| x.is_finite() && *x > 0.0);
        positive.then_some(Inside { r, u })
    }

    fn steps_within(&mut self, equations: &mut Equations<D>, steps: &mut u64) -> End {
        let Some(Inside { mut r, mut u }) = self.inside(equations) else {
            return End::Stalled;
        };
        let (w, q) = (&self.problem.matrix, self.q.as_flattened());
        let places = 0..q.len();
        let mean = |sum: f64| sum / q.len() as f64;
        let mut moved = vec![0.0; q.len()];
        loop {
            // W r + q, which u is not at first: how far it is off falls with each step, but where no impulses are large enough. These would
            // grow, and an error in units of them fall, for ever: they are not looked at.
            w.apply(&r, q, &mut moved);
            let off = moved.iter().zip(&u).map(|(m, u)| (m - u).powi(2));
            let off = off.sum::<f64>().sqrt() / norm(q);
            let now = mean(r.iter().zip(&u).map(|(r, u)| r * u).sum());
            let left = now * q.len() as f64 / (norm(&r) * norm(q));
            let done = if off < OFF {
                self.r.as_flattened_mut().copy_from_slice(&r);
                // The error adds impulses and velocities, and is blunt where one is far larger than the other.
                self.look() <= self.settings.tolerance && off.max(left) <= self.settings.tolerance
            } else {
                false
            };
            if done {
                return End::Done;
            }
            if self.is_spent() {
                return End::Spent;
            }
            if *steps >= STEPS {
                return self.stuck();
            }
            *steps += 1;
            let Some(factors) = factors(w, equations, |i| u[i] / r[i]) else {
                return self.stuck();
            };
            // Changes that lead to `W r + q − u = 0` and, to first order, to these products `r u`.
            let towards = |product: &dyn Fn(usize) -> f64| {
                let mut dr: Vec<f64> = places
                    .clone()
                    .map(|i| product(i) / r[i] - moved[i])
                    .collect();
                let solved = factors.solve(&mut dr);
                let du = |i: usize| product(i) / r[i] - u[i] - u[i] / r[i] * dr[i];
                let du: Vec<f64> = places.clone().map(du).collect();
                solved.then_some((dr, du))
            };
            // The share of them after which the first r or u is zero.
            let farthest = |dr: &[f64], du: &[f64]| {
                let each = r.iter().zip(dr).chain(u.iter().zip(du));
                let falls = each.filter(|(_, dx)| **dx < 0.0);
                falls.map(|(x, dx)| -x / dx).fold(f64::INFINITY, f64::min)
            };
            let Some((dr, du)) = towards(&|_| 0.0) else {
                return self.stuck();
            };
            let share = farthest(&dr, &du).min(1.0);
            let then = places
                .clone()
                .map(|i| (r[i] + share * dr[i]) * (u[i] + share * du[i]));
            // Where the predictor gets far, the corrector aims far below its product.
            let aim = (mean(then.sum()) / now).powi(3) * now;
            let Some((dr, du)) = towards(&|i| aim - dr[i] * du[i]) else {
                return self.stuck();
            };
            let share = (NEARLY * farthest(&dr, &du)).min(1.0);
            if share < SHORT {
                return self.stuck();
            }
            for i in places.clone() {
                r[i] += share * dr[i];
                u[i] += share * du[i];
            }
        }
    }

    /// Rounding may end the steps when the error is small enough, and what is left of the products is not.
    fn stuck(&self) -> End {
        if self.error <= self.settings.tolerance {
            End::Done
        } else {
            End::Stalled
        }
    }
}
