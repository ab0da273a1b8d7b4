//! Restitution of a contact with springs: a dashpot along the normal, implicit in the step.
//!
//! Spring and dashpot push with `F = −k g − c ġ`, never pull. For a pair of reduced mass m that
//! collides with the damping ratio `ζ = c/(2 √(k m))`, the force ends at the phase `2 arccos ζ`,
//! and the pair parts at the share
//!
//! ```text
//! e = exp(−2 ζ arccos ζ / √(1 − ζ²)),   with arcosh ζ and √(ζ² − 1) for ζ > 1
//! ```
//!
//! of its speed. [`Damping`] inverts this once for each pair of materials.
//!
//! Over a step from the gap g, `r = −k Δt (g + Δt u) − c Δt u`. With `A = k Δt² + c Δt` this is
//! `u + b_n + r/A = 0`, `b_n = (k Δt²/A) g/Δt`: the law of a spring with another softness `1/A`. A
//! gap that is open at the start keeps `b_n = g/Δt`, so that nothing acts before bodies touch.
//!
//! The implicit spring damps, too. Its step multiplies areas of the phase plane (g, u) by
//! `1/(1 + A/m)`, the motion itself by `exp(−2ζx)`, `x = Δt √(k/m)`. So `A = m (exp(2ζx) − 1)`
//! gives the damping of the motion, whatever the step; k, and so every packing at rest, stays as it
//! is. For small ζ the dashpot then takes back damping of the scheme, as explicit schemes have
//! none. This is stable in packings for the short steps for which it is used, `x ≤`
//! [`Damping::RESOLVED`].
//!
//! In longer steps a collision is over within a few of them. Newton's restitution takes its place
//! ([`restitution`](super::restitution)), and contacts that last keep their springs.
//!
//! Hertz's law has a dashpot of its own ([`hertz`](super::hertz)), with the same damping ratios.

use super::numbers::{Numbers, Part};
use crate::math::real::Real;

/// The damping ratio that stands for none: a dashpot divides by it. It costs 3e-7 of a rebound.
const LEAST: f64 = 1e-7;

/// The damping ratio of a coefficient of restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// ζ [1].
    ratio: f64,
    /// `−dζ/d(ln e)` [1].
    slope: f64,
}

impl Damping {
    /// The longest step `x = Δt √(k/m)` with a dashpot: ten steps for a collision without damping.
    pub(super) const RESOLVED: f64 = 0.3;

    /// The damping ratio for the coefficient of restitution e, 0 to 1.
    #[must_use]
    pub fn of(restitution: f64) -> Self {
        let wanted = -libm::log(restitution);
        let (mut low, mut high) = (0.0, 1.0);
        while loss(high) < wanted && high < 1e6 {
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if loss(middle) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        let ratio = f64::max(low, LEAST);
        let near = 1e-4 * ratio;
        Self {
            ratio,
            slope: 2.0 * near / (loss(ratio + near) - loss(ratio - near)),
        }
    }

    /// The damping ratio ζ.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Whether a step `x = Δt √(k/m)` is short enough for a dashpot; a NaN is not.
    #[must_use]
    pub fn resolves(x: f64) -> bool {
        x <= Self::RESOLVED
    }

    /// `A/m` for the step x: see the head of this file.
    pub(super) fn resistance(&self, x: f64) -> f64 {
        let Self { ratio, slope } = *self;
        if ratio >= 1.0 {
            // Without an oscillation, the slow return of the spring counts, not areas.
            return x * x + 2.0 * ratio * x;
        }
        // On average a collision ends half a step late, which costs exp(−ζx).
        let ratio = f64::max(ratio - slope * ratio * x, 0.5 * ratio);
        libm::expm1(2.0 * ratio * x)
    }
}

/// `−ln e` of a damping ratio.
fn loss(ratio: f64) -> f64 {
    let square = 1.0 - ratio * ratio;
    if square.abs() < 1e-12 {
        2.0
    } else if square > 0.0 {
        2.0 * ratio * libm::acos(ratio) / square.sqrt()
    } else {
        2.0 * ratio * libm::acosh(ratio) / (-square).sqrt()
    }
}

/// The dashpot of a contact. Closing speed and masses of its law include it. The numbers give the
/// energy of linear springs, whose softness includes it, too; to Hertz's law they are all it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper<R> {
    /// `k Δt²/A`.
    pub share: R,
    /// The spring's impulse for the gap at the start, `−k Δt g`, or 0 [N s].
    pub held: R,
    /// `γ = 1/(k Δt²)` of the spring alone [1/kg]; by Hertz's law at the overlap of A.
    pub softness: R,
}

impl<R: Copy> Part<R> for Damper<R> {
    const NUMBERS: usize = 3;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            share: from.number(at),
            held: from.number(at + 1),
            softness: from.number(at + 2),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        put(self.share);
        put(self.held);
        put(self.softness);
    }
}

