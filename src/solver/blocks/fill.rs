//! From candidates to contacts in blocks.

use super::groups::{Group, Groups};
use super::sides::{Place, Side, masses, turning};
use super::{Apart, Block, Blocks};
use crate::body::{Bodies, Member, Twist, Wall, WallState};
use crate::contact::{Candidate, Contact, ContactRow, Origin, Partner};
use crate::law::coulomb::Parameters;
use crate::law::full::Extra;
use crate::law::{Pair, PairTable, Status};
use crate::math::{Vector3, make_room, turned_with};
use crate::rng::{Purpose, Stream};
use crate::solver::GapRule;
use crate::solver::batch::{Dealt, Former};
use crate::solver::grid::BlockGrid;
use crate::solver::pushed::{Pushed, Reaction};
use rayon::prelude::*;
use std::cell::RefCell;

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
    /// Among how many ranks each body is split; empty: none is.
    pub split: &'a [f64],
    /// What holds between materials.
    pub pairs: &'a PairTable,
    /// What becomes of overlaps.
    pub gap: GapRule,
    /// Where blocks lie.
    pub grid: &'a BlockGrid,
    /// Time step [s].
    pub dt: f64,
    /// Its length over that of the last step: what a force lasts, its impulse grows with.
    pub rescale: f64,
    /// Seed of the run, and the step: by them the contacts of a block are dealt to its batches.
    pub draw: (u64, u64),
}

