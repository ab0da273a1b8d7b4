//! The list of the parts that a law can have, and their storage.

use super::bond::Bond;
use super::cohesion::Cohesion;
use super::couples::Couples;
use super::damper::Damper;
use super::drive::Drive;
use super::hertz::Hertz;
use super::impulse::Impulse;
use super::numbers::{Numbers, Part};
use super::pivot::Pivot;
use super::springs::Springs;
use crate::math::real::{Real, Three, dot};

/// The parts of a contact's law beyond Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts<R> {
    /// Compliance.
    pub springs: Option<Springs<R>>,
    /// Rolling and torsion friction.
    pub couples: Option<Couples<R>>,
    /// Cohesion that acts in this step.
    pub cohesion: Option<Cohesion<R>>,
    /// A shift of the relative velocity.
    pub drive: Option<Drive<R>>,
    /// An unbroken bond; a bonded contact also has springs and couples.
    pub bond: Option<Bond<R>>,
    /// A dashpot along the normal, of springs or of Hertz's law.
    pub damper: Option<Damper<R>>,
    /// Springs of the couples.
    pub pivot: Option<Pivot<R>>,
    /// The law of Hertz and Mindlin, in place of springs.
    pub hertz: Option<Hertz<R>>,
}

/// The set of parts that a contact has. Contacts of one kind are stored and solved together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(u8);

impl Kind {
    /// Coulomb's law only.
    pub const PLAIN: Kind = Kind(0);
    /// [`Parts::springs`].
    pub const SPRINGS: Kind = Kind(1);
    /// [`Parts::couples`].
    pub const COUPLES: Kind = Kind(2);
    /// [`Parts::cohesion`].
    pub const COHESION: Kind = Kind(4);
    /// [`Parts::drive`].
    pub const DRIVE: Kind = Kind(8);
    /// [`Parts::bond`].
    pub const BOND: Kind = Kind(16);
    /// [`Parts::damper`].
    pub const DAMPER: Kind = Kind(32);
    /// [`Parts::pivot`].
    pub const PIVOT: Kind = Kind(64);
    /// [`Parts::hertz`].
    pub const HERTZ: Kind = Kind(128);
    /// Parts that hold contacts by springs: such contacts overlap at rest.
    pub const SOFT: Kind = Kind(Self::SPRINGS.0 | Self::HERTZ.0);
    /// Each part alone, in the order in which kinds are numbered and parts are stored.
    pub const PARTS: [Kind; 8] = [
        Self::SPRINGS,
        Self::COUPLES,
        Self::COHESION,
        Self::DRIVE,
        Self::BOND,
        Self::DAMPER,
        Self::PIVOT,
        Self::HERTZ,
    ];
    /// The number of numbers of each part.
    const NUMBERS: [usize; Self::PARTS.len()] = [
        <Springs<f64> as Part<f64>>::NUMBERS,
        <Couples<f64> as Part<f64>>::NUMBERS,
        <Cohesion<f64> as Part<f64>>::NUMBERS,
        <Drive<f64> as Part<f64>>::NUMBERS,
        <Bond<f64> as Part<f64>>::NUMBERS,
        <Damper<f64> as Part<f64>>::NUMBERS,
        <Pivot<f64> as Part<f64>>::NUMBERS,
        <Hertz<f64> as Part<f64>>::NUMBERS,
    ];
    /// The numbers of each part in a lane without a contact.
    const NEUTRAL: [fn(usize) -> f64; Self::PARTS.len()] = [
        <Springs<f64> as Part<f64>>::neutral,
        <Couples<f64> as Part<f64>>::neutral,
        <Cohesion<f64> as Part<f64>>::neutral,
        <Drive<f64> as Part<f64>>::neutral,
        <Bond<f64> as Part<f64>>::neutral,
        <Damper<f64> as Part<f64>>::neutral,
        <Pivot<f64> as Part<f64>>::neutral,
        <Hertz<f64> as Part<f64>>::neutral,
    ];
    /// Kinds with a couple impulse.
    const TURNING: Kind = Self::COUPLES;

    /// Whether the kind has one of these parts.
    #[must_use]
    #[inline(always)]
    pub const fn has(self, parts: Kind) -> bool {
        self.0 & parts.0 != 0
    }

    /// Whether the kind has Coulomb's law and springs only.
    #[must_use]
    #[inline(always)]
    pub fn has_springs_at_most(self) -> bool {
        self <= Self::SPRINGS
    }

    /// Whether contacts of this kind resist no tension: neither cohesion nor a bond.
    #[must_use]
    #[inline(always)]
    pub const fn is_dry(self) -> bool {
        !self.has(Kind(Self::COHESION.0 | Self::BOND.0))
    }

    /// Whether contacts of this kind have a couple impulse.
    #[must_use]
    #[inline(always)]
    pub const fn turns(self) -> bool {
        self.has(Self::TURNING)
    }

    /// The number of numbers of all its parts.
    #[must_use]
    pub fn numbers(self) -> usize {
        self.place(Kind(u8::MAX))
    }

