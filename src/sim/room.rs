//! Refuses driven walls that carry bodies out of the domain.

use super::error::RunError;
use crate::body::{Motion, Signal, Wall};
use crate::config::Scenario;
use crate::math::{IDENTITY, Vector3};
use crate::shape::Surface;

/// Fails if bodies follow a driven plane beyond a face of the domain.
///
/// The plane is parallel to the face and does not turn. Bodies follow it where gravity presses them
/// to it, and where it moves together with the opposite side of a box. Then a displacement beyond
/// the face by the `smallest` radius [m] brings a centre out of the domain.
pub(super) fn walls_keep_inside(scenario: &Scenario, smallest: f64) -> Result<(), RunError> {
    if scenario.delete_outside {
        return Ok(());
    }
    for (wall, surface) in surfaces(&scenario.walls) {
        let Some((axis, beyond)) = beyond(wall, surface, scenario) else {
            continue;
        };
        if beyond < smallest || !is_followed(wall, surface, scenario) {
            continue;
        }
        let normal = normal(surface).unwrap_or_default()[axis];
        let side = if normal > 0.0 { "lower" } else { "upper" };
        return Err(RunError::Input(format!(
            "wall {}: must stay less than the smallest radius, {} m, beyond the face of the domain at domain.{side}, as bodies \
             follow it; found a motion to {beyond:.6} m beyond it: give the box lower and upper that leave room within the \
             domain, or make the domain larger",
            wall.name, smallest
        )));
    }
    Ok(())
}

/// The surfaces of all walls, each with its wall.
fn surfaces(walls: &[Wall]) -> impl Iterator<Item = (&Wall, &Surface)> {
    let each = walls.iter().map(|wall| (wall, wall.surface.parts()));
    each.flat_map(|(wall, parts)| parts.iter().map(move |one| (wall, one)))
}

/// The unit normal of a plane along an axis, as numbers; `None` for other surfaces.
fn normal(surface: &Surface) -> Option<[f64; 3]> {
    match surface {
        Surface::Plane(plane) if plane.normal.iter().any(|n| n.abs() == 1.0) => {
            Some(plane.normal.into())
        }
        _ => None,
    }
}

/// The axis of a driven plane, and the distance by which it goes beyond the domain's face [m].
fn beyond(wall: &Wall, surface: &Surface, scenario: &Scenario) -> Option<(usize, f64)> {
    let (Some(normal), Surface::Plane(plane)) = (normal(surface), surface) else {
        return None;
    };
    let Motion::Driven(drive) = &wall.motion else {
        return None;
    };
    let has_turned = wall
        .origin
        .is_some_and(|origin| origin.orientation != IDENTITY);
    if !drive.rotations.is_empty() || has_turned {
        return None;
    }
    let axis = (0..3).find(|&a| normal[a] != 0.0)?;
    let moves = |(direction, _): &(Vector3, Signal)| direction[axis] != 0.0;
    let room = match normal[axis] > 0.0 {
        true => plane.point[axis] - scenario.lower[axis],
        false => scenario.upper[axis] - plane.point[axis],
    };
    let outward = -Vector3::from(normal);
    let [_, most] = drive.range_along(&outward, wall.motion_time(scenario.last_time()));
    // Where it is already counts for a motion that begins later.
    let before = wall.first_centre() - wall.centre;
    let most = most + outward.dot(&before);
    (drive.translations.iter().any(moves)).then_some((axis, most - room))
}

/// Whether bodies stay at a plane that moves away from them.
fn is_followed(wall: &Wall, surface: &Surface, scenario: &Scenario) -> bool {
    let Some(normal) = normal(surface) else {
        return false;
    };
    let opposite = normal.map(|n| -n);
    let together = |(other, facing): (&Wall, &Surface)| {
        self::normal(facing).is_some_and(|n| n == opposite) && other.motion == wall.motion
    };
    let pressed = (0..3).map(|a| scenario.gravity[a] * normal[a]).sum::<f64>() < 0.0;
    pressed || surfaces(&scenario.walls).any(together)
}
