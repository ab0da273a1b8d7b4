//! Springs of rolling and torsion: a contact that carries a couple turns by a small angle.
//!
//! They act on couples as [`springs`](super::springs) act on forces. Where rolling sticks,
//! `Ω_t + γ_b (τ_t − τ_t,previous) = 0`, and where torsion sticks, `Ω_n + γ_w (τ_n − τ_n,previous)
//! = 0`, with `γ = 1/(k Δt²)` of the stiffness k [N m/rad]. The couple of the last step is the
//! springs' memory, so that a ball at rest on a slope does not creep. The limits stay those of
//! rolling and torsion friction. `γ → 0` is the rigid law.

use super::numbers::{Numbers, Part};
use super::pair::Pair;
use crate::math::Vector3;
use crate::math::real::{Real, Three, across, add, cross, dot, scaled, sub};

/// The springs of a contact's couples. Its masses do not include them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivot<R> {
    /// `γ_b` of rolling and `γ_w` of torsion [1/(kg m²)]; 0: rigid.
    pub softness: [R; 2],
    /// Couple impulse of the last step, turned with the normal [N m s].
    pub previous: Three<R>,
}

impl<R: Copy> Part<R> for Pivot<R> {
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

impl<R: Real> Pivot<R> {
    /// `W = n × Ω_t` [rad/s] and `Ω_n`, each with the springs' term, at a couple impulse τ.
    #[inline(always)]
    pub(super) fn strained(
        &self,
        n: &Three<R>,
        couple: &Three<R>,
        spin: &Three<R>,
    ) -> (Three<R>, R) {
        let [bending, twisting] = self.softness;
        let stretch = sub(couple, &self.previous);
        (
            add(&cross(n, spin), &scaled(&cross(n, &stretch), bending)),
            dot(spin, n) + twisting * dot(&stretch, n),
        )
    }

    /// Energy in the springs at the end of the step [J]: `(γ_b |τ_t|² + γ_w τ_n²)/2`.
    #[inline(always)]
    pub(super) fn energy(&self, n: &Three<R>, couple: &Three<R>) -> R {
        let about = dot(couple, n);
        let bent = across(couple, n, about);
        let [bending, twisting] = self.softness;
        (bending * dot(&bent, &bent) + twisting * about * about) * about.splat(0.5)
    }
}

impl Pivot<f64> {
    /// The springs of a contact that has couples; `previous` is the couple impulse of the last
    /// step.
    ///
    /// `None` where the pair has neither stiffness.
    pub(super) fn open(pair: &Pair, dt: f64, previous: &Vector3) -> Option<Self> {
        let soft = |stiffness: f64| match stiffness {
            0.0 => 0.0,
            _ => 1.0 / (stiffness * dt * dt),
        };
        let softness = [soft(pair.bending_stiffness), soft(pair.twisting_stiffness)];
        (softness != [0.0; 2]).then_some(Self {
            softness,
            previous: (*previous).into(),
        })
    }
}
