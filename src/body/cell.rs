//! The periodic cell that deforms: its edges follow a strain or a stress.
//!
//! Its lower corner stays. All positions move with the edges, in proportion, and bodies move
//! relative to that: their velocities are those relative to the uniform strain of the cell.

use super::ramp::Ramp;
use super::wall::Signal;
use crate::math::Vector3;

/// A cell that deforms.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its lower corner, which stays [m].
    pub lower: Vector3,
    /// The lengths of its edges at strain 0 [m].
    pub lengths: Vector3,
    /// Whether bodies are discs, 1 m thick, in the plane z = 0.
    pub planar: bool,
    /// The motion of the edges along x, y and z.
    pub edges: [Edge; 3],
    /// The mass of an edge that follows a stress [kg], under the time step of contact dynamics;
    /// `None`: that of the bodies times mean diameter over length, as of a layer of them.
    pub mass: Option<f64>,
}

/// The motion of an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// Of constant length.
    Fixed,
    /// `L = L₀ (1 + ε)`, where the signal gives ε.
    Strain(Signal),
    /// `L = L₀ exp(rate t)`, by its rate [1/s].
    Grows(f64),
    /// As long as the stress across it is this [Pa], compression positive.
    Stress(f64, Option<Ramp>),
}

/// The present cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellState {
    /// Its upper corner [m].
    pub upper: Vector3,
    /// The rate of each edge's length over the length, in the last step [1/s].
    pub rate: Vector3,
}

impl Edge {
    /// The stress that it follows at a time [Pa], compression positive.
    #[must_use]
    pub fn stress(&self, time: f64) -> Option<f64> {
        match self {
            Self::Stress(stress, factor) => {
                Some(stress * factor.as_ref().map_or(1.0, |factor| factor.at(time)))
            }
            _ => None,
        }
    }

    /// Whether the edge changes.
    #[must_use]
    pub fn moves(&self) -> bool {
        *self != Self::Fixed
    }
}

impl Cell {
    /// The cell at strain 0.
    #[must_use]
    pub fn start(&self) -> CellState {
        CellState {
            upper: self.lower + self.lengths,
            rate: Vector3::zeros(),
        }
    }

    /// Whether some of its edges follow a stress.
    #[must_use]
    pub fn holds_stress(&self) -> bool {
        let stress = |edge: &Edge| matches!(edge, Edge::Stress(..));
        self.edges.iter().any(stress)
    }

    /// The present lengths of its edges [m].
    #[must_use]
    pub fn lengths_of(&self, upper: &Vector3) -> Vector3 {
        upper - self.lower
    }

    /// The upper corner after a time span [s], if edges that follow a stress keep their lengths.
    #[must_use]
    pub fn prescribed(&self, upper: &Vector3, [from, to]: [f64; 2]) -> Vector3 {
        let along = |axis: usize| {
            let length = upper[axis] - self.lower[axis];
            let next = match &self.edges[axis] {
                Edge::Fixed | Edge::Stress(..) => return upper[axis],
                Edge::Strain(strain) => {
                    length + self.lengths[axis] * (strain.way(to) - strain.way(from))
                }
                Edge::Grows(rate) => length * libm::exp(rate * (to - from)),
            };
            self.lower[axis] + next
        };
        Vector3::new(along(0), along(1), along(2))
    }

    /// The strains of the edges from one upper corner to another, `L₁/L₀ − 1`.
    #[must_use]
    pub fn strains(&self, from: &Vector3, to: &Vector3) -> Vector3 {
        let lengths = self.lengths_of(from);
        (to - from).component_div(&lengths)
    }

    /// A position after the edges have changed from one upper corner to another [m].
    #[must_use]
    pub fn carried(&self, x: &Vector3, from: &Vector3, to: &Vector3) -> Vector3 {
        x + (x - self.lower).component_mul(&self.strains(from, to))
    }

    /// The volume at an upper corner [m³]; in two dimensions the cell is 1 m thick.
    #[must_use]
    pub fn volume(&self, upper: &Vector3) -> f64 {
        let lengths = self.lengths_of(upper);
        lengths.x * lengths.y * if self.planar { 1.0 } else { lengths.z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(edges: [Edge; 3]) -> Cell {
        Cell {
            lower: Vector3::new(-1.0, 2.0, 0.0),
            lengths: Vector3::new(2.0, 4.0, 8.0),
            planar: false,
            edges,
            mass: None,
        }
    }

    /// Strains add to the first length, growth multiplies the present one, a stress waits.
    #[test]
    fn edges_follow_their_strain() {
        let stress = Edge::Stress(7.0, None);
        assert_eq!(stress.stress(3.0), Some(7.0));
        let cell = cell([Edge::Strain(Signal::Rate(-0.1)), Edge::Grows(0.5), stress]);
        let mut upper = cell.start().upper;
        for k in 0..4 {
            let from = 0.5 * f64::from(k);
            upper = cell.prescribed(&upper, [from, from + 0.5]);
        }
        let expected = Vector3::new(-1.0 + 2.0 * 0.8, 2.0 + 4.0 * 1.0_f64.exp(), 8.0);
        assert!((upper - expected).norm() < 1e-14, "{upper}");
        let strains = cell.strains(&cell.start().upper, &upper);
        assert!((strains - Vector3::new(-0.2, 1.0_f64.exp() - 1.0, 0.0)).norm() < 1e-14);
        let ends = cell.carried(&cell.start().upper, &cell.start().upper, &upper);
        assert!((ends - upper).norm() < 1e-14);
        let corner = cell.carried(&cell.lower, &cell.start().upper, &upper);
        assert_eq!(corner, cell.lower);
        let flat = Cell {
            planar: true,
            ..cell.clone()
        };
        assert!((flat.volume(&upper) * 8.0 - cell.volume(&upper)).abs() < 1e-12);
    }
}
