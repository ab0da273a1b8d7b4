//! Distributions of radii.
//!
//! All but the constant are drawn by the inverse of the distribution function from one uniform
//! number, so that a draw takes the same of its stream whatever its result.

use crate::rng::Stream;
use crate::shape::{disc_area, sphere_volume};
use std::f64::consts::{PI, SQRT_2};

/// Distribution of radii [m]; shares are by number unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Radius {
    /// All equal.
    Constant(f64),
    /// Uniform between two bounds.
    Uniform(f64, f64),
    /// Normal, cut off at two bounds.
    Normal {
        /// Mean of the whole distribution [m].
        mean: f64,
        /// Standard deviation of the whole distribution [m].
        deviation: f64,
        /// The bounds [m].
        bounds: [f64; 2],
    },
    /// Log-normal, cut off at two bounds: `ln r` is normal.
    LogNormal {
        /// Median of the whole distribution [m].
        median: f64,
        /// Standard deviation of `ln r`.
        deviation: f64,
        /// The bounds [m].
        bounds: [f64; 2],
    },
    /// Several radii.
    Mix(Vec<Share>),
    /// A sieve curve: between two of its points mass is uniform in the radius.
    Sieve {
        /// The parts between its points, by radius.
        parts: Vec<Part>,
        /// Whether masses are those of discs, `∝ r²`, and not of spheres, `∝ r³`.
        discs: bool,
    },
}

/// One radius of a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The radius [m].
    pub radius: f64,
    /// Its share; the sum of all may differ from 1.
    pub share: f64,
}

/// A part of a sieve curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Smallest and largest radius [m].
    pub bounds: [f64; 2],
    /// Its share of the number of bodies; the sum of all is 1.
    pub share: f64,
}

/// The largest normal deviate: beyond, its probability is a subnormal floating-point number.
const FAR: f64 = 37.0;

impl Radius {
    /// The sieve curve through points (radius [m], share of the mass up to it).
    ///
    /// The points rise in both; the last share is the total.
    #[must_use]
    pub fn sieve(points: &[(f64, f64)], discs: bool) -> Self {
        let parts = points.windows(2).map(|ends| {
            let bounds = [ends[0].0, ends[1].0];
            // The same mass has more bodies if they are smaller.
            let share = (ends[1].1 - ends[0].1) / mean_power(bounds, discs);
            Part { bounds, share }
        });
        let mut parts: Vec<Part> = parts.filter(|part| part.share > 0.0).collect();
        let all: f64 = parts.iter().map(|part| part.share).sum();
        parts.iter_mut().for_each(|part| part.share /= all);
        Self::Sieve { parts, discs }
    }

    /// The mixture of radii [m] with shares of the mass.
    #[must_use]
    pub fn mix_by_mass(shares: &[Share], discs: bool) -> Self {
        let number = |s: &Share| Share {
            radius: s.radius,
            share: s.share / power(s.radius, discs),
        };
        Self::Mix(shares.iter().map(number).collect())
    }

