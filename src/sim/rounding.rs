//! The smallest tolerance of a quasi-static run, as far as its loads are known before it begins.

use super::error::RunError;
use super::sizes::Sizes;
use crate::body::faces::push;
use crate::body::{Cell, Motion, Wall};
use crate::config::Scenario;
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::domain::migration::Parcel;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::scheme::{Physics, Report};

/// Fails if rounding of positions leaves unbalanced forces above the tolerance. Collective.
///
/// It leaves `10 ε X k_n` [N], X being the diagonal of the domain and k_n the largest stiffness
/// of contacts, bonds and supports, or `10 ε κ/r` for a support against rotation. This is compared
/// with the mean normal force of the contacts, of bonds the force, or else with the largest load.
/// Without both, the first increment decides.
///
/// # Errors
/// The same on all ranks.
pub(super) fn allows(
    (scenario, physics): (&Scenario, &Physics),
    (domain, sizes): (&Domain, &Sizes),
    (parcel, time, dt): (&Parcel, f64, f64),
) -> Result<(), RunError> {
    let Some(statics) = scenario.statics else {
        return Ok(());
    };
    // A beam of bonds may carry all its load across them.
    let normal = |row: &ContactRow| {
        let impulse = Vector3::from(row.impulse);
        match row.state.is_joint() {
            true => impulse.norm() / dt,
            false => impulse.dot(&Vector3::from(row.normal)).abs() / dt,
        }
    };
    let forces = parcel.contacts.iter().map(normal);
    let pressing = forces.filter(|force| *force > 0.0);
    let count: ExactSum = pressing.clone().map(|_| 1.0).collect();
    let [force, count] = domain.sums(&[pressing.collect(), count]);
    let materials = 0..scenario.materials.len() as u32;
    let stiffest = materials.clone().flat_map(|a| {
        let pair = move |b| scenario.laws.pairs.between(a, b);
        let compliance = move |b| pair(b).compliance([sizes.largest; 2]);
        materials.clone().map(move |b| 1.0 / compliance(b))
    });
    let bonds = scenario.laws.bonds.iter();
    let bonds = bonds.map(|glue| glue.stiffness.over([sizes.largest; 2]).normal);
    let supports = physics.acts.supports.iter();
    let held = supports.clone().map(|support| support.stiffness.max());
    let stiffest = stiffest.filter(|k| k.is_finite()).chain(bonds).chain(held);
    let stiffest = stiffest.fold(0.0, nan_max);
    // As [`Balance`](crate::scheme::quasistatic) has it.
    let turning = supports.map(|support| support.rotational.max() / sizes.largest);
    let turning = turning.fold(0.0, nan_max);
    let left = 10.0 * f64::EPSILON * nan_max(domain.partition().diameter() * stiffest, turning);
    // Contact forces may be rounding themselves, without any load.
    let reference = match count > 0.0 && force / count > left {
        true => force / count,
        false => domain.max(largest_load(scenario, physics, domain, (parcel, time))),
    };
    let (loaded, least) = (reference > 0.0, left / reference);
    if loaded && least > statics.tolerance {
        return Err(RunError::Input(too_fine(least, statics.tolerance)));
    }
    Ok(())
}

/// Whether the loads of an increment show that the tolerance is above rounding; none do where
/// nothing is loaded. The same on all ranks.
///
/// # Errors
/// The message for the user, if it is below.
pub(super) fn shows(scenario: &Scenario, report: &Report) -> Result<bool, String> {
    match scenario.statics {
        Some(statics) if report.floor > statics.tolerance => {
            Err(too_fine(report.floor, statics.tolerance))
        }
        Some(_) => Ok(report.floor > 0.0),
        None => Ok(true),
    }
}

fn too_fine(least: f64, tolerance: f64) -> String {
    format!(
        "quasistatic.tolerance must be at least {least:.1e}, as rounding of positions leaves unbalanced forces of this size \
         (10 ε X k_n/F: X the diagonal of the domain, F the mean normal force or the largest load); found {tolerance:e}"
    )
}

/// The largest load on a body of this rank, a free wall or an edge of the cell [N].
///
/// It is that over all times from `time` [s] on at which a factor changes its course.
fn largest_load(
    scenario: &Scenario,
    physics: &Physics,
    domain: &Domain,
    (parcel, time): (&Parcel, f64),
) -> f64 {
    let fields = physics.acts.fields.iter();
    let ramps = fields.filter_map(|field| field.factor.as_ref());
    let ends = physics.acts.fields.iter().map(|field| field.spell.from);
    let times = ramps
        .chain(physics.cell.iter().flat_map(Cell::ramps))
        .flat_map(|ramp| ramp.times.iter().copied())
        .chain(ends);
    let mut times: Vec<f64> = times.filter(|t| *t > time && t.is_finite()).collect();
    times.push(time + scenario.pace.at_most());
    let mut most = 0.0;
    for row in parcel.bodies.iter().filter(|row| row.is_free()) {
        let x = Vector3::from(row.position);
        let load = |t: &f64| row.mass * physics.acceleration(&x, row.mass, *t).norm();
        most = times.iter().map(load).fold(most, nan_max);
    }
    let period = domain.partition().grid().period();
    let on_wall = |wall: &Wall| {
        let Motion::Free(free) = &wall.motion else {
            return 0.0;
        };
        let factor = free.factor.as_ref().map_or(1.0, |ramp| {
            (ramp.values.iter()).fold(0.0, |most, x| nan_max(most, x.abs()))
        });
        let weight = if free.gravity {
            physics.gravity * free.mass
        } else {
            Vector3::zeros()
        };
        let walls = (&physics.walls[..], period, physics.planar);
        let push = push(free.pressure, wall, walls).unwrap_or_default();
        let pushed = (free.load.norm() + push.norm()) * factor;
        pushed + free.projected(weight).norm()
    };
    let most = physics.walls.iter().map(on_wall).fold(most, nan_max);
    let [lower, upper] = domain.partition().corners();
    let on_edges = physics.cell.iter().flat_map(|cell| {
        let held = times.iter().flat_map(|time| cell.held(*time));
        let volume = cell.volume(upper, &physics.walls, period);
        held.map(move |held| held.stress.abs() * volume / held.length(&(upper - lower)))
    });
    on_edges.fold(most, nan_max)
}
