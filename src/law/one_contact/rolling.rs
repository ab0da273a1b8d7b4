//! The law of a contact with two tangents and rolling friction.

use super::refine::{Contact, eliminate};
use super::{Law, STEPS, shifted};
use crate::law::cone;
use crate::math::norm;

/// A contact in three dimensions with rolling friction.
#[derive(Clone, Copy, Debug)]
pub struct Rolling {
    coefficients: [f64; 2],
    inverse: f64,
    row: [f64; 4],
    column: [f64; 4],
    schur: [[f64; 4]; 4],
    least: f64,
    scale: f64,
    full: [[f64; 5]; 5],
}

impl Rolling {
    /// `[r_N, r_T, r_M]` and the lengths of the last two, for the multipliers α of sliding and β of
    /// rolling.
    ///
    /// An infinite multiplier makes its part zero.
    fn trial(&self, [alpha, beta]: [f64; 2], b: [f64; 4], n0: f64) -> ([f64; 5], [f64; 2]) {
        let (mut m, mut right) = ([[0.0; 4]; 4], [0.0; 4]);
        for i in 0..4 {
            let added = if i < 2 { alpha } else { beta };
            if added.is_infinite() {
                m[i][i] = 1.0;
                continue;
            }
            for (j, x) in m[i].iter_mut().enumerate() {
                let gone = if j < 2 { alpha } else { beta }.is_infinite();
                *x = if gone { 0.0 } else { self.schur[i][j] };
            }
            m[i][i] += added;
            right[i] = -b[i];
        }
        let x = eliminate(m, right);
        let n = n0 - (0..4).map(|k| self.row[k] * x[k]).sum::<f64>();
        let sizes = [x[0].hypot(x[1]), x[2].hypot(x[3])];
        ([n, x[0], x[1], x[2], x[3]], sizes)
    }

    fn onto_the_rim(&self, mut r: [f64; 5]) -> [f64; 5] {
        for (part, mu) in [(1, self.coefficients[0]), (3, self.coefficients[1])] {
            let size = r[part].hypot(r[part + 1]);
            if size > mu * r[0] {
                r[part] *= mu * r[0] / size;
                r[part + 1] *= mu * r[0] / size;
            }
        }
        r
    }

    /// The error of all conditions but `u_N = 0`, as an impulse: by Alart and Curnier's map.
    fn left(&self, r: &[f64; 5], b: [f64; 4], n0: f64) -> f64 {
        let row: f64 = (0..4).map(|k| self.row[k] * r[k + 1]).sum();
        let mut sum = (r[0] - n0 + row).powi(2);
        let mut wanted = [0.0; 4];
        for i in 0..4 {
            let slip: f64 = b[i] + (0..4).map(|j| self.schur[i][j] * r[j + 1]).sum::<f64>();
            wanted[i] = r[i + 1] - slip / self.scale;
        }
        for (part, mu) in [(0, self.coefficients[0]), (2, self.coefficients[1])] {
            let size = wanted[part].hypot(wanted[part + 1]);
            let bound = mu * r[0];
            let factor = if size > bound { bound / size } else { 1.0 };
            for k in part..part + 2 {
                sum += (r[k + 1] - factor * wanted[k]).powi(2);
            }
        }
        sum.sqrt()
    }

