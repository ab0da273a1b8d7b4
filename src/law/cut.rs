//! The contact law as an equation, by a map π that cuts impulses to the friction cone.
//!
//! π cuts the normal part at 0, and the other parts to μ times the normal part that remains.
//! Impulses r and velocities u satisfy the law of a contact where `r = π(r − ρ u)` for a ρ > 0
//! (Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92, 1991). With a
//! width w the corners of π are rounded: `max(x, 0)` becomes `(x + √(x² + 4 w²))/2`, and
//! `max(|y|, b)` becomes `b + max(√(y² + μ² w²) − b, 0)`, rounded over μ w. So π is smooth and its
//! derivative has full rank (Chen and Mangasarian, Computational Optimization and Applications 5,
//! 1996).

use crate::math::norm;

/// `max(x, 0)` with its corner rounded over the width, (x + √(x² + 4 w²))/2, and its slope.
fn positive(x: f64, width: f64) -> (f64, f64) {
    if width == 0.0 {
        return if x <= 0.0 { (0.0, 0.0) } else { (x, 1.0) }; // A NaN stays NaN.
    }
    let root = x.hypot(2.0 * width);
    // This form does not subtract two large numbers.
    let up = 0.5 * (root + x.abs());
    let value = if x > 0.0 { up } else { width * (width / up) };
    (value, value / root)
}

/// π of `y` with the coefficients `[μ, μ_r]`, and its derivative. Corners are rounded over `width`,
/// an impulse.
pub fn cut<const D: usize>(
    y: [f64; D],
    [mu, rolling]: [f64; 2],
    width: f64,
) -> ([f64; D], [[f64; D]; D]) {
    let (mut out, mut slope) = ([0.0; D], [[0.0; D]; D]);
    let (normal, rise) = positive(y[0], width);
    out[0] = normal;
    slope[0][0] = rise;
    for (from, to, mu) in [(1, D.min(3), mu), (3.min(D), D, rolling)] {
        let (bound, width) = (mu * normal, mu * width);
        let size = norm(&y[from..to]).hypot(width);
        if bound.is_nan() || size.is_nan() {
            (from..to).for_each(|k| out[k] = f64::NAN);
        }
        if bound <= 0.0 {
            continue; // The bound leaves no tangential part.
        }
        if size <= 0.0 {
            (from..to).for_each(|k| slope[k][k] = 1.0); // The part is zero.
            continue;
        }
        // The larger of |y_T| and the bound, and its derivative with respect to |y_T|.
        let (more, share) = positive(size - bound, width);
        let larger = bound + more;
        let factor = bound / larger;
        let by_bound = mu * rise * (1.0 - factor * (1.0 - share)) / larger;
        for k in from..to {
            out[k] = factor * y[k];
            slope[k][0] = by_bound * y[k];
            slope[k][k] = factor;
            for l in from..to {
                slope[k][l] -= factor * share / (larger * size) * y[k] * y[l];
            }
        }
    }
    (out, slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// The maximum with 0 and its slope, rounded or not: rounding adds at most the width, and
    /// `p (p − x) = w²`.
    #[test]
    fn the_rounded_maximum() {
        for x in [-1e6, -3.0, -1e-9, 0.0, 1e-9, 2.0, 1e6] {
            assert_eq!(positive(x, 0.0), (x.max(0.0), f64::from(u8::from(x > 0.0))));
            for width in [1e-12, 1e-3, 1.0] {
                let (value, slope) = positive(x, width);
                assert!(value > 0.0 && value >= x && value <= x.max(0.0) + width);
                let product = value * (value - x) / (width * width);
                assert!(
                    x > 1e3 * width || (product - 1.0).abs() < 1e-3,
                    "{x} {width}: {product}"
                );
                assert!(slope > 0.0 && slope <= 1.0);
            }
        }
    }

    /// Without rounding, π cuts at 0, and at μ times the remaining normal part.
    #[test]
    fn a_cut_without_rounding() {
        assert_eq!(cut([2.0, 3.0, 4.0], [1.25, 0.0], 0.0).0, [2.0, 1.5, 2.0]);
        assert_eq!(cut([2.0, 0.3, 0.4], [0.5, 0.0], 0.0).0, [2.0, 0.3, 0.4]);
        assert_eq!(cut([-2.0, 3.0], [0.5, 0.0], 0.0), ([0.0; 2], [[0.0; 2]; 2]));
        let (out, _) = cut([1.0, 0.0, 0.3, 3.0, 4.0], [0.5, 0.1], 0.0);
        assert_eq!(out[..3], [1.0, 0.0, 0.3]);
        assert!((out[3] - 0.06).abs() < 1e-15 && (out[4] - 0.08).abs() < 1e-15);
        for at in 0..5 {
            let mut y = [1.0; 5];
            y[at] = f64::NAN;
            assert!(cut(y, [0.5, 0.1], 0.0).0.iter().any(|x| x.is_nan()), "{at}");
        }
    }

    /// The derivative agrees with finite differences, in all dimensions, rounded and not.
    #[test]
    fn slopes_are_those_of_differences() {
        slopes::<2>();
        slopes::<3>();
        slopes::<5>();
    }

    fn slopes<const D: usize>() {
        let mut compared = 0;
        for trial in 0..300 {
            let mut draw = Stream::new(Purpose::Trial, 77, [trial, D as u64, 0]);
            let mu = [draw.between(0.1, 1.5), draw.between(0.1, 1.5)];
            let width = [0.0, 1e-2, 1.0][draw.below(3) as usize];
            let y: [f64; D] = std::array::from_fn(|_| draw.between(-1.0, 1.0));
            let slope = cut(y, mu, width).1;
            let h = 1e-6;
            for l in 0..D {
                let [mut up, mut down] = [y; 2];
                up[l] += h;
                down[l] -= h;
                let (up, down) = (cut(up, mu, width), cut(down, mu, width));
                // Finite differences fail across a corner.
                let same = (0..D).all(|k| (0..D).all(|m| (up.1[k][m] - down.1[k][m]).abs() < 1e-2));
                if !same {
                    continue;
                }
                compared += 1;
                for (k, slope) in slope.iter().enumerate() {
                    let difference = (up.0[k] - down.0[k]) / (2.0 * h);
                    assert!(
                        (difference - slope[l]).abs() < 1e-5,
                        "{trial} {k} {l} width {width}: {difference} {}",
                        slope[l]
                    );
                }
            }
        }
        assert!(compared > 300 * D - 30, "{compared}");
    }
}
