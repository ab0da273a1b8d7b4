//! Actions on bodies before a step: bodies grow, are held, are released.

use super::physics::Physics;
use super::state::State;
use crate::body::{BodyKind, BodyRow};
use crate::math::{ExactSum, Vector3};
use crate::measure::body_energy;
use crate::shape::Period;

impl State {
    /// Grows bodies to their size at the end of the step, and holds and releases bodies.
    ///
    /// Bodies in a holding region are held; held bodies outside of all such regions are released.
    /// Returns the energy that this adds [J]: the ledger counts the energy of free bodies only.
    pub(super) fn act(&mut self, physics: &Physics, end: f64, period: &Period) -> ExactSum {
        let acts = &physics.acts;
        if let Some(growth) = acts.growth {
            let factor = growth.factor(self.clock.time, end);
            if factor != 1.0 {
                // Held bodies grow too, so that they have the right size when they are released.
                let grows = |row: &&mut BodyRow| row.is_free() || row.kind == BodyKind::Held as u32;
                let growing = self.parcel.bodies.iter_mut().filter(grows);
                growing.for_each(|row| row.radius *= factor);
            }
        }
        if acts.holds.is_empty() {
            return ExactSum::default();
        }
        let (gravity, time) = (&physics.gravity, self.clock.time);
        let mut brought = ExactSum::default();
        for row in &mut self.parcel.bodies {
            let held = acts.is_held(&Vector3::from(row.position), time);
            if held && row.is_free() {
                brought.add(-body_energy(row, gravity, period));
                *row = BodyRow {
                    kind: BodyKind::Held as u32,
                    velocity: [0.0; 3],
                    angular_velocity: [0.0; 3],
                    angular_momentum: [0.0; 3],
                    ..*row
                };
            } else if !held && row.kind == BodyKind::Held as u32 {
                row.kind = BodyKind::Free as u32;
                brought.add(body_energy(row, gravity, period));
            }
        }
        brought
    }
}
