//! The blocks that a thread visits next, fetched while it visits those before.

use super::batch::Batch;
use super::lanes::prefetch;
use super::shared::Shared;
use crate::body::Member;
use std::ops::Range;

/// Batches and members that a sweep needs soon.
///
/// A sweep visits the batches of a block in a random order, which no processor foresees. From
/// memory it waits for each. So the batches of the next two blocks are fetched in the order in
/// which they lie.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soon<'a>([Option<Next<'a>>; 2]);

/// A block that comes soon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next<'a> {
    pub(super) batches: &'a [Batch],
    /// Indices of its members among all.
    pub(super) bodies: &'a [u32],
    pub(super) members: &'a Shared<'a, Member>,
}

/// The size of all batches from which on fetching pays a thread [B]: a core's share of the cache.
///
/// Smaller ones stay in the caches, and come in time by the look ahead in the sweep.
const CACHE: usize = 8 << 20;

/// Whether batches are so many that fetching pays; given are those of each block.
pub(super) fn pays<'a>(blocks: impl Iterator<Item = &'a [Batch]>, threads: usize) -> bool {
    blocks.map(size_of_val).sum::<usize>() > CACHE * threads
}

impl<'a> Soon<'a> {
    /// These blocks.
    pub(super) fn of(next: [Option<Next<'a>>; 2]) -> Self {
        Self(next)
    }

    /// Fetches the part of them that belongs to a turn out of so many.
    #[inline(always)]
    pub(super) fn fetch(&self, turn: usize, turns: usize) {
        for next in self.0.iter().flatten() {
            let batches = &next.batches[part(next.batches.len(), turn, turns)];
            batches.iter().for_each(|batch| prefetch::<true, _>(batch));
            for &body in &next.bodies[part(next.bodies.len(), turn, turns)] {
                next.members.prefetch(body as usize);
            }
        }
    }
}

/// The part of so many items that belongs to a turn.
#[inline(always)]
fn part(items: usize, turn: usize, turns: usize) -> Range<usize> {
    turn * items / turns..(turn + 1) * items / turns
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn the_turns_fetch_each_item_once() {
        for (items, turns) in [(0, 3), (1, 7), (27, 5), (27, 27), (27, 40)] {
            let fetched = (0..turns).flat_map(|turn| part(items, turn, turns));
            assert!(fetched.eq(0..items), "{items} in {turns}");
        }
    }
}
