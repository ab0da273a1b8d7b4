//! The bonds of an assembly: they are made at the start of an increment, and break at its forces.

use super::assembly::Assembly;
use super::link::Link;
use super::settings::{Breaking, Start};
use crate::body::BodyId;
use crate::contact::{ContactRow, Neighbours};
use crate::law::Step;
use crate::law::bond::{Joint, Near, USED_UP};
use crate::law::elastic::{Carried, Elastic};
use crate::math::{ExactSum, Vector3, nan_max};
use crate::scheme::report::BrokenBond;

impl Assembly<'_, '_> {
    /// Adds the pairs of bonds that are farther apart than the pairs of the search.
    pub(super) fn join(&mut self, rows: &[&[ContactRow]]) {
        let mine = self.network.mine();
        let bodies = self.network.rows.len();
        let place = |id: BodyId| (self.network.rows).binary_search_by_key(&id, |row| row.id);
        let pair = |row: &ContactRow| {
            let first = place(row.key.a).ok()?;
            let (second, near) = match row.key.b.wall_index() {
                Some(wall) => (bodies + wall, false),
                None => place(row.key.b).map(|b| (b, mine[b])).ok()?,
            };
            (mine[first] || near).then_some(Neighbours {
                first: first as u32,
                second: second as u32,
            })
        };
        let bonds = rows.iter().copied().flatten();
        let bonds = bonds.filter(|row| row.state.joint.is_whole());
        let bonds: Vec<Neighbours> = bonds.filter_map(pair).collect();
        self.pairs.extend(bonds);
        self.pairs
            .sort_unstable_by_key(|pair| (pair.first, pair.second));
        self.pairs.dedup();
    }

    /// The bond of a contact in a state of another scheme, whose record of `dt` [s] is given.
    ///
    /// With [`Start::Forces`] an unbonded contact takes the gap without force at which its spring
    /// exerts its force. An overlap without a force is such a gap itself.
    pub(super) fn foreign(
        &self,
        joint: Joint,
        near: &Near,
        (row, dt): (Option<&ContactRow>, f64),
    ) -> Joint {
        if joint.is_whole() {
            return joint;
        }
        let free = Joint { rest: 0.0, ..joint };
        let laws = &self.physics.laws;
        let spring = Elastic::of(laws, near.materials, near.radii, &free, false);
        let pressed = row.map_or(0.0, |row| {
            Vector3::from(row.impulse).dot(&Vector3::from(row.normal)) / dt
        });
        match spring {
            Some(spring)
                if self.statics.start == Start::Forces && (pressed > 0.0 || near.gap < 0.0) =>
            {
                let rest = near.gap + pressed.max(0.0) / spring.stiffness.normal;
                Joint { rest, ..free }
            }
            _ => free,
        }
    }

    /// The bond of a contact in an increment: the existing one, or a new one.
    ///
    /// A new bond carries on with the force of its contact, also one that is made at contact: here
    /// no force is that of a collision.
    pub(super) fn bonded(&self, before: Joint, near: &Near, times: Option<[f64; 2]>) -> Joint {
        let laws = &self.physics.laws;
        let (Some(times), true) = (times, laws.join() && before.glue == 0) else {
            return before;
        };
        let spring = |joint: &Joint| Elastic::of(laws, near.materials, near.radii, joint, false);
        let pressed = spring(&before).map_or(0.0, |contact| contact.normal(near.gap));
        let (made, _) = before.made(&laws.bonds, &Step::of_forces(times), near, pressed);
        match spring(&made).filter(|bond| bond.glued) {
            Some(bond) => Joint {
                rest: near.gap + pressed / bond.stiffness.normal,
                ..made
            },
            None => made,
        }
    }

    /// Breaks bonds whose strength is used up; returns whether there was one. Collective.
    pub(super) fn break_bonds(&mut self, which: Breaking) -> bool {
        let laws = &self.physics.laws;
        if !laws.join() {
            return false;
        }
        let used = |link: &Link| {
            let glue = link.joint.whole(&laws.bonds)?;
            let Carried { force, couple, .. } = &link.carried;
            Some(glue.used(link.radii, &link.normal, [force, couple]))
        };
        let most = self.network.links().filter_map(|link| used(&link));
        let most = self.domain.max(most.fold(0.0, nan_max));
        // The judge sees a NaN.
        if most.is_nan() || most < USED_UP {
            return false;
        }
        let least = match which {
            Breaking::Worst => most,
            Breaking::All => USED_UP,
        };
        let over = |link: &Link| used(link).is_some_and(|share| share >= least);
        let links = self.network.links().enumerate();
        let over: Vec<usize> = links
            .filter_map(|(k, link)| over(&link).then_some(k))
            .collect();
        let mine = self.network.mine();
        self.waves += 1;
        for k in over {
            let link = self.network.link(k);
            let broken = self.unbonded(&link);
            if mine[link.pair.first as usize] {
                let key = self.network.key(&link);
                self.left.push(broken.energy());
                self.broken.push(BrokenBond {
                    time: self.time,
                    wave: self.waves,
                    a: key.a,
                    b: key.b,
                    bond: link.joint.glue - 1,
                    point: self.network.point(&link),
                    normal: link.normal,
                    force: link.carried.force,
                    couple: link.carried.couple,
                    energy: link.energy(),
                });
            }
            self.network.links.set(k, &broken);
        }
        true
    }

    /// The contact without its bond. Its couples are zero, and its friction follows the law.
    fn unbonded(&self, link: &Link) -> Link {
        let joint = Joint {
            glue: Joint::BROKEN,
            rest: 0.0,
        };
        let elastic = self.coefficients(link, &joint);
        let mut free = Link {
            joint,
            elastic,
            ..*link
        };
        free.release();
        free
    }

    /// Energy in the bonds that broke, and in the contacts that they left, on all ranks [J].
    /// Collective.
    pub(super) fn fracture(&self) -> [f64; 2] {
        let lost: ExactSum = self.broken.iter().map(|bond| bond.energy).collect();
        let left: ExactSum = self.left.iter().copied().collect();
        self.domain.sums(&[lost, left])
    }
}
