//! The free walls of an assembly: their motion, and the forces of bodies on them.

use super::assembly::Assembly;
use super::frame::{Frame, strain};
use super::link::Link;
use super::unknowns::{Shift, UNKNOWNS, shift};
use crate::body::WallState;
use crate::contact::Partner;
use crate::law::elastic::Tangent;
use crate::math::{ExactSum, Vector3};
use nalgebra::DMatrix;

impl Assembly<'_, '_> {
    /// The shifts of all walls, and the strain of the cell, by the displacements of free walls and
    /// edges [m].
    pub(super) fn of_free(&self, ways: &[f64]) -> (Vec<Shift>, Vector3) {
        let mut shifts = vec![Shift::default(); self.network.walls.len()];
        for (free, way) in self.frees.iter().zip(ways) {
            shifts[free.wall].way = free.direction * *way;
        }
        (shifts, self.of_edges(&ways[self.frees.len()..]))
    }

    /// The motion of a vector of unknowns: the shifts of own bodies, and the motion of the frame.
    ///
    /// `given` is its prescribed motion; `None`: walls and edges are where they are.
    pub(super) fn motion_of(&self, unknowns: &[f64], given: Option<&Frame>) -> (Vec<Shift>, Frame) {
        let own = self.network.own.len();
        let (of_bodies, of_free) = unknowns.split_at(UNKNOWNS * own);
        let bodies = of_bodies.chunks(UNKNOWNS).enumerate();
        let bodies = bodies.map(|(k, x)| shift(x, self.network.body(k).radius));
        let frame = match given {
            Some(given) => self.moved_by(of_free, given),
            None => self.moved_by(of_free, &self.at_rest()),
        };
        (bodies.collect(), frame)
    }

    /// A motion of the frame with further displacements of free walls and edges [m].
    pub(super) fn moved_by(&self, ways: &[f64], given: &Frame) -> Frame {
        let mut frame = given.clone();
        let (walls, strains) = self.of_free(ways);
        for free in &self.frees {
            frame.states[free.wall].displacement += walls[free.wall].way;
        }
        for (wall, given) in frame.shifts.iter_mut().zip(walls) {
            (wall.way, wall.turn) = (given.way + wall.way, given.turn + wall.turn);
        }
        frame.upper += strains.component_mul(&self.lengths());
        frame.strain = strain(self.physics, self.upper(), &frame.upper);
        frame
    }

    /// The free walls and edges that move a contact, by number.
    ///
    /// Each comes with the motion of the contact's second side against the first by a unit of it.
    fn by_free<'a>(&'a self, link: &'a Link) -> impl Iterator<Item = (usize, Vector3)> + 'a {
        let walls = self.frees.len();
        let free = match link.partner {
            Partner::Wall(wall) => self.frees.iter().position(|free| free.wall == wall),
            Partner::Body(_) => None,
        };
        let free = free.map(|k| (k, self.frees[k].direction));
        let edges = self.edges.iter().enumerate();
        let edges = edges.map(move |(k, held)| (walls + k, self.by_strain(link, held)));
        free.into_iter().chain(edges)
    }

    /// For each free wall and edge the sum of a number over its contacts of all ranks. Collective.
    ///
    /// The number of a contact follows from its place in the list, and from the motion of its
    /// second side against the first by a unit of the wall or edge.
    pub(super) fn sum_over_free(&self, of: impl Fn(usize, &Vector3) -> f64) -> Vec<f64> {
        if self.free_count() == 0 {
            return Vec::new();
        }
        let mine = self.network.mine();
        let mut sums = vec![ExactSum::default(); self.free_count()];
        for (number, link) in self.network.links().enumerate() {
            if mine[link.pair.first as usize] {
                for (k, e) in self.by_free(&link) {
                    sums[k].add(of(number, &e));
                }
            }
        }
        self.domain.many_sums(sums)
    }

    /// The forces that hold free walls and edges back, by their displacements [N/m]. Collective.
    pub(super) fn coupling_of_free(
        &self,
        resists: impl Fn(&Link) -> Option<Tangent>,
    ) -> DMatrix<f64> {
        let n = self.free_count();
        let mut sums = vec![ExactSum::default(); n * n];
        for link in self.network.links_of_first() {
            let Some(tangent) = resists(&link) else {
                continue;
            };
            for (i, on) in self.by_free(&link) {
                for (j, by) in self.by_free(&link) {
                    let [force, _] = tangent.added(&by, &Vector3::zeros());
                    sums[i * n + j].add(-force.dot(&on));
                }
            }
        }
        DMatrix::from_row_slice(n, n, &self.domain.many_sums(sums))
    }

    /// The unbalanced force of each free wall and edge [N]. Collective.
    pub(super) fn on_free(&self) -> Vec<f64> {
        let network = &self.network;
        let pushed = self.sum_over_free(|number, e| network.link(number).carried.force.dot(e));
        let each = pushed.iter().zip(self.free_loads());
        each.map(|(pushed, load)| pushed + load).collect()
    }

    /// The stiffness of the contacts of each free wall and edge [N/m]. Collective.
    pub(super) fn stiffness_of_free(&self, resists: impl Fn(&Link) -> Option<Tangent>) -> Vec<f64> {
        self.sum_over_free(|number, e| {
            let tangent = resists(&self.network.link(number));
            tangent.map_or(0.0, |t| -t.added(e, &Vector3::zeros())[0].dot(e))
        })
    }

    /// The present frame at rest.
    pub(super) fn at_rest(&self) -> Frame {
        Frame {
            shifts: vec![Shift::default(); self.network.walls.len()],
            states: self.network.states.clone(),
            strain: Vector3::zeros(),
            upper: *self.upper(),
        }
    }

    /// The shifts of driven walls, and those of free ones since these states.
    pub(super) fn with_free_since(
        &self,
        mut shifts: Vec<Shift>,
        before: &[WallState],
    ) -> Vec<Shift> {
        for free in &self.frees {
            let now = self.network.states[free.wall].displacement;
            shifts[free.wall].way = now - before[free.wall].displacement;
        }
        shifts
    }
}
