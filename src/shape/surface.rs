//! Surfaces of walls: distance to the centre of a body, and direction of the closest point.

mod arc;
mod compound;
mod crossing;
mod drift;
mod places;
mod posed;

pub use compound::CompoundError;
pub use drift::drift;
pub use posed::Posed;

use super::HalfSpace;
use crate::math::{IDENTITY, Quaternion, Vector3, turned};
use std::sync::Arc;

/// Number of places of a hollow surface ([`Surface::place`]).
pub const PLACES: usize = 6;

/// The surface of a wall at some time. Bodies are on its free side, or on both sides of a thin one.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// A plane, solid behind.
    Plane(HalfSpace),
    /// A sphere, with the bodies outside or inside.
    Sphere {
        /// Centre [m].
        centre: Vector3,
        /// Radius [m].
        radius: f64,
        /// Whether the bodies are inside.
        inside: bool,
    },
    /// The inside of a cylinder without ends; its outside is solid.
    Bore {
        /// A point of the axis [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// Radius [m].
        radius: f64,
    },
    /// A solid cylinder with flat ends; bodies are outside.
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
    /// A thin surface of revolution with a straight generatrix: a tube, a disc, a ring, a cone, a
    /// funnel.
    ///
    /// Bodies may be on both sides.
    Shell {
        /// A point of the axis, the origin of heights [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// The ends of the generatrix: distance from the axis, and height along it [m].
        ends: [[f64; 2]; 2],
    },
    /// A part of the wall of a cylinder without ends, thin as a shell: across its axis, an arc.
    Arc {
        /// A point of the axis [m].
        centre: Vector3,
        /// Unit vector along the axis.
        axis: Vector3,
        /// Unit vector from the axis to the middle of the arc.
        middle: Vector3,
        /// Half the angle of the arc, at most π [rad].
        half: f64,
        /// Radius [m].
        radius: f64,
    },
    /// A mesh of triangles, thin as a shell.
    Mesh(Posed),
    /// Several surfaces as one, a mesh first. Copies share them.
    Compound(Arc<[Self]>),
}

