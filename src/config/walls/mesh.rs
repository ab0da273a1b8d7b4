//! Walls of the shape `mesh`: files of triangles.

use super::part::{AXIS, Part, unit};
use crate::config::document::Node;
use crate::config::domain::Domain;
use crate::config::fault::Fault;
use crate::config::files::contents;
use crate::config::key::{Key, List, Needed, Preset, Text, Three, Truth};
use crate::config::reader::{METRES, Number, Range, Section, must, report};
use crate::config::table::{Declared, Table};
use crate::io::mesh::{Part as Raw, parts};
use crate::math::{IDENTITY, Quaternion, Vector3, rotate, turned};
use crate::shape::Posed;
use crate::shape::mesh::{Faces, Mesh, MeshError};
use std::collections::HashSet;
use std::path::Path;

const FILE: Key<Text, Needed> = Key::new(
    "file",
    Text("the path of an STL, OBJ or PLY file"),
    Needed,
    "text or binary, of one or several parts",
);
const SCALE: Key<Number, Preset<f64>> = Key::new(
    "scale",
    Number(Range::Positive, ""),
    Preset(1.0),
    "factor of all lengths: 0.001 for a file in millimetres",
);
const ANGLE: Key<Number, Needed> = Key::new(
    "angle",
    Number(Range::Finite, "rad"),
    Needed,
    "angle of the turn",
);
const TURN: Table = Table::new("turn", &[&AXIS, &ANGLE]).optional([
    "none",
    "a table",
    "turn about the origin, after `scale`",
]);
const SHIFT: Key<Three, Preset<[f64; 3]>> = Key::new(
    "shift",
    List(METRES),
    Preset([0.0; 3]),
    "shift, after `scale` and `turn`",
);
const SMOOTH_ANGLE: Key<Number, Preset<f64>> = Key::new(
    "smooth_angle",
    Number(Range::Between(0.0, 1.5), "rad"),
    Preset(SMOOTH),
    "edges that turn by less are smooth; the default is 20°",
);
const UNITED: Key<Truth, Preset<bool>> =
    Key::new("united", Truth, Preset(false), "all parts are one wall");

/// The keys of this shape.
pub(super) const KEYS: [&dyn Declared; 6] = [&FILE, &SCALE, &TURN, &SHIFT, &SMOOTH_ANGLE, &UNITED];

/// The default angle up to which an edge is smooth [rad]: 20°.
pub(super) const SMOOTH: f64 = 0.349;

/// The largest size of a mesh, in sizes of the domain.
const LARGEST: f64 = 100.0;

