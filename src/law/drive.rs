//! A shift of a contact's relative velocity, by a driven wall or by tangential restitution.

use super::numbers::{Numbers, Part};
use crate::math::real::Three;

/// The terms added to the relative velocities of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<R> {
    /// Added to the relative velocity, global frame [m/s].
    pub velocity: Three<R>,
    /// Added to the relative angular velocity, global frame [rad/s].
    pub spin: Three<R>,
}

impl<R: Copy> Part<R> for Drive<R> {
    const NUMBERS: usize = 6;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            velocity: from.three(at),
            spin: from.three(at + 3),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        self.velocity.into_iter().for_each(&mut *put);
        self.spin.into_iter().for_each(put);
    }
}
