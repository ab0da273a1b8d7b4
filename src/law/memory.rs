//! The facts of a contact that its end of a step needs.

use super::bond::Joint;

/// The facts of [`open`](super::open) that [`close`](super::close) needs, one per contact.
///
/// They are stored compactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Whether the law has cohesion.
    pub(super) adhesive: bool,
    /// Whether cohesion acts at the start of the step.
    pub(super) bonded: bool,
    /// [`Joint::glue`], which is at most [`Joint::BROKEN`].
    pub(super) glue: u8,
    /// Whether the contact bounces, or is left alone to bounce later.
    pub(super) bounces: bool,
    /// The largest normal impulse that is not a collision [N s].
    ///
    /// Above it, a contact with restitution took part in a collision without rebound.
    pub(super) honoured: f32,
    /// [`Joint::rest`].
    pub(super) rest: f64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(false, false, Joint::default())
    }
}

impl Memory {
    #[inline(always)]
    pub(super) fn new(adhesive: bool, bonded: bool, joint: Joint) -> Self {
        Self {
            adhesive,
            bonded,
            glue: joint.glue as u8,
            bounces: false,
            honoured: f32::INFINITY,
            rest: joint.rest,
        }
    }

    /// Whether the contact bounces, or is left alone to bounce later.
    #[must_use]
    pub fn bounces(&self) -> bool {
        self.bounces
    }

    /// Whether a normal impulse [N s] was a collision that ended without the rebound of the pair.
    #[must_use]
    pub fn is_plastic(&self, normal: f64) -> bool {
        normal > f64::from(self.honoured)
    }
}
