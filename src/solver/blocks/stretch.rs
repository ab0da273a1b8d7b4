//! Contacts in a cell whose edges follow a stress: they push the edges, and these move them.

use super::Block;
use super::filling::Filling;
use super::stretched::Stretched;
use crate::contact::Candidate;
use crate::math::Vector3;
use crate::solver::reaction::Reaction;

impl Filling<'_> {
    /// The response of the edges to a contact, which is noted among those that push them; none
    /// without such edges.
    pub(super) fn stretched(&self, k: usize, c: &Candidate, block: &mut Block) -> Reaction {
        let edges = &self.pushed.edges;
        let Some(strain) = self.strain.filter(|_| !edges.is_empty()) else {
            return Reaction::default();
        };
        let branch = strain.strained(self.bodies, c.a, c.b, &c.point);
        block.stretching.push(Stretched {
            slot: k as u32,
            drive: 0,
            branch,
            rest: [Vector3::zeros(); 2],
        });
        edges.reaction(&c.normal, &branch)
    }

    /// Finds the slots of the contacts that push edges, and the terms that these do not change.
    pub(super) fn place_stretched(&self, block: &mut Block) {
        let mut stretching = std::mem::take(&mut block.stretching);
        for one in &mut stretching {
            let origin = block.origins[one.slot as usize];
            (one.slot, one.drive) = (block.slots()[one.slot as usize], origin.drive);
            let (_, parts) = block.with_parts(one.slot);
            let shift = parts.drive.map_or([0.0; 3], |drive| drive.velocity);
            let by_edges = self.pushed.edges.before().component_mul(&one.branch);
            let both = [block.drive(&origin).linear, shift.into()];
            one.rest = both.map(|velocity| velocity - by_edges);
        }
        block.stretching = stretching;
    }
}

impl Block {
    /// `Σ r b` of the contacts, along x, y and z [N s m].
    pub(in crate::solver) fn stretch(&self) -> [f64; 3] {
        let each = self.stretching.iter();
        let sum = each.fold(Vector3::zeros(), |sum, one| {
            sum + self.contact(one.slot).impulse.component_mul(&one.branch)
        });
        sum.into()
    }

    /// Moves the contacts apart at the rates of the edges along x, y and z [1/s].
    pub(in crate::solver) fn set_stretch(&mut self, rates: &Vector3) {
        for k in 0..self.stretching.len() {
            let Stretched {
                slot,
                drive,
                branch,
                rest,
            } = self.stretching[k];
            let [linear, shift] = rest.map(|rest| rest + rates.component_mul(&branch));
            self.drives[drive as usize - 1].linear = linear;
            let set = |parts: &mut crate::law::Parts<f64>| {
                if let Some(drive) = &mut parts.drive {
                    drive.velocity = shift.into();
                }
            };
            match self.rigid_place(slot) {
                None => self.batches.change(slot, set),
                Some(k) => set(&mut self.rigid[k].parts),
            }
        }
    }
}
