//! The body that a closed mesh encloses: volume, centre of mass, moments of inertia.

use super::Mesh;
use crate::math::{Matrix3, Vector3};

/// The solid inside a closed mesh, of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Volume [m³].
    pub volume: f64,
    /// Centre of mass [m].
    pub centre: Vector3,
    /// Inertia tensor about the centre of mass, per density [m⁵].
    pub inertia: Matrix3,
}

impl Mesh {
    /// The solid inside; `None` if the mesh is open, or its triangles do not enclose a volume.
    ///
    /// It is the sum of the tetrahedra between the triangles and one point, with the sign of their
    /// orientation: exact for triangles that all have their corners in the same sense as seen from
    /// outside, or all in the opposite one.
    #[must_use]
    pub fn solid(&self) -> Option<Solid> {
        if !self.is_closed || !self.is_oriented {
            return None;
        }
        // About the middle, so that little is lost to rounding.
        let [lower, upper] = self.corners;
        let middle = (lower + upper) * 0.5;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for corners in &self.triangles {
            let corners = corners.map(|k| self.points[k as usize] - middle);
            let [a, b, c] = &corners;
            let six = a.dot(&b.cross(c));
            let sum = a + b + c;
            volume += six / 6.0;
            first += sum * (six / 24.0);
            // ∫ x xᵀ over a tetrahedron with a corner in the origin.
            let squares: Matrix3 = corners.iter().map(|x| x * x.transpose()).sum();
            second += (squares + sum * sum.transpose()) * (six / 120.0);
        }
        let sign = volume.signum();
        let (volume, first, second) = (volume * sign, first * sign, second * sign);
        let size = (upper - lower).amax();
        if volume.is_nan() || volume <= 1e-12 * size * size * size {
            return None;
        }
        let centre = first / volume;
        let second = second - centre * centre.transpose() * volume;
        Some(Solid {
            volume,
            centre: middle + centre,
            inertia: Matrix3::identity() * second.trace() - second,
        })
    }
}
