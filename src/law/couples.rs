//! Rolling and torsion friction [001 §1.7]: couples at a contact, bounded by the normal force.
//!
//! For spheres the 6×6 reduced mass matrix of [001 §1.7] splits into three blocks. Let n point from
//! the first body to the second, r and τ be the impulse and the couple impulse on the second, `u`
//! the relative velocity, `Ω = ω_2 − ω_1`, `W = n × Ω_t`, `s = n × τ_t`:
//!
//! - normal: `Δu_n = r_n/m_n`; torsion: `ΔΩ_n = τ_n/I*` with `1/I* = 1/I_1 + 1/I_2`;
//! - tangential: `Δu_t = A₁₁ r_t + β s`, `ΔW = β r_t + A₂₂ s` with `A₁₁ = 1/m_t`, `A₂₂ = 1/I*`,
//!   `β = l_2/I_2 − l_1/I_1`.
//!
//! So the normal part is solved first, and bounds the others. The law demands `|r_t| ≤ R₁`,
//! `|s| ≤ R₂`, u = 0 where r is inside its disc and u opposite to r where r is on the rim, and the
//! same of W and s. This is the unique minimum of a convex function over two discs. Relaxing the
//! two in turn is slow where spheres just begin to roll (a factor 0.71 per pass), so the four cases
//! are solved directly.

use super::numbers::{Numbers, Part};
use super::pair::Pair;
use super::pivot::Pivot;
use super::touching::Sides;
use crate::math::real::{Mask, Real, Three, add, clamped, cross, dot, length, scaled, select, sub};

/// Rolling and torsion friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Couples<R> {
    /// `μ_t` [m].
    pub rolling: R,
    /// `μ_n` [m].
    pub torsion: R,
    /// `I*` [kg m²].
    pub turning_mass: R,
    /// β [1/(kg m)].
    pub coupling: R,
    /// Inverse levers of the two bodies [1/m]; 0 for bodies that do not rotate. They turn spins
    /// `s = l ω` into angular velocities.
    pub inverse_lever: [R; 2],
}

impl<R: Copy> Part<R> for Couples<R> {
    const NUMBERS: usize = 6;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        Self {
            rolling: from.number(at),
            torsion: from.number(at + 1),
            turning_mass: from.number(at + 2),
            coupling: from.number(at + 3),
            inverse_lever: [from.number(at + 4), from.number(at + 5)],
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        put(self.rolling);
        put(self.torsion);
        put(self.turning_mass);
        put(self.coupling);
        self.inverse_lever.into_iter().for_each(put);
    }

    fn neutral(k: usize) -> f64 {
        // 1 for the turning mass, which is a divisor.
        f64::from(u8::from(k == 2))
    }
}

/// The tangential problem of a contact, with the normal impulse known.
pub(super) struct Tangent<R: Real> {
    /// Unit normal.
    pub n: Three<R>,
    /// Present tangential impulse of the contact [N s].
    pub tangential: Three<R>,
    /// Tangential relative velocity, with the springs' term [m/s].
    pub slip: Three<R>,
    /// `m_t` [kg].
    pub mass: R,
    /// Bound of the tangential impulse [N s].
    pub bound: R,
    /// Normal impulse that bounds the couples [N s].
    pub pressed: R,
    /// Contacts that are open and need no answer.
    pub open: R::Mask,
}

impl Couples<f64> {
    /// Rolling and torsion friction of a contact between two bodies with these radii [m].
    ///
    /// `None` where the pair has neither coefficient, or neither body rotates.
    #[inline(always)]
    pub(super) fn open(pair: &Pair, [a, b]: [f64; 2], sides: &impl Sides) -> Option<Self> {
        if pair.rolling.is_none() && pair.torsion.is_none() {
            return None;
        }
        let ([turning_mass, coupling], inverse_lever) = sides.turning()?;
        // The reduced radius; for a body and a wall, the radius of the body.
        let reduced = if b.is_finite() { a * b / (a + b) } else { a };
        let (rolling, torsion) = (pair.rolling.length(reduced), pair.torsion.length(reduced));
        (rolling > 0.0 || torsion > 0.0).then_some(Self {
            rolling,
            torsion,
            turning_mass,
            coupling,
            inverse_lever,
        })
    }
}

impl<R: Real> Couples<R> {
    /// Relative angular velocity `ω_2 − ω_1` [rad/s] [001 eq. 1.38] of bodies with these spins
    /// `s = l ω` [m/s].
    #[inline(always)]
    pub fn relative_spin(&self, [a, b]: [&Three<R>; 2]) -> Three<R> {
        let [of_a, of_b] = self.inverse_lever;
        sub(&scaled(b, of_b), &scaled(a, of_a))
    }

