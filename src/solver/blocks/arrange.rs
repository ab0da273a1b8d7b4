//! The pairs of a plan in blocks: the data that last as long as the plan.

use super::groups::{Group, Groups};
use super::{Block, Blocks};
use crate::body::{Bodies, Motion, Wall};
use crate::contact::{Candidate, Neighbours, Partner, Touch};
use crate::law::Laws;
use crate::math::{Vector3, make_room};
use crate::solver::grid::BlockGrid;
use crate::solver::pushed::Pushed;
use std::cell::RefCell;

/// The index of a body that no pair has used yet, and of a wall that stays still.
const NOWHERE: u32 = u32::MAX;

thread_local! {
    /// Index of each body among the members of the block that is being arranged.
    static PLACE_OF: RefCell<Vec<u32>> = RefCell::default();
}

impl Blocks {
    /// Puts the pairs of a new plan into their blocks, and numbers the blocks' members.
    ///
    /// `pairs` are in ascending order of key; `homes` are the numbers of their blocks. Data of the
    /// last step are forgotten.
    ///
    /// # Panics
    /// If blocks of one colour share a body that impulses move.
    pub fn arrange(
        &mut self,
        (pairs, homes): (&[Neighbours], &[u64]),
        grid: &BlockGrid,
        (bodies, walls): (&Bodies, &[Wall]),
        (pushed, laws): (&Pushed, &Laws),
    ) {
        let sides = Sides {
            bodies,
            walls,
            pushed,
            laws,
        };
        self.groups.of(homes, grid);
        self.ids.clear();
        self.ids.extend_from_slice(bodies.ids());
        self.lost = None;
        let Groups { groups, sorted, .. } = &self.groups;
        // Reuse the memory of the last plan's blocks.
        self.blocks.resize_with(groups.len(), Block::default);
        let arrange = |(block, group): (&mut Block, &Group)| {
            let contents = sorted[group.contents.clone()].iter();
            block.pairs.clear();
            make_room(&mut block.pairs, contents.len());
            block.pairs.extend(contents.map(|&k| pairs[k as usize]));
            block.arrange(group, &sides);
        };
        self.pool.share(self.blocks.iter_mut().zip(groups), arrange);

        // The colours of the blocks that contain each body, one bit each. Walls that move by
        // Newton's law follow all bodies; no impulse moves them at once.
        let mut colours = vec![0u8; bodies.len()];
        for block in &self.blocks {
            let colour = 1 << block.colour.0;
            for (&i, free) in block.bodies.iter().zip(&block.free) {
                // Large bodies follow all others.
                if let (true, Some(others)) = (*free, colours.get_mut(i as usize)) {
                    assert!(*others & colour == 0, "blocks of one colour share a body");
                    *others |= colour;
                }
            }
        }
        self.find_colours();
    }

    /// Finds the range of each colour; blocks are sorted by it.
    pub(super) fn find_colours(&mut self) {
        let mut first = 0;
        for (colour, range) in self.colours.iter_mut().enumerate() {
            let same = |b: &&Block| usize::from(b.colour.0) == colour;
            let n = self.blocks[first..].iter().take_while(same).count();
            *range = first..first + n;
            first += n;
        }
    }

    /// A plan of these candidates alone, each in the block that holds its point.
    ///
    /// They come in ascending order of key, and are the touches of the step.
    pub fn arrange_candidates(
        &mut self,
        candidates: &[Candidate],
        grid: &BlockGrid,
        (bodies, walls): (&Bodies, &[Wall]),
        (pushed, laws): (&Pushed, &Laws),
    ) {
        debug_assert!(candidates.is_sorted_by_key(|c| c.key));
        let pairs: Vec<Neighbours> = (candidates.iter())
            .map(|c| Neighbours {
                first: c.a as u32,
                second: match c.b {
                    Partner::Body(b) => b as u32,
                    Partner::Wall(w) => (bodies.len() + w) as u32,
                },
            })
            .collect();
        let home = |c: &Candidate| grid.linear(grid.block_of(&c.point));
        let homes: Vec<u64> = candidates.iter().map(home).collect();
        self.arrange((&pairs, &homes), grid, (bodies, walls), (pushed, laws));
        for (block, group) in self.blocks.iter_mut().zip(&self.groups.groups) {
            block.forget_step();
            for (pair, &k) in self.groups.sorted[group.contents.clone()]
                .iter()
                .enumerate()
            {
                let c = &candidates[k as usize];
                let touch = Touch {
                    point: c.point,
                    normal: c.normal,
                    gap: c.gap,
                    feature: c.key.feature,
                };
                block.add_touch(pair as u32, touch, None);
            }
        }
    }
}

