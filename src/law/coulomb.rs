//! Signorini's condition and Coulomb's law between spheres, or a sphere and a plane [001 eq. 1.30].
//!
//! For these shapes the reduced mass matrix is diagonal [001 eq. 1.20–1.21]. So the normal and the
//! tangential part are solved one after the other, exactly. Restitution is zero. Impulses here are
//! the forces of [001] times Δt.

use crate::math::Vector3;
use crate::math::real::{Real, Three, cross, sub};

/// The data of a contact that Coulomb's law uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// `g⁺/Δt` with `g⁺ = max(g, 0)`: the speed at which the gap closes within the step [m/s].
    ///
    /// An overlap (g < 0) counts as a closed gap: it does not grow, and the law does not push the
    /// bodies apart [001 §1.4].
    pub closing_speed: f64,
    /// Normal reduced mass `m_n` [kg].
    pub normal_mass: f64,
    /// Tangential reduced mass `m_t` [kg].
    pub tangential_mass: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
}

/// Reduced masses `(m_n, m_t)` [kg] of two spheres [001 eq. 1.21].
///
/// `1/m_n = 1/m_1 + 1/m_2`, `1/m_t = 1/m_1 + 1/m_2 + l_1²/I_1 + l_2²/I_2`. A wall has inverse mass
/// and inverse inertia 0. A wall that is free to move in some directions only has different inverse
/// masses for the two parts. `lever` [m]: distances from the centres to the contact point.
#[must_use]
pub fn reduced_masses(
    normal: [f64; 2],
    tangential: [f64; 2],
    inverse_inertia: [f64; 2],
    lever: [f64; 2],
) -> (f64, f64) {
    let normal = normal[0] + normal[1];
    // In the order of a member's `l²/I`, for the same bits.
    let [a, b] = [0, 1].map(|side| inverse_inertia[side] * lever[side] * lever[side]);
    let turning = a + b;
    // A contact takes no impulse in a direction in which neither side can move.
    let mass = |inverse: f64| if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
    (mass(normal), mass(tangential[0] + tangential[1] + turning))
}

/// [`Parameters`] as numbers of any kind: `f64`, or one lane per contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coulomb<R> {
    /// [`Parameters::normal`].
    pub normal: Three<R>,
    /// [`Parameters::closing_speed`].
    pub closing_speed: R,
    /// [`Parameters::normal_mass`].
    pub normal_mass: R,
    /// [`Parameters::tangential_mass`].
    pub tangential_mass: R,
    /// [`Parameters::friction`].
    pub friction: R,
}

impl Parameters {
    /// The same as `f64`.
    #[must_use]
    #[inline(always)]
    pub fn numbers(&self) -> Coulomb<f64> {
        Coulomb {
            normal: self.normal.into(),
            closing_speed: self.closing_speed,
            normal_mass: self.normal_mass,
            tangential_mass: self.tangential_mass,
            friction: self.friction,
        }
    }
}

/// Relative velocity of the second body against the first at the contact [m/s] [001 eq. 1.14].
///
/// With `l_1 = r_1 n` and `l_2 = −r_2 n` it is `v_2 − v_1 − (r_1 ω_1 + r_2 ω_2) × n`. `velocity` is
/// `v_2 − v_1`; `spin` is the sum of the surface velocities `s = r ω` of the two.
#[inline(always)]
pub fn relative_velocity<R: Real>(velocity: &Three<R>, spin: &Three<R>, n: &Three<R>) -> Three<R> {
    sub(velocity, &cross(spin, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validation A3: reduced masses of spheres and walls.
    ///
    /// Equal solid spheres have m_n = m/2, m_t = m/7; sphere and wall have m_n = m, m_t = 2m/7. For
    /// any two spheres they are the diagonal of Hᵀ M⁻¹ H, whose other elements vanish.
    #[test]
    fn a3_reduced_masses() {
        let (m, r) = (3.0, 0.2);
        let inertia = 0.4 * m * r * r;
        let (n, t) = reduced_masses([1.0 / m; 2], [1.0 / m; 2], [1.0 / inertia; 2], [r; 2]);
        assert!((n - m / 2.0).abs() < 1e-14 * m && (t - m / 7.0).abs() < 1e-14 * m);
        let (n, t) = reduced_masses(
            [1.0 / m, 0.0],
            [1.0 / m, 0.0],
            [1.0 / inertia, 0.0],
            [r, 0.0],
        );
        assert!((n - m).abs() < 1e-14 * m && (t - 2.0 * m / 7.0).abs() < 1e-14 * m);

        use crate::rng::{Purpose, Stream};
        for trial in 0..100 {
            let mut draw = Stream::new(Purpose::Trial, 3, [trial, 0, 0]);
            let (m1, m2) = (draw.between(0.1, 5.0), draw.between(0.1, 5.0));
            let (r1, r2) = (draw.between(0.1, 2.0), draw.between(0.1, 2.0));
            let direction =
                Vector3::new(draw.unit() - 0.5, draw.unit() - 0.5, draw.unit() - 0.5).normalize();
            let (i1, i2) = (0.4 * m1 * r1 * r1, 0.4 * m2 * r2 * r2);
            let (m_n, m_t) = {
                let inverse = [1.0 / m1, 1.0 / m2];
                reduced_masses(inverse, inverse, [1.0 / i1, 1.0 / i2], [r1, r2])
            };
            // The change of the relative velocity [001 eq. 1.14] by a unit impulse along each axis.
            for e in [Vector3::x(), Vector3::y(), Vector3::z()] {
                let (l1, l2) = (direction * r1, -direction * r2);
                let v = e / m2
                    + (l2.cross(&e) / i2).cross(&l2)
                    + e / m1
                    + (l1.cross(&e) / i1).cross(&l1);
                let e_n = direction * direction.dot(&e);
                let expected = e_n / m_n + (e - e_n) / m_t;
                assert!((v - expected).norm() < 1e-14 * expected.norm());
            }
        }
    }
}
