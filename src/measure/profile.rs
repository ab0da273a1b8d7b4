//! Profiles: what is in slabs across an axis, or in rings about one.

use super::Window;
use super::motion::free_inside;
use crate::body::BodyRow;
use crate::math::{ExactSum, Vector3};
use std::f64::consts::PI;

/// What a profile goes along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// A coordinate axis, 0 to 2.
    Along(usize),
    /// The distance from an axis, up to a radius.
    From {
        /// A point of the axis [m].
        centre: Vector3,
        /// Its unit direction.
        up: Vector3,
        /// Where the last ring ends [m].
        radius: f64,
        /// How long the rings are along the axis [m].
        length: f64,
    },
}

/// The bins of a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    axis: Axis,
    window: Window,
    /// Ends of the bins [m], one more than bins.
    edges: Vec<f64>,
    /// One for each bin, along a coordinate axis.
    slabs: Vec<Window>,
}

/// How many sums [`Profile::sums`] makes for each bin.
pub const PROFILE_SUMS: usize = 5;

impl Profile {
    /// So many equal bins of a window.
    #[must_use]
    pub fn new(window: Window, axis: Axis, bins: usize) -> Self {
        let (low, high) = match axis {
            Axis::Along(a) => (window.bounds().0[a], window.bounds().1[a]),
            Axis::From { radius, .. } => (0.0, radius),
        };
        let edge = |k: usize| match k == bins {
            true => high,
            false => low + (high - low) * (k as f64 / bins as f64),
        };
        let edges: Vec<f64> = (0..=bins).map(edge).collect();
        let slabs = match axis {
            Axis::Along(a) => edges
                .windows(2)
                .map(|w| window.slab(a, w[0], w[1]))
                .collect(),
            Axis::From { .. } => Vec::new(),
        };
        Self {
            axis,
            window,
            edges,
            slabs,
        }
    }

    /// Ends of each bin [m].
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.edges.windows(2).map(|w| (w[0], w[1]))
    }

    /// Volume of a bin [m³].
    #[must_use]
    pub fn volume(&self, bin: usize) -> f64 {
        match self.axis {
            Axis::Along(_) => self.slabs[bin].volume(),
            Axis::From { length, .. } => {
                let (a, b) = (self.edges[bin], self.edges[bin + 1]);
                PI * (b - a) * (b + a) * length
            }
        }
    }

    /// The bin in which a point of the window lies.
    fn bin_of(&self, x: &Vector3) -> Option<usize> {
        let at = match &self.axis {
            Axis::Along(a) => x[*a],
            Axis::From { centre, up, .. } => {
                let way = self.window.difference(centre, x);
                (way - up * way.dot(up)).norm()
            }
        };
        let after = self.edges.partition_point(|edge| *edge <= at);
        (1..self.edges.len()).contains(&after).then(|| after - 1)
    }

    /// For each bin the number of free bodies whose centre lies in it, and sums: volume of all bodies in it [m³], m [kg], m v [kg m/s]. Of rings the
    /// volume is that of the bodies whose centre lies in them.
    #[must_use]
    pub fn sums(&self, bodies: &[BodyRow]) -> (Vec<i64>, Vec<ExactSum>) {
        let bins = self.edges.len() - 1;
        let mut counts = vec![0; bins];
        let mut sums = vec![ExactSum::default(); PROFILE_SUMS * bins];
        for (row, x) in free_inside(bodies, &self.window) {
            if let Some(bin) = self.bin_of(&x) {
                counts[bin] += 1;
                let (m, v) = (row.mass, row.velocity);
                let terms = [m, m * v[0], m * v[1], m * v[2]];
                let of_bin = sums[PROFILE_SUMS * bin + 1..].iter_mut();
                of_bin.zip(terms).for_each(|(s, t)| s.add(t));
            }
        }
        for row in bodies {
            let x = Vector3::from(row.position);
            if let Axis::From { .. } = self.axis {
                let bin = self.window.inside(&x).and_then(|x| self.bin_of(&x));
                if let Some(bin) = bin {
                    sums[PROFILE_SUMS * bin].add(self.window.body_volume(row.radius));
                }
                continue;
            }
            for (bin, slab) in self.slabs.iter().enumerate() {
                let part = slab.overlap(&x, row.radius);
                if part > 0.0 {
                    sums[PROFILE_SUMS * bin].add(part);
                }
            }
        }
        (counts, sums)
    }

    /// For each bin `Σ m |δv|²` of the free bodies whose centre lies in it, about these mean velocities [J].
    #[must_use]
    pub fn fluctuations(&self, bodies: &[BodyRow], means: &[Vector3]) -> Vec<ExactSum> {
        let mut sums = vec![ExactSum::default(); means.len()];
        for (row, x) in free_inside(bodies, &self.window) {
            if let Some(bin) = self.bin_of(&x) {
                let d = Vector3::from(row.velocity) - means[bin];
                sums[bin].add(row.mass * d.norm_squared());
            }
        }
        sums
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> f64 {
        self.window.dimensions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;

    /// A ball cut by two slabs across the end of a period, and its velocity where its centre is; rings with their own volumes.
    #[test]
    fn slabs_and_rings() {
        let (lower, upper) = (Vector3::zeros(), Vector3::new(4.0, 4.0, 4.0));
        let window = Window::new(None, (&lower, &upper), [true, false, false], false);
        let mut row = BodyRow::sphere(BodyId(3), [0.0, 2.0, 2.0], 0.5, 2.0);
        row.velocity = [1.0, 0.0, -1.0];
        let profile = Profile::new(window.clone(), Axis::Along(0), 4);
        let (counts, sums) = profile.sums(&[row]);
        assert_eq!(counts, [1, 0, 0, 0]);
        let value = |bin: usize, k: usize| sums[PROFILE_SUMS * bin + k].value();
        let half = window.body_volume(0.5) / 2.0;
        assert!((value(0, 0) - half).abs() < 1e-15 && (value(3, 0) - half).abs() < 1e-15);
        assert_eq!(
            (value(1, 0), value(0, 1), value(0, 2), value(0, 4)),
            (0.0, 2.0, 2.0, -2.0)
        );
        assert_eq!(profile.volume(2), 16.0);
        let still = profile.fluctuations(&[row], &[Vector3::zeros(); 4]);
        assert_eq!(still[0].value(), 4.0);

        // Across the period the axis is one away.
        let axis = Axis::From {
            centre: Vector3::new(3.0, 2.0, 0.0),
            up: Vector3::z(),
            radius: 2.0,
            length: 4.0,
        };
        let rings = Profile::new(window.clone(), axis, 4);
        let (counts, sums) = rings.sums(&[row]);
        assert_eq!(counts, [0, 0, 1, 0]);
        assert_eq!(sums[PROFILE_SUMS * 2].value(), window.body_volume(0.5));
        let all: f64 = (0..4).map(|k| rings.volume(k)).sum();
        assert!((all - PI * 16.0).abs() < 1e-12);
        assert!((rings.volume(3) - PI * (4.0 - 2.25) * 4.0).abs() < 1e-12);
    }
}
