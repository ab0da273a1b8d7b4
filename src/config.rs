//! The configuration: TOML as typed, checked as a whole, made into a [`Scenario`].
//!
//! All faults are told at once, before anything runs or is written, each with file, line, key, value, and what is accepted.
//!
#![doc = include_str!("../docs/config.md")]

mod acts;
mod bodies;
mod document;
mod fault;
mod materials;
mod measures;
mod output;
mod radii;
mod read;
mod reader;
mod regions;
mod safety;
#[cfg(test)]
mod tests;
mod time;
mod walls;

pub use fault::{Fault, Faults, Place};
pub use measures::{Measure, What};
pub use output::Output;
pub use regions::NamedRegion;
pub use safety::{Checkpoints, Interval, Limit, Limits};

use crate::body::Wall;
use crate::law::{Arm, PairTable};
use crate::math::Vector3;
use crate::sample::Sample;
use crate::sample::inlet::Inlet;
use crate::scheme::acts::Acts;
use crate::scheme::pace::Pace;
use crate::shape::Period;
use crate::solver::Settings;
use document::{Node, Source, Value};
use std::path::Path;

/// A checked run: what `moreau run` needs to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// A line for logs and reports.
    pub title: String,
    /// The configuration as run: the TOML text with overrides applied and paths of files made absolute.
    pub text: String,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// How long steps are.
    pub pace: Pace,
    /// When the run ends.
    pub end: End,
    /// Lower corner of the domain [m].
    pub lower: Vector3,
    /// Upper corner of the domain [m].
    pub upper: Vector3,
    /// The solver's settings.
    pub solver: Settings,
    /// Coefficients between materials.
    pub pairs: PairTable,
    /// Which axes are periodic.
    pub periodic: [bool; 3],
    /// Whether a body that leaves the domain is deleted; else it ends the run.
    pub delete_outside: bool,
    /// Whether bodies are discs that move in the plane z = 0.
    pub two_dimensional: bool,
    /// Materials by number.
    pub materials: Vec<Material>,
    /// Walls by number.
    pub walls: Vec<Wall>,
    /// Parts of space that other entries name.
    pub regions: Vec<NamedRegion>,
    /// Initial bodies; ids count through them in order.
    pub samples: Vec<Sample>,
    /// Where bodies come in.
    pub inlets: Vec<Inlet>,
    /// What regions do, and how bodies grow.
    pub acts: Acts,
    /// Largest accepted overlap of two initial bodies, as a fraction of the smaller radius.
    pub max_initial_overlap: f64,
    /// When blocks are shared out anew among ranks.
    pub balance: Balance,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// How often rows and frames are written, and what is in a frame.
    pub output: Output,
    /// When checkpoints are written.
    pub checkpoints: Checkpoints,
    /// What is watched.
    pub limits: Limits,
}

impl Scenario {
    /// Which axes are periodic, and with what period.
    #[must_use]
    pub fn period(&self) -> Period {
        Period::of_box(&self.lower, &self.upper, self.periodic)
    }

    /// The step at which the run ends at the latest, by `steps` or `until`; the latter is no step where a rule makes their lengths.
    #[must_use]
    pub fn last_step(&self) -> Option<u64> {
        let until = match self.pace {
            // A hair less than a whole step beyond is rounding of until/dt.
            Pace::Even(dt) => (self.end.until).map(|t| (t / dt - 1e-6).ceil().max(0.0) as u64),
            Pace::Rule(_) => None,
        };
        self.end.steps.into_iter().chain(until).min()
    }

    /// Whether the run is over after so many steps, at this time [s], by `steps` or `until`.
    #[must_use]
    pub fn is_over(&self, step: u64, time: f64) -> bool {
        let by_time =
            matches!(self.pace, Pace::Rule(_)) && self.end.until.is_some_and(|t| time >= t);
        by_time || self.last_step().is_some_and(|n| step >= n)
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = self.steps.map(|n| format!("step {n}"));
        let until = self.until.map(|t| format!("time {t} s"));
        let rest = self
            .rest
            .map(|r| format!("rest (kinetic energy per body below {r:e} m g d)"));
        let ends: Vec<String> = [steps, until, rest].into_iter().flatten().collect();
        f.write_str(&ends.join(" or "))
    }
}

/// When blocks are shared out anew among ranks. In phase mode nothing that is computed depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Looks every so many steps; 0: never, not even at the start.
    pub every: u64,
    /// Shares out anew where the busiest rank has more than so many times the mean to do.
    pub above: f64,
}

