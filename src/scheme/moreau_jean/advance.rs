//! The end of a step: bodies move, ledgers are summed, what cannot go on is told.

use super::{Done, System};
use crate::body::{Bodies, BodyRow, Member};
use crate::domain::Domain;
use crate::domain::migration::{Parcel, to_first_bodies};
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
        let mut sums = <[ExactSum; 6]>::default();
        let mut failure = None;
        self.deleted.clear();
        for i in (0..bodies.len()).filter(|&i| owner[i] == domain.rank()) {
            let way = ways.map_or_else(Vector3::zeros, |ways| ways[i].velocity());
            let before = rows[i];
            bodies.advance(i, &mut rows[i], dt, &way, partition.grid().period());
            let row = rows[i];
            let x = &Vector3::from(row.position);
            if !is_finite(&row) {
                failure.get_or_insert(not_finite(step, &row));
            } else if !partition.contains(x) && self.physics.delete_outside {
                self.deleted.push(row);
                sums[5].add(1.0);
            } else if !partition.contains(x) {
                failure.get_or_insert(StepError::Lost {
                    step,
                    id: row.id.0,
                    position: row.position,
                });
            }
            let deleted = self.deleted.last().is_some_and(|gone| gone.id == row.id);
            if row.is_free() {
                let [v0, v1] = [before.velocity, row.velocity].map(Vector3::from);
                if !deleted {
                    sums[0].add(translational_energy(&row));
                }
                sums[1].add(energy_lost(&before, &row, &(gravity * dt)));
                sums[2].add(0.5 * row.mass * dt * gravity.dot(&(v1 - v0)));
                sums[3].add(-row.mass * gravity.dot(&way));
            }
            let outran = 2.0 * Vector3::from(row.velocity).norm() * dt > margin;
            sums[4].add(f64::from(u8::from(outran)));
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
    let numbers = row
        .position
        .iter()
        .chain(&row.velocity)
        .chain(&row.angular_velocity)
        .chain(&row.orientation);
    numbers.into_iter().all(|c| c.is_finite())
}

pub(super) fn not_finite(step: u64, row: &BodyRow) -> StepError {
    StepError::NotFinite {
        step,
        id: row.id.0,
        position: row.position,
        velocity: row.velocity,
    }
}
