//! The law of a contact with two tangents.

use super::refine::Contact;
use super::{Law, STEPS, shifted};
use crate::law::cone;

/// A contact in three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    mu: f64,
    /// 1/A_NN; infinite if A_NN is not positive.
    inverse: f64,
    /// A_NT/A_NN and A_TN/A_NN.
    row: [f64; 2],
    column: [f64; 2],
    /// S: its transposed comatrix, its trace, its determinant.
    comatrix: [f64; 4],
    trace: f64,
    determinant: f64,
    /// The α below which S + α I counts as singular.
    least: f64,
    /// α of the last solution.
    alpha: f64,
    /// Whether the elimination of the normal part loses digits, and the block that is then refined.
    rough: bool,
    full: [[f64; 3]; 3],
}

fn longest(x: [f64; 2]) -> f64 {
    x[0].abs().max(x[1].abs())
}

/// r_T and r_N at an α, and the length of r_T.
struct Trial {
    t: [f64; 2],
    n: f64,
    size: f64,
}

impl Plane {
    /// `(S + α I)⁻¹ x`.
    #[inline(always)]
    fn divided(&self, alpha: f64, x: [f64; 2]) -> [f64; 2] {
        let c = &self.comatrix;
        let d = 1.0 / (self.determinant + alpha * (self.trace + alpha));
        [
            d * ((c[0] + alpha) * x[0] + c[1] * x[1]),
            d * (c[2] * x[0] + (c[3] + alpha) * x[1]),
        ]
    }

    #[inline(always)]
    fn trial(&self, alpha: f64, b: [f64; 2], n0: f64) -> Trial {
        let x = self.divided(alpha, b);
        let t = [-x[0], -x[1]];
        let n = n0 - (self.row[0] * t[0] + self.row[1] * t[1]);
        let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
        Trial { t, n, size }
    }

    #[cold]
    fn refined(&self, free: [f64; 3], r: [f64; 3]) -> [f64; 3] {
        let contact = Contact {
            block: self.full,
            coefficients: [self.mu, 0.0],
            free,
        };
        contact.refined(r)
    }

    /// The solution of a contact that cannot stick.
    fn slide(&mut self, b: [f64; 2], n0: f64) -> Option<[f64; 3]> {
        let mu = self.mu;
        let bound = mu * n0;
        let size = (b[0] * b[0] + b[1] * b[1]).sqrt();
        let reach = 1.0 + mu * (self.row[0] * self.row[0] + self.row[1] * self.row[1]).sqrt();
        let (mut low, mut high) = (self.least, 1.01 * size * reach / bound + 2.0 * self.least);
        if !high.is_finite() {
            // The friction is too small to matter.
            return n0.is_finite().then_some([n0, 0.0, 0.0]);
        }
        let mut alpha = self.alpha;
        if !(alpha > low && alpha < high) {
            alpha = size / bound - 0.5 * self.trace;
        }
        let mut found = None;
        for _ in 0..STEPS {
            if !(alpha > low && alpha < high) {
                // The geometric mean of bounds of different size, else the arithmetic mean.
                alpha = if low > 0.0 && high > 4.0 * low {
                    low.sqrt() * high.sqrt()
                } else {
                    0.5 * (low + high)
                };
            }
            let trial = self.trial(alpha, b, n0);
            let ratio = mu * trial.n / trial.size;
            if ratio >= 1.0 {
                high = alpha;
            } else {
                low = alpha;
            }
            let off = ratio - 1.0;
            let done = off.abs() < 4e-16 || high - low <= 4e-16 * high;
            let x = self.divided(alpha, trial.t);
            found = Some(trial);
            self.alpha = alpha;
            if done {
                break;
            }
            let trial = found.as_ref()?;
            // d r_T/dα = −x, d r_N/dα = row · x.
            let slope_n = self.row[0] * x[0] + self.row[1] * x[1];
            let slope_t = -(trial.t[0] * x[0] + trial.t[1] * x[1]) / trial.size;
            let slope = mu * (slope_n * trial.size - trial.n * slope_t) / (trial.size * trial.size);
            let step = off / slope;
            alpha -= step;
            if step.abs() < 1e-15 * alpha.abs() && off.abs() < 1e-12 {
                break;
            }
        }
        let Trial { t, n, size } = found?;
        // Scale onto the rim, changing the number that loses less precision.
        let (n, factor) = if mu > 1.0 {
            (size / mu, 1.0)
        } else {
            (n, mu * n / size)
        };
        let r = [n, factor * t[0], factor * t[1]];
        (n >= 0.0 && r.iter().all(|x| x.is_finite())).then_some(r)
    }
}

