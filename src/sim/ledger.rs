//! What a run adds up.

use super::flows::Flows;
use crate::measure;
use crate::scheme::moreau_jean::Done;
use crate::solver::merit::Verdict;
use std::collections::BTreeMap;

/// What a run adds up.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Energies since step 0.
    pub energies: measure::Ledger,
    /// Bodies deleted since step 0 because they left the domain.
    pub deleted: u64,
    /// What has come in and gone out since step 0.
    pub flows: Flows,
    /// Steps since step 0 that ended at the sweep cap.
    pub capped_steps: u64,
    /// Steps since step 0 that were longer than the rule of their length asks for.
    pub rushed_steps: u64,
    /// How many steps took so many sweeps, since this program started.
    pub sweeps: BTreeMap<u64, u64>,
    /// Steps since this program started in which a body ended faster than detection had looked ahead.
    pub outran_steps: u64,
    /// Whether the last step converged, and how well.
    pub last: Verdict,
}

impl Ledger {
    pub(super) fn add(&mut self, done: &Done) {
        let (work, sum) = (&done.outcome.work, &mut self.energies);
        sum.dissipated += done.dissipated;
        sum.normal += work.normal;
        sum.cohesion += work.cohesion;
        sum.friction += work.friction;
        sum.rolling += work.rolling;
        sum.torsion += work.torsion;
        sum.driven += work.driven + done.forced;
        sum.entered += done.entered;
        sum.integrator += done.integrator;
        sum.projected += done.projected;
        sum.elastic = done.elastic;
        self.deleted += done.deleted;
        *self.sweeps.entry(done.outcome.sweeps).or_default() += 1;
        self.outran_steps += u64::from(done.outran > 0);
        self.last = done.outcome.verdict;
        self.rushed_steps += u64::from(done.rushed);
        self.capped_steps += u64::from(!done.outcome.verdict.converged);
    }
}