/// The bodies and walls of a plan.
pub(super) struct Sides<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) walls: &'a [Wall],
    pub(super) pushed: &'a Pushed,
    pub(super) laws: &'a Laws,
}

impl Sides<'_> {
    /// [`Block::laws`] of a pair.
    fn simple(&self, pair: &Neighbours) -> u32 {
        let (bodies, table) = (self.bodies, &self.laws.pairs);
        let first = pair.first as usize;
        let (ball, material) = match pair.partner(bodies.len()) {
            Partner::Body(b) => (!bodies.is_clump(b), bodies.materials()[b]),
            Partner::Wall(w) => {
                let wall = &self.walls[w];
                let still = wall.surface_velocity == Vector3::zeros();
                (matches!(wall.motion, Motion::Fixed) && still, wall.material)
            }
        };
        let materials = (bodies.materials()[first], material);
        let large = |i: usize| self.pushed.place_of_body(i).is_some();
        let second = pair.second as usize;
        let simple = ball
            && !large(first)
            && !large(second)
            && !bodies.is_clump(first)
            && !self.laws.join()
            && table.springs_at_most(materials.0, materials.1);
        match simple {
            true => table.number(materials.0, materials.1),
            false => Block::OTHER,
        }
    }
}

impl Block {
    /// Marks a pair that is not simple in [`Block::laws`].
    pub(super) const OTHER: u32 = u32::MAX;

    /// Numbers the members of its pairs, which are those of a new plan.
    pub(super) fn arrange(&mut self, group: &Group, sides: &Sides) {
        PLACE_OF.with_borrow_mut(|place_of| self.arrange_by(group, sides, place_of));
    }

    fn arrange_by(&mut self, group: &Group, sides: &Sides, place_of: &mut Vec<u32>) {
        let Sides { bodies, pushed, .. } = sides;
        self.linear = group.linear;
        self.colour = group.colour;
        self.bodies.clear();
        self.free.clear();
        self.places.clear();
        self.laws.clear();
        self.forget_kept();
        self.forget_step();
        let pairs = std::mem::take(&mut self.pairs);
        make_room(&mut self.places, pairs.len());
        make_room(&mut self.laws, pairs.len());
        let known = bodies.len() + pushed.len();
        place_of.resize(place_of.len().max(known), NOWHERE);
        self.walls = false;
        for pair in &pairs {
            self.walls |= pair.second as usize >= bodies.len();
            let first = pair.first as usize;
            let place = [
                self.join_body(first, sides, place_of),
                match pair.partner(bodies.len()) {
                    Partner::Body(b) => self.join_body(b, sides, place_of),
                    // A wall that no impulse moves follows all bodies, whose number is not known
                    // yet.
                    Partner::Wall(w) => pushed
                        .place(w)
                        .map_or(NOWHERE, |k| self.join(bodies.len() + k, false, place_of)),
                },
            ];
            self.places.push(place);
            self.laws.push(sides.simple(pair));
        }
        self.pairs = pairs;
        for &i in &self.bodies {
            place_of[i as usize] = NOWHERE;
        }
        let still = self.bodies.len() as u32;
        self.free.push(false);
        for place in &mut self.places {
            place[1] = place[1].min(still);
        }
    }

    /// The index of a body among the members. A large one follows all bodies, as pushed walls do.
    fn join_body(&mut self, i: usize, sides: &Sides, place_of: &mut [u32]) -> u32 {
        match sides.pushed.place_of_body(i) {
            None => self.join(i, sides.bodies.is_free(i), place_of),
            Some(k) => self.join(sides.bodies.len() + k, true, place_of),
        }
    }

    /// The index of a body, or of a pushed wall, among the members.
    fn join(&mut self, i: usize, free: bool, place_of: &mut [u32]) -> u32 {
        if place_of[i] == NOWHERE {
            place_of[i] = self.bodies.len() as u32;
            self.bodies.push(i as u32);
            self.free.push(free);
        }
        place_of[i]
    }
}
