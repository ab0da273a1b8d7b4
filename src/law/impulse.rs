//! The impulse of a contact.

use crate::math::real::{Real, Three};

/// The impulse of a contact on its second body, global frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse<R> {
    /// Force times time [N s].
    pub linear: Three<R>,
    /// Couple times time [N m s]; zero where the kind has none.
    pub couple: Three<R>,
}

impl<R: Real> Impulse<R> {
    /// One without a couple.
    #[inline(always)]
    pub fn of(linear: Three<R>) -> Self {
        Self {
            couple: [linear[0].splat(0.0); 3],
            linear,
        }
    }
}
