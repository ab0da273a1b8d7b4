//! The friction cone `K = {|r_T| ≤ μ r_N, |r_M| ≤ μ_r r_N}`, and the projection on it.

/// Replaces `y` (1, 2, 3 or 5 numbers) by the nearest point of the cone.
///
/// The cone has the coefficients `[μ, μ_r]`. Numbers that are not finite stay so. Let T and M be
/// the lengths of the tangential and the rolling part. The nearest point has the normal part x ≥ 0
/// that minimizes `(x − y_N)² + max(T − μ x, 0)² + max(M − μ_r x, 0)²`; the other parts are
/// shortened to `μ x` and `μ_r x`. The derivative in x is piecewise linear and rising, with two
/// corners, so each piece is searched for its zero.
#[inline]
pub fn project(y: &mut [f64], [mu, rolling]: [f64; 2]) {
    let normal = y[0];
    match y {
        [n] if normal <= 0.0 => *n = 0.0,
        [n, t] => {
            let size = t.abs();
            let x = height(normal, size, mu);
            *n = x;
            if size > mu * x {
                *t = (mu * x).copysign(*t);
            }
        }
        [n, t @ ..] if t.len() == 2 => {
            let size = t[0].hypot(t[1]);
            let x = height(normal, size, mu);
            *n = x;
            cut(t, size, mu * x);
        }
        [n, rest @ ..] if rest.len() == 4 => {
            let (t, m) = rest.split_at_mut(2);
            let (slip, roll) = (t[0].hypot(t[1]), m[0].hypot(m[1]));
            // Find the corner that comes first as x falls from a value at which neither part is
            // shortened.
            let inner = if slip * rolling > roll * mu {
                let x = height(normal, slip, mu);
                (x, roll > rolling * x)
            } else {
                let x = height(normal, roll, rolling);
                (x, slip > mu * x)
            };
            let x = match inner {
                (x, false) => x,
                _ => {
                    let both = normal + mu * slip + rolling * roll;
                    let x = both / (1.0 + mu * mu + rolling * rolling);
                    if x < 0.0 { 0.0 } else { x }
                }
            };
            *n = x;
            cut(t, slip, mu * x);
            cut(m, roll, rolling * x);
        }
        _ => {}
    }
}

/// Normal part of the nearest point where only one part matters.
#[inline]
fn height(normal: f64, size: f64, mu: f64) -> f64 {
    // Without friction `μ x` is zero also for negative x.
    if normal >= 0.0 && size <= mu * normal {
        normal
    } else if mu * size <= -normal {
        0.0
    } else {
        (normal + mu * size) / (1.0 + mu * mu)
    }
}

/// Shortens a vector of length `size` to `length`, if it is longer.
#[inline]
fn cut(part: &mut [f64], size: f64, length: f64) {
    if size > length {
        for x in part {
            *x *= length / size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Without friction the cone is a ray; a point that is pulled off it is projected to its end.
    #[test]
    fn a_cone_without_width() {
        for d in [1, 2, 3, 5] {
            for (normal, side) in [
                (-1.0, 0.0),
                (-1.0, 0.5),
                (2.0, 0.0),
                (2.0, -3.0),
                (0.0, 0.0),
            ] {
                for rolling in [0.0, 0.3] {
                    let mut y = vec![0.0; d];
                    (y[0], y[d.min(2) - 1]) = (normal, if d > 1 { side } else { normal });
                    project(&mut y, [0.0, rolling]);
                    let mut nearest = vec![0.0; d];
                    nearest[0] = f64::max(normal, 0.0);
                    assert_eq!(y, nearest, "{d} {normal} {side} {rolling}");
                }
            }
        }
    }

    fn is_inside(y: &[f64], [mu, rolling]: [f64; 2], slack: f64) -> bool {
        match y {
            [n] => *n >= -slack,
            [n, t] => t.abs() <= mu * n + slack,
            [n, a, b] => a.hypot(*b) <= mu * n + slack,
            [n, a, b, c, d] => a.hypot(*b) <= mu * n + slack && c.hypot(*d) <= rolling * n + slack,
            _ => false,
        }
    }

    /// Moreau: p is the projection of y on K exactly if p ∈ K, y − p ∈ −K*, (y − p)·p = 0. K* =
    /// {x_N ≥ μ|x_T| + μ_r|x_M|}.
    #[test]
    fn moreaus_decomposition() {
        let mut faces = [0; 8];
        for trial in 0..20_000 {
            let mut draw = Stream::new(Purpose::Trial, 71, [trial, 0, 0]);
            let d = [1, 2, 3, 5][draw.below(4) as usize];
            let pick = [0.0, 1e-6, 0.3, 1.0, 1e6];
            let mu = [pick[draw.below(5) as usize], pick[draw.below(5) as usize]];
            let y: Vec<f64> = (0..d).map(|_| draw.between(-1.0, 1.0)).collect();
            let mut p = y.clone();
            project(&mut p, mu);
            assert!(is_inside(&p, mu, 1e-15), "{y:?} {mu:?} {p:?}");
            let w: Vec<f64> = p.iter().zip(&y).map(|(p, y)| p - y).collect();
            let sizes = match d {
                1 => [0.0; 2],
                2 => [w[1].abs(), 0.0],
                3 => [w[1].hypot(w[2]), 0.0],
                _ => [w[1].hypot(w[2]), w[3].hypot(w[4])],
            };
            let dual = w[0] - mu[0] * sizes[0] - mu[1] * sizes[1];
            let scale = 1.0 + mu[0] + mu[1];
            assert!(dual >= -1e-15 * scale, "{y:?} {mu:?} {p:?}: {dual:e}");
            let product: f64 = w.iter().zip(&p).map(|(w, p)| w * p).sum();
            assert!(product.abs() < 1e-15, "{y:?} {mu:?} {p:?}: {product:e}");
            let cut = |size: f64| usize::from(size > 0.0);
            faces[4 * usize::from(d == 5) + cut(sizes[0]) + 2 * cut(sizes[1])] += 1;
        }
        let seen = [0, 1, 4, 5, 6, 7];
        assert!(seen.iter().all(|&f| faces[f] > 50), "{faces:?}");
    }

    #[test]
    fn nan_is_not_swallowed() {
        for d in [1, 2, 3, 5] {
            for at in 0..d {
                let mut y = vec![0.5; d];
                y[at] = f64::NAN;
                project(&mut y, [0.7, 0.2]);
                assert!(y.iter().any(|x| x.is_nan()), "{d} {at}");
            }
        }
    }
}
