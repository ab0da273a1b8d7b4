//! A checked configuration of a run.

use super::balance::Balance;
use super::document::{Document, Node, Value};
use super::fault::{Fault, Faults, Place};
use super::files::Named;
use super::listed::Listed;
use super::materials::Material;
use super::measures::Measure;
use super::output::Output;
use super::reader::SIZE;
use super::regions::NamedRegion;
use super::safety::{Checkpoints, Limits};
use super::stages::Stage;
use super::time::End;
use crate::body::{Cell, CellState, Wall};
use crate::law::Laws;
use crate::math::Vector3;
use crate::sample::Sample;
use crate::sample::inlet::Inlet;
use crate::scheme::acts::Acts;
use crate::scheme::pace::Pace;
use crate::scheme::quasistatic::Statics;
use crate::shape::{Period, Shear, Template};
use crate::solver::Settings;
use std::collections::HashMap;
use std::fmt;

/// A checked configuration: all input that `moreau run` needs to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name of its file, for errors.
    pub(super) file: String,
    /// The places of its keys in that file, or in overrides.
    pub(super) places: Places,
    /// A title for logs and reports.
    pub title: String,
    /// The configuration as run: overrides and derived lengths set, paths of files made absolute.
    pub(super) document: Document,
    /// The files that it names.
    pub(super) files: Vec<Named>,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// The rule for the length of steps.
    pub pace: Pace,
    /// The conditions that end the run, or its present stage.
    pub end: End,
    /// The stages of the run after its first part.
    pub stages: Vec<Stage>,
    /// Lower corner of the domain [m].
    pub lower: Vector3,
    /// Upper corner of the domain [m].
    pub upper: Vector3,
    /// The periodic cell that deforms, if it does.
    pub cell: Option<Cell>,
    /// Images that it has moved by simple shear.
    pub shear: Option<Shear>,
    /// The solver's settings.
    pub solver: Settings,
    /// The settings of a quasi-static scheme; `None`: the time step of contact dynamics.
    pub statics: Option<Statics>,
    /// The laws of contacts.
    pub laws: Laws,
    /// Pairs of bodies that bonds list.
    pub listed: Vec<Listed>,
    /// The periodic axes.
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
    /// Forms of clumps by number.
    pub templates: Vec<Template>,
    /// Initial bodies; their ids count through the entries in order.
    pub samples: Vec<Sample>,
    /// Inlets, by which bodies enter.
    pub inlets: Vec<Inlet>,
    /// Actions of regions, and growth of bodies.
    pub acts: Acts,
    /// Largest accepted overlap of two initial bodies, as a fraction of the smaller radius.
    pub max_initial_overlap: f64,
    /// The rule by which blocks are redistributed over the ranks.
    pub balance: Balance,
    /// Measures.
    pub measures: Vec<Measure>,
    /// Rows and frames.
    pub output: Output,
    /// The intervals of checkpoints.
    pub checkpoints: Checkpoints,
    /// Bounds that are checked in every step.
    pub limits: Limits,
}

/// The places of the keys of tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(HashMap<String, Place>);

impl Places {
    /// The places of the keys in a tree, without those of numbers in lists.
    pub(super) fn of(root: &Node) -> Self {
        let mut places = Self::default();
        places.gather(root);
        places
    }

    fn gather(&mut self, node: &Node) {
        match &node.value {
            Value::Table(entries) => {
                for (_, child) in entries {
                    self.0.insert(child.path.clone(), child.place.clone());
                    self.gather(child);
                }
            }
            Value::List(items) => {
                let tables = items
                    .iter()
                    .filter(|item| matches!(item.value, Value::Table(_)));
                tables.for_each(|item| self.gather(item));
            }
            _ => {}
        }
    }
}

/// The same configuration may be written in other lines.
impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Lengths that a run derives from its first bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived {
    /// `solver.block_edge` [m].
    pub block_edge: f64,
    /// `solver.skin` [m].
    pub skin: f64,
    /// `solver.large_radius` [m]; only where some bodies are large.
    pub large_radius: Option<f64>,
    /// `time.dt.length` [m]; only where the steps follow a rule.
    pub length: Option<f64>,
}

impl Scenario {
    /// The TOML text of the configuration as run, as stored in a checkpoint.
    #[must_use]
    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Sets the title and derived lengths that the configuration does not give, as values and as
    /// keys of its text.
    ///
    /// So a resumed run has them from its checkpoint, whatever that is called and whichever bodies
    /// remain.
    ///
    /// # Errors
    /// A length outside the accepted range, with its key.
    pub fn complete(&mut self, derived: &Derived) -> Result<(), String> {
        let Self {
            document,
            title,
            solver,
            pace,
            ..
        } = self;
        let keys = match document.tree().value {
            Value::Table(keys) => keys,
            _ => Vec::new(),
        };
        if keys.iter().all(|(key, _)| key != "title") {
            document.set("title", title.as_str())?;
        }
        take(
            &mut solver.block_edge,
            "solver.block_edge",
            derived.block_edge,
            document,
        )?;
        take(&mut solver.skin, "solver.skin", derived.skin, document)?;
        if let Some(above) = derived.large_radius {
            let key = "solver.large_radius";
            take(&mut solver.large_radius, key, above, document)?;
        }
        match (pace, derived.length) {
            (Pace::Rule(rule), Some(length)) => {
                take(&mut rule.length, "time.dt.length", length, document)
            }
            _ => Ok(()),
        }
    }

