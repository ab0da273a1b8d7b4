//! Sweeps over the contacts of a problem: non-linear Gauss–Seidel.

use super::{Delassus, Problem};
use crate::law::one_contact::Law;
use crate::rng::{Purpose, Stream};

/// Sweeps over a problem, or over one with a larger diagonal: `u = (W + D) r + q`, D one number per
/// contact.
pub(super) struct Sweeps<'a, const D: usize, L> {
    matrix: &'a Delassus,
    laws: Vec<L>,
    order: Vec<u32>,
    seed: u64,
    /// The number of the stream of orders, and the stream itself, once used.
    start: u64,
    draws: Option<Stream>,
}

/// The change by a sweep: `Σ|r_new − r_old|²` and `Σ|r_new|²`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    pub(super) step: f64,
    pub(super) size: f64,
}

impl<'a, const D: usize, L: Law<D>> Sweeps<'a, D, L> {
    /// `shifts`: D, or empty.
    pub(super) fn new(problem: &'a Problem, shifts: &[f64], seed: u64) -> Self {
        let matrix = &problem.matrix;
        let laws = (0..problem.contacts()).map(|i| {
            let shift = shifts.get(i).copied().unwrap_or(0.0);
            L::new(matrix.diagonal(i), shift, problem.coefficients(i))
        });
        Self {
            matrix,
            laws: laws.collect(),
            order: (0..problem.contacts() as u32).collect(),
            seed,
            start: 0,
            draws: None,
        }
    }

    /// Draws orders from the stream of this number.
    pub(super) fn begin_at(&mut self, number: u64) {
        self.start = number;
        self.draws = None;
    }

    /// Draws a new order.
    pub(super) fn renew(&mut self) {
        let (seed, start) = (self.seed, self.start);
        let draws =
            (self.draws).get_or_insert_with(|| Stream::new(Purpose::Order, seed, [start, 0, 0]));
        draws.shuffle(&mut self.order);
    }

    /// Each contact once, in the present order.
    pub(super) fn sweep(&mut self, r: &mut [[f64; D]], q: &[[f64; D]]) -> Change {
        let mut change = Change::default();
        for &i in &self.order {
            let i = i as usize;
            let old = r[i];
            r[i] = [0.0; D];
            let free = self.matrix.row_times::<D>(i, r, q[i]);
            let new = self.laws[i].solve(free, old);
            for (new, old) in new.into_iter().zip(old) {
                change.step += (new - old) * (new - old);
                change.size += new * new;
            }
            r[i] = new;
        }
        change
    }
}
