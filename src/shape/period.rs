//! Periodic axes of space.
//!
//! A position on a periodic axis stays in `lower <= x < lower + length`. The number of periods that
//! a body has crossed is counted separately, so that its unwrapped path is known. Differences of
//! positions take the nearest image.

use crate::math::Vector3;

/// The periodic axes and their periods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Period {
    /// Lower end of each axis' period [m].
    pub lower: [f64; 3],
    /// Length of the period of each axis [m]; `None`: not periodic.
    pub length: [Option<f64>; 3],
}

impl Period {
    /// No periodic axis.
    pub const NONE: Period = Period {
        lower: [0.0; 3],
        length: [None; 3],
    };

    /// The box from `lower` to `upper` [m], periodic on the axes marked.
    #[must_use]
    pub fn of_box(lower: &Vector3, upper: &Vector3, periodic: [bool; 3]) -> Self {
        Self {
            lower: [0, 1, 2].map(|a| if periodic[a] { lower[a] } else { 0.0 }),
            length: [0, 1, 2].map(|a| periodic[a].then(|| upper[a] - lower[a])),
        }
    }

    /// Whether any axis is periodic.
    #[must_use]
    pub fn any(&self) -> bool {
        self.length.iter().any(Option::is_some)
    }

    /// The difference `b − a` of two positions, with the image of `b` closest to `a`.
    ///
    /// Both positions must be wrapped. For the same bits `a` and `b` must always come in the same
    /// order.
    #[must_use]
    #[inline]
    pub fn difference(&self, a: &Vector3, b: &Vector3) -> Vector3 {
        let mut d = b - a;
        for axis in 0..3 {
            if let Some(length) = self.length[axis] {
                if d[axis] > 0.5 * length {
                    d[axis] -= length;
                } else if d[axis] < -0.5 * length {
                    d[axis] += length;
                }
            }
        }
        d
    }

    /// The way from `b` to its image closest to `a` [m].
    #[must_use]
    pub fn shift(&self, a: &Vector3, b: &Vector3) -> Vector3 {
        Vector3::from_fn(|axis, _| {
            let (way, length) = (b[axis] - a[axis], self.length[axis].unwrap_or(0.0));
            if way > 0.5 * length {
                -length
            } else if way < -0.5 * length {
                length
            } else {
                0.0
            }
        })
    }

    /// Wraps a position into the period; returns it and the number of periods that it was moved up.
    ///
    /// The original position is `wrapped + count × length`, except for rounding.
    #[must_use]
    pub fn wrapped(&self, x: &Vector3) -> (Vector3, [i64; 3]) {
        let (mut inside, mut count) = (*x, [0; 3]);
        for axis in 0..3 {
            let Some(length) = self.length[axis] else {
                continue;
            };
            let lower = self.lower[axis];
            let turns = ((x[axis] - lower) / length).floor();
            // Other checks report positions with NaN, infinities or too large a count.
            if !turns.is_finite() || turns.abs() > 1e15 {
                continue;
            }
            if turns != 0.0 {
                inside[axis] = x[axis] - turns * length;
                count[axis] = turns as i64;
            }
            // Rounding may give the far end, or a value slightly below the near one.
            if inside[axis] >= lower + length || inside[axis] < lower {
                inside[axis] = lower;
            }
        }
        (inside, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_inside_and_differences_take_the_nearest_image() {
        let upper = Vector3::new(10.0, 4.0, 1.0);
        let period = Period::of_box(&Vector3::new(2.0, 0.0, 0.0), &upper, [true, false, true]);
        let (x, count) = period.wrapped(&Vector3::new(10.0, 9.0, -2.25));
        assert_eq!((x, count), (Vector3::new(2.0, 9.0, 0.75), [1, 0, -3]));
        let (x, count) = period.wrapped(&Vector3::new(2.0 - 1e-18, 0.0, -1e-18));
        assert!(
            x.x >= 2.0 && x.x < 10.0 && x.z >= 0.0 && x.z < 1.0,
            "{x} {count:?}"
        );
        let d = period.difference(&Vector3::new(2.5, 0.0, 0.1), &Vector3::new(9.5, 3.0, 0.9));
        assert!((d - Vector3::new(-1.0, 3.0, -0.2)).norm() < 1e-15);
        let [a, b] = [[2.5, 0.0, 0.1], [9.5, 3.0, 0.9]].map(Vector3::from);
        assert_eq!(period.shift(&a, &b), Vector3::new(-8.0, 0.0, -1.0));
        assert_eq!(period.shift(&b, &a), Vector3::new(8.0, 0.0, 1.0));
        let far = Vector3::new(f64::NAN, 0.0, 0.0);
        assert!(period.wrapped(&far).0.x.is_nan());
        assert!(!Period::NONE.any() && Period::NONE.wrapped(&far.map(|_| -7.0)).1 == [0; 3]);
    }
}
