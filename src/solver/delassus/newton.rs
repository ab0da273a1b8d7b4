//! Newton's method on the law of all contacts at once, for problems with more on their diagonal.
//!
//! The law in Alart and Curnier's form (Computer Methods in Applied Mechanics and Engineering 92, 1991): r is a solution where
//! `F = r − π(r − ρ u)` is zero, π cutting the normal part at 0 and the others to μ times the normal part that is left. F is piecewise
//! smooth; at a point each contact lies on one piece (open, sticks, slides), and the linear equations of those pieces give the step.
//! The step is halved until |F| falls.
//!
//! With a width w the corners of π are rounded: `max(x, 0)` becomes `(x + √(x² + 4 w²))/2` and `max(|y|, b)` is `b + max(√(y² + μ² w²) − b, 0)`,
//! rounded over μ w, so that F is smooth and its slope never of less than full rank (Chen and Mangasarian, Computational Optimization and
//! Applications 5, 1996).

use super::Problem;
use super::equations::Equations;
use super::merit::norm;

/// `u = (W + D) r + q`, and the scales ρ of its contacts.
pub(super) struct Shifted<'a, const D: usize> {
    pub(super) problem: &'a Problem,
    /// D, one number of each contact.
    pub(super) shift: Vec<f64>,
    pub(super) q: Vec<[f64; D]>,
    pub(super) rho: Vec<f64>,
    /// Width over which the corners of π are rounded; an impulse.
    pub(super) width: f64,
}

/// `max(x, 0)` with its corner rounded over the width, and its slope: (x + √(x² + 4 w²))/2.
fn positive(x: f64, width: f64) -> (f64, f64) {
    if width == 0.0 {
        return if x > 0.0 { (x, 1.0) } else { (0.0, 0.0) };
    }
    let root = x.hypot(2.0 * width);
    // Without the difference of two large numbers.
    let up = 0.5 * (root + x.abs());
    let value = if x > 0.0 { up } else { width * (width / up) };
    (value, value / root)
}

/// F at a point, what it is made of, and its size.
struct Point<const D: usize> {
    r: Vec<[f64; D]>,
    u: Vec<[f64; D]>,
    off: Vec<[f64; D]>,
    size: f64,
}

/// Every so many steps |F| is to be this share of what it was, or the solve is given up.
const LOOK: u64 = 5;
const SLOW: f64 = 0.3;

/// What a solve came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Came {
    /// Linear systems solved.
    pub(super) steps: u64,
    /// Whether |F| is small enough.
    pub(super) done: bool,
}

