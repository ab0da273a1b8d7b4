//! What a rank knows in a step: its own bodies, and copies of those that reach into its blocks.

use super::physics::Physics;
use super::state::State;
use crate::body::{Bodies, BodyRow};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::ghosts::{Ghosts, spans};
use crate::domain::migration::{to_owners, with_copies};

/// What a rank knows in a step.
pub(super) struct Known<'d> {
    /// The gap below which a pair is found [m].
    pub margin: f64,
    /// The gap below which it counts as a candidate, joined or not [m].
    pub near: f64,
    /// The bodies as they were before the step, in order of id.
    pub rows: Vec<BodyRow>,
    /// The contacts of the last step, in order of key.
    pub contacts: Vec<ContactRow>,
    /// The same bodies in columns, with the velocities that the step gives them.
    pub bodies: Bodies,
    /// Who else knows them.
    pub ghosts: Ghosts<'d>,
}

impl<'d> Known<'d> {
    /// Brings bodies to their owners, and copies to all who need them. The state has no bodies and contacts until the step ends.
    /// Collective.
    pub(super) fn gather(
        state: &mut State,
        domain: &Domain<'d>,
        (near, margin): (f64, f64),
        physics: &Physics,
    ) -> Self {
        let mut parcel = std::mem::take(&mut state.parcel);
        // An open contact without a memory has nothing to hand on.
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
            ghosts,
        }
    }
}
