//! Contacts eight by eight: how blocks store them for the sweep.
//!
//! No body that impulses move has two contacts in one batch. So the eight of a batch may be solved at once, in the lanes of vector
//! registers, or one after the other: the numbers are the same. Batches are formed anew in each step, from the block's
//! contacts in random order.

use crate::body::Member;
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

/// What the laws of a batch's contacts have to them beyond Coulomb's: the batches of a block are sorted by this, so that a sweep
/// does for each what it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// [`Parameters`] say it all.
    #[default]
    Plain,
    /// Springs beside.
    Soft,
    /// Whatever there may be in an [`Extra`].
    Full,
}

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

/// What batches of kind [`Kind::Soft`] have beside.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Springs {
    /// [`Extra::softness`].
    pub softness: [Eight; 2],
    /// [`Extra::previous_tangential`].
    pub previous_tangential: Eight3,
}

/// All batches of a block.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    /// Plain ones, soft ones, full ones.
    pub all: Vec<Batch>,
    /// Of the soft ones.
    pub springs: Vec<Springs>,
    /// Of the full ones, lane by lane.
    pub extras: Vec<Extra>,
    /// How many are plain, and how many plain or soft.
    ends: [usize; 2],
    /// Whether all places are below [`Batches::SMALL`].
    pub small: bool,
    /// Where each of the block's contacts is, in order of their keys: `batch × LANES + lane`.
    slots: Vec<u32>,
}

/// A contact of a block and what there is beside.
pub type Whole = (Contact, Option<Extra>);

