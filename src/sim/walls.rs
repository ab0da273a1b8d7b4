//! The walls of a checkpoint.

use super::error::RunError;
use crate::body::{Origin, WallState};
use crate::config::Scenario;
use crate::io::WallRow;
use crate::math::Vector3;
use crate::scheme::WallReference;

/// The walls of a checkpoint must be those of the configuration; `--set` may have changed them.
pub(super) fn as_many_walls(scenario: &Scenario, walls: &[WallRow]) -> Result<(), RunError> {
    match walls.len() == scenario.walls.len() {
        true => Ok(()),
        false => Err(RunError::Input(format!(
            "the checkpoint must have {1} walls, as the configuration; found {0}",
            walls.len(),
            scenario.walls.len()
        ))),
    }
}

/// Gives walls the starts of their motions in a checkpoint.
pub(super) fn set_origins(scenario: &mut Scenario, walls: &[WallRow]) {
    for (wall, row) in scenario.walls.iter_mut().zip(walls) {
        wall.origin = (row.motion_orientation != [0.0; 4]).then(|| Origin {
            time: row.motion_time,
            displacement: row.motion_displacement.into(),
            orientation: row.motion_orientation,
        });
        wall.turns_since(row.turns_since());
    }
}

/// The walls of a checkpoint.
pub(super) fn wall_states(walls: &[WallRow]) -> Vec<WallState> {
    let state = |row: &WallRow| WallState {
        displacement: Vector3::from(row.displacement),
        orientation: row.orientation,
        velocity: Vector3::from(row.velocity),
        angular_velocity: Vector3::from(row.angular_velocity),
    };
    walls.iter().map(state).collect()
}

/// The walls of a checkpoint when its plan was made; none without a plan.
pub(super) fn wall_references(walls: &[WallRow]) -> Vec<WallReference> {
    let reference = |row: &WallRow| WallReference {
        state: WallState {
            displacement: Vector3::from(row.reference_displacement),
            orientation: row.reference_orientation,
            ..WallState::default()
        },
        allowance: row.allowance,
    };
    let planned = walls
        .iter()
        .all(|row| row.reference_orientation != [0.0; 4]);
    let planned = walls.iter().filter(|_| planned);
    planned.map(reference).collect()
}
