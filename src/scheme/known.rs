//! The data of a rank in a step: its own bodies, and copies of others that reach into its blocks.

use super::physics::Physics;
use super::state::State;
use crate::body::{Bodies, BodyRow};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::ghosts::{Ghosts, half, spans};
use crate::domain::migration::{to_owners, with_copies};
use crate::math::Vector3;

/// The data of a rank in a step.
pub(super) struct Known<'d> {
    /// The bodies as they were before the step, in the order of their ids.
    pub rows: Vec<BodyRow>,
    /// The contacts of the last step, in the order of their keys.
    pub contacts: Vec<ContactRow>,
    /// The same bodies in columns, with the velocities that the step gives them.
    pub bodies: Bodies,
    /// Their positions when the plan was made [m].
    pub places: Vec<Vector3>,
    /// Half the widths of their boxes [m].
    pub halves: Vec<f64>,
    /// The ranks that own them.
    pub owners: Vec<usize>,
    /// Records of joined contacts between immovable sides, which the solve leaves out.
    pub resting: Vec<ContactRow>,
    /// The exchange of these bodies with other ranks.
    pub ghosts: Ghosts<'d>,
}

impl<'d> Known<'d> {
    /// Brings bodies to their owners, and copies to all ranks that need them. Collective.
    ///
    /// The state is without bodies and contacts until the step ends.
    pub(super) fn gather(state: &mut State, domain: &Domain<'d>, physics: &Physics) -> Self {
        let mut parcel = std::mem::take(&mut state.parcel);
        // An open contact whose law has no state needs no record.
        let lasts = |row: &ContactRow| row.impulse != [0.0; 3] || row.state.lasts();
        parcel.contacts.retain(lasts);
        let all = with_copies(domain, to_owners(domain, parcel), physics.skin);
        let bodies = Bodies::with_moments(&all.bodies, &physics.templates);
        let rows = all.bodies.iter();
        let places: Vec<Vector3> = rows.map(|row| row.reference.position.into()).collect();
        let rows = all.bodies.iter();
        let halves: Vec<f64> = rows.map(|row| half(row, physics.skin)).collect();
        let owner = |x: &Vector3| domain.partition().owner_of_point(x);
        let owners = places.iter().map(owner).collect();
        let spans = spans(domain, &places, &halves);
        let ghosts = Ghosts::plan(domain, &spans, &places, physics.solver.exchange);
        Self {
            places,
            halves,
            owners,
            rows: all.bodies,
            contacts: all.contacts,
            bodies,
            resting: Vec::new(),
            ghosts,
        }
    }
}
