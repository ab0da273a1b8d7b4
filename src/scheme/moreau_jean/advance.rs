//! The end of a step: bodies move, ledgers are summed, what cannot go on is told.

use super::{Done, System};
use crate::body::{Bodies, BodyRow, Member};
use crate::domain::Domain;
use crate::domain::migration::{Parcel, to_first_bodies};
use crate::domain::partition::Partition;
use crate::math::{ExactSum, Vector3};
use crate::measure::translational_energy;
use crate::scheme::StepError;
use crate::solver::nsgs::Outcome;

impl System {
    /// Moves this rank's bodies with their new velocities, and by what the projection asks beside, and keeps what outlives
    /// the step. `rows` are the bodies known here as they were before it.
    pub(super) fn advance(
        &mut self,
        domain: &Domain,
        bodies: &Bodies,
        ways: Option<&[Member]>,
        mut rows: Vec<BodyRow>,
        outcome: Outcome,
        margin: f64,
    ) -> Result<Done, StepError> {
        let (dt, gravity) = (self.dt, self.physics.gravity);
        let step = self.step + 1;
        let partition = domain.partition();
        let owner: Vec<usize> = bodies
            .positions()
            .iter()
            .map(|x| partition.owner_of_point(x))
            .collect();
        let rank = domain.rank();
        let moved = Moved {
            step,
            dt,
            gravity,
            margin,
            partition,
            delete_outside: self.physics.delete_outside,
        };
        let pool = self.blocks.pool();
        let parts = pool.parts_of(&mut rows, |first, rows| {
            let mut part = Part::default();
            let each = rows.iter_mut().enumerate();
            for (i, row) in each.map(|(k, row)| (first + k, row)) {
                if owner[i] == rank {
                    let way = ways.map_or_else(Vector3::zeros, |ways| ways[i].velocity());
                    moved.one(bodies, i, row, &way, &mut part);
                }
            }
            part
        });
        let mut sums = <[ExactSum; 6]>::default();
        let mut failure = None;
        self.deleted.clear();
        for part in parts {
            sums.iter_mut()
                .zip(&part.sums)
                .for_each(|(s, t)| s.merge(t));
            failure = failure.or(part.failure);
            self.deleted.extend(part.deleted);
        }
        // The copies go, and the deleted, whose order is that of the rows.
        let (mut owners, mut gone) = (owner.iter(), self.deleted.iter().peekable());
        rows.retain(|row| {
            owners.next() == Some(&domain.rank()) && gone.next_if(|g| g.id == row.id).is_none()
        });
        if outcome.verdict.non_finite {
            failure.get_or_insert(StepError::SolverNotFinite {
                step,
                sweeps: outcome.sweeps,
            });
        }
        domain.agree(failure.map_or(Ok(()), Err))?;
        let [
            translational_energy,
            lost,
            integrator,
            projected,
            outran,
            deleted,
        ] = domain.sums(&sums);

        let mut contacts = std::mem::take(&mut self.rows);
        self.blocks.rows(&mut contacts);
        if deleted > 0.0 {
            let mine: Vec<u64> = self.deleted.iter().map(|row| row.id.0).collect();
            let gone = domain.gather(&mine);
            contacts.retain(|c| !gone.contains(&c.key.a.0) && !gone.contains(&c.key.b.0));
        }
        to_first_bodies(domain, &mut contacts, |id| {
            let place = bodies.ids().binary_search(&id);
            owner[place.expect("the bodies of a contact reach into the block that holds it")]
        });
        self.parcel = Parcel {
            bodies: rows,
            contacts,
        };
        self.step = step;
        let elastic = outcome.work.elastic;
        let dissipated = outcome.work.taken() - (elastic - self.elastic);
        self.elastic = elastic;
        Ok(Done {
            dt,
            rushed: false,
            outcome,
            translational_energy,
            dissipated,
            lost,
            integrator,
            projected,
            elastic,
            outran: outran as u64,
            deleted: deleted as u64,
        })
    }
}

/// How bodies move in a step.
struct Moved<'a> {
    step: u64,
    dt: f64,
    gravity: Vector3,
    /// What detection had looked ahead by [m].
    margin: f64,
    partition: &'a Partition,
    delete_outside: bool,
}

/// What became of some bodies.
#[derive(Default)]
struct Part {
    /// Translational energy, energy lost, what the integrator lost, what the projection brought in, bodies that outran detection,
    /// deleted bodies.
    sums: [ExactSum; 6],
    failure: Option<StepError>,
    deleted: Vec<BodyRow>,
}

impl Moved<'_> {
    /// Moves the row of a body, and by the projection's way beside.
    fn one(&self, bodies: &Bodies, i: usize, row: &mut BodyRow, way: &Vector3, part: &mut Part) {
        let before = *row;
        bodies.advance(i, row, self.dt, way, self.partition.grid().period());
        let x = &Vector3::from(row.position);
        let mut deleted = false;
        if !is_finite(row) {
            part.failure.get_or_insert(not_finite(self.step, row));
        } else if !self.partition.contains(x) && self.delete_outside {
            deleted = true;
            part.deleted.push(*row);
            part.sums[5].add(1.0);
        } else if !self.partition.contains(x) {
            part.failure.get_or_insert(StepError::Lost {
                step: self.step,
                id: row.id.0,
                position: row.position,
            });
        }
        if row.is_free() {
            let (dt, gravity) = (self.dt, &self.gravity);
            let [v0, v1] = [before.velocity, row.velocity].map(Vector3::from);
            if !deleted {
                part.sums[0].add(translational_energy(row));
            }
            part.sums[1].add(energy_lost(&before, row, &(gravity * dt)));
            part.sums[2].add(0.5 * row.mass * dt * gravity.dot(&(v1 - v0)));
            part.sums[3].add(-row.mass * gravity.dot(way));
        }
        let outran = 2.0 * Vector3::from(row.velocity).norm() * self.dt > self.margin;
        part.sums[4].add(f64::from(u8::from(outran)));
    }
}

/// What a body lost beyond gravity's work `m g Δt · (v₀+v₁)/2` [J]. The contacts' work is `Σ r · (u₀+u₁)/2`, and this is its
/// negative, body by body.
fn energy_lost(before: &BodyRow, after: &BodyRow, gravity_dt: &Vector3) -> f64 {
    let [v0, v1] = [before, after].map(|row| Vector3::from(row.velocity));
    let [w0, w1] = [before, after].map(|row| Vector3::from(row.angular_velocity));
    let linear = (v0 + gravity_dt - v1).dot(&(v0 + v1));
    let angular = (w0 - w1).dot(&(w0 + w1));
    0.5 * (after.mass * linear + after.inertia * angular)
}

pub(super) fn is_finite(row: &BodyRow) -> bool {
    let finite = |numbers: &[f64]| numbers.iter().all(|c| c.is_finite());
    finite(&row.position)
        && finite(&row.velocity)
        && finite(&row.angular_velocity)
        && finite(&row.orientation)
}

pub(super) fn not_finite(step: u64, row: &BodyRow) -> StepError {
    StepError::NotFinite {
        step,
        id: row.id.0,
        position: row.position,
        velocity: row.velocity,
    }
}
