//! Cohesion [001 §1.8]: a contact that has been pressed together takes pulls up to `F_C`.
//!
//! So `r_n ≥ −F_C Δt`. Once the contact gapes (weakened), pulls below that keep the gap as it is and
//! do not close it; pushed together it closes. Friction and couples see `r_n + F_C Δt` (DMT).

use super::numbers::{Numbers, Part};
use super::pair::Pair;
use crate::math::real::{Mask, Real};

/// The cohesion that acts at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesion<R> {
    /// `F_C Δt` [N s].
    pub force: R,
    /// 1: the contact gapes; 0: it touches.
    pub weakened: R,
}

impl<R: Copy> Part<R> for Cohesion<R> {
    const NUMBERS: usize = 2;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            force: from.number(at),
            weakened: from.number(at + 1),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        put(self.force);
        put(self.weakened);
    }
}

impl<R: Real> Cohesion<R> {
    /// The normal impulse. `closing` is the one that just closes the contact, `keeping` the one
    /// that keeps its gap.
    #[inline(always)]
    pub(super) fn normal(&self, closing: R, keeping: R) -> R {
        let zero = closing.splat(0.0);
        let weakened = self.weakened.greater(zero);
        let pull = -self.force;
        // A push is no business of a weakened contact.
        let kept = R::select(keeping.greater(zero), zero, keeping);
        let held = R::select(weakened, kept, closing);
        let held = R::select(held.less(pull), pull, held);
        R::select(closing.greater(held), closing, held)
    }

    /// In no lane: a contact whose cohesion acts is never open.
    #[inline(always)]
    pub(super) fn open(&self) -> R::Mask {
        let zero = self.force.splat(0.0);
        zero.less(zero).and(zero.less(zero))
    }
}

/// Whether cohesion acts on a contact with this gap [m]. A contact that touches sticks together; one
/// that gapes only where it has been pressed together before and is still within reach.
#[inline(always)]
pub(super) fn acts(pair: &Pair, gap: f64, smaller_radius: f64, pressed_before: bool) -> bool {
    let touching = 1e-9 * smaller_radius;
    let reach = pair.cohesion_range + touching;
    pair.cohesion > 0.0 && (gap <= touching || (gap < reach && pressed_before))
}
