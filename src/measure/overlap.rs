//! The common volume of a sphere, or area of a disc, with other parts of space.

use crate::shape::{disc_area, sphere_volume};
use std::f64::consts::PI;

/// Points of the quadrature along a cylinder.
const POINTS: usize = 96;

/// Volume [m³] of the part of a sphere of radius `r` before a plane.
///
/// `d` is the signed distance of its centre from the plane, positive before it [m]. A cap of height
/// `h = r + d`: `π h² (r − h/3)`.
#[must_use]
pub(super) fn sphere_half_space(r: f64, d: f64) -> f64 {
    let h = (r + d).clamp(0.0, 2.0 * r);
    PI * h * h * (r - h / 3.0)
}

/// Volume [m³] common to two spheres whose centres are `d` apart [m]:
/// `π (R + r − d)² (d² + 2 d (R + r) − 3 (R − r)²) / (12 d)`.
#[must_use]
pub(super) fn sphere_sphere(r: f64, big: f64, d: f64) -> f64 {
    if d >= r + big {
        return 0.0;
    }
    if d <= (r - big).abs() {
        return sphere_volume(r.min(big));
    }
    let (sum, difference) = (r + big, r - big);
    let reach = sum - d;
    PI * reach * reach * (d * d + 2.0 * d * sum - 3.0 * difference * difference) / (12.0 * d)
}

/// Area [m²] of the part of a disc before a line; `d` as in [`sphere_half_space`].
#[must_use]
pub(super) fn disc_half_plane(r: f64, d: f64) -> f64 {
    let d = d.clamp(-r, r);
    r * r * libm::acos(-d / r) + d * (r * r - d * d).max(0.0).sqrt()
}

/// Area [m²] common to two discs whose centres are `d` apart [m]: a segment of each,
/// `r² (α − sin α cos α)`.
#[must_use]
pub(super) fn disc_disc(r: f64, big: f64, d: f64) -> f64 {
    if d >= r + big {
        return 0.0;
    }
    if d <= (r - big).abs() {
        return disc_area(r.min(big));
    }
    let segment = |own: f64, other: f64| {
        // The centre's distance from the common chord, over the radius.
        let cosine = ((d * d + own * own - other * other) / (2.0 * d * own)).clamp(-1.0, 1.0);
        own * own * (libm::acos(cosine) - cosine * (1.0 - cosine * cosine).sqrt())
    };
    segment(r, big) + segment(big, r)
}

/// Volume [m³] common to a sphere of radius `r` and a solid cylinder of radius `big`.
///
/// The axis passes the sphere's centre at distance `d`; the cylinder's ends lie at `ends` along the
/// axis, counted from the centre [m].
///
/// Slices across the axis are discs that meet a disc. Where one lies in the other the integral is a
/// polynomial. Between, it is summed over points that lie close together at both ends, where the
/// area of a slice is not smooth: the error is below 1e-7 of the sphere.
#[must_use]
pub(super) fn sphere_cylinder(r: f64, big: f64, d: f64, ends: [f64; 2]) -> f64 {
    let (from, to) = (ends[0].max(-r), ends[1].min(r));
    if from >= to || d >= r + big {
        return 0.0;
    }
    // Slices at these distances from the centre just touch the cylinder from inside, or just
    // enclose it.
    let at = |radius: f64| (r * r - radius * radius).max(0.0).sqrt();
    let touching = at((big - d).abs());
    let enclosing = at(big + d);
    let mut cuts = [from, to, -touching, touching, -enclosing, enclosing];
    cuts[2..].iter_mut().for_each(|t| *t = t.clamp(from, to));
    cuts.sort_unstable_by(f64::total_cmp);
    let part = |w: &[f64]| {
        let (a, b) = (w[0], w[1]);
        let middle = 0.5 * (a + b);
        let slice = (r * r - middle * middle).max(0.0).sqrt();
        if b <= a || slice + big <= d || (d >= big && middle.abs() >= touching) {
            0.0
        } else if slice + d <= big {
            // ∫ π (r² − t²) dt
            PI * (b - a) * (r * r - (a * a + a * b + b * b) / 3.0)
        } else if slice >= big + d {
            disc_area(big) * (b - a)
        } else {
            between(a, b, |t| disc_disc((r * r - t * t).max(0.0).sqrt(), big, d))
        }
    };
    cuts.windows(2).map(part).sum()
}