    /// Solves friction and couples together: tangential impulse and couple impulse.
    ///
    /// `couple` is the contact's present couple impulse, `pivot` its springs. The caller still has
    /// to clamp the tangential impulse to its disc where rolling friction does not couple it.
    #[inline(always)]
    pub(super) fn answer(
        &self,
        tangent: &Tangent<R>,
        pivot: Option<&Pivot<R>>,
        couple: &Three<R>,
        spin: &Three<R>,
    ) -> (Three<R>, Three<R>) {
        let Tangent { n, slip: u, .. } = tangent;
        let (zero, one) = (self.rolling.splat(0.0), self.rolling.splat(1.0));
        let (r, t, mut w) = (&tangent.tangential, cross(n, couple), cross(n, spin));
        let (mut inertia, mut yielding) = (self.turning_mass, one / self.turning_mass);
        let (mut about_mass, mut turning) = (self.turning_mass, dot(spin, n));
        if let Some(pivot) = pivot {
            let [bending, twisting] = pivot.softness;
            (w, turning) = pivot.strained(n, couple, spin);
            about_mass = one / (yielding + twisting);
            yielding = yielding + bending;
            inertia = one / yielding;
        }
        let plane = Plane {
            matrix: [one / tangent.mass, self.coupling, yielding],
            masses: [tangent.mass, inertia],
            present: [*u, w],
            bounds: [tangent.bound, self.rolling * tangent.pressed],
            normal: *n,
        };
        // Without rolling friction the tangential impulse is uncoupled.
        let alone = self.rolling.equals(zero);
        let [mut new_r, mut new_s] = plane.solve(r, &t, alone.or(tangent.open).not());
        let free = sub(r, &scaled(u, tangent.mass));
        new_r = select(alone, &free, &new_r);
        new_s = select(alone, &[zero; 3], &new_s);
        // Torsion.
        let about = about_mass * turning;
        let wanted = dot(couple, n) - about;
        let bound = self.torsion * tangent.pressed;
        // Neither `clamp` nor `min`: they would swallow a NaN.
        let low = R::select(wanted.less(-bound), -bound, wanted);
        let held = R::select(wanted.greater(bound), bound, low);
        let about = R::select(self.torsion.equals(zero), zero, held);
        let turned = cross(n, &new_s);
        let along = scaled(n, about);
        (new_r, add(&[-turned[0], -turned[1], -turned[2]], &along))
    }
}

/// The coupled tangential problem at the present values r, s.
pub(super) struct Plane<R> {
    /// `A₁₁`, β, `A₂₂`.
    pub matrix: [R; 3],
    /// `1/A₁₁` and `1/A₂₂`.
    pub masses: [R; 2],
    /// u and W at the present r and s.
    pub present: [Three<R>; 2],
    /// Bounds `R₁`, `R₂`.
    pub bounds: [R; 2],
    /// The normal, about which tangential vectors turn.
    pub normal: Three<R>,
}

/// Passes after which the present value is accepted; Newton's method needs a handful.
const PASSES: usize = 200;

impl<R: Real> Plane<R> {
    /// The new r and s; undefined in lanes outside `wanted`.
    #[inline(always)]
    pub(super) fn solve(&self, r: &Three<R>, s: &Three<R>, wanted: R::Mask) -> [Three<R>; 2] {
        let [_, beta, _] = self.matrix;
        let [mass, inertia] = self.masses;
        let [u, w] = &self.present;
        let [bound_r, bound_s] = self.bounds;
        // Lanes without coupling.
        let mut new_r = clamped(&sub(r, &scaled(u, mass)), bound_r);
        let mut new_s = clamped(&sub(s, &scaled(w, inertia)), bound_s);
        let left = wanted.and(beta.equals(beta.splat(0.0)).not());
        if left.any() {
            let [with_r, with_s] = self.coupled(r, s, left);
            new_r = select(left, &with_r, &new_r);
            new_s = select(left, &with_s, &new_s);
        }
        [new_r, new_s]
    }

    /// Both parts stick: `A [Δr; Δs] = −[u; W]`.
    #[inline(always)]
    pub(super) fn both_stick(&self, r: &Three<R>, s: &Three<R>) -> [Three<R>; 2] {
        let [a, beta, c] = self.matrix;
        let [u, w] = &self.present;
        let inverse_det = a.splat(1.0) / (a * c - beta * beta);
        let of_r = sub(&scaled(u, c), &scaled(w, beta));
        let of_s = sub(&scaled(w, a), &scaled(u, beta));
        [
            sub(r, &scaled(&of_r, inverse_det)),
            sub(s, &scaled(&of_s, inverse_det)),
        ]
    }

