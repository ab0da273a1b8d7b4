//! The edges of a periodic cell that deforms: those that follow a stress, and the stress itself.
//!
//! A strain ε of the cell moves the two sides of a contact apart by `ε b`, b being the branch
//! between their centres. So an edge of length L, in place of a wall, moves each contact by its
//! share `b/L`. A strain that follows a stress is one more unknown, like a free wall: the force
//! `Σ F b/L` of the contacts against an edge balances the stress times the section across it. With
//! mean stress or deviator it is a strain of all edges, in the ratios of its direction.

use super::assembly::Assembly;
use super::link::Link;
use crate::body::{Cell, Held};
use crate::math::{ExactSum, Vector3};

impl Assembly<'_, '_> {
    /// The upper corner of the domain, and of its cell [m].
    pub(super) fn upper(&self) -> &Vector3 {
        self.domain.partition().corners()[1]
    }

    /// Lengths of the edges of the domain [m].
    pub(super) fn lengths(&self) -> Vector3 {
        let [lower, upper] = self.domain.partition().corners();
        upper - lower
    }

    /// The number of unknowns that all ranks know: free walls, then free edges.
    pub(super) fn free_count(&self) -> usize {
        self.frees.len() + self.edges.len()
    }

    /// The loads of free walls and edges [N].
    pub(super) fn free_loads(&self) -> Vec<f64> {
        let lengths = self.lengths();
        let walls = self.frees.iter().map(|free| free.load);
        let edges = self.edges.iter();
        let edges = edges.map(|held| -held.stress * self.volume() / held.length(&lengths));
        walls.chain(edges).collect()
    }

    /// The volume of the cell [m³].
    fn volume(&self) -> f64 {
        let period = self.domain.partition().grid().period();
        let of = |cell: &Cell| cell.volume(self.upper(), &self.network.walls, period);
        self.physics.cell.as_ref().map_or(f64::NAN, of)
    }

    /// The motion of a contact by an edge, per metre of the edge.
    fn by_edge(&self, link: &Link, axis: usize) -> Vector3 {
        Vector3::ith(axis, link.branch()[axis] / self.lengths()[axis])
    }

    /// The motion of a contact by a strain that follows a stress, per metre.
    pub(super) fn by_strain(&self, link: &Link, held: &Held) -> Vector3 {
        held.direction.component_mul(&link.branch()) / held.length(&self.lengths())
    }

    /// The strain by the displacements of free edges [m].
    pub(super) fn of_edges(&self, ways: &[f64]) -> Vector3 {
        let lengths = self.lengths();
        let each = self.edges.iter().zip(ways);
        let each = each.map(|(held, way)| held.direction * (way / held.length(&lengths)));
        each.sum()
    }

    /// The forces of the contacts against the edges, outwards [N]. Collective.
    pub(super) fn on_edges(&self) -> Vector3 {
        if self.physics.cell.is_none() {
            return Vector3::zeros();
        }
        let mut sums = <[ExactSum; 3]>::default();
        for link in self.network.links_of_first() {
            for (axis, sum) in sums.iter_mut().enumerate() {
                sum.add(link.carried.force.dot(&self.by_edge(&link, axis)));
            }
        }
        self.domain.sums(&sums).into()
    }

    /// Stress of the contacts [Pa], compression positive: xx, yy, zz, yz, zx, xy. Collective.
    pub(super) fn stress(&self) -> [f64; 6] {
        let mut sums = <[ExactSum; 6]>::default();
        for link in self.network.links_of_first() {
            let (force, branch) = (&link.carried.force, &link.branch());
            for (sum, [i, j]) in
                sums.iter_mut()
                    .zip([[0, 0], [1, 1], [2, 2], [1, 2], [2, 0], [0, 1]])
            {
                sum.add(0.5 * (force[i] * branch[j] + force[j] * branch[i]));
            }
        }
        let volume = self.volume();
        self.domain.sums(&sums).map(|sum| sum / volume)
    }
}
