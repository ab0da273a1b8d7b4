//! The axis of a hinge or of a turning servo, which may begin where a wall has come to.

use super::turning::Turning;
use crate::math::{IDENTITY, Matrix3, Quaternion, Vector3, conjugate, turned};

/// The axis about which a hinge or a servo turns a wall.
///
/// The wall's centre is the point of the axis, and stays there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivot {
    /// A point of the axis, in the global frame [m].
    pub point: Vector3,
    /// Unit vector along the axis, in the global frame.
    pub axis: Vector3,
    /// The mass that a hinge turns; `None` for a servo.
    pub mass: Option<HungMass>,
    /// The place of the wall when this motion began; `None`: at time zero, at its place there.
    pub since: Option<Since>,
}

/// The place of a wall when its axis became the one about which it turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Since {
    /// Displacement of the point of the axis since time zero [m].
    pub displacement: Vector3,
    /// Rotation since time zero.
    pub orientation: Quaternion,
}

/// The mass of a wall on a hinge, in its place at time zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HungMass {
    /// Mass [kg].
    pub mass: f64,
    /// Tensor of inertia about the centre of mass [kg m²].
    pub inertia: Matrix3,
    /// Centre of mass [m].
    pub centre: Vector3,
}

impl Default for Since {
    fn default() -> Self {
        Self {
            displacement: Vector3::zeros(),
            orientation: IDENTITY,
        }
    }
}

impl Since {
    /// The displacement of the material point that was at the point of the axis at time zero [m].
    ///
    /// `displacement` is that of the wall's centre, and `orientation` its rotation.
    #[must_use]
    pub fn material(&self, displacement: &Vector3, orientation: Quaternion) -> Vector3 {
        displacement - self.displacement + turned(orientation, &self.displacement)
    }
}

impl HungMass {
    /// Its rotation about an axis through a point, in its place at time zero.
    ///
    /// The axis is a unit vector in the global frame; `orientation` is the wall's rotation since
    /// time zero.
    #[must_use]
    pub fn hinged(&self, axis: Vector3, point: &Vector3, orientation: Quaternion) -> Turning {
        let own = turned(conjugate(orientation), &axis);
        let arm = self.centre - point;
        let off = arm - own * own.dot(&arm);
        Turning::Hinged {
            axis,
            moment: own.dot(&(self.inertia * own)) + self.mass * off.norm_squared(),
            arm,
            radius: off.norm(),
        }
    }
}

impl Pivot {
    /// Whether it is the same axis as another, whenever their motions began.
    #[must_use]
    pub fn is_along(&self, other: &Self) -> bool {
        self.point == other.point && self.axis == other.axis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotate;

    /// The moment of a part that hangs at an axis is that of the part, in whatever place it begins.
    #[test]
    fn a_turned_part_has_its_own_moment() {
        // A rod along x, 2 m long, of 3 kg: m l²/12 about its middle, m l²/3 about its end.
        let rod = HungMass {
            mass: 3.0,
            inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0)),
            centre: Vector3::x(),
        };
        let quarter = rotate(IDENTITY, &(Vector3::y() * std::f64::consts::FRAC_PI_2));
        // It stands upright then: about z through an axis half a metre off, and about y.
        for (axis, place, turn, expected) in [
            (Vector3::z(), Vector3::zeros(), IDENTITY, [4.0, 1.0]),
            (Vector3::x(), Vector3::y() * 0.5, IDENTITY, [0.75, 0.5]),
            (Vector3::z(), Vector3::y() * 0.5, quarter, [0.75, 0.5]),
            (Vector3::y(), Vector3::zeros(), quarter, [4.0, 1.0]),
        ] {
            let Turning::Hinged {
                moment,
                arm,
                radius,
                ..
            } = rod.hinged(axis, &place, turn)
            else {
                panic!("hinged");
            };
            let [about, off] = expected;
            assert!((moment - about).abs() < 1e-15, "{moment} {about}");
            assert!((radius - off).abs() < 1e-15, "{radius} {off}");
            assert_eq!(arm, Vector3::x() - place);
        }
    }
}
