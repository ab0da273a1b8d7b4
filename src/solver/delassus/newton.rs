//! Newton's method on the law of all contacts at once, for problems with more on their diagonal.
//!
//! The law in Alart and Curnier's form (Computer Methods in Applied Mechanics and Engineering 92, 1991): r is a solution where
//! `F = r − π(r − ρ u)` is zero, π cutting the normal part at 0 and the others to μ times the normal part that is left. F is piecewise
//! smooth; at a point each contact lies on one piece (open, sticks, slides), and the linear equations of those pieces give the step. A
//! contact that is open has r = 0 and takes no part in the equations. The step is halved until |F| falls.

use super::Problem;
use super::merit::norm;
use faer::linalg::solvers::Solve;
use faer::{Col, Mat};

/// `u = (W + D) r + q`, and the scales ρ of its contacts.
pub(super) struct Shifted<'a, const D: usize> {
    pub(super) problem: &'a Problem,
    /// D, one number of each contact.
    pub(super) shift: Vec<f64>,
    pub(super) q: Vec<[f64; D]>,
    pub(super) rho: Vec<f64>,
}

/// F at a point, what it is made of, and its size.
struct Point<const D: usize> {
    r: Vec<[f64; D]>,
    u: Vec<[f64; D]>,
    off: Vec<[f64; D]>,
    size: f64,
}

/// What a solve came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Came {
    /// Linear systems solved.
    pub(super) steps: u64,
    /// Whether |F| is small enough.
    pub(super) done: bool,
}

/// The derivative of π at a contact; `None` where it is open.
type Slope<const D: usize> = Option<[[f64; D]; D]>;

impl<const D: usize> Shifted<'_, D> {
    /// The parts beside the normal, and their coefficients.
    fn parts(&self, contact: usize) -> [(usize, usize, f64); 2] {
        let [mu, rolling] = self.problem.coefficients(contact);
        [(1, D.min(3), mu), (3.min(D), D, rolling)]
    }

    /// F of a contact, and the derivative of π.
    fn piece(&self, i: usize, r: &[f64; D], u: &[f64; D]) -> ([f64; D], Slope<D>) {
        let mut wanted = [0.0; D];
        for k in 0..D {
            wanted[k] = r[k] - self.rho[i] * u[k];
        }
        if wanted[0] <= 0.0 {
            return (*r, None);
        }
        let (mut off, mut slope) = (*r, [[0.0; D]; D]);
        off[0] -= wanted[0];
        slope[0][0] = 1.0;
        for (from, to, mu) in self.parts(i) {
            let (size, bound) = (norm(&wanted[from..to]), mu * wanted[0]);
            if size <= bound {
                for k in from..to {
                    off[k] -= wanted[k];
                    slope[k][k] = 1.0;
                }
                continue;
            }
            for k in from..to {
                let along = wanted[k] / size;
                off[k] -= bound * along;
                slope[k][0] = mu * along;
                for l in from..to {
                    let own = if k == l { 1.0 } else { 0.0 };
                    slope[k][l] = bound / size * (own - along * wanted[l] / size);
                }
            }
        }
        (off, Some(slope))
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

    /// The step from a point, if its equations have an answer.
    fn step(&self, at: &Point<D>) -> Option<Vec<[f64; D]>> {
        let n = at.r.len();
        let pieces = (0..n).map(|i| self.piece(i, &at.r[i], &at.u[i]).1);
        let slopes: Vec<Slope<D>> = pieces.collect();
        let mut places = vec![usize::MAX; n];
        let mut closed = 0;
        for (place, slope) in places.iter_mut().zip(&slopes) {
            if slope.is_some() {
                *place = closed;
                closed += 1;
            }
        }
        let mut matrix = Mat::<f64>::zeros(D * closed, D * closed);
        let mut right = Col::<f64>::zeros(D * closed);
        let w = &self.problem.matrix;
        for i in 0..n {
            let Some(slope) = slopes[i] else { continue };
            let row = D * places[i];
            // What open contacts lose, as velocity here.
            let mut lost = [0.0; D];
            for at_block in w.starts[i]..w.starts[i + 1] {
                let j = w.columns[at_block] as usize;
                let block = &w.blocks[at_block * D * D..][..D * D];
                if places[j] == usize::MAX {
                    for k in 0..D {
                        for l in 0..D {
                            lost[k] -= block[k * D + l] * at.r[j][l];
                        }
                    }
                    continue;
                }
                let column = D * places[j];
                let mut full = [[0.0; D]; D];
                for k in 0..D {
                    for l in 0..D {
                        full[k][l] = block[k * D + l];
                    }
                    if i == j {
                        full[k][k] += self.shift[i];
                    }
                }
                for l in 0..D {
                    for k in 0..D {
                        let product: f64 = (0..D).map(|m| slope[k][m] * full[m][l]).sum();
                        matrix[(row + k, column + l)] = self.rho[i] * product;
                    }
                }
            }
            for k in 0..D {
                for l in 0..D {
                    let own = if k == l { 1.0 } else { 0.0 };
                    matrix[(row + k, row + l)] += own - slope[k][l];
                }
                let lost: f64 = (0..D).map(|m| slope[k][m] * lost[m]).sum();
                right[row + k] = -at.off[i][k] - self.rho[i] * lost;
            }
        }
        let answer = if closed > 0 {
            matrix.partial_piv_lu().solve(&right)
        } else {
            right
        };
        let mut step = vec![[0.0; D]; n];
        for (i, step) in step.iter_mut().enumerate() {
            for k in 0..D {
                step[k] = if places[i] == usize::MAX {
                    -at.r[i][k]
                } else {
                    answer[D * places[i] + k]
                };
            }
        }
        step.as_flattened()
            .iter()
            .all(|x| x.is_finite())
            .then_some(step)
    }

    /// Unknowns of the equations at these impulses.
    pub(super) fn unknowns(r: &[[f64; D]]) -> usize {
        D * r.iter().filter(|r| r[0] > 0.0).count()
    }

    /// Goes on from `r` until `|F| ≤ tolerance`, or for at most so many steps, or until no step makes |F| smaller, or until time is
    /// `spent`. `r` is the point of the smallest |F|; it may lie off the cones by as much.
    pub(super) fn solve(
        &self,
        r: &mut Vec<[f64; D]>,
        tolerance: f64,
        most: u64,
        spent: impl Fn() -> bool,
    ) -> Came {
        let mut at = self.point(std::mem::take(r));
        let mut steps = 0;
        while steps < most && at.size > tolerance && !spent() {
            let Some(step) = self.step(&at) else { break };
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
        }
        *r = at.r;
        Came {
            steps,
            done: at.size <= tolerance,
        }
    }
}
