//! Walls: surfaces that stop bodies, and their motion.

use super::Turning;
use super::drive::Drive;
use super::pivot::Pivot;
use super::ramp::Ramp;
use crate::math::{IDENTITY, Quaternion, Vector3, product, rotate, turned};
use crate::shape::Surface;

/// A wall. All ranks have all walls.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// For logs and reports: `floor`, `box.x-`, …
    pub name: String,
    /// Its surface at time zero.
    pub surface: Surface,
    /// Number of its material.
    pub material: u32,
    /// The reference point of its torque and of its rotation, at time zero [m].
    pub centre: Vector3,
    /// Its motion.
    pub motion: Motion,
    /// The velocity of a surface that runs in itself while the wall stays, as a belt, at time zero
    /// [m/s]: at a contact its part along the surface counts. It turns with the wall.
    pub surface_velocity: Vector3,
    /// The start of its prescribed motion; `None`: at time zero, at its place there.
    pub origin: Option<Origin>,
    /// The axis of its hinge, or of its turning servo with a point.
    pub pivot: Option<Pivot>,
}

/// The start of a prescribed motion that a wall gets later than at time zero.
///
/// The motion's time counts from here. Its displacement and rotation come after those that the wall
/// had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Time [s].
    pub time: f64,
    /// Displacement of the wall's centre at that time, since time zero [m].
    pub displacement: Vector3,
    /// Rotation at that time, since time zero.
    pub orientation: Quaternion,
}

/// The motion of a wall.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// At rest.
    Fixed,
    /// As prescribed, whatever forces act on it.
    Driven(Drive),
    /// By Newton's law, under the forces of the bodies and a load.
    Free(Freedom),
    /// Along a direction or about an axis, until the bodies push with a given force or torque.
    ///
    /// Its speed is corrected in each step.
    Servo(Servo),
}

/// A wall that moves by Newton's law.
#[derive(Clone, Debug, PartialEq)]
pub struct Freedom {
    /// Mass [kg].
    pub mass: f64,
    /// Moment of inertia of a sphere about any axis through its centre [kg m²]; `None`: it does not
    /// rotate.
    pub inertia: Option<f64>,
    /// The rotation of a wall other than a sphere; `None`: it does not rotate.
    pub turning: Option<Turning>,
    /// The unit direction in which it can move; `None`: all directions.
    pub direction: Option<Vector3>,
    /// Force on it in addition to gravity and the forces of bodies [N].
    pub load: Vector3,
    /// Pressure on its present face, which pushes it into its free side [Pa].
    pub pressure: f64,
    /// Whether gravity acts on it.
    pub gravity: bool,
    /// The factor of its load and pressure over time; `None`: 1.
    pub factor: Option<Ramp>,
}

/// A wall that adjusts its speed until the bodies push with a given force, or a given torque.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// Unit direction in which the wall pushes the bodies.
    ///
    /// Or that of the axis through its centre about which it turns them.
    pub direction: Vector3,
    /// Whether it turns about that axis.
    ///
    /// Then a torque [N m] stands for the force, and an angular velocity [rad/s] for the speed.
    pub turns: bool,
    /// Target of the force along that direction [N], in addition to that of the pressure.
    pub force: f64,
    /// Pressure on its present face, which pushes it into its free side [Pa].
    pub pressure: f64,
    /// Speed per newton of missing force [m/(s N)].
    ///
    /// Against a packing of stiffness k the force converges if `gain k Δt < 2`.
    pub gain: f64,
    /// Largest speed [m/s].
    pub top_speed: f64,
}

/// The position and motion of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallState {
    /// Displacement of its centre since time zero [m].
    pub displacement: Vector3,
    /// Rotation since time zero.
    pub orientation: Quaternion,
    /// Velocity of its centre [m/s].
    pub velocity: Vector3,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vector3,
}

impl Default for WallState {
    fn default() -> Self {
        Self {
            displacement: Vector3::zeros(),
            orientation: IDENTITY,
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }
    }
}

impl Wall {
    /// The plane of a wall that is a plane; for tests.
    #[cfg(test)]
    pub(crate) fn plane(&self) -> crate::shape::HalfSpace {
        match self.surface {
            Surface::Plane(plane) => plane,
            _ => panic!("wall {} must be a plane", self.name),
        }
    }

