//! The outcome of the iterations of an increment.

/// The outcome of the iterations of an increment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Solves of a linear system, or sweeps of relaxations.
    pub iterations: u64,
    /// Products with the stiffness, or relaxations of a body.
    pub products: u64,
    pub residual: f64,
    pub converged: bool,
}

impl Found {
    /// Adds the work of another part of the increment, whose residual is the last.
    pub(super) fn add(&mut self, part: &Self) {
        self.iterations += part.iterations;
        self.products += part.products;
        (self.residual, self.converged) = (part.residual, part.converged);
    }
}
