//! Periodic axes of space.
//!
//! A position on a periodic axis stays in `lower <= x < lower + length`. The number of periods that
//! a body has crossed is counted separately, so that its unwrapped path is known. Differences of
//! positions take the nearest image.

use crate::math::Vector3;

/// Images moved along one axis from period to period of another: simple shear (Lees, Edwards).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// The axis along which images are moved.
    pub along: usize,
    /// The axis across which the moved images lie.
    pub across: usize,
    /// Displacement of the next image upwards [m], at most half a period along.
    pub shift: f64,
}

impl Shear {
    /// The shift as a displacement per metre, from the length across [m].
    #[must_use]
    pub fn slope(&self, across: f64) -> f64 {
        self.shift / across
    }
}

/// The periodic axes and their periods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Period {
    /// Lower end of each axis' period [m].
    pub lower: [f64; 3],
    /// Length of the period of each axis [m]; `None`: not periodic.
    pub length: [Option<f64>; 3],
    /// Images that simple shear moves.
    pub shear: Option<Shear>,
}

impl Period {
    /// No periodic axis.
    pub const NONE: Period = Period {
        lower: [0.0; 3],
        length: [None; 3],
        shear: None,
    };

    /// The box from `lower` to `upper` [m], periodic on the axes marked.
    #[must_use]
    pub fn of_box(lower: &Vector3, upper: &Vector3, periodic: [bool; 3]) -> Self {
        Self {
            lower: [0, 1, 2].map(|a| if periodic[a] { lower[a] } else { 0.0 }),
            length: [0, 1, 2].map(|a| periodic[a].then(|| upper[a] - lower[a])),
            shear: None,
        }
    }

    /// The same periods with moved images; both axes of the shear must be periodic.
    #[must_use]
    pub fn sheared(self, shear: Option<Shear>) -> Self {
        let both = |shear: &Shear| [shear.along, shear.across].map(|a| self.length[a].is_some());
        let shear = shear.filter(|shear| both(shear) == [true; 2]);
        Self { shear, ..self }
    }

    /// A position in the frame in which images are not moved: the cell is a box there [m].
    #[must_use]
    pub fn boxed(&self, x: &Vector3) -> Vector3 {
        let mut boxed = *x;
        if let Some(shear) = self.shear {
            let length = self.length[shear.across].unwrap_or(1.0);
            let height = x[shear.across] - self.lower[shear.across];
            boxed[shear.along] -= shear.slope(length) * height;
        }
        boxed
    }

    /// The factor by which lengths along the axes may be larger there than in space: for boxes
    /// along the sheared axis, and for distances.
    #[must_use]
    pub fn stretch(&self) -> [f64; 2] {
        let Some(shear) = self.shear else {
            return [1.0; 2];
        };
        let slope = shear.slope(self.length[shear.across].unwrap_or(1.0)).abs();
        [1.0 + slope, 0.5 * (slope + (slope * slope + 4.0).sqrt())]
    }

    /// The image of a difference that is nearest to another difference [m].
    #[must_use]
    pub fn nearest(&self, way: &Vector3, to: &Vector3) -> Vector3 {
        let mut way = *way;
        let turns = |way: f64, axis: usize| {
            let length = self.length[axis]?;
            Some(((to[axis] - way) / length).round())
        };
        if let Some(shear) = self.shear {
            let turns = turns(way[shear.across], shear.across).unwrap_or(0.0);
            way[shear.across] += turns * self.length[shear.across].unwrap_or(0.0);
            way[shear.along] += turns * shear.shift;
        }
        for axis in 0..3 {
            way[axis] += turns(way[axis], axis).unwrap_or(0.0) * self.length[axis].unwrap_or(0.0);
        }
        way
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
        if self.shear.is_some() {
            return self.nearest(&d, &Vector3::zeros());
        }
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

    /// The way from `b` to its image closest to `a` [m], without simple shear.
    #[must_use]
    pub fn shift(&self, a: &Vector3, b: &Vector3) -> Vector3 {
        debug_assert!(self.shear.is_none());
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
        if let Some(Shear {
            along,
            across,
            shift,
        }) = self.shear
        {
            // Along the axis the period is that of the image.
            let length = self.length[across].unwrap_or(1.0);
            let turns = ((x[across] - self.lower[across]) / length).floor();
            if turns.is_finite() {
                inside[along] -= turns * shift;
            }
        }
        for axis in 0..3 {
            let Some(length) = self.length[axis] else {
                continue;
            };
            let lower = self.lower[axis];
            let turns = ((inside[axis] - lower) / length).floor();
            // Other checks report positions with NaN, infinities or too large a count.
            if !turns.is_finite() || turns.abs() > 1e15 {
                continue;
            }
            if turns != 0.0 {
                inside[axis] -= turns * length;
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

    /// With images moved by shear: a difference is the shortest to any image, and a wrapped
    /// position is an image of the first.
    #[test]
    fn sheared_images_are_the_nearest() {
        let plain = Period::of_box(&Vector3::zeros(), &Vector3::new(6.0, 4.0, 5.0), [true; 3]);
        for shift in [0.0, 1.7, -2.9, 3.0] {
            let shear = Shear {
                along: 0,
                across: 1,
                shift,
            };
            let period = plain.sheared(Some(shear));
            let image = |k: [i32; 3]| {
                let [x, y, z] = k.map(f64::from);
                Vector3::new(6.0 * x + shift * y, 4.0 * y, 5.0 * z)
            };
            for k in 0..200 {
                let at = |s: f64| 0.5 + 0.5 * (f64::from(k) * s).sin();
                let a = Vector3::new(6.0 * at(1.3), 4.0 * at(2.9), 5.0 * at(0.7));
                let b = Vector3::new(6.0 * at(5.1), 4.0 * at(3.3), 5.0 * at(4.7));
                let d = period.difference(&a, &b);
                let mut shortest = f64::INFINITY;
                for n in 0..125 {
                    let image = image([n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2]);
                    shortest = shortest.min((b - a + image).norm());
                }
                // Half the shortest period is nearer than any image that rounding might miss.
                if shortest < 2.0 {
                    assert!((d.norm() - shortest).abs() < 1e-12, "{shift} {a} {b}");
                }
                let away = a + image([2, -1, 3]);
                let (x, count) = period.wrapped(&away);
                assert!((x - a).norm() < 1e-12, "{shift}: {x} {a}");
                assert_eq!(count[1], -1);
                let boxed = [a, away].map(|x| period.boxed(&x));
                let apart = boxed[1] - boxed[0] - Vector3::new(12.0, -4.0, 15.0);
                assert!(apart.norm() < 1e-12);
            }
        }
        assert_eq!(plain.sheared(None), plain);
    }

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
