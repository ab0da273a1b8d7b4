//! Batches of eight contacts, the form in which blocks store contacts for the sweep.
//!
//! A body that impulses can move has at most one contact in a batch. So the eight contacts of a
//! batch can be solved at once, in the lanes of vector registers, or one after the other, with the
//! same numbers. Batches are formed anew in each step, from the block's contacts in random order.

mod eight;
mod former;
mod parts;
mod simple;

pub use eight::{Eight, Eight3, LANES};
pub use former::Former;
pub use parts::{Couple, Line, SpringLines};
pub use simple::{Simples, Unopened};

use crate::contact::Contact;
use crate::law::{Kind, Kinds, Parameters, Parts};
use crate::math::Vector3;
use parts::OfLane;

/// Eight contacts, or fewer and empty lanes.
///
/// An empty lane is a contact between immovable members whose impulse stays zero. Each eight
/// numbers fill a cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Batch {
    /// [`Parameters::normal`].
    pub normal: Eight3,
    /// [`Parameters::closing_speed`].
    pub closing_speed: Eight,
    /// [`Parameters::normal_mass`].
    pub normal_mass: Eight,
    /// [`Parameters::tangential_mass`].
    pub tangential_mass: Eight,
    /// [`Parameters::friction`].
    pub friction: Eight,
    /// [`Contact::impulse`].
    pub impulse: Eight3,
    /// Indices of the first and the second bodies among the block's members.
    pub place: [[u16; LANES]; 2],
}

/// All batches of a block.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    /// Sorted by kind.
    pub all: Vec<Batch>,
    /// The numbers of their contacts' [`Parts`], batch by batch.
    pub parts: Vec<Line>,
    /// The couple impulses of batches whose kind has them, global frame [N m s].
    pub couples: Vec<Couple>,
    /// Runs of batches of one kind, one after the other.
    runs: Vec<Run>,
    /// Whether all indices of members are below [`Batches::SMALL`].
    pub small: bool,
    /// The slot of each contact, in the order of keys: `batch × LANES + lane`.
    slots: Vec<u32>,
}

/// Consecutive batches of one kind.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Its first batch, and the one after its last.
    first: usize,
    end: usize,
    /// The number of lines of parts per batch.
    lines: usize,
    /// The kind, and the first indices of its parts and its couple impulses.
    places: Places,
}

/// The location of a batch's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The parts that its contacts have.
    pub kind: Kind,
    /// Its first line in [`Batches::parts`].
    pub parts: usize,
    /// Its index in [`Batches::couples`], if its kind has couple impulses.
    pub couples: usize,
}

/// Contacts to be put into batches, in the order of their keys.
#[derive(Clone, Debug, Default)]
pub struct Dealt {
    /// Indices of the two members of each.
    pub places: Vec<[u32; 2]>,
    /// The kind of each, and its index among the given ones; [`SIMPLE`]: it is opened in its batch.
    kinds: Vec<(Kind, u32)>,
    /// Contacts that are given as they are, each with the index of its first number.
    pub given: Vec<(Contact, u32)>,
    /// The numbers of the parts of these, followed by the couple impulse where the kind has one.
    numbers: Vec<f64>,
    /// The kinds present, one bit each.
    seen: Kinds,
}

/// Marks contacts that are opened in their batch.
const SIMPLE: u32 = u32::MAX;

impl Dealt {
    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.places.clear();
        self.kinds.clear();
        self.given.clear();
        self.numbers.clear();
        self.seen = Kinds::default();
    }

    /// The number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has no contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Adds a contact with its parts.
    #[inline(always)]
    pub fn add(&mut self, contact: Contact, parts: &Parts<f64>) {
        let kind = parts.kind();
        self.seen.add(kind);
        self.kinds.push((kind, self.given.len() as u32));
        self.places.push(contact.place);
        self.given.push((contact, self.numbers.len() as u32));
        if kind != Kind::PLAIN {
            parts.write(|number| self.numbers.push(number));
            if kind.turns() {
                self.numbers.extend(contact.couple.iter());
            }
        }
    }

    /// Adds a contact with Coulomb's law, and springs if it is soft, which is opened in its batch.
    #[inline(always)]
    pub fn add_simple(&mut self, place: [u32; 2], soft: bool) {
        let kind = if soft { Kind::SPRINGS } else { Kind::PLAIN };
        self.seen.add(kind);
        self.kinds.push((kind, SIMPLE));
        self.places.push(place);
    }
}

impl Batch {
    fn empty(still: u16) -> Self {
        Self {
            place: [[still; LANES]; 2],
            normal: [[0.0; LANES]; 3],
            closing_speed: [0.0; LANES],
            normal_mass: [1.0; LANES],
            tangential_mass: [1.0; LANES],
            friction: [0.0; LANES],
            impulse: [[0.0; LANES]; 3],
        }
    }

    fn put(&mut self, lane: usize, c: &Contact) {
        for side in 0..2 {
            self.place[side][lane] = c.place[side] as u16;
        }
        for axis in 0..3 {
            self.normal[axis][lane] = c.law.normal[axis];
            self.impulse[axis][lane] = c.impulse[axis];
        }
        self.closing_speed[lane] = c.law.closing_speed;
        self.normal_mass[lane] = c.law.normal_mass;
        self.tangential_mass[lane] = c.law.tangential_mass;
        self.friction[lane] = c.law.friction;
    }

    /// One of its contacts.
    #[must_use]
    #[inline]
    pub fn contact(&self, lane: usize) -> Contact {
        Contact {
            place: [self.place[0][lane].into(), self.place[1][lane].into()],
            law: Parameters {
                normal: lane_of(&self.normal, lane),
                closing_speed: self.closing_speed[lane],
                normal_mass: self.normal_mass[lane],
                tangential_mass: self.tangential_mass[lane],
                friction: self.friction[lane],
            },
            impulse: lane_of(&self.impulse, lane),
            couple: Vector3::zeros(),
        }
    }