    /// The error of a listed pair, with its place in the file.
    #[must_use]
    pub fn refuse_pair(&self, list: &Listed, pair: usize, message: &str) -> Faults {
        Faults::new(&self.file, vec![list.fault(pair, message)])
    }

    /// The error of a key that does not suit the bodies, with its place.
    #[must_use]
    pub fn refuse(&self, key: &str, message: String) -> Faults {
        let place = self.places.0.get(key);
        let fault = Fault {
            place: place.cloned().unwrap_or(Place::File),
            key: key.to_owned(),
            message,
        };
        Faults::new(&self.file, vec![fault])
    }

    /// Gives the domain and its measures the present size of its cell, where the cell deforms.
    pub fn follow(&mut self, cell: Option<&CellState>) {
        if let (Some(_), Some(now)) = (&self.cell, cell) {
            self.upper = now.upper;
            self.shear = now.shear;
            for measure in &mut self.measures {
                let corners = (&self.lower, &self.upper);
                measure.follow(corners, self.periodic, self.two_dimensional);
            }
        }
    }

    /// The periodic axes and their periods.
    #[must_use]
    pub fn period(&self) -> Period {
        Period::of_box(&self.lower, &self.upper, self.periodic).sheared(self.shear)
    }

    /// The latest last step of the run, by `steps` or `until`.
    ///
    /// `until` gives no last step where a rule sets the lengths of steps.
    #[must_use]
    pub fn last_step(&self) -> Option<u64> {
        self.last_step_by(&self.end)
    }

    fn last_step_by(&self, end: &End) -> Option<u64> {
        let until = match self.pace {
            // An excess below 1e-6 of a step is rounding of until/dt.
            Pace::Even(dt) => end.until.map(|t| (t / dt - 1e-6).ceil().max(0.0) as u64),
            Pace::Rule(_) => None,
        };
        end.steps.into_iter().chain(until).min()
    }

    /// The latest end of the run [s], by `steps` or `until`; infinite without either.
    #[must_use]
    pub fn last_time(&self) -> f64 {
        let steps = self.last_step();
        let steps = steps.map(|n| n as f64 * self.pace.at_most());
        let ends = steps.into_iter().chain(self.end.until);
        ends.fold(f64::INFINITY, f64::min)
    }

    /// Whether the run is over after this number of steps, at this time [s], by `steps` or `until`.
    #[must_use]
    pub fn is_over(&self, step: u64, time: f64) -> bool {
        self.is_over_by(&self.end, step, time)
    }

    /// The same with another end.
    #[must_use]
    pub fn is_over_by(&self, end: &End, step: u64, time: f64) -> bool {
        let by_time = matches!(self.pace, Pace::Rule(_)) && end.until.is_some_and(|t| time >= t);
        let last = self.last_step_by(end);
        by_time || last.is_some_and(|n| self.pace.next(step, time) > n)
    }

    /// The reasons why a run cannot continue with another scenario, whatever its state.
    pub(super) fn cannot_become(&self, now: &Self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut same = |key: &str, was: &dyn fmt::Debug, is: &dyn fmt::Debug| {
            let (was, is) = (format!("{was:?}"), format!("{is:?}"));
            if was != is {
                faults.push(Fault {
                    place: Place::File,
                    key: key.to_owned(),
                    message: format!("must stay {was} while a run continues; found {is}"),
                });
            }
        };
        if let Pace::Even(dt) = now.pace {
            let was: &dyn fmt::Debug = match &self.pace {
                Pace::Even(dt) => dt,
                Pace::Rule(_) => &"a rule",
            };
            same("time.dt", was, &dt);
        }
        let number = |of: &Self| [of.walls.len(), of.inlets.len(), of.acts.outlets.len()];
        let keys = ["number of walls", "number of inlets", "number of outlets"];
        for ((key, was), is) in keys.iter().zip(number(self)).zip(number(now)) {
            same(key, &was, &is);
        }
        same("domain.periodic", &self.periodic, &now.periodic);
        let period = |of: &Self| {
            [0, 1, 2].map(|a| {
                if of.periodic[a] {
                    of.upper[a] - of.lower[a]
                } else {
                    0.0
                }
            })
        };
        same("domain.upper (periods)", &period(self), &period(now));
        if let Some(was) = &self.cell {
            let affine = |of: Option<&Cell>| {
                of.map_or("without a cell".to_owned(), |of| of.affine.to_string())
            };
            same(
                "cell.affine",
                &affine(Some(was)),
                &affine(now.cell.as_ref()),
            );
        }
        faults
    }

    /// The present stage; `None` in the first part of the run.
    #[must_use]
    pub fn stage(&self) -> Option<&Stage> {
        self.stages.iter().rfind(|stage| stage.begun.is_some())
    }

    /// The stage that follows the present one, and its number.
    #[must_use]
    pub fn next_stage(&self) -> Option<(usize, &Stage)> {
        let mut all = self.stages.iter().enumerate();
        all.find(|(_, stage)| stage.begun.is_none())
    }
}

/// Sets a length [m] in the document, unless one is given already.
fn take(
    place: &mut Option<f64>,
    key: &str,
    length: f64,
    document: &mut Document,
) -> Result<(), String> {
    if place.is_some() {
        return Ok(());
    }
    if !SIZE.accepts(length) {
        let accepted = SIZE.says();
        return Err(format!(
            "{key}, derived from the bodies, must be {accepted}; found {length:e}"
        ));
    }
    document.set(key, length)?;
    *place = Some(length);
    Ok(())
}
