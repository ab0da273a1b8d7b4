//! Linear systems whose unknowns are spread over the ranks.
//!
//! A [`System`] is a square matrix known by its products. All sums over the unknowns are exact, so
//! that a solution has the same bits on any number of ranks and threads. No distributed library
//! does this: their sums depend on the ranks.
//!
//! [`conjugate_gradients`] is for symmetric matrices, [`stabilised`] for all others. Of small
//! systems one rank can have all the entries and their [`Factors`], by which [`refined`] solves.

mod conjugate;
mod factors;
mod refined;
mod stabilised;

pub use conjugate::conjugate_gradients;
pub use factors::{Entry, Factors};
pub use refined::refined;
pub use stabilised::stabilised;

/// A square matrix A, known by its products. A rank has some of the unknowns.
pub trait System {
    /// The number of unknowns on this rank.
    fn len(&self) -> usize;

    /// Whether this rank has no unknowns.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `y = A x`. Collective.
    fn apply(&mut self, x: &[f64], y: &mut [f64]);

    /// `z = P r`, with an approximation P of the inverse of A that is symmetric where A is.
    fn precondition(&mut self, r: &[f64], z: &mut [f64]);

    /// The exact scalar products of pairs of vectors over all ranks, in one message. Collective.
    fn products<const N: usize>(&self, pairs: [[&[f64]; 2]; N]) -> [f64; N];
}

/// The limits of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The largest norm of the residual `b − A x`.
    pub residual: f64,
    /// The largest number of products.
    pub products: u64,
}

/// The end of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Products with the matrix.
    pub products: u64,
    /// The norm of the residual, as the iteration follows it.
    pub residual: f64,
    /// Whether the residual is small enough.
    pub converged: bool,
    /// Whether the iteration cannot go on: a division by zero, or a number that is not finite.
    pub broken: bool,
}

impl Solved {
    /// Whether the iteration ends: at a number that is not finite, at the tolerance, or at the
    /// largest number of products.
    fn ends(&mut self, limits: &Limits, numbers: &[f64]) -> bool {
        self.broken = !(self.residual.is_finite() && numbers.iter().all(|x| x.is_finite()));
        self.converged = !self.broken && self.residual <= limits.residual;
        self.broken || self.converged || self.products >= limits.products
    }
}

/// `y += a x`.
fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// `y = x + a y`.
fn scaled_plus(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = x + a * *y);
}

#[cfg(test)]
mod tests;
