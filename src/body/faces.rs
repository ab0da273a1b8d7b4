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
    let surfaces = walls.iter().flat_map(|wall| wall.surface.parts());
    lengths_between(surfaces.filter_map(side), period, planar)
}

/// The same between planes: the axis of each, whether its free side is above it, and a point of it.
fn lengths_between<'s>(
    planes: impl Iterator<Item = (usize, bool, &'s Vector3)>,
    period: &Period,
    planar: bool,
) -> [Option<f64>; 3] {
    let mut ends = [[None; 2]; 3];
    let mut doubled = [false; 3];
    for (axis, above, point) in planes {
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
    section(lengths(walls, period, planar), axis)
}

/// The section of a cell across an axis [m²].
fn section(lengths: [Option<f64>; 3], axis: usize) -> Option<f64> {
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
    let (axis, ..) = side(&wall.surface)?;
    let loses = |turning: &&Wall| {
        let axes = axes_of(turning);
        let stay = walls.iter().flat_map(|wall| {
            let turns = std::ptr::eq(wall, *turning);
            let planes = wall.surface.parts().iter().filter_map(side);
            planes
                .filter(|(across, ..)| !turns || !tilts(*across, &axes))
                .collect::<Vec<_>>()
        });
        section(lengths_between(stay, period, planar), axis).is_none()
    };
    let driven = |wall: &&Wall| !axes_of(wall).is_empty();
    walls.iter().filter(driven).find(loses)
}

/// The axes about which a driven wall turns.
fn axes_of(wall: &Wall) -> Vec<Vector3> {
    let Motion::Driven(drive) = &wall.motion else {
        return Vec::new();
    };
    let turns = drive
        .rotations
        .iter()
        .filter(|of| of.signal.top_rate(0.0, f64::MAX) > 0.0);
    turns.map(|of| of.axis).collect()
}

/// Whether a rotation about one of some axes tilts a plane across an axis.
fn tilts(across: usize, axes: &[Vector3]) -> bool {
    let off = |axis: &Vector3| (axis - Vector3::ith(across, axis[across])).norm();
    axes.iter().any(|axis| off(axis) > ACROSS)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Drive, Signal};
    use crate::shape::HalfSpace;

    /// A plane across an axis, which may turn about another one.
    fn plane(name: &str, axis: usize, above: f64, turns: Option<usize>) -> Wall {
        let surface = Surface::Plane(HalfSpace {
            point: Vector3::repeat(0.5) - Vector3::ith(axis, 0.5 * above),
            normal: Vector3::ith(axis, above),
        });
        let mut wall = Wall::fixed(name.to_owned(), surface, 0);
        if let Some(about) = turns {
            let drive = Drive::about(Vector3::ith(about, 1.0), Signal::Rate(0.1));
            wall.motion = Motion::Driven(drive);
        }
        wall
    }

    /// Of the planes of a box around a lid across z, those across x and y bound its face. One that
    /// turns about its normal stays in place.
    #[test]
    fn planes_that_turn_out_of_a_face() {
        let names = ["left", "right", "front", "back", "floor"];
        for (turns, about, expected) in [
            (0, 1, Some("left")),
            (1, 2, Some("right")),
            (2, 0, Some("front")),
            (1, 0, None),
            (3, 1, None),
            (4, 0, None),
        ] {
            let of = |k: usize| (turns == k).then_some(about);
            let mut walls: Vec<Wall> = (0..5)
                .map(|k| plane(names[k], k / 2, [1.0, -1.0][k % 2], of(k)))
                .collect();
            walls.push(plane("lid", 2, -1.0, None));
            let found = turning(&walls[5], &walls, &Period::default(), false);
            let found = found.map(|wall| &wall.name[..]);
            assert_eq!(found, expected, "{} about {about}", names[turns]);
        }
    }

    /// A wall of two planes loses only the one that tilts.
    #[test]
    fn a_wall_of_two_planes_turns() {
        let mut walls: Vec<Wall> = [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)]
            .map(|(axis, above)| plane(&format!("{axis} {above}"), axis, above, None))
            .to_vec();
        walls.push(plane("lid", 2, -1.0, None));
        let left = walls[0].surface.clone();
        let floor = plane("floor", 2, 1.0, None).surface;
        for (about, loses) in [(0, false), (1, true)] {
            let mut both = plane("both", 0, 1.0, Some(about));
            both.surface = Surface::Compound([left.clone(), floor.clone()].into());
            walls[0] = both;
            let found = turning(&walls[4], &walls, &Period::default(), false);
            assert_eq!(found.is_some(), loses, "about {about}");
        }
    }
}
