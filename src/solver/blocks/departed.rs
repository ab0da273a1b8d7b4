//! Bodies that go out between two steps: their contacts end, and the plan goes on without them.

use super::arrange::Sides;
use super::groups::Group;
use super::lost::{Lost, Places};
use super::{Block, Blocks, on_each};
use crate::body::{Bodies, Wall};
use crate::contact::Neighbours;
use crate::law::Laws;
use crate::solver::pushed::Pushed;

impl Blocks {
    /// Ends the contacts of the bodies that have gone out after the last step.
    ///
    /// `gone` are those of all ranks, in ascending order of id.
    pub fn lose(&mut self, gone: Vec<u64>) {
        let mut lost = Lost {
            ids: gone,
            gone: Vec::new(),
            any: false,
        };
        lost.gone = self.ids.iter().map(|id| lost.has_id(*id)).collect();
        lost.any = lost.gone.contains(&true);
        if lost.any {
            let forget = |block: &mut Block| block.forget_forces(&lost);
            on_each(&mut self.blocks, &self.colours, &self.pool, forget);
        }
        self.lost = Some(lost);
    }

    /// Whether each body of the plan has gone since the last step, by index.
    ///
    /// `None` if no rank has lost a body.
    pub fn lost(&self) -> Option<&[bool]> {
        self.lost.as_ref().map(|lost| &lost.gone[..])
    }

    /// Whether a side of a pair has gone since the last step.
    pub(super) fn has_lost(&self, pair: &Neighbours) -> bool {
        self.lost.as_ref().is_some_and(|lost| lost.has(pair))
    }

    /// The plan goes on without the bodies that have gone, as if it had been made without them.
    ///
    /// `bodies` are those that are left. Large bodies must have stayed.
    pub fn go_on(&mut self, (bodies, walls): (&Bodies, &[Wall]), (pushed, laws): (&Pushed, &Laws)) {
        let Some(lost) = self.lost.take().filter(|lost| lost.any) else {
            return;
        };
        let sides = Sides {
            bodies,
            walls,
            pushed,
            laws,
        };
        self.ids.clear();
        self.ids.extend_from_slice(bodies.ids());
        let places = lost.places();
        let go_on = |block: &mut Block| block.go_on(&lost, &places, &sides);
        on_each(&mut self.blocks, &self.colours, &self.pool, go_on);
        self.blocks.retain(|block| !block.pairs.is_empty());
        self.find_colours();
    }
}

impl Block {
    /// Counts the contacts of bodies that have gone as without a force.
    fn forget_forces(&mut self, lost: &Lost) {
        let acts = |&k: &usize| lost.has(&self.pairs[self.of[k] as usize]) && self.carried(k);
        self.active -= (0..self.of.len()).filter(acts).count();
    }

    /// Drops the pairs of bodies that have gone, and numbers the others anew.
    fn go_on(&mut self, lost: &Lost, places: &Places, sides: &Sides) {
        let left = |pair: &&Neighbours| !lost.has(pair);
        if self.pairs.iter().all(|pair| !lost.has(pair)) {
            for pair in &mut self.pairs {
                *pair = places.pair(pair);
            }
            for member in &mut self.bodies {
                *member = places.of(*member);
            }
            return;
        }
        let mut next = 0;
        let number = |pair: &Neighbours| {
            let number = next;
            next += u32::from(!lost.has(pair));
            number
        };
        let numbers: Vec<u32> = self.pairs.iter().map(number).collect();
        let pairs = self.pairs.iter().filter(left);
        let pairs: Vec<Neighbours> = pairs.map(|pair| places.pair(pair)).collect();
        let (mut kept, more) = (
            std::mem::take(&mut self.kept),
            std::mem::take(&mut self.more),
        );
        kept.retain(|kept| !lost.has(&self.pairs[kept.pair as usize]));
        for kept in &mut kept {
            kept.pair = numbers[kept.pair as usize];
        }
        let group = Group {
            colour: self.colour,
            linear: self.linear,
            contents: 0..pairs.len(),
        };
        self.pairs = pairs;
        self.arrange(&group, sides);
        (self.kept, self.more) = (kept, more);
    }
}
