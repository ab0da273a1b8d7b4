//! Contacts of elastic spheres: Hertz's law along the normal, Mindlin's across it, implicit.
//!
//! With the overlap δ [m] and the reduced radius R*, `F_n = (4/3) E* √R* δ^{3/2}`, and across the
//! normal `k_t = 8 G* √(R* δ)`, where `1/E* = Σ (1 − ν²)/E` and `1/G* = Σ 2 (2 − ν)(1 + ν)/E` over
//! the two sides.
//!
//! The overlap at the end of a step is `δ = −Δt (u_n + b_n)`, `b_n = g/Δt`. Let `δ = Δt y²`. The
//! impulse is `R_n = Q y³`, `Q = (4/3) E* √R* Δt^{5/2}`, and with all other impulses kept
//!
//! ```text
//! (Q/m) y³ + y² + f = 0,   f = u_n + b_n − r_n/m
//! ```
//!
//! has one root y > 0 if f < 0; else the contact is open. The left side is convex and grows, so
//! Newton's method from a bound above the root falls to it.
//!
//! Across the normal the spring takes `γ_t = 1/(T y)`, `T = 8 G* √R* Δt^{5/2}`, at the y of the end
//! of the step: `u_t + γ_t (R_t − R_t,before) = 0`. Where the normal force fell, `R_t,before` is
//! scaled by the ratio of the two y, as the surfaces that part take their share with them: without
//! it, a load that falls at a constant tangential force would create energy.
//!
//! [`dashpot`] adds restitution.

mod dashpot;

use super::numbers::{Numbers, Part};
use crate::math::Vector3;
use crate::math::real::{Real, Three, add, dot, scaled, sub};

/// Newton steps for the cubic: from a start above the root by at most a third.
const STEPS: usize = 7;

/// The elasticity of two materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// `E*` [Pa].
    pub modulus: f64,
    /// `G*` [Pa].
    pub shear: f64,
}

impl Elasticity {
    /// That of two sides: `1/E` [1/Pa] and ν of each. `None`: both are rigid.
    #[must_use]
    pub fn of(sides: [[f64; 2]; 2]) -> Option<Self> {
        let [mut normal, mut across] = [0.0; 2];
        for [inverse_young, poisson] in sides {
            normal += (1.0 - poisson * poisson) * inverse_young;
            across += 2.0 * (2.0 - poisson) * (1.0 + poisson) * inverse_young;
        }
        (normal > 0.0).then(|| Self {
            modulus: 1.0 / normal,
            shear: 1.0 / across,
        })
    }

    /// `F_n/δ^{3/2}` [N/m^{3/2}] for a reduced radius [m].
    #[must_use]
    pub fn normal(&self, reduced_radius: f64) -> f64 {
        4.0 / 3.0 * self.modulus * reduced_radius.sqrt()
    }
}

/// A Hertz–Mindlin contact. The masses of its law do not include its springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hertz<R> {
    /// Q [kg √(s/m)].
    pub normal: R,
    /// T, likewise.
    pub tangential: R,
    /// Tangential impulse of the last step, in the present tangent plane [N s].
    pub previous: Three<R>,
    /// y of the last step [√(m/s)].
    pub before: R,
}

impl<R: Copy> Part<R> for Hertz<R> {
    const NUMBERS: usize = 6;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            normal: from.number(at),
            tangential: from.number(at + 1),
            previous: from.three(at + 2),
            before: from.number(at + 5),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        put(self.normal);
        put(self.tangential);
        self.previous.into_iter().for_each(&mut *put);
        put(self.before);
    }

    fn neutral(k: usize) -> f64 {
        // 1 for Q and T, which are divisors.
        f64::from(u8::from(k < 2))
    }
}

/// The spring across the normal within a step.
pub(super) struct Across<R> {
    /// Relative velocity with the spring's term [m/s].
    pub slip: Three<R>,
    /// Reduced tangential mass with the spring's term [kg].
    pub mass: R,
}

