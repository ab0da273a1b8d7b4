//! The places at which a hollow surface holds a ball at once.
//!
//! A ball in a hole, a funnel or a tube of its own size touches the surface along a circle, and in
//! a spherical shell of its own size everywhere. One point, the nearest, cannot hold it there: it
//! lies to one side, and the ball escapes to the other. So a hollow surface offers six places: the
//! nearest point, and five around it. On the circle of a surface of revolution they are 60° apart,
//! in a sphere they are the ends of three axes at right angles. Where the centre of the ball is off
//! the axis, the others are farther away than the nearest, and only it is near enough to touch.

use super::{PLACES, Surface, direction, on_generatrix, split, square_to};
use crate::math::{Vector3, frame};

/// The distance from the axis, in radii of the surface, below which all directions are alike.
///
/// Within it the direction of the nearest point is rounding; the places keep fixed directions.
pub(super) const ON_AXIS: f64 = 1e-9;

/// Cosines and sines of multiples of 60°.
pub(super) const TURNS: [[f64; 2]; PLACES] = [
    [1.0, 0.0],
    [0.5, HALF_ROOT],
    [0.5, -HALF_ROOT],
    [-0.5, HALF_ROOT],
    [-0.5, -HALF_ROOT],
    [-1.0, 0.0],
];
/// `√3/2`.
const HALF_ROOT: f64 = 0.866_025_403_784_438_6;

impl Surface {
    /// Distance [m] and direction of place `k` of [`PLACES`] from a point, as in
    /// [`nearest`](Self::nearest).
    ///
    /// Place 0 is the nearest point, or almost; if place 1 is out of reach, so are all that follow.
    /// `None` if the surface is not hollow as seen from the point, or the point is behind it.
    #[must_use]
    pub fn place(&self, x: &Vector3, k: usize) -> Option<(f64, Vector3)> {
        match self {
            Self::Sphere {
                centre,
                radius,
                inside: true,
            } => {
                let (away, distance) = direction(&(x - centre), &Vector3::z());
                if distance >= *radius {
                    return None;
                }
                let base = match distance > ON_AXIS * radius {
                    true => away,
                    false => Vector3::z(),
                };
                let [n, t1, t2] = frame(&base);
                let way = [n, t1, t2, -t1, -t2, -n][k];
                let (towards, far) = direction(&(centre + way * *radius - x), &way);
                Some((far, towards))
            }
            Self::Bore {
                centre,
                axis,
                radius,
            } => {
                let (_, across) = split(&(x - centre), axis);
                if across.norm_squared() >= radius * radius {
                    return None;
                }
                let around = Around::new(axis, &across, *radius);
                let [way, sideways] = around.directions(k);
                let to = way * (radius - across.dot(&way)) - sideways * across.dot(&sideways);
                let (towards, far) = direction(&to, &way);
                Some((far, towards))
            }
            Self::Shell { centre, axis, ends } => {
                let (height, across) = split(&(x - centre), axis);
                let distance = across.norm();
                // A flat ring has its bodies above it; only its inner rim is hollow, whatever the
                // rounding of the nearest point.
                let [[r0, z0], [r1, z1]] = *ends;
                let [from_axis, _] = on_generatrix(ends, [distance, height]);
                if from_axis <= distance || z0 == z1 && distance >= r0.min(r1) {
                    return None;
                }
                let around = Around::new(axis, &across, from_axis);
                let [way, sideways] = around.directions(k);
                let along = across.dot(&way);
                let [out, up] = on_generatrix(ends, [along, height]);
                let to =
                    way * (out - along) - sideways * across.dot(&sideways) + axis * (up - height);
                let (towards, far) = direction(&to, &way);
                Some((far, towards))
            }
            Self::Arc { .. } => self.place_of_arc(x, k),
            Self::Plane(_)
            | Self::Sphere { .. }
            | Self::Cylinder { .. }
            | Self::Mesh(_)
            | Self::Compound(_) => None,
        }
    }
}

impl Surface {
    /// The bend of a hollow surface along the way of a point [m].
    ///
    /// By so much the point comes nearer than by the part of the way along the direction of the
    /// nearest point: in a cylinder, at a distance ρ from its axis, by some `way²/2ρ`. It is 0 if
    /// the surface is not hollow as seen from one of the ends of the way.
    #[must_use]
    pub fn bend(&self, x: &Vector3, way: &Vector3) -> f64 {
        let [before, after] = [*x, x + way].map(|x| self.place(&x, 0));
        let (Some((far, towards)), Some((then, _))) = (before, after) else {
            return 0.0;
        };
        let bend = far - way.dot(&towards) - then;
        if bend < 0.0 { 0.0 } else { bend }
    }
}

/// The directions of the places about an axis.
pub(super) struct Around {
    /// Unit vector towards place 0.
    first: Vector3,
    /// Unit vector at right angles to it and to the axis.
    second: Vector3,
}

impl Around {
    /// For a point at `across` from the axis [m], in a surface of a radius [m].
    pub(super) fn new(axis: &Vector3, across: &Vector3, radius: f64) -> Self {
        let (away, distance) = direction(across, &square_to(axis));
        let first = match distance > ON_AXIS * radius {
            // Near the axis, rounding tilts it.
            true => (away - axis * axis.dot(&away)).normalize(),
            false => square_to(axis),
        };
        Self {
            first,
            second: axis.cross(&first),
        }
    }

    /// The direction from the axis to a place, and the one at right angles to it and to the axis.
    pub(super) fn directions(&self, k: usize) -> [Vector3; 2] {
        let [cosine, sine] = TURNS[k];
        [
            self.first * cosine + self.second * sine,
            self.second * cosine - self.first * sine,
        ]
    }
}
