//! The contacts of a block one by one, however the block stores them: for all that is not the sweep.

use super::Block;
use crate::body::Member;
use crate::contact::{Candidate, Contact, ContactRow, Origin};
use crate::law::{Impulse, Parts};
use crate::math::Vector3;
use crate::solver::batch::LANES;
use crate::solver::kernel::rigid::RigidContact;

/// A contact of a block.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Where the block keeps it.
    pub slot: u32,
    /// Places, law and impulses.
    pub contact: Contact,
    /// What its law has more.
    pub parts: Parts<f64>,
    /// What is known beside.
    pub origin: &'a Origin,
    /// Arms and W, where a body is no ball.
    rigid: Option<&'a RigidContact>,
}

impl Seen<'_> {
    /// Relative velocity of the second body against the first at the contact [m/s]; that of a driven wall is not in it.
    #[must_use]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        match self.rigid {
            None => self.contact.relative_velocity(members),
            Some(rigid) => rigid.relative_velocity(members),
        }
    }

    /// The impulse that the law asks for at the present velocities.
    #[must_use]
    pub fn wanted(&self, members: &[Member]) -> Impulse<f64> {
        match self.rigid {
            None => self.contact.wanted(&self.parts, members),
            Some(rigid) => rigid.wanted(members),
        }
    }

    /// Whether a body is no ball.
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        self.rigid.is_some()
    }

    /// The arms of the two sides, as in [`RigidContact::arms`]: the normal, of balls.
    #[must_use]
    pub fn arms(&self) -> [Vector3; 2] {
        self.rigid
            .map_or([self.contact.law.normal; 2], |rigid| rigid.arms)
    }
}

impl Block {
    /// Where each contact is, in order of keys: in a lane of the batches, or, past these, among the rigid ones.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        match self.rigid.is_empty() {
            true => self.batches.slots(),
            false => &self.slots,
        }
    }

    /// How many turns a sweep has: batches and rigid contacts.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.batches.len() + self.rigid.len()
    }

    /// Whether all its contacts are of the kinds that are measured many at once: in batches, with springs at most.
    #[must_use]
    pub fn all_at_once(&self) -> bool {
        self.batches.has_springs_at_most() && self.rigid.is_empty()
    }

    /// The first slot of rigid contacts.
    pub(super) fn first_rigid(&self) -> usize {
        self.batches.len() * LANES
    }

    /// The place among the rigid contacts of that in a slot, if it is one of these.
    fn rigid_place(&self, slot: u32) -> Option<usize> {
        (slot as usize).checked_sub(self.first_rigid())
    }

    /// The contact in a slot.
    #[must_use]
    pub fn contact(&self, slot: u32) -> Contact {
        match self.rigid_place(slot) {
            None => self.batches.contact(slot),
            Some(k) => self.rigid[k].contact,
        }
    }

    /// The record that outlives the step, of the contact in a slot.
    #[inline(always)]
    pub(super) fn row(&self, slot: u32, from: &Candidate, origin: &Origin) -> ContactRow {
        if let Some(k) = self.rigid_place(slot) {
            let rigid = &self.rigid[k];
            return rigid.contact.row(from, origin, &rigid.parts);
        }
        match self.batches.plain(slot) {
            Some(contact) => contact.row(from, origin, &Parts::NONE),
            None => {
                let parts = self.batches.parts(slot);
                self.batches.contact(slot).row(from, origin, &parts)
            }
        }
    }

    /// Sets the impulse of the contact in a slot.
    pub(super) fn set_impulse(&mut self, slot: u32, impulse: &Vector3) {
        match self.rigid_place(slot) {
            None => self.batches.set_impulse(slot, impulse),
            Some(k) => self.rigid[k].contact.impulse = *impulse,
        }
    }

    /// What is known beside of the contact in a slot.
    #[must_use]
    pub fn origin(&self, slot: u32) -> Option<&Origin> {
        let k = self.slots().iter().position(|&s| s == slot)?;
        self.origins.get(k)
    }

    /// Its contacts in order of their keys.
    pub fn each(&self) -> impl Iterator<Item = Seen<'_>> {
        let slots = self.slots().iter().zip(&self.origins);
        slots.map(|(&slot, origin)| match self.rigid_place(slot) {
            None => Seen {
                slot,
                contact: self.batches.contact(slot),
                parts: self.batches.parts(slot),
                origin,
                rigid: None,
            },
            Some(k) => {
                let rigid = &self.rigid[k];
                Seen {
                    slot,
                    contact: rigid.contact,
                    parts: rigid.parts,
                    origin,
                    rigid: Some(rigid),
                }
            }
        })
    }
}
