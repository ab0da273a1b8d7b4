//! The places of a body within a part of an increment.
//!
//! Bodies are at rest meanwhile, so their rows hold places where those of a step hold motion. The
//! rows travel between ranks as a whole.

use crate::body::{BodyRow, Cell, Motion, Wall, WallState};
use crate::math::Vector3;

/// The displacement since the part began [m], less that with the cell. It stands in the velocity.
pub(super) fn way(row: &BodyRow) -> Vector3 {
    row.velocity.into()
}

/// The displacement since the last equilibrium [m], likewise, in the angular velocity.
pub(super) fn leg(row: &BodyRow) -> Vector3 {
    row.angular_velocity.into()
}

/// The place where the part began [m]; a cell that deforms carries it along. It stands in the
/// angular momentum.
pub(super) fn start(row: &BodyRow) -> Vector3 {
    row.angular_momentum.into()
}

/// Begins a part: all displacements count from here.
pub(super) fn begin(row: &mut BodyRow) {
    (row.velocity, row.angular_velocity) = ([0.0; 3], [0.0; 3]);
    row.angular_momentum = row.position;
}

/// Moves a body by a way [m], which is not wrapped.
pub(super) fn go(row: &mut BodyRow, by: &Vector3) {
    row.velocity = (way(row) + by).into();
    row.angular_velocity = (leg(row) + by).into();
}

/// Carries a body with the cell, whose upper corner moves [m].
pub(super) fn carry(row: &mut BodyRow, cell: &Cell, [from, to]: [&Vector3; 2]) {
    for place in [
        &mut row.position,
        &mut row.reference.position,
        &mut row.angular_momentum,
    ] {
        *place = cell.carried(&Vector3::from(*place), from, to).into();
    }
}

/// Begins another leg: displacements since the last equilibrium count from here.
pub(super) fn begin_leg(bodies: &mut [BodyRow]) {
    for row in bodies {
        row.angular_velocity = [0.0; 3];
    }
}

/// Free walls are at rest between increments; driven ones have their prescribed velocities.
pub(super) fn still_walls(walls: &[Wall], states: &mut [WallState]) {
    let states = walls.iter().zip(states);
    for (_, state) in states.filter(|(wall, _)| matches!(wall.motion, Motion::Free(_))) {
        state.velocity = Vector3::zeros();
        state.angular_velocity = Vector3::zeros();
    }
}

/// Brings bodies to rest between increments.
pub(super) fn still(bodies: &mut [BodyRow]) {
    for row in bodies {
        (row.velocity, row.angular_velocity) = ([0.0; 3], [0.0; 3]);
        row.angular_momentum = [0.0; 3];
    }
}
