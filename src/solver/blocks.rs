//! The contacts of a rank in blocks, in the form that the sweep uses.
//!
//! The sweep visits them colour by colour. The blocks of a colour are independent of each other, so
//! threads can share them.

mod apart;
mod arrange;
mod departed;
mod ends;
mod fill;
mod filling;
mod groups;
mod held;
mod kept;
mod last;
mod lost;
mod part;
mod parts;
mod rigid;
mod rows;
mod seen;
mod sides;
mod simples;
mod start;
mod strain;
mod stretch;
mod stretched;
mod tally;
mod touches;
mod wake;
pub use apart::Apart;
pub use filling::Filling;
use groups::Groups;
pub use held::Held;
use last::{Kept, More, Resting};
use lost::Lost;
use part::Part;
pub use seen::Seen;
pub use strain::{Gradient, Strain};
pub use stretched::Stretched;
pub use tally::{Share, Tally};
pub use touches::{Before, Fate, Find};

use super::batch::{Batches, Eight3};
use super::grid::Parity;
use super::halo::Halo;
use super::kernel::rigid::RigidContact;
use super::plan::{Aim, Plan};
use super::push::Push;
use super::shared::Shared;
use super::soon::{self, Next, Soon};
use crate::body::{BodyId, Member, Twist};
use crate::contact::{Neighbours, Origin, Touch};
use crate::math::ExactSum;
use crate::pool::Pool;
use std::cell::RefCell;
use std::ops::Range;

/// The contacts of the pairs that belong to one block, and their bodies.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// A number for the block, the same on all ranks.
    pub linear: u64,
    /// Its colour.
    pub colour: Parity,
    /// Indices of its bodies, and of the walls that they push, in the rank's arrays.
    ///
    /// Its contacts number its members in this order, followed by one immovable member.
    pub bodies: Vec<u32>,
    /// For each member, whether impulses can move it: for the energy ledger.
    pub free: Vec<bool>,
    /// The pairs of the plan, in the order of keys.
    pub(super) pairs: Vec<Neighbours>,
    /// Indices of the two sides of each pair among the members.
    pub(super) places: Vec<[u32; 2]>,
    /// The number of the laws of each pair, if it is simple: balls, or a ball and a fixed wall,
    /// with springs at most; else [`Block::OTHER`].
    pub(super) laws: Vec<u32>,
    /// Whether some of them have walls.
    pub(super) walls: bool,
    /// The contacts of the last step in the order of keys, as far as the next needs them.
    pub(super) kept: Vec<Kept>,
    /// The number of those that carried a force.
    pub(super) active: usize,
    /// Their further data, of laws that have such.
    pub(super) more: Vec<More>,
    /// The contacts of the step, in the order of keys.
    pub(super) touches: Vec<Touch>,
    /// For each contact the index of its pair, and that of its data in `kept`.
    pub(super) of: Vec<u32>,
    pub(super) matched: Vec<u32>,
    /// Contacts whose two sides have passed through each other in the last step.
    pub(super) passed: Vec<u32>,
    /// Bonds between sides that no impulse moves.
    pub(super) resting: Vec<Resting>,
    /// Touches that are not expected to close in the step, with the indices of their pairs.
    pub(super) asleep: Vec<(u32, Touch)>,
    /// Their reduced masses, with springs [kg].
    pub(super) asleep_masses: Vec<f64>,
    /// Their data for the projection of positions.
    pub(super) aims: Vec<Aim>,
    /// Those of them that the judge found to close.
    pub(super) woken: Vec<u32>,
    /// The members before the step.
    pub before: Vec<Member>,
    /// Its contacts between balls, and of balls with walls.
    pub batches: Batches,
    /// Its contacts with bodies that are not balls, in the order of keys.
    pub rigid: Vec<RigidContact>,
    /// The slots of all contacts in the order of keys, if some are rigid ([`Block::slots`]).
    pub(super) slots: Vec<u32>,
    /// Contacts with walls that move by Newton's law, and with large bodies.
    pub pushing: Vec<Push>,
    /// Its parts of large bodies.
    pub(super) parts: Vec<Part>,
    /// All contacts, in a cell whose edges follow a stress.
    pub stretching: Vec<Stretched>,
    /// For contacts with bodies split among ranks: the reduced masses that are not in use.
    ///
    /// Sweeps use the masses of the parts, the judge those of the whole bodies.
    pub apart: Vec<Apart>,
    /// Further facts about each contact, in the order of keys.
    pub origins: Vec<Origin>,
    /// Velocities of driven walls, and of a strain, at the contacts that have them [m/s, rad/s].
    pub drives: Vec<Twist>,
    /// The order in which the present sweep visits the batches.
    pub order: Vec<u32>,
    /// The numbers that drew it: seed, step, sweep, block.
    pub drawn: Option<[u64; 4]>,
    /// Data of each batch for the projection of positions.
    pub plans: Vec<Plan>,
    /// The largest violation that the judge found in this block.
    pub worst: Worst,
    /// Impulses, then couple impulses, at the last point of an accelerated solve.
    pub past: Vec<Eight3>,
    /// For each axis, whether a body is handed to another rank when that axis flips after this
    /// colour.
    ///
    /// Such blocks go first, so that their messages travel while the others are swept.
    pub(super) early: [bool; 3],
}

