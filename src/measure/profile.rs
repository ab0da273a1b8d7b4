//! Profiles over slabs across an axis, or over rings about one.

use super::Window;
use super::motion::free_inside;
use crate::body::BodyRow;
use crate::math::{ExactSum, Vector3};
use crate::shape::Template;
use std::f64::consts::PI;

/// The coordinate of a profile.
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
        /// Radius of the outermost ring [m].
        radius: f64,
        /// Length of the rings along the axis [m].
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

/// The number of sums of [`Profile::sums`] for each bin.
pub const PROFILE_SUMS: usize = 5;

impl Profile {
    /// A profile of this number of equal bins of a window.
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

    /// Covers another window with as many bins.
    pub fn follow(&mut self, window: &Window) {
        *self = Self::new(window.clone(), self.axis, self.edges.len() - 1);
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

    /// Whether its bins are rings.
    #[must_use]
    pub fn is_of_rings(&self) -> bool {
        matches!(self.axis, Axis::From { .. })
    }

    /// The components in which a velocity at a point is averaged.
    ///
    /// For slabs they are those along the coordinate axes. For rings they are those away from the
    /// axis, about it (by the right hand, the thumb up) and along it: the Cartesian components of a
    /// rotation would average to zero over a ring.
    fn components(&self, x: &Vector3, v: [f64; 3]) -> Vector3 {
        let v = Vector3::from(v);
        let Axis::From { centre, up, .. } = &self.axis else {
            return v;
        };
        let way = self.window.difference(centre, x);
        let out = way - up * way.dot(up);
        // On the axis all directions lead away from it.
        let out = match out.try_normalize(0.0) {
            Some(out) => out,
            None => up.cross(&Vector3::ith(up.iamin(), 1.0)).normalize(),
        };
        Vector3::new(v.dot(&out), v.dot(&up.cross(&out)), v.dot(up))
    }

    /// The slabs that a body may intersect, each once, in ascending order of its images.
    fn slabs_near(&self, axis: usize, at: f64, r: f64, mut each: impl FnMut(usize)) {
        let (low, high) = (self.edges[0], self.edges[self.slabs.len()]);
        // Wide enough for any rounding in the cuts.
        let reach = r * (1.0 + 1e-6);
        let (first, last, length) = match self.window.length(axis) {
            None => (0, 0, 0.0),
            Some(length) => (
                ((low - at - reach) / length).ceil() as i64,
                ((high - at + reach) / length).floor() as i64,
                length,
            ),
        };
        let mut next = 0;
        for turn in first..=last {
            let x = at + turn as f64 * length;
            let begin = self.edges.partition_point(|edge| *edge < x - reach).max(1) - 1;
            let end = self.edges.partition_point(|edge| *edge <= x + reach);
            let end = end.min(self.slabs.len());
            (begin.max(next)..end).for_each(&mut each);
            next = next.max(end);
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

    /// For each bin the number of free bodies with their centre in it, and sums over them.
    ///
    /// The sums are the volume of all bodies in the bin [m³], m [kg], m v [kg m/s]. For rings the
    /// volume is that of the bodies with their centre in them, and velocities have the components
    /// away from the axis, about it and along it.
    #[must_use]
    pub fn sums(&self, bodies: &[BodyRow], templates: &[Template]) -> (Vec<i64>, Vec<ExactSum>) {
        let bins = self.edges.len() - 1;
        let mut counts = vec![0; bins];
        let mut sums = vec![ExactSum::default(); PROFILE_SUMS * bins];
        for (row, x) in free_inside(bodies, &self.window) {
            if let Some(bin) = self.bin_of(&x) {
                counts[bin] += 1;
                let (m, v) = (row.mass, self.components(&x, row.velocity));
                let terms = [m, m * v[0], m * v[1], m * v[2]];
                let of_bin = sums[PROFILE_SUMS * bin + 1..].iter_mut();
                of_bin.zip(terms).for_each(|(s, t)| s.add(t));
            }
        }
        for row in bodies {
            let x = Vector3::from(row.position);
            let Axis::Along(axis) = self.axis else {
                let bin = self.window.inside(&x).and_then(|x| self.bin_of(&x));
                if let Some(bin) = bin {
                    sums[PROFILE_SUMS * bin]
                        .add(row.volume(self.window.dimensions() == 2.0, templates));
                }
                continue;
            };
            for ball in row.balls(templates) {
                self.slabs_near(axis, ball.centre[axis], ball.radius, |bin| {
                    let part = self.slabs[bin].overlap(&ball.centre, ball.radius) * ball.share;
                    if part > 0.0 {
                        sums[PROFILE_SUMS * bin].add(part);
                    }
                });
            }
        }
        (counts, sums)
    }

    /// For each bin `Σ m |δv|²` of the free bodies with their centre in it, about these mean
    /// velocities [J].
    #[must_use]
    pub fn fluctuations(&self, bodies: &[BodyRow], means: &[Vector3]) -> Vec<ExactSum> {
        let mut sums = vec![ExactSum::default(); means.len()];
        for (row, x) in free_inside(bodies, &self.window) {
            if let Some(bin) = self.bin_of(&x) {
                let d = self.components(&x, row.velocity) - means[bin];
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

    /// Two slabs cut a ball across the end of a period; its velocity is where its centre is.
    ///
    /// Rings have their own volumes.
    #[test]
    fn slabs_and_rings() {
        let (lower, upper) = (Vector3::zeros(), Vector3::new(4.0, 4.0, 4.0));
        let window = Window::new(None, (&lower, &upper), [true, false, false], false);
        let mut row = BodyRow::sphere(BodyId(3), [0.0, 2.0, 2.0], 0.5, 2.0);
        row.velocity = [1.0, 0.0, -1.0];
        let profile = Profile::new(window.clone(), Axis::Along(0), 4);
        let (counts, sums) = profile.sums(&[row], &[]);
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

        // Across the period the axis is one unit away.
        let axis = Axis::From {
            centre: Vector3::new(3.0, 2.0, 0.0),
            up: Vector3::z(),
            radius: 2.0,
            length: 4.0,
        };
        let rings = Profile::new(window.clone(), axis, 4);
        let (counts, sums) = rings.sums(&[row], &[]);
        assert_eq!(counts, [0, 0, 1, 0]);
        assert_eq!(sums[PROFILE_SUMS * 2].value(), window.body_volume(0.5));
        // The body moves along the axis, and back across the period: away from it.
        assert_eq!(
            [2, 3, 4].map(|k| sums[PROFILE_SUMS * 2 + k].value()),
            [2.0, 0.0, -2.0]
        );
        let all: f64 = (0..4).map(|k| rings.volume(k)).sum();
        assert!((all - PI * 16.0).abs() < 1e-12);
        assert!((rings.volume(3) - PI * (4.0 - 2.25) * 4.0).abs() < 1e-12);
    }

    /// A rigid rotation about the axis of rings has its speed as the mean about it.
    ///
    /// The temperature is next to zero: `Ω² w²/12` in a ring of width w that bodies fill evenly
    /// along the radius, against `Ω² r²/3` in Cartesian components.
    #[test]
    fn what_turns_is_not_warm() {
        let (rate, centre) = (3.0, Vector3::new(1.0, 1.5, 0.0));
        let (lower, upper) = (Vector3::zeros(), Vector3::new(4.0, 4.0, 1.0));
        let window = Window::new(None, (&lower, &upper), [false; 3], false);
        let axis = Axis::From {
            centre,
            up: Vector3::z(),
            radius: 1.0,
            length: 1.0,
        };
        let rings = Profile::new(window, axis, 10);
        let at = |r: f64, k: i32| {
            let angle = f64::from(k);
            let way = Vector3::new(r * angle.cos(), r * angle.sin(), 0.5);
            let mut row = BodyRow::sphere(BodyId(0), (centre + way).into(), 0.01, 2.0);
            row.velocity = [-rate * way.y, rate * way.x, -0.25];
            row
        };
        let rows: Vec<BodyRow> = (0..100).map(|k| at(0.65, k)).collect();
        let (counts, sums) = rings.sums(&rows, &[]);
        assert_eq!(counts[6], 100);
        let mean = Vector3::from([2, 3, 4].map(|k| sums[PROFILE_SUMS * 6 + k].value() / 200.0));
        assert!(
            (mean - Vector3::new(0.0, rate * 0.65, -0.25)).norm() < 1e-12,
            "{mean}"
        );
        let mut means = vec![Vector3::zeros(); 10];
        means[6] = mean;
        let warm = rings.fluctuations(&rows, &means)[6].value() / (3.0 * 200.0);
        assert!(warm < 1e-20, "{warm}");
        // On the axis the direction away from it is undefined, but all of the motion counts.
        let mut still = at(0.0, 0);
        still.velocity = [3.0, 0.0, 4.0];
        let square = rings.fluctuations(&[still], &[Vector3::zeros(); 10])[0].value();
        assert!((square - 50.0).abs() < 1e-12, "{square}");
    }

    /// Searching only slabs near a body gives the same bits as searching all slabs.
    ///
    /// The test includes periods, regions that begin anywhere, and bodies wider than slabs.
    #[test]
    fn no_slab_is_passed_over() {
        use crate::rng::{Purpose, Stream};
        use crate::shape::Region;
        let (lower, upper) = (Vector3::zeros(), Vector3::new(2.0, 1.0, 1.0));
        let region = |low: f64, high: f64| Region::Box {
            lower: Vector3::new(low, 0.0, 0.0),
            upper: Vector3::new(high, 1.0, 1.0),
        };
        let pipe = Region::Cylinder {
            from: Vector3::new(1.7, 0.5, 0.5),
            axis: -Vector3::x(),
            length: 1.5,
            radius: 0.4,
        };
        let regions = [
            None,
            Some(region(0.0, 2.0)),
            Some(region(-1.0, 1.0)),
            Some(region(1.3, 2.9)),
            Some(region(0.5, 0.75)),
            Some(pipe),
        ];
        for (number, region) in regions.iter().enumerate() {
            for (periodic, bins) in [(false, 7), (true, 1), (true, 3), (true, 40)] {
                let window = Window::new(
                    region.as_ref(),
                    (&lower, &upper),
                    [periodic, false, false],
                    false,
                );
                let profile = Profile::new(window, Axis::Along(0), bins);
                let rows: Vec<BodyRow> = (0..200)
                    .map(|k| {
                        let mut draw = Stream::new(Purpose::Trial, 17, [number as u64, k, 0]);
                        let x = [2.0 * draw.unit(), draw.unit(), draw.unit()];
                        BodyRow::sphere(BodyId(k), x, draw.between(0.01, 0.3), 1.0)
                    })
                    .collect();
                let (_, sums) = profile.sums(&rows, &[]);
                let mut held = 0.0;
                for (bin, slab) in profile.slabs.iter().enumerate() {
                    let each = rows.iter();
                    let parts =
                        each.map(|row| slab.overlap(&Vector3::from(row.position), row.radius));
                    let all: ExactSum = parts.filter(|part| *part > 0.0).collect();
                    let found = sums[PROFILE_SUMS * bin].value();
                    assert_eq!(
                        found.to_bits(),
                        all.value().to_bits(),
                        "{region:?}, bin {bin}"
                    );
                    held += found;
                }
                assert!(held > 0.0, "{region:?}");
            }
        }
    }

    /// A window of one whole period with an offset start loses no body.
    #[test]
    fn a_shifted_period_holds_all() {
        use crate::shape::Region;
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(0.1));
        let region = Region::Box {
            lower: Vector3::new(-0.05, 0.0, 0.0),
            upper: Vector3::new(0.05, 0.1, 0.1),
        };
        let window = Window::new(Some(&region), (&lower, &upper), [true, false, false], false);
        let profile = Profile::new(window, Axis::Along(0), 5);
        let row = |k: u64| {
            let x = [0.001 * k as f64, 0.05, 0.05];
            BodyRow::sphere(BodyId(k), x, 0.001, 1.0)
        };
        let rows: Vec<BodyRow> = (0..100).map(row).collect();
        let (counts, _) = profile.sums(&rows, &[]);
        assert_eq!(counts.iter().sum::<i64>(), 100, "{counts:?}");
        assert!(counts.iter().all(|n| (19..=21).contains(n)), "{counts:?}");
    }
}
