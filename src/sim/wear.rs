//! The record of the loads and the wear of mesh walls in a run, for frames.

use super::error::RunError;
use crate::comm::Comm;
use crate::config::Scenario;
use crate::io::Header;
use crate::measure::{Triangle, Wear, WearRow};

/// The record of a run that begins; `None`: no frame will have it.
pub(super) fn begun(scenario: &Scenario) -> Option<Wear> {
    let output = &scenario.output;
    let wanted = output.every > 0 && output.frames.surfaces && has_meshes(scenario);
    wanted.then(Wear::default)
}

/// The record of a run that continues, from this rank's rows of a checkpoint.
///
/// It begins here if the checkpoint has none. Without frames it goes on, so that totals stay those
/// of the whole run. `before` is the scenario of the checkpoint where the other may differ; walls
/// whose mesh has changed begin anew. Rank 0 reports where sums begin or end.
///
/// # Errors
/// If a row is of a triangle that does not exist.
pub(super) fn going_on(
    comm: &dyn Comm,
    (scenario, before): (&Scenario, Option<&Scenario>),
    header: &Header,
    mut rows: Vec<WearRow>,
) -> Result<Option<Wear>, RunError> {
    let say = |text: &str| {
        if comm.rank() == 0 {
            tell!("moreau: {text}");
        }
    };
    let goes_on = header.wear_since.is_some() && scenario.output.frames.surfaces;
    let fresh = begun(scenario);
    if fresh.is_none() && !(goes_on && has_meshes(scenario)) {
        if header.wear_since.is_some() {
            say("the sums of impulses and energies on mesh walls end here");
        }
        return Ok(None);
    }
    let Some(since) = header.wear_since else {
        if header.step > 0 {
            say("the sums of impulses and energies on mesh walls begin here");
        }
        return Ok(Some(Wear::new(header.time, [])));
    };
    for wall in 0..scenario.walls.len() {
        let old = before.and_then(|before| before.walls.get(wall));
        let mesh = scenario.walls[wall].surface.mesh();
        if old.is_some_and(|old| old.surface.mesh() != mesh) {
            rows.retain(|row| row.triangle.wall != wall as u64);
            let name = &scenario.walls[wall].name;
            say(&format!(
                "the sums on wall {name} begin here, as its surface has changed"
            ));
        }
    }
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
    Ok(Some(Wear::new(since, rows)))
}

fn has_meshes(scenario: &Scenario) -> bool {
    (0..scenario.walls.len()).any(|wall| triangles(scenario, wall) > 0)
}

/// The number of triangles of a wall.
fn triangles(scenario: &Scenario, wall: usize) -> u64 {
    let wall = scenario.walls.get(wall);
    wall.map_or(0, |wall| wall.surface.triangles() as u64)
}
