//! An interior-point method for problems without friction.
//!
//! The normal parts alone are a linear complementarity problem: `u = W r + q`, `r ≥ 0`, `u ≥ 0`,
//! `r u = 0` of each contact. An interior-point method keeps all r and u above zero and reduces the
//! products of all contacts together. Newton's method on `W r + q − u = 0`, `r u = μ` gives its
//! steps: a predictor towards μ = 0, then a corrector that aims as far down as the predictor got
//! and corrects for the product that it leaves (S. Mehrotra, SIAM Journal on Optimization 2,
//! 575–601, 1992). r and u take the same step length, as W ties them. The factorised matrix is W
//! with `u/r` added to its diagonal; it is symmetric positive definite where W is symmetric.
//!
//! The method also converges where W is nearly singular, as for a packing near isostaticity, and
//! where steps are so long that inertia hardly matters and the problem is nearly a linear
//! programme: `docs/decisions.md` has figures.

use super::Delassus;
use super::equations::{Equations, Factors};
use super::solve::{End, Run};
use crate::law::one_contact::Law;
use crate::math::norm;

/// Largest number of steps.
const STEPS: u64 = 200;

/// Fraction of the step length at which the first r or u would be zero.
const NEARLY: f64 = 0.995;

/// A shorter step than this fraction makes no progress.
const SHORT: f64 = 1e-8;

/// Impulses are evaluated if `|W r + q − u|/|q|` is at most this, or at most the tolerance.
///
/// If a few contacts have no solution, this quantity stays at a small fraction; their impulses
/// grow, and an error in units of impulses falls.
const OFF: f64 = 1e-8;

/// The same for the rounding error of W r relative to q, which hides the residual.
///
/// Beyond the second number nothing can be concluded about q any more. A chain of 30 000 bodies
/// pressed together loses 7e-8.
const LOST: [f64; 2] = [1e-7, 1e-3];

/// Fractions by which W's diagonal is raised in the equations of a step, tried in turn.
///
/// They serve where W is singular, or indefinite by rounding, so that it has no factors. The next
/// step corrects for them.
const RAISED: [f64; 4] = [0.0, 1e-14, 1e-12, 1e-10];

/// A matrix counts as symmetric if its halves differ by less than this, in units of its largest
/// number.
const ROUNDING: f64 = 1e-12;

/// Impulses and velocities, all above zero.
struct Inside {
    r: Vec<f64>,
    u: Vec<f64>,
}

/// The factors of `W` with these numbers added to its diagonal.
fn factors<const D: usize>(
    w: &Delassus,
    equations: &mut Equations<D>,
    more: impl Fn(usize) -> f64,
) -> Option<Factors> {
    RAISED.iter().find_map(|raised| {
        for i in 0..w.contacts() {
            for at in w.starts[i]..w.starts[i + 1] {
                let mut block = [[0.0; D]; D];
                block[0][0] = w.blocks[at];
                if w.columns[at] as usize == i {
                    block[0][0] += raised * w.blocks[at] + more(i);
                }
                equations.set(at, &block);
            }
        }
        equations.factored()
    })
}

/// `|W| r`, of which the rounding error is a fraction.
fn magnitude(w: &Delassus, r: &[f64]) -> Vec<f64> {
    let row = |i: usize| {
        let each =
            (w.starts[i]..w.starts[i + 1]).map(|at| w.blocks[at].abs() * r[w.columns[at] as usize]);
        each.sum()
    };
    (0..w.contacts()).map(row).collect()
}

