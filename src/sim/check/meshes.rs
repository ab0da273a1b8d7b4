//! The lines about meshes and compounds in `moreau check`.

use crate::body::{Motion, Wall};
use crate::config::Scenario;
use crate::math::as_written;
use crate::shape::mesh::Repair;
use crate::sim::meetings::foreseen;

/// The size of a mesh, its repair, and its features; `None` for other walls.
pub(super) fn line(wall: &Wall) -> Option<String> {
    let posed = wall.surface.mesh()?;
    let mesh = posed.mesh();
    let [lower, upper] = posed
        .corners()
        .map(|x| format!("({:.4}, {:.4}, {:.4})", x.x, x.y, x.z));
    let Repair {
        welded,
        flat,
        doubled,
    } = mesh.repair();
    let [patches, lines, corners] = mesh.counts();
    let inside = match (mesh.solid(), mesh.is_closed()) {
        (Some(solid), _) => format!("closed, volume {:.4e} m³", solid.volume),
        (None, true) => {
            "closed, but not all triangles are seen from outside in one sense".to_owned()
        }
        (None, false) => "open".to_owned(),
    };
    Some(format!(
        "mesh       {}: {} triangles, {} points, from {lower} to {upper} m, {inside}; {patches} smooth patches, {lines} lines of \
         sharp edges, {corners} corners; {welded} points united with others, {flat} triangles without an area and {doubled} \
         repeated ones left out",
        wall.name,
        mesh.triangles().len(),
        mesh.points().len(),
    ))
}

/// The surfaces of a compound, its centre, and how it is free; `None` for other walls.
pub(super) fn compound(wall: &Wall) -> Option<String> {
    let surfaces = match wall.surface.parts() {
        [_] => return None,
        several => several.len(),
    };
    let free = match &wall.motion {
        Motion::Free(free) if free.turning.is_none() => "; free without turning",
        Motion::Free(_) => "; free, turns",
        _ => "",
    };
    let [x, y, z]: [f64; 3] = wall.centre.into();
    Some(format!(
        "compound   {}: {surfaces} surfaces, its meshes as one; centre ({x:.4}, {y:.4}, {z:.4}) m{free}",
        wall.name
    ))
}

/// Walls that their prescribed motions lead to cross each other: a line for each pair.
pub(super) fn met(scenario: &Scenario) -> impl Iterator<Item = String> {
    let met = foreseen(&scenario.walls, scenario.last_time());
    let line = |([a, b], time): ([&str; 2], f64)| {
        let time = as_written(time);
        format!("walls      {a} and {b} meet before {time} s; walls pass through each other")
    };
    let lines: Vec<String> = met.into_iter().map(line).collect();
    lines.into_iter()
}
