//! Cohesion [001 §1.8]: a contact that has been pressed together resists pulls up to `F_C`.
//!
//! So `r_n ≥ −F_C Δt`. Once the contact gapes (weakened), a pull below `F_C` keeps the gap constant
//! and does not close it; a push closes it. Friction and couples are bounded by `r_n + F_C Δt`
//! (DMT).

use super::numbers::{Numbers, Part};
use super::pair::Pair;
use crate::math::real::{Mask, Real};

/// The cohesion that acts at a contact in this step.
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
    /// The normal impulse. `closing` would close the contact exactly, `keeping` would keep its gap.
    #[inline(always)]
    pub(super) fn normal(&self, closing: R, keeping: R) -> R {
        let zero = closing.splat(0.0);
        let weakened = self.weakened.greater(zero);
        let pull = -self.force;
        // A push does not hold a weakened contact.
        let kept = R::select(keeping.greater(zero), zero, keeping);
        let held = R::select(weakened, kept, closing);
        let held = R::select(held.less(pull), pull, held);
        R::select(closing.greater(held), closing, held)
    }

    /// False in all lanes: a contact whose cohesion acts is never open.
    #[inline(always)]
    pub(super) fn open(&self) -> R::Mask {
        let zero = self.force.splat(0.0);
        zero.less(zero).and(zero.less(zero))
    }
}

/// Whether cohesion acts on a contact with this gap [m].
///
/// It acts on every contact that touches. It acts on a gaping one only if the contact has been
/// pressed together before and its gap is within the range.
#[inline(always)]
pub(super) fn acts(pair: &Pair, gap: f64, smaller_radius: f64, pressed_before: bool) -> bool {
    let touching = 1e-9 * smaller_radius;
    let reach = pair.cohesion_range + touching;
    pair.cohesion > 0.0 && (gap <= touching || (gap < reach && pressed_before))
}
