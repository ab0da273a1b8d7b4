//! Surfaces of walls: which point of it is nearest to a body's centre, and how far.

use super::HalfSpace;
use crate::math::Vector3;

/// The surface of a wall, as it lies at a moment. Bodies are on its free side, or on both sides of a thin one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// Everything behind a plane is solid.
    Plane(HalfSpace),
    /// A sphere: bodies outside of it, or inside.
    Sphere {
        /// Centre [m].
        centre: Vector3,
        /// Radius [m].
        radius: f64,
        /// Whether the bodies are inside.
        inside: bool,
    },
    /// The inside of a cylinder without ends, whose outside is solid.
    Bore {
        /// A point of the axis [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// Radius [m].
        radius: f64,
    },
    /// A solid cylinder with flat ends; bodies outside.
    Cylinder {
        /// Middle of the axis [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// Radius [m].
        radius: f64,
        /// Half the length [m].
        half_length: f64,
    },
    /// A thin surface of revolution about an axis, made by a straight line: a tube, a disc, a ring, a cone, a funnel. Bodies
    /// may be on both sides.
    Shell {
        /// A point of the axis, from which heights count [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// The line's ends: distance from the axis and height along it [m].
        ends: [[f64; 2]; 2],
    },
}

impl Surface {
    pub fn placed(&self, _c: &Vector3, _d: &Vector3, _q: crate::math::Quaternion) -> Surface { *self }

    /// Of a point `x` on the free side: its distance from the surface [m], negative behind it, and the unit vector from it
    /// to the surface.
    #[must_use]
    pub fn nearest(&self, x: &Vector3) -> (f64, Vector3) {
        match self {
            Self::Plane(plane) => (plane.distance(x), -plane.normal),
            _ => todo!(),
        }
    }
}
