//! The totals of a run.

use super::flows::Flows;
use crate::domain::ghosts::Traffic;
use crate::measure;
use crate::scheme::Report;
use crate::solver::merit::Verdict;
use std::collections::BTreeMap;

/// The totals of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Energies since step 0.
    pub energies: measure::Ledger,
    /// Bodies deleted since step 0 because they left the domain.
    pub deleted: u64,
    /// Bodies that have come in and gone out since step 0.
    pub flows: Flows,
    /// Steps since step 0 that ended at the sweep cap.
    pub capped_steps: u64,
    /// Steps since step 0 that were longer than the rule of their length demands.
    pub rushed_steps: u64,
    /// Plans of contacts made since this start.
    pub plans: u64,
    /// Whether loads have shown that a quasi-static tolerance is above rounding.
    pub judged: bool,
    /// Collisions since step 0, of contacts with restitution, that ended without rebound.
    pub plastic: u64,
    /// The number of steps for each number of sweeps, since this program started.
    pub sweeps: BTreeMap<u64, u64>,
    /// Steps since this program started in which a body ended faster than detection assumed.
    pub outran_steps: u64,
    /// Times since this program started that two sides of a contact passed through each other.
    pub passed: u64,
    /// The judge's verdict on the last step.
    pub last: Verdict,
    /// The largest overlap that this rank saw in the last step, relative to the smaller radius.
    pub overlap: f64,
    /// Data sent by this rank within solves, since this program started.
    pub traffic: Traffic,
}

impl Ledger {
    pub(super) fn add(&mut self, report: &Report) {
        let (work, sum) = (&report.outcome.work, &mut self.energies);
        sum.dissipated += report.dissipated;
        sum.normal += work.normal;
        sum.cohesion += work.cohesion;
        sum.friction += work.friction;
        sum.rolling += work.rolling;
        sum.torsion += work.torsion;
        sum.driven += work.driven + report.forced;
        sum.entered += report.entered;
        sum.integrator += report.integrator;
        sum.projected += report.projected;
        sum.elastic = report.elastic;
        sum.fracture += work.fracture;
        sum.prestress += work.prestress;
        self.deleted += report.deleted;
        self.plastic += report.plastic;
        *self.sweeps.entry(report.outcome.sweeps).or_default() += 1;
        self.outran_steps += u64::from(report.outran > 0);
        self.passed += report.passed;
        self.plans += u64::from(report.planned);
        self.last = report.outcome.verdict;
        self.overlap = report.here.overlap;
        self.traffic.add(&report.here.traffic);
        self.rushed_steps += u64::from(report.rushed);
        self.capped_steps += u64::from(!report.outcome.verdict.converged);
    }
}