impl Law<3> for Plane {
    fn new(block: &[f64], shift: f64, [mu, _]: [f64; 2]) -> Self {
        let nn = block[0] + shift;
        let inverse = if nn > 0.0 { 1.0 / nn } else { f64::INFINITY };
        let row = [block[1] * inverse, block[2] * inverse];
        let column = [block[3] * inverse, block[6] * inverse];
        let s = [
            block[4] + shift - block[3] * row[0],
            block[5] - block[3] * row[1],
            block[7] - block[6] * row[0],
            block[8] + shift - block[6] * row[1],
        ];
        let (trace, determinant) = (s[0] + s[3], s[0] * s[3] - s[1] * s[2]);
        // The smallest eigenvalue of the symmetric part; its negative is added if it does not
        // exceed rounding.
        let half = 0.5 * (s[0] - s[3]);
        let lowest = 0.5 * trace - half.hypot(0.5 * (s[1] + s[2]));
        let scale = block.iter().fold(nn.abs(), |m, x| m.max(x.abs()));
        let rounding = 1e-14 * scale;
        let least = if lowest > rounding {
            0.0
        } else {
            rounding - lowest
        };
        Self {
            mu,
            inverse,
            row,
            column,
            comatrix: [s[3], -s[1], -s[2], s[0]],
            trace,
            determinant,
            least,
            alpha: 0.0,
            rough: nn * longest(column) * longest(row) > 1e3 * scale,
            full: shifted(block, shift),
        }
    }

    #[inline]
    fn solve(&mut self, free: [f64; 3], mut old: [f64; 3]) -> [f64; 3] {
        if free[0] >= 0.0 {
            return [0.0; 3];
        }
        if self.inverse.is_finite() {
            let n0 = -free[0] * self.inverse;
            let b = [
                free[1] - self.column[0] * free[0],
                free[2] - self.column[1] * free[0],
            ];
            let Trial { t, n, size } = self.trial(self.least, b, n0);
            let found = if size <= self.mu * n && size.is_finite() && n.is_finite() {
                Some([n, t[0], t[1]])
            } else {
                self.slide(b, n0)
            };
            if let Some(r) = found {
                return if self.rough { self.refined(free, r) } else { r };
            }
        }
        cone::project(&mut old, [self.mu, 0.0]);
        old
    }
}

/// Impulse r [N s] of a contact with `u = W r + f`, by Signorini's condition and Coulomb's law.
///
/// Frame (n, t, w), normal first: r acts on the second body, and `u_n > 0` opens the contact.
///
/// - `w`: W [1/kg] by rows, symmetric and positive definite.
/// - `bias`: f [m/s], the relative velocity without this contact's own impulse, plus the terms of
///   gap, restitution and driven walls. In a sweep, with the present u and r: `u − W r` plus these.
/// - `friction`: μ. `present`: the contact's present impulse [N s].
///
/// The answer depends on `present` only where W allows no solution (`W_nn = 0`, `f_n < 0`): it is
/// then `present`, projected on Coulomb's cone. Where one W is solved many times, keep a [`Plane`]:
/// it holds the part of the work that depends on W and μ alone.
#[must_use]
pub fn impulse(w: &[[f64; 3]; 3], bias: [f64; 3], friction: f64, present: [f64; 3]) -> [f64; 3] {
    Plane::new(w.as_flattened(), 0.0, [friction, 0.0]).solve(bias, present)
}