impl Blocks {
    /// Puts a step's contacts, which come in order of their keys, into blocks. `previous` tells what the k-th was in the last step, if
    /// it was there (the warm start).
    pub fn fill<'r>(
        &mut self,
        candidates: Vec<Candidate>,
        filling: &Filling,
        previous: impl Fn(usize) -> Option<&'r ContactRow> + Sync,
    ) {
        debug_assert!(candidates.is_sorted_by_key(|c| c.key));
        self.groups.of(&candidates, filling.grid);
        self.candidates = candidates;
        let candidates = &self.candidates[..];
        let Groups { groups, sorted, .. } = &self.groups;
        // Blocks of the last step lend their memory.
        self.blocks.resize_with(groups.len(), Block::default);
        let fill = |(block, group): (&mut Block, &Group)| {
            let contents = &sorted[group.contents.clone()];
            SCRATCH.with_borrow_mut(|scratch| {
                filling.fill(block, group, (contents, candidates), scratch, &previous);
            });
        };
        match self.pool.shared() {
            None => self.blocks.iter_mut().zip(groups).for_each(fill),
            Some(pool) => {
                pool.install(|| self.blocks.par_iter_mut().zip(groups).for_each(fill));
            }
        }

        // The colours of the blocks that each body is in, a bit each. Walls that move by Newton's law stand after all bodies.
        let mut colours = vec![0u8; filling.bodies.len() + filling.pushed.len()];
        for block in &self.blocks {
            let colour = 1 << block.colour.0;
            for (&i, member) in block.bodies.iter().zip(&block.before) {
                let others = &mut colours[i as usize];
                assert!(
                    !member.moves() || *others & colour == 0,
                    "blocks of one colour share a body"
                );
                *others |= colour;
            }
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

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Memory that filling works in, kept from step to step.
#[derive(Debug, Default)]
struct Scratch {
    /// Places of bodies among the members of the block that is being filled.
    place_of: Vec<u32>,
    dealt: Dealt,
    order: Vec<u32>,
    former: Former,
}

impl Filling<'_> {
    fn fill<'r>(
        &self,
        block: &mut Block,
        group: &Group,
        (contents, candidates): (&[u32], &[Candidate]),
        scratch: &mut Scratch,
        previous: &impl Fn(usize) -> Option<&'r ContactRow>,
    ) {
        block.renew(group.linear, group.colour);
        make_room(&mut block.origins, contents.len());
        let Scratch {
            place_of,
            dealt,
            order,
            former,
        } = scratch;
        let known = self.bodies.len() + self.pushed.len();
        place_of.resize(place_of.len().max(known), NOWHERE);
        dealt.clear();
        for &k in contents {
            let c = &candidates[k as usize];
            let mut join = |i: usize, side: &Side| {
                if place_of[i] == NOWHERE {
                    place_of[i] = block.bodies.len() as u32;
                    block.bodies.push(i as u32);
                    block.before.push(self.member(side));
                    block
                        .free
                        .push(matches!(side.at, Place::Body(i) if self.bodies.is_free(i)));
                }
                place_of[i]
            };
            let a = self.body(c.a);
            let place_a = join(c.a, &a);
            let b = match c.b {
                Partner::Body(j) => self.body(j),
                Partner::Wall(w) => self.wall(w, c),
            };
            let place_b = match b.at {
                Place::Body(j) => join(j, &b),
                Place::Pushed(_, k) => {
                    block.pushing.push((dealt.len() as u32, k as u32));
                    join(self.bodies.len() + k, &b)
                }
                // After all bodies, whose number is not known yet.
                Place::Still(_) => NOWHERE,
            };
            self.contact(
                (k, c),
                [&a, &b],
                [place_a, place_b],
                previous(k as usize),
                dealt,
                block,
            );
        }
        for &i in &block.bodies {
            place_of[i as usize] = NOWHERE;
        }
        let still = block.bodies.len() as u32;
        block.before.push(Member::STILL);
        block.free.push(false);
        for contact in &mut dealt.contacts {
            contact.place[1] = contact.place[1].min(still);
        }
        order.clear();
        order.extend(0..dealt.len() as u32);
        let (seed, step) = self.draw;
        Stream::new(Purpose::Batches, seed, [step, 0, group.linear]).shuffle(order);
        former.form(&mut block.batches, dealt, order, &block.before);
        for (place, _) in &mut block.pushing {
            *place = block.batches.slots()[*place as usize];
        }
        for apart in &mut block.apart {
            apart.slot = block.batches.slots()[apart.slot as usize];
        }
    }

    #[inline]
    fn body(&self, i: usize) -> Side {
        let radius = self.bodies.radii()[i];
        Side {
            at: Place::Body(i),
            lever: radius,
            seen: Reaction::of(self.bodies.response(i)),
            material: self.bodies.materials()[i],
            radius,
            split: self.split.get(i).copied().unwrap_or(1.0),
        }
    }

    /// A wall as a contact sees it. Impulses act on it at once only in the law's eyes; its velocity takes them together after
    /// the sweep.
    fn wall(&self, w: usize, c: &Candidate) -> Side {
        let side = Side {
            at: Place::Still(w),
            lever: 0.0,
            seen: Reaction::default(),
            material: self.walls[w].material,
            radius: f64::INFINITY,
            split: 1.0,
        };
        self.pushed.place(w).map_or(side, |k| Side {
            at: Place::Pushed(w, k),
            lever: self.pushed.lever(k),
            seen: self.pushed.reaction(k, &c.normal),
            ..side
        })
    }

    /// The side before the step, as the block's contacts see it.
    fn member(&self, side: &Side) -> Member {
        let response = match side.at {
            Place::Body(i) => self.bodies.response(i),
            _ => (0.0, 0.0),
        };
        Member::new(&self.before(side), side.lever, response)
    }

    /// Its velocities before the step; those of a driven wall are its [`Filling::drive`].
    fn before(&self, side: &Side) -> Twist {
        match side.at {
            Place::Body(i) => self.bodies.twists()[i],
            Place::Pushed(w, _) => Twist {
                linear: self.states[w].velocity,
                angular: self.states[w].angular_velocity,
            },
            Place::Still(_) => Twist::default(),
        }
    }

    /// Velocities of a driven wall at a contact.
    fn drive(&self, side: &Side, point: &Vector3) -> Twist {
        match side.at {
            Place::Still(w) => Twist {
                linear: self.walls[w].velocity_at(&self.states[w], point),
                angular: self.states[w].angular_velocity,
            },
            _ => Twist::default(),
        }
    }

    /// Adds a contact to those that are dealt, and what there is to be known beside to the block.
    fn contact(
        &self,
        (k, c): (u32, &Candidate),
        sides: [&Side; 2],
        place: [u32; 2],
        previous: Option<&ContactRow>,
        dealt: &mut Dealt,
        block: &mut Block,
    ) {
        let [a, b] = sides;
        let pair = self.pairs.between(a.material, b.material);
        let smaller_radius = a.radius.min(b.radius);
        let (normal_mass, tangential_mass) = masses(sides, [1.0; 2]);
        // The impulse of the last step, turned with the normal, as its force would give it in this step.
        let kept = |v: [f64; 3], row: &ContactRow| {
            turned_with(&Vector3::from(row.normal), &c.normal, &Vector3::from(v)) * self.rescale
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
        let touching = 1e-9 * smaller_radius;
        let reach = pair.cohesion_range + touching;
        let bonded = adhesive
            && (c.gap <= touching
                || (c.gap < reach && previous.is_some_and(|row| row.bonded == 1)));
        let mut contact = Contact {
            place,
            law: Parameters {
                normal: c.normal,
                closing_speed: self.closing_speed(c.gap),
                normal_mass,
                tangential_mass,
                friction,
            },
            impulse,
        };
        let drive = self.drive(b, &c.point);
        let still = drive == Twist::default();
        if !still {
            block.drives.push(drive);
        }
        block.origins.push(Origin {
            gap: c.gap,
            smaller_radius,
            candidate: k,
            drive: if still { 0 } else { block.drives.len() as u32 },
            adhesive,
            bonded,
        });
        // A wall is as yielding as a body of the same size.
        let other_radius = if b.radius.is_finite() {
            b.radius
        } else {
            a.radius
        };
        let springs = self.soften(pair, &mut contact, c.gap, [a.radius, other_radius]);
        let parts = [a.split, b.split];
        if parts != [1.0; 2] {
            let softness = springs.map_or([0.0; 2], |(softness, _)| softness);
            let (normal, tangential) = masses(sides, parts);
            let with = |mass: f64, softness: f64| match softness {
                0.0 => mass,
                _ => 1.0 / (1.0 / mass + softness),
            };
            block.apart.push(Apart {
                slot: dealt.len() as u32,
                masses: [with(normal, softness[0]), with(tangential, softness[1])],
                turning: turning(sides, parts),
            });
        }
        if pair.has_springs_at_most() && still {
            match springs {
                None => dealt.add(contact, None),
                Some((softness, previous)) => dealt.add_soft(contact, softness, previous),
            }
            return;
        }
        let couple = previous.map_or_else(Vector3::zeros, |row| kept(row.couple_impulse, row));
        let mut extra = self.extra(pair, sides, drive, couple);
        if let Some((softness, previous)) = springs {
            extra.softness = softness;
            extra.previous_tangential = previous;
        }
        if bonded {
            extra.cohesion = pair.cohesion * self.dt;
            if c.gap > 0.0 && extra.softness[0] == 0.0 {
                extra.weakened = true;
                contact.law.closing_speed = c.gap / self.dt;
            }
        }
        self.bounce(pair, sides, &mut contact, &mut extra, c);
        dealt.add(contact, Some(extra.trimmed()));
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
    fn extra(&self, pair: &Pair, sides: [&Side; 2], drive: Twist, couple: Vector3) -> Extra {
        let [a, b] = sides;
        let reduced_radius = if b.radius.is_finite() {
            a.radius * b.radius / (a.radius + b.radius)
        } else {
            a.radius
        };
        // Where nothing turns there are no couples.
        let turns = a.seen.turning + b.seen.turning > 0.0;
        let [turning_mass, coupling] = turning(sides, [1.0; 2]);
        let inverse = |lever: f64| if lever == 0.0 { 0.0 } else { 1.0 / lever };
        Extra {
            offset: drive.linear,
            spin_offset: drive.angular,
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
            turning_mass,
            coupling,
            inverse_lever: sides.map(|side| inverse(side.lever)),
            couple,
        }
    }

    /// Compliance: `γ = C/Δt²`, the signed gap, and the tangential impulse of the last step as history. Returns γ and the latter.
    fn soften(
        &self,
        pair: &Pair,
        contact: &mut Contact,
        gap: f64,
        radii: [f64; 2],
    ) -> Option<([f64; 2], Vector3)> {
        let compliance = pair.compliance(radii);
        if compliance == 0.0 {
            return None;
        }
        let gamma = compliance / (self.dt * self.dt);
        let softness = [gamma, gamma / pair.tangential_ratio];
        let law = &mut contact.law;
        law.closing_speed = gap / self.dt;
        law.normal_mass = 1.0 / (1.0 / law.normal_mass + softness[0]);
        law.tangential_mass = 1.0 / (1.0 / law.tangential_mass + softness[1]);
        let normal = law.normal * contact.impulse.dot(&law.normal);
        Some((softness, contact.impulse - normal))
    }

    /// Restitution (Newton's, as Moreau takes it): of a contact that closes within the step the velocity after it is `−e` times
    /// that before it.
    fn bounce(
        &self,
        pair: &Pair,
        sides: [&Side; 2],
        contact: &mut Contact,
        extra: &mut Extra,
        c: &Candidate,
    ) {
        if pair.restitution == 0.0 && pair.tangential_restitution == 0.0 {
            return;
        }
        let [a, b] = sides;
        let [of_a, of_b] = sides.map(|side| self.before(side));
        let drive_before = match b.at {
            Place::Still(w) => self.walls[w].velocity_at(&self.states_before[w], &c.point),
            _ => Vector3::zeros(),
        };
        let spin = of_a.angular * a.lever + of_b.angular * b.lever;
        let n = contact.law.normal;
        let before = of_b.linear + drive_before - of_a.linear - spin.cross(&n);
        let u_n = before.dot(&n);
        if u_n < 0.0 && c.gap + u_n * self.dt <= 0.0 && extra.softness[0] == 0.0 {
            contact.law.closing_speed = pair.restitution * u_n;
            extra.offset += (before - n * u_n) * pair.tangential_restitution;
        }
    }
}
