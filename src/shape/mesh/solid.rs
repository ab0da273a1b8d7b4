//! The body that a closed mesh encloses: volume, centre of mass, moments of inertia.

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

impl Solid {
    /// The solid inside of triangles; `None` if they do not enclose a volume.
    ///
    /// It is the sum of the tetrahedra between the triangles and one point, with the sign of their
    /// orientation: exact for triangles that all have their corners in the same sense as seen from
    /// outside, or all in the opposite one. `corners` are those of a box around them [m].
    pub(super) fn enclosed(
        points: &[Vector3],
        triangles: &[[u32; 3]],
        [lower, upper]: &[Vector3; 2],
    ) -> Option<Self> {
        // About the middle, so that little is lost to rounding.
        let middle = (lower + upper) * 0.5;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for corners in triangles {
            let corners = corners.map(|k| points[k as usize] - middle);
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
        Some(Self {
            volume,
            centre: middle + centre,
            inertia: Matrix3::identity() * second.trace() - second,
        })
    }

    /// The sum of solids that do not overlap; `None` if one lacks.
    pub(super) fn sum(solids: &[Option<Self>]) -> Option<Self> {
        let solids: Vec<Self> = solids.iter().copied().collect::<Option<_>>()?;
        let volume: f64 = solids.iter().map(|one| one.volume).sum();
        let first: Vector3 = solids.iter().map(|one| one.centre * one.volume).sum();
        let centre = first / volume;
        let about = |one: &Self| {
            let way = one.centre - centre;
            let square = Matrix3::identity() * way.norm_squared() - way * way.transpose();
            one.inertia + square * one.volume
        };
        (volume > 0.0).then(|| Self {
            volume,
            centre,
            inertia: solids.iter().map(about).sum(),
        })
    }
}
