//! Restores the digits that the elimination of the normal part loses, by Newton's method.
//!
//! The equation is `F = r − π(r − ρ (A r + f)) = 0` with the [cut](crate::law::cut) π and ρ =
//! 1/|A|. The error is |F| in units of `max(|r|, |f|/|A|)`. Where Newton's method from the present
//! impulse fails, the corners of π are rounded over a width that falls from the size of the
//! impulses to zero.

use crate::law::cut::cut;
use crate::math::norm;

/// Errors of the law: below the first no refinement starts, below the second it ends.
const ENOUGH: f64 = 1e-12;
const WELL: f64 = 1e-11;

/// Newton steps per width.
const STEPS: usize = 12;

/// The number of widths that are tried one after the other, each a fraction of the last.
const WIDTHS: usize = 40;
const FALL: f64 = 0.4;

/// The bound of the tangential and rolling parts.
///
/// It is μ times the normal part that the cut leaves, rounded over a width, or μ times the
/// impulse's own normal part. Both agree at a solution; with the second one μ does not multiply the
/// rounding error of u_N.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Cut(f64),
    Own,
}

/// A contact: its block by rows, its coefficients, its velocity without impulse.
pub(super) struct Contact<const D: usize> {
    pub(super) block: [[f64; D]; D],
    pub(super) coefficients: [f64; 2],
    pub(super) free: [f64; D],
}

impl<const D: usize> Contact<D> {
    /// An impulse with a smaller error than `r`, or `r`.
    pub(super) fn refined(&self, r: [f64; D]) -> [f64; D] {
        let size = norm(self.block.as_flattened());
        let rho = 1.0 / size;
        let push = norm(&self.free) * rho;
        if !(rho.is_finite() && push.is_finite() && size > 0.0) {
            return r;
        }
        let mut best = (self.left(&r, rho, push), r);
        if best.0 <= ENOUGH {
            return r;
        }
        let try_from = |best: &mut (f64, [f64; D]), start: [f64; D], width: f64| -> [f64; D] {
            let found = self.newton(start, rho, Bound::Cut(width));
            // The error is measured with corners and inside the cone, as the result is returned.
            let mut exact = found;
            for bound in [Bound::Cut(0.0), Bound::Own] {
                exact = self.newton(exact, rho, bound);
                let inside = self.inside(exact);
                let left = self.left(&inside, rho, push);
                if left < best.0 {
                    *best = (left, inside);
                }
            }
            found
        };
        try_from(&mut best, r, 0.0);
        let normal = -self.free[0] / self.block[0][0];
        let mut upright = [0.0; D];
        upright[0] = if normal.is_finite() { normal } else { push };
        let stuck = eliminate(self.block, self.free.map(|x| -x));
        for start in [r, upright, stuck] {
            let mut at = start;
            let mut width = norm(&start).max(push);
            for _ in 0..WIDTHS {
                if best.0 <= WELL {
                    return best.1;
                }
                at = try_from(&mut best, at, width);
                width *= FALL;
            }
        }
        if best.0.is_finite() { best.1 } else { r }
    }

    fn left(&self, r: &[f64; D], rho: f64, push: f64) -> f64 {
        norm(&self.off(r, rho, Bound::Own).0) / norm(r).max(push)
    }

    /// F, and its derivative.
    fn off(&self, r: &[f64; D], rho: f64, bound: Bound) -> ([f64; D], [[f64; D]; D]) {
        let mut inner = [[0.0; D]; D];
        let wanted: [f64; D] = std::array::from_fn(|k| {
            let u: f64 = (0..D).map(|l| self.block[k][l] * r[l]).sum();
            for (l, x) in inner[k].iter_mut().enumerate() {
                *x = if k == l { 1.0 } else { 0.0 } - rho * self.block[k][l];
            }
            r[k] - rho * (self.free[k] + u)
        });
        let width = match bound {
            Bound::Cut(width) => width,
            Bound::Own => 0.0,
        };
        let (mut out, mut slope) = cut(wanted, self.coefficients, width);
        let upper = (inner[0], slope[0][0]);
        if bound == Bound::Own {
            let mut own = wanted;
            own[0] = r[0];
            inner[0] = std::array::from_fn(|l| if l == 0 { 1.0 } else { 0.0 });
            let (beside, its) = cut(own, self.coefficients, 0.0);
            out[1..].copy_from_slice(&beside[1..]);
            slope[1..].copy_from_slice(&its[1..]);
        }
        let mut matrix = [[0.0; D]; D];
        for k in 0..D {
            for l in 0..D {
                let through: f64 = (0..D).map(|m| slope[k][m] * inner[m][l]).sum();
                let through = if k == 0 {
                    upper.1 * upper.0[l]
                } else {
                    through
                };
                matrix[k][l] = if k == l { 1.0 } else { 0.0 } - through;
            }
        }
        (std::array::from_fn(|k| r[k] - out[k]), matrix)
    }

    fn newton(&self, mut r: [f64; D], rho: f64, bound: Bound) -> [f64; D] {
        let (mut off, mut matrix) = self.off(&r, rho, bound);
        let mut size = norm(&off);
        for _ in 0..STEPS {
            let step = eliminate(matrix, off);
            let mut share = 1.0;
            loop {
                let next = std::array::from_fn(|k| r[k] - share * step[k]);
                let (next_off, next_matrix) = self.off(&next, rho, bound);
                let next_size = norm(&next_off);
                if next_size < size {
                    (r, off, matrix, size) = (next, next_off, next_matrix, next_size);
                    break;
                }
                share *= 0.5;
                // A step with a NaN ends here as well.
                if share < 1e-4 {
                    return r;
                }
            }
        }
        r
    }

    /// Shortens the tangential and rolling parts to the cone.
    fn inside(&self, mut r: [f64; D]) -> [f64; D] {
        r[0] = crate::math::nan_max(r[0], 0.0);
        for (from, to, mu) in [
            (1, D.min(3), self.coefficients[0]),
            (3.min(D), D, self.coefficients[1]),
        ] {
            let (size, bound) = (norm(&r[from..to]), mu * r[0]);
            if size > bound {
                r[from..to].iter_mut().for_each(|x| *x *= bound / size);
            }
        }
        r
    }
}

/// Solves `m x = right` by elimination with row scaling and partial pivoting.
pub(super) fn eliminate<const N: usize>(mut m: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for (row, right) in m.iter_mut().zip(&mut right) {
        let largest = row.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if largest > 0.0 {
            row.iter_mut().for_each(|x| *x /= largest);
            *right /= largest;
        }
    }
    for k in 0..N {
        let larger = |a: &usize, b: &usize| m[*a][k].abs().total_cmp(&m[*b][k].abs());
        let pivot = (k..N).max_by(larger).unwrap_or(k);
        m.swap(k, pivot);
        right.swap(k, pivot);
        let above = m[k];
        for i in k + 1..N {
            let factor = m[i][k] / above[k];
            for (x, above) in m[i].iter_mut().zip(above).skip(k) {
                *x -= factor * above;
            }
            right[i] -= factor * right[k];
        }
    }
    for i in (0..N).rev() {
        let known: f64 = (i + 1..N).map(|j| m[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / m[i][i];
    }
    right
}
