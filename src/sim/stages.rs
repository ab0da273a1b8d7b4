//! The stages of a run: each continues from the checkpoint at the end of the one before.

use super::error::RunError;
use super::options::Options;
use super::setup::{Start, going_on, loaded, stored};
use crate::comm::Comm;
use crate::config::Scenario;
use crate::io::checkpoint::Loaded;
use std::path::{Path, PathBuf};

/// The start of the next stage of a run whose part has ended. Collective.
///
/// `config` is the configuration of that part, which may be newer than that in its last checkpoint.
///
/// # Errors
/// If its changes do not fit the state.
pub(super) fn next(
    comm: &dyn Comm,
    out: &Path,
    config: String,
    options: &Options,
) -> Result<Start, RunError> {
    let mut found = loaded(comm, out)?;
    found.1.header.config = config;
    let header = &found.1.header;
    let as_there = Options {
        set: Vec::new(),
        out: None,
        overwrite: false,
        kept_files: true,
        ..options.clone()
    };
    let before = stored(comm, &found.0, header, &as_there)?;
    let Some((number, stage)) = before.next_stage() else {
        let out = out.display();
        let text = format!("{out}: the checkpoint must have a stage to come; found none");
        return Err(RunError::Failed(text));
    };
    let at = (header.step, header.time);
    let begins = format!("stage {number} \"{}\" begins", stage.name);
    if comm.rank() == 0 {
        let (step, time) = at;
        tell!(
            "moreau: {begins} after step {step}, at {time} s: {}",
            stage.about()
        );
    }
    let changed = Options {
        set: stage.overrides(number, &before.end, at),
        ..as_there
    };
    begin(comm, found, &before, &changed).map_err(|error| match error {
        RunError::Input(why) => RunError::Failed(format!(
            "{begins} after step {}: {why}; its checkpoint is written, and moreau resume {} tries again, with --set \
             KEY=VALUE for a change",
            at.0,
            out.display()
        )),
        other => other,
    })
}

fn begin(
    comm: &dyn Comm,
    found: (PathBuf, Loaded),
    before: &Scenario,
    changed: &Options,
) -> Result<Start, RunError> {
    let scenario = stored(comm, &found.0, &found.1.header, changed)?;
    going_on(comm, found, (scenario, Some(before)), changed)
}
