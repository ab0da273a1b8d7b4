//! Text dumps in the format of LAMMPS (docs.lammps.org, `dump custom` and `dump local`).
//!
//! OVITO reads them too. LAMMPS counts atoms and types from 1: a body's id and its material's
//! number are one larger there. Walls are not atoms, so the dumps leave out contacts with walls.

use super::output::{Fault, write_text};
use super::states::{Body, State, States};
use crate::body::BodyId;
use crate::io::vtkhdf::{Kind, Space};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The text of bodies or contacts; `None`: the state has none.
type Section = fn(&State) -> Result<Option<String>, Fault>;

/// Writes `bodies.dump` and `contacts.dump`, as far as the source has bodies and contacts.
pub(super) fn write(states: &States, out: &Path) -> Result<Vec<PathBuf>, Fault> {
    let (bodies, contacts) = match states {
        States::Checkpoints(_) => (true, true),
        States::Frames(movies) => {
            let has = |wanted: Kind| movies.iter().any(|(kind, _)| *kind == wanted);
            (has(Kind::Bodies), has(Kind::Contacts))
        }
    };
    if !(bodies || contacts) {
        let text = "frames must be of bodies or contacts; found surfaces";
        return Err(Fault::Input(text.to_owned()));
    }
    let mut written = Vec::new();
    for (name, wanted, section) in [
        ("bodies.dump", bodies, atoms as Section),
        ("contacts.dump", contacts, entries),
    ] {
        if !wanted {
            continue;
        }
        let path = out.join(name);
        write_text(&path, |to: &mut dyn Write| {
            states.each(|state| match section(&state)? {
                Some(text) => to
                    .write_all(text.as_bytes())
                    .map_err(|e| Fault::Output(format!("{}: {e}", path.display()))),
                None => Ok(()),
            })
        })?;
        written.push(path);
    }
    Ok(written)
}

/// The lines before those of bodies or contacts.
fn head(state: &State, what: &str, count: usize) -> Result<String, Fault> {
    let Space {
        lower,
        upper,
        periodic,
        shear,
    } = state.space;
    let faces = periodic.map(|p| if p { "pp" } else { "ff" }).join(" ");
    // A sheared cell is LAMMPS's triclinic box: the bounds contain it, the tilts xy, xz, yz follow.
    const TILTS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
    if let Some(shear) = shear.filter(|shear| !TILTS.contains(&[shear.along, shear.across])) {
        let [along, across] = [shear.along, shear.across].map(|axis| ["x", "y", "z"][axis]);
        return Err(Fault::Input(format!(
            "cell.shear must be along x across y or z, or along y across z, as in boxes of LAMMPS; found along {along} \
             across {across}"
        )));
    }
    let tilts = TILTS.map(|[along, across]| match shear {
        Some(shear) if [shear.along, shear.across] == [along, across] => shear.shift,
        _ => 0.0,
    });
    let tilted = tilts.iter().any(|tilt| *tilt != 0.0);
    let names = if tilted { "xy xz yz " } else { "" };
    let mut text = format!(
        "ITEM: TIMESTEP\n{}\nITEM: TIME\n{:e}\nITEM: NUMBER OF {what}\n{count}\nITEM: BOX BOUNDS {names}{faces}\n",
        state.step, state.time
    );
    let [xy, xz, yz] = tilts;
    let wider = [xy + xz, yz, 0.0];
    for axis in 0..3 {
        let (low, high) = (
            lower[axis] + wider[axis].min(0.0),
            upper[axis] + wider[axis].max(0.0),
        );
        // A text has room.
        let _ = match tilted {
            false => writeln!(text, "{:e} {:e}", lower[axis], upper[axis]),
            true => writeln!(text, "{low:e} {high:e} {:e}", tilts[axis]),
        };
    }
    Ok(text)
}

fn atoms(state: &State) -> Result<Option<String>, Fault> {
    let Some(bodies) = &state.bodies else {
        return Ok(None);
    };
    let first = bodies.first().cloned().unwrap_or_default();
    let mut text = head(state, "ATOMS", bodies.len())?;
    text += "ITEM: ATOMS id type x y z";
    // All bodies have the same fields as the first.
    let columns = [
        (first.image.is_some(), " ix iy iz"),
        (first.velocity.is_some(), " vx vy vz"),
        (first.angular_velocity.is_some(), " omegax omegay omegaz"),
        (first.radius.is_some(), " radius"),
        (first.mass.is_some(), " mass"),
    ];
    columns.iter().filter(|c| c.0).for_each(|c| text += c.1);
    text.push('\n');
    for (body, row) in bodies.iter().zip(0..) {
        atom(&mut text, body, row);
    }
    Ok(Some(text))
}

fn atom(text: &mut String, body: &Body, row: u64) {
    let id = body.id.unwrap_or(row) + 1;
    *text += &format!("{id} {}", body.material.unwrap_or(0) + 1);
    let three = |numbers: &[f64; 3]| numbers.map(|x| format!(" {x:e}")).concat();
    let one = |number: f64| format!(" {number:e}");
    *text += &three(&body.position);
    let image = body
        .image
        .map(|image| image.map(|n| format!(" {n}")).concat());
    *text += &image.unwrap_or_default();
    *text += &body.velocity.as_ref().map(three).unwrap_or_default();
    *text += &body
        .angular_velocity
        .as_ref()
        .map(three)
        .unwrap_or_default();
    *text += &body.radius.map(one).unwrap_or_default();
    *text += &body.mass.map(one).unwrap_or_default();
    text.push('\n');
}

fn entries(state: &State) -> Result<Option<String>, Fault> {
    let Some(contacts) = &state.contacts else {
        return Ok(None);
    };
    let between = |body: &[u64; 2]| BodyId(body[1]).wall_index().is_none();
    let of_bodies = || contacts.iter().filter(|c| between(&c.body));
    let mut text = head(state, "ENTRIES", of_bodies().count())?;
    text += "ITEM: ENTRIES id1 id2 normal_force tangential_force gap status\n";
    for contact in of_bodies() {
        let [a, b] = contact.body;
        let (normal, tangential) = (contact.normal_force, contact.tangential_force);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {} {normal:e} {tangential:e} {:e} {}",
            a + 1,
            b + 1,
            contact.gap,
            contact.status
        );
    }
    Ok(Some(text))
}
