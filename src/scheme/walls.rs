//! The walls within a step: their positions, their motion, and their state after it.

use super::loads::loaded;
use super::physics::Physics;
use crate::body::{BodyRow, Motion, Twist, Wall, WallState};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::measure;
use crate::shape::{Period, Surface};
use crate::solver::pushed::Pushed;
use std::borrow::Cow;

/// The walls of a step.
pub(super) struct Walls {
    /// The walls with their surfaces at the start of the step, and the loads of that time as
    /// forces.
    pub placed: Vec<Wall>,
    /// The number of a wall under pressure that has no face.
    pub faceless: Option<usize>,
    /// Positions at the start of the step, with the velocities of this step.
    ///
    /// For walls that move by Newton's law, the velocities before the step.
    pub during: Vec<WallState>,
    /// Positions at the end, for walls with a prescribed motion.
    after: Vec<WallState>,
}

impl Walls {
    /// The walls of the step from `t0` to `t1` [s].
    pub(super) fn new(
        physics: &Physics,
        states: &[WallState],
        [t0, t1]: [f64; 2],
        period: &Period,
    ) -> Self {
        let (placed, faceless) = loaded(physics, states, t0, period);
        let walls = &physics.walls;
        let after: Vec<WallState> = (walls.iter().zip(states))
            .map(|(wall, state)| wall.driven(t0, t1).unwrap_or(*state))
            .collect();
        let during = |((wall, state), after): ((&Wall, &WallState), &WallState)| match wall.motion {
            Motion::Driven(_) => WallState {
                velocity: after.velocity,
                angular_velocity: after.angular_velocity,
                ..*state
            },
            Motion::Fixed => WallState {
                velocity: Vector3::zeros(),
                angular_velocity: Vector3::zeros(),
                ..*state
            },
            _ => *state,
        };
        Self {
            placed,
            faceless,
            during: walls.iter().zip(states).zip(&after).map(during).collect(),
            after,
        }
    }

    /// The surfaces at the start of the step, by number.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        self.placed.iter().map(|wall| &wall.surface)
    }

    /// The surfaces at the end of the step, by number, as far as known before the solve.
    ///
    /// `walls` are those at time zero. Walls that move by Newton's law have the velocities of
    /// `pushed`, without the impulses of contacts.
    pub(super) fn ends(&self, walls: &[Wall], pushed: &Pushed, dt: f64) -> Vec<Surface> {
        let end = |(w, wall): (usize, &Wall)| match wall.motion {
            Motion::Fixed => self.placed[w].surface.clone(),
            Motion::Driven(_) => wall.placed(&self.after[w]),
            Motion::Servo(_) => wall.placed(&wall.moved(&self.during[w], dt)),
            Motion::Free(_) => {
                let twist = pushed.place(w).and_then(|k| pushed.free().nth(k));
                let state = twist.map_or(self.during[w], |twist| WallState {
                    velocity: twist.linear,
                    angular_velocity: twist.angular,
                    ..self.during[w]
                });
                wall.placed(&wall.moved(&state, dt))
            }
        };
        walls.iter().enumerate().map(end).collect()
    }

    /// The largest speed at which a wall closes gaps with any of these bodies [m/s].
    pub(super) fn fastest(&self, bodies: &[BodyRow]) -> f64 {
        self.speeds(bodies).into_iter().fold(0.0, nan_max)
    }

    /// The largest speed at which each wall closes gaps with any of these bodies [m/s].
    pub(super) fn speeds(&self, bodies: &[BodyRow]) -> Vec<f64> {
        let of = |(wall, state): (&Wall, &WallState)| {
            let turn = &state.angular_velocity;
            if *turn == Vector3::zeros() {
                return state.velocity.norm();
            }
            let speed = |row: &BodyRow| {
                let at_centre = wall.velocity_at(state, &Vector3::from(row.position));
                at_centre.norm() + row.surface_speed_at(turn)
            };
            bodies.iter().map(speed).fold(0.0, nan_max)
        };
        self.placed.iter().zip(&self.during).map(of).collect()
    }

    /// The walls after the step. Collective.
    ///
    /// `pushed` are the new velocities of walls that move by Newton's law, and their displacements
    /// by the projection [m], by number of the wall. `contacts` gives the walls' contacts on this
    /// rank, for servo-controlled walls.
    pub(super) fn end<'c>(
        self,
        domain: &Domain,
        pushed: &[(usize, Twist, Vector3)],
        contacts: impl FnOnce() -> Cow<'c, [ContactRow]>,
        dt: f64,
    ) -> Vec<WallState> {
        let servo = |wall: &Wall| matches!(wall.motion, Motion::Servo(_));
        let turns = |wall: &Wall| matches!(&wall.motion, Motion::Servo(servo) if servo.turns);
        let (mut impulses, mut couples) = (Vec::new(), Vec::new());
        if self.placed.iter().any(servo) {
            let contacts = contacts();
            let sums = measure::wall_impulses(&contacts, self.placed.len());
            impulses = total(domain, &sums);
            couples = vec![Vector3::zeros(); self.placed.len()];
            if self.placed.iter().any(turns) {
                let centre = |(wall, state): (&Wall, &WallState)| wall.place_now(state);
                let centres: Vec<Vector3> =
                    self.placed.iter().zip(&self.during).map(centre).collect();
                couples = total(domain, &measure::wall_couples(&contacts, &centres));
            }
        }
        let end = |(w, wall): (usize, &Wall)| match &wall.motion {
            Motion::Fixed => self.during[w],
            Motion::Driven(_) => self.after[w],
            Motion::Free(free) => {
                let found = pushed.iter().find(|(k, ..)| *k == w);
                let (_, twist, way) = found.copied().unwrap_or_default();
                let state = WallState {
                    velocity: twist.linear,
                    angular_velocity: twist.angular,
                    ..self.during[w]
                };
                let mut moved = wall.moved(&state, dt);
                moved.displacement += way;
                if let Some(turning) = &free.turning {
                    let before = self.during[w].orientation;
                    (moved.orientation, moved.angular_velocity) =
                        turning.after(before, &twist.angular, dt);
                }
                moved
            }
            Motion::Servo(servo) => {
                // A servo-controlled wall stores the velocity of the step to come.
                let moved = wall.moved(&self.during[w], dt);
                let [velocity, angular_velocity] =
                    servo.next_velocities(&impulses[w], &couples[w], dt);
                WallState {
                    velocity,
                    angular_velocity,
                    ..moved
                }
            }
        };
        self.placed.iter().enumerate().map(end).collect()
    }
}

fn total(domain: &Domain, sums: &[[ExactSum; 3]]) -> Vec<Vector3> {
    let each = sums.iter().map(|sum| Vector3::from(domain.sums(sum)));
    each.collect()
}
