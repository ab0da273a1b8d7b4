//! From candidates to contacts in blocks.

use super::{Block, Blocks};
use crate::body::{Bodies, Member, Twist, Wall, WallState};
use crate::contact::{Candidate, Contact, ContactRow, Origin, Partner};
use crate::law::coulomb::{Parameters, reduced_masses};
use crate::law::full::Extra;
use crate::law::{Pair, PairTable, Status};
use crate::math::{Vector3, turned_with};
use crate::rng::{Purpose, Stream};
use crate::solver::GapRule;
use crate::solver::batch::Whole;
use crate::solver::grid::{BlockGrid, Parity};
use crate::solver::pushed::{Pushed, Reaction};

/// What contacts are made of.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The bodies that the candidates name, with their velocities before the step.
    pub bodies: &'a Bodies,
    /// The walls that they name.
    pub walls: &'a [Wall],
    /// Where these are, and their velocities in this step; of walls that move by Newton's law those before it.
    pub states: &'a [WallState],
    /// Where they were at the start of the last step, with the velocities of that step.
    pub states_before: &'a [WallState],
    /// Walls that move by Newton's law.
    pub pushed: &'a Pushed,
    /// What holds between materials.
    pub pairs: &'a PairTable,
    /// What becomes of overlaps.
    pub gap: GapRule,
    /// Where blocks lie.
    pub grid: &'a BlockGrid,
    /// Time step [s].
    pub dt: f64,
    /// Seed of the run, and the step: by them the contacts of a block are dealt to its batches.
    pub draw: (u64, u64),
}

/// What a contact needs to know of one of its two bodies.
struct Side {
    member: Member,
    lever: f64,
    before: Twist,
    /// Velocity of a driven wall at the contact.
    drive: Twist,
    /// The same in the last step.
    drive_before: Vector3,
    /// What of the side's inertia the law sees: as the member's response, but of a wall that moves by Newton's law its share.
    seen: Reaction,
    material: u32,
    /// Radius; `None`: a wall.
    radius: Option<f64>,
    free: bool,
}

/// The second side's place in the block's arrays.
enum Place {
    Body(usize),
    Pushed(u32),
    Still,
}