/// A violation [m/s], and the slot of its contact.
pub type Worst = (f64, u32);

/// An operation on a block and its members, whose velocities it may change.
pub trait Visit<const N: usize>: Sync {
    /// Visits one block.
    fn one(&self, block: &mut Block, members: &mut [Member]) -> Share<N>;

    /// Visits two blocks that share no movable body.
    ///
    /// Meanwhile it may fetch the blocks that come `soon`.
    fn two(
        &self,
        [a, b]: [&mut Block; 2],
        [of_a, of_b]: [&mut [Member]; 2],
        soon: &Soon,
    ) -> [Share<N>; 2] {
        let _ = soon;
        [self.one(a, of_a), self.one(b, of_b)]
    }
}

impl<const N: usize, F: Fn(&mut Block, &mut [Member]) -> Share<N> + Sync> Visit<N> for F {
    fn one(&self, block: &mut Block, members: &mut [Member]) -> Share<N> {
        self(block, members)
    }
}

/// All blocks of a rank that hold a pair of the plan, by colour and number.
#[derive(Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// Ids of all bodies, by index.
    ids: Vec<BodyId>,
    /// All members before the step.
    before: Vec<Member>,
    colours: [Range<usize>; Parity::COLOURS],
    /// The bodies that have gone out since the last step, on all ranks or none.
    lost: Option<Lost>,
    groups: Groups,
    pool: Pool,
    /// Whether a sweep fetches the batches of the next blocks.
    fetches: bool,
}

