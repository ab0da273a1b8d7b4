//! The making of a step's contacts from the touches in blocks.

use super::ends::Ends;
use super::filling::Filling;
use super::last::{Kept, More};
use super::rigid::Geometry;
use super::sides::{Place, Side, masses};
use super::simples::OfBlock;
use super::touches::NEW;
use super::{Apart, Block, Blocks, on_each};
use crate::body::Member;
use crate::contact::{Candidate, Contact, Origin, Partner};
use crate::law::{self, Memory, Opened, Parts, Previous, Touching};
use crate::math::make_room;
use crate::rng::{Purpose, Stream};
use crate::solver::batch::{Dealt, Former};
use crate::solver::push::Push;
use crate::solver::pushed::Reaction;
use std::cell::RefCell;

impl Blocks {
    /// Makes the contacts of the step from the touches, with their data of the last step (the warm
    /// start).
    pub fn fill(&mut self, filling: &Filling) {
        let bodies = filling.bodies;
        bodies.members_into(&mut self.before, &[], &self.pool);
        self.before.extend(filling.pushed.members_before());
        let before = &self.before[..];
        let fill = |block: &mut Block| {
            SCRATCH.with_borrow_mut(|scratch| filling.fill_block(block, before, scratch));
        };
        on_each(&mut self.blocks, &self.colours, &self.pool, fill);
        self.fetches = self.fetching_pays();
    }
}

/// Marks contacts whose slot is not known yet.
const RIGID: u32 = u32::MAX;
const BATCHED: u32 = 0;

impl Block {
    /// Finds the slots of all contacts, if some are rigid.
    fn place_rigid(&mut self) {
        if self.rigid.is_empty() {
            return;
        }
        let (mut rigid, mut batched) = ((self.first_rigid() as u32).., self.batches.slots().iter());
        for slot in &mut self.slots {
            let next = match *slot {
                RIGID => rigid.next(),
                _ => batched.next().copied(),
            };
            *slot = next.expect("each contact has a slot");
        }
    }
}

thread_local! {
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Working memory for filling, kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    dealt: Dealt,
    order: Vec<u32>,
    former: Former,
    /// Radii of the members [m]; infinite for walls.
    radii: Vec<f64>,
    /// The index of each dealt contact among the block's contacts.
    batched: Vec<u32>,
}

