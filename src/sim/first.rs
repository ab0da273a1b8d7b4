//! The bodies that a run starts with.

use super::RunError;
use crate::body::{Bodies, BodyRow};
use crate::config::Scenario;
use crate::contact::{Candidate, Partner};
use crate::detect::candidates;
use crate::domain::Domain;
use crate::domain::migration::{Parcel, to_owners, with_copies};
use crate::domain::partition::Partition;
use crate::math::Vector3;
use crate::sample;
use crate::scheme::moreau_jean::Physics;

/// Every body of every sample, in order of ids.
pub(super) fn each_body(
    scenario: &Scenario,
    keep: &mut dyn FnMut(BodyRow),
) -> Result<u64, RunError> {
    let mut next_id = 0;
    for sample in &scenario.samples {
        let mut count = 0;
        let mut one = |row| {
            count += 1;
            keep(row);
        };
        sample::bodies(sample, next_id, scenario.solver.seed, &mut one)
            .map_err(|e| RunError::Input(e.to_string()))?;
        next_id += count;
    }
    Ok(next_id)
}

/// The initial bodies in this rank's blocks. Every rank sees all bodies, so all find the same fault.
pub(super) fn own_bodies(
    scenario: &Scenario,
    partition: &Partition,
    rank: usize,
) -> Result<Vec<BodyRow>, RunError> {
    let mut own = Vec::new();
    let mut outside: Option<BodyRow> = None;
    let mut lifted: Option<BodyRow> = None;
    each_body(scenario, &mut |row| {
        let x = Vector3::from(row.position);
        let spins = row.angular_velocity[..2] != [0.0; 2];
        if scenario.two_dimensional && (x.z != 0.0 || row.velocity[2] != 0.0 || spins) {
            lifted.get_or_insert(row);
        } else if !partition.contains(&x) {
            outside.get_or_insert(row);
        } else if partition.owner_of_point(&x) == rank {
            own.push(row);
        }
    })?;
    if let Some(row) = lifted {
        return Err(RunError::Input(format!(
            "body {} starts out of the plane z = 0 or moves out of it, at {:?} m with {:?} m/s and {:?} rad/s; accepted: z, vz, wx, wy \
             = 0 in two dimensions",
            row.id, row.position, row.velocity, row.angular_velocity
        )));
    }
    own.shrink_to_fit();
    match outside {
        None => Ok(own),
        Some(row) => Err(RunError::Input(format!(
            "body {} starts outside the domain, at {:?} m; accepted: from {:?} to {:?} m (domain.lower, domain.upper)",
            row.id,
            row.position,
            <[f64; 3]>::from(scenario.lower),
            <[f64; 3]>::from(scenario.upper),
        ))),
    }
}

/// Bodies must not start inside each other or a wall by more than a fraction of the smaller radius. Collective.
pub(super) fn no_overlaps(
    domain: &Domain,
    physics: &Physics,
    parcel: &Parcel,
    fraction: f64,
) -> Result<(), RunError> {
    let all = with_copies(domain, to_owners(domain, parcel.clone()), 0.0);
    let bodies = Bodies::from_rows(&all.bodies);
    let (partition, rank) = (domain.partition(), domain.rank());
    let mine = |x: &Vector3| partition.owner_of_point(x) == rank;
    let period = partition.grid().period();
    let mut deep = Vec::new();
    // What nothing moves may stand as it likes: a rough base of fixed balls half sunk in the floor.
    let judged =
        |c: &Candidate| bodies.is_free(c.a) || matches!(c.b, Partner::Body(b) if bodies.is_free(b));
    for c in candidates(&bodies, &physics.walls, 0.0, period, mine)
        .into_iter()
        .filter(judged)
    {
        let (radius, other) = match c.b {
            Partner::Body(b) => (
                bodies.radii()[c.a].min(bodies.radii()[b]),
                format!("body {}", c.key.b),
            ),
            Partner::Wall(w) => (
                bodies.radii()[c.a],
                format!("wall {}", physics.walls[w].name),
            ),
        };
        if -c.gap > fraction * radius {
            deep.push((c.key, -c.gap / radius, other));
        }
    }
    deep.sort_by_key(|(key, ..)| *key);
    match deep.first() {
        None => Ok(()),
        Some((key, overlap, other)) => Err(RunError::Input(format!(
            "body {} starts inside {other}, overlapping by {overlap:.3} of the smaller radius ({} such pairs in this part of \
             the domain); accepted: up to {fraction} (domain.max_overlap)",
            key.a,
            deep.len(),
        ))),
    }
}
