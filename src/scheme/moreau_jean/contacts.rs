//! The contacts between two steps: the blocks keep them, and the state has them where output,
//! other ranks or a new plan ask for them.

use super::machine::MoreauJean;
use crate::body::{BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::ghosts::half;
use crate::domain::migration::to_first_bodies;
use crate::domain::reach::Reach;
use crate::measure;
use crate::scheme::state::State;
use crate::solver::blocks::Held;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of steps, of all schemes of this program, whose contacts were kept.
static KEPT: AtomicU64 = AtomicU64::new(0);

impl MoreauJean {
    /// Keeps the contacts of a step in the blocks, for the next step of this state.
    pub(super) fn keep_contacts(&mut self, state: &mut State) {
        self.kept = KEPT.fetch_add(1, Ordering::Relaxed) + 1;
        state.kept = self.kept;
    }

    /// Whether the blocks keep the contacts of this state.
    ///
    /// # Panics
    /// If another scheme keeps them, or this one has done another step since.
    pub(super) fn keeps(&self, state: &State) -> bool {
        let none = state.kept == 0;
        assert!(
            none || state.kept == self.kept,
            "the contacts of this state were not brought to it"
        );
        !none
    }

    /// Brings the contacts of the last step to the state, unless they are there. Collective.
    ///
    /// Each comes to the rank of its first body.
    pub fn bring_contacts(&self, state: &mut State, domain: &Domain) {
        if !self.keeps(state) {
            return;
        }
        let mut rows = Vec::new();
        self.blocks.rows(&mut rows);
        self.hand_on(rows, state, domain);
    }

    /// Makes the contacts of the last step ready for a new plan. Collective.
    ///
    /// Those that no other rank will know are held; the others come to the state, each on the rank
    /// of its first body, with the data that this step needs.
    pub(super) fn bring_kept(&mut self, state: &mut State, domain: &Domain) -> Held {
        if !self.keeps(state) {
            return Held::default();
        }
        let stays = self.that_stay(state, domain);
        let mut rows = Vec::new();
        if domain.size() > 1 {
            self.blocks.kept_rows(&stays, &mut rows);
        }
        self.hand_on(rows, state, domain);
        self.blocks.hold(&stays)
    }

    /// Whether each body of the last plan is known to this rank alone under the new plan.
    fn that_stay(&self, state: &State, domain: &Domain) -> Vec<bool> {
        let ids = self.blocks.ids();
        let physics = &self.physics;
        let stays = |row: &&BodyRow| {
            let (x, large) = (row.reference.position.into(), physics.large.has(row.id));
            let reach = Reach::of(domain, &x, half(row, physics.skin), large);
            reach.others(domain).is_empty()
        };
        if domain.size() == 1 {
            return vec![true; ids.len()];
        }
        let here = state.parcel.bodies.iter().filter(stays);
        let mut here: Vec<BodyId> = here.map(|row| row.id).collect();
        here.sort_unstable();
        ids.iter()
            .map(|id| here.binary_search(id).is_ok())
            .collect()
    }

    fn hand_on(&self, mut rows: Vec<ContactRow>, state: &mut State, domain: &Domain) {
        if let Some(planned) = &self.planned {
            to_first_bodies(domain, &mut rows, |id| planned.owner(id));
        }
        state.parcel.contacts = rows;
        state.kept = 0;
    }

    /// The contacts of the last step, each on one rank; those between bodies may be missing.
    #[must_use]
    pub fn wall_contacts<'s>(&self, state: &'s State) -> Cow<'s, [ContactRow]> {
        match self.keeps(state) {
            true => Cow::Owned(self.blocks.wall_rows()),
            false => Cow::Borrowed(state.contacts()),
        }
    }

    /// The number of this rank's contacts in the last step, and of those that carry a force.
    #[must_use]
    pub fn count_contacts(&self, state: &State) -> [usize; 2] {
        match self.keeps(state) {
            true => self.blocks.counts(),
            false => {
                let contacts = state.contacts();
                [contacts.len(), measure::active(contacts)]
            }
        }
    }
}
