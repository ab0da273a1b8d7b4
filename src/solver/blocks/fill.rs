//! From candidates to contacts in blocks.

use super::{Block, Blocks};
use crate::body::{Bodies, Wall};
use crate::contact::{Candidate, Contact, Member, Origin, Partner};
use crate::law::coulomb::{Parameters, reduced_masses};
use crate::law::{PairTable, Status};
use crate::math::Vector3;
use crate::solver::grid::{BlockGrid, Parity};

/// What contacts are made of.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The bodies that the candidates name.
    pub bodies: &'a Bodies,
    /// The walls that they name.
    pub walls: &'a [Wall],
    /// What holds between materials.
    pub pairs: &'a PairTable,
    /// Where blocks lie.
    pub grid: &'a BlockGrid,
    /// Time step [s].
    pub dt: f64,
}

/// What a contact needs to know of one of its two bodies.
struct Side {
    member: Member,
    material: u32,
}

impl Blocks {
    /// Puts a step's contacts into blocks. `previous` tells the impulse [N s] that a contact had in the last step, zero if
    /// it had none (the warm start).
    pub fn fill(
        &mut self,
        candidates: &[Candidate],
        filling: &Filling,
        previous: impl Fn(&Candidate) -> Vector3,
    ) {
        let Filling { grid, bodies, .. } = filling;
        let mut sorted: Vec<(Parity, u64, &Candidate)> = (candidates.iter())
            .map(|c| {
                let block = grid.block_of(&c.point);
                (Parity::of(block), grid.linear(block), c)
            })
            .collect();
        sorted.sort_unstable_by_key(|(colour, linear, c)| (colour.0, *linear, c.key));

        self.blocks.clear();
        let mut place_of = vec![NOWHERE; bodies.len()];
        for contents in sorted.chunk_by(|x, y| x.1 == y.1) {
            let (colour, linear, _) = contents[0];
            let block = filling.block(colour, linear, contents, &mut place_of, &previous);
            block.bodies.iter().for_each(|&i| place_of[i] = NOWHERE);
            self.blocks.push(block);
        }
        let mut first = 0;
        for (colour, range) in self.colours.iter_mut().enumerate() {
            let same = |b: &&Block| usize::from(b.colour.0) == colour;
            let n = self.blocks[first..].iter().take_while(same).count();
            *range = first..first + n;
            first += n;
        }
    }
}

/// The place of a body that no contact of the block has named yet.
const NOWHERE: u32 = u32::MAX;

impl Filling<'_> {
    fn block(
        &self,
        colour: Parity,
        linear: u64,
        contents: &[(Parity, u64, &Candidate)],
        place_of: &mut [u32],
        previous: &impl Fn(&Candidate) -> Vector3,
    ) -> Block {
        let mut block = Block {
            linear,
            colour,
            bodies: Vec::new(),
            members: Vec::new(),
            contacts: Vec::with_capacity(contents.len()),
            origins: Vec::with_capacity(contents.len()),
            order: Vec::new(),
            early: [false; 3],
        };
        for (.., c) in contents {
            let mut join = |i: usize, side: &Side| {
                if place_of[i] == NOWHERE {
                    place_of[i] = block.bodies.len() as u32;
                    block.bodies.push(i);
                    block.members.push(side.member);
                }
                place_of[i]
            };
            let a = self.body(c.a);
            let place_a = join(c.a, &a);
            let (b, place_b) = match c.b {
                Partner::Body(j) => {
                    let b = self.body(j);
                    let place = join(j, &b);
                    (b, place)
                }
                // After all bodies, whose number is not known yet.
                Partner::Wall(w) => (self.wall(w), NOWHERE),
            };
            let (contact, origin) = self.contact(c, [&a, &b], [place_a, place_b], previous(c));
            block.contacts.push(contact);
            block.origins.push(origin);
        }
        let walls = block.bodies.len() as u32;
        block.members.push(Member::default());
        for contact in &mut block.contacts {
            contact.place = contact.place.map(|p| p.min(walls));
        }
        block
    }

    fn body(&self, i: usize) -> Side {
        let bodies = self.bodies;
        let (lever, response) = (bodies.radii()[i], bodies.response(i));
        let member = Member {
            lever,
            response,
            ..Member::default()
        };
        Side {
            member,
            material: bodies.materials()[i],
        }
    }

    /// Infinite mass, no lever.
    fn wall(&self, w: usize) -> Side {
        Side {
            member: Member::default(),
            material: self.walls[w].material,
        }
    }

    fn contact(
        &self,
        c: &Candidate,
        sides: [&Side; 2],
        place: [u32; 2],
        impulse: Vector3,
    ) -> (Contact, Origin) {
        let [a, b] = sides.map(|side| side.member);
        let (normal_mass, tangential_mass) = reduced_masses(
            [a.response.0, b.response.0],
            [a.response.1, b.response.1],
            [a.lever, b.lever],
        );
        let law = Parameters {
            normal: c.normal,
            closing_speed: c.gap.max(0.0) / self.dt,
            normal_mass,
            tangential_mass,
            friction: self.pairs.between(sides[0].material, sides[1].material).friction,
        };
        let smaller_radius = match c.b {
            Partner::Body(_) => a.lever.min(b.lever),
            Partner::Wall(_) => a.lever,
        };
        let contact = Contact {
            place,
            law,
            impulse,
            status: Status::Open,
        };
        let origin = Origin {
            key: c.key,
            point: c.point,
            gap: c.gap,
            smaller_radius,
        };
        (contact, origin)
    }
}