impl Blocks {
    /// Without contacts; `threads` threads will visit the blocks.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            pool: Pool::new(threads)?,
            ..Self::default()
        })
    }

    /// The threads that visit them.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Marks the blocks that have to go first because the halo hands over some of their bodies.
    pub fn mark_early<H: Halo>(&mut self, halo: &H, bodies: usize) {
        let mut leaves = vec![false; bodies];
        for colour in (0..Parity::COLOURS as u8).map(Parity) {
            for axis in 0..3 {
                halo.leaving(colour, axis).for_each(|i| leaves[i] = true);
                for block in &mut self.blocks[self.colours[usize::from(colour.0)].clone()] {
                    block.early[axis] = block.bodies.iter().any(|&i| leaves[i as usize]);
                }
                halo.leaving(colour, axis).for_each(|i| leaves[i] = false);
            }
        }
    }

    /// Visits the blocks of one colour, those on which other ranks wait first.
    ///
    /// These contain the bodies to be handed over when `axis` flips next. Once the bodies are sent,
    /// the other blocks follow. A visit may change the velocities of the block's members.
    pub fn phase<const N: usize, H: Halo>(
        &mut self,
        (colour, axis): (Parity, usize),
        members: &mut [Member],
        tally: &mut Tally<N>,
        visit: &impl Visit<N>,
        halo: &mut H,
    ) {
        let range = self.colours[usize::from(colour.0)].clone();
        let early = Some((axis, true));
        self.visit(range.clone(), early, members, tally, visit, &|| {});
        halo.send(colour, axis, members);
        let late = Some((axis, false));
        self.visit(range, late, members, tally, visit, &|| halo.progress());
    }

    /// Visits all blocks in any order, by a visit that changes no velocity.
    pub fn each<const N: usize>(
        &mut self,
        members: &mut [Member],
        visit: &impl Visit<N>,
    ) -> Tally<N> {
        let mut tally = Tally::default();
        for colour in self.colours.clone() {
            self.visit(colour, None, members, &mut tally, visit, &|| {});
        }
        tally
    }

    /// Visits each block with its members, and writes back those that moved.
    ///
    /// Blocks of one colour share no movable body ([`Blocks::fill`] ensures it), so the order of
    /// visits by threads does not matter.
    fn visit<const N: usize>(
        &mut self,
        range: Range<usize>,
        only: Option<(usize, bool)>,
        members: &mut [Member],
        tally: &mut Tally<N>,
        visit: &impl Visit<N>,
        meanwhile: &dyn Fn(),
    ) {
        let wanted = |b: &&mut Block| {
            !b.is_idle() && only.is_none_or(|(axis, early)| b.early[axis] == early)
        };
        let mut blocks: Vec<&mut Block> = self.blocks[range].iter_mut().filter(wanted).collect();
        let (shared, fetches) = (Shared::new(members), self.fetches);
        if self.pool.threads() == 1 {
            return in_pairs(&mut blocks, fetches, &shared, visit, |shares| {
                shares.iter().for_each(|share| tally.add(share));
                meanwhile();
            });
        }
        let pairs = blocks.len() / (2 * RUNS * self.pool.threads());
        let runs = blocks.chunks_mut(2 * pairs.max(1));
        let shares = self.pool.share(runs, |blocks| {
            let mut shares = Vec::with_capacity(blocks.len());
            in_pairs(blocks, fetches, &shared, visit, |some| shares.extend(some));
            shares
        });
        shares.iter().flatten().for_each(|share| tally.add(share));
    }

    /// Applies a function that needs no velocities to all blocks, and adds up its results.
    pub(super) fn map<const N: usize>(
        &mut self,
        work: impl Fn(&mut Block) -> [f64; N] + Send + Sync,
    ) -> [ExactSum; N] {
        let mut sums = std::array::from_fn(|_| ExactSum::default());
        let runs = runs(&mut self.blocks, &self.colours, &self.pool);
        let each = self.pool.share(runs.into_iter(), |blocks| {
            blocks.iter_mut().map(&work).collect::<Vec<_>>()
        });
        for terms in each.into_iter().flatten() {
            sums.iter_mut().zip(terms).for_each(|(s, x)| s.add(x));
        }
        sums
    }

    /// All blocks in parts, for threads that only read them.
    pub fn parts(&self) -> impl Iterator<Item = &[Block]> {
        let parts = match self.pool.threads() {
            1 => 1,
            n => 8 * n,
        };
        self.blocks.chunks(self.blocks.len().div_ceil(parts).max(1))
    }

    /// Whether a sweep should fetch blocks ahead of their visits.
    fn fetching_pays(&self) -> bool {
        let batches = self.blocks.iter().map(|block| &block.batches.all[..]);
        soon::pays(batches, self.pool.threads())
    }

    /// Ids of all bodies of the plan, by index.
    pub fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// All blocks.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }
}

impl Blocks {
    /// Exchanges the masses of whole bodies with those of their parts.
    pub(crate) fn trade_masses(&mut self) {
        for block in &mut self.blocks {
            for apart in &mut block.apart {
                apart.trade(&mut block.batches);
            }
            block.rigid.iter_mut().for_each(RigidContact::trade);
        }
    }
}

impl Block {
    /// Velocity and angular velocity of the driven wall at a contact [m/s, rad/s]; 0 for other
    /// contacts.
    #[must_use]
    #[inline]
    pub fn drive(&self, origin: &Origin) -> Twist {
        match origin.drive {
            0 => Twist::default(),
            k => self.drives[k as usize - 1],
        }
    }

