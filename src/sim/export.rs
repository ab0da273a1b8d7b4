//! The contact problem of the step that would follow a checkpoint.

use super::error::RunError;
use super::setup::{Start, to_look_at};
use crate::comm::threads::Serial;
use crate::domain::Domain;
use crate::problem::Problem;
use crate::scheme::assemble::Named;
use std::path::Path;

/// The problem and its origin.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The problem that the step would solve.
    pub problem: Problem,
    /// The initial impulses of that step: those of the last step, turned with their normals.
    pub impulse: Vec<f64>,
    /// The contacts by name, and their frames.
    pub contacts: Vec<Named>,
    /// Number of the step, counted from 1.
    pub step: u64,
    /// Its start [s].
    pub time: f64,
    /// Its length [s].
    pub dt: f64,
    /// Title of the run.
    pub title: String,
}

/// The contact problem of the step that follows a checkpoint, or the newest checkpoint of a folder.
///
/// `set` changes keys of its configuration (`key=value`). Bodies come in, grow, are held and are
/// released as at the start of that step; contacts and laws are those of that step. Nothing is
/// written.
///
/// # Errors
/// If the run could not continue from there, or if the problem cannot represent the laws of
/// contacts.
pub fn export(from: &Path, set: &[String]) -> Result<Exported, RunError> {
    let comm = &Serial;
    let (name, start) = to_look_at(comm, from, set)?;
    let Start {
        scenario,
        partition,
        mut scheme,
        mut state,
        mut ledger,
        ..
    } = start;
    let domain = Domain::new(comm, partition);
    let physics = scheme.physics();
    ledger
        .flows
        .before_step(comm, &domain, &scenario, physics, &mut state)?;
    let (step, time) = (state.clock.step + 1, state.clock.time);
    let (dt, assembled) = scheme
        .problem(state, &domain)
        .map_err(|e| RunError::Failed(e.to_string()))?;
    let assembled =
        assembled.map_err(|unfit| RunError::Input(format!("checkpoint {name}: {unfit}")))?;
    Ok(Exported {
        problem: assembled.problem,
        impulse: assembled.impulse,
        contacts: assembled.contacts,
        step,
        time,
        dt,
        title: scenario.title,
    })
}
