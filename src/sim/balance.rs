//! The redistribution of blocks among the ranks during a run.

use crate::body::BodyRow;
use crate::comm::Comm;
use crate::config::Balance;
use crate::domain::Domain;
use crate::domain::balance::{Balanced, balanced};
use crate::math::Vector3;
use crate::scheme::{Physics, Report, Scheme, State};
use crate::solver::grid::Block3;
use std::collections::BTreeMap;

/// A new distribution must reduce the present imbalance to less than this fraction.
///
/// A smaller gain would not pay for the moves of bodies.
const WORTH: f64 = 0.97;

/// Checks at intervals whether some rank has much more work than the others.
pub(super) struct Balancer {
    rule: Balance,
    /// Steps and sweeps since the last check.
    steps: u64,
    sweeps: u64,
    /// The number of redistributions.
    shared_out: u64,
    /// The busiest rank's work over the mean at the last check, after a redistribution if there was
    /// one.
    imbalance: f64,
}

/// Distributes blocks by the bodies of each rank, before bodies first go to their owners.
/// Collective.
///
/// With a division into bricks one rank might have to take all bodies. Returns whether blocks were
/// distributed.
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
    /// `cut`: whether blocks have been distributed already.
    pub(super) fn new(rule: Balance, cut: bool) -> Self {
        Self {
            rule,
            steps: 0,
            sweeps: 0,
            shared_out: u64::from(cut),
            imbalance: 1.0,
        }
    }

    /// Distributes blocks before the first step, by the present bodies and contacts. Collective.
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
                "moreau: {} ranks share {blocks} blocks, so some are idle; use fewer ranks, or a smaller solver.block_edge (above the \
                 largest diameter)",
                comm.size()
            );
        }
        if self.rule.every > 0 {
            self.look(comm, domain, physics, state, 0);
        }
    }

    /// Checks the balance after a step. Collective.
    pub(super) fn after_step(
        &mut self,
        comm: &dyn Comm,
        domain: &mut Domain,
        scheme: &Scheme,
        state: &mut State,
        report: &Report,
    ) {
        self.steps += 1;
        self.sweeps += report.outcome.sweeps;
        // By the number of the step, so that a continued run checks at the same steps as one that
        // was not stopped.
        if self.rule.every > 0 && state.clock.step.is_multiple_of(self.rule.every) {
            let sweeps = self.sweeps / self.steps;
            (self.steps, self.sweeps) = (0, 0);
            if comm.size() > 1 {
                scheme.bring_contacts(state, domain);
            }
            self.look(comm, domain, scheme.physics(), state, sweeps);
        }
    }

    /// Writes a line of the summary.
    pub(super) fn tell(&self) {
        let Self {
            shared_out,
            imbalance,
            ..
        } = self;
        say!(
            "balance    blocks distributed {shared_out} times; the busiest rank has {imbalance:.2} times the mean work"
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

    /// Bodies that all lie in one rank's brick are distributed before they move to their owners.
    #[test]
    fn no_rank_takes_all_bodies_at_the_start() {
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(16.0));
        let most = threads::run(4, |comm| {
            let grid = BlockGrid::new(lower, upper, 1.0, [false; 3]);
            let mut domain =
                Domain::new(comm, Partition::with_ranks(lower, upper, grid, [2, 2, 1]));
            // One body in each block of a corner, each on any rank.
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