/// The walls of a file: one of each part, or one of all parts.
pub(super) fn read(
    name: &str,
    section: &Section,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Part> {
    let before = faults.len();
    let path = section.read(&FILE, faults).unwrap_or_default();
    let move_by = Move::read(section, faults);
    let smooth = section.read(&SMOOTH_ANGLE, faults);
    let united = section.read(&UNITED, faults);
    let Some(file) = section.get(FILE.name) else {
        return Vec::new();
    };
    if domain.two_dimensional {
        let node = section.get("shape").unwrap_or(file);
        must(node, "another shape in two dimensions", "\"mesh\"", faults);
    }
    if faults.len() > before {
        return Vec::new();
    }
    let raw = match contents(file).and_then(|contents| parts(Path::new(&path), &contents)) {
        Ok(raw) if united => vec![all_of(raw)],
        Ok(raw) => raw,
        Err(why) => {
            report(
                file,
                format!("must be {}; found {why}", FILE.says()),
                faults,
            );
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (of, raw) in named(raw) {
        let full = match &of {
            Some(of) => format!("{name}.{of}"),
            None => name.to_owned(),
        };
        let faces = move_by.faces(raw.faces);
        match Mesh::new(&faces, smooth) {
            Ok(mesh) => found.push((full, Posed::new(mesh))),
            Err(why) => {
                let node = section.get(SCALE.name);
                let node = node.filter(|_| why == MeshError::Empty && vanishes(&faces));
                let (node, accepted) = match node {
                    Some(node) => (node, "be a factor with which the triangles have areas"),
                    None => (file, "hold a mesh"),
                };
                let message = format!("must {accepted}; found {full}: {why}");
                report(node, message, faults);
            }
        }
    }
    lies_in(&found, section, domain, faults);
    let part = |(name, posed)| Part::of_mesh(name, posed);
    found.into_iter().map(part).collect()
}

/// Whether areas are too small for numbers.
fn vanishes(faces: &Faces) -> bool {
    let size = |axis: usize| {
        let each = faces.points.iter().map(|point| point[axis]);
        let [low, high] = each.fold([f64::INFINITY, -f64::INFINITY], |[low, high], c| {
            [low.min(c), high.max(c)]
        });
        high - low
    };
    let most = size(0).max(size(1)).max(size(2));
    most * most < f64::MIN_POSITIVE
}

/// All parts of a file as one.
fn all_of(raw: Vec<Raw>) -> Raw {
    let mut all = Raw::default();
    for Raw { faces, .. } in raw {
        let first = all.faces.points.len() as u32;
        let moved = faces.triangles.into_iter().map(|of| of.map(|k| k + first));
        all.faces.triangles.extend(moved);
        all.faces.points.extend(faces.points);
    }
    all
}

/// The parts of a file with different names; `None` if there is one part only.
fn named(raw: Vec<Raw>) -> Vec<(Option<String>, Raw)> {
    let raw: Vec<Raw> = raw
        .into_iter()
        .filter(|raw| !raw.faces.triangles.is_empty())
        .collect();
    if raw.len() == 1 {
        return raw.into_iter().map(|raw| (None, raw)).collect();
    }
    let mut known = HashSet::new();
    let name = |(number, raw): (usize, Raw)| {
        let number = (number + 1).to_string();
        let mut name = raw.name.clone().unwrap_or_else(|| number.clone());
        if !known.insert(name.clone()) {
            name = format!("{name}-{number}");
            known.insert(name.clone());
        }
        (Some(name), raw)
    };
    raw.into_iter().enumerate().map(name).collect()
}

/// Refuses meshes far from the domain, and of absurd sizes: files have other units of length.
fn lies_in(found: &[(String, Posed)], section: &Section, domain: &Domain, faults: &mut Vec<Fault>) {
    let (lower, upper) = (Vector3::from(domain.lower), Vector3::from(domain.upper));
    let Some(node) = section.get(SCALE.name).or(section.get(FILE.name)) else {
        return;
    };
    for (name, posed) in found {
        let [low, high] = posed.corners();
        let shown = |x: &Vector3| format!("[{:.4e}, {:.4e}, {:.4e}]", x.x, x.y, x.z);
        let from_to = format!("{name} from {} to {} m", shown(&low), shown(&high));
        if (high - low).norm() > LARGEST * (upper - lower).norm() {
            let accepted = format!(
                "a factor with which the mesh is at most {LARGEST} times as large as the domain (0.001 for a file in \
                 millimetres)"
            );
            must(node, &accepted, &from_to, faults);
        } else if (0..3).any(|a| high[a] < lower[a] || low[a] > upper[a]) {
            let node = section.get(SHIFT.name).unwrap_or(node);
            let accepted = "a way by which the mesh reaches into the domain";
            must(node, accepted, &from_to, faults);
        }
    }
}

/// Refuses a centre of torques far from the meshes of an entry: farther than their size and that
/// of the domain.
pub(super) fn near_centre(
    node: &Node,
    parts: &[Part],
    (centre, domain): (&Vector3, &Domain),
    faults: &mut Vec<Fault>,
) {
    let meshes = parts.iter().filter_map(|part| part.surface.mesh());
    let corners = meshes.map(Posed::corners);
    let Some([low, high]) = corners.reduce(|a, b| [a[0].inf(&b[0]), a[1].sup(&b[1])]) else {
        return;
    };
    let whole = Vector3::from(domain.upper) - Vector3::from(domain.lower);
    let size = (high - low).norm().max(whole.norm());
    if (0..3).any(|a| centre[a] < low[a] - size || centre[a] > high[a] + size) {
        let accepted = "a point nearer to the mesh than its size or that of the domain";
        must(node, accepted, &node.shown, faults);
    }
}

/// The way from the coordinates of a file to those of the domain.
struct Move {
    scale: f64,
    turn: Quaternion,
    shift: Vector3,
}

impl Move {
    fn read(section: &Section, faults: &mut Vec<Fault>) -> Self {
        let turn = section.get(TURN.name).map(|_| {
            let turn = section.declared(&TURN, faults);
            let axis = turn.read(&AXIS, faults);
            let axis = unit(&turn, AXIS.name, axis, "a direction", faults);
            let angle = turn.read(&ANGLE, faults);
            rotate(IDENTITY, &(axis * angle))
        });
        Self {
            scale: section.read(&SCALE, faults),
            turn: turn.unwrap_or(IDENTITY),
            shift: Vector3::from(section.read(&SHIFT, faults)),
        }
    }

    /// Faces scaled, turned about the origin, and shifted.
    fn faces(&self, mut faces: Faces) -> Faces {
        for point in &mut faces.points {
            let x = Vector3::from(*point) * self.scale;
            *point = (turned(self.turn, &x) + self.shift).into();
        }
        faces
    }
}
