//! The unknowns of a body, and the forces that belong to them.
//!
//! They are its displacement u [m] and s = r φ [m], φ being its rotation: forces and moments over
//! the radius are then alike, and so are their residuals.

use crate::math::Vector3;

/// Unknowns of a body.
pub(super) const UNKNOWNS: usize = 6;

/// A displacement and a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shift {
    /// Displacement [m].
    pub way: Vector3,
    /// Rotation vector [rad].
    pub turn: Vector3,
}

impl Shift {
    /// Six numbers, as sent between ranks.
    pub(super) fn to_array(self) -> [f64; 6] {
        let (v, w) = (self.way, self.turn);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// The inverse of [`Shift::to_array`].
    pub(super) fn from_array([x, y, z, a, b, c]: [f64; 6]) -> Self {
        Self {
            way: Vector3::new(x, y, z),
            turn: Vector3::new(a, b, c),
        }
    }

    /// The shift at an arm [m] from the place of this one, to first order.
    pub(super) fn at(&self, arm: &Vector3) -> Self {
        Self {
            way: self.way + self.turn.cross(arm),
            turn: self.turn,
        }
    }
}

/// Force and moment on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Push {
    /// Force [N].
    pub force: Vector3,
    /// Moment about the body's centre [N m].
    pub moment: Vector3,
}

impl Push {
    /// The sum of two.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            force: self.force + other.force,
            moment: self.moment + other.moment,
        }
    }
}

/// The shift of a body of a radius [m] by its unknowns.
pub(super) fn shift(unknowns: &[f64], radius: f64) -> Shift {
    let &[x, y, z, a, b, c] = unknowns else {
        unreachable!("a body has six unknowns")
    };
    Shift {
        way: Vector3::new(x, y, z),
        turn: Vector3::new(a, b, c) / radius,
    }
}

/// Force and moment over the radius [N].
pub(super) fn numbers(push: &Push, radius: f64) -> [f64; 6] {
    let (f, m) = (push.force, push.moment / radius);
    [f.x, f.y, f.z, m.x, m.y, m.z]
}
