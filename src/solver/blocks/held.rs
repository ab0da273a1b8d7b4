//! The contacts of the last step on their way from one plan to the next, on the same rank.

use super::last::{Kept, More};
use super::{Block, Blocks};
use crate::body::BodyId;

/// The data of the last step that the next needs, by first body.
#[derive(Debug, Default)]
pub struct Held {
    /// Ids of the bodies of the last plan, ascending.
    ids: Vec<BodyId>,
    /// The end of each body's contacts.
    ends: Vec<u32>,
    contacts: Vec<Place>,
    /// The data of each block of the last plan.
    blocks: Vec<(Vec<Kept>, Vec<More>)>,
}

/// The second side of a contact, and the place of its data.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    second: BodyId,
    block: u32,
    index: u32,
}

impl Blocks {
    /// Takes out of the blocks the contacts of the last step whose first body `stays` on this rank.
    ///
    /// `stays` goes by the bodies' indices. The other contacts are dropped.
    #[must_use]
    pub fn hold(&mut self, stays: &[bool]) -> Held {
        let mut ends = vec![0; stays.len() + 1];
        self.each_held(stays, |first, _| ends[first + 1] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut contacts = vec![Place::default(); sum as usize];
        // The start of each body's contacts, and after this their end.
        self.each_held(stays, |first, place| {
            contacts[ends[first] as usize] = place;
            ends[first] += 1;
        });
        ends.pop();
        let take = |block: &mut Block| {
            (
                std::mem::take(&mut block.kept),
                std::mem::take(&mut block.more),
            )
        };
        Held {
            ids: self.ids.clone(),
            ends,
            contacts,
            blocks: self.blocks.iter_mut().map(take).collect(),
        }
    }

    /// Calls `each` with the first body and the place of each contact that is held.
    fn each_held(&self, stays: &[bool], mut each: impl FnMut(usize, Place)) {
        for (number, block) in self.blocks.iter().enumerate() {
            for (index, kept) in block.kept.iter().enumerate() {
                let pair = &block.pairs[kept.pair as usize];
                let first = pair.first as usize;
                if stays[first] && !self.has_lost(pair) {
                    let place = Place {
                        second: pair.key(kept.feature, &self.ids).b,
                        block: number as u32,
                        index: index as u32,
                    };
                    each(first, place);
                }
            }
        }
    }
}

impl Held {
    /// The index here of each of these bodies, if it was known; they are in ascending order of id.
    pub(super) fn places(&self, ids: &[BodyId]) -> Vec<Option<u32>> {
        let mut next = 0;
        let place = |id: &BodyId| {
            while self.ids.get(next).is_some_and(|before| before < id) {
                next += 1;
            }
            let known = self.ids.get(next) == Some(id);
            known.then_some(next as u32)
        };
        ids.iter().map(place).collect()
    }

    /// The contacts of two sides, in the order of their features; the first has this place.
    pub(super) fn of(&self, first: u32, second: BodyId) -> impl Iterator<Item = (&Kept, &More)> {
        let first = first as usize;
        let begin = if first == 0 { 0 } else { self.ends[first - 1] };
        let these = &self.contacts[begin as usize..self.ends[first] as usize];
        let these = these.iter().filter(move |place| place.second == second);
        these.map(|place| {
            let (kept, more) = &self.blocks[place.block as usize];
            let kept = &kept[place.index as usize];
            (kept, kept.more_in(more))
        })
    }
}
