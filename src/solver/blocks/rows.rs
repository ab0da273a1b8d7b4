//! The records of contacts, which outlive the step in output and on their way to other ranks.

use super::{Block, Blocks};
use crate::body::BodyId;
use crate::contact::{Candidate, ContactKey, ContactRow};
use crate::math::make_room;
use rayon::prelude::*;

impl Blocks {
    /// The records of all contacts, in the order of their keys.
    pub fn rows(&self, into: &mut Vec<ContactRow>) {
        // The first row of each first body, of which the next entry counts the contacts.
        let mut next = vec![0u32; self.ids.len() + 1];
        let firsts = |block: &Block| {
            let acting = block.of.iter().copied();
            let all: Vec<u32> = acting
                .chain(block.resting.iter().map(|one| one.pair))
                .map(|pair| block.pairs[pair as usize].first)
                .collect();
            all
        };
        let firsts: Vec<Vec<u32>> = self.blocks.iter().map(firsts).collect();
        for &first in firsts.iter().flatten() {
            next[first as usize + 1] += 1;
        }
        let mut sum = 0;
        for entry in &mut next {
            sum += *entry;
            *entry = sum;
        }
        let ends = next[1..].to_vec();
        let places: Vec<Vec<u32>> = (firsts.into_iter())
            .map(|mut firsts| {
                for first in &mut firsts {
                    let place = &mut next[*first as usize];
                    *first = *place;
                    *place += 1;
                }
                firsts
            })
            .collect();
        into.clear();
        make_room(into, sum as usize);
        into.resize(sum as usize, bytemuck::Zeroable::zeroed());
        let rows = |block: &Block| block.rows(&self.ids).collect::<Vec<_>>();
        let rows: Vec<Vec<ContactRow>> = match self.pool.shared() {
            None => self.blocks.iter().map(rows).collect(),
            Some(pool) => pool.install(|| {
                let each = self.blocks.par_iter().with_min_len(4);
                each.map(rows).collect()
            }),
        };
        for (row, place) in rows.iter().flatten().zip(places.iter().flatten()) {
            into[*place as usize] = *row;
        }
        // Those of one body come from several blocks.
        let mut first = 0;
        for end in ends {
            let end = end as usize;
            if !into[first..end].is_sorted_by_key(|row| row.key) {
                into[first..end].sort_unstable_by_key(|row| row.key);
            }
            first = end;
        }
    }

    /// The records of contacts with walls, in any order.
    #[must_use]
    pub fn wall_rows(&self) -> Vec<ContactRow> {
        let mut rows = Vec::new();
        for block in &self.blocks {
            for k in 0..block.of.len() {
                let pair = &block.pairs[block.of[k] as usize];
                if pair.second as usize >= self.ids.len() {
                    rows.push(block.row_of(k, &block.candidate(k, &self.ids)));
                }
            }
        }
        rows
    }

    /// The key of the k-th contact of a block.
    #[must_use]
    pub fn key(&self, block: &Block, k: usize) -> ContactKey {
        self.candidate(block, k).key
    }

    /// The candidate of the k-th contact of a block.
    #[must_use]
    pub fn candidate(&self, block: &Block, k: usize) -> Candidate {
        block.candidate(k, &self.ids)
    }

    /// The number of contacts, and of those that carry an impulse.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        let contacts = |block: &Block| block.touches.len() + block.resting.len();
        let all = self.blocks.iter().map(contacts).sum();
        let active = |block: &Block| (0..block.of.len()).filter(|&k| block.carries(k)).count();
        [all, self.blocks.iter().map(active).sum()]
    }
}

impl Block {
    pub(super) fn candidate(&self, k: usize, ids: &[BodyId]) -> Candidate {
        self.pairs[self.of[k] as usize].candidate(&self.touches[k], ids)
    }

    fn row_of(&self, k: usize, candidate: &Candidate) -> ContactRow {
        self.row(self.slots()[k], candidate, &self.origins[k])
    }

    /// The records of its contacts, then of its bonds at rest.
    fn rows<'a>(&'a self, ids: &'a [BodyId]) -> impl Iterator<Item = ContactRow> + 'a {
        let acting = (0..self.of.len()).map(|k| self.row_of(k, &self.candidate(k, ids)));
        let resting = self.resting.iter().map(|one| {
            let candidate = self.pairs[one.pair as usize].candidate(&one.touch, ids);
            ContactRow::at_rest(&candidate, one.state)
        });
        acting.chain(resting)
    }
}
