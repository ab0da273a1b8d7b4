//! The state between two steps: the data on one rank that outlive a step.

use super::physics::Physics;
use crate::body::{Anchor, BodyRow, Cell, CellState, WallState};
use crate::contact::ContactRow;
use crate::domain::migration::Parcel;
use crate::measure::Wear;
use std::sync::Arc;

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Number of steps done.
    pub step: u64,
    /// Time [s]: a whole number of steps, or by a rule their sum.
    pub time: f64,
    /// Length of the last step [s], by which the impulses of the contacts become forces.
    ///
    /// Before the first step it is the longest possible length.
    pub dt: f64,
}

/// A wall when the plan was made, and the distance that it may move since.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallReference {
    /// Its position.
    pub state: WallState,
    /// The distance by which its surface may move until the next plan [m].
    pub allowance: f64,
}

/// The data that outlive a step: plain data, the physics in a checkpoint.
///
/// From them a run can continue on any number of ranks.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The progress of the run.
    pub clock: Clock,
    /// This rank's bodies, and the contacts of the last step that start at them unless a scheme
    /// keeps them.
    ///
    /// New bodies may be added on any rank; the next step brings them to their owners.
    pub parcel: Parcel,
    /// Walls, the same on all ranks.
    pub walls: Vec<WallState>,
    /// Walls when the plan was made, by number; empty before the first.
    pub references: Vec<WallReference>,
    /// Walls at the time at which the impulses of the last step acted.
    ///
    /// Before the first step of a run, and of a continued run, their present states.
    pub walls_before: Vec<WallState>,
    /// Energy in springs after the last step, over all ranks [J].
    pub elastic: f64,
    /// The places at which supports hold bodies, in the order of ids, the same on all ranks.
    ///
    /// They are made in the first quasi-static increment.
    pub anchors: Arc<[Anchor]>,
    /// The periodic cell, if it deforms; the same on all ranks.
    pub cell: Option<CellState>,
    /// The loads and the wear of the triangles of meshes, as far as this rank's contacts made them;
    /// `None`: they are not recorded.
    pub wear: Option<Wear>,
    /// The number of the step whose contacts a scheme keeps; 0: they stand in the parcel.
    ///
    /// [`MoreauJean::bring_contacts`](super::MoreauJean::bring_contacts) brings them here.
    pub kept: u64,
}

impl State {
    /// A state made of this rank's bodies and contacts, after `step` steps of the longest possible
    /// length.
    ///
    /// Walls are in their positions at time zero.
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
            references: Vec::new(),
            elastic: 0.0,
            anchors: Arc::default(),
            cell: physics.cell.as_ref().map(Cell::start),
            wear: None,
            kept: 0,
        }
    }

    /// This rank's bodies.
    #[must_use]
    pub fn bodies(&self) -> &[BodyRow] {
        &self.parcel.bodies
    }

    /// The contacts of the last step that start at this rank's bodies.
    ///
    /// # Panics
    /// While a scheme keeps them.
    #[must_use]
    pub fn contacts(&self) -> &[ContactRow] {
        assert_eq!(self.kept, 0, "the scheme keeps the contacts");
        &self.parcel.contacts
    }
}
