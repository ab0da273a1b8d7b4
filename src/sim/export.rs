//! The contact problem of the step that would follow a checkpoint.

use super::error::RunError;
use super::options::Options;
use super::setup::{Start, going_on, loaded};
use crate::comm::threads::Serial;
use crate::domain::Domain;
use crate::problem::Problem;
use crate::scheme::assemble::Named;
use std::path::Path;

/// The problem, and where it comes from.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The problem as the step would solve it.
    pub problem: Problem,
    /// The impulses with which that step would start: those of the last step, turned with their normals.
    pub impulse: Vec<f64>,
    /// Who the contacts are, and their frames.
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

/// The contact problem of the step that follows a checkpoint, or the newest of a folder, with keys of its configuration set (`key=value`): bodies
/// come in, grow, are held and let go as at the start of that step, contacts are found as it finds them, and laws are filled in as it does.
/// Nothing is written.
///
/// # Errors
/// If the run could not go on from there, or if contacts follow laws that the problem has no place for.
pub fn export(from: &Path, set: &[String]) -> Result<Exported, RunError> {
    let comm = &Serial;
    let options = Options {
        threads: 1,
        set: set.to_vec(),
        ..Options::default()
    };
    let found = loaded(comm, from)?;
    let name = found.0.display().to_string();
    let Start {
        scenario,
        partition,
        mut scheme,
        mut state,
        mut ledger,
        ..
    } = going_on(comm, found, &options)?;
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
