//! The list of the parts that a law can have, and their storage.

use super::bond::Bond;
use super::cohesion::Cohesion;
use super::couples::Couples;
use super::drive::Drive;
use super::impulse::Impulse;
use super::numbers::{Numbers, Part};
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
    /// Each part alone, in the order in which kinds are numbered and parts are stored.
    pub const PARTS: [Kind; 5] = [
        Self::SPRINGS,
        Self::COUPLES,
        Self::COHESION,
        Self::DRIVE,
        Self::BOND,
    ];
    /// The number of numbers of each part.
    const NUMBERS: [usize; Self::PARTS.len()] = [
        <Springs<f64> as Part<f64>>::NUMBERS,
        <Couples<f64> as Part<f64>>::NUMBERS,
        <Cohesion<f64> as Part<f64>>::NUMBERS,
        <Drive<f64> as Part<f64>>::NUMBERS,
        <Bond<f64> as Part<f64>>::NUMBERS,
    ];
    /// The numbers of each part in a lane without a contact.
    const NEUTRAL: [fn(usize) -> f64; Self::PARTS.len()] = [
        <Springs<f64> as Part<f64>>::neutral,
        <Couples<f64> as Part<f64>>::neutral,
        <Cohesion<f64> as Part<f64>>::neutral,
        <Drive<f64> as Part<f64>>::neutral,
        <Bond<f64> as Part<f64>>::neutral,
    ];
    /// Kinds with a couple impulse.
    const TURNING: Kind = Self::COUPLES;

    /// All kinds, in order.
    pub fn all() -> impl Iterator<Item = Kind> {
        (0..1u8 << Self::PARTS.len()).map(Kind)
    }

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

impl<R: Copy> Parts<R> {
    /// No part: Coulomb's law only.
    pub const NONE: Self = Self {
        springs: None,
        couples: None,
        cohesion: None,
        drive: None,
        bond: None,
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
                | part(self.bond.is_some(), Kind::BOND),
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
        }
    }

    /// Energy in the springs of a contact with this impulse [J].
    #[inline(always)]
    pub fn elastic(&self, n: &Three<R>, impulse: &Impulse<R>) -> R
    where
        R: Real,
    {
        let mut energy = match &self.springs {
            Some(springs) => springs.energy(&impulse.linear, dot(&impulse.linear, n)),
            None => n[0].splat(0.0),
        };
        if let Some(bond) = &self.bond {
            energy = energy + bond.energy(n, &impulse.couple);
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
