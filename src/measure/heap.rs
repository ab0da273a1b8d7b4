//! The shape of a heap: height, width, slope.

use super::Window;
use super::motion::free_inside;
use crate::body::BodyRow;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::shape::Template;

/// The position of a heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heap {
    /// A point of the vertical axis, the zero of heights [m].
    pub centre: Vector3,
    /// Unit vector against gravity.
    pub up: Vector3,
    /// Number of rings of the surface.
    pub rings: usize,
}

impl Heap {
    /// Distance from the axis and height above the centre [m] of the free bodies in a window, with
    /// their rows.
    fn places<'a>(
        &'a self,
        bodies: &'a [BodyRow],
        window: &'a Window,
    ) -> impl Iterator<Item = (&'a BodyRow, f64, f64)> {
        free_inside(bodies, window).map(|(row, x)| {
            let way = window.difference(&self.centre, &x);
            let height = way.dot(&self.up);
            (row, (way - self.up * height).norm(), height)
        })
    }

    /// The highest top of a body above the centre [m]; −∞ without bodies.
    #[must_use]
    pub fn top(&self, (bodies, templates): (&[BodyRow], &[Template]), window: &Window) -> f64 {
        let tops = self
            .places(bodies, window)
            .map(|(row, _, h)| h + self.reach_up(row, templates));
        tops.fold(f64::NEG_INFINITY, nan_max)
    }

    /// Height of a body's top above its centre [m].
    fn reach_up(&self, row: &BodyRow, templates: &[Template]) -> f64 {
        let centre = Vector3::from(row.position);
        match row.shape {
            0 => row.radius,
            _ => row
                .balls(templates)
                .map(|ball| (ball.centre - centre).dot(&self.up) + ball.radius)
                .fold(f64::NEG_INFINITY, nan_max),
        }
    }

    /// The distribution of the free bodies' mass about the axis.
    #[must_use]
    pub fn spread(&self, bodies: &[BodyRow], window: &Window) -> Spread {
        let places = self.places(bodies, window);
        let mut masses: Vec<(f64, f64)> = places.map(|(row, r, _)| (r, row.mass)).collect();
        masses.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Spread { masses }
    }

    /// The surface in rings of equal width out to `reach` [m].
    ///
    /// It is the highest top of a body with its centre in each ring [m], −∞ for empty rings.
    #[must_use]
    pub fn surface(
        &self,
        (bodies, templates): (&[BodyRow], &[Template]),
        window: &Window,
        reach: f64,
    ) -> Vec<f64> {
        let mut heights = vec![f64::NEG_INFINITY; self.rings];
        for (row, r, height) in self.places(bodies, window) {
            let ring = (r / reach * self.rings as f64) as usize;
            if let Some(highest) = heights.get_mut(ring) {
                *highest = nan_max(*highest, height + self.reach_up(row, templates));
            }
        }
        heights
    }

    /// The angle of repose [rad]: the slope of the least-squares line through the heights of the
    /// rings.
    ///
    /// Heights are at the middles of the rings. Empty rings are left out, and the innermost, which
    /// a blunt tip lowers; NaN for fewer than three.
    #[must_use]
    pub fn angle(&self, heights: &[f64], reach: f64) -> f64 {
        let width = reach / self.rings as f64;
        let points: Vec<(f64, f64)> = (heights.iter().enumerate().skip(1))
            .filter(|(_, height)| height.is_finite())
            .map(|(ring, height)| ((ring as f64 + 0.5) * width, *height))
            .collect();
        if points.len() < 3 {
            return f64::NAN;
        }
        let n = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (r, h) = (mean(|p| p.0), mean(|p| p.1));
        let across: f64 = points.iter().map(|p| (p.0 - r) * (p.1 - h)).sum();
        let along: f64 = points.iter().map(|p| (p.0 - r).powi(2)).sum();
        libm::atan(-across / along)
    }
}

/// Distances from an axis [m], ascending, each with a mass [kg].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    masses: Vec<(f64, f64)>,
}

impl Spread {
    /// The largest distance [m]; 0 without mass.
    #[must_use]
    pub fn farthest(&self) -> f64 {
        self.masses.last().map_or(0.0, |(r, _)| *r)
    }

    /// Mass [kg] at distances above the first and up to the second [m]; `None` starts at the axis.
    #[must_use]
    pub fn mass_between(&self, above: Option<f64>, up_to: f64) -> ExactSum {
        let place = |x: f64| self.masses.partition_point(|(r, _)| *r <= x);
        let (from, to) = (above.map_or(0, place), place(up_to));
        self.masses[from.min(to)..to]
            .iter()
            .map(|(_, m)| *m)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use std::f64::consts::PI;

    /// A cone of balls on a grid has its known height and slope, within the size of the balls.
    ///
    /// Half of its mass lies within the radius r for which `3 r² − 2 r³ = 1/2` of its own.
    #[test]
    fn a_cone() {
        let (d, slope, big) = (0.05, 0.5, 2.0);
        let mut rows = Vec::new();
        let n = (big / d) as i64;
        for i in -n..=n {
            for j in -n..=n {
                let (x, y) = (i as f64 * d, j as f64 * d);
                let surface = (big - x.hypot(y)) * slope;
                let mut z = 0.5 * d;
                while z + 0.5 * d <= surface {
                    rows.push(BodyRow::sphere(
                        BodyId(0),
                        [3.0 + x, 3.0 + y, z],
                        0.5 * d,
                        1.0,
                    ));
                    z += d;
                }
            }
        }
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(6.0));
        let window = Window::new(None, (&lower, &upper), [false; 3], false);
        let heap = Heap {
            centre: Vector3::new(3.0, 3.0, 0.0),
            up: Vector3::z(),
            rings: 10,
        };
        assert!((heap.top((&rows, &[]), &window) - big * slope).abs() <= d);
        let all = heap.spread(&rows, &window).mass_between(None, 9.0).value();
        assert_eq!(all, rows.len() as f64);
        // Balls end up to a diameter below the surface, that is d/slope in the radius.
        let half = heap
            .spread(&rows, &window)
            .mass_between(None, 0.5 * big)
            .value()
            / all;
        let share = |r: f64| 3.0 * r * r - 2.0 * r * r * r;
        assert!(
            half > share(0.5) && half < share(0.5 * big / (big - d / slope)),
            "{half}"
        );
        let reach = 0.9 * big;
        let heights = heap.surface((&rows, &[]), &window, reach);
        let angle = heap.angle(&heights, reach);
        // Each height is off by up to d, over a distance of nine rings.
        let error = d / (0.5 * reach);
        assert!(
            (angle.tan() - slope).abs() < error,
            "{}",
            angle * 180.0 / PI
        );
        assert!(heap.angle(&[1.0, 0.5, f64::NEG_INFINITY], 1.0).is_nan());
        // A straight line is exact to rounding.
        let line: Vec<f64> = (0..10).map(|k| 1.0 - 0.3 * (f64::from(k) + 0.5)).collect();
        assert!((heap.angle(&line, 10.0) - libm::atan(0.3)).abs() < 1e-15);
    }
}
