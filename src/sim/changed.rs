//! Refuses changed walls, periods and shear that do not fit the state of a checkpoint.

use super::error::RunError;
use crate::body::{BodyRow, CellState, Origin, WallState};
use crate::config::Scenario;
use crate::math::{IDENTITY, Vector3};
use crate::shape::drift;

/// Distance below which two places of a wall are the same, in radii of the smallest body.
const SAME_PLACE: f64 = 1e-6;

/// Fails if a wall or a period that a run continues with does not fit, or cuts into bodies.
///
/// A changed wall may overlap a body by `domain.max_overlap` of the radius more than the wall of
/// the run `before` does. The walls have moved to `states`.
pub(super) fn changes_fit(
    before: &Scenario,
    now: &Scenario,
    states: &[WallState],
    bodies: &[BodyRow],
) -> Result<(), RunError> {
    same_cell(before, now)?;
    same_periods(before, now)?;
    centres_stay(before, now, states)?;
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

/// Lets changed motions begin where their walls are; returns a message about each.
///
/// A motion that leads to the wall's present place, but for a part of the `smallest` radius [m], is
/// one that goes on, as a table that has become longer.
pub(super) fn motions_begin(
    before: &Scenario,
    now: &mut Scenario,
    (time, states): (f64, &[WallState]),
    smallest: f64,
) -> Vec<String> {
    let corners = [now.lower, now.upper];
    let mut messages = Vec::new();
    for ((old, new), state) in before.walls.iter().zip(&mut now.walls).zip(states) {
        // Over a time of no length; only the place at its end counts.
        let Some(then) = new.driven(time, time) else {
            continue;
        };
        let [here, there] = [state, &then].map(|state| new.placed(state));
        let jump = drift(&here, &there, [&corners[0], &corners[1]]);
        if old.motion == new.motion || jump <= SAME_PLACE * smallest {
            continue;
        }
        new.origin = Some(Origin {
            time,
            displacement: state.displacement,
            orientation: state.orientation,
        });
        messages.push(format!(
            "wall {}: its motion has changed and begins where it is, its time counted from {time} s",
            new.name
        ));
    }
    messages
}

/// Fails if a wall that has turned about its centre gets another one.
fn centres_stay(before: &Scenario, now: &Scenario, states: &[WallState]) -> Result<(), RunError> {
    for ((old, new), state) in before.walls.iter().zip(&now.walls).zip(states) {
        let turns = state.angular_velocity != Vector3::zeros();
        if old.centre != new.centre && (turns || state.orientation != IDENTITY) {
            return Err(RunError::Input(format!(
                "wall {}: must keep its centre {:?} (also the centre of mass of a free mesh, and the point of a hinge), as it \
                 has turned about it; found {:?}",
                new.name,
                <[f64; 3]>::from(old.centre),
                <[f64; 3]>::from(new.centre),
            )));
        }
    }
    Ok(())
}

/// Fails if a period changes: bodies on its two sides would overlap or part.
fn same_periods(before: &Scenario, now: &Scenario) -> Result<(), RunError> {
    if before.periodic != now.periodic {
        return Err(RunError::Input(format!(
            "domain.periodic: a continued run must keep its periodic axes, {:?}; found {:?}",
            before.periodic, now.periodic
        )));
    }
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

/// Fails if the cell that deforms is left out, or counts its strain or velocities otherwise.
fn same_cell(before: &Scenario, now: &Scenario) -> Result<(), RunError> {
    let Some(was) = &before.cell else {
        return Ok(());
    };
    let Some(is) = &now.cell else {
        return Err(RunError::Input(
            "[cell]: a continued run must keep its cell, which may be deformed; found none: to keep its size, give it \
             x = { rate = 0.0 }"
                .to_owned(),
        ));
    };
    if was.affine != is.affine {
        return Err(RunError::Input(format!(
            "cell.affine: must stay {}, as the velocities of the checkpoint are relative to it; found {}",
            was.affine, is.affine
        )));
    }
    if (was.lower, was.lengths) != (is.lower, is.lengths) {
        let [was, is] = [was, is].map(|cell| <[f64; 3]>::from(cell.lengths));
        return Err(RunError::Input(format!(
            "domain.upper: a cell that deforms must keep its lengths at strain 0, {was:?} m; found {is:?} m"
        )));
    }
    Ok(())
}

/// Refuses simple shear along other axes than before, and measures of a cell that is sheared.
pub(super) fn shear_fits(scenario: &Scenario, cell: Option<&CellState>) -> Result<(), RunError> {
    let wanted = scenario.cell.as_ref().and_then(|cell| cell.shear.as_ref());
    let moved = cell.and_then(|cell| cell.shear);
    if let (Some(wanted), Some(moved)) = (wanted, moved)
        && [wanted.along, wanted.across] != [moved.along, moved.across]
    {
        let [along, across] = [moved.along, moved.across].map(|axis| ["x", "y", "z"][axis]);
        return Err(RunError::Input(format!(
            "cell.shear must be along {along} and across {across}, as in the checkpoint; found other axes"
        )));
    }
    // Windows would have to be sheared as well.
    if let (Some(measure), true) = (scenario.measures.first(), moved.is_some()) {
        return Err(RunError::Input(format!(
            "[[measure]]: must be left out where the cell of the checkpoint has been sheared; found {}",
            measure.name
        )));
    }
    Ok(())
}

/// Whether the loads, the laws and the settings of increments are those of another scenario.
pub(super) fn same_loads(now: &Scenario) -> impl Fn(&Scenario) -> bool + '_ {
    move |was| {
        let of = |of: &Scenario| (of.statics, of.gravity);
        let settings = of(was) == of(now) && was.laws == now.laws;
        settings && was.walls == now.walls && was.cell == now.cell && was.acts == now.acts
    }
}

/// The fault of a body that is held where only images move: an end of the cell would pass it.
pub(super) const HELD_IN_CELL: &str = "is held; with cell.affine = false all bodies must be free";

/// Whether a body is held in a cell that moves only images.
pub(super) fn is_held_in_cell(row: &BodyRow, scenario: &Scenario) -> bool {
    scenario.cell.as_ref().is_some_and(|cell| !cell.affine) && !row.is_free()
}

/// The bodies of a checkpoint must fit the configuration, which `--set` may have changed.
pub(super) fn bodies_fit(
    bodies: &[BodyRow],
    states: &[WallState],
    scenario: &Scenario,
) -> Result<(), RunError> {
    for row in bodies {
        let x = Vector3::from(row.position);
        let inside = (0..3).all(|a| (scenario.lower[a]..=scenario.upper[a]).contains(&x[a]));
        let each = scenario.walls.iter().zip(states);
        let behind = each.map(|(wall, state)| (wall, wall.placed(state)));
        let behind = behind
            .into_iter()
            .find(|(_, surface)| surface.nearest(&x).0 < 0.0);
        let fault = if row.material as usize >= scenario.materials.len() {
            "has a material that the configuration does not list".to_owned()
        } else if !inside {
            format!("is outside the domain, at {:?} m", row.position)
        } else if let (Some((wall, _)), true) = (behind, row.is_free()) {
            format!("is behind wall {}, at {:?} m", wall.name, row.position)
        } else if is_held_in_cell(row, scenario) {
            HELD_IN_CELL.to_owned()
        } else {
            continue;
        };
        return Err(RunError::Input(format!("body {} {fault}", row.id)));
    }
    Ok(())
}
