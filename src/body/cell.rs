//! The periodic cell that deforms: its edges follow a strain or a stress.
//!
//! Its lower corner stays. All positions move with the edges, in proportion, and bodies move
//! relative to that: their velocities are those relative to the uniform strain of the cell.

use super::faces;
use super::ramp::Ramp;
use super::signal::Signal;
use super::wall::Wall;
use crate::math::Vector3;
use crate::shape::{Period, Shear};

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
    /// An edge strains against the others in addition, at constant volume.
    ///
    /// The stress across it exceeds the mean of theirs by this [Pa].
    pub deviator: Option<(usize, Stress)>,
    /// Simple shear.
    pub shear: Option<Shearing>,
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

/// Simple shear: positions move along one axis in proportion to their height along another.
#[derive(Clone, Debug, PartialEq)]
pub struct Shearing {
    /// The axis along which they move.
    pub along: usize,
    /// The axis of the height.
    pub across: usize,
    /// Displacement over height, over time.
    pub strain: Signal,
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
    /// Images that simple shear has moved.
    pub shear: Option<Shear>,
    /// The strain of simple shear so far: displacement over height.
    pub sheared: f64,
    /// Its rate in the last step [1/s].
    pub shear_rate: f64,
}

impl CellState {
    /// The number of its numbers.
    pub const NUMBERS: usize = 11;

    /// The same cell at rest.
    #[must_use]
    pub fn at_rest(self) -> Self {
        Self {
            rate: Vector3::zeros(),
            shear_rate: 0.0,
            ..self
        }
    }