    /// The four cases, in the lanes of `left`.
    #[inline(always)]
    fn coupled(&self, r: &Three<R>, s: &Three<R>, mut left: R::Mask) -> [Three<R>; 2] {
        let [a, beta, c] = self.matrix;
        let [mass, inertia] = self.masses;
        let [u, w] = &self.present;
        let [bound_r, bound_s] = self.bounds;
        let beta2 = beta * beta;
        let both = self.both_stick(r, s);
        let [mut new_r, mut new_s] = both;
        let fits = within(&both[0], bound_r).and(within(&both[1], bound_s));
        left = left.and(fits.not());
        if !left.any() {
            return both;
        }
        // Constant parts: u = b_u + A₁₁ r + β s, W = b_W + β r + A₂₂ s.
        let b_u = sub(&sub(u, &scaled(r, a)), &scaled(s, beta));
        let b_w = sub(&sub(w, &scaled(r, beta)), &scaled(s, c));
        // One part sticks, the other slips: first rolling slips, then sliding does.
        let constant = sub(&b_w, &scaled(&b_u, beta * mass));
        let (rolls, beyond) = on_rim(&constant, c - beta2 * mass, bound_s);
        let sticks = stuck(&b_u, &rolls, beta, mass);
        let fits = beyond.and(within(&sticks, bound_r));
        let these = left.and(fits);
        new_r = select(these, &sticks, &new_r);
        new_s = select(these, &rolls, &new_s);
        left = left.and(fits.not());
        let constant = sub(&b_u, &scaled(&b_w, beta * inertia));
        let (slides, beyond) = on_rim(&constant, a - beta2 * inertia, bound_r);
        let sticks = stuck(&b_w, &slides, beta, inertia);
        let fits = beyond.and(within(&sticks, bound_s));
        let these = left.and(fits);
        new_r = select(these, &slides, &new_r);
        new_s = select(these, &sticks, &new_s);
        left = left.and(fits.not());
        if left.any() {
            let start = [clamped(&both[0], bound_r), clamped(&both[1], bound_s)];
            let [slip_r, slip_s] = self.both_slip(&b_u, &b_w, start, left);
            new_r = select(left, &slip_r, &new_r);
            new_s = select(left, &slip_s, &new_s);
        }
        [new_r, new_s]
    }

    /// Both parts on their rims: finds the angles at which neither has a velocity along its rim.
    ///
    /// Newton's method solves for the two angles where the function is convex in them; elsewhere
    /// the discs are relaxed in turn.
    #[inline(always)]
    fn both_slip(
        &self,
        b_u: &Three<R>,
        b_w: &Three<R>,
        start: [Three<R>; 2],
        mut left: R::Mask,
    ) -> [Three<R>; 2] {
        let beta = self.matrix[1];
        let [mass, inertia] = self.masses;
        let [bound_r, bound_s] = self.bounds;
        let [zero, half, rounding] = [beta.splat(0.0), beta.splat(0.5), beta.splat(1e-15)];
        let [mut r, mut s] = start;
        for _ in 0..PASSES {
            let free = clamped(&stuck(b_u, &s, beta, mass), bound_r);
            r = select(left, &free, &r);
            let free = clamped(&stuck(b_w, &r, beta, inertia), bound_s);
            s = select(left, &free, &s);
            let on_r = add(b_u, &scaled(&s, beta));
            let on_s = add(b_w, &scaled(&r, beta));
            let (p, q) = (cross(&self.normal, &r), cross(&self.normal, &s));
            let (g_r, g_s) = (dot(&p, &on_r), dot(&q, &on_s));
            let (h_rr, h_ss) = (-dot(&r, &on_r), -dot(&s, &on_s));
            let h_rs = beta * dot(&r, &s);
            let small_r = g_r.abs().at_most(rounding * h_rr.abs());
            let small_s = g_s.abs().at_most(rounding * h_ss.abs());
            left = left.and(small_r.and(small_s).not());
            if !left.any() {
                break;
            }
            let det = h_rr * h_ss - h_rs * h_rs;
            let turn_r = -(g_r * h_ss - g_s * h_rs) / det;
            let turn_s = -(g_s * h_rr - g_r * h_rs) / det;
            let convex = h_rr.greater(zero).and(h_ss.greater(zero));
            let convex = convex.and(det.greater(zero));
            let small = turn_r.abs().less(half).and(turn_s.abs().less(half));
            let turns = left.and(convex).and(small);
            r = select(turns, &sized(&add(&r, &scaled(&p, turn_r)), bound_r), &r);
            s = select(turns, &sized(&add(&s, &scaled(&q, turn_s)), bound_s), &s);
        }
        [r, s]
    }
}