impl Filling<'_> {
    /// Fills a block; `members` are those of the rank before the step.
    pub(super) fn fill_block(&self, block: &mut Block, members: &[Member], scratch: &mut Scratch) {
        match self.bodies.shapes().is_empty() && !self.pushed.any_tensor() {
            true => self.fill::<false>(block, members, scratch),
            false => self.fill::<true>(block, members, scratch),
        }
    }

    /// Fills a block. Where all bodies are balls, and no wall turns but spheres, `CLUMPS` is false,
    /// and no contact asks for a shape.
    fn fill<const CLUMPS: bool>(
        &self,
        block: &mut Block,
        members: &[Member],
        scratch: &mut Scratch,
    ) {
        block.forget_contacts();
        let contacts = block.touches.len();
        if contacts == 0 {
            block.batches.clear();
            if block.asleep.is_empty() {
                return;
            }
        }
        block.set_responses(self.pushed);
        let Block { before, bodies, .. } = &mut *block;
        make_room(before, bodies.len() + 1);
        before.extend(bodies.iter().map(|&i| members[i as usize]));
        before.push(Member::STILL);
        make_room(&mut block.origins, contacts);
        make_room(&mut block.asleep_masses, block.asleep.len());
        if CLUMPS {
            make_room(&mut block.rigid, contacts);
        }
        let Scratch {
            dealt,
            order,
            former,
            radii,
            batched,
        } = scratch;
        batched.clear();
        dealt.clear();
        radii.clear();
        let all = self.bodies.radii();
        let radius = |&i: &u32| all.get(i as usize).copied().unwrap_or(f64::INFINITY);
        radii.extend(block.bodies.iter().map(radius));
        radii.push(f64::INFINITY);
        self.weigh_sleeping(block, radii);
        let whole = self.split.is_empty() && self.strain.is_none();
        let ids = self.bodies.ids();
        let (kept, more) = (
            std::mem::take(&mut block.kept),
            std::mem::take(&mut block.more),
        );
        for k in 0..contacts {
            let (touch, pair) = (&block.touches[k], block.of[k] as usize);
            let place = block.places[pair];
            let law = block.laws[pair];
            if law != Block::OTHER && whole {
                let [a, b] = place.map(|k| radii[k as usize]);
                dealt.add_simple(place, self.laws.pairs.numbered(law).is_soft());
                batched.push(k as u32);
                if CLUMPS {
                    block.slots.push(BATCHED);
                }
                block.origins.push(Origin {
                    gap: touch.gap,
                    smaller_radius: a.min(b),
                    ..Origin::default()
                });
                continue;
            }
            let c = &block.pairs[pair].candidate(touch, ids);
            let [part_a, part_b] = c.key.parts();
            let mut a = self.body::<CLUMPS>(c.a, part_a);
            let mut b = match c.b {
                Partner::Body(j) => self.body::<CLUMPS>(j, part_b),
                Partner::Wall(w) => self.wall(w, c),
            };
            b.seen = b.seen.plus(&self.stretched(k, c, block));
            if !self.pushed.is_empty() {
                for (side, first) in [(&mut a, true), (&mut b, false)] {
                    let Place::Pushed(on) = side.at else { continue };
                    let parts = block.parts_of(on, self.pushed);
                    if let Some(parts) = parts {
                        side.seen = side.seen.times(parts);
                        side.parts = parts;
                    }
                    block.pushing.push(Push {
                        slot: k as u32,
                        on: on as u32,
                        first,
                        // Parts of large bodies are members that move.
                        inverse_mass: parts.map_or(side.seen.normal, |_| 0.0),
                    });
                }
            }
            let previous = match block.matched[k] {
                NEW => None,
                last => Some(previous(&kept[last as usize], &more)),
            };
            let dealt_before = dealt.len();
            self.contact::<CLUMPS>(c, [&a, &b], place, previous, dealt, block);
            if dealt.len() > dealt_before {
                batched.push(k as u32);
            }
        }
        order.clear();
        order.extend(0..dealt.len() as u32);
        let (seed, step) = self.draw;
        Stream::new(Purpose::Batches, seed, [step, 0, block.linear]).shuffle(order);
        let mut batches = std::mem::take(&mut block.batches);
        let simples = OfBlock {
            laws: self.laws,
            step: &self.step,
            block,
            kept: &kept,
            radii,
            batched,
        };
        former.form_with(&mut batches, dealt, order, &block.before, &simples);
        block.batches = batches;
        (block.kept, block.more) = (kept, more);
        block.place_rigid();
        let mut pushing = std::mem::take(&mut block.pushing);
        for push in &mut pushing {
            push.slot = block.slots()[push.slot as usize];
        }
        block.pushing = pushing;
        self.place_stretched(block);
        for apart in &mut block.apart {
            apart.slot = block.batches.slots()[apart.slot as usize];
        }
    }

    /// A body as the side of a contact at one of its parts.
    #[inline(always)]
    fn body<const CLUMPS: bool>(&self, i: usize, part: usize) -> Side {
        let mut radius = self.bodies.radii()[i];
        let mut lever = radius;
        if CLUMPS && self.bodies.is_clump(i) {
            let template = &self.templates[self.bodies.shapes()[i] as usize - 1];
            radius *= template.parts()[part].radius;
            lever = self.bodies.lever(i);
        }
        let at = match self.pushed.place_of_body(i) {
            None => Place::Body(i),
            Some(k) => Place::Pushed(k),
        };
        Side {
            at,
            lever,
            seen: Reaction::of(self.bodies.response(i)),
            material: self.bodies.materials()[i],
            radius,
            split: self.split.get(i).copied().unwrap_or(1.0),
            parts: 1.0,
        }
    }

    /// A wall as the side of a contact.
    ///
    /// The law treats impulses as if they moved the wall at once; its velocity takes them together
    /// after the sweep.
    fn wall(&self, w: usize, c: &Candidate) -> Side {
        let side = Side {
            at: Place::Still(w),
            lever: 0.0,
            seen: Reaction::default(),
            material: self.walls[w].material,
            radius: f64::INFINITY,
            split: 1.0,
            parts: 1.0,
        };
        self.pushed.place(w).map_or(side, |k| Side {
            at: Place::Pushed(k),
            lever: self.pushed.lever(k),
            seen: self.pushed.reaction(k, &c.normal),
            ..side
        })
    }

    /// Adds a contact to the dealt ones, and the further facts about it to the block.
    fn contact<const CLUMPS: bool>(
        &self,
        c: &Candidate,
        sides: [&Side; 2],
        place: [u32; 2],
        previous: Option<Previous>,
        dealt: &mut Dealt,
        block: &mut Block,
    ) {
        let [a, b] = sides;
        let rigid = match CLUMPS {
            false => None,
            true => Geometry::of((self.bodies, self.templates), self.pushed, sides, c),
        };
        let rigid = rigid.as_ref();
        let (normal_mass, tangential_mass) =
            rigid.map_or_else(|| masses(sides, [1.0; 2]), Geometry::masses);
        let drive = self.drive(b, c);
        let touching = Touching {
            bodies: [c.key.a.0, c.key.b.0],
            materials: [a.material, b.material],
            normal: c.normal,
            gap: c.gap,
            radii: [a.radius, b.radius],
            masses: [normal_mass, tangential_mass],
            drive: drive.map(|of| [of.linear, of.angular]),
            stretches: !self.pushed.edges.is_empty(),
            previous,
        };
        block.drives.extend(drive);
        let origin = |memory: Memory| Origin {
            gap: c.gap,
            smaller_radius: a.radius.min(b.radius),
            drive: drive.map_or(0, |_| block.drives.len() as u32),
            memory,
        };
        let contact = |opened: &Opened| Contact {
            place,
            law: opened.law,
            impulse: opened.impulse,
            couple: opened.couple,
        };
        let (simple, suffices) = law::open(self.laws, &self.step, &touching);
        let split = a.split != 1.0 || b.split != 1.0;
        let mut part = |parts: &Parts<f64>, slot: usize| {
            let apart = Apart::new(sides, parts.softness(), slot as u32);
            block.apart.push(apart);
        };
        if let Some(geometry) = rigid {
            let ends = self.ends(sides, c, rigid);
            let opened = match suffices {
                true => simple,
                false => law::open_rest(self.laws, &self.step, &touching, &ends, &simple),
            };
            block.slots.push(RIGID);
            block.origins.push(origin(opened.memory));
            block.rigid.push(geometry.contact(place, &opened));
            return;
        }
        if CLUMPS {
            block.slots.push(BATCHED);
        }
        if suffices {
            if split {
                part(&simple.parts, dealt.len());
            }
            block.origins.push(origin(simple.memory));
            dealt.add(contact(&simple), &simple.parts);
        } else {
            let ends = self.ends(sides, c, None);
            let opened = law::open_rest(self.laws, &self.step, &touching, &ends, &simple);
            if split {
                part(&opened.parts, dealt.len());
            }
            block.origins.push(origin(opened.memory));
            dealt.add(contact(&opened), &opened.parts);
        }
    }

    fn ends<'b>(
        &'b self,
        sides: [&'b Side; 2],
        candidate: &'b Candidate,
        rigid: Option<&'b Geometry>,
    ) -> Ends<'b> {
        Ends {
            rigid,
            filling: self,
            sides,
            candidate,
        }
    }
}

/// A contact at the end of the last step, in the form that laws use.
#[inline(always)]
fn previous<'k>(kept: &'k Kept, more: &'k [More]) -> Previous<'k> {
    let more = kept.more_in(more);
    Previous {
        normal: &kept.normal,
        impulse: &kept.impulse,
        couple: &more.couple,
        slid: kept.slid,
        state: &more.state,
    }
}
