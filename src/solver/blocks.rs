//! The contacts of a rank in blocks, as the sweep visits them: colour by colour, the blocks of a colour independent of each
//! other, so that threads may share them.

mod fill;
pub use fill::Filling;

use super::Halo;
use super::grid::Parity;
use crate::body::Twist;
use crate::contact::{Contact, ContactRow, Member, Origin};
use crate::math::{ExactSum, nan_max};
use rayon::prelude::*;

/// The contacts whose point lies in one block, in order of their keys, and the bodies they touch.
#[derive(Clone, Debug)]
pub struct Block {
    /// A number for the block, the same on all ranks.
    pub linear: u64,
    /// Its colour.
    pub colour: Parity,
    /// Places of its bodies in the rank's arrays.
    bodies: Vec<usize>,
    /// The same bodies as its contacts know them, and as the last one the walls, which never move. Their velocities are
    /// right during a visit only.
    members: Vec<Member>,
    /// Its contacts.
    pub contacts: Vec<Contact>,
    /// What is known of each contact beside.
    pub origins: Vec<Origin>,
    /// The order in which the present sweep visits them.
    pub order: Vec<u32>,
    /// For each axis: whether a body of this block is handed to another rank when that axis flips after this colour. Such
    /// blocks go first, so that their messages travel while the others are swept.
    early: [bool; 3],
}

/// What visits to blocks add up to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Two sums over contacts, exact over blocks.
    pub sums: [ExactSum; 2],
    /// A maximum over contacts, NaN if one is NaN.
    pub largest: f64,
}

/// One block's share of a [`Tally`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// Terms of the two sums.
    pub sums: [f64; 2],
    /// A maximum.
    pub largest: f64,
}

/// All blocks of a rank that hold a contact, by colour and number.
#[derive(Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    colours: [std::ops::Range<usize>; Parity::COLOURS],
    pool: Option<rayon::ThreadPool>,
}

impl Blocks {
    /// No contacts yet; blocks will be visited by `threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = match threads {
            0 | 1 => None,
            n => Some(rayon::ThreadPoolBuilder::new().num_threads(n).build()?),
        };
        Ok(Self {
            pool,
            ..Self::default()
        })
    }

    /// Marks the blocks that have to go first, by what the halo hands over after each colour.
    pub fn mark_early<H: Halo>(&mut self, halo: &H, bodies: usize) {
        let mut leaves = vec![false; bodies];
        for colour in (0..Parity::COLOURS as u8).map(Parity) {
            for axis in 0..3 {
                halo.leaving(colour, axis).for_each(|i| leaves[i] = true);
                for block in &mut self.blocks[self.colours[usize::from(colour.0)].clone()] {
                    block.early[axis] = block.bodies.iter().any(|&i| leaves[i]);
                }
                halo.leaving(colour, axis).for_each(|i| leaves[i] = false);
            }
        }
    }

    /// Visits the blocks of one colour: first those that other ranks wait for when `axis` flips next, then `between` (which
    /// sends what they wait for), then the rest. A visit gets the block and its members, whose velocities it may change.
    pub fn phase(
        &mut self,
        (colour, axis): (Parity, usize),
        twists: &mut [Twist],
        tally: &mut Tally,
        visit: &(impl Fn(&mut Block, &mut [Member]) -> Share + Sync),
        between: impl FnOnce(&[Twist]),
    ) {
        let range = self.colours[usize::from(colour.0)].clone();
        self.visit(range.clone(), Some((axis, true)), twists, tally, visit);
        between(twists);
        self.visit(range, Some((axis, false)), twists, tally, visit);
    }

    /// Visits all blocks one after the other, in no order that matters: for what changes no velocity.
    pub fn each(
        &mut self,
        twists: &mut [Twist],
        visit: &(impl Fn(&mut Block, &mut [Member]) -> Share + Sync),
    ) -> Tally {
        let mut tally = Tally::default();
        for colour in self.colours.clone() {
            self.visit(colour, None, twists, &mut tally, visit);
        }
        tally
    }

    /// Reads the velocities of each block's bodies, visits it, and writes them back. Blocks of one colour share no body, so
    /// with threads it does not matter who goes first: they all read before anyone writes.
    fn visit(
        &mut self,
        range: std::ops::Range<usize>,
        only: Option<(usize, bool)>,
        twists: &mut [Twist],
        tally: &mut Tally,
        visit: &(impl Fn(&mut Block, &mut [Member]) -> Share + Sync),
    ) {
        let wanted = |b: &&mut Block| only.is_none_or(|(axis, early)| b.early[axis] == early);
        let blocks = self.blocks[range].iter_mut().filter(wanted);
        match &self.pool {
            None => blocks.for_each(|block| {
                tally.add(&block.visited(twists, visit));
                block.write(twists);
            }),
            Some(pool) => {
                let shared: &[Twist] = twists;
                let blocks: Vec<&mut Block> = blocks.collect();
                let work = |block: &mut Block| block.visited(shared, visit);
                let done: Vec<(&Block, Share)> = pool.install(|| {
                    let each = blocks.into_par_iter().map(|block| {
                        let share = work(block);
                        (&*block, share)
                    });
                    each.collect()
                });
                for (block, share) in done {
                    tally.add(&share);
                    block.write(twists);
                }
            }
        }
    }

    /// All contacts with what is known of them beside, block by block.
    pub fn contacts(&self) -> impl Iterator<Item = (&Contact, &Origin)> {
        self.blocks
            .iter()
            .flat_map(|b| b.contacts.iter().zip(&b.origins))
    }

    /// The records of all contacts.
    pub fn rows(&self) -> impl Iterator<Item = ContactRow> {
        self.contacts().map(|(contact, origin)| contact.row(origin))
    }
}

impl Block {
    /// Lets `visit` see the block with its bodies' velocities.
    fn visited(
        &mut self,
        twists: &[Twist],
        visit: &impl Fn(&mut Block, &mut [Member]) -> Share,
    ) -> Share {
        let mut members = std::mem::take(&mut self.members);
        for (member, &i) in members.iter_mut().zip(&self.bodies) {
            member.twist = twists[i];
        }
        let share = visit(self, &mut members);
        self.members = members;
        share
    }

    /// Writes the velocities back.
    fn write(&self, twists: &mut [Twist]) {
        for (&i, member) in self.bodies.iter().zip(&self.members) {
            twists[i] = member.twist;
        }
    }
}

impl Tally {
    fn add(&mut self, share: &Share) {
        for (sum, term) in self.sums.iter_mut().zip(share.sums) {
            sum.add(term);
        }
        self.largest = nan_max(self.largest, share.largest);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::law::{Status, coulomb::Parameters};
    use crate::math::Vector3;

    /// A block of so many contacts of nothing in particular.
    pub(in crate::solver) fn block(contacts: usize) -> Block {
        let law = Parameters {
            normal: Vector3::z(),
            closing_speed: 0.0,
            normal_mass: 1.0,
            tangential_mass: 1.0,
            friction: 0.5,
        };
        let contact = Contact {
            place: [0, 1],
            law,
            impulse: Vector3::zeros(),
            status: Status::Open,
        };
        Block {
            linear: 0,
            colour: Parity(0),
            bodies: vec![0, 1],
            members: vec![Member::default(); 3],
            contacts: vec![contact; contacts],
            origins: Vec::new(),
            order: Vec::new(),
            early: [false; 3],
        }
    }
}
