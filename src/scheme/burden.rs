//! What a step costs, block by block.

use super::state::State;
use crate::domain::Domain;
use crate::math::Vector3;
use crate::solver::grid::Block3;
use std::collections::BTreeMap;

/// What a contact costs beside sweeps, in updates: its search, its place in a batch, its record.
const CONTACT: i64 = 12;
/// What a body costs, in updates: its search, its way.
const BODY: i64 = 28;

impl State {
    /// What each block costs in a step of so many sweeps, as far as this rank's bodies and contacts go, in updates of a contact
    /// (`benches/instructions.csv` tells what else costs how many).
    #[must_use]
    pub fn work(&self, domain: &Domain, sweeps: u64) -> Vec<(Block3, i64)> {
        let grid = domain.partition().grid();
        let mut work: BTreeMap<Block3, i64> = BTreeMap::new();
        let contact = CONTACT + sweeps.min(1 << 20) as i64;
        for row in self.bodies() {
            *work
                .entry(grid.block_of(&Vector3::from(row.position)))
                .or_default() += BODY;
        }
        for row in self.contacts() {
            *work
                .entry(grid.block_of(&Vector3::from(row.point)))
                .or_default() += contact;
        }
        work.into_iter().collect()
    }
}
