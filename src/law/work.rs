//! The energy dissipated at a contact in a step, term by term.
//!
//! The impulses r and couples τ of a step do the work `Σ r·ū + τ·Ω̄` on the bodies, ū and Ω̄ being
//! the mean of the relative velocities before and after the step. This is an identity of impulsive
//! motion under any law. Each of its terms has a name here, so that the ledger closes to rounding.

use crate::math::real::{Real, Three, across, dot};
use bytemuck::{Pod, Zeroable};

/// Energies of a step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Work {
    /// Taken out by normal impulses that push, including the energy that goes into springs.
    pub normal: f64,
    /// Taken out by normal impulses that pull: cohesion and bonds.
    pub cohesion: f64,
    /// Taken out by friction, including the energy that goes into springs.
    pub friction: f64,
    /// Taken out by couples about tangential axes.
    pub rolling: f64,
    /// Taken out by couples about the normal.
    pub torsion: f64,
    /// Brought in by walls, and by bodies that are not free.
    pub driven: f64,
    /// In the springs of compliant contacts at the end of the step: a state, not a flow.
    pub elastic: f64,
    /// In the springs of bonds that broke at the end of the step: lost, and a share of the flows
    /// above.
    pub fracture: f64,
    /// Brought in by springs of new bonds and of contacts that begin compressed.
    ///
    /// The energy of springs that a bond replaces is subtracted.
    pub prestress: f64,
}

impl Work {
    /// The number of terms.
    pub const TERMS: usize = 9;

    /// All terms, in order.
    #[must_use]
    pub fn to_array(self) -> [f64; Self::TERMS] {
        bytemuck::cast(self)
    }

    /// The inverse of [`Work::to_array`].
    #[must_use]
    pub fn from_array(of: [f64; Self::TERMS]) -> Self {
        bytemuck::cast(of)
    }

    /// The energy that contacts took out of the bodies' motion [J].
    #[must_use]
    pub fn taken(&self) -> f64 {
        self.normal + self.cohesion + self.friction + self.rolling + self.torsion
    }
}

/// The work of an impulse r at the mean relative velocity ū [J], taken out of the bodies' motion:
/// that of its normal part, and that of its tangential part.
#[inline(always)]
pub fn of_impulse<R: Real>(n: &Three<R>, r: &Three<R>, mean: &Three<R>) -> [R; 2] {
    let (r_n, mean_n) = (dot(r, n), dot(mean, n));
    let normal = r_n * mean_n;
    [-normal, normal - dot(r, mean)]
}

/// The work of a couple τ at the mean relative angular velocity Ω̄ [J], taken out of the bodies'
/// motion: about the tangents (rolling), and about the normal (torsion).
#[inline(always)]
pub fn of_couple<R: Real>(n: &Three<R>, couple: &Three<R>, mean: &Three<R>) -> [R; 2] {
    let (t_n, s_n) = (dot(couple, n), dot(mean, n));
    let rolling = dot(&across(couple, n, t_n), &across(mean, n, s_n));
    [-rolling, -t_n * s_n]
}
