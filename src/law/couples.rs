//! Friction and rolling friction at one contact, solved together and directly.
//!
//! With the normal impulse known, what is left of the 6×6 problem of [001 §1.7] for spheres is, in the tangent plane,
//!
//! `u = c_u + A₁₁ Δr + β Δs`, `W = c_W + β Δr + A₂₂ Δs`,
//!
//! where r is the tangential impulse, s = n × τ_t the couple impulse turned by a right angle, u the tangential relative velocity
//! and W = n × Ω_t the relative spin turned likewise. The law asks for `|r| ≤ R₁`, `|s| ≤ R₂`, u = 0 where r is inside its disc
//! and opposite to r where it is on the rim, and the same of W and s: the minimum of a convex function over two discs, which
//! is unique. Relaxing one and then the other is slow where spheres just begin to roll (a factor 0.71 a pass), so the four
//! cases are solved outright.

use crate::math::Vector3;

/// The problem at present values r, s.
pub(super) struct Plane {
    /// `A₁₁`, β, `A₂₂`.
    pub matrix: [f64; 3],
    /// `1/A₁₁` and `1/A₂₂`.
    pub masses: [f64; 2],
    /// u and W at the present r and s.
    pub present: [Vector3; 2],
    /// Bounds `R₁`, `R₂`.
    pub bounds: [f64; 2],
    /// The normal, about which tangential vectors turn.
    pub normal: Vector3,
}

/// Passes after which the last case is taken as it is; Newton needs a handful.
pub(crate) const PASSES: usize = 200;

impl Plane {
    /// The new r and s.
    pub(super) fn solve(&self, r: &Vector3, s: &Vector3) -> [Vector3; 2] {
        let [a, beta, c] = self.matrix;
        let [mass, inertia] = self.masses;
        let [u, w] = self.present;
        let [bound_r, bound_s] = self.bounds;
        if beta == 0.0 {
            return [
                clamped(r - u * mass, bound_r),
                clamped(s - w * inertia, bound_s),
            ];
        }
        // Neither slips. A number that is none goes on from here, as it fails every comparison.
        let inverse_det = 1.0 / (a * c - beta * beta);
        let both = [
            r - (u * c - w * beta) * inverse_det,
            s - (w * a - u * beta) * inverse_det,
        ];
        if both[0].norm() <= bound_r && both[1].norm() <= bound_s {
            return both;
        }
        // Constant parts: u = b_u + A₁₁ r + β s, W = b_W + β r + A₂₂ s.
        let b_u = u - r * a - s * beta;
        let b_w = w - r * beta - s * c;
        // The one sticks, the other slips.
        let rolls = on_rim(
            &(b_w - b_u * (beta * mass)),
            c - beta * beta * mass,
            bound_s,
        );
        if let Some(s) = rolls {
            let r = -(b_u + s * beta) * mass;
            if r.norm() <= bound_r {
                return [r, s];
            }
        }
        let slides = on_rim(
            &(b_u - b_w * (beta * inertia)),
            a - beta * beta * inertia,
            bound_r,
        );
        if let Some(r) = slides {
            let s = -(b_w + r * beta) * inertia;
            if s.norm() <= bound_s {
                return [r, s];
            }
        }
        self.both_slip(
            &b_u,
            &b_w,
            [clamped(both[0], bound_r), clamped(both[1], bound_s)],
        )
    }

    /// Both on their rims: the angles at which neither force has a part along its rim. Newton's method on the two angles where
    /// the function is convex in them, one disc after the other where it is not.
    fn both_slip(&self, b_u: &Vector3, b_w: &Vector3, start: [Vector3; 2]) -> [Vector3; 2] {
        let beta = self.matrix[1];
        let [mass, inertia] = self.masses;
        let [bound_r, bound_s] = self.bounds;
        let [mut r, mut s] = start;
        for _ in 0..PASSES {
            r = clamped(-(b_u + s * beta) * mass, bound_r);
            s = clamped(-(b_w + r * beta) * inertia, bound_s);
            let (on_r, on_s) = (b_u + s * beta, b_w + r * beta);
            let (p, q) = (self.normal.cross(&r), self.normal.cross(&s));
            let (g_r, g_s) = (p.dot(&on_r), q.dot(&on_s));
            let (h_rr, h_ss, h_rs) = (-r.dot(&on_r), -s.dot(&on_s), beta * r.dot(&s));
            let small = |g: f64, h: f64| g.abs() <= 1e-15 * h.abs();
            if small(g_r, h_rr) && small(g_s, h_ss) {
                break;
            }
            let det = h_rr * h_ss - h_rs * h_rs;
            if h_rr > 0.0 && h_ss > 0.0 && det > 0.0 {
                let (turn_r, turn_s) = (
                    -(g_r * h_ss - g_s * h_rs) / det,
                    -(g_s * h_rr - g_r * h_rs) / det,
                );
                if turn_r.abs() < 0.5 && turn_s.abs() < 0.5 {
                    r = sized(&(r + p * turn_r), bound_r);
                    s = sized(&(s + q * turn_s), bound_s);
                }
            }
        }
        [r, s]
    }
}

/// A vector, scaled down to the bound if it is longer.
fn clamped(x: Vector3, bound: f64) -> Vector3 {
    let size = x.norm();
    if size > bound { x * (bound / size) } else { x }
}

/// A vector, scaled to a length; zero stays zero.
fn sized(x: &Vector3, length: f64) -> Vector3 {
    let size = x.norm();
    if size == 0.0 { *x } else { x * (length / size) }
}

/// The point of the rim where `matrix x + constant` points against x, if the solution without a bound lies beyond the rim.
fn on_rim(constant: &Vector3, matrix: f64, bound: f64) -> Option<Vector3> {
    let size = constant.norm();
    (size > matrix * bound).then(|| constant * (-bound / size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// The optimality conditions on random problems, many of them near thresholds and nearly singular: |r| ≤ R₁, |s| ≤ R₂,
    /// velocities zero inside and opposite on the rim.
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
                present: [u, w],
                bounds,
                normal: Vector3::z(),
            };
            let [r1, s1] = problem.solve(&clamped(r, bounds[0]), &clamped(s, bounds[1]));
            let (dr, ds) = (r1 - clamped(r, bounds[0]), s1 - clamped(s, bounds[1]));
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
