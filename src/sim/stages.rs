//! The stages of a run: each continues from the checkpoint at the end of the one before.

use super::error::RunError;
use super::options::Options;
use super::setup::{Start, going_on, loaded, stored};
use crate::comm::Comm;
use crate::config::Scenario;
use crate::io::checkpoint::Loaded;
use std::path::{Path, PathBuf};

/// The start of the next stage of a run, from the checkpoint at the end of a part. Collective.
///
/// # Errors
/// If its changes do not fit the state.
pub(super) fn next(
    comm: &dyn Comm,
    checkpoint: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let found = loaded(comm, checkpoint)?;
    let header = &found.1.header;
    let as_there = options.as_stored();
    let before = stored(comm, &found.0, header, &as_there);
    // A file that a checkpoint is too small for may be gone by now.
    let before = before.map_err(|error| again(error, "the next stage cannot begin", checkpoint))?;
    let Some((number, stage)) = before.next_stage() else {
        let text = "must have a stage to come; found none";
        let checkpoint = checkpoint.display();
        return Err(RunError::Failed(format!("{checkpoint}: {text}")));
    };
    let (step, time) = (header.step, header.time);
    let begins = format!("stage {number} \"{}\" begins after step {step}", stage.name);
    if comm.rank() == 0 {
        tell!("moreau: {begins}, at {time} s: {}", stage.about());
    }
    let changed = Options {
        set: stage.overrides(number, (step, time)),
        ..as_there
    };
    begin(comm, found, &before, &changed).map_err(|error| again(error, &begins, checkpoint))
}

/// The failure of a run that has made its steps, but whose next stage does not fit.
fn again(error: RunError, begins: &str, checkpoint: &Path) -> RunError {
    match error {
        RunError::Input(why) => RunError::Failed(format!(
            "{begins}: {why}; its checkpoint {} is written, and moreau resume tries again, with --set KEY=VALUE for a change",
            checkpoint.display()
        )),
        other => other,
    }
}

/// The start of a stage with the keys of `changed`. Collective.
fn begin(
    comm: &dyn Comm,
    found: (PathBuf, Loaded),
    before: &Scenario,
    changed: &Options,
) -> Result<Start, RunError> {
    let header = &found.1.header;
    let scenario = stored(comm, &found.0, header, changed)?;
    if scenario.is_over(header.step, header.time) {
        return Err(RunError::Input(format!(
            "must end later than it begins, at {} s; found the end at {}",
            header.time, scenario.end
        )));
    }
    going_on(comm, found, (scenario, Some(before)), changed)
}
