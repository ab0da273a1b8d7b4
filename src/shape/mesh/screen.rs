//! Whether the distance from a point may have a minimum at some triangles: a sphere and a cone.

use crate::math::{Vector3, nan_max};
use rstar::AABB;

/// An angle that is more than the rounding of normals and directions, also in single precision
/// [rad].
const MORE: f64 = 1e-3;

/// More than the rounding of a length in single precision.
const ROUNDED: f64 = 1.0 + 1e-6;

/// A cone around the normals of triangles, of either sign, and those of their neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    axis: Vector3,
    /// Cosine and sine of its angle; −1 and 0 where a minimum may lie in any direction.
    angle: [f64; 2],
}

impl Cone {
    /// That of triangles at which a minimum may lie in any direction.
    pub(super) const ANYWHERE: Self = Self {
        axis: Vector3::new(0.0, 0.0, 1.0),
        angle: [-1.0, 0.0],
    };

    /// A cone whose normals have at least this cosine with its axis.
    pub(super) fn around(axis: Vector3, least: f64) -> Self {
        let angle = libm::acos(least.min(1.0)) + MORE;
        Self {
            axis,
            angle: [libm::cos(angle), libm::sin(angle)],
        }
    }
}

/// A sphere around triangles and their cone of normals.
///
/// In single precision, so that a search reads little memory. The sphere is so much larger that it
/// holds them all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    centre: [f32; 3],
    radius: f32,
    axis: [f32; 3],
    angle: [f32; 2],
}

impl Screen {
    /// The screen of triangles with these corners and this cone.
    pub(super) fn new(corners: impl Iterator<Item = Vector3> + Clone, cone: &Cone) -> Self {
        let start = corners.clone().next().unwrap_or_default();
        let lower = corners.clone().fold(start, |least, x| least.inf(&x));
        let upper = corners.clone().fold(start, |most, x| most.sup(&x));
        let centre: [f32; 3] = ((lower + upper) * 0.5).map(|c| c as f32).into();
        let middle = Vector3::from(centre.map(f64::from));
        let radius = corners.map(|x| (x - middle).norm()).fold(0.0, nan_max);
        Self {
            centre,
            radius: (radius * ROUNDED) as f32,
            axis: cone.axis.map(|c| c as f32).into(),
            angle: cone.angle.map(|c| c as f32),
        }
    }

    /// The vector to `x` from the centre, and the radius [m].
    #[inline]
    fn way(&self, x: &Vector3) -> (Vector3, f64) {
        let way = x - Vector3::from(self.centre.map(f64::from));
        (way, f64::from(self.radius))
    }

    /// Whether all its triangles are farther from `x` than `reach` [m].
    #[inline]
    pub(super) fn is_beyond(&self, x: &Vector3, reach: f64) -> bool {
        let (way, radius) = self.way(x);
        way.norm_squared() > (reach + radius) * (reach + radius)
    }

    /// A bound below the distances of its triangles from `x` [m].
    pub(super) fn least_distance(&self, x: &Vector3) -> f64 {
        let (way, radius) = self.way(x);
        way.norm() * (1.0 - 1e-12) - radius
    }

    /// Whether its sphere reaches into a box; otherwise no triangle does.
    pub(super) fn meets(&self, around: &AABB<[f64; 3]>) -> bool {
        let radius = f64::from(self.radius);
        around.distance_2(&self.centre.map(f64::from)) <= radius * radius
    }

    /// Whether the distance from `x` has no minimum within `reach` [m] at a point of its triangles.
    ///
    /// Seen from anywhere in the sphere, `x` is in a direction outside the cone.
    #[inline]
    pub(super) fn has_no_minimum(&self, x: &Vector3, reach: f64) -> bool {
        let (way, radius) = self.way(x);
        let square = way.norm_squared();
        if square > (reach + radius) * (reach + radius) {
            return true;
        }
        let square = square - radius * radius;
        let [cos, sin] = self.angle.map(f64::from);
        let along = way.dot(&Vector3::from(self.axis.map(f64::from))).abs();
        square > 0.0 && along < cos * square.sqrt() - sin * radius
    }
}
