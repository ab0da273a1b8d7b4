//! Contacts eight by eight: how blocks store them for the sweep.
//!
//! No body that impulses move has two contacts in one batch. So the eight of a batch may be solved at once, in the lanes of vector
//! registers, or one after the other: the numbers are the same. Batches are formed anew in each step, from the block's
//! contacts in random order.

mod beside;
mod former;

use beside::Part;
pub use beside::{Bonds, Couples, Drives, Kind, Springs};
pub use former::Former;

use crate::contact::Contact;
use crate::law::coulomb::Parameters;
use crate::law::full::Extra;
use crate::math::Vector3;

/// Contacts in a batch.
pub const LANES: usize = 8;

/// One number of each contact of a batch.
pub type Eight = [f64; LANES];

/// A vector of each, component by component.
pub type Eight3 = [Eight; 3];

/// Eight contacts, or fewer and the rest empty: between what nothing moves, with no impulse ever. Each eight numbers are a line of
/// the cache.
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
    /// Places of the first and the second bodies among the block's members.
    pub place: [[u16; LANES]; 2],
}

/// All batches of a block.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    /// In order of their kinds.
    pub all: Vec<Batch>,
    /// Of those that have them.
    pub springs: Vec<Springs>,
    /// Of those that have them.
    pub couples: Vec<Couples>,
    /// Of those that have them.
    pub bonds: Vec<Bonds>,
    /// Of those that have them.
    pub drives: Vec<Drives>,
    /// Batches of one kind, one kind after the other.
    runs: Vec<Run>,
    /// Whether all places are below [`Batches::SMALL`].
    pub small: bool,
    /// Where each of the block's contacts is, in order of their keys: `batch × LANES + lane`.
    slots: Vec<u32>,
}

/// Batches of one kind.
#[derive(Clone, Copy, Debug)]
struct Run {
    kind: Kind,
    /// Its first batch, and the one after its last.
    first: usize,
    end: usize,
    /// Where its parts start: springs, couples, bonds, drives.
    parts: [usize; 4],
}

/// Where a batch's parts stand: springs, couples, bonds, drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// What the batch has.
    pub kind: Kind,
    /// Of the parts that it has not, anything.
    pub parts: [usize; 4],
}

/// Contacts that are to be put into batches, in order of keys.
#[derive(Clone, Debug, Default)]
pub struct Dealt {
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// The kind of each, and the place of what it has beside among those.
    beside: Vec<(Kind, u32)>,
    springs: Vec<([f64; 2], Vector3)>,
    extras: Vec<Extra>,
    /// Which kinds there are, a bit each.
    kinds: u16,
}

impl Dealt {
    /// None.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.beside.clear();
        self.springs.clear();
        self.extras.clear();
        self.kinds = 0;
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// One more, and what there is beside, trimmed.
    #[inline]
    pub fn add(&mut self, contact: Contact, extra: Option<Extra>) {
        match (Kind::of(extra.as_ref()), extra) {
            (Kind::PLAIN, _) | (_, None) => {
                self.contacts.push(contact);
                self.beside.push((Kind::PLAIN, 0));
            }
            (Kind::SPRINGS, Some(extra)) => {
                self.add_soft(contact, extra.softness, extra.previous_tangential);
            }
            (kind, Some(extra)) => {
                self.contacts.push(contact);
                self.beside.push((kind, self.extras.len() as u32));
                self.extras.push(extra);
            }
        }
        self.kinds |= 1 << self.beside.last().map_or(0, |(kind, _)| kind.index());
    }

