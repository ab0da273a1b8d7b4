//! The outcome of the iterations of an increment.

use super::balance::Balance;

/// The fewest iterations that can show that no equilibrium exists.
pub(super) const ENOUGH: u64 = 20;

/// The part of the residual of the first half of the iterations below which the second has brought
/// it down.
///
/// Residuals jump as contacts change, so a smaller difference shows nothing.
const FALLS: f64 = 0.5;

/// How many times the residual of the first half shows in the second that bodies run away.
///
/// They have left an equilibrium that does not hold them.
const GROWS: f64 = 10.0;

/// The part of the bound of the tolerance that holds before the loads are in balance.
///
/// A glued beam's mean force grew 160 times until its balance.
const UNSURE: f64 = 1e-3;

/// The outcome of the iterations of an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    ///
    /// Before the loads are in balance it is a thousandth of that.
    pub floor: f64,
    /// The least residual in each half of the iterations that are allowed.
    pub least: [f64; 2],
}

impl Default for Found {
    fn default() -> Self {
        Self {
            iterations: 0,
            products: 0,
            residual: 0.0,
            converged: false,
            stopped: false,
            floor: 0.0,
            least: [f64::INFINITY; 2],
        }
    }
}

impl Found {
    /// Adds the work of another part of the increment, whose outcome is the last.
    pub(super) fn add(&mut self, part: &Self) {
        *self = Self {
            iterations: self.iterations + part.iterations,
            products: self.products + part.products,
            ..*part
        };
    }

    /// Takes the verdict of the judge on a tolerance, after some of the iterations `allowed`.
    pub(super) fn judge(&mut self, balance: &Balance, (tolerance, allowed): (f64, u64)) {
        self.residual = balance.residual(tolerance);
        self.converged = self.residual <= tolerance;
        self.stopped = balance.asked && !self.converged;
        // Before balance the mean force is one of contacts that do not carry the loads yet.
        let sure = if self.converged || balance.is_near {
            1.0
        } else {
            UNSURE
        };
        self.floor = sure * balance.floor();
        // The state before the first iteration says nothing about those that follow.
        if self.iterations > 0 {
            let least = &mut self.least[usize::from(2 * self.iterations > allowed)];
            *least = least.min(self.residual);
        }
    }

    /// Whether the iterations `allowed` show that no equilibrium exists.
    ///
    /// `gives_way`: bodies can move without straining a contact. A mechanism moves on and on, and
    /// the residual stays. Without one it grows where an equilibrium does not hold the bodies.
    pub(super) fn is_collapse(&self, allowed: u64, gives_way: impl FnOnce() -> bool) -> bool {
        let [before, after] = self.least;
        let (falls, grows) = (after < FALLS * before, after > GROWS * before);
        allowed >= ENOUGH && (grows || !falls && gives_way())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::quasistatic::balance::FLOOR;

    /// Forces in balance, or as small as rounding leaves, bound the tolerance; others by a part.
    #[test]
    fn a_bound_of_the_tolerance_needs_balance() {
        let rounding = 1e-6;
        let left = FLOOR * rounding;
        for (worst, floor) in [(1e-2, UNSURE * left), (0.9 * left, left), (1e-9, left)] {
            let balance = Balance {
                unbalanced: Vec::new(),
                worst,
                reference: 1.0,
                heaviest: 1.0,
                rounding,
                is_near: worst <= left,
                asked: false,
            };
            let mut found = Found::default();
            found.judge(&balance, (1e-7, 60));
            assert_eq!(found.floor, floor, "{worst:e}");
            assert_eq!(found.converged, worst == 1e-9, "{worst:e}");
        }
    }

    /// A residual that falls, or a structure that holds, needs more iterations.
    ///
    /// A mechanism whose residual stays, and a pyramid that leans, collapse.
    #[test]
    fn a_collapse_is_told_from_iterations_that_run_out() {
        let cases = [
            ([1e-1, 4e-2], true, false),
            ([1e-1, 6e-2], true, true),
            ([1e-1, 6e-2], false, false),
            ([1.0, 1.0], true, true),
            ([1.0, 1.0], false, false),
            ([4e-5, 5e-2], false, true),
        ];
        for (least, gives_way, expected) in cases {
            let found = Found {
                least,
                ..Found::default()
            };
            let shown = |allowed| found.is_collapse(allowed, || gives_way);
            assert_eq!(shown(ENOUGH), expected, "{found:?}");
            assert!(!shown(ENOUGH - 1), "{found:?}");
        }
    }
}