    /// Its numbers: upper corner, rates, then those of simple shear.
    ///
    /// These are its axes (equal: there is none), the shift, the strain and its rate.
    #[must_use]
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let [x, y, z]: [f64; 3] = self.upper.into();
        let [of_x, of_y, of_z]: [f64; 3] = self.rate.into();
        let of = |shear: Shear| [shear.along as f64, shear.across as f64, shear.shift];
        let [along, across, shift] = self.shear.map_or([0.0; 3], of);
        let (sheared, rate) = (self.sheared, self.shear_rate);
        [
            x, y, z, of_x, of_y, of_z, along, across, shift, sheared, rate,
        ]
    }

    /// The cell with these numbers.
    #[must_use]
    pub fn from_array(numbers: [f64; Self::NUMBERS]) -> Self {
        let [
            x,
            y,
            z,
            of_x,
            of_y,
            of_z,
            along,
            across,
            shift,
            sheared,
            shear_rate,
        ] = numbers;
        let axis = |x: f64| (x.clamp(0.0, 2.0)) as usize;
        let (along, across) = (axis(along), axis(across));
        Self {
            upper: [x, y, z].into(),
            rate: [of_x, of_y, of_z].into(),
            shear: (along != across).then_some(Shear {
                along,
                across,
                shift,
            }),
            sheared,
            shear_rate,
        }
    }
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
            shear: self.unmoved(),
            ..CellState::default()
        }
    }

    /// The cell as a run goes on with it, whose cell was `before`.
    #[must_use]
    pub fn begun(&self, before: Option<&CellState>) -> CellState {
        before.map_or_else(
            || self.start(),
            |before| CellState {
                shear: before.shear.or(self.unmoved()),
                ..*before
            },
        )
    }

    /// Images of simple shear that are not moved yet.
    fn unmoved(&self) -> Option<Shear> {
        let of = |shear: &Shearing| Shear {
            along: shear.along,
            across: shear.across,
            shift: 0.0,
        };
        self.shear.as_ref().map(of)
    }

    /// The strain of simple shear in a time span [s].
    #[must_use]
    pub fn sheared(&self, [from, to]: [f64; 2]) -> f64 {
        let way = |shear: &Shearing| shear.strain.way(to) - shear.strain.way(from);
        self.shear.as_ref().map_or(0.0, way)
    }

    /// The cell after a step [s], from its upper corner then [m] and its strain of simple shear.
    #[must_use]
    pub fn after(&self, now: &CellState, upper: Vector3, sheared: f64, dt: f64) -> CellState {
        let strains = self.strains(&now.upper, &upper);
        let shear = now.shear.map(|shear| {
            let (shift, period) = self.shifted(now, &shear, (&upper, sheared));
            Shear {
                shift: shift - period * (shift / period).round(),
                ..shear
            }
        });
        CellState {
            upper,
            rate: strains / dt,
            shear,
            sheared: now.sheared + sheared,
            shear_rate: sheared / dt,
        }
    }

    /// The shift of sheared images after a step, not taken back, and the period along it [m].
    fn shifted(
        &self,
        now: &CellState,
        shear: &Shear,
        (upper, sheared): (&Vector3, f64),
    ) -> (f64, f64) {
        let Shear { along, across, .. } = *shear;
        let height = now.upper[across] - self.lower[across];
        let period = upper[along] - self.lower[along];
        let strain = self.strains(&now.upper, upper)[along];
        let shift = shear.shift * (1.0 + strain) + sheared * height;
        (shift, period)
    }

    /// The periods by which the shift of images was taken back from one state to the next.
    ///
    /// A body that has crossed the cell across the shear so many times gains as many turns along
    /// it for each crossing.
    #[must_use]
    pub fn taken_back(&self, now: &CellState, next: &CellState) -> i64 {
        let (Some(shear), Some(then)) = (&now.shear, &next.shear) else {
            return 0;
        };
        let sheared = next.sheared - now.sheared;
        let (shift, period) = self.shifted(now, shear, (&next.upper, sheared));
        ((shift - then.shift) / period).round() as i64
    }

    /// The stresses that it follows: those of edges, then mean and deviator.
    fn stresses(&self) -> impl Iterator<Item = &Stress> {
        let edges = self.edges.iter().filter_map(Edge::stress);
        let deviator = self.deviator.iter().map(|(_, stress)| stress);
        edges.chain(&self.mean).chain(deviator)
    }

    /// Whether some of its edges follow a stress.
    #[must_use]
    pub fn holds_stress(&self) -> bool {
        self.stresses().next().is_some()
    }

    /// The factors of its stresses over time.
    pub fn ramps(&self) -> impl Iterator<Item = &Ramp> {
        self.stresses().filter_map(|stress| stress.factor.as_ref())
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

    /// A position after the cell has come from one state to the next [m].
    #[must_use]
    pub fn moved(&self, x: &Vector3, from: &CellState, to: &CellState) -> Vector3 {
        let mut moved = self.carried(x, &from.upper, &to.upper);
        if let Some(shear) = to.shear {
            let height = x[shear.across] - self.lower[shear.across];
            moved[shear.along] += (to.sheared - from.sheared) * height;
        }
        moved
    }

    /// The volume at an upper corner [m³]; in two dimensions the cell is 1 m thick.
    ///
    /// Along an axis that is not periodic it ends at the two planes that face each other, walls
    /// being in their present places; without them at the domain.
    #[must_use]
    pub fn volume(&self, upper: &Vector3, walls: &[Wall], period: &Period) -> f64 {
        let edges = self.lengths_of(upper);
        let between = faces::lengths(walls, period, self.planar);
        let length = |axis: usize| match period.length[axis] {
            Some(_) => edges[axis],
            None => between[axis].unwrap_or(edges[axis]),
        };
        length(0) * length(1) * length(2)
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
            shear: None,
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
        let volume = |cell: &Cell, periodic: [bool; 3]| {
            let period = Period::of_box(&cell.lower, &upper, periodic);
            cell.volume(&upper, &[], &period)
        };
        let [flat, solid] = [(flat, false), (cell, true)]
            .map(|(cell, along_z)| volume(&cell, [true, true, along_z]));
        assert!((flat * 8.0 - solid).abs() < 1e-12);
    }

    /// Simple shear moves images by its strain times the height, modulo the period.
    #[test]
    fn shear_moves_images() {
        let mut cell = cell([Edge::Fixed, Edge::Fixed, Edge::Grows(0.5)]);
        cell.shear = Some(Shearing {
            along: 1,
            across: 2,
            strain: Signal::Rate(0.1),
        });
        let mut now = cell.start();
        let mut shift = 0.0;
        for k in 0..30 {
            let times = [f64::from(k) * 0.1, f64::from(k + 1) * 0.1];
            let height = now.upper.z;
            let upper = cell.prescribed(&now.upper, times);
            now = cell.after(&now, upper, cell.sheared(times), 0.1);
            shift += 0.01 * height;
            let found = now.shear.unwrap().shift;
            let turns = (shift - found) / 4.0;
            assert!((turns - turns.round()).abs() < 1e-12 && found.abs() <= 2.0);
            assert!((now.shear_rate - 0.1).abs() < 1e-12);
        }
        assert!(shift > 2.0 && (now.sheared - 0.3).abs() < 1e-12);
        assert_eq!(CellState::from_array(now.to_array()), now);
        assert_eq!(cell.begun(Some(&now)), now);
        let plain = CellState::default();
        assert_eq!(CellState::from_array(plain.to_array()), plain);
        assert_eq!(cell.begun(Some(&plain)).shear, cell.start().shear);
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
