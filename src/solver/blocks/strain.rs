//! The strain of a periodic cell: it moves the two sides of each contact apart.

use crate::body::{Bodies, Twist};
use crate::contact::{Candidate, Partner};
use crate::math::Vector3;
use crate::shape::Period;

/// The uniform strain of a periodic cell in a step.
///
/// Where bodies move with the cell, their velocities are relative to it. So the relative velocity
/// of a contact has the rate of each edge times the branch between the two centres in addition. If
/// they do not, only images move, and the same holds with the way to the nearest image of the
/// second body, which is zero within the cell.
#[derive(Clone, Copy, Debug)]
pub struct Strain {
    /// Rate of each edge over its length in the step before [1/s].
    pub before: Vector3,
    /// The same in this step [1/s].
    pub rate: Vector3,
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
            true => -self.before.component_mul(velocity),
            false => Vector3::zeros(),
        }
    }

    /// The velocity that the strain of this step adds to a contact [m/s].
    pub(super) fn drives(&self, bodies: &Bodies, c: &Candidate) -> Twist {
        Twist {
            linear: (self.rate).component_mul(&self.strained(bodies, c.a, c.b, &c.point)),
            ..Twist::default()
        }
    }

    /// The velocity that the strain of the step before would add to it [m/s].
    pub(super) fn drove(&self, bodies: &Bodies, c: &Candidate) -> Vector3 {
        (self.before).component_mul(&self.strained(bodies, c.a, c.b, &c.point))
    }
}
