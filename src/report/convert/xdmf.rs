//! A description of checkpoints in XDMF (xdmf.org), for ParaView and VisIt.
//!
//! The checkpoints stay as they are: bodies are points, and contacts are their contact points.

use super::output::{Fault, write_text};
use super::states::Source;
use crate::io::checkpoint;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// A dataset in the description: name, group and name, kind and bytes of its numbers, numbers in a
/// row.
type Column = (&'static str, &'static str, &'static str, u8, usize);

const BODIES: [Column; 7] = [
    ("velocity", "/bodies/velocity", "Float", 8, 3),
    (
        "angular_velocity",
        "/bodies/angular_velocity",
        "Float",
        8,
        3,
    ),
    ("radius", "/bodies/radius", "Float", 8, 1),
    ("mass", "/bodies/mass", "Float", 8, 1),
    ("id", "/bodies/id", "Int", 8, 1),
    ("material", "/bodies/material", "UShort", 2, 1),
    ("kind", "/bodies/kind", "UChar", 1, 1),
];

const CONTACTS: [Column; 4] = [
    ("normal", "/contacts/normal", "Float", 8, 3),
    ("impulse", "/contacts/impulse", "Float", 8, 3),
    ("gap", "/contacts/gap", "Float", 8, 1),
    ("status", "/contacts/status", "UChar", 1, 1),
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
    let mut grids = [String::new(), String::new()];
    for path in &paths {
        let (header, counts) = checkpoint::header(path).map_err(|e| Fault::Input(e.to_string()))?;
        let name = from_folder(&whole(out), &whole(path));
        let name = escaped(&name.to_string_lossy());
        let both = [
            (counts.bodies, "/bodies/position", &BODIES[..]),
            (counts.contacts, "/contacts/point", &CONTACTS[..]),
        ];
        for (grid, (rows, points, columns)) in grids.iter_mut().zip(both) {
            *grid += &still(&name, header.step, header.time, rows, points, columns);
        }
    }
    let [bodies, contacts] = grids;
    let collection = |name: &str, grids: &str| {
        format!(
            "<Grid Name=\"{name}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n{grids}</Grid>\n"
        )
    };
    let text = format!(
        "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n<Domain>\n{}{}</Domain>\n</Xdmf>\n",
        collection("bodies", &bodies),
        collection("contacts", &contacts)
    );
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

/// One state.
fn still(file: &str, step: u64, time: f64, rows: u64, points: &str, columns: &[Column]) -> String {
    let item = |path: &str, kind: &str, bytes: u8, width: usize| {
        let columns = if width > 1 {
            format!(" {width}")
        } else {
            String::new()
        };
        format!(
            "<DataItem Format=\"HDF\" NumberType=\"{kind}\" Precision=\"{bytes}\" Dimensions=\"{rows}{columns}\">{file}:{path}</DataItem>"
        )
    };
    let mut text = format!(
        "<Grid Name=\"step {step}\" GridType=\"Uniform\">\n<Time Value=\"{time:e}\"/>\n\
         <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{rows}\" NodesPerElement=\"1\"/>\n\
         <Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
        item(points, "Float", 8, 3)
    );
    for &(name, path, kind, bytes, width) in columns {
        let shape = if width > 1 { "Vector" } else { "Scalar" };
        let item = item(path, kind, bytes, width);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<Attribute Name=\"{name}\" AttributeType=\"{shape}\" Center=\"Node\">{item}</Attribute>"
        );
    }
    text + "</Grid>\n"
}

/// Text escaped for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