/// Whether `|x|` is within the bound.
#[inline(always)]
fn within<R: Real>(x: &Three<R>, bound: R) -> R::Mask {
    length(x).at_most(bound)
}

/// The impulse that sticks while the other part has the given value: `−(constant + other β) mass`.
#[inline(always)]
fn stuck<R: Real>(constant: &Three<R>, other: &Three<R>, beta: R, mass: R) -> Three<R> {
    let sum = add(constant, &scaled(other, beta));
    scaled(&[-sum[0], -sum[1], -sum[2]], mass)
}

/// A vector scaled to a given length; zero stays zero.
#[inline(always)]
fn sized<R: Real>(x: &Three<R>, wanted: R) -> Three<R> {
    let size = length(x);
    let scale = R::select(size.equals(size.splat(0.0)), size.splat(1.0), wanted / size);
    scaled(x, scale)
}

/// The point of the rim where `matrix x + constant` points against x, and whether the unbounded
/// solution lies beyond the rim.
#[inline(always)]
fn on_rim<R: Real>(constant: &Three<R>, matrix: R, bound: R) -> (Three<R>, R::Mask) {
    let size = length(constant);
    (
        scaled(constant, -bound / size),
        size.greater(matrix * bound),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector3;
    use crate::rng::{Purpose, Stream};

    /// The optimality conditions hold on random problems, many near thresholds and nearly singular.
    ///
    /// The conditions: |r| ≤ R₁, |s| ≤ R₂, velocities zero inside the discs and opposite to the
    /// impulse on the rims.
    #[test]
    fn conditions_of_the_law_hold_whatever_the_problem() {
        let mut cases = [0; 4];
        for trial in 0..20_000 {
            let mut draw = Stream::new(Purpose::Trial, 41, [trial, 0, 0]);
            let mut vector = || {
                let size = libm::pow(10.0, draw.between(-2.0, 2.0));
                Vector3::new(draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), 0.0) * size
            };
            let (u, w, r, s) = (vector(), vector(), vector(), vector());
            let (a, c) = (draw.between(0.1, 10.0), draw.between(0.1, 10.0));
            let share = [0.0, 0.5, 0.71, 0.99][draw.below(4) as usize];
            let sign = if draw.unit() < 0.5 { -1.0 } else { 1.0 };
            let beta = sign * (share * a * c).sqrt();
            let bounds = [0; 2].map(|_| {
                [0.0, 1e-3, 0.3, 1.0, 1e6][draw.below(5) as usize] * draw.between(0.5, 2.0)
            });
            let problem = Plane {
                matrix: [a, beta, c],
                masses: [1.0 / a, 1.0 / c],
                present: [u.into(), w.into()],
                bounds,
                normal: [0.0, 0.0, 1.0],
            };
            let start = [clamped(&r.into(), bounds[0]), clamped(&s.into(), bounds[1])];
            let [r1, s1] = problem.solve(&start[0], &start[1], true).map(Vector3::from);
            let [dr, ds] = [r1 - Vector3::from(start[0]), s1 - Vector3::from(start[1])];
            let (u1, w1) = (u + dr * a + ds * beta, w + dr * beta + ds * c);
            let scale = u.norm() + w.norm() + (a + c) * (dr.norm() + ds.norm() + 1e-3);
            let mut case = 0;
            for (k, (x, v, bound)) in [(r1, u1, bounds[0]), (s1, w1, bounds[1])]
                .iter()
                .enumerate()
            {
                assert!(x.norm() <= bound * (1.0 + 1e-14), "trial {trial}");
                let inside = x.norm() < bound * (1.0 - 1e-12);
                let off = if inside {
                    v.norm()
                } else if *bound == 0.0 {
                    0.0
                } else {
                    case |= 1 << k;
                    let along = x / x.norm();
                    (v - along * v.dot(&along)).norm() + v.dot(&along).max(0.0)
                };
                assert!(
                    off <= 1e-11 * scale,
                    "trial {trial}: off by {off} of {scale}"
                );
            }
            cases[case] += 1;
        }
        assert!(cases.iter().all(|&n| n > 500), "{cases:?}");
    }
}
