//! The outcome of the iterations of an increment.

use super::balance::Balance;

/// The outcome of the iterations of an increment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Solves of a linear system, or sweeps of relaxations.
    pub iterations: u64,
    /// Products with the stiffness, or relaxations of a body.
    pub products: u64,
    pub residual: f64,
    pub converged: bool,
    /// Whether the run is to end before that.
    pub stopped: bool,
    /// The smallest tolerance that rounding allows; 0 where nothing is loaded.
    pub floor: f64,
}

impl Found {
    /// Adds the work of another part of the increment, whose residual is the last.
    pub(super) fn add(&mut self, part: &Self) {
        self.iterations += part.iterations;
        self.products += part.products;
        (self.residual, self.converged) = (part.residual, part.converged);
        (self.stopped, self.floor) = (part.stopped, part.floor);
    }

    /// Takes the verdict of the judge on a tolerance.
    pub(super) fn judge(&mut self, balance: &Balance, tolerance: f64) {
        self.residual = balance.residual(tolerance);
        self.converged = self.residual <= tolerance;
        self.stopped = balance.asked && !self.converged;
        self.floor = balance.floor();
    }
}
