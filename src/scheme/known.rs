//! The data of a rank in a step: its own bodies, and copies of others that reach into its blocks.

use super::physics::Physics;
use super::state::State;
use crate::body::{Bodies, BodyRow};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::ghosts::{Ghosts, spans};
use crate::domain::migration::{to_owners, with_copies};

/// The data of a rank in a step.
pub(super) struct Known<'d> {
    /// The gap below which detection finds a pair [m].
    pub margin: f64,
    /// The gap below which an unbonded pair is a candidate too [m].
    pub near: f64,
    /// The bodies as they were before the step, in the order of their ids.
    pub rows: Vec<BodyRow>,
    /// The contacts of the last step, in the order of their keys.
    pub contacts: Vec<ContactRow>,
    /// The same bodies in columns, with the velocities that the step gives them.
    pub bodies: Bodies,
    /// Records of joined contacts between immovable sides, which the solve leaves out.
    pub resting: Vec<ContactRow>,
    /// The exchange of these bodies with other ranks.
    pub ghosts: Ghosts<'d>,
}

impl<'d> Known<'d> {
    /// Brings bodies to their owners, and copies to all ranks that need them. Collective.
    ///
    /// The state is without bodies and contacts until the step ends.
    pub(super) fn gather(
        state: &mut State,
        domain: &Domain<'d>,
        (near, margin): (f64, f64),
        physics: &Physics,
    ) -> Self {
        let mut parcel = std::mem::take(&mut state.parcel);
        // An open contact whose law has no state needs no record.
        let lasts = |row: &ContactRow| row.impulse != [0.0; 3] || row.state.lasts();
        parcel.contacts.retain(lasts);
        let all = with_copies(domain, to_owners(domain, parcel), margin);
        let bodies = Bodies::with_moments(&all.bodies, &physics.templates);
        let spans = spans(domain, &bodies, margin);
        let ghosts = Ghosts::plan(domain, &spans, bodies.positions(), physics.solver.exchange);
        Self {
            margin,
            near,
            rows: all.bodies,
            contacts: all.contacts,
            bodies,
            resting: Vec::new(),
            ghosts,
        }
    }
}
