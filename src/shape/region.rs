//! Regions of space, and intervals of time.
//!
//! In regions bodies are made, enter, leave, are held, pushed or measured. A region is not solid.

use crate::math::Vector3;
use crate::shape::HalfSpace;
use std::f64::consts::PI;

/// A region of space.
///
/// It contains its boundary on the lower side only, so that adjacent regions share no point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// All points `lower <= x < upper`.
    Box {
        /// Lower corner [m].
        lower: Vector3,
        /// Upper corner [m].
        upper: Vector3,
    },
    /// A solid cylinder.
    Cylinder {
        /// Centre of its first end [m].
        from: Vector3,
        /// Unit vector from the first end to the second.
        axis: Vector3,
        /// Distance between the ends [m].
        length: f64,
        /// Its radius [m].
        radius: f64,
    },
    /// A ball.
    Sphere {
        /// Its centre [m].
        centre: Vector3,
        /// Its radius [m].
        radius: f64,
    },
    /// All points on the free side of a plane.
    HalfSpace(HalfSpace),
}

impl Region {
    /// Whether a point is in the region [m].
    #[must_use]
    pub fn contains(&self, x: &Vector3) -> bool {
        match self {
            Self::Box { lower, upper } => (0..3).all(|a| x[a] >= lower[a] && x[a] < upper[a]),
            Self::Cylinder {
                from,
                axis,
                length,
                radius,
            } => {
                let way = x - from;
                let along = way.dot(axis);
                let across = (way - axis * along).norm_squared();
                along >= 0.0 && along < *length && across < radius * radius
            }
            Self::Sphere { centre, radius } => (x - centre).norm_squared() < radius * radius,
            Self::HalfSpace(plane) => plane.distance(x) >= 0.0,
        }
    }

    /// Whether a ball of radius `r` [m] about a point of the region fits into it, except for
    /// rounding.
    #[must_use]
    pub fn has_room(&self, x: &Vector3, r: f64) -> bool {
        let hair = 1e-12 * r;
        match self {
            Self::Box { lower, upper } => {
                (0..3).all(|a| x[a] - r >= lower[a] - hair && x[a] + r <= upper[a] + hair)
            }
            Self::Cylinder {
                from,
                axis,
                length,
                radius,
            } => {
                let way = x - from;
                let along = way.dot(axis);
                let across = (way - axis * along).norm();
                along - r >= -hair && along + r <= length + hair && across + r <= radius + hair
            }
            Self::Sphere { centre, radius } => (x - centre).norm() + r <= radius + hair,
            Self::HalfSpace(plane) => plane.distance(x) >= r - hair,
        }
    }

    /// Volume [m³]; of a half-space infinite.
    #[must_use]
    pub fn volume(&self) -> f64 {
        match self {
            Self::Box { lower, upper } => (upper - lower).product(),
            Self::Cylinder { length, radius, .. } => PI * radius * radius * length,
            Self::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::HalfSpace(_) => f64::INFINITY,
        }
    }

    /// The corners of the smallest axis-parallel box around the region [m]; infinite where it is
    /// unbounded.
    #[must_use]
    pub fn bounds(&self) -> (Vector3, Vector3) {
        match self {
            Self::Box { lower, upper } => (*lower, *upper),
            Self::Cylinder {
                from,
                axis,
                length,
                radius,
            } => {
                let to = from + axis * *length;
                // A disc across the axis reaches `r √(1 − a²)` along each coordinate.
                let reach = axis.map(|a| radius * (1.0 - a * a).max(0.0).sqrt());
                (from.inf(&to) - reach, from.sup(&to) + reach)
            }
            Self::Sphere { centre, radius } => {
                let reach = Vector3::repeat(*radius);
                (centre - reach, centre + reach)
            }
            Self::HalfSpace(plane) => {
                let all = (
                    Vector3::repeat(f64::NEG_INFINITY),
                    Vector3::repeat(f64::INFINITY),
                );
                let along = (0..3).find(|&a| plane.normal[a].abs() == 1.0);
                let (mut lower, mut upper) = all;
                match along {
                    Some(a) if plane.normal[a] > 0.0 => lower[a] = plane.point[a],
                    Some(a) => upper[a] = plane.point[a],
                    None => {}
                }
                (lower, upper)
            }
        }
    }
}

