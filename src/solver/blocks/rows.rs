//! The records of contacts, which outlive the step in output and on their way to other ranks.

use super::last::Kept;
use super::{Block, Blocks};
use crate::body::BodyId;
use crate::contact::{Candidate, ContactKey, ContactRow, Partner};
use crate::law::{self, State, Status};
use crate::math::make_room;

/// The number of blocks whose records are made at a time.
const PART: usize = 64;

impl Blocks {
    /// The records of all contacts, in the order of their keys.
    pub fn rows(&self, into: &mut Vec<ContactRow>) {
        let pairs = |block: &Block| {
            let resting = block.resting.iter().map(|one| one.pair);
            block.of.iter().copied().chain(resting).collect()
        };
        self.in_order(into, pairs, |block| {
            let acting = (0..block.of.len()).map(|k| {
                let candidate = &block.candidate(k, &self.ids);
                block.row_of(k, candidate)
            });
            let resting = block.resting.iter().map(|one| {
                let candidate = block.pairs[one.pair as usize].candidate(&one.touch, &self.ids);
                ContactRow::at_rest(&candidate, one.state)
            });
            acting.chain(resting).collect()
        });
    }

    /// The data that the next step needs as records, in the order of their keys.
    ///
    /// They are for [`Blocks::recall`] under another plan, of contacts whose first body does not
    /// stay on this rank, by index. Points are missing.
    pub fn kept_rows(&self, stays: &[bool], into: &mut Vec<ContactRow>) {
        let goes = |block: &Block, kept: &Kept| {
            let first = block.pairs[kept.pair as usize].first;
            !stays[first as usize]
        };
        let pairs = |block: &Block| {
            let kept = block.kept.iter().filter(|kept| goes(block, kept));
            kept.map(|kept| kept.pair).collect()
        };
        self.in_order(into, pairs, |block| {
            let row = |kept: &Kept| {
                let more = block.more_of(kept);
                ContactRow {
                    key: block.pairs[kept.pair as usize].key(kept.feature, &self.ids),
                    point: [f64::NAN; 3],
                    normal: kept.normal,
                    gap: kept.gap,
                    impulse: kept.impulse,
                    couple_impulse: more.couple,
                    status: match kept.slid {
                        true => Status::Sliding,
                        false => Status::Sticking,
                    } as u64,
                    state: more.state,
                }
            };
            let kept = block.kept.iter().filter(|kept| goes(block, kept));
            kept.map(row).collect()
        });
    }

    /// The records that `rows` makes for each block, in the order of keys; `pairs` are the indices
    /// of their pairs. Those of bodies that have gone are left out.
    fn in_order(
        &self,
        into: &mut Vec<ContactRow>,
        pairs: impl Fn(&Block) -> Vec<u32>,
        rows: impl Fn(&Block) -> Vec<ContactRow> + Sync,
    ) {
        // Those of each first body come from several blocks.
        let first = |block: &Block, pair: u32| block.pairs[pair as usize].first as usize;
        let mut ends = vec![0u32; self.ids.len() + 1];
        for block in &self.blocks {
            for pair in pairs(block) {
                ends[first(block, pair) + 1] += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut next = ends.clone();
        // Each is overwritten: those of the step before need not be cleared.
        into.truncate(sum as usize);
        make_room(into, sum as usize);
        into.resize(sum as usize, bytemuck::Zeroable::zeroed());
        // A part at a time, so that records do not take their room twice.
        for part in self.blocks.chunks(PART) {
            let made = self.pool.share(part.iter(), &rows);
            for (block, rows) in part.iter().zip(made) {
                for (pair, row) in pairs(block).into_iter().zip(rows) {
                    let place = &mut next[first(block, pair)];
                    into[*place as usize] = row;
                    *place += 1;
                }
            }
        }
        for ends in ends.windows(2) {
            let of_first = &mut into[ends[0] as usize..ends[1] as usize];
            if !of_first.is_sorted_by_key(|row| row.key) {
                of_first.sort_unstable_by_key(|row| row.key);
            }
        }
        self.drop_lost(into);
    }

    /// Drops the records of bodies that have gone since the last step.
    fn drop_lost(&self, rows: &mut Vec<ContactRow>) {
        if let Some(lost) = self.lost.as_ref().filter(|lost| lost.any) {
            rows.retain(|row| !lost.has_id(row.key.a) && !lost.has_id(row.key.b));
        }
    }

    /// The records of contacts with walls, in any order.
    #[must_use]
    pub fn wall_rows(&self) -> Vec<ContactRow> {
        let bodies = self.ids.len();
        let of_blocks = |blocks: &[Block]| {
            let mut rows = Vec::new();
            for block in blocks {
                let with_walls = block.with_walls(bodies);
                let row = |(k, _)| block.row_of(k, &block.candidate(k, &self.ids));
                rows.extend(with_walls.map(row));
            }
            rows
        };
        let mut parts = self.pool.share(self.parts(), of_blocks).into_iter();
        let mut rows = parts.next().unwrap_or_default();
        parts.for_each(|part| rows.extend(part));
        self.drop_lost(&mut rows);
        rows
    }

    /// The records of bonds that break by the impulses of this step, each with the energy in its
    /// springs [J].
    #[must_use]
    pub fn breaking(&self) -> Vec<(ContactRow, f64)> {
        let of_block = |block: &Block| {
            let each = (0..block.of.len()).zip(block.slots());
            let broken = each.filter_map(|(k, &slot)| {
                let (contact, parts) = block.with_parts(slot);
                let (n, now) = (contact.law.normal.into(), contact.now());
                law::breaks(&parts, &n, &now).then(|| {
                    let row = block.row_of(k, &block.candidate(k, &self.ids));
                    let joint = block.origins[k].memory.joint();
                    let state = State { joint, ..row.state };
                    (ContactRow { state, ..row }, parts.elastic(&n, &now))
                })
            });
            broken.collect::<Vec<_>>()
        };
        self.pool.share(self.blocks.iter(), of_block).concat()
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

    /// The number of contacts, and of those that carry an impulse, after [`Blocks::keep`].
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        let contacts = |block: &Block| match &self.lost {
            None => block.touches.len() + block.resting.len(),
            Some(lost) => {
                let pairs = block.of.iter().copied();
                let pairs = pairs.chain(block.resting.iter().map(|one| one.pair));
                let stays = |&pair: &u32| !lost.has(&block.pairs[pair as usize]);
                pairs.filter(stays).count()
            }
        };
        let all = self.blocks.iter().map(contacts).sum();
        [all, self.blocks.iter().map(|block| block.active).sum()]
    }
}

impl Block {
    /// The indices of its contacts with walls, with the numbers of these; the plan has so many
    /// bodies.
    pub(in crate::solver) fn with_walls(
        &self,
        bodies: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let each = self.of.iter().enumerate().filter(|_| self.walls);
        each.filter_map(
            move |(k, &pair)| match self.pairs[pair as usize].partner(bodies) {
                Partner::Wall(wall) => Some((k, wall)),
                Partner::Body(_) => None,
            },
        )
    }

    pub(super) fn candidate(&self, k: usize, ids: &[BodyId]) -> Candidate {
        self.pairs[self.of[k] as usize].candidate(&self.touches[k], ids)
    }

    fn row_of(&self, k: usize, candidate: &Candidate) -> ContactRow {
        self.row(self.slots()[k], candidate, &self.origins[k])
    }
}
