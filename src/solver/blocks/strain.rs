//! The strain of a periodic cell: it moves the two sides of each contact apart.

use crate::body::{Bodies, CellState, Twist};
use crate::contact::{Candidate, Partner};
use crate::math::{Vector3, nan_max};
use crate::shape::Period;

/// The uniform gradient of velocity in a periodic cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gradient {
    /// Rate of each edge over its length [1/s].
    pub edges: Vector3,
    /// Axes and rate of simple shear [1/s].
    pub shear: Option<([usize; 2], f64)>,
}

impl Gradient {
    /// That of a cell in its last step.
    #[must_use]
    pub fn of(cell: &CellState) -> Self {
        let shear = cell
            .shear
            .map(|shear| ([shear.along, shear.across], cell.shear_rate));
        Self {
            edges: cell.rate,
            shear,
        }
    }

    /// Its product with a vector: the difference of the velocities that far apart.
    #[must_use]
    pub fn times(&self, way: &Vector3) -> Vector3 {
        let mut velocity = self.edges.component_mul(way);
        if let Some(([along, across], rate)) = self.shear {
            velocity[along] += rate * way[across];
        }
        velocity
    }

    /// A bound of the velocities over a way of one metre [1/s].
    #[must_use]
    pub fn largest(&self) -> f64 {
        let edges = self.edges.iter();
        let edge = edges.fold(0.0, |most, rate| nan_max(most, rate.abs()));
        edge + self.shear.map_or(0.0, |(_, rate)| rate.abs())
    }
}

/// The uniform strain of a periodic cell in a step.
///
/// Where bodies move with the cell, their velocities are relative to it. So the relative velocity
/// of a contact has the rate of each edge times the branch between the two centres in addition. If
/// they do not, only images move, and the same holds with the way to the nearest image of the
/// second body, which is zero within the cell.
#[derive(Clone, Copy, Debug)]
pub struct Strain {
    /// The gradient in the step before.
    pub before: Gradient,
    /// The gradient in this step.
    pub rate: Gradient,
    /// The periods at the start of the step.
    pub period: Period,
    /// Whether bodies move with the cell.
    pub affine: bool,
}

impl Strain {
    /// The branch from the first centre to the second [m], or to the contact point at a wall.
    #[must_use]
    pub fn branch(&self, bodies: &Bodies, first: usize, to: Partner, point: &Vector3) -> Vector3 {
        let from = &bodies.positions()[first];
        match to {
            Partner::Body(second) => self.period.difference(from, &bodies.positions()[second]),
            Partner::Wall(_) => point - from,
        }
    }

    /// The vector that the rates strain at a contact [m]: the branch, or the way to the image.
    #[must_use]
    pub fn strained(&self, bodies: &Bodies, first: usize, to: Partner, point: &Vector3) -> Vector3 {
        if self.affine {
            return self.branch(bodies, first, to, point);
        }
        let from = &bodies.positions()[first];
        match to {
            Partner::Body(second) => self.period.shift(from, &bodies.positions()[second]),
            Partner::Wall(_) => Vector3::zeros(),
        }
    }

    /// The acceleration of a body at its velocity [m/s] by the strain [m/s²].
    ///
    /// With the length of an edge L a momentum relative to the strain falls as 1/L.
    #[must_use]
    pub fn slows(&self, velocity: &Vector3) -> Vector3 {
        match self.affine {
            true => -self.before.times(velocity),
            false => Vector3::zeros(),
        }
    }

    /// The velocity that the strain of this step adds to a contact [m/s].
    pub(super) fn drives(&self, bodies: &Bodies, c: &Candidate) -> Twist {
        Twist {
            linear: (self.rate).times(&self.strained(bodies, c.a, c.b, &c.point)),
            ..Twist::default()
        }
    }

    /// The velocity that the strain of the step before would add to it [m/s].
    pub(super) fn drove(&self, bodies: &Bodies, c: &Candidate) -> Vector3 {
        (self.before).times(&self.strained(bodies, c.a, c.b, &c.point))
    }
}
