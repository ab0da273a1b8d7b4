//! The constants of a run.

use super::acts::Acts;
use super::error::is_finite;
use super::pace::Pace;
use super::quasistatic::Statics;
use crate::body::{BodyRow, Cell, Large, Motion, Wall, WallState};
use crate::law::Laws;
use crate::math::Vector3;
use crate::shape::Template;
use crate::solver::Settings;

/// The constants of a run.
#[derive(Clone, Debug)]
pub struct Physics {
    /// The length of steps.
    pub pace: Pace,
    /// Time at which a run with steps by a rule ends, so that its last step ends there [s].
    pub until: Option<f64>,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// The laws of contacts.
    pub laws: Laws,
    /// The shapes of clumps, by number.
    pub templates: Vec<Template>,
    /// Walls by number, as they were at time zero.
    pub walls: Vec<Wall>,
    /// The periodic cell that deforms, if it does.
    pub cell: Option<Cell>,
    /// The solver's settings.
    pub solver: Settings,
    /// Largest radius of all bodies on all ranks but the large ones [m].
    pub largest_radius: f64,
    /// The bodies much larger than the rest.
    pub large: Large,
    /// Distance below which bodies are candidates for a contact even at rest [m]; at least the
    /// longest range of cohesion.
    pub skin: f64,
    /// Whether a body that leaves the domain is deleted; else it ends the run.
    pub delete_outside: bool,
    /// The actions of regions.
    pub acts: Acts,
    /// Whether bodies are discs in the plane z = 0, one metre thick.
    pub planar: bool,
    /// The settings of a quasi-static scheme; `None`: the time step of contact dynamics.
    pub statics: Option<Statics>,
}

impl Physics {
    /// The walls in the positions of these states.
    ///
    /// A fixed wall stays where it is: in a continued run it may have moved before.
    #[must_use]
    pub fn placed(&self, states: &[WallState]) -> Vec<Wall> {
        let place = |(wall, state): (&Wall, &WallState)| Wall {
            surface: wall.placed(state),
            ..wall.clone()
        };
        self.walls.iter().zip(states).map(place).collect()
    }

    /// Acceleration of a free body of mass `m` [kg] at `x` [m], by gravity and fields [m/s²].
    ///
    /// Fields depend on `time` [s].
    #[must_use]
    #[inline]
    pub fn acceleration(&self, x: &Vector3, mass: f64, time: f64) -> Vector3 {
        if self.acts.fields.is_empty() {
            return self.gravity;
        }
        self.gravity + self.acts.acceleration(x, mass, time)
    }

    /// The factor of the loads at a time [s]: that of the first field with one, or else of the
    /// first free wall, or of the first stress of the cell, with one.
    #[must_use]
    pub fn load_factor(&self, time: f64) -> Option<f64> {
        let of_wall = |wall: &Wall| match &wall.motion {
            Motion::Free(free) => free.factor.as_ref().map(|factor| factor.at(time)),
            _ => None,
        };
        let of_walls = || self.walls.iter().find_map(of_wall);
        let of_cell = || Some(self.cell.as_ref()?.ramps().next()?.at(time));
        self.acts.factor(time).or_else(of_walls).or_else(of_cell)
    }

    /// Bound on the speed of a body's surface in free motion [m/s]; NaN if the body is not finite.
    ///
    /// The step has the length `dt` and starts at `time` [s].
    #[must_use]
    pub fn free_speed(&self, row: &BodyRow, dt: f64, time: f64) -> f64 {
        let velocity = Vector3::from(row.velocity);
        match is_finite(row) {
            true if row.is_free() => {
                let x = &Vector3::from(row.position);
                let pull = self.acceleration(x, row.mass, time);
                (velocity + pull * dt).norm() + row.surface_speed()
            }
            true => velocity.norm() + row.surface_speed(),
            false => f64::NAN,
        }
    }
}
