//! The free walls of an assembly: their motion, and the forces of bodies on them.

use super::assembly::Assembly;
use super::unknowns::{Shift, UNKNOWNS, shift};
use crate::body::WallState;
use crate::law::elastic::Tangent;
use crate::math::{ExactSum, Vector3};

impl Assembly<'_, '_> {
    /// The shifts of all walls by the displacements of the free ones [m].
    pub(super) fn of_free(&self, ways: &[f64]) -> Vec<Shift> {
        let mut shifts = vec![Shift::default(); self.network.walls.len()];
        for (free, way) in self.frees.iter().zip(ways) {
            shifts[free.wall].way = free.direction * *way;
        }
        shifts
    }

    /// The motion of a vector of unknowns: the shifts of own bodies and of walls, and the states of
    /// the walls after it.
    ///
    /// `given` are the prescribed shifts of walls, and their states after these; `None`: the walls
    /// are where they are.
    pub(super) fn motion_of(
        &self,
        unknowns: &[f64],
        given: Option<(&[Shift], &[WallState])>,
    ) -> (Vec<Shift>, Vec<Shift>, Vec<WallState>) {
        let own = self.network.own.len();
        let (of_bodies, of_free) = unknowns.split_at(UNKNOWNS * own);
        let bodies = of_bodies.chunks(UNKNOWNS).enumerate();
        let bodies = bodies.map(|(k, x)| shift(x, self.network.body(k).radius));
        let mut walls = self.of_free(of_free);
        let (shifts, states) = given.unwrap_or((&[], &self.network.states));
        let states = self.with_free(states, &walls);
        for (wall, given) in walls.iter_mut().zip(shifts) {
            (wall.way, wall.turn) = (wall.way + given.way, wall.turn + given.turn);
        }
        (bodies.collect(), walls, states)
    }

    /// The states of the walls after further shifts of the free ones.
    pub(super) fn with_free(&self, states: &[WallState], shifts: &[Shift]) -> Vec<WallState> {
        let mut states = states.to_vec();
        for free in &self.frees {
            states[free.wall].displacement += shifts[free.wall].way;
        }
        states
    }

    /// For each free wall the sum of a number over its contacts of all ranks. Collective.
    ///
    /// The number of a contact follows from its place in the list and the direction of the wall.
    pub(super) fn sum_over_free(&self, of: impl Fn(usize, &Vector3) -> f64) -> Vec<f64> {
        if self.frees.is_empty() {
            return Vec::new();
        }
        let mine = self.network.mine();
        let mut sums = vec![ExactSum::default(); self.frees.len()];
        for (number, link) in self.network.links.iter().enumerate() {
            let Some(wall) = link.key.b.wall_index() else {
                continue;
            };
            let free = self.frees.iter().position(|free| free.wall == wall);
            if let (Some(k), true) = (free, mine[link.pair.first as usize]) {
                sums[k].add(of(number, &self.frees[k].direction));
            }
        }
        self.domain.many_sums(sums)
    }

    /// The unbalanced force of each free wall [N]. Collective.
    pub(super) fn on_free(&self) -> Vec<f64> {
        let links = &self.network.links;
        let pushed = self.sum_over_free(|number, e| links[number].carried.force.dot(e));
        let each = pushed.iter().zip(&self.frees);
        each.map(|(pushed, free)| pushed + free.load).collect()
    }

    /// The stiffness of the contacts of each free wall [N/m]. Collective.
    pub(super) fn stiffness_of_free(&self, tangents: &[Option<Tangent>]) -> Vec<f64> {
        self.sum_over_free(|number, e| {
            let tangent = tangents[number].as_ref();
            tangent.map_or(0.0, |t| -t.added(e, &Vector3::zeros())[0].dot(e))
        })
    }
}
