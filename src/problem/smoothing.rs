//! Newton's method on the law with rounded corners, with ever less rounding.
//!
//! With its corners rounded over a width w, the law of all contacts is a smooth equation, which
//! Newton's method solves from far away if w is large. Its solutions for decreasing w lead to a
//! solution of the law itself. So the method avoids the combinations of open, sticking and sliding
//! contacts in which Newton's method on the law itself gets lost. Where impulses are not unique,
//! two terms choose among them: the rounding, and a small fraction of W's diagonal, of the size of
//! w and relative to the last solution. The rate at which w may fall is adapted during the solve.

use super::newton::Shifted;
use super::solve::{End, Run};
use crate::law::cone;
use crate::law::one_contact::Law;
use crate::math::norm;

/// Initial widths, in units of the mean impulse: of the first attempt, and of later ones.
const WIDTHS: [f64; 2] = [0.3, 0.03];

/// A width below which rounding has no effect.
const LEAST: f64 = 1e-14;

/// Fraction of the diagonal, in units of the width.
const SHARES: [f64; 2] = [0.01, 0.1];

/// Largest number of Newton steps at one width.
const STEPS: u64 = 30;

/// Largest number of Newton steps after which the width may fall faster.
const FEW: u64 = 8;

/// Number of initial widths to try, each ten times the last.
const TRIES: u64 = 4;

/// Newton steps in all at the first attempt; later attempts have more.
const BUDGET: u64 = 400;

/// The factor of the width: at first, at least, and, near 1, the value at which the method gives
/// up.
const FALL: [f64; 3] = [0.3, 0.1, 0.999];

impl<const D: usize, L: Law<D>> Run<'_, D, L> {
    /// Runs the method from the best impulses; `round` is the number of earlier attempts.
    pub(super) fn smoothing(&mut self, round: u64) -> End {
        let Some(mut equations) = self.take_equations() else {
            return End::Stalled;
        };
        let problem = self.problem;
        let diagonal = self.diagonal();
        let root = (problem.contacts() as f64).sqrt();
        let mut r = self.best.clone();
        if r.iter().all(|r| r[0] == 0.0) {
            let push = norm(self.q.as_flattened()) / root;
            r.iter_mut()
                .zip(&diagonal)
                .for_each(|(r, x)| r[0] = push / x);
        }
        let scale = norm(r.as_flattened()) / root;
        let which = (round % 2) as usize;
        let (mut width, least) = (WIDTHS[which], SHARES[which]);
        let budget = BUDGET << round.min(8);
        let (mut share, mut fall) = (least, 1.0f64);
        let (mut outer, mut steps, mut begun) = (0, 0, false);
        let end = loop {
            if self.is_spent() {
                break End::Spent;
            }
            let lost = if begun {
                fall > FALL[2] || width < LEAST
            } else {
                outer >= TRIES
            };
            if steps >= budget || lost {
                break End::Stalled;
            }
            outer += 1;
            let tried = width * fall;
            let theta = (share * tried).min(1.0);
            let shift: Vec<f64> = diagonal.iter().map(|x| theta * x).collect();
            let mut q = self.q.to_vec();
            for (i, q) in q.iter_mut().enumerate() {
                for k in 0..D {
                    q[k] -= shift[i] * r[i][k];
                }
            }
            let rho = diagonal.iter().map(|x| 1.0 / (x * (1.0 + theta)));
            let shifted = Shifted {
                problem,
                rho: rho.collect(),
                shift,
                q,
                width: tried * scale,
            };
            let mut next = r.clone();
            let tolerance = (1e-2 * tried).max(1e-12) * scale * root;
            let came = shifted.solve(&mut next, tolerance, STEPS, &mut equations, || {
                self.is_spent()
            });
            steps += came.steps;
            self.r.copy_from_slice(&next);
            for (i, r) in self.r.iter_mut().enumerate() {
                cone::project(r, problem.coefficients(i));
            }
            let error = self.look();
            if let Some(end) = self.is_over(error) {
                break end;
            }
            if came.done {
                (r, width) = (next, tried);
                if !begun {
                    (begun, fall) = (true, FALL[0]);
                }
                if came.steps <= FEW {
                    fall = fall.powf(1.5).max(FALL[1]);
                }
                share = (0.5 * share).max(least);
            } else if !begun {
                width *= 10.0;
            } else {
                if fall > 0.6 {
                    share *= 4.0;
                }
                fall = fall.sqrt();
            }
        };
        self.equations = Some(equations);
        self.log.push(format!(
            "smoothing: {outer} widths, {steps} Newton steps, width {width:.0e}: {end}, error {:.2e}",
            self.error
        ));
        end
    }
}
