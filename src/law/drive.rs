//! A contact whose relative velocity is shifted: by a driven wall, and by tangential restitution.

use super::numbers::{Numbers, Part};
use crate::math::real::Three;

/// What is added to the relative velocities of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<R> {
    /// To the relative velocity, global frame [m/s].
    pub velocity: Three<R>,
    /// To the relative angular velocity, global frame [rad/s].
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
