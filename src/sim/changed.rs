//! Refuses changed walls, periods, shear and steps that do not fit the state of a checkpoint.

use super::error::RunError;
use crate::body::{BodyRow, CellState, Motion, Origin, Turning, Wall, WallState};
use crate::config::Scenario;
use crate::io::Header;
use crate::math::{IDENTITY, Vector3, turn_between};
use crate::scheme::WallReference;
use crate::scheme::pace::Pace;
use crate::shape::Surface;

/// Distance below which two places of a wall are the same, in radii of the smallest body.
///
/// It is also the angle below which two orientations are the same [rad].
const SAME_PLACE: f64 = 1e-6;

/// Fails if a wall or a period that a run continues with does not fit, or cuts into bodies.
///
/// A changed wall may overlap a body by `domain.max_overlap` of the radius more than the wall of
/// the run `before` does. The walls have moved to `then`, which is `states` for the walls now.
pub(super) fn changes_fit(
    (before, then): (&Scenario, &[WallState]),
    (now, states): (&Scenario, &[WallState]),
    bodies: &[BodyRow],
) -> Result<(), RunError> {
    same_cell(before, now)?;
    same_periods(before, now)?;
    centres_stay(before, now, states)?;
    let walls = before.walls.iter().zip(then);
    let changed = walls.zip(now.walls.iter().zip(states));
    for ((old, then), (new, state)) in changed.filter(|(old, new)| old.0.surface != new.0.surface) {
        same_parts(old, new)?;
        let [was, is] = [old.placed(then), new.placed(state)];
        let mut cut = Vec::new();
        for row in bodies.iter().filter(|row| row.is_free()) {
            let overlaps = row.balls(&now.templates).flat_map(|ball| {
                let inside = move |surface: &Surface| {
                    let near = surface.nearest_within(&ball.centre, ball.radius);
                    near.map_or(0.0, |(gap, _)| (1.0 - gap / ball.radius).max(0.0))
                };
                let parts = was.parts().iter().zip(is.parts());
                let each = parts.map(move |(was, is)| [inside(was), inside(is)]);
                each.filter(|[was, is]| is - was > now.max_initial_overlap)
                    .map(|[_, is]| is)
            });
            let deepest = overlaps.max_by(f64::total_cmp);
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

/// Fails if a compound has other surfaces than before: contacts are known by their places.
fn same_parts(old: &Wall, new: &Wall) -> Result<(), RunError> {
    let kinds = |wall: &Wall| -> Vec<_> {
        let parts = wall.surface.parts().iter();
        parts.map(std::mem::discriminant).collect()
    };
    let [was, is] = [old, new].map(kinds);
    if was == is || was.len() == 1 && is.len() == 1 {
        return Ok(());
    }
    Err(RunError::Input(format!(
        "wall {}: must keep the number and the order of the shapes of its parts, as contacts are known by them; found {} parts, \
         before {}, with meshes as one",
        new.name,
        is.len(),
        was.len()
    )))
}

/// The keys of the motion of a wall.
const MOTIONS: [&str; 7] = [
    "velocity", "sine", "table", "rotation", "free", "servo", "centre",
];

/// Fails if a motion changes where the configuration of the checkpoint is not known any more.
///
/// A motion begins where the one before has led the wall.
pub(super) fn motions_are_known(before: Option<&Scenario>, set: &[String]) -> Result<(), RunError> {
    let is_motion = |change: &&String| {
        let key = change.split('=').next().unwrap_or_default();
        let mut names = key.trim_start_matches('-').split('.').map(str::trim);
        names.next() == Some("wall") && names.nth(1).is_some_and(|name| MOTIONS.contains(&name))
    };
    match set.iter().find(is_motion).filter(|_| before.is_none()) {
        Some(change) => Err(RunError::Input(format!(
            "{change}: a changed motion must come with all files of the checkpoint's configuration; found one that is gone"
        ))),
        None => Ok(()),
    }
}

/// Lets changed motions begin where their walls are; returns a message about each driven one.
///
/// The states are those now, and in the plan of contacts. A table that replaces another and leads
/// to the wall's present place, but for a part of the `smallest` radius [m], goes on, as one that
/// has become longer. Walls lose velocities that their new motion does not have.
pub(super) fn motions_begin(
    before: &Scenario,
    now: &mut Scenario,
    (time, states, references): (f64, &mut [WallState], &mut [WallReference]),
    smallest: f64,
) -> Vec<String> {
    let mut messages = Vec::new();
    let mut references = references.iter_mut();
    for ((old, new), state) in before.walls.iter().zip(&mut now.walls).zip(states) {
        let reference = references.next();
        if !moves_otherwise(old, new) {
            continue;
        }
        new.begin_at(old, state);
        *state = new.state_as(old, state);
        if let Some(reference) = reference {
            reference.state = new.state_as(old, &reference.state);
        }
        [state.velocity, state.angular_velocity] = kept_velocities(&new.motion, state);
        // Over a time of no length; only the place at its end counts.
        let Some(then) = new.driven(time, time) else {
            continue;
        };
        let by_tables = [&old.motion, &new.motion].map(|motion| match motion {
            Motion::Driven(drive) => drive.has_table(),
            _ => false,
        });
        let jump = (then.displacement - state.displacement).norm();
        let turn = turn_between(state.orientation, then.orientation).norm();
        if by_tables == [true; 2] && jump <= SAME_PLACE * smallest && turn <= SAME_PLACE {
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

/// Whether a wall has another motion than before, or the same about another axis.
fn moves_otherwise(old: &Wall, new: &Wall) -> bool {
    let same_axis = match (&old.pivot, &new.pivot) {
        (Some(old), Some(new)) => old.is_along(new),
        (old, new) => old.is_none() && new.is_none(),
    };
    old.motion != new.motion || !same_axis
}

/// The part of a wall's velocity and angular velocity that another motion can have.
fn kept_velocities(motion: &Motion, state: &WallState) -> [Vector3; 2] {
    let none = Vector3::zeros();
    let (velocity, spin) = (state.velocity, state.angular_velocity);
    match motion {
        Motion::Fixed => [none; 2],
        Motion::Driven(_) => [velocity, spin],
        Motion::Servo(servo) => {
            let along = |v: &Vector3| {
                let speed = servo.direction.dot(v);
                servo.direction * speed.clamp(-servo.top_speed, servo.top_speed)
            };
            match servo.turns {
                true => [none, along(&spin)],
                false => [along(&velocity), none],
            }
        }
        Motion::Free(free) => {
            let turns = free.turning.is_some() || free.inertia.is_some();
            match free.turning {
                Some(Turning::Hinged { axis, .. }) => [none, axis * axis.dot(&spin)],
                _ => [free.projected(velocity), if turns { spin } else { none }],
            }
        }
    }
}

/// Fails if a wall that has turned gets another centre, but not another motion.
fn centres_stay(before: &Scenario, now: &Scenario, states: &[WallState]) -> Result<(), RunError> {
    let walls = before.walls.iter().zip(&now.walls).zip(states);
    for ((old, new), state) in walls.filter(|((old, new), _)| !moves_otherwise(old, new)) {
        let turns = state.angular_velocity != Vector3::zeros();
        if old.centre != new.centre && (turns || state.orientation != IDENTITY) {
            return Err(RunError::Input(format!(
                "wall {}: must keep its centre {:?} (also the centre of mass of a free mesh) or change its motion, as it has \
                 turned about it; found {:?}",
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
            .find(|(_, surface)| surface.is_nearer(&x, 0.0));
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

/// Refuses changes of stages that have begun.
pub(super) fn stages_stay(scenario: &Scenario, set: &[String]) -> Result<(), RunError> {
    for change in set {
        let key = change.split('=').next().unwrap_or_default();
        let of_stage = key.trim().trim_start_matches('-').strip_prefix("stage.");
        let parts: Vec<&str> = of_stage.map_or(Vec::new(), |rest| rest.split('.').collect());
        let number = parts.first().and_then(|part| part.parse::<usize>().ok());
        let stage = number.and_then(|number| scenario.stages.get(number));
        let begun = stage.is_some_and(|stage| stage.begun.is_some());
        if begun || parts.get(1) == Some(&"begun") {
            return Err(RunError::Input(format!(
                "{change}: the stage has begun, or begins by itself; must be a key of a stage to come, or of the configuration \
                 now, such as time.until"
            )));
        }
    }
    Ok(())
}

/// Fails if steps of constant length do not lead to the time at which a run continues.
///
/// By a rule a run can have reached any time.
pub(super) fn clock_fits(scenario: &Scenario, header: &Header) -> Result<(), RunError> {
    let text = match scenario.pace {
        // An increment that was done in part goes on.
        Pace::Even(dt)
            if scenario.statics.is_some()
                && !scenario.pace.has_ended(header.step, header.time)
                && header.time > dt * (header.step as f64 - 1.0) =>
        {
            return Ok(());
        }
        Pace::Even(dt) if dt * header.step as f64 != header.time => {
            let or = scenario.statics.map_or(
                ", or a rule { at_most, at_least, travel, growth }",
                |_| "; for another one begin a new run from its bodies (sample = \"file\")",
            );
            format!(
                "time.dt = {dt} does not lead to step {} at {} s; a run keeps its time step; must be the one it had{or}",
                header.step, header.time
            )
        }
        Pace::Rule(_) if header.dt <= 0.0 => format!(
            "the length of the checkpoint's last step must be more than 0; found {} s",
            header.dt
        ),
        _ => return Ok(()),
    };
    Err(RunError::Input(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Freedom, HungMass};
    use crate::math::Matrix3;

    /// A hinge keeps the part of the spin about its axis, a part that falls freely keeps all.
    #[test]
    fn a_hinge_keeps_the_spin_about_its_axis() {
        let state = WallState {
            velocity: Vector3::new(1.0, 2.0, 3.0),
            angular_velocity: Vector3::new(15.0, -2.0, 0.5),
            ..WallState::default()
        };
        let mass = HungMass {
            mass: 1.0,
            inertia: Matrix3::identity(),
            centre: Vector3::x(),
        };
        let free = |turning| {
            Motion::Free(Freedom {
                mass: 1.0,
                inertia: None,
                turning: Some(turning),
                direction: None,
                load: Vector3::zeros(),
                pressure: 0.0,
                gravity: true,
                factor: None,
            })
        };
        let hinged = free(mass.hinged(Vector3::y(), &Vector3::zeros(), IDENTITY));
        let kept = kept_velocities(&hinged, &state);
        assert_eq!(kept, [Vector3::zeros(), Vector3::y() * -2.0]);
        let loose = free(Turning::Free {
            moments: [1.0; 3],
            axes: IDENTITY,
        });
        let kept = kept_velocities(&loose, &state);
        assert_eq!(kept, [state.velocity, state.angular_velocity]);
    }

    /// Motions may not change where the configuration before is not known; other keys may.
    #[test]
    fn changed_motions_need_the_configuration_before() {
        let of = |change: &str| motions_are_known(None, &[change.to_owned()]).is_ok();
        for known in [
            "wall.2.file=b.stl",
            "wall.0.material=m",
            "time.steps=5",
            "-wall.1.name",
        ] {
            assert!(of(known), "{known}");
        }
        for unknown in [
            "-wall.1.servo",
            "wall.0.velocity=[0, 0, 1]",
            " wall.1.free.mass = 2",
        ] {
            assert!(!of(unknown), "{unknown}");
        }
    }
}
