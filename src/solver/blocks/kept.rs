//! The data of contacts that the next step needs: as short as their laws allow.

use super::held::Held;
use super::last::{Kept, More};
use super::touches::move_over;
use super::{Block, Blocks, on_each};
use crate::body::BodyId;
use crate::contact::ContactRow;
use crate::law::{self, Laws, Status};
use crate::math::Vector3;
use std::cell::Cell;

impl Blocks {
    /// Takes the data of the last step from those held, and from rows.
    ///
    /// The rows are in ascending order of key. A contact is in one of the two.
    pub fn recall(&mut self, held: &Held, rows: &[ContactRow]) {
        self.lost = None;
        let ids = &self.ids[..];
        let places = held.places(ids);
        let first = first_rows(ids, rows);
        let recall = |block: &mut Block| {
            for k in 0..block.pairs.len() {
                let pair = block.pairs[k];
                let a = pair.first as usize;
                let name = match (pair.second as usize).checked_sub(ids.len()) {
                    None => ids[pair.second as usize],
                    Some(wall) => BodyId::wall(wall),
                };
                if let Some(place) = places[a] {
                    for (kept, more) in held.of(place, name) {
                        let kept = Kept {
                            pair: k as u32,
                            more: 0,
                            ..*kept
                        };
                        block.keep_one(kept, *more);
                    }
                }
                let of_first = &rows[first[a] as usize..first[a + 1] as usize];
                let these = of_first.iter().filter(|row| row.key.a == ids[a]);
                for row in these.filter(|row| row.key.b == name) {
                    let (kept, more) = of_row(k as u32, row);
                    block.keep_one(kept, more);
                }
            }
        };
        let renew = |block: &mut Block| block.renew_kept(recall);
        on_each(&mut self.blocks, &self.colours, &self.pool, renew);
    }

    /// Keeps the data of the step that has just been solved, for the next.
    pub fn keep(&mut self, laws: &Laws) {
        let slides = laws.pairs.slide();
        let keep = |block: &mut Block| block.renew_kept(|block| block.keep(slides));
        on_each(&mut self.blocks, &self.colours, &self.pool, keep);
    }

    /// The largest gap of a joint in the last step [m]; −∞ without joints.
    #[must_use]
    pub fn widest_joint(&self) -> f64 {
        let blocks = self.blocks.iter();
        let each = blocks.flat_map(|block| {
            let joints = |kept: &&Kept| {
                let lost = self.has_lost(&block.pairs[kept.pair as usize]);
                block.more_of(kept).state.is_joint() && !lost
            };
            block.kept.iter().filter(joints)
        });
        each.map(|kept| kept.gap)
            .fold(f64::NEG_INFINITY, crate::math::nan_max)
    }
}

/// The first row of each body, and the number of rows; both are in ascending order of id.
fn first_rows(ids: &[BodyId], rows: &[ContactRow]) -> Vec<u32> {
    let mut next = 0;
    let mut first: Vec<u32> = Vec::with_capacity(ids.len() + 1);
    for &id in ids {
        while rows.get(next).is_some_and(|row| row.key.a < id) {
            next += 1;
        }
        first.push(next as u32);
    }
    first.push(rows.len() as u32);
    first
}

/// The data of a row that the next step needs, in a block where its pair has this index.
fn of_row(pair: u32, row: &ContactRow) -> (Kept, More) {
    let kept = Kept {
        pair,
        more: 0,
        feature: row.key.feature,
        normal: row.normal,
        impulse: row.impulse,
        gap: row.gap,
        slid: row.status == Status::Sliding as u64,
    };
    let more = More {
        couple: row.couple_impulse,
        state: row.state,
    };
    (kept, more)
}

thread_local! {
    static FOUND: Cell<Vec<Kept>> = Cell::default();
}

impl Block {
    pub(super) fn forget_kept(&mut self) {
        self.kept.clear();
        self.more.clear();
    }

    /// Replaces the data of the last step by those that `find` adds.
    fn renew_kept(&mut self, find: impl FnOnce(&mut Self)) {
        self.forget_kept();
        // They are found in a list of the thread, so that the block's is as long as needed.
        let mut own = std::mem::replace(&mut self.kept, FOUND.take());
        find(self);
        let mut found = std::mem::take(&mut self.kept);
        move_over(&mut found, &mut own);
        self.kept = own;
        FOUND.set(found);
    }

    /// Adds a contact, unless it is open and its law has no state.
    #[inline]
    fn keep_one(&mut self, mut kept: Kept, more: More) {
        if more != More::NOTHING {
            self.more.push(more);
            kept.more = self.more.len() as u32;
        }
        if kept.impulse != [0.0; 3] || more.state.lasts() {
            self.kept.push(kept);
        }
    }

    /// Keeps its contacts; `slides`: whether a law asks if contacts slid.
    fn keep(&mut self, slides: bool) {
        self.active = 0;
        for k in 0..self.touches.len() {
            let (slot, touch) = (self.slots()[k], self.touches[k]);
            let simple = (!slides).then(|| self.simple(k, slot)).flatten();
            let (impulse, status, more) = match simple {
                Some(impulse) if impulse == Vector3::zeros() => continue,
                Some(impulse) => (impulse, Status::Sticking, More::NOTHING),
                None => self.end_of(k, slot),
            };
            self.active += usize::from(status != Status::Open);
            let kept = Kept {
                pair: self.of[k],
                more: 0,
                feature: touch.feature,
                normal: touch.normal.into(),
                impulse: impulse.into(),
                gap: touch.gap,
                slid: status == Status::Sliding,
            };
            self.keep_one(kept, more);
        }
        if self.resting.is_empty() {
            return;
        }
        for k in 0..self.resting.len() {
            let one = self.resting[k];
            let more = More {
                couple: [0.0; 3],
                state: one.state,
            };
            let kept = Kept {
                pair: one.pair,
                more: 0,
                feature: one.touch.feature,
                normal: one.touch.normal.into(),
                impulse: [0.0; 3],
                gap: one.touch.gap,
                slid: false,
            };
            self.keep_one(kept, more);
        }
        self.kept.sort_unstable_by_key(Kept::name);
    }

    /// The impulse of the k-th contact, if it has springs at most and its law no state.
    #[inline(always)]
    fn simple(&self, k: usize, slot: u32) -> Option<Vector3> {
        let batched = self.rigid_place(slot).is_none();
        (batched && !self.origins[k].memory.has_state())
            .then(|| self.batches.simple_impulse(slot))
            .flatten()
    }

    /// Whether the k-th contact carried an impulse at the end of the last step.
    #[must_use]
    pub fn pressed_before(&self, k: usize) -> bool {
        let last = self.kept.get(self.matched[k] as usize);
        last.is_some_and(|kept| kept.impulse != [0.0; 3])
    }

    /// Whether the k-th contact carried an impulse at the end of the step, as [`Block::active`]
    /// counts it.
    pub(super) fn carried(&self, k: usize) -> bool {
        let (_, status, _) = self.end_of(k, self.slots()[k]);
        status != Status::Open
    }

    /// Impulse, status and state of the k-th contact at the end of the step.
    #[inline(never)]
    fn end_of(&self, k: usize, slot: u32) -> (Vector3, Status, More) {
        let origin = &self.origins[k];
        let (contact, parts) = self.with_parts(slot);
        let status = law::status(&contact.law, &parts, &contact.impulse);
        let normal = &contact.law.normal;
        let more = More {
            couple: contact.couple.into(),
            state: law::close(&origin.memory, normal, &parts, &contact.now()),
        };
        (contact.impulse, status, more)
    }
}
