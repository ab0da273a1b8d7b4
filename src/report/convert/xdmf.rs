//! A description of checkpoints in XDMF (xdmf.org), for ParaView and VisIt.
//!
//! The checkpoints stay as they are: bodies are points, and contacts are their contact points.

use super::output::{Fault, write_text};
use super::states::Source;
use crate::io::checkpoint;
use crate::io::xdmf::{Column, Number, Still, document};
use std::path::{Component, Path, PathBuf};

/// A dataset of a checkpoint: name, path, the type of its numbers, numbers in a row.
type Dataset = (&'static str, &'static str, Number, usize);

const BODIES: [Dataset; 7] = [
    ("velocity", "/bodies/velocity", Number::F64, 3),
    (
        "angular_velocity",
        "/bodies/angular_velocity",
        Number::F64,
        3,
    ),
    ("radius", "/bodies/radius", Number::F64, 1),
    ("mass", "/bodies/mass", Number::F64, 1),
    ("id", "/bodies/id", Number::I64, 1),
    ("material", "/bodies/material", Number::U16, 1),
    ("kind", "/bodies/kind", Number::U8, 1),
];

const CONTACTS: [Dataset; 4] = [
    ("normal", "/contacts/normal", Number::F64, 3),
    ("impulse", "/contacts/impulse", Number::F64, 3),
    ("gap", "/contacts/gap", Number::F64, 1),
    ("status", "/contacts/status", Number::U8, 1),
];

/// Writes `checkpoints.xmf`.
///
/// It names checkpoints by their paths from its own folder, so both can be moved together.
pub(super) fn write(source: Source, out: &Path) -> Result<Vec<PathBuf>, Fault> {
    let Source::Checkpoints(paths) = source else {
        let text = "XDMF describes checkpoints; accepted: a checkpoint, or a folder of them";
        return Err(Fault::Input(text.to_owned()));
    };
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    for path in &paths {
        let (header, counts) = checkpoint::header(path).map_err(|e| Fault::Input(e.to_string()))?;
        let name = from_folder(&whole(out), &whole(path));
        let file = name.to_string_lossy().into_owned();
        let column = |&(name, path, number, width): &Dataset| Column {
            name: name.to_owned(),
            file: file.clone(),
            path: path.to_owned(),
            number,
            width,
        };
        let still = |rows, points, columns: &[Dataset]| Still {
            step: header.step,
            time: header.time,
            rows,
            corners: 1,
            points: column(&("points", points, Number::F64, 3)),
            columns: columns.iter().map(column).collect(),
        };
        bodies.push(still(counts.bodies, "/bodies/position", &BODIES));
        contacts.push(still(counts.contacts, "/contacts/point", &CONTACTS));
    }
    let text = document(&[("bodies", &bodies), ("contacts", &contacts)]);
    let path = out.join("checkpoints.xmf");
    write_text(&path, |to| {
        to.write_all(text.as_bytes())
            .map_err(|e| Fault::Output(format!("{}: {e}", path.display())))
    })?;
    Ok(vec![path])
}

/// The path of a file as seen from a folder; both are absolute.
///
/// On another drive, which no path leads to, the absolute path.
fn from_folder(folder: &Path, file: &Path) -> PathBuf {
    let common = (folder.components().zip(file.components()))
        .take_while(|(a, b)| a == b)
        .count();
    if common == 0 {
        return file.to_owned();
    }
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}
