//! The contacts of a rank in blocks, as the sweep visits them: colour by colour, the blocks of a colour independent of each
//! other, so that threads may share them.

use super::Halo;
use super::grid::{Block3, BlockGrid, Parity};
use crate::body::{Bodies, Twist};
use crate::contact::{Candidate, Contact, Partner};
use crate::law::FrictionTable;
use crate::law::coulomb::{Parameters, reduced_masses};
use crate::math::{ExactSum, Vector3, nan_max};
use rayon::prelude::*;
use std::collections::HashMap;

/// The contacts whose point lies in one block, in order of their keys, and the bodies they touch.
#[derive(Clone, Debug)]
pub struct Block {
    /// A number for the block, the same on all ranks.
    pub linear: u64,
    /// Its colour.
    pub colour: Parity,
    /// Places of its bodies in the rank's arrays; contacts name them by their place in this list, and the place after the
    /// last is that of all walls.
    pub bodies: Vec<usize>,
    /// Its contacts.
    pub contacts: Vec<Contact>,
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
    /// Velocities of the bodies of the block being visited.
    local: Vec<Twist>,
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

    /// Puts this step's contacts into blocks. `previous` tells the impulse [N s] a contact had in the last step, zero if it
    /// had none (the warm start).
    #[allow(clippy::too_many_arguments)] // What a contact is made of; a struct of references would only rename the list.
    pub fn fill(
        &mut self,
        candidates: &[Candidate],
        bodies: &Bodies,
        grid: &BlockGrid,
        materials: &FrictionTable,
        wall_material: &[u32],
        dt: f64,
        previous: impl Fn(&Candidate) -> Vector3,
    ) {
        let mut by_block: Vec<(u8, u64, Block3, usize)> = (candidates.iter().enumerate())
            .map(|(k, c)| {
                let block = grid.block_of(&c.point);
                (Parity::of(block).0, grid.linear(block), block, k)
            })
            .collect();
        by_block.sort_unstable_by(|x, y| {
            (x.0, x.1, candidates[x.3].key).cmp(&(y.0, y.1, candidates[y.3].key))
        });

        self.blocks.clear();
        for members in by_block.chunk_by(|x, y| x.1 == y.1) {
            let (colour, linear, ..) = members[0];
            let mut place_of = HashMap::new();
            let mut places = Vec::new();
            let mut place = |i: usize| {
                *place_of.entry(i).or_insert_with(|| {
                    places.push(i);
                    (places.len() - 1) as u32
                })
            };
            let mut contacts: Vec<Contact> = (members.iter().map(|m| &candidates[m.3]))
                .map(|c| {
                    let b = match c.b {
                        Partner::Body(j) => Side::body(bodies, j, place(j)),
                        Partner::Wall(w) => Side::wall(wall_material[w]),
                    };
                    let a = Side::body(bodies, c.a, place(c.a));
                    contact_of(c, [a, b], materials, dt, previous(c))
                })
                .collect();
            let walls = places.len() as u32;
            for c in &mut contacts {
                c.place = c.place.map(|p| p.min(walls));
            }
            let colour = Parity(colour);
            self.blocks.push(Block {
                linear,
                colour,
                bodies: places,
                contacts,
                order: Vec::new(),
                early: [false; 3],
            });
        }
        let mut first = 0;
        for (c, range) in self.colours.iter_mut().enumerate() {
            let n = self.blocks[first..]
                .iter()
                .take_while(|b| usize::from(b.colour.0) == c)
                .count();
            *range = first..first + n;
            first += n;
        }
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
    /// sends what they wait for), then the rest. A visit gets the block and the velocities of its bodies, which it may
    /// change.
    pub fn phase(
        &mut self,
        (colour, axis): (Parity, usize),
        twists: &mut [Twist],
        tally: &mut Tally,
        visit: &(impl Fn(&mut Block, &mut [Twist]) -> Share + Sync),
        between: impl FnOnce(&[Twist]),
    ) {
        let range = self.colours[usize::from(colour.0)].clone();
        self.visit(range.clone(), Some((axis, true)), twists, tally, visit);
        between(twists);
        self.visit(range, Some((axis, false)), twists, tally, visit);
    }

    /// Visits all blocks, in no order that matters: for what changes no velocity.
    pub fn each(
        &mut self,
        twists: &mut [Twist],
        visit: &(impl Fn(&mut Block, &mut [Twist]) -> Share + Sync),
    ) -> Tally {
        let mut tally = Tally::default();
        self.visit(0..self.blocks.len(), None, twists, &mut tally, visit);
        tally
    }

    /// Reads the velocities of a block's bodies into an array of its own, visits it, and writes them back. Blocks of one
    /// colour share no body, so with threads it does not matter who goes first: they all read before anyone writes.
    fn visit(
        &mut self,
        range: std::ops::Range<usize>,
        only: Option<(usize, bool)>,
        twists: &mut [Twist],
        tally: &mut Tally,
        visit: &(impl Fn(&mut Block, &mut [Twist]) -> Share + Sync),
    ) {
        let wanted = |b: &Block| only.is_none_or(|(axis, early)| b.early[axis] == early);
        match &self.pool {
            None => {
                let local = &mut self.local;
                for block in self.blocks[range].iter_mut().filter(|b| wanted(b)) {
                    read(block, twists, local);
                    tally.add(&visit(block, local));
                    write(block, local, twists);
                }
            }
            Some(pool) => {
                let shared: &[Twist] = twists;
                let blocks: Vec<&mut Block> = self.blocks[range]
                    .iter_mut()
                    .filter(|b| wanted(b))
                    .collect();
                let work = |block: &mut Block| {
                    let mut local = Vec::new();
                    read(block, shared, &mut local);
                    let share = visit(block, &mut local);
                    (local, share)
                };
                let done: Vec<(&Block, (Vec<Twist>, Share))> = pool.install(|| {
                    blocks
                        .into_par_iter()
                        .map(|block| {
                            let result = work(block);
                            (&*block, result)
                        })
                        .collect()
                });
                for (block, (local, share)) in done {
                    tally.add(&share);
                    write(block, &local, twists);
                }
            }
        }
    }

    /// All contacts, block by block.
    pub fn contacts(&self) -> impl Iterator<Item = &Contact> {
        self.blocks.iter().flat_map(|b| &b.contacts)
    }

    /// All blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
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

fn read(block: &Block, twists: &[Twist], local: &mut Vec<Twist>) {
    local.clear();
    local.extend(block.bodies.iter().map(|&i| twists[i]));
    local.push(Twist::default()); // The walls.
}

fn write(block: &Block, local: &[Twist], twists: &mut [Twist]) {
    for (&i, twist) in block.bodies.iter().zip(local) {
        twists[i] = *twist;
    }
}

/// What a contact needs to know of one of its two sides.
struct Side {
    place: u32,
    lever: f64,
    response: (f64, f64),
    material: u32,
}

impl Side {
    fn body(bodies: &Bodies, i: usize, place: u32) -> Self {
        let (lever, response, material) =
            (bodies.radii()[i], bodies.response(i), bodies.materials()[i]);
        Self {
            place,
            lever,
            response,
            material,
        }
    }

    /// Infinite mass; the place is that after all bodies, known only when these are counted.
    fn wall(material: u32) -> Self {
        Self {
            place: u32::MAX,
            lever: 0.0,
            response: (0.0, 0.0),
            material,
        }
    }
}

fn contact_of(
    c: &Candidate,
    [a, b]: [Side; 2],
    materials: &FrictionTable,
    dt: f64,
    impulse: Vector3,
) -> Contact {
    let lever = [a.lever, b.lever];
    let response = [a.response, b.response];
    let (normal_mass, tangential_mass) =
        reduced_masses(response.map(|r| r.0), response.map(|r| r.1), lever);
    Contact {
        key: c.key,
        place: [a.place, b.place],
        lever,
        response,
        law: Parameters {
            normal: c.normal,
            closing_speed: c.gap.max(0.0) / dt,
            normal_mass,
            tangential_mass,
            friction: materials.between(a.material, b.material),
        },
        point: c.point,
        gap: c.gap,
        impulse,
        status: crate::law::Status::Open,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::contact::ContactKey;

    /// Two unit spheres that touch.
    pub(in crate::solver) fn contact() -> Contact {
        let candidate = Candidate {
            key: ContactKey {
                a: BodyId(0),
                b: BodyId(1),
                feature: 0,
            },
            a: 0,
            b: Partner::Body(1),
            normal: Vector3::z(),
            gap: 0.0,
            point: Vector3::zeros(),
        };
        let side = |place| Side {
            place,
            lever: 1.0,
            response: (1.0, 2.5),
            material: 0,
        };
        contact_of(
            &candidate,
            [side(0), side(1)],
            &FrictionTable::new(vec![0.5]),
            0.01,
            Vector3::zeros(),
        )
    }

    pub(in crate::solver) fn block(contacts: Vec<Contact>) -> Block {
        let bodies = vec![0, 1];
        Block {
            linear: 0,
            colour: Parity(0),
            bodies,
            contacts,
            order: Vec::new(),
            early: [false; 3],
        }
    }
}
