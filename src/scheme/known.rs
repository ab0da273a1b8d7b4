//! The data of a rank in a step: its own bodies, and copies of others that reach into its blocks.

use super::physics::Physics;
use super::state::{State, WallReference};
use crate::body::{Bodies, BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::copies::Copies;
use crate::domain::ghosts::{Ghosts, HandOvers, half};
use crate::domain::migration::{to_owners, with_copies};
use crate::domain::partition::Partition;
use crate::domain::reach::reaches;
use crate::math::Vector3;
use crate::pool::Pool;

/// The data of a rank in a step.
pub(super) struct Known<'d> {
    /// The bodies as they were before the step, in the order of their ids.
    pub rows: Vec<BodyRow>,
    /// The same bodies in columns, with the velocities that the step gives them.
    pub bodies: Bodies,
    /// The bodies when the plan was made.
    pub planned: Planned,
    /// The exchange of these bodies with other ranks.
    pub ghosts: Ghosts<'d>,
}

/// A plan of contacts on one rank: the bodies and walls when it was made, and all that follows from
/// them alone.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// Ids of the bodies that this rank knows, ascending.
    pub ids: Vec<BodyId>,
    /// Their positions [m].
    pub places: Vec<Vector3>,
    /// Half the widths of their boxes [m].
    pub halves: Vec<f64>,
    /// The ranks that own them.
    pub owners: Vec<usize>,
    /// The walls.
    pub walls: Vec<WallReference>,
    /// The cut of the domain.
    pub partition: Partition,
    copies: Copies,
    hand_overs: HandOvers,
}

impl Planned {
    /// The plan of the present references.
    fn new(rows: &[BodyRow], state: &State, domain: &Domain, physics: &Physics) -> Self {
        let place = |row: &BodyRow| row.reference.position.into();
        let places: Vec<Vector3> = rows.iter().map(place).collect();
        let halves: Vec<f64> = rows.iter().map(|row| half(row, physics.skin)).collect();
        let owner = |x: &Vector3| domain.partition().owner_of_point(x);
        let mut plan = Self {
            ids: rows.iter().map(|row| row.id).collect(),
            owners: places.iter().map(owner).collect(),
            walls: state.references.clone(),
            partition: domain.partition().clone(),
            places,
            halves,
            copies: Copies::default(),
            hand_overs: HandOvers::default(),
        };
        plan.share(domain, physics);
        plan
    }

    /// Plans the exchange of its bodies.
    fn share(&mut self, domain: &Domain, physics: &Physics) {
        let large = physics.large.places(&self.ids);
        let reaches = reaches(domain, &self.places, &self.halves, large);
        self.copies = Copies::plan(domain, &self.owners, &reaches);
        let exchange = physics.solver.exchange;
        self.hand_overs = HandOvers::plan(domain, &reaches, &self.places, exchange);
    }

    /// The same plan without bodies that have gone, by index.
    pub(super) fn without(mut self, gone: &[bool], domain: &Domain, physics: &Physics) -> Self {
        fn retain<T>(all: &mut Vec<T>, gone: &[bool]) {
            let mut gone = gone.iter();
            all.retain(|_| gone.next() == Some(&false));
        }
        if gone.contains(&true) {
            retain(&mut self.ids, gone);
            retain(&mut self.places, gone);
            retain(&mut self.halves, gone);
            retain(&mut self.owners, gone);
            self.share(domain, physics);
        }
        self
    }

    /// Whether another plan is of the same bodies and walls with the same partition.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.ids == other.ids
            && self.places == other.places
            && self.halves == other.halves
            && self.walls == other.walls
            && self.partition == other.partition
    }

    /// The rank that owns a body that this rank knows.
    pub(super) fn owner(&self, id: BodyId) -> usize {
        let place = self.ids.binary_search(&id);
        self.owners[place.expect("the bodies of a contact reach into the block that holds it")]
    }
}

impl<'d> Known<'d> {
    /// Brings bodies to their owners, and copies to all ranks that need them. Also returns the
    /// contacts, in the order of their keys. Collective.
    ///
    /// `columns` are memory for the columns of bodies, and the threads that fill them.
    /// The state is without bodies and contacts until the step ends.
    pub(super) fn gather(
        state: &mut State,
        domain: &Domain<'d>,
        physics: &Physics,
        columns: (Bodies, &Pool),
    ) -> (Self, Vec<ContactRow>) {
        let mut parcel = std::mem::take(&mut state.parcel);
        // An open contact whose law has no state needs no record.
        let lasts = |row: &ContactRow| row.impulse != [0.0; 3] || row.state.lasts();
        parcel.contacts.retain(lasts);
        let all = with_copies(
            domain,
            to_owners(domain, parcel),
            physics.skin,
            &physics.large,
        );
        let planned = Planned::new(&all.bodies, state, domain, physics);
        let known = Self::of(all.bodies, planned, domain, physics, columns);
        (known, all.contacts)
    }

    /// The same while a plan is kept: copies are brought up to date. Collective.
    pub(super) fn refreshed(
        state: &mut State,
        planned: Planned,
        domain: &Domain<'d>,
        physics: &Physics,
        columns: (Bodies, &Pool),
    ) -> Self {
        let parcel = std::mem::take(&mut state.parcel);
        let rows = planned.copies.refresh(domain, parcel.bodies);
        let same = rows.len() == planned.ids.len()
            && rows.iter().zip(&planned.ids).all(|(row, id)| row.id == *id);
        assert!(same, "bodies were removed or reordered between two steps");
        Self::of(rows, planned, domain, physics, columns)
    }

    fn of(
        rows: Vec<BodyRow>,
        mut planned: Planned,
        domain: &Domain<'d>,
        physics: &Physics,
        (mut bodies, pool): (Bodies, &Pool),
    ) -> Self {
        let hand_overs = std::mem::take(&mut planned.hand_overs);
        bodies.renew(&rows, &physics.templates, pool);
        Self {
            bodies,
            ghosts: Ghosts::new(domain, hand_overs),
            planned,
            rows,
        }
    }

    /// The rows and the plan, at the end of the step.
    pub(super) fn end(self) -> (Vec<BodyRow>, Bodies, Planned) {
        let Self {
            rows,
            bodies,
            mut planned,
            ghosts,
        } = self;
        planned.hand_overs = ghosts.into_plan();
        (rows, bodies, planned)
    }
}
