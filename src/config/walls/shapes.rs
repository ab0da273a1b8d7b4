//! The shapes of walls, each of one or several surfaces.

use super::mesh;
use super::part::{AXIS, CENTRE, FROM, POINT, Part, RADIUS, TO, ends, unit};
use super::thin;
use crate::config::document::{Node, Value};
use crate::config::domain::{Domain, corners as check_corners};
use crate::config::fault::Fault;
use crate::config::key::{Entry, Key, List, Needed, Or, Preset, Three, Truth, Words};
use crate::config::reader::{
    METRES, Number, Range, Section, must, needs, refuse, unknown, wrong_type,
};
use crate::config::table::Table;
use crate::math::Vector3;
use crate::shape::{HalfSpace, Surface};

/// The names of all shapes.
pub(super) const KINDS: [&str; 11] = [
    "box", "plane", "cylinder", "sphere", "disc", "cone", "mesh", "plate", "segment", "arc",
    "compound",
];

/// All but compounds.
pub(super) const SIMPLE: &[&str] = KINDS.split_at(KINDS.len() - 1).0;

const FACES: [&str; 6] = ["x-", "x+", "y-", "y+", "z-", "z+"];

/// The shape that an entry names, if it is one of these.
pub(super) fn kind(node: &Node) -> Option<&'static str> {
    let shape = node.child("shape")?;
    KINDS.iter().find(|kind| shape.is_text(kind)).copied()
}

const NORMAL: Key<Three, Needed> = Key::new(
    "normal",
    List(Number(Range::Finite, "")),
    Needed,
    "vector from the wall into the free side",
);
/// Whether bodies are inside; the other side is solid.
const SIDE: Key<Words<bool>, Needed> = Key::new(
    "side",
    Words(&[("inside", true), ("outside", false)]),
    Needed,
    "the side on which bodies are; the other side is solid",
);
const CAPS: Key<Truth, Preset<bool>> = Key::new(
    "caps",
    Truth,
    Preset(true),
    "with `side = \"inside\"`: walls `NAME.side`, `NAME.from`, `NAME.to`; without caps a tube open \
     at both ends",
);
const HOLE: Key<Number, Preset<f64>> = Key::new(
    "hole",
    Number(Range::NotNegative, "m"),
    Preset(0.0),
    "radius of a hole in the middle",
);
const RADII: Key<List<2>, Needed> = Key::new(
    "radius",
    List(Number(Range::NotNegative, "m")),
    Needed,
    "radii at `from` and at `to`",
);
const OF_FACES: Entry = Entry::new(
    "faces",
    "a list of some of \"x-\", \"x+\", \"y-\", \"y+\", \"z-\", \"z+\"",
    "all that are not periodic",
    "faces that are walls: `NAME.x-` and so on",
);
const LOWER: Key<Three, Or> = Key::new(
    "lower",
    List(METRES),
    Or("that of the domain"),
    "lower corner, in the domain",
);
const UPPER: Key<Three, Or> = Key::new(
    "upper",
    List(METRES),
    Or("that of the domain"),
    "upper corner, in the domain",
);

/// Keys of a box.
pub(in crate::config) const BOX: Table = Table::new("wall:box", &[&OF_FACES, &LOWER, &UPPER])
    .kind("shape = \"box\"", "planes around the bodies");
/// Keys of a plane.
pub(in crate::config) const PLANE: Table =
    Table::new("wall:plane", &[&POINT, &NORMAL]).kind("shape = \"plane\"", "a plane, solid behind");
/// Keys of a cylinder.
pub(in crate::config) const CYLINDER: Table =
    Table::new("wall:cylinder", &[&FROM, &TO, &RADIUS, &SIDE, &CAPS])
        .kind("shape = \"cylinder\"", "a bore, a tube or a solid cylinder");
/// Keys of a sphere.
pub(in crate::config) const SPHERE: Table = Table::new("wall:sphere", &[&CENTRE, &RADIUS, &SIDE])
    .kind("shape = \"sphere\"", "a hollow or a solid sphere");
