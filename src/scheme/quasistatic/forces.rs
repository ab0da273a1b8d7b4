//! Forces and couples that a motion adds to the contacts of an assembly.

use super::assembly::Assembly;
use crate::math::Vector3;

/// Forces [N] and couples [N m] on the second sides, by the number of the contact.
pub(super) enum Forces {
    /// No contact resists rotations, so that all couples are zero.
    Alone(Vec<Vector3>),
    /// With couples.
    WithCouples(Vec<[Vector3; 2]>),
}

impl Forces {
    /// Those of all contacts.
    pub(super) fn of(assembly: &Assembly, added: impl Fn(usize) -> [Vector3; 2] + Sync) -> Self {
        let (network, pool) = (&assembly.network, assembly.pool);
        match network.links.resist_turns() {
            true => Self::WithCouples(pool.list(network.count(), added)),
            false => Self::Alone(pool.list(network.count(), |number| added(number)[0])),
        }
    }

    /// Force and couple of a contact.
    #[inline]
    pub(super) fn at(&self, number: usize) -> [Vector3; 2] {
        match self {
            Self::Alone(forces) => [forces[number], Vector3::zeros()],
            Self::WithCouples(both) => both[number],
        }
    }

    /// Those of each contact.
    pub(super) fn each(&self) -> impl Iterator<Item = [Vector3; 2]> + '_ {
        let count = match self {
            Self::Alone(forces) => forces.len(),
            Self::WithCouples(both) => both.len(),
        };
        (0..count).map(|number| self.at(number))
    }
}