    /// Sets the impulse of one of its contacts.
    #[inline]
    pub fn set_impulse(&mut self, lane: usize, impulse: &Vector3) {
        for axis in 0..3 {
            self.impulse[axis][lane] = impulse[axis];
        }
    }
}

impl Batches {
    /// Number of members up to which indices need no check in a sweep.
    pub const SMALL: usize = 256;

    /// The number of batches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether it has no batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The kind of a batch, and the location of its numbers.
    #[must_use]
    #[inline(always)]
    pub fn places(&self, batch: usize) -> Places {
        for run in &self.runs {
            if batch < run.end {
                let nth = batch - run.first;
                let Places {
                    kind,
                    parts,
                    couples,
                } = run.places;
                return Places {
                    kind,
                    parts: parts + nth * run.lines,
                    couples: couples + nth,
                };
            }
        }
        Places::default()
    }

    /// The first batch whose kind has more than springs.
    #[must_use]
    #[inline]
    pub fn first_full(&self) -> usize {
        let full = self
            .runs
            .iter()
            .find(|run| !run.places.kind.has_springs_at_most());
        full.map_or(self.len(), |run| run.first)
    }

    /// Whether every batch has Coulomb's law and springs only.
    #[must_use]
    pub fn has_springs_at_most(&self) -> bool {
        self.first_full() == self.len()
    }

    /// The slots of contacts in batches with more than springs, batch by batch.
    pub fn full_slots(&self) -> impl Iterator<Item = u32> {
        (self.first_full() * LANES) as u32..(self.len() * LANES) as u32
    }

    /// Changes the parts of the law of the contact in a slot. The set of parts must stay the same.
    pub fn change(&mut self, slot: u32, change: impl FnOnce(&mut Parts<f64>)) {
        let mut of = self.parts(slot);
        let kind = of.kind();
        change(&mut of);
        debug_assert_eq!(of.kind(), kind, "a contact has the kind of its batch");
        let (batch, lane) = split(slot);
        let first = self.places(batch).parts;
        let mut lines = self.parts[first..].iter_mut();
        of.write(|number| {
            if let Some(line) = lines.next() {
                line.0[lane] = number;
            }
        });
    }

    /// The slot of each contact, in the order of keys.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The contact in a slot.
    #[must_use]
    #[inline]
    pub fn contact(&self, slot: u32) -> Contact {
        let (batch, lane) = split(slot);
        let mut contact = self.all[batch].contact(lane);
        let Places { kind, couples, .. } = self.places(batch);
        if kind.turns() {
            contact.couple = lane_of(&self.couples[couples].0, lane);
        }
        contact
    }

    /// The contact in a slot, if it has Coulomb's law only.
    #[must_use]
    #[inline]
    pub fn plain(&self, slot: u32) -> Option<Contact> {
        let (batch, lane) = split(slot);
        let first = self.runs.first()?;
        let plain = batch < first.end && first.places.kind == Kind::PLAIN;
        plain.then(|| self.all[batch].contact(lane))
    }

    /// The impulse of the contact in a slot, if its kind has springs at most.
    #[must_use]
    #[inline(always)]
    pub fn simple_impulse(&self, slot: u32) -> Option<Vector3> {
        let (batch, lane) = split(slot);
        let simple = batch < self.first_full();
        simple.then(|| lane_of(&self.all[batch].impulse, lane))
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.all.clear();
        self.parts.clear();
        self.couples.clear();
        self.runs.clear();
        self.slots.clear();
    }

    /// The parts of the law of the contact in a slot.
    #[must_use]
    #[inline]
    pub fn parts(&self, slot: u32) -> Parts<f64> {
        let (batch, lane) = split(slot);
        let Places { kind, parts, .. } = self.places(batch);
        if kind == Kind::PLAIN {
            return Parts::NONE;
        }
        let lines = &self.parts[parts..];
        Parts::read(kind, &OfLane { lines, lane })
    }

    /// The number of `Eight3` that hold all impulses and couple impulses.
    #[must_use]
    pub fn state_len(&self) -> usize {
        self.all.len() + self.couples.len()
    }

    /// Reads all impulses, then all couple impulses.
    #[inline(always)]
    pub fn read_state(&self, into: &mut [Eight3]) {
        let (impulses, couples) = into.split_at_mut(self.all.len());
        for (to, batch) in impulses.iter_mut().zip(&self.all) {
            *to = batch.impulse;
        }
        for (to, couples) in couples.iter_mut().zip(&self.couples) {
            *to = couples.0;
        }
    }

    /// Sets the impulse of the contact in a slot.
    #[inline]
    pub fn set_impulse(&mut self, slot: u32, impulse: &Vector3) {
        let (batch, lane) = split(slot);
        self.all[batch].set_impulse(lane, impulse);
    }

    /// Sets the couple impulse of the contact in a slot, if its kind has one.
    #[inline]
    pub fn set_couple(&mut self, slot: u32, couple: &Vector3) {
        let (batch, lane) = split(slot);
        let Places { kind, couples, .. } = self.places(batch);
        if kind.turns() {
            for axis in 0..3 {
                self.couples[couples].0[axis][lane] = couple[axis];
            }
        }
    }
}

/// The vector of one lane.
#[inline]
fn lane_of(three: &Eight3, lane: usize) -> Vector3 {
    Vector3::new(three[0][lane], three[1][lane], three[2][lane])
}

/// Batch and lane of a slot.
#[must_use]
#[inline]
pub fn split(slot: u32) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}
