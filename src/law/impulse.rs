//! The impulse of a contact.

use crate::math::real::{Real, Three};

/// The impulse of a contact on its second body, global frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse<R> {
    /// Integral of the force over the step [N s].
    pub linear: Three<R>,
    /// Integral of the couple over the step [N m s]; zero if the contact's kind has no couple.
    pub couple: Three<R>,
}

impl<R: Real> Impulse<R> {
    /// An impulse without a couple.
    #[inline(always)]
    pub fn of(linear: Three<R>) -> Self {
        Self {
            couple: [linear[0].splat(0.0); 3],
            linear,
        }
    }
}