    /// A wall that does not move.
    #[must_use]
    pub fn fixed(name: String, surface: Surface, material: u32) -> Self {
        Self {
            name,
            surface,
            material,
            centre: Vector3::zeros(),
            motion: Motion::Fixed,
            surface_velocity: Vector3::zeros(),
            origin: None,
            pivot: None,
        }
    }
}

impl Wall {
    /// The surface at its present position.
    #[must_use]
    pub fn placed(&self, state: &WallState) -> Surface {
        self.surface
            .placed(&self.centre, &state.displacement, state.orientation)
    }

    /// Present position of its centre [m].
    #[must_use]
    pub fn place_now(&self, state: &WallState) -> Vector3 {
        self.centre + state.displacement
    }

    /// Velocity of its material at a point [m/s].
    #[must_use]
    pub fn velocity_at(&self, state: &WallState, point: &Vector3) -> Vector3 {
        let arm = point - self.place_now(state);
        state.velocity + state.angular_velocity.cross(&arm)
    }

    /// Velocity of a belt against the wall at a contact with this unit normal [m/s]; `None`: its
    /// surface does not run.
    #[must_use]
    pub fn runs(&self, state: &WallState, normal: &Vector3) -> Option<Vector3> {
        if self.surface_velocity == Vector3::zeros() {
            return None;
        }
        let velocity = turned(state.orientation, &self.surface_velocity);
        Some(velocity - normal * normal.dot(&velocity))
    }

    /// Velocity of a hollow surface of it as a whole, with that of its axis or its middle [m/s].
    ///
    /// The centre of a compound, or of a wall that turns about another point, may be anywhere. The
    /// surface is where it is now.
    #[must_use]
    pub fn velocity_as_whole(&self, state: &WallState, surface: &Surface) -> Vector3 {
        let is_part = matches!(self.surface, Surface::Compound(_));
        let elsewhere = match &self.motion {
            Motion::Driven(drive) => drive.has_pivots(),
            Motion::Servo(servo) => servo.turns,
            Motion::Free(free) => free.is_hinged(),
            Motion::Fixed => false,
        };
        match surface.middle().filter(|_| is_part || elsewhere) {
            Some(middle) => self.velocity_at(state, &middle),
            None => state.velocity,
        }
    }

    /// State at `t1` [s] of a wall with prescribed motion, with its velocities since `t0`.
    ///
    /// It follows from the times alone, so that errors do not accumulate. `None`: its motion is not
    /// prescribed.
    #[must_use]
    pub fn driven(&self, t0: f64, t1: f64) -> Option<WallState> {
        let Motion::Driven(drive) = &self.motion else {
            return None;
        };
        let [t0, t1] = [t0, t1].map(|t| self.motion_time(t));
        let centre = self.first_centre();
        let [displacement, velocity] = drive.translated(t0, t1);
        let (orientation, angular_velocity) = drive.turned(t0, t1);
        let mut state = WallState {
            displacement,
            orientation,
            velocity,
            angular_velocity,
        };
        if drive.has_pivots() {
            let [way, velocity] = drive.carried(&centre, t0, t1);
            state.displacement += way;
            state.velocity += velocity;
        }
        if let Some(origin) = &self.origin {
            state.displacement += origin.displacement;
            state.orientation = product(state.orientation, origin.orientation);
        }
        Some(state)
    }

    /// The time of its prescribed motion at a time [s].
    #[must_use]
    pub fn motion_time(&self, t: f64) -> f64 {
        self.origin.map_or(t, |origin| t - origin.time)
    }

    /// The position of its centre at the start of its prescribed motion [m].
    #[must_use]
    pub fn first_centre(&self) -> Vector3 {
        let origin = self.origin.as_ref();
        origin.map_or(self.centre, |origin| self.centre + origin.displacement)
    }

    /// Bound on the speed of its prescribed motion between two times [m/s].
    ///
    /// It holds at points at most `arm` [m] from its centre. 0: its motion is not prescribed.
    #[must_use]
    pub fn top_speed(&self, t0: f64, t1: f64, arm: f64) -> f64 {
        let Motion::Driven(drive) = &self.motion else {
            return 0.0;
        };
        let [t0, t1] = [t0, t1].map(|t| self.motion_time(t));
        drive.top_speed(t0, t1, arm, &self.first_centre())
    }

