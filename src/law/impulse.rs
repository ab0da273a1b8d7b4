//! The impulse of a contact.

use crate::math::real::Three;

/// The impulse of a contact on its second body, global frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse<R> {
    /// Force times time [N s].
    pub linear: Three<R>,
    /// Couple times time [N m s]; zero where the kind has none.
    pub couple: Three<R>,
}
