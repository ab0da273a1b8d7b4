//! The rotation of walls that move by Newton's law: parts of any form, free or on a hinge.

use super::rotation;
use crate::math::{Matrix3, Quaternion, Vector3, conjugate, product, rotate, turned};

/// The rotation of a free wall about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turning {
    /// Free: the centre is the centre of mass.
    Free {
        /// Principal moments of inertia [kg m²].
        moments: [f64; 3],
        /// The turn of the principal axes at time zero, from those of the domain.
        axes: Quaternion,
    },
    /// About a fixed axis through the centre, which stays in its place.
    Hinged {
        /// Unit vector along the axis.
        axis: Vector3,
        /// Moment of inertia about the axis [kg m²].
        moment: f64,
        /// The centre of mass from the centre at time zero [m].
        arm: Vector3,
        /// The distance of the centre of mass from the axis [m].
        radius: f64,
    },
}

impl Turning {
    /// The inverse of the tensor of inertia in the global frame [1/(kg m²)].
    ///
    /// The wall has turned by `orientation` since time zero.
    #[must_use]
    pub fn inverse_inertia(&self, orientation: Quaternion) -> Matrix3 {
        match self {
            Self::Free { moments, axes } => {
                rotation::inverse_inertia(product(orientation, *axes), *moments)
            }
            Self::Hinged { axis, moment, .. } => axis * axis.transpose() / *moment,
        }
    }

    /// The angular velocity that a force at the centre of mass adds in a step [rad/s].
    ///
    /// `impulse` is the force times the length of the step [N s].
    #[must_use]
    pub fn gain(&self, orientation: Quaternion, impulse: &Vector3) -> Vector3 {
        match self {
            Self::Free { .. } => Vector3::zeros(),
            Self::Hinged {
                axis, moment, arm, ..
            } => {
                let torque = turned(orientation, arm).cross(impulse);
                axis * (axis.dot(&torque) / moment)
            }
        }
    }

    /// Orientation and angular velocity [rad/s] at the end of a step of `dt` [s].
    ///
    /// It begins with the orientation `q` and, after all impulses, this angular velocity. Of a free
    /// wall the angular momentum is constant in the step, so that its angular velocity changes with
    /// its orientation.
    #[must_use]
    pub fn after(&self, q: Quaternion, angular: &Vector3, dt: f64) -> (Quaternion, Vector3) {
        match self {
            Self::Free { moments, axes } => {
                let own = product(q, *axes);
                let momentum = rotation::angular_momentum(own, *moments, angular);
                let own = rotation::advance(own, *moments, &momentum, dt);
                let angular = rotation::angular_velocity(own, *moments, &momentum);
                (product(own, conjugate(*axes)), angular)
            }
            Self::Hinged { .. } => (rotate(q, &(angular * dt)), *angular),
        }
    }
}