/// An interval of time, in seconds of the run, without its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spell {
    /// Its begin [s].
    pub from: f64,
    /// Its end [s].
    pub until: f64,
}

impl Spell {
    /// The whole run.
    pub const ALWAYS: Spell = Spell {
        from: f64::NEG_INFINITY,
        until: f64::INFINITY,
    };

    /// Whether a time [s] belongs to it.
    #[must_use]
    pub fn holds(&self, time: f64) -> bool {
        time >= self.from && time < self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    fn regions() -> [Region; 3] {
        let corner = Vector3::new(0.1, -0.4, 0.2);
        [
            Region::Box {
                lower: corner,
                upper: corner + Vector3::new(0.5, 0.3, 0.6),
            },
            Region::Cylinder {
                from: corner,
                axis: Vector3::new(1.0, 2.0, -2.0) / 3.0,
                length: 0.7,
                radius: 0.3,
            },
            Region::Sphere {
                centre: corner,
                radius: 0.4,
            },
        ]
    }

    /// The volume is that of random points in the bounds, within 5 standard errors.
    ///
    /// All points of a region are in its bounds, which are the smallest: points come within 2 % of
    /// each face.
    #[test]
    fn volume_and_bounds_are_those_of_the_points_inside() {
        for (number, region) in regions().into_iter().enumerate() {
            let (lower, upper) = region.bounds();
            let wide = upper - lower;
            let mut draw = Stream::new(Purpose::Trial, 5, [number as u64, 0, 0]);
            let (mut inside, mut low, mut high) = (0.0, upper, lower);
            let n = 200_000;
            for _ in 0..n {
                let share = Vector3::new(draw.unit(), draw.unit(), draw.unit()) * 1.2;
                let x = lower - wide * 0.1 + share.component_mul(&wide);
                if region.contains(&x) {
                    inside += 1.0;
                    low = low.inf(&x);
                    high = high.sup(&x);
                }
            }
            let share: f64 = inside / f64::from(n);
            let volume = share * wide.product() * 1.2_f64.powi(3);
            let error = 5.0 * volume * ((1.0 - share) / (share * f64::from(n))).sqrt();
            assert!(
                (volume - region.volume()).abs() < error,
                "{region:?}: {volume}"
            );
            for a in 0..3 {
                assert!(low[a] >= lower[a] && low[a] < lower[a] + 0.02 * wide[a]);
                assert!(high[a] <= upper[a] && high[a] > upper[a] - 0.02 * wide[a]);
            }
        }
    }

    /// A ball fits where all points of its surface are inside.
    #[test]
    fn a_ball_has_room_where_its_surface_is_inside() {
        for (number, region) in regions().into_iter().enumerate() {
            let (lower, upper) = region.bounds();
            let mut draw = Stream::new(Purpose::Trial, 6, [number as u64, 0, 0]);
            let mut roomy = 0;
            for _ in 0..2000 {
                let share = Vector3::new(draw.unit(), draw.unit(), draw.unit());
                let x = lower + share.component_mul(&(upper - lower));
                let r = 0.1;
                let mut all_inside = true;
                for _ in 0..2000 {
                    let way = Vector3::new(
                        draw.between(-1.0, 1.0),
                        draw.between(-1.0, 1.0),
                        draw.between(-1.0, 1.0),
                    );
                    all_inside &= region.contains(&(x + way.normalize() * (0.999 * r)));
                }
                let room = region.has_room(&x, r);
                roomy += usize::from(room);
                // Where it fits all points are inside; otherwise a finite number may miss the part
                // outside.
                assert!(all_inside || !room, "{region:?}: {x}");
                assert!(room || !region.has_room(&x, 1.2 * r));
            }
            assert!(roomy > 50, "{region:?}: {roomy}");
        }
    }

    #[test]
    fn a_half_space_has_one_side() {
        let normal = Vector3::new(0.0, 0.0, -1.0);
        let point = Vector3::new(0.0, 0.0, 0.3);
        let below = Region::HalfSpace(HalfSpace { point, normal });
        assert!(below.contains(&Vector3::new(9.0, 9.0, 0.2)));
        assert!(!below.contains(&Vector3::new(9.0, 9.0, 0.4)));
        let (lower, upper) = below.bounds();
        assert_eq!(
            (lower.z, upper.z, upper.x),
            (f64::NEG_INFINITY, 0.3, f64::INFINITY)
        );
        assert!(below.volume().is_infinite());
    }
}
