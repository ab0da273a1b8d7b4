//! When a packing is at rest.

use crate::body::BodyRow;
use crate::config::Scenario;
use crate::domain::Domain;
use crate::math::{ExactSum, Vector3};
use crate::measure;
use crate::scheme::moreau_jean::System;

/// Largest net force on a packing at rest, as a fraction of its weight.
const UNBALANCED: f64 = 1e-3;

/// The two conditions of rest, in numbers of a run.
pub(super) struct Rest {
    /// Translational kinetic energy below which bodies count as slow [J]: a fraction of `Σ m g d`; none if the run has no
    /// such end.
    energy: Option<f64>,
    /// Momentum that gravity gives to all bodies in a step [N s].
    weight: Vector3,
}

impl Rest {
    /// What rest means in this run. Collective.
    pub(super) fn new(domain: &Domain, scenario: &Scenario, system: &System) -> Self {
        let lift = |row: &BodyRow| row.mass * scenario.gravity.norm() * 2.0 * row.radius;
        let bodies = system.bodies();
        let sums: [ExactSum; 2] = [
            bodies.iter().map(lift).collect(),
            bodies.iter().map(|row| row.mass).collect(),
        ];
        let [lift, mass] = domain.sums(&sums);
        Self {
            energy: scenario.end.rest.map(|fraction| fraction * lift),
            weight: scenario.gravity * (scenario.dt * mass),
        }
    }

    /// Whether the packing is at rest after the last step: its bodies are slow, and the walls carry its weight, so that it
    /// is not just turning round at the top of a bounce. Both follow from what a checkpoint holds, so a resumed run ends
    /// where the run would have ended. Collective.
    pub(super) fn reached(&self, domain: &Domain, system: &System, energy: f64) -> bool {
        if system.steps() == 0
            || self
                .energy
                .is_none_or(|slow| energy.is_nan() || energy >= slow)
        {
            return false;
        }
        let mut carried = <[ExactSum; 3]>::default();
        let walls = system.physics().walls.len();
        for wall in measure::wall_impulses(system.contacts(), walls) {
            carried
                .iter_mut()
                .zip(&wall)
                .for_each(|(all, one)| all.merge(one));
        }
        let net = self.weight - Vector3::from(domain.sums(&carried));
        net.norm() <= UNBALANCED * self.weight.norm()
    }
}
