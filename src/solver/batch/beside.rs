//! What batches have beside Coulomb's law: of each part as many eights as its contacts need numbers.

use super::{Eight, Eight3, LANES};
use crate::law::full::Extra;
use crate::math::Vector3;

/// Which parts of an [`Extra`] the contacts of a batch have: the batches of a block are sorted by this, so that a sweep does for
/// each what it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(u8);

impl Kind {
    /// None: [`Parameters`](crate::law::coulomb::Parameters) say it all.
    pub const PLAIN: Kind = Kind(0);
    /// [`Springs`].
    pub const SPRINGS: Kind = Kind(1);
    /// [`Couples`].
    pub const COUPLES: Kind = Kind(2);
    /// [`Bonds`].
    pub const BONDS: Kind = Kind(4);
    /// [`Drives`].
    pub const DRIVES: Kind = Kind(8);
    /// How many kinds there are.
    pub(super) const COUNT: u8 = 16;

    /// All kinds, in order.
    pub(super) fn all() -> impl Iterator<Item = Kind> {
        (0..Self::COUNT).map(Kind)
    }

    /// The kind that a contact needs, whose extra is trimmed.
    #[must_use]
    pub fn of(extra: Option<&Extra>) -> Self {
        let Some(extra) = extra else {
            return Self::PLAIN;
        };
        let zero = Vector3::zeros();
        let part = |is: bool, kind: Kind| if is { kind.0 } else { 0 };
        Kind(
            part(extra.softness != [0.0; 2], Self::SPRINGS)
                | part(extra.has_couples(), Self::COUPLES)
                | part(extra.cohesion != 0.0, Self::BONDS)
                | part(
                    extra.offset != zero || extra.spin_offset != zero,
                    Self::DRIVES,
                ),
        )
    }

    /// Whether it has a part.
    #[must_use]
    #[inline(always)]
    pub fn has(self, part: Kind) -> bool {
        self.0 & part.0 != 0
    }

    /// Whether there is nothing but springs.
    #[must_use]
    #[inline(always)]
    pub fn has_springs_at_most(self) -> bool {
        self <= Self::SPRINGS
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Compliance.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Springs {
    /// [`Extra::softness`].
    pub softness: [Eight; 2],
    /// [`Extra::previous_tangential`].
    pub previous_tangential: Eight3,
}

/// Rolling and torsion friction.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Couples {
    /// [`Extra::rolling`].
    pub rolling: Eight,
    /// [`Extra::torsion`].
    pub torsion: Eight,
    /// [`Extra::turning_mass`].
    pub turning_mass: Eight,
    /// [`Extra::coupling`].
    pub coupling: Eight,
    /// [`Extra::inverse_lever`].
    pub inverse_lever: [Eight; 2],
    /// [`Extra::couple`].
    pub couple: Eight3,
}

/// Cohesion.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Bonds {
    /// [`Extra::cohesion`].
    pub cohesion: Eight,
    /// [`Extra::weakened`]: 1 or 0.
    pub weakened: Eight,
}

/// Velocities of driven walls.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Drives {
    /// [`Extra::offset`].
    pub offset: Eight3,
    /// [`Extra::spin_offset`].
    pub spin_offset: Eight3,
}

/// A part of extras, eight at a time.
pub(super) trait Part {
    /// Of contacts that have it not.
    const NONE: Self;
    /// Takes it from an extra.
    fn put(&mut self, lane: usize, extra: &Extra);
    /// Puts it into an extra.
    fn get(&self, lane: usize, extra: &mut Extra);
}

fn put3(to: &mut Eight3, lane: usize, from: &Vector3) {
    for axis in 0..3 {
        to[axis][lane] = from[axis];
    }
}

fn get3(from: &Eight3, lane: usize) -> Vector3 {
    Vector3::new(from[0][lane], from[1][lane], from[2][lane])
}

const ZERO: Eight = [0.0; LANES];

impl Springs {
    /// What [`Part::put`] does, without an extra.
    pub(super) fn set(&mut self, lane: usize, softness: [f64; 2], previous: &Vector3) {
        for (to, from) in self.softness.iter_mut().zip(softness) {
            to[lane] = from;
        }
        put3(&mut self.previous_tangential, lane, previous);
    }
}

impl Part for Springs {
    const NONE: Self = Self {
        softness: [ZERO; 2],
        previous_tangential: [ZERO; 3],
    };
    fn put(&mut self, lane: usize, extra: &Extra) {
        self.set(lane, extra.softness, &extra.previous_tangential);
    }
    fn get(&self, lane: usize, extra: &mut Extra) {
        extra.softness = [self.softness[0][lane], self.softness[1][lane]];
        extra.previous_tangential = get3(&self.previous_tangential, lane);
    }
}

impl Part for Couples {
    const NONE: Self = Self {
        rolling: ZERO,
        torsion: ZERO,
        turning_mass: [1.0; LANES],
        coupling: ZERO,
        inverse_lever: [ZERO; 2],
        couple: [ZERO; 3],
    };
    fn put(&mut self, lane: usize, extra: &Extra) {
        self.rolling[lane] = extra.rolling;
        self.torsion[lane] = extra.torsion;
        self.turning_mass[lane] = extra.turning_mass;
        self.coupling[lane] = extra.coupling;
        for side in 0..2 {
            self.inverse_lever[side][lane] = extra.inverse_lever[side];
        }
        put3(&mut self.couple, lane, &extra.couple);
    }
    fn get(&self, lane: usize, extra: &mut Extra) {
        extra.rolling = self.rolling[lane];
        extra.torsion = self.torsion[lane];
        extra.turning_mass = self.turning_mass[lane];
        extra.coupling = self.coupling[lane];
        extra.inverse_lever = [self.inverse_lever[0][lane], self.inverse_lever[1][lane]];
        extra.couple = get3(&self.couple, lane);
    }
}

impl Couples {
    /// The couple impulse of one contact.
    #[inline]
    pub(super) fn couple_of(&self, lane: usize) -> Vector3 {
        get3(&self.couple, lane)
    }

    /// Sets the couple of one contact.
    pub(super) fn set_couple(&mut self, lane: usize, couple: &Vector3) {
        put3(&mut self.couple, lane, couple);
    }
}

impl Part for Bonds {
    const NONE: Self = Self {
        cohesion: ZERO,
        weakened: ZERO,
    };
    fn put(&mut self, lane: usize, extra: &Extra) {
        self.cohesion[lane] = extra.cohesion;
        self.weakened[lane] = f64::from(u8::from(extra.weakened));
    }
    fn get(&self, lane: usize, extra: &mut Extra) {
        extra.cohesion = self.cohesion[lane];
        extra.weakened = self.weakened[lane] == 1.0;
    }
}

impl Part for Drives {
    const NONE: Self = Self {
        offset: [ZERO; 3],
        spin_offset: [ZERO; 3],
    };
    fn put(&mut self, lane: usize, extra: &Extra) {
        put3(&mut self.offset, lane, &extra.offset);
        put3(&mut self.spin_offset, lane, &extra.spin_offset);
    }
    fn get(&self, lane: usize, extra: &mut Extra) {
        extra.offset = get3(&self.offset, lane);
        extra.spin_offset = get3(&self.spin_offset, lane);
    }
}
