//! Restitution of a contact by Hertz's law: a dashpot that does not depend on the speed.
//!
//! With `K = (4/3) E* √R*` and the reduced mass m the contact pushes with
//!
//! ```text
//! F = K δ^{3/2} + c(δ) δ̇,   c = √5 ζ √(K m) δ^{1/4}
//! ```
//!
//! and never pulls: Tsuji, Tanaka and Ishida, Powder Technology 71, 239 (1992). In the variable
//! `ξ = δ^{5/4}` and the time `dτ = δ^{1/4} dt` this is the linear oscillator of the damping ratio
//! ζ (Antypov and Elliott, EPL 94, 50004, 2011), and `F = 0` is its end of contact. So ζ follows
//! from the restitution as in [`Damping`], at any speed.
//!
//! Steps that resolve a collision take the spring at the start of the step and the dashpot at its
//! end: `r = Q s^{3/2} − A u`, `s = δ/Δt` [m/s]. Without damping this costs a collision x²/8 of its
//! speed at most. The motion's area shrinks by `exp(−c Δt/m)` in a step, so
//! `A = m (exp(c Δt/m) − 1)`, and `c Δt/m = 2 ζ √(5/6) x` with `x = Δt √(k/m)` of the tangent
//! stiffness `k = (3/2) K √δ`. It is that of the overlap in the middle of the step, at the speed
//! before it. At rest the force is Hertz's. Where this overlap is zero, the contact is Hertz's
//! alone, which stops whatever else closes it within the step.
//!
//! Whether steps resolve it depends on the speed: x of the deepest overlap, to which the energy of
//! motion and spring leads, must be small ([`Damping::resolves`]). Overlap and speed are known half
//! a step apart, so the energy is known to x/8 of it only: a contact that pressed before is
//! resolved a little beyond that.

use super::super::coulomb::Coulomb;
use super::super::damper::{Damped, Damper, Damping};
use super::Hertz;
use crate::math::real::{Real, Three};

/// The limit of x, over that of a new contact, for a contact that pressed before.
const KEPT: f64 = 1.1;

/// The least y [√(m/s)]: a spring across the normal divides by it.
const LEAST: f64 = 1e-9;

impl<R: Real> Hertz<R> {
    /// The normal impulse of a contact with a dashpot, and y at the end of the step.
    ///
    /// Both follow from the present normal velocity and impulse.
    #[inline(always)]
    pub(in super::super) fn damped(
        &self,
        damper: &Damper<R>,
        law: &Coulomb<R>,
        [u_n, r_n]: [R; 2],
    ) -> [R; 2] {
        let zero = r_n.splat(0.0);
        let speed = u_n + law.closing_speed + damper.yielding() * r_n;
        let overlaps = self.before.greater(zero);
        let gap = R::select(overlaps, -(self.before * self.before), law.closing_speed);
        [r_n - law.normal_mass * speed, height(-(u_n + gap))]
    }

    /// Energy of a contact with a dashpot at the end of the step [J]: `(2/5) Q y⁵` and
    /// `γ_t |R_t|²/2`.
    ///
    /// A contact that carries nothing has none: its spring relaxes against the dashpot.
    #[inline(always)]
    pub(in super::super) fn damped_energy(&self, damper: &Damper<R>, r: &Three<R>, r_n: R) -> R {
        let zero = r_n.splat(0.0);
        let overlap = self.before * self.before + damper.yielding() * (r_n - damper.held);
        let y = height(overlap);
        let open = overlap.at_most(zero);
        let sheared = R::select(open, zero, self.sheared(y, r, r_n));
        R::select(r_n.equals(zero), zero, self.normal(y) + sheared)
    }

    /// `(2/5) Q y⁵`.
    #[inline(always)]
    fn normal(&self, y: R) -> R {
        y.splat(0.4) * self.normal * y * y * y * y * y
    }
}

impl<R: Real> Damper<R> {
    /// `1/A` [1/kg].
    #[inline(always)]
    pub(in super::super) fn yielding(&self) -> R {
        self.share * self.softness
    }
}

/// y of an overlap over Δt [m/s].
#[inline(always)]
fn height<R: Real>(s: R) -> R {
    let least = s.splat(LEAST * LEAST);
    R::select(s.less(least), least, s).sqrt()
}

