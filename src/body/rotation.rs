//! Free rotation of a rigid body with three principal moments of inertia.
//!
//! The state is the angular momentum L in the global frame: without torques it is constant, to the
//! bit. The angular velocity follows from it, `ω = R I⁻¹ Rᵀ L`, which includes the gyroscopic
//! effect without a term of its own.
//!
//! The orientation is advanced by symmetric splitting of the energy `½ Σ L_k²/I_k`. With I_2 the
//! middle moment it is `|L|²/2I_2 + ½ L_1² (1/I_1 − 1/I_2) + ½ L_3² (1/I_3 − 1/I_2)`. The first
//! term turns the body about L, which commutes with the others; these turn it about its own axes.
//! So the motion of bodies with three or two equal moments is exact; for others the energy only
//! oscillates, by `O((ω Δt)²)`.

use crate::math::{Matrix3, Quaternion, Vector3, rotate, turned};

/// Angular velocity [rad/s] of a body with given angular momentum [kg m²/s], both in the global
/// frame.
///
/// `moments` are its principal moments [kg m²].
#[must_use]
pub fn angular_velocity(q: Quaternion, moments: [f64; 3], momentum: &Vector3) -> Vector3 {
    let own = into_body(q, momentum);
    turned(q, &own.component_div(&Vector3::from(moments)))
}

/// Angular momentum [kg m²/s] of a body with given angular velocity [rad/s], both in the global
/// frame.
#[must_use]
pub fn angular_momentum(q: Quaternion, moments: [f64; 3], velocity: &Vector3) -> Vector3 {
    let own = into_body(q, velocity);
    turned(q, &own.component_mul(&Vector3::from(moments)))
}

/// The inverse of the tensor of inertia in the global frame [1/(kg m²)]: `R diag(1/I_k) Rᵀ`.
///
/// It is symmetric to the bit.
#[must_use]
pub fn inverse_inertia(q: Quaternion, moments: [f64; 3]) -> Matrix3 {
    let inverse = moments.map(|moment| 1.0 / moment);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| turned(q, &axis));
    Matrix3::from_fn(|i, j| {
        let term = |k: usize| inverse[k] * (axes[k][i] * axes[k][j]);
        term(0) + term(1) + term(2)
    })
}

/// The orientation after a time [s] without torques.
#[must_use]
pub fn advance(q: Quaternion, moments: [f64; 3], momentum: &Vector3, dt: f64) -> Quaternion {
    let [first, middle, last] = by_size(moments);
    let of_middle = 1.0 / moments[middle];
    let part = |q: Quaternion, axis: usize, dt: f64| {
        let rate = 1.0 / moments[axis] - of_middle;
        if rate == 0.0 {
            return q;
        }
        turned_about_own_axis(q, axis, rate * into_body(q, momentum)[axis] * dt)
    };
    let q = part(q, first, 0.5 * dt);
    let q = part(q, last, dt);
    let q = part(q, first, 0.5 * dt);
    // About L with |L|/I_2; this also renormalises.
    rotate(q, &(momentum * (of_middle * dt)))
}

/// A vector in the body's frame.
fn into_body([w, x, y, z]: Quaternion, v: &Vector3) -> Vector3 {
    turned([w, -x, -y, -z], v)
}

/// The axes in the order of their moments; equal ones by number.
///
/// If the middle moment equals another, the body turns about only one axis, which comes last: in
/// the middle of the step.
fn by_size(moments: [f64; 3]) -> [usize; 3] {
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| moments[a].total_cmp(&moments[b]));
    axes
}

/// `q exp(angle/2 e_k)`: turns a body about its own axis `k` by an angle [rad].
fn turned_about_own_axis([w, x, y, z]: Quaternion, axis: usize, angle: f64) -> Quaternion {
    let (c, s) = (libm::cos(0.5 * angle), libm::sin(0.5 * angle));
    match axis {
        0 => [c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y],
        1 => [c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x],
        _ => [c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w],
    }
}

#[cfg(test)]
mod tests;
