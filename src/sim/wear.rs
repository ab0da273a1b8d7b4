//! The record of the loads and the wear of mesh walls in a run, for frames.

use super::error::RunError;
use crate::config::Scenario;
use crate::io::Header;
use crate::measure::{Triangle, Wear, WearRow};
use crate::shape::Surface;

/// The record of a run that begins; `None`: no frame will have it.
pub(super) fn begun(scenario: &Scenario) -> Option<Wear> {
    let output = &scenario.output;
    let meshes = || (0..scenario.walls.len()).any(|wall| triangles(scenario, wall) > 0);
    let wanted = output.every > 0 && output.frames.surfaces && meshes();
    wanted.then(Wear::default)
}

/// The record of a run that continues, from this rank's rows of a checkpoint; it begins here if
/// the checkpoint has none.
///
/// # Errors
/// If a row is of a triangle that does not exist.
pub(super) fn going_on(
    scenario: &Scenario,
    header: &Header,
    rows: Vec<WearRow>,
) -> Result<Option<Wear>, RunError> {
    let Some(mut wear) = begun(scenario) else {
        return Ok(None);
    };
    let exists = |Triangle { wall, number }: Triangle| {
        let wall = usize::try_from(wall).unwrap_or(usize::MAX);
        number < triangles(scenario, wall)
    };
    if let Some(row) = rows.iter().find(|row| !exists(row.triangle)) {
        let Triangle { wall, number } = row.triangle;
        return Err(RunError::Input(format!(
            "/wear/triangle: must be triangles of mesh walls; found triangle {number} of wall {wall}"
        )));
    }
    wear.since = header.wear_since.unwrap_or(header.time);
    rows.iter().for_each(|row| wear.merge(row));
    Ok(Some(wear))
}

/// The number of triangles of a wall.
fn triangles(scenario: &Scenario, wall: usize) -> u64 {
    match scenario.walls.get(wall).map(|wall| &wall.surface) {
        Some(Surface::Mesh(mesh)) => mesh.mesh().triangles().len() as u64,
        _ => 0,
    }
}
