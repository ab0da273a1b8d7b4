//! Surfaces of walls: which point of it is nearest to a body's centre, and how far.

use super::HalfSpace;
use crate::math::{IDENTITY, Quaternion, Vector3, turned};

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
    /// Of a point `x` on the free side: its distance from the surface [m], negative behind it, and the unit vector from it
    /// towards the surface. A thin shell has no behind. Where all directions are alike (at the centre of a sphere, on an axis)
    /// a fixed one is taken.
    #[must_use]
    pub fn nearest(&self, x: &Vector3) -> (f64, Vector3) {
        match self {
            Self::Plane(plane) => (plane.distance(x), -plane.normal),
            Self::Sphere {
                centre,
                radius,
                inside,
            } => {
                let (away, distance) = direction(&(x - centre), &Vector3::z());
                if *inside {
                    (radius - distance, away)
                } else {
                    (distance - radius, -away)
                }
            }
            Self::Bore {
                centre,
                axis,
                radius,
            } => {
                let (_, across) = split(&(x - centre), axis);
                let (away, distance) = direction(&across, &square_to(axis));
                (radius - distance, away)
            }
            Self::Cylinder {
                centre,
                axis,
                radius,
                half_length,
            } => {
                let (height, across) = split(&(x - centre), axis);
                let (away, distance) = direction(&across, &square_to(axis));
                let up = if height < 0.0 { -axis } else { *axis };
                let (beside, above) = (distance - radius, height.abs() - half_length);
                if beside > 0.0 && above > 0.0 {
                    // The nearest point is on the rim.
                    let (out, far) = direction(&(away * beside + up * above), &up);
                    (far, -out)
                } else if beside > above {
                    (beside, -away)
                } else {
                    (above, -up)
                }
            }
            Self::Shell { centre, axis, ends } => {
                let (height, across) = split(&(x - centre), axis);
                let (away, distance) = direction(&across, &square_to(axis));
                let [[r0, z0], [r1, z1]] = *ends;
                let line = [r1 - r0, z1 - z0];
                let square = line[0] * line[0] + line[1] * line[1];
                let along = ((distance - r0) * line[0] + (height - z0) * line[1]) / square;
                let along = along.clamp(0.0, 1.0);
                let to = [
                    r0 + along * line[0] - distance,
                    z0 + along * line[1] - height,
                ];
                let side = away * line[1] - axis * line[0];
                let (towards, far) =
                    direction(&(away * to[0] + axis * to[1]), &(side / square.sqrt()));
                (far, towards)
            }
        }
    }

    /// Its smallest radius of curvature [m]; infinite where it is flat. Rims and tips do not count: about them a body turns by its own
    /// radius. Of a cone that ends in a tip the radius of its wide end counts.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        match self {
            Self::Plane(_) => f64::INFINITY,
            Self::Sphere { radius, .. }
            | Self::Bore { radius, .. }
            | Self::Cylinder { radius, .. } => *radius,
            Self::Shell { ends, .. } => {
                let [[r0, z0], [r1, z1]] = *ends;
                let (narrow, wide) = (r0.min(r1), r0.max(r1));
                match z0 == z1 {
                    true => f64::INFINITY,
                    false if narrow > 0.0 => narrow,
                    false => wide,
                }
            }
        }
    }

    /// Whether a point of the box from `lower` to `upper` may be nearer to the surface than `reach` [m]: false only if none
    /// is, true also where that would be hard to say.
    #[must_use]
    pub fn may_be_nearer(&self, lower: &Vector3, upper: &Vector3, reach: f64) -> bool {
        let (middle, half) = ((lower + upper) * 0.5, (upper - lower) * 0.5);
        // How far from the middle's distance another point's can be. All distances grow no faster than the way does.
        let (origin, size, spread) = match self {
            Self::Plane(plane) => (plane.point, 0.0, plane.normal.abs().dot(&half)),
            Self::Sphere { centre, radius, .. } | Self::Bore { centre, radius, .. } => {
                (*centre, *radius, half.norm())
            }
            Self::Cylinder {
                centre,
                radius,
                half_length,
                ..
            } => (*centre, radius + half_length, half.norm()),
            Self::Shell { centre, ends, .. } => {
                let size = ends.iter().flatten().map(|c| c.abs()).sum();
                (*centre, size, half.norm())
            }
        };
        // What rounding may do to distances, here and where they are asked for one by one.
        let slack =
            1e-12 * (size + reach.abs() + (middle - origin).amax() + half.amax() + middle.amax());
        let far = self.nearest(&middle).0 - spread - slack >= reach;
        !far
    }

    /// The surface turned by `orientation` about `centre` and then moved by `displacement` [m].
    #[must_use]
    pub fn placed(
        &self,
        centre: &Vector3,
        displacement: &Vector3,
        orientation: Quaternion,
    ) -> Surface {
        if orientation == IDENTITY && *displacement == Vector3::zeros() {
            return *self; // Not a bit of it changes.
        }
        let turn = |v: &Vector3| turned(orientation, v);
        let place = |x: &Vector3| centre + turn(&(x - centre)) + displacement;
        match *self {
            Self::Plane(HalfSpace { point, normal }) => Self::Plane(HalfSpace {
                point: place(&point),
                normal: turn(&normal),
            }),
            Self::Sphere {
                centre,
                radius,
                inside,
            } => Self::Sphere {
                centre: place(&centre),
                radius,
                inside,
            },
            Self::Bore {
                centre,
                axis,
                radius,
            } => Self::Bore {
                centre: place(&centre),
                axis: turn(&axis),
                radius,
            },
            Self::Cylinder {
                centre,
                axis,
                radius,
                half_length,
            } => Self::Cylinder {
                centre: place(&centre),
                axis: turn(&axis),
                radius,
                half_length,
            },
            Self::Shell { centre, axis, ends } => Self::Shell {
                centre: place(&centre),
                axis: turn(&axis),
                ends,
            },
        }
    }
}

/// Unit vector and length of a vector; of the zero vector `otherwise`.
fn direction(v: &Vector3, otherwise: &Vector3) -> (Vector3, f64) {
    let size = v.norm();
    if size == 0.0 {
        (*otherwise, 0.0)
    } else {
        (v / size, size)
    }
}

/// Part along an axis, and what is left of the vector.
fn split(v: &Vector3, axis: &Vector3) -> (f64, Vector3) {
    let along = v.dot(axis);
    (along, v - axis * along)
}

/// Some unit vector at right angles to an axis.
fn square_to(axis: &Vector3) -> Vector3 {
    let mut other = Vector3::zeros();
    other[axis.iamin()] = 1.0;
    axis.cross(&other).normalize()
}

#[cfg(test)]
mod tests;
