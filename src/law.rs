//! What happens at one contact: pure functions of its geometry, masses and parameters, the impulse it has and the relative
//! velocity it sees. A law knows no body, no list, no rank.
//!
//! [`coulomb`] is the law of [001 eq. 1.30], for contacts that have nothing more to them. [`full`] is the law with all that
//! [001 §1.7–1.8] and design add: couples, cohesion, restitution, compliance. [`PairTable`] says which coefficients hold
//! between two materials.
//!
//! [`one_contact`] solves Coulomb's law for a full 3×3 matrix W. [`cone`] projects an impulse on
//! the cone of friction; [`cut`] writes the law as an equation, whose corners may be rounded.

pub mod cone;
pub mod coulomb;
pub(crate) mod couples;
pub mod cut;
pub mod full;
pub mod one_contact;
mod pair;

pub use pair::{Arm, Pair, PairTable};

use crate::math::Vector3;

/// What the law did at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Status {
    /// No impulse.
    #[default]
    Open = 0,
    /// Impulse inside Coulomb's cone, no relative tangential velocity.
    Sticking = 1,
    /// Impulse on Coulomb's cone.
    Sliding = 2,
}

impl Status {
    /// What the law did to give a contact this impulse [N s]: it is on the cone, but for rounding, or inside. `cohesion` is
    /// `F_C Δt` of a bonded contact [N s].
    #[must_use]
    #[inline]
    pub fn of(law: &coulomb::Parameters, cohesion: f64, impulse: &Vector3) -> Self {
        if *impulse == Vector3::zeros() && cohesion == 0.0 {
            return Self::Open;
        }
        let r_n = impulse.dot(&law.normal);
        let size = (impulse - law.normal * r_n).norm();
        let bound = law.friction * (r_n + cohesion);
        if size > 0.0 && size >= bound * (1.0 - 1e-12) {
            Self::Sliding
        } else {
            Self::Sticking
        }
    }
}
