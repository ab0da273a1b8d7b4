//! When blocks are shared out anew among the ranks.

use crate::body::BodyRow;
use crate::comm::Comm;
use crate::config::Balance;
use crate::domain::Domain;
use crate::domain::balance::{Balanced, balanced};
use crate::math::Vector3;
use crate::scheme::{Physics, Report, State};
use crate::solver::grid::Block3;
use std::collections::BTreeMap;

/// Of the present imbalance a new cut must leave less than this, or bodies would move for nothing.
const WORTH: f64 = 0.97;

/// Looks every so often whether some rank has much more to do than the others.
pub(super) struct Balancer {
    rule: Balance,
    /// Steps and sweeps since the last look.
    steps: u64,
    sweeps: u64,
    /// How often blocks have been shared out anew.
    shared_out: u64,
    /// The busiest rank's work over the mean, at the last look, after it if there was a new cut.
    imbalance: f64,
}

/// Shares blocks out by the bodies that each rank brings, before bodies come to their owners for the first time: by bricks one rank might
/// have to take them all. Says whether it did. Collective.
pub(super) fn by_bodies(
    comm: &dyn Comm,
    domain: &mut Domain,
    rule: &Balance,
    bodies: &[BodyRow],
) -> bool {
    if comm.size() == 1 || rule.every == 0 {
        return false;
    }
    let grid = domain.partition().grid();
    let mut weights = BTreeMap::new();
    for row in bodies {
        let block = grid.block_of(&Vector3::from(row.position));
        *weights.entry(block).or_insert(0) += 1;
    }
    let weights: Vec<(Block3, i64)> = weights.into_iter().collect();
    let partition = balanced(domain, &weights).partition;
    domain.set_partition(partition);
    true
}

impl Balancer {
    /// `cut`: whether blocks have been shared out already.
    pub(super) fn new(rule: Balance, cut: bool) -> Self {
        Self {
            rule,
            steps: 0,
            sweeps: 0,
            shared_out: u64::from(cut),
            imbalance: 1.0,
        }
    }

    /// Before the first step: by the bodies and the contacts there are. Collective.
    pub(super) fn start(
        &mut self,
        comm: &dyn Comm,
        domain: &mut Domain,
        physics: &Physics,
        state: &State,
    ) {
        let blocks = domain.partition().grid().count();
        let blocks = blocks.iter().map(|&n| n as u64).product::<u64>();
        if comm.rank() == 0 && blocks < comm.size() as u64 {
            tell!(
                "moreau: {} ranks share {blocks} blocks, so some have nothing to do; fewer ranks, or a smaller solver.block_edge (above the \
                 largest diameter), are better",
                comm.size()
            );
        }
        if self.rule.every > 0 {
            self.look(comm, domain, physics, state, 0);
        }
    }

    /// After a step. Collective.
    pub(super) fn after_step(
        &mut self,
        comm: &dyn Comm,
        domain: &mut Domain,
        physics: &Physics,
        state: &State,
        report: &Report,
    ) {
        self.steps += 1;
        self.sweeps += report.outcome.sweeps;
        // By the number of the step, so that a run that went on looks when one that was not stopped would.
        if self.rule.every > 0 && state.clock.step.is_multiple_of(self.rule.every) {
            let sweeps = self.sweeps / self.steps;
            (self.steps, self.sweeps) = (0, 0);
            self.look(comm, domain, physics, state, sweeps);
        }
    }

    /// A line of the summary.
    pub(super) fn tell(&self) {
        let Self {
            shared_out,
            imbalance,
            ..
        } = self;
        say!(
            "balance    blocks shared out {shared_out} times; the busiest rank has {imbalance:.2} of the mean work"
        );
    }

    fn look(
        &mut self,
        comm: &dyn Comm,
        domain: &mut Domain,
        physics: &Physics,
        state: &State,
        sweeps: u64,
    ) {
        if comm.size() == 1 {
            return;
        }
        let passes = physics.solver.inner_passes;
        let work = state.work(domain, sweeps * passes);
        let mine: i64 = work.iter().map(|(_, w)| w).sum();
        let (mut total, mut largest) = ([mine], [mine]);
        comm.sum_i64(&mut total);
        comm.max_i64(&mut largest);
        let mean = total[0] as f64 / comm.size() as f64;
        let over_mean = |largest: i64| {
            if mean > 0.0 {
                largest as f64 / mean
            } else {
                1.0
            }
        };
        self.imbalance = over_mean(largest[0]);
        if self.imbalance <= self.rule.above {
            return;
        }
        let Balanced { partition, largest } = balanced(domain, &work);
        if over_mean(largest) < WORTH * self.imbalance {
            domain.set_partition(partition);
            self.shared_out += 1;
            self.imbalance = over_mean(largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::comm::threads;
    use crate::domain::partition::Partition;
    use crate::solver::grid::BlockGrid;

    /// Bodies that all lie in one rank's brick are shared out before they go anywhere.
    #[test]
    fn no_rank_takes_all_bodies_at_the_start() {
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(16.0));
        let most = threads::run(4, |comm| {
            let grid = BlockGrid::new(lower, upper, 1.0, [false; 3]);
            let mut domain =
                Domain::new(comm, Partition::with_ranks(lower, upper, grid, [2, 2, 1]));
            // A body in each block of a corner, any of them on any rank.
            let row = |k: u64| BodyRow {
                id: BodyId(k),
                position: [k % 4, k / 4 % 4, k / 16].map(|x| x as f64 + 0.5),
                ..bytemuck::Zeroable::zeroed()
            };
            let all: Vec<BodyRow> = (0..64).map(row).collect();
            let mine: Vec<BodyRow> = all.iter().skip(comm.rank()).step_by(4).copied().collect();
            let owned = |domain: &Domain| {
                let owner = |row: &BodyRow| domain.partition().owner_of_point(&row.position.into());
                all.iter().filter(|row| owner(row) == comm.rank()).count()
            };
            let before = owned(&domain);
            let rule = Balance {
                every: 20,
                above: 1.1,
            };
            assert!(by_bodies(comm, &mut domain, &rule, &mine));
            (before, owned(&domain))
        });
        assert_eq!(most.iter().map(|(before, _)| *before).max(), Some(64));
        assert!(most.iter().all(|(_, after)| *after == 16), "{most:?}");
    }
}
