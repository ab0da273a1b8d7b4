//! Motions that begin where a wall has come to.

use super::pivot::Since;
use super::wall::{Freedom, Motion, Wall, WallState};
use crate::math::{IDENTITY, conjugate, turned};

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
    /// The point of the wall that lies on the axis then becomes its centre.
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

    /// Its state with the place and the velocities of another wall: itself, with another centre.
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
    use crate::body::Pivot;
    use crate::math::{Vector3, rotate};
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

    /// A wall with another centre keeps its place and the velocities of its points. An axis that
    /// begins later passes through its point.
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
}
