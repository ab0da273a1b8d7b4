//! The outcome of the iterations of an increment.

use super::assembly::Assembly;
use super::balance::Balance;
use super::mechanism::way_of_farthest;

/// The fewest iterations that can show that no equilibrium exists.
const ENOUGH: u64 = 20;

/// The part of the residual of the first half of the iterations below which the second has brought
/// it down.
///
/// Bodies come to rest if they move less than this part of their way in the first half.
/// Relaxations spread a load along a beam so slowly that its tip moves as `t^¾`: by 0.68 of that.
const FALLS: f64 = 0.9;

/// How many times the residual of the first half shows in the second that bodies run away.
///
/// They have left an equilibrium that does not hold them.
const GROWS: f64 = 10.0;

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
    /// It is 0 as long as the loads are not balanced.
    pub floor: f64,
    /// The least residual in each half of the iterations that are allowed.
    pub least: [f64; 2],
    /// The largest displacement of a body since the start of the part [m].
    ///
    /// It is that after the first iteration, after half of those allowed, and after all.
    pub ways: [f64; 3],
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
            ways: [0.0; 3],
        }
    }
}

impl Found {
    /// Adds the work of another part of the increment, whose outcome is the last.
    pub(super) fn add(&mut self, part: &Self) {
        *self = Self {
            iterations: self.iterations + part.iterations,
            products: self.products + part.products,
            floor: if part.floor > 0.0 {
                part.floor
            } else {
                self.floor
            },
            ..*part
        };
    }

    /// Takes the verdict of the judge, after some of the iterations `allowed`. Collective.
    pub(super) fn judge(&mut self, balance: &Balance, assembly: &Assembly, allowed: u64) {
        let tolerance = assembly.statics.tolerance;
        self.residual = balance.residual(tolerance);
        self.converged = self.residual <= tolerance;
        self.stopped = balance.asked && !self.converged;
        if self.converged || balance.is_rounded() {
            // Before, the mean force is one of contacts that do not carry the loads yet.
            self.floor = balance.floor();
        }
        // Before the first iteration no load has acted.
        if self.iterations > 0 {
            let least = &mut self.least[usize::from(2 * self.iterations > allowed)];
            *least = least.min(self.residual);
        }
        for (way, at) in self.ways.iter_mut().zip([1, allowed / 2, allowed]) {
            if self.iterations == at {
                *way = way_of_farthest(assembly);
            }
        }
    }

    /// Whether more than the iterations `allowed` might have brought balance.
    ///
    /// Where no equilibrium exists, the residual stays or grows, and the bodies of a mechanism move
    /// on and on, or have moved far; `jump` [m] is far.
    pub(super) fn may_fall(&self, allowed: u64, jump: f64) -> bool {
        let [before, after] = self.least;
        let (falls, grows) = (after < FALLS * before, after > GROWS * before);
        let [first, half, last] = self.ways;
        let slows = last - half < FALLS * (half - first);
        let near = last <= jump;
        let over = self.iterations >= allowed && self.residual.is_finite();
        !self.converged && over && (allowed < ENOUGH || falls || (near && slows && !grows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of iterations that are over, with these residuals and ways of the farthest body.
    fn over(least: [f64; 2], ways: [f64; 3]) -> Found {
        Found {
            iterations: 60,
            residual: least[1],
            least,
            ways,
            ..Found::default()
        }
    }

    /// Iterations run out where a residual falls, or a beam still bends.
    ///
    /// A mechanism that slides, a pyramid that has fallen, one that leans, and a body that nothing
    /// holds have no equilibrium.
    #[test]
    fn a_collapse_is_told_from_iterations_that_run_out() {
        let slows = [0.0, 0.5946, 1.0].map(|way| 1e-3 * way);
        let slides = [0.0, 0.5, 1.0].map(|way| 1e-3 * way);
        let cases = [
            ([1e-1, 5e-2], slides, true),
            ([1e-1, 1e-1], slows, true),
            ([1e-1, 1e-1], slides, false),
            ([4e-5, 8e-2], [0.0, 0.16, 0.24], false),
            ([4e-5, 5e-2], [0.0, 0.04, 0.03], false),
            ([1.0, 1.0], [0.1, 3.0, 6.0], false),
        ];
        for (least, ways, expected) in cases {
            let found = over(least, ways);
            assert_eq!(found.may_fall(60, 0.05), expected, "{found:?}");
            // Few iterations show nothing; those that ended for another reason did not run out.
            assert!(over(least, ways).may_fall(19, 0.05), "{found:?}");
            assert!(!found.may_fall(61, 0.05), "{found:?}");
            let not_a_number = Found {
                residual: f64::NAN,
                ..found
            };
            assert!(!not_a_number.may_fall(60, 0.05));
        }
    }
}