/// `∫ f` from `a` to `b`. With `t = a + (b − a) (s − sin(2πs)/2π)` roots at the ends, and their
/// powers, become smooth in `s`.
fn between(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let at = |k: usize| {
        let turn = 2.0 * PI * (k as f64 + 0.5) / POINTS as f64;
        let t = a + (b - a) * (turn - libm::sin(turn)) / (2.0 * PI);
        f(t) * (1.0 - libm::cos(turn))
    };
    (0..POINTS).map(at).sum::<f64>() * (b - a) / POINTS as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Share of random points of the unit sphere (or, flat, disc) in a body, and five standard
    /// errors.
    fn counted(seed: u64, flat: bool, inside: impl Fn([f64; 3]) -> bool) -> (f64, f64) {
        let mut draw = Stream::new(Purpose::Trial, 77, [seed, 0, 0]);
        let (mut all, mut hits) = (0.0, 0.0);
        while all < 60_000.0 {
            let z = draw.between(-1.0, 1.0);
            let p = [
                draw.between(-1.0, 1.0),
                draw.between(-1.0, 1.0),
                if flat { 0.0 } else { z },
            ];
            if p.iter().map(|x| x * x).sum::<f64>() < 1.0 {
                all += 1.0;
                hits += f64::from(u8::from(inside(p)));
            }
        }
        let share: f64 = hits / all;
        // If none, or all, are inside, the standard error of the share is not zero but about one
        // point.
        (
            share,
            5.0 * (share * (1.0 - share) / all).sqrt() + 5.0 / all,
        )
    }

    #[test]
    fn against_counting() {
        let whole = sphere_volume(1.0);
        for trial in 0..30 {
            let mut draw = Stream::new(Purpose::Trial, 78, [trial, 0, 0]);
            let (big, d) = (draw.between(0.2, 2.5), draw.between(0.0, 2.5));
            let (a, b) = (draw.between(-1.3, 0.5), draw.between(0.0, 1.3));
            let ends = [a.min(b), a.max(b)];
            let across = |p: [f64; 3]| (p[0] - d).powi(2) + p[1] * p[1];
            let check = |told: f64, (share, error): (f64, f64)| {
                assert!(
                    (told - share).abs() <= error,
                    "trial {trial}, R {big}, d {d}, {ends:?}: {told} against {share} ± {error}"
                );
            };
            check(
                sphere_sphere(1.0, big, d) / whole,
                counted(trial, false, |p| across(p) + p[2] * p[2] < big * big),
            );
            check(
                sphere_cylinder(1.0, big, d, ends) / whole,
                counted(trial, false, |p| {
                    across(p) < big * big && p[2] > ends[0] && p[2] < ends[1]
                }),
            );
            check(
                sphere_half_space(1.0, d - 1.25) / whole,
                counted(trial, false, |p| p[0] + d - 1.25 > 0.0),
            );
            check(
                disc_disc(1.0, big, d) / PI,
                counted(trial, true, |p| across(p) < big * big),
            );
            check(
                disc_half_plane(1.0, d - 1.25) / PI,
                counted(trial, true, |p| p[0] + d - 1.25 > 0.0),
            );
        }
    }

    /// The quadrature against itself: two halves of a cylinder, cut anywhere, add up to the whole.
    ///
    /// The bound is the stated error of each.
    #[test]
    fn parts_of_a_cylinder_are_the_whole() {
        for trial in 0..2000 {
            let mut draw = Stream::new(Purpose::Trial, 79, [trial, 0, 0]);
            let (big, d) = (draw.between(0.05, 2.0), draw.between(0.0, 2.5));
            let cut = draw.between(-0.9, 0.9);
            let all = sphere_cylinder(1.0, big, d, [-2.0, 2.0]);
            let parts = sphere_cylinder(1.0, big, d, [-2.0, cut])
                + sphere_cylinder(1.0, big, d, [cut, 2.0]);
            let off = (all - parts).abs() / sphere_volume(1.0);
            assert!(off < 3e-7, "R {big}, d {d}, cut {cut}: {off:e}");
        }
        // The closed form of a sphere whose axis is bored through: 4π/3 (r² − R²)^{3/2} is left.
        let left = sphere_volume(1.0) - sphere_cylinder(1.0, 0.6, 0.0, [-2.0, 2.0]);
        assert!((left - 4.0 / 3.0 * PI * 0.8_f64.powi(3)).abs() < 1e-12);
    }
}
