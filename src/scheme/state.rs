//! The state between two steps: all that outlives a step, as one rank has it.

use super::physics::Physics;
use crate::body::{BodyRow, WallState};
use crate::contact::ContactRow;
use crate::domain::migration::Parcel;

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Steps done.
    pub step: u64,
    /// Time [s]: a whole number of steps, or by a rule their sum.
    pub time: f64,
    /// Length of the last step [s], in which the impulses of the contacts acted: by it they become forces. Before the first step
    /// the longest that there can be.
    pub dt: f64,
}

/// All that outlives a step, and all that a checkpoint holds of physics: plain data. Whoever has it, on any ranks, can go on.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// How far the run has come.
    pub clock: Clock,
    /// This rank's bodies, and the contacts of the last step that start at them. Bodies that are added, on whatever rank, are
    /// brought to their owners by the next step.
    pub parcel: Parcel,
    /// Walls, on all ranks alike.
    pub walls: Vec<WallState>,
    /// Where they were when the impulses of the last step acted; where a run begins or goes on, until its first step, where they are.
    pub walls_before: Vec<WallState>,
    /// Energy in springs after the last step, over all ranks [J].
    pub elastic: f64,
}

impl State {
    /// A state made of this rank's share of bodies and contacts, after so many steps of the longest length there can be; walls
    /// are where they are at time zero.
    #[must_use]
    pub fn new(physics: &Physics, step: u64, parcel: Parcel) -> Self {
        let dt = physics.pace.at_most();
        let walls = vec![WallState::default(); physics.walls.len()];
        Self {
            clock: Clock {
                step,
                time: step as f64 * dt,
                dt,
            },
            parcel,
            walls_before: walls.clone(),
            walls,
            elastic: 0.0,
        }
    }

    /// This rank's bodies.
    #[must_use]
    pub fn bodies(&self) -> &[BodyRow] {
        &self.parcel.bodies
    }

    /// The contacts of the last step that start at this rank's bodies.
    #[must_use]
    pub fn contacts(&self) -> &[ContactRow] {
        &self.parcel.contacts
    }
}
