//! Access to the contacts of a block one by one, for all uses but the sweep.

use super::Block;
use crate::body::Member;
use crate::contact::{Candidate, Contact, ContactRow, Origin, Touch};
use crate::law::{Impulse, Parts};
use crate::math::Vector3;
use crate::solver::batch::{LANES, split};
use crate::solver::kernel::rigid::RigidContact;

/// A contact of a block.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Its index among the block's contacts.
    pub index: usize,
    /// Its slot in the block.
    pub slot: u32,
    /// Indices of its bodies, law and impulses.
    pub contact: Contact,
    /// The parts of its law beyond Coulomb's.
    pub parts: Parts<f64>,
    /// Further facts about it.
    pub origin: &'a Origin,
    /// Arms and W, if a body is not a ball.
    rigid: Option<&'a RigidContact>,
}

impl Seen<'_> {
    /// Relative velocity of the second body against the first at the contact [m/s].
    ///
    /// It excludes the velocity of a driven wall.
    #[must_use]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        match self.rigid {
            None => self.contact.relative_velocity(members),
            Some(rigid) => rigid.relative_velocity(members),
        }
    }

    /// The impulse that the law demands at the present velocities.
    #[must_use]
    pub fn wanted(&self, members: &[Member]) -> Impulse<f64> {
        match self.rigid {
            None => self.contact.wanted(&self.parts, members),
            Some(rigid) => rigid.wanted(members),
        }
    }

    /// Whether a body is not a ball.
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        self.rigid.is_some()
    }

    /// The arms of the two sides, as in [`RigidContact::arms`]; for balls, the normal.
    #[must_use]
    pub fn arms(&self) -> [Vector3; 2] {
        self.rigid
            .map_or([self.contact.law.normal; 2], |rigid| rigid.arms)
    }
}

impl Block {
    /// The slot of each contact, in the order of keys: a lane of the batches, or a rigid contact
    /// past these.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        match self.rigid.is_empty() {
            true => self.batches.slots(),
            false => &self.slots,
        }
    }

    /// The number of turns in a sweep: batches and rigid contacts.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.batches.len() + self.rigid.len()
    }

    /// Whether vector registers can measure all its contacts: in batches, with springs at most.
    #[must_use]
    pub fn all_at_once(&self) -> bool {
        self.batches.has_springs_at_most() && self.rigid.is_empty()
    }

    /// The first slot of rigid contacts.
    pub(super) fn first_rigid(&self) -> usize {
        self.batches.len() * LANES
    }

    /// The index of the contact in a slot among the rigid contacts, if it is one.
    pub(super) fn rigid_place(&self, slot: u32) -> Option<usize> {
        (slot as usize).checked_sub(self.first_rigid())
    }

    /// The arms of the two sides of the contact in a slot, as in [`RigidContact::arms`]; `None`
    /// between balls.
    #[must_use]
    pub fn arms(&self, slot: u32) -> Option<[Vector3; 2]> {
        Some(self.rigid[self.rigid_place(slot)?].arms)
    }

    /// The contact in a slot.
    #[must_use]
    pub fn contact(&self, slot: u32) -> Contact {
        match self.rigid_place(slot) {
            None => self.batches.contact(slot),
            Some(k) => self.rigid[k].contact,
        }
    }

    /// The contact in a slot, with the parts of its law.
    #[inline(always)]
    pub(super) fn with_parts(&self, slot: u32) -> (Contact, Parts<f64>) {
        if let Some(k) = self.rigid_place(slot) {
            let rigid = &self.rigid[k];
            return (rigid.contact, rigid.parts);
        }
        match self.batches.plain(slot) {
            Some(contact) => (contact, Parts::NONE),
            None => (self.batches.contact(slot), self.batches.parts(slot)),
        }
    }

    /// The record of the contact in a slot, which outlives the step.
    #[inline(always)]
    pub(super) fn row(&self, slot: u32, from: &Candidate, origin: &Origin) -> ContactRow {
        if self.rigid_place(slot).is_none()
            && let Some(contact) = self.batches.plain(slot)
        {
            return contact.row(from, origin, &Parts::NONE);
        }
        let (contact, parts) = self.with_parts(slot);
        contact.row(from, origin, &parts)
    }

    /// The multiplier of the contact in a slot, in the projection of positions [kg m].
    #[must_use]
    pub fn pushed(&self, slot: u32) -> f64 {
        match self.rigid_place(slot) {
            None => {
                let (batch, lane) = split(slot);
                self.plans[batch].pushed[lane]
            }
            Some(k) => self.rigid[k].plan[2],
        }
    }

    /// Sets the impulse of the contact in a slot.
    pub(super) fn set_impulse(&mut self, slot: u32, impulse: &Vector3) {
        match self.rigid_place(slot) {
            None => self.batches.set_impulse(slot, impulse),
            Some(k) => self.rigid[k].contact.impulse = *impulse,
        }
    }

    /// The touch of the k-th contact.
    #[must_use]
    pub fn touch(&self, k: usize) -> &Touch {
        &self.touches[k]
    }

    /// The pair of the k-th contact.
    #[must_use]
    pub fn pair(&self, k: usize) -> &crate::contact::Neighbours {
        &self.pairs[self.of[k] as usize]
    }

    /// The index of the contact in a slot among the block's contacts.
    #[must_use]
    pub fn index_of(&self, slot: u32) -> Option<usize> {
        self.slots().iter().position(|&s| s == slot)
    }

    /// Its contacts in the order of their keys.
    pub fn each(&self) -> impl Iterator<Item = Seen<'_>> {
        let slots = self.slots().iter().zip(&self.origins).enumerate();
        slots.map(|(index, (&slot, origin))| self.seen(index, slot, origin))
    }

    /// The contact of this index, in the order of keys.
    #[must_use]
    pub fn one(&self, index: usize) -> Seen<'_> {
        self.seen(index, self.slots()[index], &self.origins[index])
    }

    #[inline(always)]
    fn seen<'a>(&'a self, index: usize, slot: u32, origin: &'a Origin) -> Seen<'a> {
        match self.rigid_place(slot) {
            None => Seen {
                index,
                slot,
                contact: self.batches.contact(slot),
                parts: self.batches.parts(slot),
                origin,
                rigid: None,
            },
            Some(k) => {
                let rigid = &self.rigid[k];
                Seen {
                    index,
                    slot,
                    contact: rigid.contact,
                    parts: rigid.parts,
                    origin,
                    rigid: Some(rigid),
                }
            }
        }
    }
}