    /// The smallest multiplier beyond `least` that brings the part `which` (0: sliding, 1: rolling)
    /// into its cone.
    fn settle(
        &self,
        which: usize,
        b: [f64; 4],
        n0: f64,
        full: &mut dyn FnMut(f64) -> ([f64; 5], [f64; 2]),
    ) -> ([f64; 5], [f64; 2]) {
        let mu = self.coefficients[which];
        if mu == 0.0 {
            return full(f64::INFINITY);
        }
        let first = full(self.least);
        if first.1[which] <= mu * first.0[0] {
            return first;
        }
        let off = |x: &([f64; 5], [f64; 2])| mu * x.0[0] / x.1[which] - 1.0;
        let (mut low, mut g_low) = (self.least, off(&first));
        let part = b[2 * which].hypot(b[2 * which + 1]);
        let mut high = part / (mu * n0) + self.least;
        let mut best = full(high);
        let mut g_high = off(&best);
        for _ in 0..STEPS {
            if g_high >= 0.0 {
                break;
            }
            (low, g_low) = (high, g_high);
            high = 4.0 * high + 1e-3 * self.scale;
            best = full(high);
            g_high = off(&best);
        }
        if !(high.is_finite() && g_high.is_finite()) {
            return full(f64::INFINITY);
        }
        // Regula falsi, with the weight of a side that stays put halved (Illinois), and bisections
        // in between.
        let mut side = 0;
        for step in 0..STEPS {
            if off(&best).abs() < 4e-16 || high - low <= 4e-16 * high {
                break;
            }
            let mut at = (low * g_high - high * g_low) / (g_high - g_low);
            if step % 8 == 7 || !(at > low && at < high) {
                at = 0.5 * (low + high);
            }
            let trial = full(at);
            let g = off(&trial);
            if g >= 0.0 {
                (high, g_high, best) = (at, g, trial);
                if side == 1 {
                    g_low *= 0.5;
                }
                side = 1;
            } else {
                (low, g_low) = (at, g);
                if side == -1 {
                    g_high *= 0.5;
                }
                side = -1;
                if g > -4e-16 {
                    return trial;
                }
            }
        }
        best
    }
}

impl Law<5> for Rolling {
    fn new(block: &[f64], shift: f64, coefficients: [f64; 2]) -> Self {
        let nn = block[0] + shift;
        let inverse = if nn > 0.0 { 1.0 / nn } else { f64::INFINITY };
        let row = [1, 2, 3, 4].map(|k| block[k] * inverse);
        let column = [1, 2, 3, 4].map(|k| block[5 * k] * inverse);
        let mut schur = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                let own = if i == j { shift } else { 0.0 };
                let at = block[5 * (i + 1) + j + 1];
                schur[i][j] = at + own - block[5 * (i + 1)] * row[j];
            }
        }
        let scale = block.iter().fold(nn.abs(), |m, x| m.max(x.abs()));
        let mut symmetric = nalgebra::Matrix4::zeros();
        for i in 0..4 {
            for j in 0..4 {
                symmetric[(i, j)] = 0.5 * (schur[i][j] + schur[j][i]);
            }
        }
        let lowest = if symmetric.iter().all(|x| x.is_finite()) {
            symmetric.symmetric_eigenvalues().min()
        } else {
            0.0
        };
        let rounding = 1e-14 * scale;
        let least = if lowest > rounding {
            0.0
        } else {
            rounding - lowest
        };
        Self {
            coefficients,
            inverse,
            row,
            column,
            schur,
            least,
            scale,
            full: shifted(block, shift),
        }
    }

    fn solve(&mut self, free: [f64; 5], mut old: [f64; 5]) -> [f64; 5] {
        if free[0] >= 0.0 {
            return [0.0; 5];
        }
        if self.inverse.is_finite() {
            let n0 = -free[0] * self.inverse;
            let b = [0, 1, 2, 3].map(|k| free[k + 1] - self.column[k] * free[0]);
            let this = *self;
            let mut best = (f64::INFINITY, old);
            for outer in [1, 0] {
                let (r, _) = this.settle(outer, b, n0, &mut |x| {
                    this.settle(1 - outer, b, n0, &mut |y| {
                        this.trial(if outer == 1 { [y, x] } else { [x, y] }, b, n0)
                    })
                });
                let r = this.onto_the_rim(r);
                let left = this.left(&r, b, n0);
                if r[0] >= 0.0 && left < best.0 {
                    best = (left, r);
                }
                // Where blocks are nearly singular an α may belong to several β, and vice versa.
                if best.0 <= 1e-12 * (n0 + norm(&best.1)) {
                    break;
                }
            }
            if best.0.is_finite() {
                let contact = Contact {
                    block: self.full,
                    coefficients: self.coefficients,
                    free,
                };
                return contact.refined(best.1);
            }
        }
        cone::project(&mut old, self.coefficients);
        old
    }
}