/// Keys of a disc.
pub(in crate::config) const DISC: Table =
    Table::new("wall:disc", &[&CENTRE, &AXIS, &RADIUS, &HOLE])
        .kind("shape = \"disc\"", "a disc or a ring; bodies on both sides");
/// Keys of a cone.
pub(in crate::config) const CONE: Table = Table::new("wall:cone", &[&FROM, &TO, &RADII]).kind(
    "shape = \"cone\"",
    "a part of a cone, as a funnel; bodies on both sides",
);
/// Keys of a mesh.
pub(in crate::config) const MESH: Table = Table::new("wall:mesh", &mesh::KEYS).kind(
    "shape = \"mesh\"",
    "triangles of a file; bodies on both sides. Walls `NAME.PART`, by the names of STL solids and \
     OBJ objects, or their numbers; one part is `NAME`",
);
/// Keys of a plate.
pub(in crate::config) const PLATE: Table = Table::new(
    "wall:plate",
    &[&CENTRE, &thin::NORMAL, &thin::ALONG, &thin::EDGES],
)
.kind("shape = \"plate\"", "a rectangle; bodies on both sides");
/// Keys of a segment.
pub(in crate::config) const SEGMENT: Table = Table::new("wall:segment", &[&FROM, &TO]).kind(
    "shape = \"segment\"",
    "in two dimensions: a straight line; bodies on both sides",
);
/// Keys of an arc.
pub(in crate::config) const ARC: Table = Table::new("wall:arc", &[&CENTRE, &RADIUS, &thin::ANGLES])
    .kind(
        "shape = \"arc\"",
        "in two dimensions: a part of a circle; bodies on both sides",
    );

/// The keys of a shape other than a compound; of all these shapes where it is not known.
pub(super) fn keys(kind: Option<&'static str>) -> Vec<&'static Table> {
    match kind.filter(|kind| SIMPLE.contains(kind)) {
        Some(kind) => vec![keys_of(kind)],
        None => SIMPLE.iter().map(|kind| keys_of(kind)).collect(),
    }
}

fn keys_of(kind: &str) -> &'static Table {
    match kind {
        "plane" => &PLANE,
        "cylinder" => &CYLINDER,
        "sphere" => &SPHERE,
        "disc" => &DISC,
        "cone" => &CONE,
        "mesh" => &MESH,
        "plate" => &PLATE,
        "segment" => &SEGMENT,
        "arc" => &ARC,
        _ => &BOX,
    }
}

