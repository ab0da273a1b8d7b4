//! The perturbed lattice: simple cubic sites, filled from below, each body moved at random about its site.
//!
//! The spacing leaves room for the largest displacement of two largest bodies towards each other, so that no two bodies
//! overlap and none leaves the region, whatever is drawn.

use super::{Error, Lattice, Radius, Sample};
use crate::body::BodyRow;
use crate::rng::{Purpose, Stream};
use std::ops::Range;

impl Radius {
    /// The smallest radius that can be drawn [m].
    #[must_use]
    pub fn smallest(self) -> f64 {
        match self {
            Self::Constant(r) | Self::Uniform(r, _) => r,
        }
    }

    /// The largest radius that can be drawn [m].
    #[must_use]
    pub fn largest(self) -> f64 {
        match self {
            Self::Constant(r) | Self::Uniform(_, r) => r,
        }
    }

    pub(super) fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Constant(r) => r,
            Self::Uniform(low, high) => stream.between(low, high),
        }
    }
}

impl Lattice {
    /// The usual [`jitter`](Self::jitter).
    pub(crate) const JITTER: f64 = 0.04;

    /// Smallest distance of neighbouring sites [m].
    fn spacing(&self) -> f64 {
        2.0 * self.radius.largest() * (1.0 + 2.0 * self.jitter)
    }

    /// Sites along an axis.
    fn sites(&self, axis: usize) -> u64 {
        // A length that is a multiple of the spacing but for rounding holds as many as it seems to.
        let fit = (self.upper[axis] - self.lower[axis]) / self.spacing();
        (fit * (1.0 + 1e-12)).max(0.0) as u64
    }

