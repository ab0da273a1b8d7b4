//! Reports from finished files: `moreau info`, `moreau render`, `moreau report`, `moreau convert`.

pub mod convert;
mod page;
mod picture;
mod plot;
mod series_plots;
mod state;
mod state_plots;
mod still;
mod subject;
mod table;
#[cfg(test)]
mod tests;

pub use page::page;
pub use picture::{Request, render};

use crate::body::BodyRow;
use crate::comm::threads::Serial;
use crate::config;
use crate::io::checkpoint::{self, Loaded};
use crate::law::Status;
use crate::law::bond::Joint;
use crate::math::{Vector3, as_written};
use crate::measure::{self, Ledger};
use crate::scheme::pace::Pace;
use std::fmt::Write;
use std::path::Path;

/// The contents of a checkpoint, or of the newest of a folder.
///
/// They are counts, energies, overlap, forces on walls, packing.
///
/// # Errors
/// If it is not a checkpoint that this program reads, the reason.
pub fn info(path: &Path) -> Result<String, String> {
    let newest;
    let (path, loaded, skipped) = if path.is_dir() {
        let found = checkpoint::read_newest(&Serial, path).map_err(|e| e.to_string())?;
        newest = found.0;
        (newest.as_path(), found.1, found.2)
    } else {
        let loaded = checkpoint::read(&Serial, path).map_err(|e| e.to_string())?;
        (path, loaded, Vec::new())
    };
    let Loaded {
        header,
        bodies,
        contacts,
        walls,
        flows,
        ..
    } = &loaded;
    let scenario = config::of_checkpoint(path, &header.config, header.cell.as_ref());
    let scenario = scenario.map_err(|faults| faults.to_string())?;
    let with = |status: Status| {
        contacts
            .iter()
            .filter(|c| c.status == status as u64)
            .count()
    };
    let active = measure::active(contacts);
    let weight: f64 = bodies.iter().map(|b| b.mass).sum::<f64>() * scenario.gravity.norm();

    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key:<12} {value}"); // Writing to a string does not fail.
    };
    for (path, why) in skipped {
        line("SKIPPED", format!("{}: {why}", path.display()));
    }
    line("file", path.display().to_string());
    line("title", scenario.title.clone());
    let capped = match (scenario.statics, header.capped_steps) {
        // Increments are in balance.
        (Some(_), 0) => String::new(),
        (_, n) => format!(" ({n} at the sweep cap)"),
    };
    line("step", format!("{}{capped}", header.step));
    line("time", format!("{} s", as_written(header.time)));
    line(
        "dt",
        match scenario.pace {
            Pace::Even(_) => format!("{} s", header.dt),
            Pace::Rule(_) => format!(
                "{} s in the last step ({} steps were longer than the rule asks for)",
                header.dt, header.rushed_steps
            ),
        },
    );
    if let Some((cell, now)) = scenario.cell.as_ref().zip(header.cell.as_ref()) {
        let lengths = cell.lengths_of(&now.upper).map(as_written);
        let strains = cell.strains(&cell.start().upper, &now.upper);
        let [x, y, z]: [f64; 3] = lengths.into();
        let [of_x, of_y, of_z]: [f64; 3] = strains.into();
        let sheared = now.shear.map_or_else(String::new, |shear| {
            let [along, across] = [shear.along, shear.across].map(|axis| ["x", "y", "z"][axis]);
            let (strain, shift) = (now.sheared, shear.shift);
            format!(
                "; sheared along {along} across {across} by {strain:.4e}, images {shift:.4e} m on"
            )
        });
        line(
            "cell",
            format!("{x} × {y} × {z} m, strains {of_x:.4e}, {of_y:.4e}, {of_z:.4e}{sheared}"),
        );
    }
    line("seed", header.seed.to_string());
    line("written by", format!("{} ranks", header.ranks));
    let start = toml::from_str::<toml::Table>(&header.provenance).unwrap_or_default();
    let start = start.get("start").and_then(|starts| starts.get(0));
    for key in ["command", "revision", "machines", "cpu", "mpi", "hdf5"] {
        if let Some(value) = start.and_then(|start| start.get(key)) {
            line(key, value.to_string());
        }
    }
    line("bodies", bodies.len().to_string());
    line(
        "contacts",
        format!(
            "{} candidates: {} sticking, {} sliding, {} open",
            contacts.len(),
            with(Status::Sticking),
            with(Status::Sliding),
            with(Status::Open)
        ),
    );
    let bonds = |with: fn(u64) -> bool| {
        let joints = contacts.iter().map(|c| c.state.joint.glue);
        joints.filter(|&glue| with(glue)).count()
    };
    if !scenario.laws.bonds.is_empty() {
        let broken = bonds(|glue| glue == Joint::BROKEN);
        let whole = bonds(|glue| glue != 0) - broken;
        line(
            "bonds",
            format!("{whole} unbroken, {broken} broken between bodies that are near each other"),
        );
    }
    let to_walls = contacts
        .iter()
        .filter(|c| c.status != 0 && c.key.b.wall_index().is_some())
        .count();
    line(
        "coordination",
        format!(
            "{:.3} active contacts per body",
            (2 * active - to_walls) as f64 / bodies.len().max(1) as f64
        ),
    );
    line(
        "kinetic",
        format!("{:.4e} J", measure::kinetic_energy(bodies).value()),
    );
    line(
        "potential",
        format!(
            "{:.6e} J",
            measure::potential_energy(bodies, &scenario.gravity, &scenario.period()).value()
        ),
    );
    for (name, energy) in Ledger::NAMES.iter().zip(header.ledger.to_array()) {
        if energy != 0.0 {
            line(name, format!("{energy:.6e} J"));
        }
    }
    line(
        "overlap",
        format!(
            "{:.3e} of the smaller radius at most",
            measure::largest_overlap(
                contacts,
                measure::Side::among(bodies, &scenario.templates, header.dt)
            )
        ),
    );
    let ways = (scenario
        .inlets
        .iter()
        .map(|inlet| ("came in by", &inlet.name)))
    .chain((scenario.acts.outlets.iter()).map(|outlet| ("went out by", &outlet.name)));
    for ((way, region), flow) in ways.zip(flows) {
        let (bodies, mass) = (flow.bodies, flow.mass);
        line(
            "flow",
            format!("{bodies} bodies, {mass:.6e} kg, {way} {region}"),
        );
    }
    line("weight", format!("{weight:.6e} N"));
    let mut total = Vector3::zeros();
    for (wall, row) in scenario.walls.iter().zip(walls) {
        let force = Vector3::from(row.impulse) / header.dt;
        total += force;
        line(
            "wall force",
            format!(
                "{:<12} {:>13.5e} {:>13.5e} {:>13.5e} N",
                wall.name, force.x, force.y, force.z
            ),
        );
        let torque = Vector3::from(row.couple_impulse) / header.dt;
        line(
            "wall torque",
            format!(
                "{:<12} {:>13.5e} {:>13.5e} {:>13.5e} N m",
                wall.name, torque.x, torque.y, torque.z
            ),
        );
    }
    line(
        "wall force",
        format!(
            "{:<12} {:>13.5e} {:>13.5e} {:>13.5e} N",
            "all", total.x, total.y, total.z
        ),
    );
    match core(bodies, &scenario) {
        Some((lower, upper)) => {
            let fraction = measure::solid_volume(bodies, (&lower, &upper), &scenario.templates)
                .value()
                / (upper - lower).product();
            let [l, u] = [lower, upper].map(<[f64; 3]>::from);
            line(
                "packing",
                format!(
                    "{fraction:.4} solid in the core, 2.5 diameters inside the packing: {l:.4?} to {u:.4?} m"
                ),
            );
        }
        None => line(
            "packing",
            "too few layers for a core 2.5 diameters inside".to_owned(),
        ),
    }
    Ok(text.trim_end().to_owned())
}

/// The core of a packing: 2.5 mean diameters inside the bodies' surfaces, and inside the domain.
///
/// The surfaces are those of the box that holds the middle 96 % of them on each axis.
fn core(bodies: &[BodyRow], scenario: &config::Scenario) -> Option<(Vector3, Vector3)> {
    let radius = bodies.iter().map(|b| b.radius).sum::<f64>() / bodies.len().max(1) as f64;
    let (mut lower, mut upper) = (scenario.lower, scenario.upper);
    for axis in 0..3 {
        let mut x: Vec<f64> = bodies.iter().map(|b| b.position[axis]).collect();
        x.sort_by(f64::total_cmp);
        let at = |share: f64| x.get((x.len() as f64 * share) as usize).copied();
        lower[axis] = lower[axis].max(at(0.02)? - radius) + 5.0 * radius;
        upper[axis] = upper[axis].min(at(0.98)? + radius) - 5.0 * radius;
        if upper[axis] <= lower[axis] {
            return None;
        }
    }
    Some((lower, upper))
}