    /// Copies its members: the bodies, then one immovable member.
    #[allow(unsafe_code)]
    fn copy_in(&self, all: &Shared<Member>, members: &mut Vec<Member>) {
        let n = self.bodies.len();
        members.resize(members.len().max(n + 1).max(Batches::SMALL), Member::STILL);
        for (member, &i) in members.iter_mut().zip(&self.bodies) {
            // SAFETY: only visits to this block, which is ours, write to movable bodies in it, and
            // no visit writes to others.
            *member = unsafe { all.read(i as usize) };
        }
        members[n] = Member::STILL;
        part::free_all(&self.parts, members, true);
    }

    /// Its batches and members, to be fetched before its visit.
    fn soon<'a>(&'a self, all: &'a Shared<Member>) -> Next<'a> {
        Next {
            batches: &self.batches.all,
            bodies: &self.bodies,
            members: all,
        }
    }

    /// Writes back the movable members.
    #[allow(unsafe_code)]
    fn copy_out(&self, all: &Shared<Member>, members: &mut [Member]) {
        part::free_all(&self.parts, members, false);
        for (member, &i) in members.iter().zip(&self.bodies) {
            if member.moves() {
                // SAFETY: as in `copy_in`.
                unsafe { all.write(i as usize, member) };
            }
        }
    }
}

/// The number of runs of blocks that a thread takes in a phase, if they are enough.
const RUNS: usize = 4;

/// Cuts blocks into runs, such that each thread gets those of its part of each colour.
///
/// They are those that it visits in a sweep, which may still be in its cache.
fn runs<'b>(
    blocks: &'b mut [Block],
    colours: &[Range<usize>; Parity::COLOURS],
    pool: &Pool,
) -> Vec<&'b mut [Block]> {
    let parts = RUNS * pool.threads();
    let mut rest = blocks;
    let mut runs_of = colours.clone().map(|colour| {
        let (blocks, others) = std::mem::take(&mut rest).split_at_mut(colour.len());
        rest = others;
        blocks.chunks_mut(colour.len().div_ceil(parts).max(1))
    });
    assert!(rest.is_empty(), "each block has a colour");
    let mut runs = Vec::with_capacity(parts * Parity::COLOURS);
    for _ in 0..parts {
        runs.extend(runs_of.iter_mut().filter_map(Iterator::next));
    }
    runs
}

/// Applies a function to each block.
fn on_each(
    blocks: &mut [Block],
    colours: &[Range<usize>; Parity::COLOURS],
    pool: &Pool,
    work: impl Fn(&mut Block) + Sync,
) {
    let runs = runs(blocks, colours, pool);
    pool.share(runs.into_iter(), |run| run.iter_mut().for_each(&work));
}

/// Applies `visit` to blocks of a colour, two at a time, each with its members.
fn in_pairs<const N: usize>(
    blocks: &mut [&mut Block],
    fetches: bool,
    all: &Shared<Member>,
    visit: &impl Visit<N>,
    mut done: impl FnMut(&[Share<N>]),
) {
    SCRATCH.with_borrow_mut(|[of_first, of_second]| {
        let mut rest = blocks;
        while let Some((first, others)) = rest.split_first_mut() {
            first.copy_in(all, of_first);
            let Some((second, others)) = others.split_first_mut() else {
                let share = visit.one(first, of_first);
                first.copy_out(all, of_first);
                return done(&[share]);
            };
            second.copy_in(all, of_second);
            let next = |k: usize| {
                let next = others.get(k).filter(|_| fetches);
                next.map(|block| block.soon(all))
            };
            let soon = Soon::of([next(0), next(1)]);
            let shares = visit.two([first, second], [of_first, of_second], &soon);
            first.copy_out(all, of_first);
            second.copy_out(all, of_second);
            done(&shares);
            rest = others;
        }
    });
}

thread_local! {
    /// The members of the blocks that a thread visits.
    static SCRATCH: RefCell<[Vec<Member>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}
