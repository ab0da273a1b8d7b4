//! The proximal outer loop: a sequence of problems with a larger diagonal.
//!
//! If W has less than full rank, the impulses of a problem are not unique, and sweeps and Newton's
//! method are slow or undefined along the null space. With `W + D` instead of W, and `q − D r_k`
//! instead of q, D a small fraction θ of W's own diagonal, there is a unique solution `r_{k+1}`
//! near `r_k`, which is found fast. Where `r_{k+1} = r_k`, the problem itself is solved (Martinet;
//! Rockafellar, SIAM Journal on Control and Optimization 14, 1976). θ decreases while the solves
//! succeed. The r_k in the equation is extrapolated along the last change, further and further
//! until the change turns back: the solution may be far away in a direction that W hardly weights.

use super::equations::Equations;
use super::newton::Shifted;
use super::nsgs::Sweeps;
use super::solve::{End, Run};
use crate::law::cone;
use crate::law::one_contact::Law;
use crate::math::norm;

/// Bounds of θ.
const THETA: [f64; 2] = [1e-10, 1e2];

/// Largest factor of the last change by which r_k is extrapolated.
const FURTHEST: f64 = 64.0;

/// Newton steps on a problem before sweeps take over.
const STEPS: u64 = 12;

/// Sweeps between Newton steps.
const SWEEPS: u64 = 30;

impl<const D: usize, L: Law<D>> Run<'_, D, L> {
    /// Runs the loop from the best impulses; with `leave`, only while it succeeds.
    pub(super) fn proximal(&mut self, leave: bool) -> End {
        let problem = self.problem;
        let diagonal = self.diagonal();
        let [least, most] = THETA;
        let mut theta = self.theta;
        self.r.copy_from_slice(&self.best);
        let mut kept = self.r.clone();
        let mut last = self.r.clone();
        let mut ahead = 0.0f64;
        let mut before = self.error;
        // The last θ that was too small, and the number of problems solved since.
        let (mut failed, mut good) = (0.0, 0);
        let (mut outer, mut newton_steps) = (0, 0);
        let end = loop {
            if self.is_spent() {
                break End::Spent;
            }
            if theta > most {
                break End::Stalled;
            }
            let shift: Vec<f64> = diagonal.iter().map(|x| theta * x).collect();
            let mut q = self.q.to_vec();
            for (i, q) in q.iter_mut().enumerate() {
                for k in 0..D {
                    let anchor = kept[i][k] + ahead * (kept[i][k] - last[i][k]);
                    q[k] -= shift[i] * anchor;
                    self.r[i][k] = anchor;
                }
                cone::project(&mut self.r[i], problem.coefficients(i));
            }
            let rho = diagonal.iter().map(|x| 1.0 / (x * (1.0 + theta)));
            let shifted = Shifted {
                problem,
                rho: rho.collect(),
                shift,
                q,
                width: 0.0,
            };
            let (done, steps) = self.shifted(&shifted);
            newton_steps += steps;
            for (i, r) in self.r.iter_mut().enumerate() {
                cone::project(r, problem.coefficients(i));
            }
            let error = self.look();
            outer += 1;
            if let Some(end) = self.is_over(error) {
                break end;
            }
            // An extrapolation may go too far.
            let far = ahead > 0.0 && (error.is_nan() || error >= 4.0 * before);
            if (done && !far) || error < before {
                // Whether the change turns back (the sign of O'Donoghue and Candès 2015).
                let mut turn = 0.0;
                for (i, r) in self.r.iter().enumerate() {
                    for k in 0..D {
                        let anchor = kept[i][k] + ahead * (kept[i][k] - last[i][k]);
                        turn += diagonal[i] * (anchor - r[k]) * (r[k] - kept[i][k]);
                    }
                }
                ahead = if turn > 0.0 || !done {
                    (0.25 * ahead).floor()
                } else {
                    (2.0 * ahead).clamp(1.0, FURTHEST)
                };
                last.copy_from_slice(&kept);
                kept.copy_from_slice(&self.r);
                before = error;
                good += 1;
                if steps <= STEPS && (0.3 * theta > failed || good >= 10) {
                    let less = if steps <= 4 { 0.1 } else { 0.3 };
                    theta = (less * theta).max(least);
                    good = 0;
                }
            } else {
                if ahead == 0.0 {
                    failed = theta;
                    theta *= 4.0;
                    if leave {
                        break End::Stalled;
                    }
                }
                good = 0;
                ahead = 0.0;
            }
        };
        self.theta = theta;
        self.log.push(format!(
            "proximal: {outer} problems, {newton_steps} Newton steps, theta {theta:.0e}: {end}, error {:.2e}",
            self.error
        ));
        end
    }

    /// Solves one problem from the present impulses. Returns whether it succeeded, and the number
    /// of Newton steps.
    fn shifted(&mut self, shifted: &Shifted<D>) -> (bool, u64) {
        let mut equations = self.take_equations();
        let came = self.shifted_by(shifted, equations.as_mut());
        self.equations = equations;
        came
    }

    fn shifted_by(
        &mut self,
        shifted: &Shifted<D>,
        mut equations: Option<&mut Equations<D>>,
    ) -> (bool, u64) {
        let small = equations.is_some();
        let tight = (1e-3 * self.settings.tolerance).clamp(1e-14, 1e-11);
        let mut sweeps = None;
        let mut steps = 0;
        for _ in 0..2 {
            if self.is_spent() {
                break;
            }
            if let Some(equations) = equations.as_deref_mut() {
                let tolerance = tight * norm(self.r.as_flattened());
                let mut r = std::mem::take(&mut self.r);
                let came = shifted.solve(&mut r, tolerance, STEPS, equations, || self.is_spent());
                self.r = r;
                steps += came.steps;
                if came.done {
                    return (true, steps);
                }
                for (i, r) in self.r.iter_mut().enumerate() {
                    cone::project(r, self.problem.coefficients(i));
                }
            }
            let sweeps = sweeps.get_or_insert_with(|| {
                Sweeps::<D, L>::new(self.problem, &shifted.shift, self.settings.seed)
            });
            for _ in 0..if small { SWEEPS } else { 10 * SWEEPS } {
                if self.is_spent() {
                    return (false, steps);
                }
                sweeps.renew();
                let change = sweeps.sweep(&mut self.r, &shifted.q);
                self.sweeps += 1;
                if !small && change.step <= tight * tight * change.size {
                    return (true, steps);
                }
            }
        }
        (false, steps)
    }
}
