//! The configuration: TOML as written, checked as a whole, converted to a [`Scenario`].
//!
//! All faults are reported at once, before anything runs or is written, each with file, line, key,
//! and the accepted and found values.
//!
#![doc = include_str!("../docs/config.md")]

mod acts;
mod balance;
mod bodies;
mod cell;
mod compare;
mod document;
mod domain;
mod fault;
mod files;
mod given;
mod inlets;
mod kept;
mod key;
mod laws;
mod listed;
mod materials;
mod measures;
mod output;
mod past;
mod quasistatic;
mod radii;
mod ramp;
mod read;
mod reader;
mod regions;
mod safety;
mod scenario;
mod solver;
mod stages;
mod table;
mod templates;
#[cfg(test)]
mod tests;
mod time;
mod walls;

pub use balance::Balance;
pub use compare::{Difference, differences};
pub use fault::{Fault, Faults, Place};
pub use given::Given;
pub use kept::without_contents;
pub use listed::Listed;
pub use materials::{Coefficients, Material};
pub use measures::{Measure, What};
pub use output::Output;
pub use past::may_be_set;
pub use read::{keys, with_keys};
pub use regions::NamedRegion;
pub use safety::{Checkpoints, Interval, Limit, Limits};
pub use scenario::{Derived, Scenario};
pub use stages::Stage;
pub use time::End;

use crate::body::CellState;
use std::path::Path;

/// Reads and checks a configuration file with overrides (`key=value`) applied.
///
/// Paths of files are relative to the folder of the configuration, those in overrides to the
/// working directory.
///
/// # Errors
/// All faults of the configuration, among them files that cannot be opened.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scenario, Faults> {
    Given::begin(path, overrides)?.scenario()
}

/// Reads and checks the text of a configuration.
///
/// `name` is its name in messages; paths of files are relative to the folder `base`. Files of
/// bodies need not exist, nor files whose contents the text holds.
///
/// # Errors
/// All faults of the configuration.
pub fn parse(
    name: &str,
    text: &str,
    base: &Path,
    overrides: &[String],
) -> Result<Scenario, Faults> {
    Given::shown((name, text), base, overrides, false)?.scenario()
}

/// The scenario of a checkpoint at `path` with this configuration, for a look at its state.
///
/// Its files count as the checkpoint holds them. The bodies are those of the checkpoint, so that
/// the entries that made them have no faults any more. A domain that deforms has the size of the
/// present `cell`.
///
/// # Errors
/// All faults of the configuration.
pub fn of_checkpoint(
    path: &Path,
    text: &str,
    cell: Option<&CellState>,
) -> Result<Scenario, Faults> {
    let name = format!("{} (configuration)", path.display());
    let base = path.parent().unwrap_or(Path::new(""));
    let mut scenario = Given::shown((&name, text), base, &[], true)?.scenario()?;
    scenario.follow(cell);
    Ok(scenario)
}
