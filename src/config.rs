//! The configuration: TOML as written, checked as a whole, converted to a [`Scenario`].
//!
//! All faults are reported at once, before anything runs or is written, each with file, line, key,
//! and the accepted and found values.
//!
#![doc = include_str!("../docs/config.md")]

mod acts;
mod balance;
mod bodies;
mod document;
mod domain;
mod fault;
mod files;
mod laws;
mod materials;
mod measures;
mod output;
mod radii;
mod read;
mod reader;
mod regions;
mod safety;
mod scenario;
mod solver;
mod templates;
#[cfg(test)]
mod tests;
mod time;
mod walls;

pub use balance::Balance;
pub use fault::{Fault, Faults, Place};
pub use laws::Listed;
pub use materials::{Coefficients, Material};
pub use measures::{Measure, What};
pub use output::Output;
pub use regions::NamedRegion;
pub use safety::{Checkpoints, Interval, Limit, Limits};
pub use scenario::{Derived, Scenario};
pub use time::End;

use document::Source;
use std::path::Path;

/// Reads and checks a configuration file with overrides (`key=value`) applied.
///
/// Paths of files are relative to the folder of the configuration, those in overrides to the
/// working directory.
///
/// # Errors
/// All faults of the configuration, among them files of bodies that cannot be opened.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scenario, Faults> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| {
        let message = format!("cannot be read: {e}; must be a TOML file");
        let key = String::new();
        let place = Place::File;
        Faults::new(
            &name,
            vec![Fault {
                place,
                key,
                message,
            }],
        )
    })?;
    let base = path.parent().unwrap_or(Path::new(""));
    check(&name, &text, base, overrides, true)
}

/// Reads and checks the text of a configuration, as stored in a checkpoint.
///
/// `name` is its name in messages; paths of files are relative to the folder `base`. Files of
/// bodies need not exist any more.
///
/// # Errors
/// All faults of the configuration.
pub fn parse(
    name: &str,
    text: &str,
    base: &Path,
    overrides: &[String],
) -> Result<Scenario, Faults> {
    check(name, text, base, overrides, false)
}

fn check(
    name: &str,
    text: &str,
    base: &Path,
    overrides: &[String],
    files_needed: bool,
) -> Result<Scenario, Faults> {
    let mut source = Source::read(text, overrides).map_err(|list| Faults::new(name, list))?;
    let mut faults = std::mem::take(&mut source.faults);
    files::make_absolute(&mut source, base, files_needed, &mut faults);
    let scenario = read::scenario(source, name, &mut faults);
    if faults.is_empty() {
        Ok(scenario)
    } else {
        Err(Faults::new(name, faults))
    }
}