impl Damping {
    /// The largest speed of a collision by Hertz's law for which it has a dashpot [m/s].
    ///
    /// `stiffness` is `K = F/δ^{3/2}` [N/m^{3/2}], `mass` the reduced mass [kg], `dt` the step [s].
    #[must_use]
    pub fn fastest(stiffness: f64, mass: f64, dt: f64) -> f64 {
        // x² = (3/2) K √δ Δt²/m at the deepest overlap, m v² = (4/5) K δ^{5/2}.
        let height = Self::RESOLVED * Self::RESOLVED * mass / (1.5 * stiffness * dt * dt);
        (0.8 * stiffness / mass).sqrt() * height * height * height.sqrt()
    }
}

impl Hertz<f64> {
    /// The dashpot of a contact of reduced mass m [kg].
    ///
    /// It follows from the gap over Δt and the normal velocity before the step [m/s]. `None`: the
    /// step is too long for it, or bodies that keep their velocities do not touch in it.
    /// `pressed`: it carried an impulse in the last step.
    pub(in super::super) fn dashpot(
        &mut self,
        damping: &Damping,
        [closing, speed]: [f64; 2],
        mass: f64,
        pressed: bool,
    ) -> Option<Damped> {
        let q = self.normal;
        let step = |s: f64| (1.5 * q * s.sqrt() / mass).sqrt();
        // A NaN stays, and then no step is short enough.
        let now = if closing > 0.0 { 0.0 } else { -closing };
        let held = q * now * now.sqrt();
        let energy = 0.5 * mass * speed * speed + 0.4 * held * now;
        let longest = step(libm::pow(2.5 * energy / q, 0.4));
        let limit = if pressed { KEPT } else { 1.0 };
        let middle = 0.5 * (now + f64::max(-closing - speed, 0.0));
        if !Damping::resolves(longest / limit) || middle == 0.0 {
            return None;
        }
        let x = step(middle);
        let resistance = damping.resistance((5.0 / 6.0_f64).sqrt() * x);
        self.before = now.sqrt();
        if now == 0.0 {
            // Without an overlap there is not a spring across the normal either.
            self.previous = [0.0; 3];
        }
        let softness = 1.0 / (resistance * mass);
        Some(Damped {
            damper: Damper {
                share: x * x / resistance,
                held,
                softness: 1.0 / (x * x * mass),
            },
            softness,
            closing_speed: match closing > 0.0 {
                true => closing,
                false => -held * softness,
            },
        })
    }

    /// Energy of the springs at this gap over Δt [m/s], with this impulse [J].
    pub(in super::super) fn energy_at(&self, closing: f64, r: &Three<f64>, r_n: f64) -> f64 {
        if closing >= 0.0 {
            return 0.0;
        }
        let y = (-closing).sqrt();
        self.normal(y) + self.sheared(y, r, r_n)
    }