    /// Whether all bodies find a site; discs lie in one plane.
    ///
    /// # Errors
    /// How many do, and how high the region would have to be.
    pub(crate) fn check(&self, discs: bool) -> Result<(), Error> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.sites(axis));
        let (layer, fit) = if discs {
            (x, x.saturating_mul(y))
        } else {
            let layer = x.saturating_mul(y);
            (layer, layer.saturating_mul(z))
        };
        if self.count <= fit {
            return Ok(());
        }
        let (count, spacing) = (self.count, self.spacing());
        let found =
            format!("{count} bodies do not fit on the lattice: {fit} do (spacing {spacing:.4e} m)");
        Err(Error::Full(if layer == 0 {
            format!(
                "{found}; accepted: a region at least {spacing:.4e} m wide in x and y, or smaller radii"
            )
        } else {
            let height = count.div_ceil(layer) as f64 * spacing;
            format!(
                "{found}; accepted: a region at least {height:.6} m high, fewer bodies, or less jitter"
            )
        }))
    }

    /// Makes those bodies `among` all in the order of ids.
    pub(super) fn fill(
        &self,
        sample: &Sample,
        among: Range<u64>,
        (first_id, seed): (u64, u64),
        keep: &mut dyn FnMut(BodyRow),
    ) -> Result<(), Error> {
        self.check(sample.discs)?;
        let (nx, ny) = (self.sites(0), self.sites(1));
        // Sites spread over the whole width: no gap along two of the walls into which the packing would lean.
        let spread = |axis: usize, sites: u64| (self.upper[axis] - self.lower[axis]) / sites as f64;
        let (second, third) = if sample.discs {
            (self.spacing(), 0.0)
        } else {
            (spread(1, ny), self.spacing())
        };
        let step = [spread(0, nx), second, third];
        let reach = 2.0 * self.radius.largest() * self.jitter;
        for n in among.start..among.end.min(self.count) {
            let id = first_id + n;
            let mut stream = Stream::new(Purpose::Sample, seed, [id, 0, 0]);
            let radius = self.radius.draw(&mut stream);
            let site = [n % nx, n / nx % ny, n / (nx * ny)];
            let position = [0, 1, 2].map(|axis| {
                let centre = self.lower[axis] + (site[axis] as f64 + 0.5) * step[axis];
                centre + stream.between(-reach, reach)
            });
            let [x, y, z] = position;
            let position = [x, y, if sample.discs { 0.0 } else { z }];
            keep(sample.body(id, position, radius, sample.density));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, bodies, count};
    use super::*;
    use crate::body::{BodyId, BodyKind};

    fn sample(lattice: Lattice) -> Sample {
        Sample {
            source: Source::Lattice(lattice),
            material: 3,
            density: 2500.0,
            velocity: [0.1, 0.2, 0.3],
            angular_velocity: [0.0; 3],
            kind: BodyKind::Free,
            discs: false,
        }
    }

    fn lattice() -> Lattice {
        Lattice {
            count: 700,
            radius: Radius::Uniform(0.0045, 0.0055),
            lower: [-0.1, 0.2, 0.3],
            upper: [0.0, 0.3, 0.8],
            jitter: 0.3,
        }
    }

    fn all(sample: &Sample, first_id: u64, seed: u64) -> Vec<BodyRow> {
        let mut rows = Vec::new();
        bodies(sample, 0..u64::MAX, first_id, seed, &mut |b| rows.push(b)).expect("they fit");
        rows
    }

    /// Shares of any sizes, made apart, are the whole.
    #[test]
    fn shares_make_up_the_whole() {
        let sample = sample(lattice());
        let whole = all(&sample, 50, 7);
        let cuts = [0, 1, 1, 333, 699, 700, 900];
        let mut rows = Vec::new();
        for ends in cuts.windows(2) {
            let share = ends[0]..ends[1];
            bodies(&sample, share, 50, 7, &mut |b| rows.push(b)).expect("they fit");
        }
        assert_eq!(rows, whole);
    }

    #[test]
    fn bodies_lie_in_the_region_and_overlap_nobody() {
        for jitter in [0.0, 0.05, 0.3] {
            let lattice = Lattice {
                jitter,
                ..lattice()
            };
            let rows = all(&sample(lattice.clone()), 0, 7);
            assert_eq!(rows.len(), 700);
            for (k, a) in rows.iter().enumerate() {
                for axis in 0..3 {
                    assert!(a.position[axis] - a.radius >= lattice.lower[axis] - 1e-15);
                    assert!(a.position[axis] + a.radius <= lattice.upper[axis] + 1e-15);
                }
                for b in &rows[..k] {
                    let d2: f64 = (0..3)
                        .map(|i| (a.position[i] - b.position[i]).powi(2))
                        .sum();
                    assert!(
                        d2.sqrt() >= a.radius + b.radius - 1e-15,
                        "{} and {}",
                        a.id,
                        b.id
                    );
                }
            }
        }
    }

    /// Bodies are moved by as much as is asked for and no more, and radii fill their interval: the extremes of 700 draws
    /// lie within 2 % of the bounds (chance of a miss: 0.98^700 = 7e-7 each), the mean within 5 standard errors.
    #[test]
    fn draws_fill_their_intervals() {
        let rows = all(&sample(lattice()), 0, 7);
        let radii: Vec<f64> = rows.iter().map(|b| b.radius).collect();
        let low = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let high = radii.iter().copied().fold(0.0, f64::max);
        assert!((0.0045..0.00452).contains(&low) && (0.00548..0.0055).contains(&high));
        let mean = radii.iter().sum::<f64>() / 700.0;
        assert!((mean - 0.005).abs() < 5.0 * 0.001 / (12.0f64 * 700.0).sqrt());
        // Sites in x: floor(0.1 / (0.011 * 1.6)) = 5, 0.02 apart; displacement up to 0.3 * 0.011.
        let moved = |b: &BodyRow| ((b.position[0] + 0.1) / 0.02).fract() * 0.02 - 0.01;
        let largest = rows.iter().map(|b| moved(b).abs()).fold(0.0, f64::max);
        assert!((0.98 * 0.0033..0.0033).contains(&largest), "{largest}");
    }

    #[test]
    fn a_body_is_the_same_whoever_asks_and_however_many_there_are() {
        let many = all(&sample(lattice()), 10, 7);
        assert_eq!(many, all(&sample(lattice()), 10, 7));
        let few = all(
            &sample(Lattice {
                count: 300,
                ..lattice()
            }),
            10,
            7,
        );
        assert_eq!(few, many[..300]);
        assert!(many.iter().zip(10..).all(|(b, id)| b.id == BodyId(id)));
        let other_seed = all(&sample(lattice()), 10, 8);
        assert!(
            many.iter()
                .zip(&other_seed)
                .all(|(a, b)| a.position != b.position)
        );
    }

    #[test]
    fn mass_material_and_velocity_are_the_samples() {
        let lattice = Lattice {
            radius: Radius::Constant(0.005),
            ..lattice()
        };
        let body = all(&sample(lattice), 0, 7)[699];
        // 2500 kg/m3 * 4/3 pi (5 mm)^3 = 1.308996938995747 g.
        assert!((body.mass - 1.308_996_938_995_747e-3).abs() < 1e-18);
        assert_eq!(
            (body.material, body.kind, body.velocity),
            (3, 0, [0.1, 0.2, 0.3])
        );
    }

    /// A region 10 x 4 x 3 diameters wide takes 120 bodies without jitter, not 121; then it must be 4 diameters high.
    #[test]
    fn a_full_lattice_says_how_many_fit_and_what_would_do() {
        let lattice = |count| Lattice {
            count,
            radius: Radius::Constant(0.05),
            lower: [0.0; 3],
            upper: [1.0, 0.4, 0.3],
            jitter: 0.0,
        };
        assert_eq!(count(&sample(lattice(120))).expect("they fit"), 120);
        let error = count(&sample(lattice(121)))
            .expect_err("one too many")
            .to_string();
        assert!(
            error.contains("121 bodies do not fit") && error.contains(": 120 do"),
            "{error}"
        );
        assert!(error.contains("at least 0.400000 m high"), "{error}");
        let flat = Lattice {
            upper: [1.0, 0.05, 0.3],
            ..lattice(1)
        };
        let error = count(&sample(flat)).expect_err("too narrow").to_string();
        assert!(error.contains("at least 1.0000e-1 m wide"), "{error}");
    }
}
