//! Draws against the formulas of their distributions.

use super::*;
use crate::rng::Purpose;

const DRAWS: usize = 10_000;

fn draws(radius: &Radius) -> Vec<f64> {
    let one = |k: u64| radius.draw(&mut Stream::new(Purpose::Trial, 11, [k, 0, 0]));
    let mut radii: Vec<f64> = (0..DRAWS as u64).map(one).collect();
    radii.sort_by(f64::total_cmp);
    radii
}

/// The probability that draws of the distribution function stray as far from it as these do
/// (Kolmogorov and Smirnov).
fn probability(radii: &[f64], distribution: &dyn Fn(f64) -> f64) -> f64 {
    let n = radii.len() as f64;
    let miss = |(k, r): (usize, &f64)| {
        let f = distribution(*r);
        (f - k as f64 / n).abs().max(((k + 1) as f64 / n - f).abs())
    };
    let most = radii.iter().enumerate().map(miss).fold(0.0, f64::max);
    let lambda = n.sqrt() * most;
    let term = |k: i32| (-1.0_f64).powi(k - 1) * (-2.0 * (f64::from(k) * lambda).powi(2)).exp();
    2.0 * (1..100).map(term).sum::<f64>()
}

/// An integral by the midpoint rule, whose error goes with the square of the step: some 1e-8 of it
/// here.
fn integral(f: &dyn Fn(f64) -> f64, [low, high]: [f64; 2]) -> f64 {
    let n = 20_000;
    let h = (high - low) / f64::from(n);
    (0..n)
        .map(|k| f(low + (f64::from(k) + 0.5) * h))
        .sum::<f64>()
        * h
}

type Density = Box<dyn Fn(f64) -> f64>;

/// Distributions and their densities, up to a factor.
fn continuous() -> Vec<(Radius, Density)> {
    let normal = |bounds| Radius::Normal {
        mean: 2.0,
        deviation: 0.5,
        bounds,
    };
    let bell = |r: f64| (-0.5 * ((r - 2.0) / 0.5).powi(2)).exp();
    let log = |bounds| Radius::LogNormal {
        median: 2.0,
        deviation: 0.4,
        bounds,
    };
    let log_bell = |r: f64| (-0.5 * ((r / 2.0).ln() / 0.4).powi(2)).exp() / r;
    let curve = [(1.0, 0.0), (2.0, 0.2), (3.0, 0.2), (5.0, 1.0)];
    let mass = |r: f64| match r {
        r if r < 2.0 => 0.2,
        r if r < 3.0 => 0.0,
        _ => 0.4,
    };
    vec![
        (Radius::Uniform(1.0, 3.0), Box::new(|_| 1.0)),
        (normal([0.5, 3.5]), Box::new(bell)),
        (normal([3.0, 4.0]), Box::new(bell)),
        (normal([0.2, 1.0]), Box::new(bell)),
        (log([0.5, 6.0]), Box::new(log_bell)),
        (log([4.0, 8.0]), Box::new(log_bell)),
        (
            Radius::sieve(&[(1.0, 0.0), (4.0, 1.0)], false),
            Box::new(|r| r.powi(-3)),
        ),
        (
            Radius::sieve(&[(1.0, 0.0), (4.0, 7.0)], true),
            Box::new(|r| r.powi(-2)),
        ),
        (
            Radius::sieve(&curve, false),
            Box::new(move |r| mass(r) * r.powi(-3)),
        ),
    ]
}

/// 10 000 draws against the density of each distribution, integrated; p > 1e-3 under this seed.
#[test]
fn draws_follow_their_distribution() {
    for (radius, density) in continuous() {
        let [low, high] = radius.bounds();
        let all = integral(&density, [low, high]);
        // The distribution function on a fine grid, between its points straight: 1e-4 of it is far
        // below 1/√10 000.
        let n = 2000;
        let width = (high - low) / f64::from(n);
        let mut below = vec![0.0];
        for k in 0..n {
            let part = integral_of_few(&density, low + f64::from(k) * width, width);
            below.push(below[k as usize] + part / all);
        }
        let distribution = |r: f64| {
            let at = (r - low) / width;
            let k = (at as usize).min(n as usize - 1);
            below[k] + (at - k as f64) * (below[k + 1] - below[k])
        };
        let radii = draws(&radius);
        assert!(radii[0] >= low && radii[DRAWS - 1] <= high, "{radius:?}");
        let p = probability(&radii, &distribution);
        assert!(p > 1e-3, "{radius:?}: p = {p}");
    }
}