impl<const D: usize> Shifted<'_, D> {
    /// The parts beside the normal, and their coefficients.
    fn parts(&self, contact: usize) -> [(usize, usize, f64); 2] {
        let [mu, rolling] = self.problem.coefficients(contact);
        [(1, D.min(3), mu), (3.min(D), D, rolling)]
    }

    /// F of a contact, and the derivative of π.
    fn piece(&self, i: usize, r: &[f64; D], u: &[f64; D]) -> ([f64; D], [[f64; D]; D]) {
        let mut wanted = [0.0; D];
        for k in 0..D {
            wanted[k] = r[k] - self.rho[i] * u[k];
        }
        let (mut off, mut slope) = (*r, [[0.0; D]; D]);
        let (normal, rise) = positive(wanted[0], self.width);
        off[0] -= normal;
        slope[0][0] = rise;
        for (from, to, mu) in self.parts(i) {
            let (bound, width) = (mu * normal, mu * self.width);
            let length = norm(&wanted[from..to]);
            let size = length.hypot(width);
            if bound <= 0.0 || size <= 0.0 {
                // Nothing to cut, or nothing left.
                if bound > 0.0 {
                    (from..to).for_each(|k| slope[k][k] = 1.0);
                }
                continue;
            }
            // The larger one of |y_T| and the bound, and how it changes with the first.
            let (more, share) = positive(size - bound, width);
            let larger = bound + more;
            let factor = bound / larger;
            let by_bound = mu * rise * (1.0 - factor * (1.0 - share)) / larger;
            for k in from..to {
                off[k] -= factor * wanted[k];
                slope[k][0] = by_bound * wanted[k];
                slope[k][k] = factor;
                for l in from..to {
                    slope[k][l] -= factor * share / (larger * size) * wanted[k] * wanted[l];
                }
            }
        }
        (off, slope)
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

    /// Goes on from `r` until `|F| ≤ tolerance`, or for at most so many steps, or until they make |F| smaller too slowly, or until time
    /// is `spent`. `r` is the point of the smallest |F|; it may lie off the cones by as much.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::solver::delassus::Delassus;

    /// Rounded or not, the maximum with 0 and its slope: the limit of a width of 0 is the plain one, beside which rounding adds no more
    /// than the width.
    #[test]
    fn the_rounded_maximum() {
        for x in [-1e6, -3.0, -1e-9, 0.0, 1e-9, 2.0, 1e6] {
            assert_eq!(positive(x, 0.0), (x.max(0.0), f64::from(u8::from(x > 0.0))));
            for width in [1e-12, 1e-3, 1.0] {
                let (value, slope) = positive(x, width);
                assert!(value > 0.0 && value >= x && value <= x.max(0.0) + width);
                assert!(
                    (value * (value - x) / (width * width) - 1.0).abs() < 1e-3 || x > 1e3 * width
                );
                assert!(slope > 0.0 && slope <= 1.0);
            }
        }
    }

    /// The derivative of π that is told is the one that differences have, for all dimensions, rounded and not.
    #[test]
    fn slopes_are_those_of_differences() {
        slopes::<2>();
        slopes::<3>();
        slopes::<5>();
    }

    fn slopes<const D: usize>() {
        let mut compared = 0;
        for trial in 0..300 {
            let mut draw = Stream::new(Purpose::Trial, 77, [trial, D as u64, 0]);
            let problem = Problem {
                matrix: Delassus::from_entries(D, 1, []).unwrap(),
                q: vec![0.0; D],
                friction: vec![draw.between(0.1, 1.5)],
                rolling: if D == 5 {
                    vec![draw.between(0.1, 1.5)]
                } else {
                    vec![]
                },
            };
            let width = [0.0, 1e-2, 1.0][draw.below(3) as usize];
            let shifted = Shifted::<D> {
                problem: &problem,
                shift: vec![0.0],
                q: vec![[0.0; D]],
                rho: vec![1.0],
                width,
            };
            // With u = 0 what π is taken of is r itself, and F = r - π(r).
            let r: [f64; D] = std::array::from_fn(|_| draw.between(-1.0, 1.0));
            let pi = |r: &[f64; D]| {
                let (off, slope) = shifted.piece(0, r, &[0.0; D]);
                (std::array::from_fn::<f64, D, _>(|k| r[k] - off[k]), slope)
            };
            let slope = pi(&r).1;
            let h = 1e-6;
            for l in 0..D {
                let [mut up, mut down] = [r; 2];
                up[l] += h;
                down[l] -= h;
                let (up, down) = (pi(&up), pi(&down));
                // A bend between the two is no place for differences.
                let same = (0..D).all(|k| (0..D).all(|m| (up.1[k][m] - down.1[k][m]).abs() < 1e-2));
                if !same {
                    continue;
                }
                compared += 1;
                for (k, slope) in slope.iter().enumerate() {
                    let difference = (up.0[k] - down.0[k]) / (2.0 * h);
                    assert!(
                        (difference - slope[l]).abs() < 1e-5,
                        "{trial} {k} {l} width {width}: {difference} {}",
                        slope[l]
                    );
                }
            }
        }
        assert!(compared > 300 * D - 30, "{compared}");
    }
}