impl Blocks {
    /// Puts a step's contacts, which come in order of their keys, into blocks. `previous` tells what the k-th was in the last step, if
    /// it was there (the warm start).
    pub fn fill<'r>(
        &mut self,
        candidates: &[Candidate],
        filling: &Filling,
        previous: impl Fn(usize) -> Option<&'r ContactRow>,
    ) {
        let Filling { grid, bodies, .. } = filling;
        debug_assert!(candidates.is_sorted_by_key(|c| c.key));
        let mut sorted: Vec<Placed> = (candidates.iter().enumerate())
            .map(|(k, c)| {
                let block = grid.block_of(&c.point);
                (Parity::of(block), grid.linear(block), k)
            })
            .collect();
        sorted.sort_unstable_by_key(|(colour, linear, k)| (colour.0, *linear, *k));

        self.blocks.clear();
        // Walls that move by Newton's law stand after all bodies.
        let mut place_of = vec![NOWHERE; bodies.len() + filling.pushed.len()];
        // The colours of the blocks that each body is in, a bit each.
        let mut colours = vec![0u8; place_of.len()];
        for contents in sorted.chunk_by(|x, y| x.1 == y.1) {
            let block = filling.block(contents, candidates, &mut place_of, &previous);
            let colour = block.colour;
            for (&i, member) in block.bodies.iter().zip(&block.before) {
                place_of[i as usize] = NOWHERE;
                let others = &mut colours[i as usize];
                assert!(
                    !member.moves() || *others & 1 << colour.0 == 0,
                    "blocks of one colour share a body"
                );
                *others |= 1 << colour.0;
            }
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

/// Colour and number of the block of the k-th candidate.
type Placed = (Parity, u64, usize);

/// The place of a body that no contact of the block has named yet.
const NOWHERE: u32 = u32::MAX;

impl Filling<'_> {
    fn block<'r>(
        &self,
        contents: &[Placed],
        candidates: &[Candidate],
        place_of: &mut [u32],
        previous: &impl Fn(usize) -> Option<&'r ContactRow>,
    ) -> Block {
        let (colour, linear, _) = contents[0];
        let mut block = Block::empty(linear, colour);
        let mut whole: Vec<Whole> = Vec::with_capacity(contents.len());
        for &(.., k) in contents {
            let c = &candidates[k];
            let mut join = |i: usize, side: &Side| {
                if place_of[i] == NOWHERE {
                    place_of[i] = block.bodies.len() as u32;
                    block.bodies.push(i as u32);
                    block.before.push(side.member);
                    block.free.push(side.free);
                }
                place_of[i]
            };
            let a = self.body(c.a);
            let place_a = join(c.a, &a);
            let (b, at) = match c.b {
                Partner::Body(j) => (self.body(j), Place::Body(j)),
                Partner::Wall(w) => self.wall(w, c),
            };
            let place_b = match at {
                Place::Body(j) => join(j, &b),
                Place::Pushed(k) => {
                    block.pushing.push((whole.len() as u32, k));
                    join(self.bodies.len() + k as usize, &b)
                }
                // After all bodies, whose number is not known yet.
                Place::Still => NOWHERE,
            };
            let (mut contact, origin, extra) = self.contact(c, [&a, &b], previous(k));
            contact.place = [place_a, place_b];
            whole.push((contact, extra.map(Extra::trimmed)));
            block.origins.push(origin);
        }
        let still = block.bodies.len() as u32;
        block.before.push(Member::STILL);
        block.free.push(false);
        for (contact, _) in &mut whole {
            contact.place = contact.place.map(|p| p.min(still));
        }
        let mut order: Vec<u32> = (0..whole.len() as u32).collect();
        let (seed, step) = self.draw;
        Stream::new(Purpose::Batches, seed, [step, 0, linear]).shuffle(&mut order);
        block.batches.form(&whole, &order, &block.before);
        for (place, _) in &mut block.pushing {
            *place = block.batches.slots()[*place as usize];
        }
        block
    }

    fn body(&self, i: usize) -> Side {
        let bodies = self.bodies;
        let (lever, response) = (bodies.radii()[i], bodies.response(i));
        Side {
            member: Member::new(&bodies.twists()[i], lever, response),
            lever,
            before: bodies.twists()[i],
            drive: Twist::default(),
            drive_before: Vector3::zeros(),
            seen: Reaction::of(response),
            material: bodies.materials()[i],
            radius: Some(lever),
            free: bodies.is_free(i),
        }
    }

    /// A wall as a contact sees it. Impulses act on it at once only in the law's eyes; its velocity takes them together after
    /// the sweep.
    fn wall(&self, w: usize, c: &Candidate) -> (Side, Place) {
        let (wall, state) = (&self.walls[w], &self.states[w]);
        let mut side = Side {
            member: Member::STILL,
            lever: 0.0,
            before: Twist::default(),
            drive: Twist::default(),
            drive_before: Vector3::zeros(),
            seen: Reaction::default(),
            material: wall.material,
            radius: None,
            free: false,
        };
        match self.pushed.place(w) {
            Some(k) => {
                side.lever = self.pushed.lever(k);
                side.before = Twist {
                    linear: state.velocity,
                    angular: state.angular_velocity,
                };
                side.member = Member::new(&side.before, side.lever, (0.0, 0.0));
                side.seen = self.pushed.reaction(k, &c.normal);
                (side, Place::Pushed(k as u32))
            }
            None => {
                side.drive = Twist {
                    linear: wall.velocity_at(state, &c.point),
                    angular: state.angular_velocity,
                };
                side.drive_before = wall.velocity_at(&self.states_before[w], &c.point);
                (side, Place::Still)
            }
        }
    }

    fn contact(
        &self,
        c: &Candidate,
        sides: [&Side; 2],
        previous: Option<&ContactRow>,
    ) -> (Contact, Origin, Option<Extra>) {
        let [a, b] = sides;
        let pair = self.pairs.between(a.material, b.material);
        let radii = [a, b].map(|side| side.radius.or(a.radius).unwrap_or(f64::INFINITY));
        let (normal_mass, tangential_mass) = reduced_masses(
            [a.seen.normal, b.seen.normal],
            [a.seen.tangential, b.seen.tangential],
            [a.seen.turning, b.seen.turning],
            [a.lever, b.lever],
        );
        // The impulse of the last step, turned with the normal.
        let kept = |v: [f64; 3], row: &ContactRow| {
            turned_with(&Vector3::from(row.normal), &c.normal, &Vector3::from(v))
        };
        let impulse = previous.map_or_else(Vector3::zeros, |row| kept(row.impulse, row));
        let slid = previous.is_some_and(|row| row.status == Status::Sliding as u64);
        let friction = if slid {
            pair.sliding_friction
        } else {
            pair.friction
        };
        let adhesive = pair.cohesion > 0.0;
        // What touches is bonded; what gapes only if it has been pressed together and is still within reach.
        let touching = 1e-9 * radii[0].min(radii[1]);
        let reach = pair.cohesion_range + touching;
        let bonded = adhesive
            && (c.gap <= touching
                || (c.gap < reach && previous.is_some_and(|row| row.bonded == 1)));
        let mut contact = Contact {
            place: [0; 2],
            law: Parameters {
                normal: c.normal,
                closing_speed: self.closing_speed(c.gap),
                normal_mass,
                tangential_mass,
                friction,
            },
            impulse,
        };
        let origin = Origin {
            key: c.key,
            point: c.point,
            gap: c.gap,
            smaller_radius: radii[0].min(radii[1]),
            adhesive,
            bonded,
            drive: b.drive,
        };
        if pair.is_plain() && b.drive == Twist::default() {
            return (contact, origin, None);
        }
        let couple = previous.map_or_else(Vector3::zeros, |row| kept(row.couple_impulse, row));
        let mut extra = self.extra(pair, sides, radii, couple);
        self.soften(pair, &mut contact, &mut extra, c.gap, radii);
        if bonded {
            extra.cohesion = pair.cohesion * self.dt;
            if c.gap > 0.0 && extra.softness[0] == 0.0 {
                extra.weakened = true;
                contact.law.closing_speed = c.gap / self.dt;
            }
        }
        self.bounce(pair, sides, &mut contact, &mut extra, c.gap);
        (contact, origin, Some(extra))
    }

    /// `b_n` of a rigid contact: the speed at which the gap closes within the step, or what the rule makes of an overlap.
    fn closing_speed(&self, gap: f64) -> f64 {
        match self.gap {
            GapRule::Positive => gap.max(0.0) / self.dt,
            GapRule::Full => gap / self.dt,
            GapRule::Recover { .. } if gap >= 0.0 => gap / self.dt,
            GapRule::Recover {
                fraction,
                top_speed,
            } => -(fraction * -gap / self.dt).min(top_speed),
        }
    }

    /// Couples and the wall's own motion.
    fn extra(&self, pair: &Pair, sides: [&Side; 2], radii: [f64; 2], couple: Vector3) -> Extra {
        let [a, b] = sides;
        let reduced_radius = match b.radius {
            Some(_) => radii[0] * radii[1] / (radii[0] + radii[1]),
            None => radii[0],
        };
        let turning = a.seen.turning + b.seen.turning;
        // Where nothing turns there are no couples.
        let turns = turning > 0.0;
        let [of_a, of_b] = sides.map(|side| side.lever * side.seen.turning);
        let inverse = |lever: f64| if lever == 0.0 { 0.0 } else { 1.0 / lever };
        Extra {
            offset: b.drive.linear,
            spin_offset: b.drive.angular,
            softness: [0.0; 2],
            previous_tangential: Vector3::zeros(),
            cohesion: 0.0,
            weakened: false,
            rolling: if turns {
                pair.rolling.length(reduced_radius)
            } else {
                0.0
            },
            torsion: if turns {
                pair.torsion.length(reduced_radius)
            } else {
                0.0
            },
            turning_mass: if turns { 1.0 / turning } else { 1.0 },
            coupling: of_b - of_a,
            inverse_lever: sides.map(|side| inverse(side.lever)),
            couple,
        }
    }

    /// Compliance: `γ = C/Δt²`, the signed gap, and the tangential impulse of the last step as history.
    fn soften(
        &self,
        pair: &Pair,
        contact: &mut Contact,
        extra: &mut Extra,
        gap: f64,
        radii: [f64; 2],
    ) {
        let compliance = pair.compliance(radii);
        if compliance == 0.0 {
            return;
        }
        let gamma = compliance / (self.dt * self.dt);
        extra.softness = [gamma, gamma / pair.tangential_ratio];
        let law = &mut contact.law;
        law.closing_speed = gap / self.dt;
        law.normal_mass = 1.0 / (1.0 / law.normal_mass + extra.softness[0]);
        law.tangential_mass = 1.0 / (1.0 / law.tangential_mass + extra.softness[1]);
        extra.previous_tangential = contact.impulse - law.normal * contact.impulse.dot(&law.normal);
    }

    /// Restitution (Newton's, as Moreau takes it): of a contact that closes within the step the velocity after it is `−e` times
    /// that before it.
    fn bounce(
        &self,
        pair: &Pair,
        sides: [&Side; 2],
        contact: &mut Contact,
        extra: &mut Extra,
        gap: f64,
    ) {
        if pair.restitution == 0.0 && pair.tangential_restitution == 0.0 {
            return;
        }
        let [a, b] = sides;
        let spin = a.before.angular * a.lever + b.before.angular * b.lever;
        let n = contact.law.normal;
        let before = b.before.linear + b.drive_before - a.before.linear - spin.cross(&n);
        let u_n = before.dot(&n);
        if u_n < 0.0 && gap + u_n * self.dt <= 0.0 && extra.softness[0] == 0.0 {
            contact.law.closing_speed = pair.restitution * u_n;
            extra.offset += (before - n * u_n) * pair.tangential_restitution;
        }
    }
}