fn integral_of_few(f: &dyn Fn(f64) -> f64, low: f64, width: f64) -> f64 {
    let h = width / 8.0;
    (0..8)
        .map(|k| f(low + (f64::from(k) + 0.5) * h))
        .sum::<f64>()
        * h
}

/// The mean volume is the integral of volumes over the density, to the rule's error.
///
/// Where the density jumps, the error is that of one step.
#[test]
fn the_mean_volume_is_that_of_the_density() {
    for (radius, density) in continuous() {
        let sides: &[bool] = match radius {
            Radius::Sieve { discs: true, .. } => &[true],
            Radius::Sieve { .. } => &[false],
            _ => &[true, false],
        };
        for &discs in sides {
            let bounds = radius.bounds();
            let volume = |r: f64| {
                if discs {
                    PI * r * r
                } else {
                    4.0 / 3.0 * PI * r * r * r
                }
            };
            let all = integral(&density, bounds);
            let mean = integral(&|r| volume(r) * density(r), bounds) / all;
            let found = radius.mean_volume(discs);
            let jumps = matches!(&radius, Radius::Sieve { parts, .. } if parts.len() > 1);
            let error = if jumps { 1e-4 } else { 1e-6 };
            assert!(
                (found / mean - 1.0).abs() < error,
                "{radius:?}: {found}, {mean}"
            );
        }
    }
    // A sieve curve of half the mass between 1 and 2 and half between 2 and 4, and its draws: 5
    // standard errors.
    let sieve = Radius::sieve(&[(1.0, 0.0), (2.0, 0.5), (4.0, 1.0)], false);
    let cubes: Vec<f64> = draws(&sieve).iter().map(|r| r.powi(3)).collect();
    let (n, all) = (DRAWS as f64, cubes.iter().sum::<f64>());
    let small: f64 = cubes.iter().filter(|c| **c < 8.0).sum();
    let mean = all / n;
    let spread = cubes.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / n;
    let wanted = sieve.mean_power(false);
    assert!((mean - wanted).abs() < 5.0 * (spread / n).sqrt(), "{mean}");
    // Half of the mass: the error of the quotient is below twice that of the sum.
    let error = 10.0 * (spread / n).sqrt() / mean;
    assert!((small / all - 0.5).abs() < error, "{}", small / all);
}

/// Shares by number and by mass come as often as they should, 4 standard errors.
#[test]
fn a_mixture_has_its_shares() {
    let part = |radius, share| Share { radius, share };
    let mix = [part(1.0, 3.0), part(2.0, 0.0), part(3.0, 1.0)];
    let by_mass = Radius::mix_by_mass(&[part(1.0, 0.5), part(2.0, 0.5)], false);
    // Half the mass in bodies of eight times the mass: one in nine. Discs: one in five.
    let flat = Radius::mix_by_mass(&[part(1.0, 0.5), part(2.0, 0.5)], true);
    for (radius, large, share) in [
        (Radius::Mix(mix.to_vec()), 3.0, 0.25),
        (by_mass, 2.0, 1.0 / 9.0),
        (flat, 2.0, 0.2),
    ] {
        let radii = draws(&radius);
        let found = radii.iter().filter(|r| **r == large).count() as f64 / DRAWS as f64;
        let error = 4.0 * (share * (1.0 - share) / DRAWS as f64).sqrt();
        assert!((found - share).abs() < error, "{radius:?}: {found}");
        assert!(radii.iter().all(|r| *r == large || *r == 1.0));
        let mean = 1.0 + share * (large.powi(3) - 1.0);
        let volume = radius.mean_volume(false);
        assert!((volume / sphere_volume(1.0) / mean - 1.0).abs() < 1e-14);
    }
}

/// Far from the middle digits hold: the deviate inverts the distribution function, and a scale is
/// only a scale.
#[test]
fn tails_and_scales_keep_their_digits() {
    for (bounds, u) in [([6.0, 9.0], 0.3), ([-9.0, -6.0], 0.3), ([-8.0, 8.0], 1e-12)] {
        let z = deviate(bounds, u);
        let share = between([bounds[0], z]) / between(bounds);
        assert!((share / u - 1.0).abs() < 1e-9, "{bounds:?}: {z} {share}");
    }
    for scale in [1e-6, 1e3] {
        let radius = |k: f64| Radius::Normal {
            mean: 2.0 * k,
            deviation: 0.5 * k,
            bounds: [k, 3.0 * k],
        };
        for (a, b) in draws(&radius(1.0)).iter().zip(draws(&radius(scale))) {
            assert!((b / scale / a - 1.0).abs() < 1e-12);
        }
    }
}
