//! The space of a sample in the domain.

use crate::math::Vector3;
use crate::shape::Region;

/// A box of the domain, and its part in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Lower corner [m].
    pub lower: [f64; 3],
    /// Upper corner [m].
    pub upper: [f64; 3],
    /// Axes on which the box is a whole period of the domain, so that bodies may lie across its
    /// faces.
    pub periodic: [bool; 3],
    /// The region inside the box, if any.
    pub region: Option<Region>,
}

/// Points on each axis for counting a volume without a formula.
const POINTS: u32 = 128;

impl Space {
    /// Whether a ball of radius `r` [m] about `x` lies wholly inside, except for rounding.
    ///
    /// In two dimensions it is a disc in the plane z = 0.
    pub(super) fn has_room(&self, x: &Vector3, r: f64, discs: bool) -> bool {
        let hair = 1e-12 * r;
        let within = |a: usize| {
            self.periodic[a]
                || (x[a] - r >= self.lower[a] - hair && x[a] + r <= self.upper[a] + hair)
        };
        let axes = if discs { 2 } else { 3 };
        (0..axes).all(within) && self.region.is_none_or(|region| region.has_room(x, r))
    }

    /// Lengths of the box [m].
    pub(super) fn extent(&self) -> [f64; 3] {
        [0, 1, 2].map(|a| self.upper[a] - self.lower[a])
    }

    /// Volume [m³]; for discs, one metre thick, the area in the plane z = 0.
    ///
    /// Where a region other than a box extends beyond the box, or the plane cuts it, the volume is
    /// counted on points, good to some 1e-3.
    #[must_use]
    pub fn volume(&self, discs: bool) -> f64 {
        let [x, y, z] = self.extent();
        let all = if discs { x * y } else { x * y * z };
        let Some(region) = &self.region else {
            return all;
        };
        let (lower, upper) = region.bounds();
        let whole = (0..3).all(|a| lower[a] >= self.lower[a] && upper[a] <= self.upper[a]);
        if whole && !discs {
            return region.volume();
        }
        let layers = if discs { 1 } else { POINTS };
        let at = |a: usize, k: u32| {
            let extent = self.upper[a] - self.lower[a];
            self.lower[a] + (f64::from(k) + 0.5) / f64::from(POINTS) * extent
        };
        let mut inside = 0u32;
        for k in 0..layers {
            for j in 0..POINTS {
                for i in 0..POINTS {
                    let z = if discs { 0.0 } else { at(2, k) };
                    let x = Vector3::new(at(0, i), at(1, j), z);
                    inside += u32::from(region.contains(&x));
                }
            }
        }
        all * f64::from(inside) / (f64::from(layers) * f64::from(POINTS).powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn space(centre: [f64; 3]) -> Space {
        Space {
            lower: [0.0; 3],
            upper: [2.0, 4.0, 3.0],
            periodic: [false; 3],
            region: Some(Region::Sphere {
                centre: Vector3::from(centre),
                radius: 1.0,
            }),
        }
    }

    /// A ball whole, halved by a face, and its cut with the plane.
    ///
    /// The error of counting is that of cells at the surface: their number, 6 × 128², times half a
    /// cell's chance error, below 1e-3 of the volume.
    #[test]
    fn volumes_are_those_of_the_part_inside() {
        let ball = 4.0 / 3.0 * PI;
        assert_eq!(space([1.0, 1.0, 1.0]).volume(false), ball);
        let half = space([1.0, 0.0, 1.0]).volume(false);
        assert!((half / (0.5 * ball) - 1.0).abs() < 1e-3, "{half}");
        // The plane z = 0 cuts a disc of radius 0.8 out of it.
        let cut = space([1.0, 2.0, 0.6]).volume(true);
        assert!((cut / (PI * 0.64) - 1.0).abs() < 1e-2, "{cut}");
    }
}
