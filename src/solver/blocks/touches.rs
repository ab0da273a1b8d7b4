//! The touches of a step: those of the plan's pairs that may close in it, and their data of the
//! last step.

use super::last::{Kept, More, Resting};
use super::{Block, Blocks};
use crate::contact::{Neighbours, Touch};
use crate::law::State;
use rayon::prelude::*;
use std::cell::RefCell;

/// What becomes of a touch in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is a contact of the step.
    Acts,
    /// The same, and its two sides have passed through each other in the last step.
    Passed,
    /// It is no contact, but its bond lasts.
    Rests,
    /// It is no contact.
    Drops,
}

/// A contact at the end of the last step.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Unit normal.
    pub normal: &'a [f64; 3],
    /// Distance between the surfaces at the start of that step [m].
    pub gap: f64,
    /// The state of its law.
    pub state: &'a State,
}

/// The index of a touch that was no contact in the last step.
pub(super) const NEW: u32 = u32::MAX;

thread_local! {
    /// The touches of the block in hand, each with the index of its pair.
    static FOUND: RefCell<Vec<(u32, Touch)>> = RefCell::default();
}

impl Blocks {
    /// Finds the contacts of a step.
    ///
    /// `find` lists the touches of pairs, with their indices, in the order of keys; `fate` decides
    /// about each of them.
    pub fn touch(
        &mut self,
        find: impl Fn(&[Neighbours], &mut Vec<(u32, Touch)>) + Sync,
        fate: impl Fn(&Neighbours, &Touch, Option<Before>) -> Fate + Sync,
    ) {
        let touch = |block: &mut Block| {
            FOUND.with_borrow_mut(|found| {
                found.clear();
                find(&block.pairs, found);
                block.take_touches(found, &fate);
            });
        };
        match self.pool.shared() {
            None => self.blocks.iter_mut().for_each(touch),
            Some(pool) => pool.install(|| self.blocks.par_iter_mut().for_each(touch)),
        }
    }

    /// The contacts of the step, each with its pair.
    pub fn touches(&self) -> impl Iterator<Item = (&Neighbours, &Touch)> {
        let each = self.blocks.iter();
        each.flat_map(|block| {
            let touches = block.of.iter().zip(&block.touches);
            touches.map(|(&pair, touch)| (&block.pairs[pair as usize], touch))
        })
    }

    /// The pairs whose two sides have passed through each other in the last step.
    pub fn passed(&self) -> impl Iterator<Item = (&Neighbours, &Touch)> {
        let each = self.blocks.iter();
        each.flat_map(|block| {
            let passed = block.passed.iter().map(|&k| k as usize);
            passed.map(|k| (&block.pairs[block.of[k] as usize], &block.touches[k]))
        })
    }
}

impl Block {
    /// Removes all that belongs to the last step, but for what the next needs of it.
    pub(super) fn forget_step(&mut self) {
        self.touches.clear();
        self.of.clear();
        self.matched.clear();
        self.passed.clear();
        self.resting.clear();
        self.forget_contacts();
    }

    /// Removes the contacts made of the touches.
    pub(super) fn forget_contacts(&mut self) {
        self.before.clear();
        self.rigid.clear();
        self.slots.clear();
        self.pushing.clear();
        self.apart.clear();
        self.origins.clear();
        self.drives.clear();
        self.batches.clear();
        self.worst = Default::default();
    }

    /// Adds a contact; `last` is the index of its data of the last step.
    pub(super) fn add_touch(&mut self, pair: u32, touch: Touch, last: Option<u32>) {
        self.of.push(pair);
        self.touches.push(touch);
        self.matched.push(last.unwrap_or(NEW));
    }

    fn take_touches(
        &mut self,
        found: &[(u32, Touch)],
        fate: &impl Fn(&Neighbours, &Touch, Option<Before>) -> Fate,
    ) {
        self.forget_step();
        let mut next = 0;
        for &(pair, touch) in found {
            // Both lists are in the order of keys, so one pass through the two suffices.
            let name = (pair, touch.feature);
            while (self.kept.get(next)).is_some_and(|kept| kept.name() < name) {
                next += 1;
            }
            let last = self.kept.get(next).filter(|kept| kept.name() == name);
            let before = last.map(|kept| Before {
                normal: &kept.normal,
                gap: kept.gap,
                state: &self.more_of(kept).state,
            });
            match fate(&self.pairs[pair as usize], &touch, before) {
                Fate::Drops => continue,
                Fate::Rests => {
                    let state = before.map_or_else(State::default, |before| *before.state);
                    self.resting.push(Resting { pair, touch, state });
                    continue;
                }
                Fate::Passed => self.passed.push(self.touches.len() as u32),
                Fate::Acts => {}
            }
            let last = last.map(|_| next as u32);
            self.add_touch(pair, touch, last);
        }
    }

    /// What the last step left of a contact beyond its impulse.
    pub(super) fn more_of(&self, kept: &Kept) -> &More {
        kept.more_in(&self.more)
    }
}