    /// One more, with springs: [`Extra::softness`], [`Extra::previous_tangential`].
    #[inline]
    pub fn add_soft(&mut self, contact: Contact, softness: [f64; 2], previous: Vector3) {
        self.contacts.push(contact);
        self.beside.push((Kind::SPRINGS, self.springs.len() as u32));
        self.kinds |= 1 << Kind::SPRINGS.index();
        self.springs.push((softness, previous));
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
        let of = |three: &Eight3| Vector3::new(three[0][lane], three[1][lane], three[2][lane]);
        Contact {
            place: [self.place[0][lane].into(), self.place[1][lane].into()],
            law: Parameters {
                normal: of(&self.normal),
                closing_speed: self.closing_speed[lane],
                normal_mass: self.normal_mass[lane],
                tangential_mass: self.tangential_mass[lane],
                friction: self.friction[lane],
            },
            impulse: of(&self.impulse),
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
    /// Members up to which places need no check in a sweep.
    pub const SMALL: usize = 256;

    /// How many batches there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The kind of a batch, and where its parts are.
    #[must_use]
    #[inline(always)]
    pub fn places(&self, batch: usize) -> Places {
        for run in &self.runs {
            if batch < run.end {
                let mut parts = run.parts;
                parts.iter_mut().for_each(|part| *part += batch - run.first);
                return Places {
                    kind: run.kind,
                    parts,
                };
            }
        }
        Places::default()
    }

    /// The first of the batches that have more than springs beside.
    #[must_use]
    #[inline]
    pub fn first_full(&self) -> usize {
        let full = self.runs.iter().find(|run| !run.kind.has_springs_at_most());
        full.map_or(self.len(), |run| run.first)
    }

    /// Whether there is none.
    #[must_use]
    pub fn has_springs_at_most(&self) -> bool {
        self.first_full() == self.len()
    }

    /// The slots of contacts in such batches, batch by batch.
    pub fn full_slots(&self) -> impl Iterator<Item = u32> {
        (self.first_full() * LANES) as u32..(self.len() * LANES) as u32
    }

    /// The springs of a batch that has them.
    #[must_use]
    #[inline]
    pub fn springs_of(&self, batch: usize) -> Option<&Springs> {
        let places = self.places(batch);
        let springs = self.springs.get(places.parts[0]);
        springs.filter(|_| places.kind.has(Kind::SPRINGS))
    }

    /// Where each contact is, in order of keys.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The contact in a slot.
    #[must_use]
    #[inline]
    pub fn contact(&self, slot: u32) -> Contact {
        let (batch, lane) = split(slot);
        self.all[batch].contact(lane)
    }

    /// What there is beside of the contact in a slot.
    #[must_use]
    #[inline]
    pub fn extra(&self, slot: u32) -> Option<Extra> {
        let (batch, lane) = split(slot);
        let Places { kind, parts } = self.places(batch);
        if kind == Kind::PLAIN {
            return None;
        }
        let mut extra = Extra::NONE;
        if kind.has(Kind::SPRINGS) {
            self.springs[parts[0]].get(lane, &mut extra);
        }
        if kind.has(Kind::COUPLES) {
            self.couples[parts[1]].get(lane, &mut extra);
        }
        if kind.has(Kind::BONDS) {
            self.bonds[parts[2]].get(lane, &mut extra);
        }
        if kind.has(Kind::DRIVES) {
            self.drives[parts[3]].get(lane, &mut extra);
        }
        Some(extra)
    }

    /// Of what there is beside of the contact in a slot: [`Extra::couple`] and [`Extra::cohesion`].
    #[must_use]
    #[inline]
    pub fn couple_and_cohesion(&self, slot: u32) -> (Vector3, f64) {
        let (batch, lane) = split(slot);
        let Places { kind, parts } = self.places(batch);
        let couple = match kind.has(Kind::COUPLES) {
            true => self.couples[parts[1]].couple_of(lane),
            false => Vector3::zeros(),
        };
        let cohesion = match kind.has(Kind::BONDS) {
            true => self.bonds[parts[2]].cohesion[lane],
            false => 0.0,
        };
        (couple, cohesion)
    }

    /// Threes of eight numbers in which all its impulses and couple impulses are told.
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
            *to = couples.couple;
        }
    }

    /// Sets the impulse of the contact in a slot.
    #[inline]
    pub fn set_impulse(&mut self, slot: u32, impulse: &Vector3) {
        let (batch, lane) = split(slot);
        self.all[batch].set_impulse(lane, impulse);
    }

    /// Sets the couple impulse of the contact in a slot, if it can have one.
    #[inline]
    pub fn set_couple(&mut self, slot: u32, couple: &Vector3) {
        let (batch, lane) = split(slot);
        let Places { kind, parts } = self.places(batch);
        if kind.has(Kind::COUPLES) {
            self.couples[parts[1]].set_couple(lane, couple);
        }
    }
}

/// Batch and lane of a slot.
#[must_use]
#[inline]
pub fn split(slot: u32) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}
