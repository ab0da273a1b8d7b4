//! Refuses changed walls and periods that cut into the bodies of a checkpoint.

use super::error::RunError;
use crate::body::{BodyRow, WallState};
use crate::config::Scenario;

/// Fails if a wall or a period that a run continues with cuts into bodies.
///
/// A changed wall may overlap a body by `domain.max_overlap` of the radius more than the wall of
/// the run `before` does. The walls have moved to `states`.
pub(super) fn changes_fit(
    before: &Scenario,
    now: &Scenario,
    states: &[WallState],
    bodies: &[BodyRow],
) -> Result<(), RunError> {
    same_periods(before, now)?;
    let changed = before.walls.iter().zip(&now.walls).zip(states);
    for ((old, new), state) in changed.filter(|((old, new), _)| old.surface != new.surface) {
        let [was, is] = [old, new].map(|wall| wall.placed(state));
        let mut cut = Vec::new();
        for row in bodies.iter().filter(|row| row.is_free()) {
            let overlaps = row.balls(&now.templates).map(|ball| {
                let inside = |gap: f64| (1.0 - gap / ball.radius).max(0.0);
                let [was, is] = [&was, &is].map(|wall| inside(wall.nearest(&ball.centre).0));
                (is - was > now.max_initial_overlap).then_some(is)
            });
            let deepest = overlaps.flatten().max_by(f64::total_cmp);
            cut.extend(deepest.map(|overlap| (row.id, overlap)));
        }
        let Some((id, overlap)) = cut.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            continue;
        };
        return Err(RunError::Input(format!(
            "wall {}: must not cut into bodies where it is changed; found an overlap of {overlap:.3} of the radius with body \
             {id} ({} such bodies in this part of the domain); at most {} more than before (domain.max_overlap)",
            new.name,
            cut.len(),
            now.max_initial_overlap,
        )));
    }
    Ok(())
}

/// Fails if the length of a period changes: bodies on its two sides would overlap or part.
fn same_periods(before: &Scenario, now: &Scenario) -> Result<(), RunError> {
    for axis in (0..3).filter(|&axis| before.periodic[axis] && now.periodic[axis]) {
        let [was, is] = [before, now].map(|s| s.upper[axis] - s.lower[axis]);
        if was != is {
            return Err(RunError::Input(format!(
                "domain.upper: a period must keep its length along {}, {was} m; found {is} m",
                ["x", "y", "z"][axis]
            )));
        }
    }
    Ok(())
}
