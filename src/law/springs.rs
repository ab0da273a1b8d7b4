//! Compliance of a contact: implicit springs along and across the normal.
//!
//! The compliance C adds `C r/Δt²` to the relative velocity, r being the impulse. So in the normal
//! direction `0 ≤ r_n ⟂ u_n + b_n + γ_n r_n ≥ 0` with the signed gap in `b_n = g/Δt`, and where the
//! contact sticks `u_t + γ_t (r_t − r_t,previous) = 0`. The impulse of the last step is the
//! spring's memory, so sticking contacts do not creep. `γ = C/Δt²`; `γ → 0` is the rigid law.

use super::numbers::{Numbers, Part};
use crate::math::real::{Real, Three, add, dot, scaled, sub};

/// The springs of a contact. The masses of [`Parameters`] then include them: `1/(1/m + γ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Springs<R> {
    /// `γ_n = C_n/Δt²` and `γ_t = C_t/Δt²` [1/kg].
    pub softness: [R; 2],
    /// Tangential impulse of the last step, in the present tangent plane [N s].
    pub previous: Three<R>,
}

impl<R: Copy> Part<R> for Springs<R> {
    const NUMBERS: usize = 5;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            softness: [from.number(at), from.number(at + 1)],
            previous: from.three(at + 2),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        self.softness.into_iter().for_each(&mut *put);
        self.previous.into_iter().for_each(put);
    }
}

impl<R: Real> Springs<R> {
    /// The closing speed with the term of the normal spring: `u_n + b_n + γ_n r_n`.
    #[inline(always)]
    pub(super) fn closing(&self, speed: R, r_n: R) -> R {
        speed + self.softness[0] * r_n
    }

    /// The slip with the term of the tangential spring: `u_t + γ_t (r_t − r_t,previous)`.
    #[inline(always)]
    pub(super) fn slip(&self, slip: &Three<R>, tangential: &Three<R>) -> Three<R> {
        let stretch = sub(tangential, &self.previous);
        add(slip, &scaled(&stretch, self.softness[1]))
    }

    /// Energy in the springs at the end of the step [J]: `(γ_n r_n² + γ_t |r_t|²)/2`.
    #[inline(always)]
    pub(super) fn energy(&self, r: &Three<R>, r_n: R) -> R {
        let r_n2 = r_n * r_n;
        let r_t2 = dot(r, r) - r_n2;
        let [soft_n, soft_t] = self.softness;
        (soft_n * r_n2 + soft_t * r_t2) * r_n.splat(0.5)
    }
}

impl<R: Real> Springs<R> {
    /// The tangential part of [`Springs::energy`] [J].
    #[inline(always)]
    pub(super) fn tangential_energy(&self, r: &Three<R>, r_n: R) -> R {
        self.softness[1] * (dot(r, r) - r_n * r_n) * r_n.splat(0.5)
    }
}

/// A reduced mass with the term of a spring: `1/(1/m + γ)`.
#[inline(always)]
pub fn softened<R: Real>(mass: R, softness: R) -> R {
    let one = mass.splat(1.0);
    one / (one / mass + softness)
}
