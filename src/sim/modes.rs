//! The softest modes of a checkpoint: `moreau elastic --modes`.

use super::elastic::{Packing, packing};
use super::error::RunError;
use crate::body::BodyRow;
use crate::comm::threads::Serial;
use crate::io::vtkhdf::{self, Field, Frames, Precision, Settings, Space};
use crate::io::{Header, Snapshot};
use crate::scheme::quasistatic::{Mode, Modes, NoModes};
use std::fmt::Write;
use std::path::Path;

/// The softest modes of a checkpoint, or of the newest one of a folder, as text or CSV.
///
/// `count` modes are found. With a folder `out`, frame k of `bodies.vtkhdf` there has mode k.
/// Velocity and angular velocity are its displacement and rotation, the time is k. The largest
/// displacement is a mean radius. `set` changes keys of the configuration (`key=value`).
///
/// # Errors
/// A message for the user: the run cannot go on from there, contacts have no stiffness, or bodies
/// are too many; also where the folder has frames already, or cannot be written.
pub fn modes(
    from: &Path,
    set: &[String],
    csv: bool,
    (count, out): (usize, Option<&Path>),
) -> Result<String, RunError> {
    let of = packing(from, set)?;
    if let Some(out) = out
        && vtkhdf::any(out).map_err(|e| RunError::Input(format!("{}: {e}", out.display())))?
    {
        let place = out.display();
        let text = format!("--out must be a folder without frames; found some in {place}");
        return Err(RunError::Input(text));
    }
    let domain = of.domain();
    let found = of.scheme.modes(&of.state, &domain, count);
    let found = found.map_err(|e| match e {
        NoModes::TooMany(_) => RunError::Input(format!("checkpoint {}: {e}", of.name)),
        NoModes::NotFound => RunError::Failed(format!("checkpoint {}: {e}", of.name)),
    })?;
    if let Some(out) = out {
        write(&of, &found, out).map_err(|e| RunError::Incomplete(e.to_string()))?;
    }
    Ok(if csv {
        table(&found)
    } else {
        page(&of, &found)
    })
}

/// Writes a frame for each mode.
fn write(of: &Packing, found: &Modes, out: &Path) -> Result<(), vtkhdf::Error> {
    let settings = Settings {
        fields: vec![
            Field::Velocity,
            Field::AngularVelocity,
            Field::Radius,
            Field::Id,
        ],
        precision: Precision::Double,
        contacts: false,
        ..Settings::default()
    };
    let scenario = &of.scenario;
    let space = Space {
        lower: scenario.lower,
        upper: scenario.upper,
        periodic: scenario.periodic,
        shear: scenario.shear,
    };
    let (mut frames, _) = Frames::open(&Serial, out, &settings, (space, &[], &[]), None)?;
    for (mode, number) in found.softest.iter().zip(1..) {
        let snapshot = Snapshot {
            header: Header {
                step: number,
                time: number as f64,
                ..Header::default()
            },
            bodies: moved(&of.state.parcel.bodies, mode),
            ..Snapshot::default()
        };
        frames.write(&Serial, &snapshot)?;
    }
    Ok(())
}

/// The bodies, with the displacements of a mode as velocities.
fn moved(bodies: &[BodyRow], mode: &Mode) -> Vec<BodyRow> {
    let radius = bodies.iter().map(|row| row.radius).sum::<f64>() / bodies.len() as f64;
    let most = mode.shape.iter().map(|(_, [way, _])| way.norm());
    let most = most.fold(0.0, f64::max);
    let scale = if most > 0.0 { radius / most } else { 1.0 };
    let each = bodies.iter().map(|row| {
        let place = mode.shape.binary_search_by_key(&row.id, |(id, _)| *id);
        let [way, turn] = place.map_or_else(|_| Default::default(), |at| mode.shape[at].1);
        BodyRow {
            velocity: (way * scale).into(),
            angular_velocity: (turn * scale).into(),
            ..*row
        }
    });
    each.collect()
}

fn table(found: &Modes) -> String {
    let mut text = "mode,angular_frequency,frequency".to_owned();
    for (mode, number) in found.softest.iter().zip(1..) {
        let omega = mode.frequency();
        let hertz = omega / std::f64::consts::TAU;
        let _ = write!(text, "\n{number},{omega:e},{hertz:e}"); // Writing to a string does not fail.
    }
    text
}

fn page(of: &Packing, found: &Modes) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key:<12} {value}"); // Writing to a string does not fail.
    };
    let clock = &of.state.clock;
    line("file", of.name.clone());
    line("step", format!("{}, time {} s", clock.step, clock.time));
    let bodies = of.state.parcel.bodies.len();
    let rattlers = found.rattlers;
    line(
        "bodies",
        format!("{bodies}, of which {rattlers} without a contact are left out"),
    );
    line("unknowns", format!("{}", found.unknowns));
    line(
        "zero modes",
        format!(
            "{} that strain no contact, rigid motions of a periodic cell among them, are left out",
            found.zero
        ),
    );
    line("mode", format!("{:>16} {:>16}", "omega [rad/s]", "f [Hz]"));
    for (mode, number) in found.softest.iter().zip(1..) {
        let omega = mode.frequency();
        let hertz = omega / std::f64::consts::TAU;
        line(
            &format!("  {number}"),
            format!("{omega:>16.9e} {hertz:>16.9e}"),
        );
    }
    text.trim_end().to_owned()
}