/// A contact with a dashpot in a step.
pub(super) struct Damped {
    /// The dashpot.
    pub damper: Damper<f64>,
    /// `1/A` [1/kg], the softness along the normal.
    pub softness: f64,
    /// `b_n` [m/s].
    pub closing_speed: f64,
}

impl Damper<f64> {
    /// The dashpot of a contact of reduced mass m [kg] and softness γ [1/kg]; `closing` is `g/Δt`
    /// [m/s]. `None`: the step is too long for it.
    pub(super) fn open(damping: &Damping, closing: f64, mass: f64, gamma: f64) -> Option<Damped> {
        let x = 1.0 / (gamma * mass).sqrt();
        if !Damping::resolves(x) {
            return None;
        }
        let resistance = damping.resistance(x);
        let share = x * x / resistance;
        let open = closing > 0.0;
        Some(Damped {
            damper: Self {
                share,
                held: if open { 0.0 } else { -closing / gamma },
                softness: gamma,
            },
            softness: 1.0 / (resistance * mass),
            closing_speed: if open { closing } else { share * closing },
        })
    }

    /// Energy of the spring before the step [J].
    #[must_use]
    pub fn before(&self) -> f64 {
        0.5 * self.softness * self.held * self.held
    }
}

impl<R: Real> Damper<R> {
    /// Energy of the spring at the end of a step with this normal impulse [J].
    ///
    /// A contact that carries nothing has none: its spring relaxes against the dashpot.
    #[inline(always)]
    pub(super) fn energy(&self, r_n: R) -> R {
        let zero = r_n.splat(0.0);
        let spring = self.share * (r_n - self.held) + self.held;
        let energy = self.softness * spring * spring * r_n.splat(0.5);
        R::select(r_n.equals(zero), zero, energy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rebound of a pair of unit mass at the step x = Δt √k, from a gap of `phase` steps.
    fn rebound(restitution: f64, x: f64, phase: f64) -> f64 {
        let damping = Damping::of(restitution);
        let (mut gap, mut u) = (phase, -1.0);
        for _ in 0..1_000_000 {
            let damped = Damper::open(&damping, gap, 1.0, 1.0 / (x * x)).unwrap();
            let r = f64::max(0.0, -(u + damped.closing_speed) / (1.0 + damped.softness));
            u += r;
            gap += u;
            if u > 0.0 && r == 0.0 {
                break;
            }
        }
        u
    }

    /// Schwager and Pöschel, Granular Matter 9, 465 (2007): the force is never attractive.
    ///
    /// e = exp(−2) at critical damping; ζ = 1/2 gives exp(−2π/(3√3)).
    #[test]
    fn damping_ratios_give_the_restitution() {
        let at = |restitution: f64| Damping::of(restitution).ratio();
        assert!((at(libm::exp(-2.0)) - 1.0).abs() < 1e-6);
        let half = libm::exp(-2.0 * std::f64::consts::PI / (3.0 * 3f64.sqrt()));
        assert!((at(half) - 0.5).abs() < 1e-14);
        assert_eq!(at(1.0), LEAST);
        // Overdamped: an independent integration of the motion in small steps.
        for ratio in [0.2, 1.7] {
            let (mut depth, mut v, dt) = (0.0, 1.0, 1e-6);
            while depth + 2.0 * ratio * v > 0.0 {
                v -= (depth + 2.0 * ratio * v) * dt;
                depth += v * dt;
            }
            assert!((at(-v) - ratio).abs() < 1e-4, "{ratio}");
        }
    }

    /// The rebound at ten to a thousand steps a collision, wherever in a step it begins.
    ///
    /// The start and the end of a collision within a step cost x²/4 of its energy each, so x²/8 of
    /// the speed. They are known to half a step, in which damping takes ζx of the speed.
    #[test]
    fn the_rebound_hardly_depends_on_the_step() {
        for e in [1.0, 0.99, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05] {
            let ratio = Damping::of(e).ratio();
            for x in [0.3, 0.1, 0.03, 0.003] {
                for k in 0..20 {
                    let phase = (f64::from(k) + 0.5) / 20.0;
                    let off = rebound(e, x, phase) - e;
                    let allowed = 0.13 * x * x + ratio * x * e;
                    assert!(off.abs() <= allowed, "e {e}, x {x}: off by {off}");
                }
            }
        }
    }

    #[test]
    fn long_steps_have_no_dashpot() {
        let damping = Damping::of(0.5);
        assert!(Damper::open(&damping, 0.0, 1.0, 1.0 / 0.0899).is_some());
        assert!(Damper::open(&damping, 0.0, 1.0, 1.0 / 0.0901).is_none());
        assert!(Damper::open(&damping, 0.0, f64::NAN, 1.0).is_none());
    }
}
