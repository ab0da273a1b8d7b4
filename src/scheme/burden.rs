//! The cost of a step, block by block.

use super::state::State;
use crate::domain::Domain;
use crate::math::Vector3;
use crate::solver::grid::Block3;
use std::collections::BTreeMap;

/// Cost of a contact apart from sweeps, in updates: its search, its place in a batch, its record.
const CONTACT: i64 = 12;
/// Cost of a body, in updates: its search, its move.
const BODY: i64 = 28;

impl State {
    /// The cost of each block in a step with this number of sweeps, in updates of a contact.
    ///
    /// It counts this rank's bodies and contacts (`benches/instructions.csv` has the measured
    /// costs).
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
