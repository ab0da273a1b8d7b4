//! The contacts of a kept plan at the start of a step: their geometry and law, each in its slot.
//!
//! Blocks, members, batches and slots last as long as the plan. A pair farther apart than the gap
//! below which pairs are candidates has an empty lane; batches of empty lanes sleep.

use super::fill::Filling;
use super::{Block, Blocks, Shared};
use crate::contact::{Candidate, Contact, ContactKey, Partner};
use crate::law::{self, Parts, Previous, State, Status, Touching};
use crate::math::Vector3;
use crate::solver::batch::Batches;
use rayon::prelude::*;
use std::sync::Mutex;

/// The geometry of contacts, from the scheme that knows bodies and walls.
pub trait Geometry: Sync {
    /// Sets normal, gap and point of a contact by the present positions.
    fn renew(&self, contact: &mut Candidate);
    /// Whether the two sides have passed through each other since the last step.
    fn passed(&self, before: &Candidate, now: &Candidate) -> bool;
}

impl Blocks {
    /// Sets all contacts of the plan as they are at the start of a step. Impulses are those of the
    /// last step, turned with the normals.
    ///
    /// The result is that of [`Blocks::fill`] with the same pairs. Returns the contacts whose sides
    /// have passed through each other.
    pub fn refresh(&mut self, filling: &Filling, geometry: &impl Geometry) -> Vec<ContactKey> {
        self.near = filling.near;
        let passed = Mutex::new(Vec::new());
        let candidates = Shared::new(&mut self.candidates);
        let refresh = |block: &mut Block| {
            let through = filling.refresh(block, &candidates, geometry);
            if !through.is_empty()
                && let Ok(mut all) = passed.lock()
            {
                all.extend(through);
            }
        };
        match self.pool.shared() {
            None => self.blocks.iter_mut().for_each(refresh),
            Some(pool) => {
                pool.install(|| self.blocks.par_iter_mut().with_min_len(4).for_each(refresh));
            }
        }
        let mut passed = passed.into_inner().unwrap_or_default();
        passed.sort_unstable();
        passed
    }
}

impl Filling<'_> {
    #[allow(unsafe_code)]
    fn refresh(
        &self,
        block: &mut Block,
        candidates: &Shared<Candidate>,
        geometry: &impl Geometry,
    ) -> Vec<ContactKey> {
        let mut passed = Vec::new();
        for (before, &i) in block.before.iter_mut().zip(&block.bodies) {
            *before = self.bodies.member(i as usize, 1.0);
        }
        block.near = self.near;
        let still = block.bodies.len() as u16;
        for k in 0..block.origins.len() {
            let slot = block.batches.slots()[k];
            let origin = &mut block.origins[k];
            let index = origin.candidate as usize;
            // SAFETY: a candidate is one contact of one block, which one thread visits.
            let before = unsafe { candidates.read(index) };
            let mut c = before;
            geometry.renew(&mut c);
            // SAFETY: as above.
            unsafe { candidates.write(index, &c) };
            origin.gap = c.gap;
            if c.gap >= self.near {
                block.batches.clear_slot(slot, still);
                continue;
            }
            let last = block.batches.contact(slot);
            let pressed = last.impulse != Vector3::zeros();
            if pressed && geometry.passed(&before, &c) {
                passed.push(c.key);
            }
            let (normal, impulse) = (last.law.normal.into(), last.impulse.into());
            let previous = Previous {
                normal: &normal,
                impulse: &impulse,
                couple: &[0.0; 3],
                slid: law::status(&last.law, &Parts::NONE, &last.impulse) == Status::Sliding,
                state: &State::default(),
            };
            let [a, b] = [
                self.ball(c.a),
                match c.b {
                    Partner::Body(j) => self.ball(j),
                    Partner::Wall(w) => self.wall(w, &c),
                },
            ];
            let masses = super::sides::masses([&a, &b], [1.0; 2]);
            let touching = Touching {
                bodies: [c.key.a.0, c.key.b.0],
                materials: [a.material, b.material],
                normal: c.normal,
                gap: c.gap,
                radii: [a.radius, b.radius],
                masses: masses.into(),
                drive: None,
                previous: pressed.then_some(previous),
            };
            let (opened, suffices) = law::open(self.laws, &self.step, &touching);
            debug_assert!(suffices, "contacts of lasting blocks have springs at most");
            let contact = Contact {
                place: block.pairs[k].map(u32::from),
                law: opened.law,
                impulse: opened.impulse,
                couple: Vector3::zeros(),
            };
            block.batches.renew_slot(slot, &contact, &opened.parts);
        }
        block.wake();
        passed
    }
}

impl Block {
    /// Empties the lanes of pairs that are too far apart, and notes the places of all.
    pub(super) fn begin_to_last(
        &mut self,
        places: impl Iterator<Item = [u32; 2]>,
        near: f64,
    ) {
        let still = self.bodies.len() as u16;
        self.near = near;
        self.pairs.extend(places.map(|place| place.map(|p| p as u16)));
        for k in 0..self.origins.len() {
            if self.origins[k].gap >= near {
                self.batches.clear_slot(self.batches.slots()[k], still);
            }
        }
        self.wake();
    }

    /// Notes the batches that have a contact.
    fn wake(&mut self) {
        let still = self.bodies.len() as u16;
        let awake = |batches: &Batches, k: &u32| {
            let places = &batches.all[*k as usize].place;
            places.iter().flatten().any(|place| *place != still)
        };
        let Self { batches, awake: list, .. } = self;
        list.clear();
        list.extend((0..batches.len() as u32).filter(|k| awake(batches, k)));
    }
}
