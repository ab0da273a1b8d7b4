//! The common volume of a sphere and a box.

use crate::math::Vector3;
use std::f64::consts::PI;

/// Points of the quadrature over height.
///
/// The error falls with their square and is below 1e-6 of the sphere at 400.
const SLICES: usize = 400;

/// Volume [m³] common to a sphere (centre `x`, radius `r` [m]) and an axis-parallel box.
///
/// Spheres far inside or outside, and those cut by faces that do not meet inside the sphere, have
/// closed forms (a cap of height h: `π h² (r − h/3)`). For the rest the area of the disc–rectangle
/// overlap is summed over slices in z.
#[must_use]
pub fn sphere_box_volume(x: &Vector3, r: f64, lower: &Vector3, upper: &Vector3) -> f64 {
    let low = lower - x;
    let high = upper - x;
    if (0..3).any(|a| low[a] >= r || high[a] <= -r) {
        return 0.0;
    }
    // Distances of the planes that cut the sphere, signed so that positive means the centre lies
    // inside.
    let cuts: Vec<(usize, f64)> = (0..3)
        .flat_map(|a| [(a, -low[a]), (a, high[a])])
        .filter(|&(_, inside)| inside < r)
        .collect();
    let whole = 4.0 / 3.0 * PI * r * r * r;
    let cap = |inside: f64| {
        let h = r - inside;
        PI * h * h * (r - h / 3.0)
    };
    let apart = |(a, p): (usize, f64), (b, q): (usize, f64)| {
        a == b || (p > 0.0 && q > 0.0 && p * p + q * q >= r * r)
    };
    let independent = (0..cuts.len()).all(|i| (i + 1..cuts.len()).all(|j| apart(cuts[i], cuts[j])));
    if independent {
        return (whole - cuts.iter().map(|&(_, inside)| cap(inside)).sum::<f64>()).max(0.0);
    }
    let (bottom, top) = (low.z.max(-r), high.z.min(r));
    // Midpoints in an angle, so that the slices are thin where the sphere narrows.
    let (from, to) = (
        libm::asin((bottom / r).clamp(-1.0, 1.0)),
        libm::asin((top / r).clamp(-1.0, 1.0)),
    );
    let width = (to - from) / SLICES as f64;
    (0..SLICES)
        .map(|k| {
            let angle = from + (k as f64 + 0.5) * width;
            let radius = r * libm::cos(angle);
            disc_rectangle_area(radius, [low.x, low.y], [high.x, high.y]) * radius * width
        })
        .sum()
}

/// Area common to a disc around the origin and a rectangle [m²], which may be infinite.
pub(super) fn disc_rectangle_area(r: f64, low: [f64; 2], high: [f64; 2]) -> f64 {
    let quadrant = |x, y| disc_quadrant_area(r, x, y);
    quadrant(high[0], high[1]) - quadrant(low[0], high[1]) - quadrant(high[0], low[1])
        + quadrant(low[0], low[1])
}

/// Area of the part of a disc around the origin with coordinates below `x` and below `y`.
fn disc_quadrant_area(r: f64, x: f64, y: f64) -> f64 {
    let (x, y) = (x.clamp(-r, r), y.clamp(-r, r));
    // ∫_{-r}^{x} (height below y of the disc's chord at u) du; the chord's half-height is √(r² −
    // u²).
    let half_chord = |u: f64| {
        0.5 * (u * (r * r - u * u).max(0.0).sqrt() + r * r * libm::asin((u / r).clamp(-1.0, 1.0)))
    };
    let chord = |from: f64, to: f64| {
        if to > from {
            half_chord(to) - half_chord(from)
        } else {
            0.0
        }
    };
    let meet = (r * r - y * y).max(0.0).sqrt();
    if y >= 0.0 {
        // Whole chords beyond ±meet, between them only up to y.
        let outer = 2.0 * (chord(-r, x.min(-meet)) + chord(meet, x));
        let inner_to = x.min(meet);
        let inner = if inner_to > -meet {
            chord(-meet, inner_to) + y * (inner_to + meet)
        } else {
            0.0
        };
        outer + inner
    } else {
        let to = x.min(meet);
        if to > -meet {
            chord(-meet, to) + y * (to + meet)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn closed_forms() {
        let big = Vector3::repeat(10.0);
        let whole = 4.0 / 3.0 * PI;
        let volume =
            |low: Vector3, high: Vector3| sphere_box_volume(&Vector3::zeros(), 1.0, &low, &high);
        assert!((volume(-big, big) - whole).abs() < 1e-14);
        assert_eq!(volume(Vector3::repeat(1.0), big), 0.0);
        assert!((volume(Vector3::new(0.0, -9.0, -9.0), big) - whole / 2.0).abs() < 1e-14);
        assert!((volume(Vector3::new(0.0, 0.0, -9.0), big) - whole / 4.0).abs() < 1e-5 * whole);
        assert!((volume(Vector3::zeros(), big) - whole / 8.0).abs() < 1e-5 * whole);
        let inside = Vector3::repeat(0.5);
        assert!(
            (volume(-inside, inside) - 1.0).abs() < 2e-5,
            "a cube inside the sphere: {}",
            volume(-inside, inside)
        );
    }

    /// Against counting random points, 5 standard errors.
    #[test]
    fn random_boxes_against_counting() {
        for trial in 0..20 {
            let mut draw = Stream::new(Purpose::Trial, 21, [trial, 0, 0]);
            let mut corner = || {
                Vector3::new(
                    draw.between(-1.2, 1.2),
                    draw.between(-1.2, 1.2),
                    draw.between(-1.2, 1.2),
                )
            };
            let (a, b) = (corner(), corner());
            let (low, high) = (a.inf(&b), a.sup(&b));
            let size = (high - low).product();
            let n = 200_000;
            let hits = (0..n)
                .filter(|_| {
                    let p = low
                        + (high - low).component_mul(&Vector3::new(
                            draw.unit(),
                            draw.unit(),
                            draw.unit(),
                        ));
                    p.norm() < 1.0
                })
                .count();
            let share = hits as f64 / f64::from(n);
            let error = 5.0 * (share * (1.0 - share) / f64::from(n)).sqrt() + 1e-5;
            let volume = sphere_box_volume(&Vector3::zeros(), 1.0, &low, &high);
            assert!(
                (volume / size - share).abs() < error,
                "trial {trial}: {} against {share}",
                volume / size
            );
        }
    }
}
