//! The initial bodies of a run.

use super::census::{Census, ids_differ};
use super::changed::{HELD_IN_CELL, is_held_in_cell};
use super::error::RunError;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::config::{self, Scenario};
use crate::io::checkpoint::{self, Loaded};
use crate::math::{Vector3, as_written};
use crate::sample::{self, Sample, Source};
use crate::shape::Period;
use std::path::Path;

/// This rank's share of the initial bodies, by id. Collective.
pub(super) fn bodies(
    comm: &dyn Comm,
    scenario: &Scenario,
    census: &Census,
) -> Result<Vec<BodyRow>, RunError> {
    let shares = shares(comm, scenario, census)?;
    together(comm, scenario, census, shares)
}

/// This rank's share of the initial bodies of each sample. Collective.
///
/// No rank makes all bodies of a lattice, and none reads all of a checkpoint. The positions of a
/// rank's bodies do not matter yet: the first migration brings bodies to their owners.
pub(super) fn shares(
    comm: &dyn Comm,
    scenario: &Scenario,
    census: &Census,
) -> Result<Vec<Vec<BodyRow>>, RunError> {
    let mut each = agree(comm, made(scenario, census, comm.rank(), comm.size()))?;
    for (k, sample) in scenario.samples.iter().enumerate() {
        if let Source::Checkpoint { path, .. } = &sample.source {
            let loaded =
                checkpoint::read(comm, path).map_err(|e| RunError::Input(e.to_string()))?;
            // The file may have changed since its bodies were counted.
            let (count, found) = (census.counts[k], comm.sum_count(loaded.bodies.len()));
            if found != count {
                return Err(RunError::Input(format!(
                    "{}: the file must not change during the start; found {found} bodies after {count}",
                    path.display()
                )));
            }
            // Ranks hold them in the order of ids, one rank after the other.
            let own = [loaded.bodies.len() as u64];
            let before = comm.all_gather(bytemuck::bytes_of(&own));
            let before = before[..comm.rank()].iter();
            let before: u64 = before.map(|n| bytemuck::pod_read_unaligned::<u64>(n)).sum();
            let shear = loaded.header.cell.and_then(|cell| cell.shear);
            if let Some(shear) = shear.filter(|shear| shear.shift != 0.0) {
                return Err(RunError::Input(format!(
                    "{}: a file of bodies must have unsheared images; found a cell whose images are \
                     shifted by {} m",
                    path.display(),
                    as_written(shear.shift)
                )));
            }
            let bodies = agree(comm, with_templates(scenario, path, loaded))?;
            let taken = (before..).zip(&bodies).map(|(place, row)| {
                let id = census.first_ids[k].map_or(row.id, |first| BodyId(first + place));
                sample.taken_over(id, row, row.template(&scenario.templates))
            });
            each[k] = taken.collect();
        }
    }
    Ok(each)
}

/// This rank's share of all initial bodies, by id, from those of each sample. Collective.
pub(super) fn together(
    comm: &dyn Comm,
    scenario: &Scenario,
    census: &Census,
    shares: Vec<Vec<BodyRow>>,
) -> Result<Vec<BodyRow>, RunError> {
    ids_differ(comm, scenario, census, &shares)?;
    let mut rows: Vec<BodyRow> = shares.into_iter().flatten().collect();
    rows.sort_unstable_by_key(|row| row.id);
    // Files contain unwrapped positions; everything that follows uses wrapped ones.
    let period = Period::of_box(&scenario.lower, &scenario.upper, scenario.periodic);
    for row in &mut rows {
        let (position, turns) = period.wrapped(&Vector3::from(row.position));
        row.position = position.into();
        (row.image.iter_mut().zip(turns)).for_each(|(image, turns)| *image += turns);
    }
    agree(comm, in_their_place(scenario, &rows))?;
    Ok(rows)
}

/// The bodies of a checkpoint, their clumps with the numbers that templates have in this run.
fn with_templates(
    scenario: &Scenario,
    path: &Path,
    loaded: Loaded,
) -> Result<Vec<BodyRow>, RunError> {
    let mut bodies = loaded.bodies;
    if bodies.iter().all(|row| row.shape == 0) {
        return Ok(bodies);
    }
    let there = config::of_checkpoint(path, &loaded.header.config, loaded.header.cell.as_ref());
    let there = there.map_err(|faults| RunError::Input(faults.to_string()))?;
    let numbers: Vec<Option<usize>> = (there.templates.iter())
        .map(|old| scenario.templates.iter().position(|new| new == old))
        .collect();
    for row in bodies.iter_mut().filter(|row| row.shape != 0) {
        let old = row.shape as usize - 1;
        let Some(number) = numbers.get(old).copied().flatten() else {
            let template = there.templates.get(old).map_or("unknown", |t| t.name());
            return Err(RunError::Input(format!(
                "{}: body {} is a clump of template \"{template}\", which this configuration lacks or \
                 defines otherwise; accepted: clumps of a [[template]] with the same name and form",
                path.display(),
                row.id
            )));
        };
        row.shape = number as u32 + 1;
    }
    Ok(bodies)
}

