//! Newton's method on the law of all contacts at once, for problems with a larger diagonal.
//!
//! The law in Alart and Curnier's form (Computer Methods in Applied Mechanics and Engineering 92,
//! 1991): r is a solution where `F = r − π(r − ρ u)` is zero, π being the [cut](crate::law::cut). F
//! is piecewise smooth; at a point each contact lies on one piece (open, sticking, sliding), and
//! the linear equations of those pieces give the step. The step is halved until |F| falls.

use super::Problem;
use super::equations::Equations;
use crate::law::cut::cut;
use crate::math::norm;

/// The problem `u = (W + D) r + q`, and the scales ρ of its contacts.
pub(super) struct Shifted<'a, const D: usize> {
    pub(super) problem: &'a Problem,
    /// D, one number per contact.
    pub(super) shift: Vec<f64>,
    pub(super) q: Vec<[f64; D]>,
    pub(super) rho: Vec<f64>,
    /// Width over which the corners of π are rounded; an impulse.
    pub(super) width: f64,
}

/// A point with its F, the parts of F, and the size |F|.
struct Point<const D: usize> {
    r: Vec<[f64; D]>,
    u: Vec<[f64; D]>,
    off: Vec<[f64; D]>,
    size: f64,
}

/// Every this many steps |F| must have fallen to a fraction of its value, or the solve is given up.
const LOOK: u64 = 5;
const SLOW: f64 = 0.3;

/// The outcome of a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Came {
    /// Linear systems solved.
    pub(super) steps: u64,
    /// Whether |F| is small enough.
    pub(super) done: bool,
}

impl<const D: usize> Shifted<'_, D> {
    /// F of a contact, and the derivative of π.
    fn piece(&self, i: usize, r: &[f64; D], u: &[f64; D]) -> ([f64; D], [[f64; D]; D]) {
        let wanted = std::array::from_fn(|k| r[k] - self.rho[i] * u[k]);
        let (cut, slope) = cut(wanted, self.problem.coefficients(i), self.width);
        (std::array::from_fn(|k| r[k] - cut[k]), slope)
    }

    fn point(&self, r: Vec<[f64; D]>) -> Point<D> {
        let mut u = vec![[0.0; D]; r.len()];
        let q = self.q.as_flattened();
        let out = u.as_flattened_mut();
        self.problem.matrix.apply(r.as_flattened(), q, out);
        let mut off = r.clone();
        for (i, off) in off.iter_mut().enumerate() {
            for k in 0..D {
                u[i][k] += self.shift[i] * r[i][k];
            }
            *off = self.piece(i, &r[i], &u[i]).0;
        }
        let size = norm(off.as_flattened()) + 0.0 * norm(u.as_flattened());
        Point { r, u, off, size }
    }

    /// The step from a point, if its equations have a solution.
    fn step(&self, at: &Point<D>, equations: &mut Equations<D>) -> Option<Vec<[f64; D]>> {
        let w = &self.problem.matrix;
        let mut step = at.off.clone();
        for (i, step) in step.iter_mut().enumerate() {
            let slope = self.piece(i, &at.r[i], &at.u[i]).1;
            for at_block in w.starts[i]..w.starts[i + 1] {
                let block = &w.blocks[at_block * D * D..][..D * D];
                let mut full = [[0.0; D]; D];
                for k in 0..D {
                    full[k].copy_from_slice(&block[k * D..k * D + D]);
                }
                let own = w.columns[at_block] as usize == i;
                if own {
                    (0..D).for_each(|k| full[k][k] += self.shift[i]);
                }
                let mut out = [[0.0; D]; D];
                for k in 0..D {
                    for l in 0..D {
                        let product: f64 = (0..D).map(|m| slope[k][m] * full[m][l]).sum();
                        out[k][l] = self.rho[i] * product;
                        if own {
                            out[k][l] += if k == l { 1.0 } else { 0.0 } - slope[k][l];
                        }
                    }
                }
                equations.set(at_block, &out);
            }
            step.iter_mut().for_each(|x| *x = -*x);
        }
        equations.solve(step.as_flattened_mut()).then_some(step)
    }

    /// Continues from `r` until `|F| ≤ tolerance`.
    ///
    /// It stops earlier after `most` steps, or if |F| falls too slowly, or if time is `spent`. `r`
    /// becomes the point of the smallest |F|; it may lie outside the cones by a distance of that
    /// size.
    pub(super) fn solve(
        &self,
        r: &mut Vec<[f64; D]>,
        tolerance: f64,
        most: u64,
        equations: &mut Equations<D>,
        spent: impl Fn() -> bool,
    ) -> Came {
        let mut at = self.point(std::mem::take(r));
        let mut steps = 0;
        let mut mark = at.size;
        while steps < most && at.size > tolerance && !spent() {
            let Some(step) = self.step(&at, equations) else {
                break;
            };
            steps += 1;
            let mut share = 1.0;
            let next = loop {
                let mut r = at.r.clone();
                for (r, step) in r.as_flattened_mut().iter_mut().zip(step.as_flattened()) {
                    *r += share * step;
                }
                let next = self.point(r);
                if next.size < (1.0 - 1e-4 * share) * at.size {
                    break Some(next);
                }
                share *= 0.5;
                if share < 1e-6 {
                    break None;
                }
            };
            let Some(next) = next else { break };
            at = next;
            if steps % LOOK == 0 {
                if at.size > SLOW * mark {
                    break;
                }
                mark = at.size;
            }
        }
        *r = at.r;
        Came {
            steps,
            done: at.size <= tolerance,
        }
    }
}