impl Kind {
    /// The kind that a contact needs.
    #[must_use]
    pub fn of(extra: Option<&Extra>) -> Self {
        match extra {
            None => Self::Plain,
            Some(extra) if *extra == Extra::springs(extra.softness, extra.previous_tangential) => {
                Self::Soft
            }
            Some(_) => Self::Full,
        }
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

impl Springs {
    fn none() -> Self {
        Self {
            softness: [[0.0; LANES]; 2],
            previous_tangential: [[0.0; LANES]; 3],
        }
    }

    fn put(&mut self, lane: usize, extra: &Extra) {
        for k in 0..2 {
            self.softness[k][lane] = extra.softness[k];
        }
        for axis in 0..3 {
            self.previous_tangential[axis][lane] = extra.previous_tangential[axis];
        }
    }

    fn extra(&self, lane: usize) -> Extra {
        let previous = &self.previous_tangential;
        Extra::springs(
            [self.softness[0][lane], self.softness[1][lane]],
            Vector3::new(previous[0][lane], previous[1][lane], previous[2][lane]),
        )
    }
}

/// Batches that are open to more contacts at a time. A body's bit mask says in which of them it is already.
const OPEN: usize = 64;

impl Batches {
    /// Members up to which places need no check in a sweep.
    pub const SMALL: usize = 256;

    /// Puts contacts into batches: one after the other in the given order (places in `contacts`), each into the first open batch of
    /// its kind in which neither of its bodies is. `members` say which bodies impulses move; the last is what stands still.
    pub fn form(&mut self, contacts: &[Whole], order: &[u32], members: &[Member]) {
        let still = members.len() - 1;
        assert!(still <= usize::from(u16::MAX), "a block of {still} bodies");
        let still = still as u16;
        self.small = usize::from(still) < Self::SMALL;
        self.all.clear();
        self.springs.clear();
        self.extras.clear();
        self.slots.clear();
        self.slots.resize(contacts.len(), 0);
        let ends = [Kind::Plain, Kind::Soft, Kind::Full].map(|kind| {
            let of_kind = |k: &&u32| Kind::of(contacts[**k as usize].1.as_ref()) == kind;
            self.fill(contacts, order.iter().filter(of_kind), members, still);
            self.all.len()
        });
        self.ends = [ends[0], ends[1]];
        self.springs.resize(ends[1] - ends[0], Springs::none());
        self.extras.resize((ends[2] - ends[1]) * LANES, Extra::NONE);
        for (k, (_, extra)) in contacts.iter().enumerate() {
            if let Some(extra) = extra {
                let (batch, lane) = split(self.slots[k]);
                if batch < ends[1] {
                    self.springs[batch - ends[0]].put(lane, extra);
                } else {
                    self.extras[(batch - ends[1]) * LANES + lane] = *extra;
                }
            }
        }
    }

    fn fill<'a>(
        &mut self,
        contacts: &[Whole],
        order: impl Iterator<Item = &'a u32>,
        members: &[Member],
        still: u16,
    ) {
        // Which of the open batches a body is in, which are open, and their numbers and numbers of contacts.
        let mut taken = vec![0u64; members.len()];
        let mut open = 0u64;
        let mut batches = [(0usize, 0usize); OPEN];
        for &k in order {
            let contact = &contacts[k as usize].0;
            let moved = contact.place.map(|p| members[p as usize].moves());
            let mut met = 0;
            for (place, moves) in contact.place.into_iter().zip(moved) {
                if moves {
                    met |= taken[place as usize];
                }
            }
            let mut fit = open & !met;
            if fit == 0 {
                let free = (!open).trailing_zeros() as usize;
                let place = if free < OPEN {
                    free
                } else {
                    // All are open and none will do: the fullest is closed.
                    let fullest = |k: &usize| (batches[*k].1, OPEN - k);
                    (0..OPEN).max_by_key(fullest).unwrap_or_default()
                };
                open |= 1 << place;
                taken.iter_mut().for_each(|bits| *bits &= !(1 << place));
                batches[place] = (self.all.len(), 0);
                self.all.push(Batch::empty(still));
                fit = 1 << place;
            }
            let place = fit.trailing_zeros() as usize;
            let (batch, lane) = batches[place];
            self.all[batch].put(lane, contact);
            self.slots[k as usize] = (batch * LANES + lane) as u32;
            batches[place].1 += 1;
            for (place_of, moves) in contact.place.into_iter().zip(moved) {
                if moves {
                    taken[place_of as usize] |= 1 << place;
                }
            }
            if lane + 1 == LANES {
                open &= !(1 << place);
            }
        }
    }

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

    /// The kind of a batch, and its place among those of its kind.
    #[must_use]
    #[inline]
    pub fn kind(&self, batch: usize) -> (Kind, usize) {
        let [plain, soft] = self.ends;
        if batch < plain {
            (Kind::Plain, batch)
        } else if batch < soft {
            (Kind::Soft, batch - plain)
        } else {
            (Kind::Full, batch - soft)
        }
    }

    /// The first of the full batches.
    #[must_use]
    #[inline]
    pub fn first_full(&self) -> usize {
        self.ends[1]
    }

    /// Whether no batch is full.
    #[must_use]
    pub fn is_all_fast(&self) -> bool {
        self.first_full() == self.len()
    }

    /// The slots of contacts in full batches, batch by batch.
    pub fn full_slots(&self) -> impl Iterator<Item = u32> {
        (self.first_full() * LANES) as u32..(self.len() * LANES) as u32
    }

    /// The springs of a soft batch.
    #[must_use]
    #[inline]
    pub fn springs_of(&self, batch: usize) -> Option<&Springs> {
        match self.kind(batch) {
            (Kind::Soft, k) => self.springs.get(k),
            _ => None,
        }
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
        match self.kind(batch) {
            (Kind::Plain, _) => None,
            (Kind::Soft, k) => Some(self.springs[k].extra(lane)),
            (Kind::Full, k) => Some(self.extras[k * LANES + lane]),
        }
    }

    /// Threes of eight numbers in which all its impulses and couple impulses are told.
    #[must_use]
    pub fn state_len(&self) -> usize {
        self.all.len() + self.extras.len() / LANES
    }

    /// Reads all impulses, then the couple impulses of the full batches.
    #[inline(always)]
    pub fn read_state(&self, into: &mut [Eight3]) {
        let (impulses, couples) = into.split_at_mut(self.all.len());
        for (to, batch) in impulses.iter_mut().zip(&self.all) {
            *to = batch.impulse;
        }
        for (to, extras) in couples.iter_mut().zip(self.extras.chunks(LANES)) {
            for (lane, extra) in extras.iter().enumerate() {
                for (to, x) in to.iter_mut().zip(&extra.couple) {
                    to[lane] = *x;
                }
            }
        }
    }

    /// Writes them back.
    #[inline(always)]
    pub fn write_state(&mut self, from: &[Eight3]) {
        let (impulses, couples) = from.split_at(self.all.len());
        for (from, batch) in impulses.iter().zip(&mut self.all) {
            batch.impulse = *from;
        }
        for (from, extras) in couples.iter().zip(self.extras.chunks_mut(LANES)) {
            for (lane, extra) in extras.iter_mut().enumerate() {
                for (from, x) in from.iter().zip(extra.couple.iter_mut()) {
                    *x = from[lane];
                }
            }
        }
    }

    /// The masses, or moments of inertia, by which the judge measures changes of a three of the state.
    #[must_use]
    #[inline(always)]
    pub fn state_mass(&self, k: usize) -> Eight {
        match self.all.get(k) {
            Some(batch) => batch.normal_mass,
            None => {
                let first = (k - self.all.len()) * LANES;
                std::array::from_fn(|lane| self.extras[first + lane].turning_mass)
            }
        }
    }

    /// Sets the impulse of the contact in a slot.
    #[inline]
    pub fn set_impulse(&mut self, slot: u32, impulse: &Vector3) {
        let (batch, lane) = split(slot);
        self.all[batch].set_impulse(lane, impulse);
    }

    /// Sets the couple impulse of the contact in a slot; only full ones have one.
    #[inline]
    pub fn set_couple(&mut self, slot: u32, couple: &Vector3) {
        let (batch, lane) = split(slot);
        if let (Kind::Full, k) = self.kind(batch) {
            self.extras[k * LANES + lane].couple = *couple;
        }
    }
}

/// Batch and lane of a slot.
#[must_use]
#[inline]
pub fn split(slot: u32) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}
