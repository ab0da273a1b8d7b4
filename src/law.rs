//! What happens at one contact: pure functions of its geometry, masses and parameters, the impulse it has and the relative
//! velocity it sees. A law knows no body, no list, no rank.
//!
//! [`coulomb`] is the law of [001 eq. 1.30], for contacts that have nothing more to them. [`full`] is the law with all that
//! [001 §1.7–1.8] and design add: couples, cohesion, restitution, compliance. [`PairTable`] says which coefficients hold
//! between two materials.

pub mod coulomb;
mod couples;
pub mod full;
mod pair;

pub use pair::{Arm, Pair, PairTable};

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