/// The parts of a wall of this shape, other than a compound.
pub(super) fn read(
    kind: &str,
    name: &str,
    section: &Section,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Part> {
    let one = |surface: Surface, centre: Vector3| {
        let name = name.to_owned();
        vec![Part {
            name,
            surface,
            centre,
        }]
    };
    match kind {
        "plane" => {
            let plane = plane(section, faults);
            one(Surface::Plane(plane), plane.point)
        }
        "cylinder" => cylinder(name, section, faults),
        "sphere" => {
            let centre = Vector3::from(section.read(&CENTRE, faults));
            let radius = section.read(&RADIUS, faults);
            let inside = section.read(&SIDE, faults) == Some(true);
            let surface = Surface::Sphere {
                centre,
                radius,
                inside,
            };
            one(surface, centre)
        }
        "disc" => {
            let centre = Vector3::from(section.read(&CENTRE, faults));
            let axis = section.read(&AXIS, faults);
            let axis = unit(section, AXIS.name, axis, "a direction", faults);
            let radius = section.read(&RADIUS, faults);
            let hole = section.read(&HOLE, faults);
            if let (true, Some(node)) = (hole >= radius, section.get(HOLE.name)) {
                refuse(
                    node,
                    &format!("less than the disc's radius, {radius} [m]"),
                    faults,
                );
            }
            let ends = [[hole, 0.0], [radius, 0.0]];
            one(Surface::Shell { centre, axis, ends }, centre)
        }
        "cone" => {
            let (from, axis, length) = ends(section, faults);
            let [r0, r1] = section.read(&RADII, faults);
            let surface = Surface::Shell {
                centre: from,
                axis,
                ends: [[r0, 0.0], [r1, length]],
            };
            one(surface, from + axis * (0.5 * length))
        }
        "mesh" => mesh::read(name, section, domain, faults),
        "plate" => {
            if let (true, Some(node)) = (domain.two_dimensional, section.get("shape")) {
                must(node, "another shape in two dimensions", &node.shown, faults);
            }
            let plate = thin::plate(section, faults);
            plate.map_or_else(Vec::new, |(surface, centre)| one(surface, centre))
        }
        "segment" => {
            let (surface, centre) = thin::segment(section, domain, faults);
            one(surface, centre)
        }
        "arc" => {
            let (surface, centre) = thin::arc(section, domain, faults);
            one(surface, centre)
        }
        _ => {
            let corners = box_corners(section, domain, faults);
            let part = |face: &str| {
                let plane = box_face(&corners, face);
                Part {
                    name: format!("{name}.{face}"),
                    surface: Surface::Plane(plane),
                    centre: plane.point,
                }
            };
            faces(section, domain, faults)
                .into_iter()
                .map(part)
                .collect()
        }
    }
}

/// The corners of a box [m]: by default those of the domain, in which it must lie.
fn box_corners(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> [[f64; 3]; 2] {
    let given = [(&LOWER, domain.lower), (&UPPER, domain.upper)];
    let corners = given.map(|(key, default)| {
        let corner = section.read(key, faults).unwrap_or(default);
        let inside = |a: usize| (domain.lower[a]..=domain.upper[a]).contains(&corner[a]);
        if let (false, Some(node)) = ((0..3).all(inside), section.get(key.name)) {
            let accepted = format!(
                "a corner in the domain, from {:?} to {:?} [m]",
                domain.lower, domain.upper
            );
            refuse(node, &accepted, faults);
        }
        corner
    });
    let node = section.get(UPPER.name).or(section.get(LOWER.name));
    if let Some(node) = node {
        check_corners(node, corners[0], corners[1], faults);
    }
    corners
}

fn cylinder(name: &str, section: &Section, faults: &mut Vec<Fault>) -> Vec<Part> {
    let (from, axis, length) = ends(section, faults);
    let radius = section.read(&RADIUS, faults);
    let inside = section.read(&SIDE, faults) == Some(true);
    let caps = section.read(&CAPS, faults);
    if let (false, Some(node)) = (inside, section.get(CAPS.name)) {
        needs(
            node,
            "side = \"inside\": from outside a cylinder is solid",
            faults,
        );
    }
    let to = from + axis * length;
    let centre = from + axis * (0.5 * length);
    let part = |end: &str, surface: Surface| Part {
        name: format!("{name}{end}"),
        surface,
        centre,
    };
    let cap = |point: Vector3, normal: Vector3| Surface::Plane(HalfSpace { point, normal });
    match (inside, caps) {
        (false, _) => vec![part(
            "",
            Surface::Cylinder {
                centre,
                axis,
                radius,
                half_length: 0.5 * length,
            },
        )],
        (true, false) => vec![part(
            "",
            Surface::Shell {
                centre: from,
                axis,
                ends: [[radius, 0.0], [radius, length]],
            },
        )],
        (true, true) => vec![
            part(
                ".side",
                Surface::Bore {
                    centre,
                    axis,
                    radius,
                },
            ),
            part(".from", cap(from, axis)),
            part(".to", cap(to, -axis)),
        ],
    }
}

fn plane(section: &Section, faults: &mut Vec<Fault>) -> HalfSpace {
    let point = section.read(&POINT, faults);
    let normal = section.read(&NORMAL, faults);
    let accepted = "a vector from the wall into the free side";
    HalfSpace {
        point: Vector3::from(point),
        normal: unit(section, NORMAL.name, normal, accepted, faults),
    }
}

/// The faces of a box: the named ones, by default those on axes that are not periodic.
fn faces(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Vec<&'static str> {
    let open = |face: &&str| {
        let axis = axis_of(face);
        !(domain.periodic[axis] || domain.two_dimensional && axis == 2)
    };
    let Some(node) = section.get(OF_FACES.name) else {
        return FACES.into_iter().filter(|face| open(face)).collect();
    };
    let accepted = OF_FACES.accepts;
    let Value::List(items) = &node.value else {
        wrong_type(node, accepted, faults);
        return Vec::new();
    };
    if items.is_empty() {
        must(node, accepted, "an empty list", faults);
    }
    let mut found = Vec::new();
    for item in items {
        let face = FACES.iter().find(|face| item.is_text(face));
        match face {
            Some(face) if !open(face) => {
                let why = if domain.periodic[axis_of(face)] {
                    "whose axis is periodic"
                } else {
                    "whose axis a run in two dimensions lacks"
                };
                let found = format!("{}, {why}", item.shown);
                must(item, "another face", &found, faults);
            }
            Some(face) => found.push(*face),
            None => {
                let written = item.shown.trim_matches('"');
                unknown(item, written, &FACES, faults);
            }
        }
    }
    found
}

fn axis_of(face: &str) -> usize {
    match face.as_bytes()[0] {
        b'x' => 0,
        b'y' => 1,
        _ => 2,
    }
}

/// The half-space outside one face of a box.
fn box_face([lower, upper]: &[[f64; 3]; 2], face: &str) -> HalfSpace {
    let is_lower = face.ends_with('-');
    let mut normal = Vector3::zeros();
    normal[axis_of(face)] = if is_lower { 1.0 } else { -1.0 };
    let corner = if is_lower { lower } else { upper };
    HalfSpace {
        point: Vector3::from(*corner),
        normal,
    }
}

/// Checks that a wall is at right angles to the plane of motion, z = 0, in two dimensions.
pub(super) fn check_plane(node: &Node, parts: &[Part], faults: &mut Vec<Fault>) {
    let upright = |surface: &Surface| match surface {
        Surface::Plane(plane) => plane.normal.z == 0.0,
        Surface::Sphere { centre, .. } => centre.z == 0.0,
        Surface::Bore { axis, .. } => axis.x == 0.0 && axis.y == 0.0,
        Surface::Cylinder {
            axis,
            centre,
            half_length,
            ..
        } => axis.x == 0.0 && axis.y == 0.0 && centre.z.abs() < *half_length,
        // A tube without caps, or a segment, which is a disc.
        Surface::Shell { axis, centre, ends } => {
            let tube = axis.x == 0.0 && axis.y == 0.0 && ends[0][0] == ends[1][0];
            let flat = ends[0][1] == ends[1][1] && ends[0][0] == 0.0;
            tube || axis.z == 0.0 && centre.z == 0.0 && flat
        }
        Surface::Arc { centre, axis, .. } => axis.x == 0.0 && axis.y == 0.0 && centre.z == 0.0,
        Surface::Mesh(_) | Surface::Compound(_) => false,
    };
    let mut surfaces = parts.iter().flat_map(|part| part.surface.parts());
    if !surfaces.all(upright) {
        let accepted = "planes with normal z = 0, cylinders along z (inside: caps = false), spheres with centre z = 0, segments and arcs at z = 0";
        must(
            node,
            accepted,
            "a wall that leans out of the plane z = 0",
            faults,
        );
    }
}

/// Whether bodies that cross a periodic face would cross the surface: walls have no images.
pub(super) fn crosses_period(surface: &Surface, periodic: [bool; 3]) -> bool {
    surface.parts().iter().any(|part| match part {
        Surface::Plane(plane) => (0..3).any(|a| periodic[a] && plane.normal[a].abs() > 1e-9),
        _ => false,
    })
}