impl Surface {
    /// Distance of a point `x` from the surface [m], and the unit vector towards the surface.
    ///
    /// The distance is negative behind the surface; a thin shell has two free sides. Where all
    /// directions are equivalent (at the centre of a sphere, on an axis) the vector is a fixed one.
    /// Of a compound it is that of the nearest part, of equal ones the first.
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
                    // The closest point is on the rim.
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
                let [out, up] = on_generatrix(ends, [distance, height]);
                let to = [out - distance, up - height];
                let side = away * (z1 - z0) - axis * (r1 - r0);
                let (towards, _) = direction(&(away * to[0] + axis * to[1]), &side.normalize());
                // Near the axis, rounding tilts the unit vector across it.
                ((to[0] * to[0] + to[1] * to[1]).sqrt(), towards)
            }
            Self::Arc { .. } => self.nearest_of_arc(x),
            Self::Mesh(mesh) => mesh.nearest(x),
            Self::Compound(parts) => Self::nearest_of(parts, x),
        }
    }

    /// The same if the distance is below `reach` [m].
    #[must_use]
    #[inline]
    pub fn nearest_within(&self, x: &Vector3, reach: f64) -> Option<(f64, Vector3)> {
        match self {
            Self::Mesh(mesh) => mesh.nearest_within(x, reach),
            Self::Compound(parts) => {
                let near = parts
                    .iter()
                    .filter_map(|part| part.nearest_within(x, reach));
                near.min_by(|(a, _), (b, _)| a.total_cmp(b))
            }
            _ => Some(self.nearest(x)).filter(|(distance, _)| *distance < reach),
        }
    }

    /// Whether the distance of a point is below `reach` [m].
    #[must_use]
    #[inline]
    pub fn is_nearer(&self, x: &Vector3, reach: f64) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_nearer(x, reach),
            Self::Compound(parts) => parts.iter().any(|part| part.is_nearer(x, reach)),
            _ => self.nearest(x).0 < reach,
        }
    }

    /// Its smallest radius of curvature [m]; infinite for flat surfaces.
    ///
    /// Rims and tips are not counted: a body turns about them by its own radius. A cone that ends
    /// in a tip has the radius of its wide end.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        match self {
            Self::Plane(_) | Self::Mesh(_) => f64::INFINITY,
            Self::Sphere { radius, .. }
            | Self::Bore { radius, .. }
            | Self::Cylinder { radius, .. }
            | Self::Arc { radius, .. } => *radius,
            Self::Shell { ends, .. } => {
                let [[r0, z0], [r1, z1]] = *ends;
                let (narrow, wide) = (r0.min(r1), r0.max(r1));
                match z0 == z1 {
                    true => f64::INFINITY,
                    false if narrow > 0.0 => narrow,
                    false => wide,
                }
            }
            Self::Compound(parts) => {
                let radii = parts.iter().map(Self::smallest_radius);
                radii.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The middle of a surface of revolution, or a point of its axis [m].
    #[must_use]
    pub fn middle(&self) -> Option<Vector3> {
        match self {
            Self::Plane(_) | Self::Mesh(_) | Self::Compound(_) => None,
            Self::Sphere { centre, .. }
            | Self::Bore { centre, .. }
            | Self::Cylinder { centre, .. }
            | Self::Shell { centre, .. }
            | Self::Arc { centre, .. } => Some(*centre),
        }
    }

    /// Whether a point of the box from `lower` to `upper` may be closer to the surface than `reach`
    /// [m].
    ///
    /// `false` is certain; `true` also where the exact answer would be expensive.
    #[must_use]
    pub fn may_be_nearer(&self, lower: &Vector3, upper: &Vector3, reach: f64) -> bool {
        let (middle, half) = ((lower + upper) * 0.5, (upper - lower) * 0.5);
        // The difference of distances of the middle and of any other point is at most that of the
        // positions.
        let (origin, size, spread) = match self {
            Self::Plane(plane) => (plane.point, 0.0, plane.normal.abs().dot(&half)),
            Self::Sphere { centre, radius, .. }
            | Self::Bore { centre, radius, .. }
            | Self::Arc { centre, radius, .. } => (*centre, *radius, half.norm()),
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
            Self::Mesh(mesh) => return mesh.may_be_nearer(&middle, &half, reach),
            Self::Compound(parts) => {
                let mut parts = parts.iter();
                return parts.any(|part| part.may_be_nearer(lower, upper, reach));
            }
        };
        // Bound on the rounding of distances, here and in later comparisons.
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
            return self.clone(); // Keeps all bits.
        }
        let turn = |v: &Vector3| turned(orientation, v);
        let place = |x: &Vector3| centre + turn(&(x - centre)) + displacement;
        match *self {
            Self::Mesh(ref mesh) => Self::Mesh(mesh.placed(centre, displacement, orientation)),
            Self::Compound(ref parts) => {
                let placed = |part: &Self| part.placed(centre, displacement, orientation);
                Self::Compound(parts.iter().map(placed).collect())
            }
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
            Self::Arc {
                centre,
                axis,
                middle,
                half,
                radius,
            } => Self::Arc {
                centre: place(&centre),
                axis: turn(&axis),
                middle: turn(&middle),
                half,
                radius,
            },
        }
    }
}

/// The nearest point of a generatrix, as distance from the axis and height [m].
fn on_generatrix(ends: &[[f64; 2]; 2], [out, up]: [f64; 2]) -> [f64; 2] {
    let [[r0, z0], [r1, z1]] = *ends;
    let line = [r1 - r0, z1 - z0];
    let square = line[0] * line[0] + line[1] * line[1];
    let along = ((out - r0) * line[0] + (up - z0) * line[1]) / square;
    let along = along.clamp(0.0, 1.0);
    [r0 + along * line[0], z0 + along * line[1]]
}

/// The unit vector and the length of a vector; `otherwise` for the zero vector.
fn direction(v: &Vector3, otherwise: &Vector3) -> (Vector3, f64) {
    let size = v.norm();
    if size == 0.0 {
        (*otherwise, 0.0)
    } else {
        (v / size, size)
    }
}

/// The component along an axis, and the rest of the vector.
fn split(v: &Vector3, axis: &Vector3) -> (f64, Vector3) {
    let along = v.dot(axis);
    (along, v - axis * along)
}

/// A unit vector perpendicular to an axis.
fn square_to(axis: &Vector3) -> Vector3 {
    let mut other = Vector3::zeros();
    other[axis.iamin()] = 1.0;
    axis.cross(&other).normalize()
}

#[cfg(test)]
mod tests;