/// When a run ends: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct End {
    /// At this step, counted from time zero.
    pub steps: Option<u64>,
    /// At this time [s].
    pub until: Option<f64>,
    /// When the translational kinetic energy per body falls below this fraction of `m g d`.
    pub rest: Option<f64>,
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Density [kg/m³].
    pub density: f64,
    /// Coefficients against itself.
    pub own: Coefficients,
}

/// Coefficients as the configuration gives them; see [`Pair`](crate::law::Pair).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// Friction.
    pub friction: Option<f64>,
    /// Friction of what slides.
    pub sliding_friction: Option<f64>,
    /// Rolling friction.
    pub rolling: Option<Arm>,
    /// Torsion friction.
    pub torsion: Option<Arm>,
    /// Cohesion force [N].
    pub cohesion: Option<f64>,
    /// Its range [m].
    pub cohesion_range: Option<f64>,
    /// Normal restitution.
    pub restitution: Option<f64>,
    /// Tangential restitution.
    pub tangential_restitution: Option<f64>,
    /// Stiffness of a contact [N/m].
    pub stiffness: Option<f64>,
    /// Young's modulus [Pa].
    pub young: Option<f64>,
    /// Tangential over normal stiffness.
    pub tangential_ratio: Option<f64>,
}

/// Reads and checks a configuration file with overrides (`key=value`) applied.
///
/// Paths of files are relative to the folder of the configuration, those in overrides to the working directory.
///
/// # Errors
/// All that is wrong, at once; a file of bodies that cannot be opened included.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scenario, Faults> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| {
        let message = format!("cannot be read: {e}; accepted: a TOML file");
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

/// The same from a text, as a checkpoint carries it; `name` is what faults call it, `base` the folder that paths of files
/// are relative to. Files of bodies need not be there any more.
///
/// # Errors
/// All that is wrong, at once.
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
    make_files_absolute(&mut source, base, files_needed, &mut faults);
    let title = Path::new(name).file_stem().unwrap_or_default();
    let mut scenario = read::scenario(&source.root, &title.to_string_lossy(), &mut faults);
    scenario.text = source.text();
    if faults.is_empty() {
        Ok(scenario)
    } else {
        Err(Faults::new(name, faults))
    }
}

/// Makes the paths of files of bodies, of walls' tables and of sieve curves absolute, in the tree and in the text, and tells which are not there
/// if they must be.
fn make_files_absolute(
    source: &mut Source,
    base: &Path,
    files_needed: bool,
    faults: &mut Vec<Fault>,
) {
    let mut paths = Vec::new();
    // Walls' tables and sieve curves are read, and told if they cannot be, with their entries.
    let mut files: Vec<(&mut Node, bool)> = Vec::new();
    if let Value::Table(entries) = &mut source.root.value {
        for (name, list) in entries {
            let of_bodies = name == "bodies";
            for node in list.items_mut() {
                let Value::Table(keys) = &mut node.value else {
                    continue;
                };
                files.extend(
                    keys.iter_mut()
                        .filter_map(|(key, node)| match key.as_str() {
                            "file" if of_bodies => Some((node, files_needed)),
                            "table" => Some((node.child_mut("file")?, false)),
                            "radius" => Some((node.child_mut("table")?, false)),
                            _ => None,
                        }),
                );
            }
        }
    }
    for (file, needed) in files {
        let Value::Text(path) = &mut file.value else {
            continue;
        };
        let from_shell = matches!(file.place, Place::Set(_));
        let joined = if from_shell {
            Path::new(path).to_owned()
        } else {
            base.join(&*path)
        };
        let absolute = std::path::absolute(&joined).unwrap_or(joined);
        let mut refuse = |why: String| {
            let folder = if from_shell {
                "working directory"
            } else {
                "configuration's folder"
            };
            let message = format!(
                "{} {why}; accepted: the path of a file, absolute or from the {folder}",
                file.shown
            );
            let (place, key) = (file.place.clone(), file.path.clone());
            faults.push(Fault {
                place,
                key,
                message,
            });
        };
        if let (true, Err(e)) = (needed, std::fs::File::open(&absolute)) {
            refuse(format!("cannot be opened ({}: {e})", absolute.display()));
        }
        match absolute.to_str() {
            Some(text) => *path = text.to_owned(),
            None => refuse("lies in a folder whose name is not Unicode".to_owned()),
        }
        paths.push((file.path.clone(), path.clone()));
    }
    for (key, path) in paths {
        source.replace(&key, &path);
    }
}
