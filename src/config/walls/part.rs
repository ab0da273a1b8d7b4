//! One surface of a wall, and unit vectors.

use crate::config::fault::Fault;
use crate::config::key::{Key, List, Needed, Three};
use crate::config::reader::{METRES, Number, Range, SIZE, Section, report};
use crate::math::Vector3;
use crate::shape::{Posed, Surface};

/// One surface of a wall.
pub(super) struct Part {
    pub name: String,
    pub surface: Surface,
    /// The default reference point of torques.
    pub centre: Vector3,
}

impl Part {
    /// A mesh: its centre is that of mass, or the middle of the box around it.
    pub(super) fn of_mesh(name: String, mesh: Posed) -> Self {
        let [lower, upper] = mesh.corners();
        let solid = mesh.mesh().solid();
        Self {
            name,
            centre: solid.map_or((lower + upper) * 0.5, |solid| solid.centre),
            surface: Surface::Mesh(mesh),
        }
    }
}

/// A vector scaled to length one; a fault for the zero vector.
pub(in crate::config) fn unit(
    section: &Section,
    key: &str,
    v: [f64; 3],
    accepted: &str,
    faults: &mut Vec<Fault>,
) -> Vector3 {
    let v = Vector3::from(v);
    // Scaled before it is squared, so that no length over- or underflows.
    let largest = v.amax();
    if let (true, Some(node)) = (largest == 0.0, section.get(key)) {
        report(
            node,
            format!("must be {accepted}; found zero, which has no direction"),
            faults,
        );
    }
    (v / largest).normalize()
}

/// The ends of an axis.
pub(in crate::config) const FROM: Key<Three, Needed> =
    Key::new("from", List(METRES), Needed, "first end");
pub(in crate::config) const TO: Key<Three, Needed> =
    Key::new("to", List(METRES), Needed, "second end");

/// The centre of a shape.
pub(in crate::config) const CENTRE: Key<Three, Needed> =
    Key::new("centre", List(METRES), Needed, "centre");
/// Its radius.
pub(in crate::config) const RADIUS: Key<Number, Needed> =
    Key::new("radius", SIZE, Needed, "radius");
/// A point of a plane.
pub(in crate::config) const POINT: Key<Three, Needed> =
    Key::new("point", List(METRES), Needed, "a point of the plane");
/// An axis of rotation or symmetry.
pub(super) const AXIS: Key<Three, Needed> = Key::new(
    "axis",
    List(Number(Range::Finite, "")),
    Needed,
    "direction of the axis",
);

/// The ends of an axis: the first, the direction, the length.
pub(in crate::config) fn ends(
    section: &Section,
    faults: &mut Vec<Fault>,
) -> (Vector3, Vector3, f64) {
    let from = Vector3::from(section.read(&FROM, faults));
    let to = Vector3::from(section.read(&TO, faults));
    let axis = unit(
        section,
        TO.name,
        (to - from).into(),
        "a point other than from",
        faults,
    );
    (from, axis, (to - from).norm())
}
