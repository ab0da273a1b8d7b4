//! The output about walls and the periodic cell.

use crate::body::{Motion, Since, Wall, WallState};
use crate::domain::Domain;
use crate::io::WallRow;
use crate::io::series::{CellLine, WallLine};
use crate::math::Vector3;
use crate::measure;
use crate::scheme::{Report, Scheme, State, WallReference};
use crate::sim::now::Now;

/// The walls with the impulses and couples from bodies in the last step. Collective.
pub(in crate::sim) fn walls(domain: &Domain, scheme: &Scheme, state: &State) -> Vec<WallRow> {
    let (walls, states) = (&scheme.physics().walls, &state.walls);
    let contacts = &scheme.wall_contacts(state);
    let impulses = measure::wall_impulses(contacts, walls.len());
    // The positions of centres when the impulses acted.
    let centre = |(wall, state): (&Wall, &WallState)| wall.place_now(state);
    let before = walls.iter().zip(&state.walls_before);
    let centres: Vec<Vector3> = before.map(centre).collect();
    let couples = measure::wall_couples(contacts, &centres);
    // All sums in one reduction.
    let six = impulses.into_iter().zip(couples);
    let sums = six.flat_map(|(impulse, couple)| impulse.into_iter().chain(couple));
    let sums = domain.many_sums(sums.collect());
    let none = WallReference {
        state: WallState {
            orientation: [0.0; 4],
            ..WallState::default()
        },
        allowance: 0.0,
    };
    let references = state.references.iter().chain(std::iter::repeat(&none));
    (walls
        .iter()
        .zip(states)
        .zip(references)
        .zip(sums.chunks_exact(6)))
    .map(|(((wall, state), then), six)| WallRow {
        displacement: state.displacement.into(),
        orientation: state.orientation,
        velocity: state.velocity.into(),
        angular_velocity: state.angular_velocity.into(),
        material: wall.material,
        impulse: [six[0], six[1], six[2]],
        couple_impulse: [six[3], six[4], six[5]],
        reference_displacement: then.state.displacement.into(),
        reference_orientation: then.state.orientation,
        allowance: then.allowance,
        motion_time: wall.origin.map_or(0.0, |origin| origin.time),
        motion_displacement: (wall.origin).map_or([0.0; 3], |origin| origin.displacement.into()),
        motion_orientation: wall.origin.map_or([0.0; 4], |origin| origin.orientation),
        axis_displacement: since(wall).map_or([0.0; 3], |since| since.displacement.into()),
        axis_orientation: since(wall).map_or([0.0; 4], |since| since.orientation),
    })
    .collect()
}

/// The place of a wall when its axis became the one about which it turns.
fn since(wall: &Wall) -> Option<Since> {
    wall.pivot.and_then(|pivot| pivot.since)
}

/// A wall's line in `walls.csv`.
pub(super) fn wall_line(state: &State, wall: &Wall, row: &WallRow, power: f64) -> WallLine {
    let dt = state.clock.dt;
    let [force, torque] = [row.impulse, row.couple_impulse].map(|sum| Vector3::from(sum) / dt);
    let centre = wall.centre + Vector3::from(row.displacement);
    let [vx, vy, vz] = row.velocity;
    let [wx, wy, wz] = row.angular_velocity;
    WallLine {
        step: state.clock.step,
        time: state.clock.time,
        wall: wall.name.clone(),
        fx: force.x,
        fy: force.y,
        fz: force.z,
        tx: torque.x,
        ty: torque.y,
        tz: torque.z,
        x: centre.x,
        y: centre.y,
        z: centre.z,
        vx,
        vy,
        vz,
        wx,
        wy,
        wz,
        power,
    }
}

/// The power that each wall of these rows gives the bodies in the last step [W]. Collective.
///
/// Its velocity is that of the step; of a wall that moves by Newton's law the mean of those before
/// and after it.
pub(super) fn powers(
    domain: &Domain,
    scheme: &Scheme,
    state: &State,
    rows: &[WallRow],
) -> Vec<f64> {
    let walls = &scheme.physics().walls;
    if scheme.physics().statics.is_some() {
        // An increment has no velocities, and its forces change within it.
        return vec![f64::NAN; walls.len()];
    }
    let has_belt = |wall: &Wall| wall.surface_velocity != Vector3::zeros();
    let belts = match walls.iter().any(has_belt) {
        false => vec![0.0; walls.len()],
        true => {
            let runs = |w: usize, n: &Vector3| walls[w].runs(&state.walls_before[w], n);
            let contacts = scheme.wall_contacts(state);
            domain.many_sums(measure::belt_work(&contacts, walls.len(), runs))
        }
    };
    let each = walls
        .iter()
        .zip(state.walls_before.iter().zip(&state.walls));
    let work = each.zip(rows).map(|((wall, (before, after)), row)| {
        let twist = |state: &WallState| [state.velocity, state.angular_velocity];
        let [velocity, spin] = match wall.motion {
            Motion::Fixed => [Vector3::zeros(); 2],
            Motion::Driven(_) => twist(after),
            Motion::Servo(_) => twist(before),
            Motion::Free(_) => {
                let (was, is) = (twist(before), twist(after));
                [0, 1].map(|k| (was[k] + is[k]) * 0.5)
            }
        };
        let [impulse, couple] = [row.impulse, row.couple_impulse].map(Vector3::from);
        impulse.dot(&velocity) + couple.dot(&spin)
    });
    let dt = state.clock.dt;
    let all = work.zip(belts);
    all.map(|(work, belt)| -(work + belt) / dt).collect()
}

/// The line of `cell.csv`; `None` where the cell does not deform.
pub(super) fn cell_line(now: &Now, report: &Report) -> Option<CellLine> {
    let (cell, state) = (now.physics.cell.as_ref()?, now.state.cell?);
    let lengths = cell.lengths_of(&state.upper);
    let strain = cell.strains(&cell.start().upper, &state.upper);
    let walls = now.physics.placed(&now.state.walls);
    let period = now.domain.partition().grid().period();
    let of = report.cell.unwrap_or_default();
    let [xx, yy, zz, yz, zx, xy] = of.stress;
    Some(CellLine {
        step: now.state.clock.step,
        time: now.state.clock.time,
        x: lengths.x,
        y: lengths.y,
        z: lengths.z,
        strain_x: strain.x,
        strain_y: strain.y,
        strain_z: strain.z,
        shear: state.sheared,
        shift: state.shear.map_or(0.0, |shear| shear.shift),
        stress_xx: xx,
        stress_yy: yy,
        stress_zz: zz,
        stress_yz: yz,
        stress_zx: zx,
        stress_xy: xy,
        volume: cell.volume(&state.upper, &walls, period),
        work: of.work,
    })
}
