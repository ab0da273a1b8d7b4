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
    /// All edges strain alike in addition, until their mean stress is this [Pa].
    pub mean: Option<Stress>,
    /// An edge strains against the others in addition, at constant volume, until the stress across
    /// it exceeds the mean of theirs by this [Pa].
    pub deviator: Option<(usize, Stress)>,
    /// The mass of an edge that follows a stress [kg], under the time step of contact dynamics;
    /// `None`: that of the bodies times mean diameter over length, as of a layer of them.
    pub mass: Option<f64>,
    /// Whether bodies move with the cell in proportion. If not, it moves only their images.
    pub affine: bool,
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
    /// As long as the stress across it is this.
    Stress(Stress),
}

/// A stress that is held, compression positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Stress {
    /// Its size [Pa].
    pub size: f64,
    /// Its factor over time.
    pub factor: Option<Ramp>,
}

impl Stress {
    /// A constant stress [Pa].
    #[must_use]
    pub fn constant(size: f64) -> Self {
        Self { size, factor: None }
    }

    /// The stress at a time [Pa].
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        let factor = self.factor.as_ref();
        self.size * factor.map_or(1.0, |factor| factor.at(time))
    }
}

/// A strain of the cell that follows a stress: its rate is an unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The rates of the edges for a rate of 1.
    pub direction: Vector3,
    /// `Σ d_i σ_i` with the direction d and the stresses σ across the edges [Pa].
    pub stress: f64,
}

impl Held {
    /// The length by which its strain has the unit of a displacement [m]: for one edge its own.
    #[must_use]
    pub fn length(&self, lengths: &Vector3) -> f64 {
        self.direction.component_mul(lengths).norm() / self.direction.norm()
    }
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
    /// The stress that it follows.
    #[must_use]
    pub fn stress(&self) -> Option<&Stress> {
        match self {
            Self::Stress(stress) => Some(stress),
            _ => None,
        }
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
        let combined = self.mean.is_some() || self.deviator.is_some();
        combined || self.edges.iter().any(|edge| edge.stress().is_some())
    }

    /// The strains that follow the stresses of a time [s]. They are perpendicular to each other.
    #[must_use]
    pub fn held(&self, time: f64) -> Vec<Held> {
        let dimensions = if self.planar { 2 } else { 3 };
        let all = Vector3::from_fn(|axis, _| if axis < dimensions { 1.0 } else { 0.0 });
        let each = self.edges.iter().enumerate().filter_map(|(axis, edge)| {
            Some(Held {
                direction: Vector3::ith(axis, 1.0),
                stress: edge.stress()?.at(time),
            })
        });
        let mean = self.mean.iter().map(|stress| Held {
            direction: all,
            stress: dimensions as f64 * stress.at(time),
        });
        let deviator = self.deviator.iter().map(|(axis, stress)| {
            let others = 1.0 / (dimensions - 1) as f64;
            Held {
                direction: Vector3::ith(*axis, 1.0 + others) - all * others,
                stress: stress.at(time),
            }
        });
        each.chain(mean).chain(deviator).collect()
    }

    /// The present lengths of its edges [m].
    #[must_use]
    pub fn lengths_of(&self, upper: &Vector3) -> Vector3 {
        upper - self.lower
    }

    /// The upper corner after a time span [s] by the prescribed strains alone.
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
            mean: None,
            deviator: None,
            mass: None,
            affine: true,
        }
    }

    /// Strains add to the first length, growth multiplies the present one, a stress waits.
    #[test]
    fn edges_follow_their_strain() {
        let stress = Edge::Stress(Stress::constant(7.0));
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

    /// Mean stress and deviator are those of the stresses: `Σ d_i σ_i`.
    #[test]
    fn strains_follow_mean_and_deviator() {
        let mut cell = cell([Edge::Fixed, Edge::Fixed, Edge::Grows(0.1)]);
        assert!(!cell.holds_stress() && cell.held(0.0).is_empty());
        cell.mean = Some(Stress::constant(2.0));
        cell.deviator = Some((1, Stress::constant(0.6)));
        // 1.8 + 0.6 across y: the mean is 2, the excess over the mean of the others 0.6.
        let stress = Vector3::new(1.7, 2.4, 1.9);
        let held = cell.held(0.0);
        assert_eq!(held.len(), 2);
        for held in &held {
            assert!((held.direction.dot(&stress) - held.stress).abs() < 1e-14);
        }
        assert_eq!(held[0].direction.dot(&held[1].direction), 0.0);
        assert_eq!(held[1].direction.sum(), 0.0, "no change of volume");
        cell.planar = true;
        let stress = Vector3::new(1.7, 2.3, 0.0);
        for held in cell.held(0.0) {
            assert!((held.direction.dot(&stress) - held.stress).abs() < 1e-14);
        }
        let lengths = Vector3::new(3.0, 4.0, 5.0);
        let one = Held {
            direction: Vector3::ith(1, -1.0),
            stress: 0.0,
        };
        assert_eq!(one.length(&lengths), 4.0);
    }
}
