//! What happens to bodies before a step: they grow, are held, are let go.

use super::physics::Physics;
use super::state::State;
use crate::body::{BodyKind, BodyRow};
use crate::math::{ExactSum, Vector3};
use crate::measure::body_energy;
use crate::shape::Period;

impl State {
    /// Lets bodies grow to the size that they have at the end of the step, holds those that are in a region that holds, and lets
    /// those go that are in none any more. Returns the energy that this brings in [J]: bodies that are not free have none in the books.
    pub(super) fn act(&mut self, physics: &Physics, end: f64, period: &Period) -> ExactSum {
        let acts = &physics.acts;
        if let Some(growth) = acts.growth {
            let factor = growth.factor(self.clock.time, end);
            if factor != 1.0 {
                // Held bodies as well: when they are let go they have the size of their time.
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