    /// Its shift from a state to the next one of its prescribed motion, over `dt` [s]: that of its
    /// centre to first order in its rotation [m].
    #[must_use]
    pub fn shift_to(&self, from: &WallState, to: &WallState, dt: f64) -> Vector3 {
        match &self.motion {
            Motion::Driven(drive) if drive.has_pivots() => to.velocity * dt,
            _ => to.displacement - from.displacement,
        }
    }

    /// The state after a step of `dt` [s] with its velocities.
    #[must_use]
    pub fn moved(&self, state: &WallState, dt: f64) -> WallState {
        WallState {
            displacement: state.displacement + state.velocity * dt,
            orientation: rotate(state.orientation, &(state.angular_velocity * dt)),
            ..*state
        }
    }
}

impl Freedom {
    /// Whether its centre stays in its place, on a hinge.
    #[must_use]
    pub fn is_hinged(&self) -> bool {
        matches!(self.turning, Some(Turning::Hinged { .. }))
    }

    /// Acceleration by gravity and its load [m/s²].
    #[must_use]
    pub fn acceleration(&self, gravity: &Vector3) -> Vector3 {
        let pull = if self.gravity {
            *gravity
        } else {
            Vector3::zeros()
        };
        self.projected(self.load / self.mass + pull)
    }

    /// The component of a force or velocity in the free directions.
    #[must_use]
    pub fn projected(&self, v: Vector3) -> Vector3 {
        self.direction.map_or(v, |e| e * e.dot(&v))
    }
}

impl Servo {
    /// The velocity and the angular velocity in the next step.
    ///
    /// They follow from the impulse of the bodies in this step of `dt` [s], and from their couple
    /// impulse about the centre.
    #[must_use]
    pub fn next_velocities(&self, impulse: &Vector3, couple: &Vector3, dt: f64) -> [Vector3; 2] {
        let pushed = if self.turns { couple } else { impulse };
        let motion = self.direction * self.next_speed(-self.direction.dot(pushed) / dt);
        match self.turns {
            true => [Vector3::zeros(), motion],
            false => [motion, Vector3::zeros()],
        }
    }

    /// The speed along its direction in the next step, from the force of the bodies in this one
    /// [N].
    #[must_use]
    pub fn next_speed(&self, pushed: f64) -> f64 {
        let speed = self.gain * (self.force - pushed);
        speed.clamp(-self.top_speed, self.top_speed)
    }
}

