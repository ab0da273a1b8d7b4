//! Frictional contact problems given by their matrix: the Delassus operator W, the free velocities q, the coefficients of friction.
//!
//! Wanted are impulses r [N s] and velocities u [m/s] of all contacts with
//!
//! `u = W r + q`, `K* ∋ û ⟂ r ∈ K`, `û = u + (μ|u_T| + μ_r|u_M|) e_N`,
//!
//! where `K = {|r_T| ≤ μ r_N, |r_M| ≤ μ_r r_N}` is the cone of a contact and K* its dual (De Saxcé's form of Signorini's condition with
//! Coulomb's law; `_M`: couples of rolling friction [N m s], with angular velocities [rad/s]). Unlike in [`solver`](crate::solver) there are
//! no bodies here, W may have any blocks, symmetric or not, and what counts is a small error, not a time step that goes on.
//!
//! [`merit`] judges; [`law::one_contact`](crate::law::one_contact) solves the law of one contact for a full block.

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
    /// Velocities that there are without impulses [m/s].
    pub q: Vec<f64>,
    /// μ, one of each contact.
    pub friction: Vec<f64>,
    /// μ_r [m], one of each contact in dimension 5, else none.
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

    /// Whether no contact has friction of any kind.
    #[must_use]
    pub fn is_frictionless(&self) -> bool {
        self.friction
            .iter()
            .chain(&self.rolling)
            .all(|mu| *mu == 0.0)
    }

    /// What is wrong with the problem, if something is: lengths that do not fit, numbers that are none, negative coefficients.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let (n, d) = (self.contacts(), self.matrix.dimension);
        if let Some(fault) = self.matrix.fault() {
            return Some(fault);
        }
        if self.matrix.contacts() != n {
            return Some(format!(
                "W has rows for {} contacts, and there are {n} coefficients of friction",
                self.matrix.contacts()
            ));
        }
        if self.q.len() != n * d {
            return Some(format!("q has {} numbers, not {}", self.q.len(), n * d));
        }
        let rolling = if d == 5 { n } else { 0 };
        if self.rolling.len() != rolling {
            return Some(format!(
                "{} coefficients of rolling friction, not {rolling}",
                self.rolling.len()
            ));
        }
        if let Some(i) = self.q.iter().position(|x| !x.is_finite()) {
            return Some(format!(
                "q[{i}] is {}, which is no finite number",
                self.q[i]
            ));
        }
        for (what, of) in [("mu", &self.friction), ("mu_r", &self.rolling)] {
            if let Some(i) = of.iter().position(|x| !(x.is_finite() && *x >= 0.0)) {
                return Some(format!(
                    "{what}[{i}] is {}; it must be finite and not negative",
                    of[i]
                ));
            }
        }
        None
    }
}

/// How a problem is to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The error ([`merit::siconos_error`]) that is small enough.
    pub tolerance: f64,
    /// Sweeps after which it is given up.
    pub max_sweeps: u64,
    /// Time after which it is given up [s].
    pub max_seconds: f64,
    /// Seed of the orders of sweeps.
    pub seed: u64,
    /// By what.
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

/// By what a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Sweeps, and what is stronger where they are slow.
    #[default]
    Auto,
    /// Non-linear Gauss–Seidel sweeps only.
    Nsgs,
    /// Problems with more on the diagonal, one after the other, by Newton's method and sweeps.
    Proximal,
    /// Newton's method on the law with rounded corners, rounded less and less.
    Smoothing,
    /// An interior-point method, for problems without friction; others are left as they are.
    Interior,
}

/// What was found. The impulses of a problem need not be unique.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// r [N s].
    pub impulse: Vec<f64>,
    /// u = W r + q [m/s].
    pub velocity: Vec<f64>,
    /// Sweeps over all contacts.
    pub sweeps: u64,
    /// How long it took, without what judges the answer [s].
    pub seconds: f64,
    /// [`merit::siconos_error`].
    pub error: f64,
    /// [`merit::fclib_merit`].
    pub merit: f64,
    /// [`merit::residual`].
    pub residual: f64,
    /// What brought the answer.
    pub method: String,
    /// What was done, a line each.
    pub log: Vec<String>,
    /// Whether the answer is made of finite numbers.
    pub finite: bool,
}

#[cfg(test)]
mod tests;
