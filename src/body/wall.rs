//! Walls: surfaces that bodies stay out of, and how they move.

use crate::math::{IDENTITY, Quaternion, Vector3};
use crate::shape::Surface;
use std::sync::Arc;

/// A wall. Every rank knows every wall.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// For logs and reports: `floor`, `box.x-`, …
    pub name: String,
    /// Its surface at time zero.
    pub surface: Surface,
    /// Number of its material.
    pub material: u32,
    /// The point that its torque refers to and that it turns about, at time zero [m].
    pub centre: Vector3,
    /// How it moves.
    pub motion: Motion,
}

/// How a wall moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// As told, whatever pushes against it.
    Driven(Drive),
    /// By Newton's law, pushed by the bodies and a load.
    Free(Freedom),
    /// Along a direction, with a speed that is corrected in each step until the bodies push with a given force.
    Servo(Servo),
}

/// A prescribed motion: a translation along a direction, and a rotation about an axis through the wall's centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Unit direction of the translation, and the way along it [m].
    pub translation: Option<(Vector3, Signal)>,
    /// Unit axis of the rotation, and the angle [rad].
    pub rotation: Option<(Vector3, Signal)>,
}

/// A quantity as a function of time. As a way [m] or angle [rad] it is zero at time zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Constant rate: `x = rate t`.
    Rate(f64),
    /// `x = amplitude (sin(2π frequency t + phase) − sin(phase))`.
    Sine {
        /// Amplitude [m or rad].
        amplitude: f64,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase [rad].
        phase: f64,
    },
    /// Straight lines between points (time [s], value); before the first and after the last the value stays.
    Table {
        /// Times [s], ascending.
        times: Arc<[f64]>,
        /// Values at these times: of the quantity, or of its rate.
        values: Arc<[f64]>,
        /// Whether the values are rates, to be integrated.
        rates: bool,
    },
}

/// A wall that moves by Newton's law.
#[derive(Clone, Debug, PartialEq)]
pub struct Freedom {
    /// Mass [kg].
    pub mass: f64,
    /// Moment of inertia [kg m²] about any axis through its centre; `None`: it does not turn.
    pub inertia: Option<f64>,
    /// The unit direction it is free to move along; `None`: all.
    pub direction: Option<Vector3>,
    /// Force on it beside gravity and the bodies [N].
    pub load: Vector3,
    /// Whether gravity pulls at it.
    pub gravity: bool,
}

/// A wall that seeks the speed at which the bodies push with a given force.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// Unit direction in which the wall pushes the bodies.
    pub direction: Vector3,
    /// Force with which it shall push along that direction [N].
    pub force: f64,
    /// Change of speed in a step per newton that is missing [m/(s N)].
    pub gain: f64,
    /// Largest speed [m/s].
    pub top_speed: f64,
}

/// Where a wall is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallState {
    /// Way of its centre since time zero [m].
    pub displacement: Vector3,
    /// Turned by this since time zero.
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
    /// The plane of a wall that is one: for tests.
    #[cfg(test)]
    pub(crate) fn plane(&self) -> crate::shape::HalfSpace {
        match self.surface {
            Surface::Plane(plane) => plane,
            _ => panic!("wall {} is no plane", self.name),
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
        }
    }
}

impl Wall {
    /// The surface where it is.
    #[must_use]
    pub fn placed(&self, state: &WallState) -> Surface {
        self.surface
            .placed(&self.centre, &state.displacement, state.orientation)
    }

    pub fn driven(&self, state: &WallState, _t0: f64, _t1: f64) -> WallState { *state }
    pub fn moved(&self, state: &WallState, dt: f64) -> WallState { WallState { displacement: state.displacement + state.velocity * dt, ..*state } }
    pub fn place_now(&self, state: &WallState) -> Vector3 { self.centre + state.displacement }
    pub fn velocity_at(&self, state: &WallState, p: &Vector3) -> Vector3 { state.velocity + state.angular_velocity.cross(&(p - self.place_now(state))) }
}
impl Freedom {
    pub fn projected(&self, v: Vector3) -> Vector3 { self.direction.map_or(v, |e| e * e.dot(&v)) }
}
impl Servo {
    pub fn next_speed(&self, present: f64, pushed: f64) -> f64 { (present + self.gain * (self.force - pushed)).clamp(-self.top_speed, self.top_speed) }
}
