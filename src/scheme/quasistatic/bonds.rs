//! The bonds of an assembly: they are made at the start of an increment, and break at its forces.

use super::assembly::Assembly;
use super::link::Link;
use super::settings::Breaking;
use crate::body::BodyId;
use crate::contact::{ContactRow, Neighbours};
use crate::law::Step;
use crate::law::bond::{Joint, Near};
use crate::law::elastic::{Carried, Elastic};
use crate::math::{ExactSum, nan_max};
use crate::scheme::report::BrokenBond;

/// The share of its strength at which a bond breaks.
const USED_UP: f64 = 1.0 - 1e-12;

impl Assembly<'_, '_> {
    /// Adds the pairs of bonds that are farther apart than the pairs of the search.
    pub(super) fn join(&mut self, rows: &[ContactRow]) {
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
        let bonds = rows.iter().filter(|row| row.state.joint.is_whole());
        let bonds: Vec<Neighbours> = bonds.filter_map(pair).collect();
        self.pairs.extend(bonds);
        self.pairs
            .sort_unstable_by_key(|pair| (pair.first, pair.second));
        self.pairs.dedup();
    }

    /// The bond of a contact in an increment: the existing one, or a new one. Also the share of the
    /// present forces that it keeps.
    pub(super) fn bonded(&self, before: Joint, near: &Near, step: Option<&Step>) -> (Joint, f64) {
        let laws = &self.physics.laws;
        let (Some(step), true) = (step, laws.join() && before.glue == 0) else {
            return (before, 1.0);
        };
        let contact = Elastic::of(laws, near.materials, near.radii, &before, false);
        let pressed = contact.map_or(0.0, |contact| contact.normal(near.gap));
        before.made(&laws.bonds, step, near, pressed)
    }

    /// The largest gap of a bond, and of bodies that are bonded in a step [m]. Collective.
    pub(super) fn widest_bond(&self, rows: &[ContactRow], step: &Step) -> f64 {
        if !self.physics.laws.join() {
            return 0.0;
        }
        let bonds = rows.iter().filter(|row| row.state.joint.is_whole());
        let widest = bonds.map(|row| row.gap).fold(0.0, nan_max);
        self.domain.max(widest).max(self.physics.laws.reach(step))
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
            Some(glue.used(&link.touch.normal, force, couple))
        };
        let most = self.network.links.iter().filter_map(used);
        let most = self.domain.max(most.fold(0.0, nan_max));
        if most < USED_UP {
            return false;
        }
        let least = match which {
            Breaking::Worst => most,
            Breaking::All => USED_UP,
        };
        let over = |link: &Link| used(link).is_some_and(|share| share >= least);
        let links = self.network.links.iter().enumerate();
        let over: Vec<usize> = links
            .filter_map(|(k, link)| over(link).then_some(k))
            .collect();
        let mine = self.network.mine();
        for k in over {
            let link = self.network.links[k];
            let broken = self.unbonded(&link);
            if mine[link.pair.first as usize] {
                self.broken.push(BrokenBond {
                    a: link.key.a,
                    b: link.key.b,
                    bond: link.joint.glue - 1,
                    point: link.touch.point,
                    normal: link.touch.normal,
                    force: link.carried.force,
                    couple: link.carried.couple,
                    energy: link.energy() - broken.energy(),
                });
            }
            self.network.links[k] = broken;
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

    /// Energy that springs of bonds held when these broke, on all ranks [J]. Collective.
    pub(super) fn fracture(&self) -> f64 {
        let each: ExactSum = self.broken.iter().map(|bond| bond.energy).collect();
        self.domain.sums(&[each])[0]
    }
}