    /// Its numbers in a lane without a contact.
    pub fn neutral(self) -> impl Iterator<Item = f64> {
        let parts = (0..Self::PARTS.len()).filter(move |&k| self.has(Self::PARTS[k]));
        parts.flat_map(|k| (0..Self::NUMBERS[k]).map(move |number| Self::NEUTRAL[k](number)))
    }

    /// The index of the kind, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The index of a part's first number among those of this kind.
    #[inline(always)]
    fn place(self, part: Kind) -> usize {
        let mut place = 0;
        for k in 0..Self::PARTS.len() {
            if Self::PARTS[k] < part && self.has(Self::PARTS[k]) {
                place += Self::NUMBERS[k];
            }
        }
        place
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds([u64; 4]);

impl Kinds {
    /// Adds a kind.
    #[inline(always)]
    pub fn add(&mut self, Kind(of): Kind) {
        self.0[usize::from(of >> 6)] |= 1 << (of & 63);
    }

    /// The kinds of the set, in order.
    pub fn each(self) -> impl Iterator<Item = Kind> {
        (0..4u8).flat_map(move |word| {
            let mut bits = self.0[usize::from(word)];
            std::iter::from_fn(move || {
                let next = bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
                (next < 64).then_some(Kind(word << 6 | next as u8))
            })
        })
    }
}

impl<R: Copy> Parts<R> {
    /// No part: Coulomb's law only.
    pub const NONE: Self = Self {
        springs: None,
        couples: None,
        cohesion: None,
        drive: None,
        bond: None,
        damper: None,
        pivot: None,
        hertz: None,
    };

    /// The set of parts present.
    #[must_use]
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        let part = |there: bool, kind: Kind| if there { kind.0 } else { 0 };
        Kind(
            part(self.springs.is_some(), Kind::SPRINGS)
                | part(self.couples.is_some(), Kind::COUPLES)
                | part(self.cohesion.is_some(), Kind::COHESION)
                | part(self.drive.is_some(), Kind::DRIVE)
                | part(self.bond.is_some(), Kind::BOND)
                | part(self.damper.is_some(), Kind::DAMPER)
                | part(self.pivot.is_some(), Kind::PIVOT)
                | part(self.hertz.is_some(), Kind::HERTZ),
        )
    }

    /// The parts of a kind, read from its numbers.
    #[inline(always)]
    pub fn read(kind: Kind, from: &impl Numbers<R>) -> Self {
        Self {
            springs: read(kind, Kind::SPRINGS, from),
            couples: read(kind, Kind::COUPLES, from),
            cohesion: read(kind, Kind::COHESION, from),
            drive: read(kind, Kind::DRIVE, from),
            bond: read(kind, Kind::BOND, from),
            damper: read(kind, Kind::DAMPER, from),
            pivot: read(kind, Kind::PIVOT, from),
            hertz: read(kind, Kind::HERTZ, from),
        }
    }

    /// Energy in the springs of a contact with this impulse [J].
    #[inline(always)]
    pub fn elastic(&self, n: &Three<R>, impulse: &Impulse<R>) -> R
    where
        R: Real,
    {
        let r_n = dot(&impulse.linear, n);
        let mut energy = match (&self.springs, &self.damper) {
            (Some(springs), None) => springs.energy(&impulse.linear, r_n),
            (Some(springs), Some(damper)) => {
                springs.tangential_energy(&impulse.linear, r_n) + damper.energy(r_n)
            }
            (None, _) => n[0].splat(0.0),
        };
        if let Some(bond) = &self.bond {
            energy = energy + bond.pivot.energy(n, &impulse.couple);
        }
        if let Some(pivot) = &self.pivot {
            energy = energy + pivot.energy(n, &impulse.couple);
        }
        if let Some(hertz) = &self.hertz {
            energy = energy
                + match &self.damper {
                    None => hertz.energy(&impulse.linear, r_n),
                    Some(damper) => hertz.damped_energy(damper, &impulse.linear, r_n),
                };
        }
        energy
    }

    /// Passes the numbers to `put`, one after the other.
    #[inline(always)]
    pub fn write(&self, mut put: impl FnMut(R)) {
        let put = &mut put;
        self.springs.iter().for_each(|part| part.write(put));
        self.couples.iter().for_each(|part| part.write(put));
        self.cohesion.iter().for_each(|part| part.write(put));
        self.drive.iter().for_each(|part| part.write(put));
        self.bond.iter().for_each(|part| part.write(put));
        self.damper.iter().for_each(|part| part.write(put));
        self.pivot.iter().for_each(|part| part.write(put));
        self.hertz.iter().for_each(|part| part.write(put));
    }
}

impl Parts<f64> {
    /// The softness that is in the masses of the law, along and across the normal [1/kg].
    #[must_use]
    pub fn softness(&self) -> [f64; 2] {
        match (&self.springs, &self.hertz, &self.damper) {
            (Some(springs), ..) => springs.softness,
            (None, Some(_), Some(damper)) => [damper.yielding(), 0.0],
            _ => [0.0; 2],
        }
    }
}

#[inline(always)]
fn read<R, P: Part<R>>(kind: Kind, part: Kind, from: &impl Numbers<R>) -> Option<P> {
    if kind.has(part) {
        let place = kind.place(part);
        from.reach(place + P::NUMBERS);
        Some(P::read(from, place))
    } else {
        None
    }
}
