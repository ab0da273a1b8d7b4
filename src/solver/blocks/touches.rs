//! The touches of a step: those of the plan's pairs that may close in it, and their data of the
//! last step.

use super::last::{Kept, More, Resting};
use super::{Block, Blocks, on_each};
use crate::contact::{Near, Neighbours, Touch};
use crate::law::State;
use crate::math::make_room;
use std::cell::Cell;

/// The part of a touch in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is a contact of the step.
    Acts,
    /// The same, and its two sides have passed through each other in the last step.
    Passed,
    /// It is not expected to close in the step. It is left out, and becomes a contact if the judge
    /// finds that it closes. Only balls without an impulse or a bond of the last step sleep.
    Sleeps,
    /// It is not a contact, but its bond lasts.
    Rests,
    /// It is not a contact.
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

/// The index of a touch that was not a contact in the last step.
pub(super) const NEW: u32 = u32::MAX;

/// The narrow phase.
pub trait Find: Sync {
    /// Calls `found` for each touch of these pairs, in the order of keys.
    ///
    /// It gets the index of the touch's pair, and the touch.
    fn touches(&self, near: &Near, found: impl FnMut(u32, Touch));
}

impl Blocks {
    /// Finds the contacts of a step.
    ///
    /// `find` lists the touches of pairs; `fate` decides about each of them.
    pub fn touch(
        &mut self,
        find: impl Find,
        fate: impl Fn(&Neighbours, &Touch, Option<Before>) -> Fate + Sync,
    ) {
        let touch = |block: &mut Block| block.take_touches(&find, &fate);
        on_each(&mut self.blocks, &self.colours, &self.pool, touch);
    }

    /// The contacts of the step, each with its pair.
    pub fn touches(&self) -> impl Iterator<Item = (&Neighbours, &Touch)> {
        let each = self.blocks.iter();
        each.flat_map(|block| {
            let touches = block.of.iter().zip(&block.touches);
            touches.map(|(&pair, touch)| (&block.pairs[pair as usize], touch))
        })
    }

    /// The touches that sleep, each with its pair.
    pub fn asleep(&self) -> impl Iterator<Item = (&Neighbours, &Touch)> {
        let each = self.blocks.iter();
        each.flat_map(|block| {
            let asleep = block.asleep.iter();
            asleep.map(|(pair, touch)| (&block.pairs[*pair as usize], touch))
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

/// The touches of a block while they are found: those that act, their pairs, their data of the last
/// step, and those that sleep.
#[derive(Debug, Default)]
struct Found {
    touches: Vec<Touch>,
    of: Vec<u32>,
    matched: Vec<u32>,
    asleep: Vec<(u32, Touch)>,
}

thread_local! {
    static FOUND: Cell<Found> = Cell::default();
}

/// Moves all items to another list, which gets little excess room.
pub(super) fn move_over<T: Copy>(from: &mut Vec<T>, to: &mut Vec<T>) {
    make_room(to, from.len());
    to.extend_from_slice(from);
    from.clear();
}

impl Block {
    /// Removes the data of the last step, except those that the next needs.
    pub(super) fn forget_step(&mut self) {
        self.touches.clear();
        self.of.clear();
        self.matched.clear();
        self.passed.clear();
        self.resting.clear();
        self.asleep.clear();
        self.woken.clear();
        self.parts.clear();
        self.forget_contacts();
    }

    /// Removes the contacts made of the touches.
    pub(super) fn forget_contacts(&mut self) {
        self.before.clear();
        self.asleep_masses.clear();
        self.rigid.clear();
        self.slots.clear();
        self.pushing.clear();
        self.stretching.clear();
        self.apart.clear();
        self.origins.clear();
        self.drives.clear();
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
        find: &impl Find,
        fate: &impl Fn(&Neighbours, &Touch, Option<Before>) -> Fate,
    ) {
        self.forget_step();
        let mut next = 0;
        let Self {
            pairs,
            bodies,
            places,
            kept,
            more,
            passed,
            resting,
            ..
        } = self;
        // Found in lists of the thread, so that those of the block are as long as needed.
        let mut found = FOUND.take();
        let Found {
            touches,
            of,
            matched,
            asleep,
        } = &mut found;
        let near = Near {
            pairs,
            bodies,
            places,
        };
        find.touches(&near, |pair, touch| {
            // Both lists are in the order of keys, so one pass through the two suffices.
            let name = (pair, touch.feature);
            while (kept.get(next)).is_some_and(|kept| kept.name() < name) {
                next += 1;
            }
            let last = kept.get(next).filter(|kept| kept.name() == name);
            let before = last.map(|kept| Before {
                normal: &kept.normal,
                gap: kept.gap,
                state: &kept.more_in(more).state,
            });
            match fate(&pairs[pair as usize], &touch, before) {
                Fate::Drops => return,
                Fate::Rests => {
                    let state = before.map_or_else(State::default, |before| *before.state);
                    return resting.push(Resting { pair, touch, state });
                }
                Fate::Sleeps => {
                    debug_assert!(last.is_none());
                    return asleep.push((pair, touch));
                }
                Fate::Passed => passed.push(touches.len() as u32),
                Fate::Acts => {}
            }
            of.push(pair);
            matched.push(last.map_or(NEW, |_| next as u32));
            touches.push(touch);
        });
        move_over(touches, &mut self.touches);
        move_over(of, &mut self.of);
        move_over(matched, &mut self.matched);
        move_over(asleep, &mut self.asleep);
        FOUND.set(found);
    }

    /// The data of a contact of the last step beyond its impulse.
    pub(super) fn more_of(&self, kept: &Kept) -> &More {
        kept.more_in(&self.more)
    }
}
