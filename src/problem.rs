//! Frictional contact problems given by their matrix.
//!
//! The data are the Delassus operator W, the free velocities q and the coefficients of friction.
//! The unknowns are impulses r [N s] and velocities u [m/s] of all contacts with
//!
//! `u = W r + q`, `K* ∋ û ⟂ r ∈ K`, `û = u + (μ|u_T| + μ_r|u_M|) e_N`,
//!
//! where `K = {|r_T| ≤ μ r_N, |r_M| ≤ μ_r r_N}` is the cone of a contact and K* its dual (De
//! Saxcé's form of Signorini's condition with Coulomb's law; `_M`: couples of rolling friction
//! [N m s], with angular velocities [rad/s]). Unlike in [`solver`](crate::solver) the problem has
//! no bodies, W may have any blocks, symmetric or not, and the aim is a small error, not the next
//! time step.
//!
//! [`merit`] measures errors; [`law::one_contact`](crate::law::one_contact) solves the law of one
//! contact for a full block.

mod equations;
mod interior;
pub mod matrix;
pub mod merit;
mod newton;
mod nsgs;
mod proximal;
mod smoothing;
mod solve;

pub use matrix::Delassus;
pub use solve::solve;

/// A problem. Contact i owns the numbers `dimension * i ..` of all vectors; its first is normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// W; [1/kg] in the rows and columns of impulses.
    pub matrix: Delassus,
    /// Velocities without impulses [m/s].
    pub q: Vec<f64>,
    /// μ of each contact.
    pub friction: Vec<f64>,
    /// μ_r [m] of each contact in dimension 5; otherwise empty.
    pub rolling: Vec<f64>,
}

impl Problem {
    /// Number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// μ and μ_r of a contact.
    #[must_use]
    #[inline]
    pub fn coefficients(&self, contact: usize) -> [f64; 2] {
        let rolling = self.rolling.get(contact).copied().unwrap_or(0.0);
        [self.friction[contact], rolling]
    }

    /// Whether all coefficients of friction are zero.
    #[must_use]
    pub fn is_frictionless(&self) -> bool {
        self.friction
            .iter()
            .chain(&self.rolling)
            .all(|mu| *mu == 0.0)
    }

    /// The fault of a problem: lengths that do not fit, numbers that are not finite, negative
    /// coefficients.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let (n, d) = (self.contacts(), self.matrix.dimension);
        if let Some(fault) = self.matrix.fault() {
            return Some(fault);
        }
        if self.matrix.contacts() != n {
            return Some(format!(
                "W must have rows for {n} contacts, one per coefficient of friction; found rows for {}",
                self.matrix.contacts()
            ));
        }
        if self.q.len() != n * d {
            return Some(format!(
                "q must have {1} numbers; found {0}",
                self.q.len(),
                n * d
            ));
        }
        let rolling = if d == 5 { n } else { 0 };
        if self.rolling.len() != rolling {
            return Some(format!(
                "the coefficients of rolling friction must be {rolling} in number; found {}",
                self.rolling.len()
            ));
        }
        if let Some(i) = self.q.iter().position(|x| !x.is_finite()) {
            return Some(format!(
                "q[{i}] must be a finite number; found {}",
                self.q[i]
            ));
        }
        for (what, of) in [("mu", &self.friction), ("mu_r", &self.rolling)] {
            if let Some(i) = of.iter().position(|x| !(x.is_finite() && *x >= 0.0)) {
                return Some(format!(
                    "{what}[{i}] must be finite and not negative; found {}",
                    of[i]
                ));
            }
        }
        None
    }
}

/// The settings of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The error ([`merit::siconos_error`]) at which the solve ends.
    pub tolerance: f64,
    /// Number of sweeps after which the solve gives up.
    pub max_sweeps: u64,
    /// Time after which the solve gives up [s].
    pub max_seconds: f64,
    /// Seed of the orders of sweeps.
    pub seed: u64,
    /// The method.
    pub method: Method,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_sweeps: 1_000_000,
            max_seconds: 60.0,
            seed: 1,
            method: Method::Auto,
        }
    }
}

/// The method by which a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Sweeps, and stronger methods where sweeps are slow.
    #[default]
    Auto,
    /// Non-linear Gauss–Seidel sweeps only.
    Nsgs,
    /// A sequence of problems with a larger diagonal, solved by Newton's method and sweeps.
    Proximal,
    /// Newton's method on the law with rounded corners, with ever less rounding.
    Smoothing,
    /// An interior-point method, for problems without friction; others are left unsolved.
    Interior,
}

/// The result of a solve. The impulses of a problem need not be unique.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// r [N s].
    pub impulse: Vec<f64>,
    /// u = W r + q [m/s].
    pub velocity: Vec<f64>,
    /// Number of sweeps over all contacts.
    pub sweeps: u64,
    /// Duration of the solve, without the final evaluation of errors [s].
    pub seconds: f64,
    /// [`merit::siconos_error`].
    pub error: f64,
    /// [`merit::fclib_merit`].
    pub merit: f64,
    /// [`merit::residual`].
    pub residual: f64,
    /// The method that found the solution.
    pub method: String,
    /// The stages of the solve, one line each.
    pub log: Vec<String>,
    /// Whether all numbers of the solution are finite.
    pub finite: bool,
}

#[cfg(test)]
mod tests;