impl<R: Real> Hertz<R> {
    /// The normal impulse for `f` [m/s] and the mass m, and y; `−m f` and 1 where it is open.
    #[inline(always)]
    pub(super) fn pressed(&self, free: R, mass: R) -> [R; 2] {
        let (zero, one) = (free.splat(0.0), free.splat(1.0));
        let closed = free.less(zero);
        let y = root(self.normal / mass, R::select(closed, -free, one));
        let pushed = self.normal * y * y * y;
        [
            R::select(closed, pushed, -(mass * free)),
            R::select(closed, y, one),
        ]
    }

    /// The spring across the normal at y; `slip` is the relative velocity, `mass` is m_t.
    #[inline(always)]
    pub(super) fn across(
        &self,
        y: R,
        slip: &Three<R>,
        tangential: &Three<R>,
        mass: R,
    ) -> Across<R> {
        let one = y.splat(1.0);
        let share = R::select(y.less(self.before), y / self.before, one);
        let gamma = one / (self.tangential * y);
        let stretch = sub(tangential, &scaled(&self.previous, share));
        Across {
            slip: add(slip, &scaled(&stretch, gamma)),
            mass: one / (one / mass + gamma),
        }
    }

    /// Energy at the end of the step [J]: `(2/5) R_n y²` and `γ_t |R_t|²/2`.
    #[inline(always)]
    pub(super) fn energy(&self, r: &Three<R>, r_n: R) -> R {
        let (zero, one) = (r_n.splat(0.0), r_n.splat(1.0));
        let closed = r_n.greater(zero);
        let y = cube_root(R::select(closed, r_n, one) / self.normal);
        let normal = r_n.splat(0.4) * r_n * y * y;
        let energy = normal + self.sheared(y, r, r_n);
        R::select(closed, energy, r_n * zero)
    }

    /// Energy of the spring across the normal at y [J].
    #[inline(always)]
    fn sheared(&self, y: R, r: &Three<R>, r_n: R) -> R {
        (dot(r, r) - r_n * r_n) * r_n.splat(0.5) / (self.tangential * y)
    }
}

impl Hertz<f64> {
    /// The law of a contact in a step; `impulse` is that of the last step, n the normal.
    pub(super) fn open(
        elasticity: &Elasticity,
        [a, b]: [f64; 2],
        dt: f64,
        (impulse, n): (&Vector3, &Vector3),
    ) -> Self {
        let reduced = if b.is_finite() { a * b / (a + b) } else { a };
        let time = dt * dt * dt.sqrt();
        let normal = elasticity.normal(reduced) * time;
        let pressed = impulse.dot(n);
        Self {
            normal,
            tangential: 8.0 * elasticity.shear * reduced.sqrt() * time,
            previous: (impulse - n * pressed).into(),
            before: match pressed > 0.0 {
                true => cube_root(pressed / normal),
                false => 0.0,
            },
        }
    }

    /// Energy of a contact at the closing speed `g/Δt` of an overlap [J].
    #[must_use]
    pub fn compressed(&self, closing: f64) -> f64 {
        0.4 * self.normal * closing * closing * (-closing).sqrt()
    }
}

/// The root of `q y³ + y² = c` for q ≥ 0 and c > 0.
#[inline(always)]
fn root<R: Real>(q: R, c: R) -> R {
    let (one, two, three) = (q.splat(1.0), q.splat(2.0), q.splat(3.0));
    // With y = √c x: κ x³ + x² = 1, so x is below 1 and below the cube root of 1/κ.
    let top = c.sqrt();
    let kappa = q * top;
    let steep = kappa.greater(one);
    let mut x = R::select(steep, above_root(R::select(steep, one / kappa, one)), one);
    for _ in 0..STEPS {
        let value = (kappa * x + one) * x * x - one;
        x = x - value / ((three * kappa * x + two) * x);
    }
    top * x
}

