//! The frame of an assembly: walls, and the edges of a periodic cell that deforms.

use super::unknowns::Shift;
use crate::body::{Motion, Wall, WallState};
use crate::math::Vector3;
use crate::scheme::physics::Physics;

/// A motion of the frame, and the frame after it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// The shift of each wall.
    pub shifts: Vec<Shift>,
    /// Walls after it.
    pub states: Vec<WallState>,
    /// Strains of the edges of the cell, over their lengths before it.
    pub strain: Vector3,
    /// The upper corner of the cell after it [m].
    pub upper: Vector3,
}

/// The motion of a frame alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves<'m> {
    /// The shift of each wall.
    pub walls: &'m [Shift],
    /// Strains of the edges of the cell.
    pub strain: Vector3,
}

impl Frame {
    /// The motion of driven walls and edges in a time span [s]. Others stand.
    pub(super) fn driven(
        physics: &Physics,
        states: &[WallState],
        upper: &Vector3,
        times: [f64; 2],
    ) -> Self {
        let one = |(wall, state): (&Wall, &WallState)| match wall.motion {
            Motion::Driven(_) => {
                let after = wall.driven(times[0], times[1]).unwrap_or(*state);
                let shift = Shift {
                    way: wall.shift_to(state, &after, times[1] - times[0]),
                    turn: after.angular_velocity * (times[1] - times[0]),
                };
                (shift, after)
            }
            _ => (Shift::default(), *state),
        };
        let (shifts, states) = physics.walls.iter().zip(states).map(one).unzip();
        let after = (physics.cell.as_ref()).map_or(*upper, |cell| cell.prescribed(upper, times));
        Self {
            shifts,
            states,
            strain: strain(physics, upper, &after),
            upper: after,
        }
    }

    /// Whether nothing moves.
    pub(super) fn is_still(&self) -> bool {
        let still = |shift: &Shift| *shift == Shift::default();
        self.shifts.iter().all(still) && self.strain == Vector3::zeros()
    }

    /// Its motion.
    pub(super) fn moves(&self) -> Moves<'_> {
        Moves {
            walls: &self.shifts,
            strain: self.strain,
        }
    }
}

/// The strains of the edges from one upper corner to another.
pub(super) fn strain(physics: &Physics, from: &Vector3, to: &Vector3) -> Vector3 {
    let strains = |cell: &crate::body::Cell| cell.strains(from, to);
    physics.cell.as_ref().map_or_else(Vector3::zeros, strains)
}