    /// All radii times a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let both = |bounds: &[f64; 2]| bounds.map(|r| r * factor);
        match self {
            Self::Constant(r) => Self::Constant(r * factor),
            Self::Uniform(low, high) => Self::Uniform(low * factor, high * factor),
            Self::Normal {
                mean,
                deviation,
                bounds,
            } => Self::Normal {
                mean: mean * factor,
                deviation: deviation * factor,
                bounds: both(bounds),
            },
            Self::LogNormal {
                median,
                deviation,
                bounds,
            } => Self::LogNormal {
                median: median * factor,
                deviation: *deviation,
                bounds: both(bounds),
            },
            Self::Mix(shares) => {
                let each = shares.iter().map(|s| Share {
                    radius: s.radius * factor,
                    share: s.share,
                });
                Self::Mix(each.collect())
            }
            Self::Sieve { parts, discs } => {
                let each = parts.iter().map(|p| Part {
                    bounds: both(&p.bounds),
                    share: p.share,
                });
                Self::Sieve {
                    parts: each.collect(),
                    discs: *discs,
                }
            }
        }
    }

    /// The smallest and the largest radius that can be drawn [m].
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        let hull = |radii: &mut dyn Iterator<Item = [f64; 2]>| {
            radii.fold([f64::INFINITY, 0.0], |[low, high], r| {
                [low.min(r[0]), high.max(r[1])]
            })
        };
        match self {
            Self::Constant(r) => [*r; 2],
            Self::Uniform(low, high) => [*low, *high],
            Self::Normal { bounds, .. } | Self::LogNormal { bounds, .. } => *bounds,
            Self::Mix(shares) => hull(&mut shares.iter().map(|s| [s.radius; 2])),
            Self::Sieve { parts, .. } => hull(&mut parts.iter().map(|p| p.bounds)),
        }
    }

    /// The largest radius that can be drawn [m].
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.bounds()[1]
    }

    /// The bounds of a normal or log-normal distribution in standard deviations from the middle.
    fn deviates(&self) -> Option<[f64; 2]> {
        let deviates = match self {
            Self::Normal {
                mean,
                deviation,
                bounds,
            } => bounds.map(|r| (r - mean) / deviation),
            Self::LogNormal {
                median,
                deviation,
                bounds,
            } => bounds.map(|r| libm::log(r / median) / deviation),
            _ => return None,
        };
        Some(deviates.map(|z| z.clamp(-FAR, FAR)))
    }

    /// The share of the whole distribution between the bounds: 1 without a cut-off.
    #[must_use]
    pub fn kept(&self) -> f64 {
        self.deviates().map_or(1.0, between)
    }

    /// Draws a radius [m].
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        let [low, high] = self.bounds();
        match self {
            Self::Constant(r) => *r,
            Self::Uniform(low, high) => stream.between(*low, *high),
            Self::Normal {
                mean, deviation, ..
            } => {
                let z = deviate(self.deviates().unwrap_or_default(), stream.unit());
                (mean + deviation * z).clamp(low, high)
            }
            Self::LogNormal {
                median, deviation, ..
            } => {
                let z = deviate(self.deviates().unwrap_or_default(), stream.unit());
                (median * libm::exp(deviation * z)).clamp(low, high)
            }
            Self::Mix(shares) => {
                let all: f64 = shares.iter().map(|s| s.share).sum();
                let (k, _) = pick(shares.iter().map(|s| s.share), all * stream.unit());
                shares[k].radius
            }
            Self::Sieve { parts, discs } => {
                let (k, within) = pick(parts.iter().map(|p| p.share), stream.unit());
                let [low, high] = parts[k].bounds;
                // Numbers go with r^-2 or r^-3: F(r) = (1 − (low/r)^(d−1)) / (1 −
                // (low/high)^(d−1)).
                let ratio = low / high;
                let r = if *discs {
                    low / (1.0 - within * (1.0 - ratio))
                } else {
                    low / (1.0 - within * (1.0 - ratio * ratio)).sqrt()
                };
                r.clamp(low, high)
            }
        }
    }

    /// The mean volume of a body: of spheres, or of discs one metre thick [m³].
    #[must_use]
    pub fn mean_volume(&self, discs: bool) -> f64 {
        let unit = if discs {
            disc_area(1.0)
        } else {
            sphere_volume(1.0)
        };
        unit * self.mean_power(discs)
    }

    /// The mean of `r³`, for discs of `r²`.
    fn mean_power(&self, discs: bool) -> f64 {
        let dimension = if discs { 2 } else { 3 };
        match self {
            Self::Constant(r) => power(*r, discs),
            // (h⁴ − l⁴)/(4 (h − l)) and (h³ − l³)/(3 (h − l)), divided out.
            Self::Uniform(l, h) if discs => (h * h + h * l + l * l) / 3.0,
            Self::Uniform(l, h) => (h + l) * (h * h + l * l) / 4.0,
            Self::Normal {
                mean, deviation, ..
            } => {
                let m = moments(self.deviates().unwrap_or_default());
                let ways = if dimension == 2 {
                    [1.0, 2.0, 1.0, 0.0]
                } else {
                    [1.0, 3.0, 3.0, 1.0]
                };
                let term = |k: usize| {
                    let rest = (dimension as usize).saturating_sub(k) as i32;
                    ways[k] * mean.powi(rest) * deviation.powi(k as i32) * m[k]
                };
                (0..4).map(term).sum()
            }
            Self::LogNormal {
                median, deviation, ..
            } => {
                let z = self.deviates().unwrap_or_default();
                let shift = f64::from(dimension) * deviation;
                let share = between(z.map(|z| z - shift)) / between(z);
                median.powi(dimension) * libm::exp(0.5 * shift * shift) * share
            }
            Self::Mix(shares) => {
                let all: f64 = shares.iter().map(|s| s.share).sum();
                let each = shares.iter().map(|s| s.share * power(s.radius, discs));
                each.sum::<f64>() / all
            }
            Self::Sieve { parts, discs } => {
                let each = parts.iter().map(|p| p.share * mean_power(p.bounds, *discs));
                each.sum()
            }
        }
    }
}