impl<const D: usize, L: Law<D>> Run<'_, D, L> {
    /// Solves a problem of one number per contact, without a guess.
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
                "too many contacts, or coupled contacts, for an interior-point method".to_owned(),
            );
            return End::Stalled;
        };
        let mut steps = 0;
        let ended = self.steps_within(&mut equations, &mut steps);
        let why = ended.map_or_else(str::to_owned, |end| end.to_string());
        self.log.push(format!(
            "interior: {steps} steps: {why}, error {:.2e}",
            self.error
        ));
        match ended {
            Ok(end) => end,
            // Rounding ended it.
            Err(_) if self.error <= self.settings.tolerance => End::Done,
            Err(_) => End::Stalled,
        }
    }

    /// The initial impulses and velocities: from W, with its diagonal doubled, and q, then moved
    /// until none of them is near zero.
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

    /// Does the steps. Returns the reason if no further step is possible before the end.
    fn steps_within(
        &mut self,
        equations: &mut Equations<D>,
        steps: &mut u64,
    ) -> Result<End, &'static str> {
        let Inside { mut r, mut u } = self.inside(equations).ok_or("no start")?;
        let (w, q) = (&self.problem.matrix, self.q.as_flattened());
        let tolerance = self.settings.tolerance;
        let places = 0..q.len();
        let mean = |sum: f64| sum / q.len() as f64;
        let (mut moved, mut last) = (vec![0.0; q.len()], f64::INFINITY);
        loop {
            // W r + q differs from u at first; the difference falls with each step.
            w.apply(&r, q, &mut moved);
            let off = moved.iter().zip(&u).map(|(m, u)| (m - u).powi(2));
            let off = off.sum::<f64>().sqrt() / norm(q);
            let lost = f64::EPSILON * norm(&magnitude(w, &r)) / norm(q);
            let left: f64 = r.iter().zip(&u).map(|(r, u)| r * u).sum();
            let kept = off <= OFF.max(tolerance);
            if kept && lost <= LOST[0].max(tolerance) {
                self.r.as_flattened_mut().copy_from_slice(&r);
                let error = self.look();
                // The error adds impulses and velocities, and is blunt where one is far larger than
                // the other, so it does not suffice. The remaining products are of the order of the
                // squared error of the impulses, where a contact neither opens nor closes.
                let product = left / (norm(&r) * norm(q));
                let enough = product <= tolerance * tolerance || product > 0.5 * last;
                last = product;
                if error <= tolerance && enough {
                    self.best.copy_from_slice(&self.r);
                    self.error = error;
                    return Ok(End::Done);
                }
            }
            if self.is_spent() {
                return Ok(End::Spent);
            }
            let stuck = |why: &'static str| {
                let grown = !kept || lost > LOST[1];
                if grown { Ok(End::Unanswered) } else { Err(why) }
            };
            if *steps >= STEPS {
                return stuck("too many");
            }
            *steps += 1;
            let factors = factors(w, equations, |i| u[i] / r[i]).ok_or("no factors")?;
            // Changes that lead to `W r + q − u = 0` and, to first order, to the given products
            // `r u`.
            let towards = |product: &dyn Fn(usize) -> f64| {
                let mut dr: Vec<f64> = places
                    .clone()
                    .map(|i| product(i) / r[i] - moved[i])
                    .collect();
                let solved = factors.solve(&mut dr);
                let du = |i: usize| product(i) / r[i] - u[i] - u[i] / r[i] * dr[i];
                let du: Vec<f64> = places.clone().map(du).collect();
                solved.then_some((dr, du)).ok_or("no step")
            };
            // The fraction of the changes after which the first r or u is zero.
            let farthest = |dr: &[f64], du: &[f64]| {
                let each = r.iter().zip(dr).chain(u.iter().zip(du));
                let falls = each.filter(|(_, dx)| **dx < 0.0);
                falls.map(|(x, dx)| -x / dx).fold(f64::INFINITY, f64::min)
            };
            let (dr, du) = towards(&|_| 0.0)?;
            let share = farthest(&dr, &du).min(1.0);
            let then = places
                .clone()
                .map(|i| (r[i] + share * dr[i]) * (u[i] + share * du[i]));
            // If the predictor gets far, the corrector aims far below its product.
            let aim = (then.sum::<f64>() / left).powi(3) * mean(left);
            let (dr, du) = towards(&|i| aim - dr[i] * du[i])?;
            let share = (NEARLY * farthest(&dr, &du)).min(1.0);
            if share < SHORT {
                return stuck("too short");
            }
            for i in places.clone() {
                r[i] += share * dr[i];
                u[i] += share * du[i];
            }
        }
    }
}
