//! Forces and couples that a motion adds to the contacts of an assembly.

use super::assembly::Assembly;
use super::frame::Moves;
use super::link::Link;
use super::network::Network;
use super::unknowns::{Push, Shift};
use crate::contact::Partner;
use crate::law::elastic::{Motion, Tangent};
use crate::math::Vector3;

/// The resistances of the contacts of an assembly at its present forces.
#[derive(Clone, Copy)]
pub(super) struct Tangents<'s, 'a, 'd> {
    pub assembly: &'s Assembly<'a, 'd>,
    /// Whether the friction of sliding contacts follows their normal force.
    pub coulomb: bool,
}

impl Tangents<'_, '_, '_> {
    /// The resistance of a contact; `None` where it takes no part.
    pub(super) fn of(&self, link: &Link) -> Option<Tangent> {
        resists(link, self.coulomb)
    }

    /// Force and couple of each contact that shifts of all known bodies and of the frame add.
    pub(super) fn forces(&self, shifts: &[[f64; 6]], frame: Option<&Moves>) -> Forces {
        let strain = frame.map_or_else(Vector3::zeros, |frame| frame.strain);
        let centres = self.assembly.centres();
        let network = &self.assembly.network;
        self.forces_by(|link| {
            let first = Shift::from_array(shifts[link.pair.first as usize]);
            let second = match link.partner {
                Partner::Body(b) => Shift::from_array(shifts[b]),
                Partner::Wall(w) => frame.map_or_else(Shift::default, |frame| {
                    frame.walls[w].at(&(network.point(link) - centres[w]))
                }),
            };
            link.strained([&first, &second], &strain)
        })
    }

    /// Force and couple of each contact that its motion adds.
    pub(super) fn forces_by(&self, motion: impl Fn(&Link) -> Motion + Sync) -> Forces {
        let (network, pool) = (&self.assembly.network, self.assembly.pool);
        let coulomb = self.coulomb;
        let added = |number: usize| {
            let link = network.link(number);
            let Some(tangent) = resists(&link, coulomb) else {
                return [Vector3::zeros(); 2];
            };
            let motion = motion(&link);
            tangent.added(&motion.slip, &motion.turn)
        };
        match network.links.resist_turns() {
            true => Forces::WithCouples(pool.list(network.count(), added)),
            false => Forces::Alone(pool.list(network.count(), |number| added(number)[0])),
        }
    }

    /// The pushes of forces and couples of the contacts on own bodies.
    pub(super) fn pushes(&self, forces: &Forces) -> Vec<Push> {
        let network = &self.assembly.network;
        (self.assembly.pool).list(network.own.len(), |k| pushed(network, k, forces))
    }
}

/// The resistance of a contact; `None` where it takes no part.
///
/// It costs less to find it again than to fetch it from memory.
pub(super) fn resists(link: &Link, coulomb: bool) -> Option<Tangent> {
    link.acts().then(|| {
        let mut tangent = link.tangent(coulomb);
        // A smooth contact does not stick, not even before it slides.
        if link.elastic.friction == 0.0 && !link.joint.is_whole() {
            tangent.stiffness.tangential = 0.0;
        }
        tangent
    })
}

/// The push of forces and couples of the contacts on own body number `k`.
pub(super) fn pushed(network: &Network, k: usize, forces: &Forces) -> Push {
    let sides = network.sides(k).iter();
    sides.fold(Push::default(), |sum, side| {
        let number = side.link();
        let pushes = network.link(number).pushes(&forces.at(number));
        sum.plus(&pushes[side.side()])
    })
}

/// Forces [N] and couples [N m] on the second sides, by the number of the contact.
pub(super) enum Forces {
    /// No contact resists rotations, so that all couples are zero.
    Alone(Vec<Vector3>),
    /// With couples.
    WithCouples(Vec<[Vector3; 2]>),
}

impl Forces {
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
