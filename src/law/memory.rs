//! The facts of a contact for the end of a step.

use super::bond::Joint;
use super::restitution::Rebound;

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
    /// Whether it is left alone in this step.
    pub(super) left_alone: bool,
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
            left_alone: false,
            honoured: f32::INFINITY,
            rest: joint.rest,
        }
    }

    /// The bond at the start of the step.
    #[must_use]
    pub fn joint(&self) -> Joint {
        Joint {
            glue: self.glue.into(),
            rest: self.rest,
        }
    }

    /// Takes the facts about restitution.
    pub(super) fn take(&mut self, rebound: &Rebound) {
        let honoured = match rebound {
            Rebound::Collides(collision) => collision.honoured,
            Rebound::LeftAlone => f64::INFINITY,
            Rebound::Rests { honoured } => *honoured,
        };
        self.left_alone = *rebound == Rebound::LeftAlone;
        self.honoured = honoured as f32;
    }

    /// Whether the law may have a [`State`](super::State) that outlives the step.
    #[must_use]
    pub fn has_state(&self) -> bool {
        self.adhesive || self.glue != 0
    }

    /// Whether the contact is left alone: it takes no impulse in this step.
    #[must_use]
    pub fn is_left_alone(&self) -> bool {
        self.left_alone
    }

    /// Whether a normal impulse [N s] was a collision that ended without the rebound of the pair.
    #[must_use]
    pub fn is_plastic(&self, normal: f64) -> bool {
        normal > f64::from(self.honoured)
    }
}