/// A number above the cube root of x in (0, 1], by less than a third.
///
/// The exponents 1/4 + 1/16 + 1/64 + 1/256 sum up to nearly 1/3.
#[inline(always)]
fn above_root<R: Real>(x: R) -> R {
    let mut power = x;
    let mut product = x.splat(1.0);
    for _ in 0..4 {
        power = power.sqrt().sqrt();
        product = product * power;
    }
    product
}

/// The cube root of x > 0.
#[inline(always)]
pub(super) fn cube_root<R: Real>(x: R) -> R {
    let (one, two, three) = (x.splat(1.0), x.splat(2.0), x.splat(3.0));
    let small = x.less(one);
    let inside = R::select(small, x, one / x);
    let mut y = above_root(inside);
    for _ in 0..STEPS {
        y = (two * y + inside / (y * y)) / three;
    }
    R::select(small, y, one / y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn roots_solve_their_equations() {
        let mut draw = Stream::new(Purpose::Trial, 71, [0; 3]);
        for _ in 0..20_000 {
            let [x, q, c] = [0; 3].map(|_| libm::pow(10.0, draw.between(-20.0, 20.0)));
            let y = cube_root(x);
            assert!((y / libm::cbrt(x) - 1.0).abs() < 1e-15, "{x}: {y}");
            let y = root(q, c);
            let off = (q * y * y * y + y * y) / c - 1.0;
            assert!(off.abs() < 2e-15, "q {q}, c {c}: {off}");
        }
        // Johnson, Contact Mechanics (1985), § 4.2: two equal spheres have R* = r/2 and
        // E* = E/(2 (1 − ν²)).
        let same = Elasticity::of([[1.0 / 7e10, 0.25]; 2]).unwrap();
        assert!((same.modulus / (7e10 / (2.0 * (1.0 - 0.0625))) - 1.0).abs() < 1e-15);
        // k_t/k_n = 2 (1 − ν)/(2 − ν), with k_n = 2 E* √(R* δ): Mindlin (1949).
        let ratio = 8.0 * same.shear / (2.0 * same.modulus);
        assert!((ratio - 2.0 * 0.75 / 1.75).abs() < 1e-15);
        assert_eq!(Elasticity::of([[0.0, 0.3]; 2]), None);
    }

    /// The impulse satisfies Hertz's law at the gap that the step ends with; open contacts have
    /// none.
    #[test]
    fn the_impulse_is_that_of_the_overlap_at_the_end() {
        let elasticity = Elasticity::of([[1.0 / 3e7, 0.3], [0.0, 0.0]]).unwrap();
        let (dt, mass, radius) = (1e-4, 0.02, 0.013);
        let zero = Vector3::zeros();
        let hertz = Hertz::open(
            &elasticity,
            [radius, f64::INFINITY],
            dt,
            (&zero, &Vector3::z()),
        );
        for [gap, speed] in [[1e-6, -0.1], [-1e-6, 0.005], [-2e-5, -3.0], [0.0, -1e-9]] {
            let free = speed + gap / dt;
            let [r, _] = hertz.pressed(free, mass);
            let after = gap + dt * (speed + r / mass);
            let modulus = 3e7 / (1.0 - 0.09);
            let force = 4.0 / 3.0 * modulus * radius.sqrt() * (-after).powf(1.5);
            assert!((r / (force * dt) - 1.0).abs() < 1e-9, "{gap} {speed}: {r}");
            let energy = 0.4 * force * -after;
            let found = hertz.energy(&[0.0, 0.0, r], r);
            assert!((found / energy - 1.0).abs() < 1e-9, "{found}");
        }
        assert!(hertz.pressed(0.3, mass)[0] < 0.0);
        assert!(hertz.pressed(f64::NAN, mass)[0].is_nan());
        assert!(hertz.energy(&[0.0, 0.0, f64::NAN], f64::NAN).is_nan());
    }
}
