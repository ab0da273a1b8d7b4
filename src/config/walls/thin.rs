//! Thin walls of a finite size: plates, and in two dimensions segments and arcs.

use super::mesh::SMOOTH;
use super::part::{CENTRE, RADIUS, ends, unit};
use crate::config::domain::Domain;
use crate::config::fault::Fault;
use crate::config::key::{Key, List, Needed, Three};
use crate::config::reader::{Number, Range, SIZE, Section, must, refuse};
use crate::math::Vector3;
use crate::shape::mesh::{Faces, Mesh};
use crate::shape::{Posed, Surface};
use std::f64::consts::TAU;

pub(super) const NORMAL: Key<Three, Needed> = Key::new(
    "normal",
    List(Number(Range::Finite, "")),
    Needed,
    "direction across the plate",
);
pub(super) const ALONG: Key<Three, Needed> = Key::new(
    "along",
    List(Number(Range::Finite, "")),
    Needed,
    "direction of its first edge; its part across `normal` counts",
);
pub(super) const EDGES: Key<List<2>, Needed> = Key::new(
    "size",
    List(SIZE),
    Needed,
    "lengths along and across `along`",
);
pub(super) const ANGLES: Key<List<2>, Needed> = Key::new(
    "angles",
    List(Number(Range::Finite, "rad")),
    Needed,
    "first and last angle, counter-clockwise from x, at most 2π apart",
);

/// The smallest sine of the angle between the normal of a plate and its edge.
const ACROSS: f64 = 1e-6;

/// A rectangle: a mesh of two triangles, smooth across the diagonal; and its centre [m].
pub(super) fn plate(section: &Section, faults: &mut Vec<Fault>) -> Option<(Surface, Vector3)> {
    let before = faults.len();
    let centre = Vector3::from(section.read(&CENTRE, faults));
    let [normal, along] = [&NORMAL, &ALONG].map(|key| {
        let v = section.read(key, faults);
        unit(section, key.name, v, "a direction", faults)
    });
    let [a, b] = section.read(&EDGES, faults);
    let across = normal.cross(&along);
    if let (true, Some(node)) = (across.norm() < ACROSS, section.get(ALONG.name)) {
        refuse(node, "a direction other than the normal", faults);
    }
    if faults.len() > before {
        return None;
    }
    let across = across.normalize();
    let half = [across.cross(&normal) * (0.5 * a), across * (0.5 * b)];
    let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corner = |[s, t]: [f64; 2]| (centre + half[0] * s + half[1] * t).into();
    let faces = Faces {
        points: signs.map(corner).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    match Mesh::new(&faces, SMOOTH) {
        Ok(mesh) => Some((Surface::Mesh(Posed::new(mesh)), centre)),
        Err(_) => {
            // Its edges are lost in the rounding of its place.
            let node = section.get(EDGES.name)?;
            refuse(node, "edges that the plate has at its centre", faults);
            None
        }
    }
}

/// A straight line in the plane z = 0, and its middle [m]: the cut of a disc through that plane.
pub(super) fn segment(
    section: &Section,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> (Surface, Vector3) {
    needs_a_plane(section, domain, faults);
    let (from, along, length) = ends(section, faults);
    let centre = from + along * (0.5 * length);
    let surface = Surface::Shell {
        centre,
        axis: Vector3::z().cross(&along),
        ends: [[0.0, 0.0], [0.5 * length, 0.0]],
    };
    (surface, centre)
}

/// A part of a circle in the plane z = 0, and its centre [m].
pub(super) fn arc(
    section: &Section,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> (Surface, Vector3) {
    needs_a_plane(section, domain, faults);
    let centre = Vector3::from(section.read(&CENTRE, faults));
    let radius = section.read(&RADIUS, faults);
    let [from, to] = section.read(&ANGLES, faults);
    let node = section.get(ANGLES.name);
    let width = to - from;
    // A whole circle, given to some digits, may be a little more.
    if let (true, Some(node)) = (width <= 0.0 || width > TAU * (1.0 + 1e-6), node) {
        refuse(node, "ascending angles, at most 2π [rad] apart", faults);
    }
    let middle = 0.5 * (from + to);
    let surface = Surface::Arc {
        centre,
        axis: Vector3::z(),
        middle: Vector3::new(libm::cos(middle), libm::sin(middle), 0.0),
        half: (0.5 * width).min(0.5 * TAU),
        radius,
    };
    (surface, centre)
}

/// Refuses a line where bodies are not discs.
fn needs_a_plane(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) {
    if let (false, Some(node)) = (domain.two_dimensional, section.get("shape")) {
        let accepted = "another shape in three dimensions";
        must(node, accepted, &node.shown, faults);
    }
}