    /// Energy of the spring along the normal before the step [J].
    #[must_use]
    pub fn kept(&self) -> f64 {
        self.normal(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Elasticity;
    use crate::math::Vector3;

    /// The share of its speed with which a ball of 1 kg rebounds from a wall.
    ///
    /// It starts at a gap of `phase` steps; x is that of the deepest overlap without damping.
    fn rebound(restitution: f64, x: f64, speed: f64, phase: f64) -> f64 {
        let elasticity = Elasticity::of([[1e-6, 0.25], [0.0, 0.0]]).unwrap();
        let stiffness = elasticity.normal(1.0);
        // m v² = (4/5) K δ^{5/2}, x² = (3/2) K √δ Δt²/m.
        let deepest = (1.25 * speed * speed / stiffness).powf(0.4);
        let dt = x / (1.5 * stiffness * deepest.sqrt()).sqrt();
        let (damping, zero) = (Damping::of(restitution), Vector3::zeros());
        let (mut gap, mut u) = (phase * speed * dt, -speed);
        let mut r = 0.0;
        for _ in 0..1_000_000 {
            let last = (&zero, &Vector3::z());
            let mut hertz = Hertz::open(&elasticity, [1.0, f64::INFINITY], dt, last);
            let Some(damped) = hertz.dashpot(&damping, [gap / dt, u], 1.0, r > 0.0) else {
                assert!(
                    u > 0.0 && gap + u * dt >= 0.0,
                    "it presses without a dashpot"
                );
                break;
            };
            let force = -(u + damped.closing_speed) / (1.0 + damped.softness);
            r = f64::max(0.0, force);
            u += r;
            gap += u * dt;
            if u > 0.0 && r == 0.0 {
                break;
            }
        }
        u / speed
    }

    /// The rebound at thirteen to a thousand steps a collision, at any speed, wherever in a step it
    /// begins.
    ///
    /// Its start and end are known to a step, in which the dashpot takes at most `2 ζ √(5/6) x` of
    /// the speed; they cost x²/8 of it without damping, as with linear springs. As half a step is
    /// corrected, at most a quarter is left where the damping ratio is not cut, for e ≥ 0.4. The
    /// error falls with the first order of the step.
    #[test]
    fn the_rebound_depends_neither_on_the_step_nor_on_the_speed() {
        for e in [1.0, 0.99, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05] {
            let ratio = Damping::of(e).ratio();
            let off = |x: f64, speed: f64, phase: f64| (rebound(e, x, speed, phase) - e).abs();
            let part = if e >= 0.4 { 0.25 } else { 1.0 };
            for x in [0.2999, 0.1, 0.03, 0.003] {
                for (k, speed) in (0..20).zip([1.0, 0.01].into_iter().cycle()) {
                    let off = off(x, speed, (f64::from(k) + 0.5) / 20.0);
                    let damped = 2.0 * (5.0 / 6.0_f64).sqrt() * ratio * x * e;
                    let allowed = 0.13 * x * x + part * damped;
                    assert!(off <= allowed, "e {e}, x {x}: off by {off}");
                }
            }
            if (0.1..0.95).contains(&e) {
                let order = off(0.03, 1.0, 0.5) / off(0.003, 1.0, 0.5);
                assert!((order / 10.0 - 1.0).abs() < 0.3, "e {e}: {order}");
            }
        }
    }

    /// The speed does not matter: in steps that are as long for the overlap, rebounds are equal.
    #[test]
    fn rebounds_scale_with_the_speed() {
        let [slow, fast] = [1e-3, 10.0].map(|speed| rebound(0.6, 0.1, speed, 0.5));
        assert!((slow - fast).abs() < 1e-9, "{slow} {fast}");
    }

    #[test]
    fn only_steps_that_resolve_the_deepest_overlap_have_a_dashpot() {
        let elasticity = Elasticity::of([[1e-6, 0.25], [0.0, 0.0]]).unwrap();
        let (damping, zero, dt) = (Damping::of(0.5), Vector3::zeros(), 1e-3);
        let stiffness = elasticity.normal(1.0);
        // x = 0.3 at this overlap.
        let deepest = (0.09 / (1.5 * stiffness * dt * dt)).powi(2);
        let fastest = Damping::fastest(stiffness, 1.0, dt);
        assert!((fastest / (0.8 * stiffness * deepest.powf(2.5)).sqrt() - 1.0).abs() < 1e-12);
        let is_there = |gap: f64, speed: f64, pressed: bool| {
            let last = (&zero, &Vector3::z());
            let mut hertz = Hertz::open(&elasticity, [1.0, f64::INFINITY], dt, last);
            (hertz.dashpot(&damping, [gap / dt, speed], 1.0, pressed)).is_some()
        };
        let there = |gap: f64, speed: f64| is_there(gap, speed, false);
        assert!(there(0.0, -0.999 * fastest) && !there(0.0, -1.001 * fastest));
        assert!(there(-0.999 * deepest, 0.0) && !there(-1.001 * deepest, 0.0));
        // One that pressed keeps it a little longer, one that nothing closes has none.
        assert!(is_there(-1.4 * deepest, 0.0, true) && !is_there(-1.5 * deepest, 0.0, true));
        assert!(!there(1e-9, 0.0) && !there(0.0, 0.0) && !there(0.0, 0.1));
        assert!(!there(f64::NAN, 0.0) && !there(0.0, f64::NAN));
    }
}