/// A rank's share of the bodies of each sample that is not a checkpoint.
fn made(
    scenario: &Scenario,
    census: &Census,
    rank: usize,
    ranks: usize,
) -> Result<Vec<Vec<BodyRow>>, RunError> {
    let total = census.total();
    let cut = |rank: usize| (u128::from(total) * rank as u128 / ranks as u128) as u64;
    let (begin, end) = (cut(rank), cut(rank + 1));
    let mut first = 0;
    let mut share = |(k, sample): (usize, &Sample)| {
        let mut rows = Vec::new();
        let count = census.counts[k];
        let within = |place: u64| place.clamp(first, first + count) - first;
        let among = within(begin)..within(end);
        first += count;
        if !among.is_empty() && !matches!(sample.source, Source::Checkpoint { .. }) {
            let (first_id, seed) = (census.first_ids[k].unwrap_or(0), scenario.solver.seed);
            sample::bodies(sample, among, first_id, seed, &mut |row| rows.push(row))
                .map_err(|e| RunError::Input(e.to_string()))?;
        }
        Ok(rows)
    };
    scenario
        .samples
        .iter()
        .enumerate()
        .map(&mut share)
        .collect()
}

/// Fails if a body starts outside the domain, or a disc outside its plane.
fn in_their_place(scenario: &Scenario, rows: &[BodyRow]) -> Result<(), RunError> {
    let lifted = rows.iter().find(|row| {
        let spins = row.angular_velocity[..2] != [0.0; 2];
        scenario.two_dimensional && (row.position[2] != 0.0 || row.velocity[2] != 0.0 || spins)
    });
    let inside = |row: &&BodyRow| {
        let x = row.position;
        (0..3).all(|a| (scenario.lower[a]..=scenario.upper[a]).contains(&x[a]))
    };
    let outside = rows.iter().find(|row| !inside(row));
    if let Some(row) = rows.iter().find(|row| is_held_in_cell(row, scenario)) {
        return Err(RunError::Input(format!("body {} {HELD_IN_CELL}", row.id)));
    }
    if let Some(row) = lifted {
        return Err(RunError::Input(format!(
            "body {} starts out of the plane z = 0 or moves out of it: z, vz, wx, wy must be 0 in two dimensions; \
             found {:?} m, {:?} m/s and {:?} rad/s",
            row.id, row.position, row.velocity, row.angular_velocity
        )));
    }
    match outside {
        None => Ok(()),
        Some(row) => Err(RunError::Input(format!(
            "body {} starts outside the domain, at {:?} m; must be from {:?} to {:?} m (domain.lower, domain.upper)",
            row.id,
            row.position,
            <[f64; 3]>::from(scenario.lower),
            <[f64; 3]>::from(scenario.upper),
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No rank makes more than its share, and together they make each body once, however the
    /// samples are divided.
    #[test]
    fn every_rank_makes_its_share() {
        let text = "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 5 }\ndomain = { lower = [0, 0, 0], upper = [1, 1, 1] }\n\
                    material = [{ name = \"m\", density = 1, friction = 0 }]\nwall = [{ shape = \"box\", material = \"m\" }]\n\
                    bodies = [{ sample = \"lattice\", material = \"m\", count = 7, radius = 0.01, upper = [1, 1, 0.1] },\n\
                    { sample = \"lattice\", material = \"m\", count = 50, radius = 0.01, lower = [0, 0, 0.5] }]\n";
        let scenario = config::parse("a.toml", text, Path::new("."), &[]).expect("a good text");
        let census = Census {
            counts: vec![7, 50],
            first_ids: vec![Some(0), Some(7)],
            ids_end: 57,
        };
        for ranks in [1, 2, 3, 8, 57, 64] {
            let shares: Vec<Vec<BodyRow>> = (0..ranks)
                .map(|rank| {
                    made(&scenario, &census, rank, ranks)
                        .expect("bodies")
                        .concat()
                })
                .collect();
            let most = 57_usize.div_ceil(ranks);
            assert!(
                shares.iter().all(|share| share.len() <= most),
                "{ranks} ranks"
            );
            let ids = shares.iter().flatten().map(|row| row.id.0);
            assert!(ids.eq(0..57), "{ranks} ranks");
        }
    }
}