impl WallState {
    /// Whether all its numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let vectors = [self.displacement, self.velocity, self.angular_velocity];
        vectors.iter().flat_map(|v| v.iter()).all(|c| c.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Signal;
    use std::f64::consts::TAU;

    fn driven(drive: Drive) -> Wall {
        let surface = Surface::Sphere {
            centre: Vector3::x(),
            radius: 0.5,
            inside: false,
        };
        Wall {
            motion: Motion::Driven(drive),
            ..Wall::fixed("w".to_owned(), surface, 0)
        }
    }

    /// The displacement between two times is the mean velocity times the time, for any signal.
    ///
    /// The integral of a piecewise linear rate is that of its trapezia.
    #[test]
    fn ways_are_integrals_of_velocities() {
        let table = |rates| Signal::Table {
            times: [0.5, 1.0, 3.0].into(),
            values: [2.0, -1.0, 4.0].into(),
            rates,
        };
        assert_eq!(
            [0.0, 0.5, 0.75, 2.0, 9.0].map(|t| table(false).way(t)),
            [0.0, 0.0, -1.5, -0.5, 2.0]
        );
        // 2 until 0.5 s, then through −1 at 1 s to 4 at 3 s.
        let expected = [0.0, 1.0, 1.25, 1.25 + 3.0, 1.25 + 3.0 + 4.0];
        assert_eq!(
            [0.0, 0.5, 1.0, 3.0, 4.0].map(|t| table(true).way(t)),
            expected
        );
        let sine = Signal::Sine {
            amplitude: 0.3,
            frequency: 2.0,
            phase: 0.7,
        };
        assert_eq!(sine.way(0.0), 0.0);
        for signal in [Signal::Rate(0.7), sine, table(false), table(true)] {
            let wall = driven(Drive::along(Vector3::y(), signal.clone()));
            let mut way = 0.0;
            for k in 0..1000 {
                let state = wall
                    .driven(f64::from(k) * 0.01, f64::from(k + 1) * 0.01)
                    .unwrap();
                way += state.velocity.y * 0.01;
            }
            assert!((way - signal.way(10.0)).abs() < 1e-11, "{signal:?}");
        }
    }

    /// After a million periods a sine, and a rotated wall, are back at their start.
    #[test]
    fn no_error_adds_up() {
        let sine = Signal::Sine {
            amplitude: 1.0,
            frequency: 4.0,
            phase: 0.2,
        };
        assert!((sine.way(250_000.0 + 0.125) - sine.way(0.125)).abs() < 1e-9);
        let wall = driven(Drive::about(Vector3::z(), Signal::Rate(TAU)));
        let state = wall.driven(999_999.0, 1_000_000.25).unwrap();
        let point = wall.placed(&state).nearest(&Vector3::new(0.0, 2.0, 0.0));
        assert!((point.0 - 0.5).abs() < 1e-9 && (point.1 + Vector3::y()).norm() < 1e-9);
        let velocity = wall.velocity_at(&state, &Vector3::y());
        assert!((velocity + Vector3::x() * TAU).norm() < 1e-9);
    }

    /// A belt runs along the surface at a contact, and turns with its wall.
    #[test]
    fn a_belt_runs_along_its_surface() {
        let mut wall = driven(Drive::about(Vector3::z(), Signal::Rate(TAU)));
        let state = wall.driven(0.0, 0.25).unwrap();
        assert_eq!(wall.runs(&state, &Vector3::z()), None);
        wall.surface_velocity = Vector3::new(3.0, 0.0, 1.0);
        let flat = wall.runs(&state, &Vector3::z()).unwrap();
        assert!((flat - Vector3::y() * 3.0).norm() < 1e-15, "{flat}");
        let still = WallState::default();
        let steep = wall.runs(&still, &Vector3::x()).unwrap();
        assert_eq!(steep, Vector3::z());
    }

    /// A motion that begins later moves the wall on from its place, whatever led there.
    ///
    /// Rotations without a point are about the centre as it is then, others about points of space.
    #[test]
    fn a_later_motion_begins_where_the_wall_is() {
        let origin = Origin {
            time: 3.0,
            displacement: Vector3::new(0.4, -0.1, 0.2),
            orientation: rotate(IDENTITY, &Vector3::new(0.3, 0.2, -0.5)),
        };
        let spin = Drive::about(Vector3::z(), Signal::Rate(TAU / 4.0));
        let slide = Drive::along(Vector3::y(), Signal::Rate(2.0));
        let mut about_point = spin.clone();
        about_point.rotations[0].point = Some(Vector3::x());
        for (drive, pivot) in [
            (spin.clone().within(slide), None),
            (about_point, Some(Vector3::x())),
        ] {
            let wall = Wall {
                origin: Some(origin),
                centre: Vector3::new(0.0, 0.5, 0.0),
                ..driven(drive.clone())
            };
            let begin = wall.driven(3.0 - 1e-9, 3.0).unwrap();
            assert_eq!(begin.displacement, origin.displacement);
            assert_eq!(begin.orientation, origin.orientation);
            // After a second a quarter turn, and with the first one 2 m along y.
            let after = wall.driven(3.9, 4.0).unwrap();
            let x = Vector3::new(1.3, -0.2, 0.7);
            let place = |state: &WallState| {
                wall.place_now(state) + turned(state.orientation, &(x - wall.centre))
            };
            let axis = pivot.unwrap_or(wall.centre + origin.displacement);
            let arm = place(&begin) - axis;
            let slid = if pivot.is_none() { 2.0 } else { 0.0 };
            let expected = axis + Vector3::new(-arm.y, arm.x + slid, arm.z);
            assert!((place(&after) - expected).norm() < 1e-14, "{drive:?}");
            let speed = wall.top_speed(3.9, 4.0, arm.norm());
            let moved = (place(&after) - place(&wall.driven(3.8, 3.9).unwrap())).norm();
            assert!(moved <= 0.1 * speed * (1.0 + 1e-12), "{moved} {speed}");
        }
    }

    #[test]
    fn a_servo_seeks_its_force_within_its_speed() {
        let servo = Servo {
            direction: Vector3::z(),
            turns: false,
            force: 10.0,
            pressure: 0.0,
            gain: 0.1,
            top_speed: 0.5,
        };
        assert_eq!(
            [8.0, 10.0, 0.0].map(|f| servo.next_speed(f)),
            [0.2, 0.0, 0.5]
        );
    }
}
