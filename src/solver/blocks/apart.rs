//! Bodies split among ranks (`exchange = "sweep"`): sweeps use the parts, the judge the whole.

use super::sides::{Side, masses, turning};
use crate::law::softened;
use crate::solver::batch::{Batches, split};
use std::mem::swap;

/// The reduced masses of a contact that are not in use at present.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// The contact's slot.
    pub slot: u32,
    /// Masses of the law: normal and tangential [kg].
    pub masses: [f64; 2],
    /// Values of the couples: [`turning_mass`](crate::law::Couples::turning_mass) [kg m²] and
    /// [`coupling`](crate::law::Couples::coupling).
    pub turning: [f64; 2],
}

impl Apart {
    /// The masses of this rank's parts of two sides, with the given softness of springs.
    pub(super) fn new(sides: [&Side; 2], softness: [f64; 2], slot: u32) -> Self {
        let parts = sides.map(|side| side.split);
        let (normal, tangential) = masses(sides, parts);
        let with = |mass: f64, softness: f64| match softness {
            0.0 => mass,
            _ => softened(mass, softness),
        };
        Self {
            slot,
            masses: [with(normal, softness[0]), with(tangential, softness[1])],
            turning: turning(sides, parts),
        }
    }

    pub(super) fn trade(&mut self, batches: &mut Batches) {
        let (batch, lane) = split(self.slot);
        let [normal, tangential] = &mut self.masses;
        swap(normal, &mut batches.all[batch].normal_mass[lane]);
        swap(tangential, &mut batches.all[batch].tangential_mass[lane]);
        batches.change(self.slot, |parts| {
            if let Some(couples) = &mut parts.couples {
                let [mass, coupling] = &mut self.turning;
                swap(mass, &mut couples.turning_mass);
                swap(coupling, &mut couples.coupling);
            }
        });
    }
}
