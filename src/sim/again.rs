//! A configuration that is given again, for a folder that holds a run with a checkpoint.
//!
//! Its differences from the configuration of the checkpoint are listed. The run continues with
//! those that `resume --set` may change; others are refused.

use super::error::RunError;
use super::options::Options;
use super::setup::{Start, going_on, input, loaded, report_resuming, shared, stored};
use crate::comm::Comm;
use crate::config::{self, Derived, Difference, Given, Scenario};
use crate::scheme::pace::Pace;
use std::path::Path;

/// The start of `moreau run --or-resume` in a folder with a checkpoint. Collective.
pub(super) fn from_both(
    comm: &dyn Comm,
    config: &Path,
    out: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let found = loaded(comm, out)?;
    let header = &found.1.header;
    report_resuming(comm, &found.0, header);
    let as_there = options.as_stored();
    let stored = stored(comm, &found.0, header, &as_there)?;
    let with = (header.time, options.kept_files);
    // The stages that have begun begin in the given configuration as well.
    let begun = stored.stages.iter().enumerate();
    let begun = begun.filter_map(|(number, stage)| Some(stage.overrides(number, stage.begun?)));
    let set: Vec<String> = options.set.iter().cloned().chain(begun.flatten()).collect();
    let given = shared(comm, || Given::again(config, &set, &header.config, with))?;
    let differences = config::differences(&given, &stored);
    if differences.is_empty() {
        return going_on(comm, found, (stored, None), &as_there);
    }
    let list = listed(config, &found.0, &differences);
    let refuse = |why: &str| {
        let out = out.display();
        RunError::Input(format!(
            "{list}\n{why}; moreau resume {out} continues the run as it is, or with --set KEY=VALUE \
             for a change; --out FOLDER starts {} in another folder",
            config.display()
        ))
    };
    if differences.iter().any(|one| one.refused.is_some()) {
        return Err(refuse(
            "must be the configuration of the run, or differ in keys that resume may change",
        ));
    }
    let scenario = with_lengths_of(given, &stored)?;
    let start =
        going_on(comm, found, (scenario, Some(&stored)), &as_there).map_err(
            |error| match error {
                RunError::Input(why) => {
                    refuse(&format!("the run cannot continue with them: {why}"))
                }
                other => other,
            },
        )?;
    let config = config.display();
    Ok(Start {
        differences: Some(format!(
            "{list}\nthe run continues with the values of {config}"
        )),
        ..start
    })
}

/// All differences, a line each.
fn listed(config: &Path, checkpoint: &Path, differences: &[Difference]) -> String {
    let mut list = format!(
        "{} differs from the configuration in {}:",
        config.display(),
        checkpoint.display()
    );
    for one in differences {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        list += &format!(
            "\n  {}: {}; in the checkpoint {}",
            one.key,
            value(&one.given),
            value(&one.stored)
        );
        if let Some(why) = one.refused {
            list += &format!(" ({why})");
        }
    }
    list
}

/// The given scenario with the lengths that the run derived at its start.
fn with_lengths_of(mut given: Scenario, stored: &Scenario) -> Result<Scenario, RunError> {
    let solver = &stored.solver;
    if let (Some(block_edge), Some(skin)) = (solver.block_edge, solver.skin) {
        let length = match stored.pace {
            Pace::Rule(rule) => rule.length,
            Pace::Even(_) => None,
        };
        let derived = Derived {
            block_edge,
            skin,
            large_radius: solver.large_radius,
            length,
        };
        given.complete(&derived).map_err(input)?;
    }
    Ok(given)
}
