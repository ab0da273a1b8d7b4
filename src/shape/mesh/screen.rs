//! Whether the distance from a point may have a minimum at some triangles: a sphere and a cone.

use crate::math::{Vector3, nan_max};
use rstar::AABB;

/// An angle that is more than the rounding of normals and directions, also in single precision
/// [rad].
const MORE: f64 = 1e-3;

/// More than the rounding of a length in single precision.
const ROUNDED: f64 = 1e-6;

/// The cosine of the largest angle of a cone, but for [`Cone::ANYWHERE`].
pub(super) const STEEPEST: f64 = 0.5;

/// The tangent of the angle of [`Cone::ANYWHERE`], in place of infinity, which times zero is NaN.
const ANY_TANGENT: f64 = 1e18;

/// The screens that are tested at once.
pub(super) const LANES: usize = 8;

/// A cone around the normals of triangles, of either sign, and those of their neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    axis: Vector3,
    /// Its angle [rad]; infinite where a minimum may lie in any direction.
    angle: f64,
}

impl Cone {
    /// That of triangles at which a minimum may lie in any direction.
    pub(super) const ANYWHERE: Self = Self {
        axis: Vector3::new(0.0, 0.0, 1.0),
        angle: f64::INFINITY,
    };

    /// A cone whose normals have at least this cosine with its axis.
    pub(super) fn around(axis: Vector3, least: f64) -> Self {
        let angle = libm::acos(least.min(1.0)) + MORE;
        Self { axis, angle }.narrow()
    }

    /// A cone around others.
    fn joining(cones: impl Iterator<Item = Self> + Clone) -> Self {
        let first = cones.clone().next().unwrap_or(Self::ANYWHERE);
        let sum: Vector3 = cones
            .clone()
            .map(|one| one.axis * one.axis.dot(&first.axis).signum())
            .sum();
        let axis = sum.normalize();
        let reach = |one: Self| one.angle + libm::acos(one.axis.dot(&axis).abs().min(1.0));
        let angle = cones.map(reach).fold(0.0, nan_max) + 1e-7;
        Self { axis, angle }.narrow()
    }

    /// The same if it is narrow enough, and its numbers are finite.
    fn narrow(self) -> Self {
        match libm::cos(self.angle) > STEEPEST && self.axis.norm_squared() > 0.5 {
            true => self,
            false => Self::ANYWHERE,
        }
    }
}

/// A sphere around triangles and their cone of normals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    centre: Vector3,
    radius: f64,
    cone: Cone,
}

impl Screen {
    /// The screen of triangles with these corners and this cone.
    pub(super) fn new(corners: impl Iterator<Item = Vector3> + Clone, cone: Cone) -> Self {
        let start = corners.clone().next().unwrap_or_default();
        let lower = corners.clone().fold(start, |least, x| least.inf(&x));
        let upper = corners.clone().fold(start, |most, x| most.sup(&x));
        let centre = (lower + upper) * 0.5;
        let radius = corners.map(|x| (x - centre).norm()).fold(0.0, nan_max);
        Self {
            centre,
            radius,
            cone,
        }
    }

    /// The screen of triangles with these corners, by those of parts of them.
    pub(super) fn of_parts(corners: impl Iterator<Item = Vector3> + Clone, parts: &[Self]) -> Self {
        Self::new(corners, Cone::joining(parts.iter().map(|part| part.cone)))
    }
}

/// Several screens side by side, in single precision, so that a search reads little memory.
///
/// Lengths are from the middle of the mesh. Spheres are so much larger that they hold the triangles
/// all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screens {
    centre: [[f32; LANES]; 3],
    radius: [f32; LANES],
    axis: [[f32; LANES]; 3],
    tangent: [f32; LANES],
}

/// A point, and a distance from it, as screens see them [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    x: [f32; 3],
    reach: f32,
    /// More than all rounding.
    slack: f32,
}