fn power(r: f64, discs: bool) -> f64 {
    if discs { r * r } else { r * r * r }
}

/// The mean over the bodies of `r³` (`r²`) where each radius holds the same mass: numbers go with
/// `r⁻³` (`r⁻²`).
fn mean_power([l, h]: [f64; 2], discs: bool) -> f64 {
    if discs {
        l * h
    } else {
        2.0 * l * l * h * h / (l + h)
    }
}

/// The share into which the number `at` falls, and the position in it, from 0 to 1.
///
/// Shares are counted up from the first.
fn pick(shares: impl Iterator<Item = f64>, at: f64) -> (usize, f64) {
    let (mut before, mut last) = (0.0, (0, 1.0));
    for (k, share) in shares.enumerate() {
        if at < before + share {
            return (k, ((at - before) / share).max(0.0));
        }
        before += share;
        // Rounding may leave a draw beyond the last nonzero share.
        if share > 0.0 {
            last = (k, 1.0);
        }
    }
    last
}

/// The standard normal distribution function, good to the last digits for `z < 0`.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The standard normal density.
fn density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt()
}

/// The probability that a standard normal deviate lies between two bounds.
///
/// On the upper side it is mirrored, to keep digits.
fn between([a, b]: [f64; 2]) -> f64 {
    if a > 0.0 {
        normal(-a) - normal(-b)
    } else {
        normal(b) - normal(a)
    }
}

/// Mean powers 0 to 3 of a standard normal deviate between two bounds.
///
/// `m_k = (k − 1) m_{k−2} − (b^{k−1} φ(b) − a^{k−1} φ(a)) / (Φ(b) − Φ(a))`.
fn moments([a, b]: [f64; 2]) -> [f64; 4] {
    let all = between([a, b]);
    let edge = |k: i32| (b.powi(k) * density(b) - a.powi(k) * density(a)) / all;
    let first = -edge(0);
    let second = 1.0 - edge(1);
    [1.0, first, second, 2.0 * first - edge(2)]
}

/// The deviate between two bounds with the share `u` of their probability below it.
///
/// Newton's method, inside a bracket that is halved where a step leaves it.
fn deviate([a, b]: [f64; 2], u: f64) -> f64 {
    if a > 0.0 {
        return -deviate([-b, -a], 1.0 - u);
    }
    let target = normal(a) + u * between([a, b]);
    let (mut low, mut high) = (a, b);
    let mut z = 0.5 * (a + b);
    // Halving alone needs some 60.
    for _ in 0..200 {
        let miss = normal(z) - target;
        if miss > 0.0 {
            high = z;
        } else {
            low = z;
        }
        let newton = z - miss / density(z);
        let next = match newton > low && newton < high {
            true => newton,
            false => 0.5 * (low + high),
        };
        if (next - z).abs() <= 1e-15 * (1.0 + z.abs()) {
            return next;
        }
        z = next;
    }
    z
}

#[cfg(test)]
mod tests;
