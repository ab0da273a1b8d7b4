//! The axis of a hinge or of a turning servo, which may begin where a wall has come to.

use super::turning::Turning;
use super::wall::{Freedom, Motion, Wall, WallState};
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
        }
    }
}

impl Pivot {
    /// Whether it is the same axis as another, whenever their motions began.
    #[must_use]
    pub fn is_along(&self, other: &Self) -> bool {
        self.point == other.point && self.axis == other.axis
    }

    /// The axis in the place of the wall at time zero.
    #[must_use]
    pub fn own_axis(&self) -> Vector3 {
        let since = self.since.unwrap_or_default();
        turned(conjugate(since.orientation), &self.axis)
    }
}

impl Wall {
    /// Lets its hinge or servo, if it has one, begin where the wall was then.
    pub fn turns_since(&mut self, since: Option<Since>) {
        let Some(pivot) = &mut self.pivot else {
            return;
        };
        pivot.since = since;
        let Since {
            displacement,
            orientation,
        } = since.unwrap_or_default();
        self.centre = pivot.point - displacement;
        if let Motion::Free(Freedom { turning, .. }) = &mut self.motion
            && let Some(mass) = &pivot.mass
        {
            *turning = Some(mass.hinged(pivot.axis, &self.centre, orientation));
        }
    }

    /// Lets its motion begin where another wall is in a state: itself, with another motion.
    ///
    /// Of its surface that part becomes its centre which is at the point of its axis then.
    pub fn begin_at(&mut self, before: &Self, state: &WallState) {
        let Some(pivot) = self.pivot else {
            return;
        };
        if before.pivot.is_some_and(|old| old.is_along(&pivot)) {
            return; // It goes on.
        }
        let orientation = state.orientation;
        let displacement = if orientation == IDENTITY {
            state.displacement
        } else {
            let arm = pivot.point - before.place_now(state);
            pivot.point - (before.centre + turned(conjugate(orientation), &arm))
        };
        self.turns_since(Some(Since {
            displacement,
            orientation,
        }));
    }

    /// Its state where it is and moves as another wall in a state: itself, with another centre.
    #[must_use]
    pub fn state_as(&self, before: &Self, state: &WallState) -> WallState {
        if self.centre == before.centre {
            return *state;
        }
        let (q, apart) = (state.orientation, self.centre - before.centre);
        let displacement = if q == IDENTITY {
            state.displacement
        } else {
            before.place_now(state) + turned(q, &apart) - self.centre
        };
        WallState {
            displacement,
            velocity: state.velocity + state.angular_velocity.cross(&turned(q, &apart)),
            ..*state
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotate;
    use crate::shape::Surface;

    fn wall(pivot: Option<Pivot>, centre: Vector3) -> Wall {
        let surface = Surface::Sphere {
            centre: Vector3::x(),
            radius: 0.5,
            inside: false,
        };
        Wall {
            centre,
            pivot,
            ..Wall::fixed("w".to_owned(), surface, 0)
        }
    }

    fn point_at(wall: &Wall, state: &WallState, x: &Vector3) -> Vector3 {
        wall.place_now(state) + turned(state.orientation, &(x - wall.centre))
    }

    /// A wall with another centre, or with an axis that begins later, keeps its place and the
    /// velocities of its points; the axis passes through the point that is given.
    #[test]
    fn an_axis_begins_where_the_wall_is() {
        let before = wall(None, Vector3::new(0.1, -0.4, 0.2));
        let moving = WallState {
            displacement: Vector3::new(0.3, 0.2, -0.7),
            orientation: rotate(IDENTITY, &Vector3::new(0.4, -1.1, 0.3)),
            velocity: Vector3::new(1.0, 2.0, 3.0),
            angular_velocity: Vector3::new(-3.0, 0.5, 2.0),
        };
        let shifted = WallState {
            orientation: IDENTITY,
            ..moving
        };
        let point = Vector3::new(0.25, 0.5, -0.125);
        let pivot = Pivot {
            point,
            axis: Vector3::y(),
            mass: None,
            since: None,
        };
        for state in [moving, shifted] {
            for mut now in [wall(Some(pivot), point), wall(None, Vector3::zeros())] {
                now.begin_at(&before, &state);
                let begun = now.state_as(&before, &state);
                for x in [Vector3::zeros(), Vector3::new(0.3, 0.6, -0.9)] {
                    let [was, is] = [point_at(&before, &state, &x), point_at(&now, &begun, &x)];
                    assert!((was - is).norm() < 1e-15, "{was} {is}");
                    let apart = before.velocity_at(&state, &was) - now.velocity_at(&begun, &is);
                    assert!(apart.norm() < 1e-14, "{apart}");
                }
                let Some(pivot) = now.pivot else {
                    continue;
                };
                assert!((now.place_now(&begun) - point).norm() < 1e-15);
                // Files know it by the point of the configuration.
                let since = pivot.since.unwrap();
                let q = rotate(begun.orientation, &(pivot.axis * 0.8));
                let turned_on = WallState {
                    orientation: q,
                    ..begun
                };
                let way = since.material(&begun.displacement, q);
                let written = point + way;
                let seen = point_at(&now, &turned_on, &point);
                assert!((written - seen).norm() < 1e-15, "{written} {seen}");
                // The same axis goes on.
                let mut on = wall(
                    Some(Pivot {
                        since: None,
                        ..pivot
                    }),
                    point,
                );
                on.turns_since(pivot.since);
                let same = on.clone();
                on.begin_at(&now, &turned_on);
                assert_eq!([&on, &now], [&same, &same]);
            }
        }
    }

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
            (Vector3::z(), Vector3::zeros(), IDENTITY, 4.0),
            (Vector3::x(), Vector3::y() * 0.5, IDENTITY, 0.75),
            (Vector3::z(), Vector3::y() * 0.5, quarter, 0.75),
            (Vector3::y(), Vector3::zeros(), quarter, 4.0),
        ] {
            let Turning::Hinged { moment, arm, .. } = rod.hinged(axis, &place, turn) else {
                panic!("hinged");
            };
            assert!((moment - expected).abs() < 1e-15, "{moment} {expected}");
            assert_eq!(arm, Vector3::x() - place);
        }
    }
}
