//! The shapes of walls, each of one or several surfaces.

use super::mesh;
use super::part::{Part, ends, unit};
use super::thin;
use crate::config::document::{Node, Value};
use crate::config::domain::{Domain, corners as check_corners};
use crate::config::fault::Fault;
use crate::config::reader::{
    METRES, Number, Range, SIZE, Section, must, needs, refuse, unknown, wrong_type,
};
use crate::math::Vector3;
use crate::shape::{HalfSpace, Surface};

/// The names of all shapes.
pub(super) const KINDS: [&str; 10] = [
    "box", "plane", "cylinder", "sphere", "disc", "cone", "mesh", "plate", "segment", "arc",
];

const FACES: [&str; 6] = ["x-", "x+", "y-", "y+", "z-", "z+"];

/// The shape that an entry names; `box` for an unknown name.
pub(super) fn kind(node: &Node) -> &'static str {
    let shape = node.child("shape");
    let named = |kind: &&&str| shape.is_some_and(|n| n.is_text(kind));
    KINDS.iter().find(named).copied().unwrap_or("box")
}

/// The keys of a shape.
pub(super) fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "plane" => &["point", "normal"],
        "cylinder" => &["from", "to", "radius", "side", "caps"],
        "sphere" => &["radius", "side"],
        "disc" => &["axis", "radius", "hole"],
        "cone" => &["from", "to", "radius"],
        "mesh" => &mesh::KEYS,
        "plate" => &thin::OF_PLATE,
        "segment" => &thin::OF_SEGMENT,
        "arc" => &thin::OF_ARC,
        _ => &["faces", "lower", "upper"],
    }
}

/// The parts of a wall of this shape.
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
            let centre = Vector3::from(section.vector("centre", METRES, faults));
            let radius = section.number("radius", SIZE, faults);
            let inside = inside(section, faults);
            let surface = Surface::Sphere {
                centre,
                radius,
                inside,
            };
            one(surface, centre)
        }
        "disc" => {
            let centre = Vector3::from(section.vector("centre", METRES, faults));
            let axis = section.vector("axis", Number(Range::Finite, ""), faults);
            let axis = unit(section, "axis", axis, "a direction", faults);
            let radius = section.number("radius", SIZE, faults);
            let hole = section.number_if("hole", Number(Range::NotNegative, "m"), faults);
            let hole = hole.unwrap_or(0.0);
            if let (true, Some(node)) = (hole >= radius, section.get("hole")) {
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
            let size = Number(Range::NotNegative, "m");
            let node = section.need(
                "radius",
                "two radii in brackets, at from and to [m]",
                faults,
            );
            let [r0, r1] = node.map_or([f64::NAN; 2], |node| size.read_list(node, faults));
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
    let given = [("lower", domain.lower), ("upper", domain.upper)];
    let corners = given.map(|(key, default)| {
        let corner = section.vector_if(key, METRES, faults).unwrap_or(default);
        let inside = |a: usize| (domain.lower[a]..=domain.upper[a]).contains(&corner[a]);
        if let (false, Some(node)) = ((0..3).all(inside), section.get(key)) {
            let accepted = format!(
                "a corner in the domain, from {:?} to {:?} [m]",
                domain.lower, domain.upper
            );
            refuse(node, &accepted, faults);
        }
        corner
    });
    let node = section.get("upper").or(section.get("lower"));
    if let Some(node) = node {
        check_corners(node, corners[0], corners[1], faults);
    }
    corners
}

/// Whether bodies are inside; the other side is solid.
fn inside(section: &Section, faults: &mut Vec<Fault>) -> bool {
    section.choice("side", &["inside", "outside"], faults) == Some("inside")
}

fn cylinder(name: &str, section: &Section, faults: &mut Vec<Fault>) -> Vec<Part> {
    let (from, axis, length) = ends(section, faults);
    let radius = section.number("radius", SIZE, faults);
    let inside = inside(section, faults);
    let caps = section.truth_if("caps", faults);
    if let (false, Some(node)) = (inside, section.get("caps")) {
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
    match (inside, caps.unwrap_or(true)) {
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
    let point = section.vector("point", METRES, faults);
    let normal = section.vector("normal", Number(Range::Finite, ""), faults);
    let accepted = "a vector from the wall into the free side";
    HalfSpace {
        point: Vector3::from(point),
        normal: unit(section, "normal", normal, accepted, faults),
    }
}

/// The faces of a box: the named ones, by default those on axes that are not periodic.
fn faces(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Vec<&'static str> {
    let open = |face: &&str| {
        let axis = axis_of(face);
        !(domain.periodic[axis] || domain.two_dimensional && axis == 2)
    };
    let Some(node) = section.get("faces") else {
        return FACES.into_iter().filter(|face| open(face)).collect();
    };
    let accepted = "a list of some of \"x-\", \"x+\", \"y-\", \"y+\", \"z-\", \"z+\"";
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
        Surface::Mesh(_) => false,
    };
    if !parts.iter().all(|part| upright(&part.surface)) {
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
    match surface {
        Surface::Plane(plane) => (0..3).any(|a| periodic[a] && plane.normal[a].abs() > 1e-9),
        _ => false,
    }
}