impl Seen {
    /// A point from the middle of a mesh whose points are at most at `size` from there [m].
    pub(super) fn new(x: &Vector3, reach: f64, size: f64) -> Self {
        let slack = 4.0 * ROUNDED * (x.amax() + size + reach);
        Self {
            x: x.map(|c| c as f32).into(),
            reach: (reach * (1.0 + ROUNDED)) as f32,
            slack: slack as f32 + f32::MIN_POSITIVE,
        }
    }
}

impl Screens {
    /// At most [`LANES`] screens, from the middle of the mesh [m].
    pub(super) fn new(screens: &[Screen], middle: &Vector3) -> Self {
        let mut all = Self {
            centre: [[0.0; LANES]; 3],
            radius: [0.0; LANES],
            axis: [[0.0; LANES]; 3],
            tangent: [0.0; LANES],
        };
        for (k, one) in screens.iter().enumerate() {
            let centre = one.centre - middle;
            for a in 0..3 {
                all.centre[a][k] = centre[a] as f32;
                all.axis[a][k] = one.cone.axis[a] as f32;
            }
            all.radius[k] = (one.radius * (1.0 + ROUNDED)) as f32;
            let tangent = match one.cone.angle.is_finite() {
                true => libm::tan(one.cone.angle),
                false => ANY_TANGENT,
            };
            all.tangent[k] = tangent as f32;
        }
        all
    }

    /// The screens whose spheres are within reach, as bits.
    #[inline]
    pub(super) fn within(&self, seen: &Seen) -> u32 {
        self.reached::<false>(seen)
    }

    /// The screens of which some point within reach may be a minimum of the distance, as bits.
    ///
    /// At a minimum p the vector `x − p` is in the cone: its part across the axis is at most that
    /// along it times the tangent. The parts of the way from the middle of the sphere differ from
    /// these by at most the radius, and the one along the axis is at most the reach.
    #[inline]
    pub(super) fn with_minima(&self, seen: &Seen) -> u32 {
        self.reached::<true>(seen)
    }

    #[inline(always)]
    fn reached<const MINIMA: bool>(&self, seen: &Seen) -> u32 {
        let reached: [u32; LANES] = std::array::from_fn(|k| {
            let way = [0, 1, 2].map(|a| seen.x[a] - self.centre[a][k]);
            let radius = self.radius[k] + seen.slack;
            let far = seen.reach + radius;
            let mut near = dot(&way, &way) <= far * far;
            if MINIMA {
                let axis = [0, 1, 2].map(|a| self.axis[a][k]);
                let along = dot(&way, &axis);
                let across = [0, 1, 2].map(|a| way[a] - axis[a] * along);
                let height = (along.abs() + radius).min(far);
                let most = radius + self.tangent[k] * height;
                near &= dot(&across, &across) <= most * most;
            }
            u32::from(near) << k
        });
        reached.iter().fold(0, |all, one| all | one)
    }

    /// The screens whose spheres reach into a box from the middle of the mesh, as bits.
    pub(super) fn meet(&self, around: &AABB<[f64; 3]>, slack: f64) -> u32 {
        let meets = |k: usize| {
            let centre = [0, 1, 2].map(|a| f64::from(self.centre[a][k]));
            let radius = f64::from(self.radius[k]) + slack;
            around.distance_2(&centre) <= radius * radius
        };
        (0..LANES).fold(0, |all, k| all | u32::from(meets(k)) << k)
    }

    /// Bounds below the distances of its triangles from a point of space [m].
    pub(super) fn least_distances(&self, seen: &Seen) -> [f64; LANES] {
        std::array::from_fn(|k| {
            let way = [0, 1, 2].map(|a| seen.x[a] - self.centre[a][k]);
            let slack = 2.0 * seen.slack;
            f64::from(dot(&way, &way).sqrt() - self.radius[k] - slack)
        })
    }
}

#[inline(always)]
fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
