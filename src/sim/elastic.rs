//! The elastic moduli of a checkpoint: `moreau elastic`.

use super::error::RunError;
use super::setup::{Start, to_look_at};
use crate::comm::threads::Serial;
use crate::config::Scenario;
use crate::domain::Domain;
use crate::domain::partition::Partition;
use crate::law::Pair;
use crate::scheme::quasistatic::{Moduli, NoModuli, Quasistatic, STRAINS, Statics};
use crate::scheme::{Clock, Physics, State};
use std::fmt::Write;
use std::path::Path;

/// The elastic moduli of a checkpoint, or of the newest one of a folder, as text or CSV.
///
/// `set` changes keys of its configuration (`key=value`). Nothing is written.
///
/// # Errors
/// If the run could not continue from there, or if its contacts have no stiffness.
pub fn elastic(from: &Path, set: &[String], csv: bool) -> Result<String, RunError> {
    let of = packing(from, set)?;
    let moduli = of.scheme.moduli(&of.state, &of.domain());
    let name = &of.name;
    let moduli = moduli.map_err(|e| match e {
        NoModuli::Open(_) => RunError::Input(format!("checkpoint {name}: {e}")),
        NoModuli::NotSolved { .. } => RunError::Failed(format!("checkpoint {name}: {e}")),
    })?;
    let bodies = of.state.parcel.bodies.len();
    Ok(if csv {
        table(&moduli)
    } else {
        page(name, &of.state.clock, bodies, &moduli)
    })
}

/// A packing of a checkpoint, under a quasi-static scheme.
pub(super) struct Packing {
    /// The checkpoint.
    pub(super) name: String,
    pub(super) scenario: Scenario,
    pub(super) scheme: Quasistatic,
    pub(super) state: State,
    partition: Partition,
}

impl Packing {
    /// The whole domain on one rank.
    pub(super) fn domain(&self) -> Domain<'static> {
        Domain::alone(self.partition.clone())
    }
}

/// The packing of a checkpoint, or of the newest one of a folder.
pub(super) fn packing(from: &Path, set: &[String]) -> Result<Packing, RunError> {
    let (name, start) = to_look_at(&Serial, from, set)?;
    let Start {
        scenario,
        partition,
        scheme,
        state,
        ..
    } = start;
    let input = |message: &str| RunError::Input(format!("checkpoint {name}: {message}"));
    let physics = scheme.physics().clone();
    fits(&physics).map_err(|message| input(&message))?;
    let statics = physics.statics.unwrap_or(Statics {
        planar: scenario.two_dimensional,
        ..Statics::default()
    });
    let physics = Physics {
        statics: Some(statics),
        ..physics
    };
    let scheme =
        Quasistatic::new(physics, statics, 1).map_err(|e| RunError::Failed(e.to_string()))?;
    Ok(Packing {
        name,
        scenario,
        scheme,
        state,
        partition,
    })
}

/// Fails if contacts or bodies are not those of quasi-static schemes.
fn fits(physics: &Physics) -> Result<(), String> {
    if !physics.templates.is_empty() {
        return Err("must have balls or discs; found clumps".to_owned());
    }
    if physics.laws.pairs.all().any(|pair| pair.hertz.is_some()) {
        return Err("must have springs of one stiffness; found poisson, so Hertz's law".to_owned());
    }
    if !physics.laws.pairs.all().all(Pair::is_soft) {
        return Err(
            "each pair of materials must have stiffness or young; found a rigid one (--set material.0.stiffness=…)"
                .to_owned(),
        );
    }
    if physics.laws.pairs.all().any(|pair| pair.cohesion > 0.0) {
        return Err("must be without cohesion, which is not a spring; found cohesion".to_owned());
    }
    Ok(())
}

/// The directions of the matrix.
fn kept(moduli: &Moduli) -> &'static [usize] {
    if moduli.planar {
        &[0, 1, 5]
    } else {
        &[0, 1, 2, 3, 4, 5]
    }
}

fn table(moduli: &Moduli) -> String {
    let names: Vec<&str> = kept(moduli).iter().map(|&k| STRAINS[k]).collect();
    let mut text = format!("stress,{}", names.join(","));
    for &row in kept(moduli) {
        let numbers = kept(moduli)
            .iter()
            .map(|&column| moduli.tensor[(row, column)]);
        let numbers: Vec<String> = numbers.map(|c| format!("{c:e}")).collect();
        let _ = write!(text, "\n{},{}", STRAINS[row], numbers.join(","));
    }
    text
}

fn page(name: &str, clock: &Clock, bodies: usize, moduli: &Moduli) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key:<12} {value}"); // Writing to a string does not fail.
    };
    line("file", name.to_owned());
    line("step", format!("{}, time {} s", clock.step, clock.time));
    line("cell", format!("{:.6e} m3", moduli.volume));
    line(
        "bodies",
        format!("{bodies}, of which {} without a contact", moduli.rattlers),
    );
    line(
        "contacts",
        format!("{} that act, taken as sticking", moduli.contacts),
    );
    line(
        "products",
        format!("{} with the stiffness matrix", moduli.products),
    );
    let columns = kept(moduli).iter().map(|&k| format!("{:>14}", STRAINS[k]));
    line("stress [Pa]", columns.collect());
    for &row in kept(moduli) {
        let numbers = kept(moduli)
            .iter()
            .map(|&column| moduli.tensor[(row, column)]);
        let numbers = numbers.map(|c| format!("{c:>14.6e}"));
        line(&format!("  {}", STRAINS[row]), numbers.collect());
    }
    let [bulk, shear] = moduli.bulk_and_shear();
    line("bulk", format!("{bulk:.9e} Pa, Voigt's average"));
    line("shear", format!("{shear:.9e} Pa, likewise"));
    text.trim_end().to_owned()
}
