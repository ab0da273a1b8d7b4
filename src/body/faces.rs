//! The cell that walls and periodic ends enclose: its lengths, and the faces of its walls.

use super::wall::{Motion, Wall};
use crate::math::Vector3;
use crate::shape::{Period, Surface};

/// The largest sine of the angle between a plane's normal and an axis across it.
const ACROSS: f64 = 1e-9;

/// The axis that a plane stands across, and whether its free side is above it.
fn side(surface: &Surface) -> Option<(usize, bool, &Vector3)> {
    let Surface::Plane(plane) = surface else {
        return None;
    };
    let axis = plane.normal.iamax();
    let n = plane.normal;
    let across = (n - Vector3::ith(axis, n[axis])).norm() <= ACROSS;
    across.then_some((axis, n[axis] > 0.0, &plane.point))
}

/// The length of the cell along each axis [m]: the period, or the distance of the two planes that
/// face each other. `None`: the cell is open, or more planes stand across the axis.
///
/// In two dimensions it is 1 m thick.
pub fn lengths(walls: &[Wall], period: &Period, planar: bool) -> [Option<f64>; 3] {
    let mut ends = [[None; 2]; 3];
    let mut doubled = [false; 3];
    let surfaces = walls.iter().flat_map(|wall| wall.surface.parts());
    for (axis, above, point) in surfaces.filter_map(side) {
        let end = &mut ends[axis][usize::from(!above)];
        // With a second plane on the same side the cell has no single length.
        doubled[axis] |= end.is_some();
        *end = Some(point[axis]);
    }
    [0, 1, 2].map(|axis| {
        if planar && axis == 2 {
            return Some(1.0);
        }
        let between = || Some(ends[axis][1]? - ends[axis][0]?);
        let length = period.length[axis].or_else(between);
        length.filter(|length| *length > 0.0 && !doubled[axis])
    })
}

/// The face of a wall [m²], a plane across an axis: the section of the cell there.
pub fn face(wall: &Wall, walls: &[Wall], period: &Period, planar: bool) -> Option<f64> {
    let (axis, ..) = side(&wall.surface)?;
    let lengths = lengths(walls, period, planar);
    let others = (0..3).filter(|other| *other != axis);
    others.map(|other| lengths[other]).product()
}

/// A driven wall that turns a plane out of a face, so that the wall under pressure loses it.
pub fn turning<'w>(
    wall: &Wall,
    walls: &'w [Wall],
    period: &Period,
    planar: bool,
) -> Option<&'w Wall> {
    let without = |other: &Wall| -> Vec<Wall> {
        let rest = walls.iter().filter(|wall| wall.name != other.name);
        rest.cloned().collect()
    };
    let takes = |other: &&Wall| face(wall, &without(other), period, planar).is_none();
    walls.iter().filter(|other| turns(other)).find(takes)
}

/// Whether a driven wall turns one of its planes that stand across an axis about another axis.
fn turns(wall: &Wall) -> bool {
    let Motion::Driven(drive) = &wall.motion else {
        return false;
    };
    let turning = (drive.rotations.iter()).filter(|of| of.signal.top_rate(0.0, f64::MAX) > 0.0);
    let axes: Vec<Vector3> = turning.map(|of| of.axis).collect();
    let parts = wall.surface.parts().iter().filter_map(side);
    let tilts = |(across, ..): (usize, bool, &Vector3)| {
        let off = |axis: &Vector3| (axis - Vector3::ith(across, axis[across])).norm();
        axes.iter().any(|axis| off(axis) > ACROSS)
    };
    parts.into_iter().any(tilts)
}

/// The force of a pressure [Pa] on a wall: on its face, along its normal [N]. `None`: it has no
/// face.
pub fn push(
    pressure: f64,
    wall: &Wall,
    (walls, period, planar): (&[Wall], &Period, bool),
) -> Option<Vector3> {
    let Surface::Plane(plane) = &wall.surface else {
        return None;
    };
    let face = face(wall, walls, period, planar)?;
    Some(plane.normal * (pressure * face))
}
