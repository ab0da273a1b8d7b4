//! The run: from a configuration or a checkpoint to its end, with output on the way.
//!
//! `setup` makes the first state and checks it before anything is written; `output` writes series and checkpoints;
//! `log` tells the user. This file is the loop, and what a run's end means to the shell.

/// Writes a line to stdout. That nobody reads it any more (a closed pipe) is no reason to end a run.
macro_rules! say {
    ($($line:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout().lock(), $($line)*);
    }};
}

/// Writes a line to stderr, likewise.
macro_rules! tell {
    ($($line:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr().lock(), $($line)*);
    }};
}

mod balance;
mod check;
mod first;
mod log;
mod memory;
mod output;
mod rest;
mod setup;

pub use check::check;

use crate::body::BodyId;
use crate::comm::{Comm, Failure, agree};
use crate::domain::Domain;
use crate::io::checkpoint;
use crate::math::as_written;
use crate::measure;
use balance::Balancer;
use log::Log;
use output::Output;
use rest::Rest;
use setup::Start;
use std::path::{Path, PathBuf};

/// What the command line says beside the configuration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for results; by default `out` in the working directory, or the checkpoint's folder.
    pub out: Option<PathBuf>,
    /// `key=value` overrides of the configuration, in order.
    pub set: Vec<String>,
    /// Ends at this step instead of where the configuration says; not remembered in checkpoints.
    pub steps: Option<u64>,
    /// Ends at this time [s] instead of where the configuration says; not remembered in checkpoints.
    pub until: Option<f64>,
    /// Threads per rank.
    pub threads: usize,
    /// Whether a run that the folder already holds may be deleted.
    pub overwrite: bool,
    /// For tests: before this step the velocity of this body is made NaN.
    pub nan_before: Option<(u64, BodyId)>,
}

/// Why a run ended badly.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The input is wrong; nothing was run or written.
    #[error("{0}")]
    Input(String),
    /// A step failed, or results could not be written.
    #[error("{0}")]
    Failed(String),
}

impl RunError {
    /// The exit status: 2 for bad input, 3 for a failed run.
    #[must_use]
    pub fn status(&self) -> i32 {
        match self {
            Self::Input(_) => 2,
            Self::Failed(_) => 3,
        }
    }
}

impl Failure for RunError {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.status() as u8];
        bytes.extend_from_slice(self.to_string().as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (status, text) = bytes.split_first().unwrap_or((&3, b"unknown failure"));
        let text = String::from_utf8_lossy(text).into_owned();
        if *status == 2 {
            Self::Input(text)
        } else {
            Self::Failed(text)
        }
    }
}

/// `moreau run`: from a configuration to the end. Returns the exit status, the same on all ranks.
pub fn run(comm: &dyn Comm, config: &Path, options: &Options) -> i32 {
    finish(comm, try_run(comm, config, options))
}

/// As [`run`], with the failure as a value.
///
/// # Errors
/// The same on all ranks.
pub fn try_run(comm: &dyn Comm, config: &Path, options: &Options) -> Result<(), RunError> {
    drive(comm, setup::from_config(comm, config, options)?)
}

/// `moreau resume`: from a checkpoint, or the newest valid one of a folder, to the end.
pub fn resume(comm: &dyn Comm, from: &Path, options: &Options) -> i32 {
    finish(comm, try_resume(comm, from, options))
}

/// As [`resume`], with the failure as a value.
///
/// # Errors
/// The same on all ranks.
pub fn try_resume(comm: &dyn Comm, from: &Path, options: &Options) -> Result<(), RunError> {
    drive(comm, setup::from_checkpoint(comm, from, options)?)
}

fn finish(comm: &dyn Comm, result: Result<(), RunError>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            if comm.rank() == 0 {
                tell!("moreau: {error}");
            }
            error.status()
        }
    }
}

/// The loop.
fn drive(comm: &dyn Comm, start: Start) -> Result<(), RunError> {
    let Start {
        scenario,
        partition,
        mut system,
        out,
        mut ledger,
        folder,
        threads,
        nan_before,
    } = start;
    let mut domain = Domain::new(comm, partition);
    let mut balancer = Balancer::new(scenario.balance);
    balancer.start(comm, &mut domain, &system);
    let mut output = agree(comm, Output::open(comm, &out, folder, system.steps()))?;
    let mut rest = Rest::new(&domain, &scenario, &system);
    let mut log = Log::new(comm, &scenario, &system, threads);
    let [energy] = domain.sums(&[system
        .bodies()
        .iter()
        .map(measure::translational_energy)
        .collect()]);
    let mut at_rest = rest.reached(&domain, &system, energy);

    while !at_rest && !scenario.is_over(system.steps(), system.time()) {
        if let Some((step, id)) = nan_before
            && system.steps() + 1 == step
        {
            let guilty = system.bodies_mut().iter_mut().filter(|row| row.id == id);
            guilty.for_each(|row| row.velocity[1] = f64::NAN);
        }
        let stepped = system.step(&domain);
        let stepped = stepped.and_then(|done| system.not_crushed(&domain).map(|()| done));
        let done = stepped.map_err(|error| {
            let last = output.last_checkpoint().map_or_else(
                || "there is no checkpoint yet".to_string(),
                |path| format!("the last good checkpoint is {}", path.display()),
            );
            RunError::Failed(format!("{error}; {last}"))
        })?;
        ledger.add(&done);
        if done.deleted > 0 {
            rest = Rest::new(&domain, &scenario, &system);
        }
        at_rest = rest.reached(&domain, &system, done.translational_energy);
        output.after_step(comm, &domain, &scenario, &mut system, &ledger, &done)?;
        log.after_step(&system, &done);
        balancer.after_step(comm, &mut domain, &system, &done);
    }
    log.clear();

    output.finish(comm, &domain, &scenario, &mut system, &ledger)?;
    let hash = checkpoint::state_hash(comm, system.steps(), system.time(), system.bodies());
    log.summary(comm, &domain, &scenario, &system, &ledger, at_rest, &output);
    if comm.rank() == 0 && comm.size() > 1 && scenario.balance.every > 0 {
        balancer.tell();
    }
    if comm.rank() == 0 {
        say!(
            "state {hash:016x} step {} time {}",
            system.steps(),
            as_written(system.time())
        );
    }
    Ok(())
}
