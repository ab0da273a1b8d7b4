//! The distance by which a surface has moved between two positions.

use super::{Surface, split};
use crate::math::{Vector3, nan_max};

/// Bound on the change of the distance of any point in a box, when a surface moves [m].
///
/// `then` and `now` are two positions of one rigid surface; `around` are the corners of the box. A
/// rotation of a surface of revolution about its own axis changes nothing.
#[must_use]
pub fn drift(then: &Surface, now: &Surface, around: [&Vector3; 2]) -> f64 {
    if then == now {
        return 0.0;
    }
    let [lower, upper] = around;
    let corner = |k: usize| {
        let end = |axis: usize| match k >> axis & 1 {
            0 => lower[axis],
            _ => upper[axis],
        };
        Vector3::new(end(0), end(1), end(2))
    };
    let farthest = |from: &Vector3| {
        let each = (0..8).map(|k| (corner(k) - from).norm());
        each.fold(0.0, f64::max)
    };
    // A point at a distance D from the centre of a surface of revolution moves with the centre, and
    // by at most D |a' − a| with the axis a.
    let moved = |ways: [&Vector3; 2], size: f64, axes: [&Vector3; 2]| {
        (ways[1] - ways[0]).norm() + size * (axes[1] - axes[0]).norm()
    };
    match (then, now) {
        // The distance from a plane is linear in the place, so its change is largest at a corner.
        (Surface::Plane(_), Surface::Plane(_)) => {
            let change = |x: Vector3| (now.nearest(&x).0 - then.nearest(&x).0).abs();
            (0..8).map(|k| change(corner(k))).fold(0.0, f64::max)
        }
        (Surface::Sphere { centre: from, .. }, Surface::Sphere { centre: to, .. }) => {
            (to - from).norm()
        }
        // A shift along the axis changes nothing.
        (
            Surface::Bore {
                centre: from,
                axis: a,
                ..
            },
            Surface::Bore {
                centre: to,
                axis: b,
                ..
            },
        ) => {
            let (along, _) = split(&(to - from), a);
            let to = to - b * along;
            moved([from, &to], farthest(from).max(farthest(&to)), [a, b])
        }
        (
            Surface::Cylinder {
                centre: from,
                axis: a,
                radius,
                half_length,
            },
            Surface::Cylinder {
                centre: to,
                axis: b,
                ..
            },
        ) => moved([from, to], radius.hypot(*half_length), [a, b]),
        (
            Surface::Shell {
                centre: from,
                axis: a,
                ends,
            },
            Surface::Shell {
                centre: to,
                axis: b,
                ..
            },
        ) => {
            let size = ends.map(|[out, up]| out.hypot(up));
            moved([from, to], size[0].max(size[1]), [a, b])
        }
        // Every point of it turns by no more than the axis and the middle together.
        (
            Surface::Arc {
                centre: from,
                axis: a,
                middle: m,
                radius,
                ..
            },
            Surface::Arc {
                centre: to,
                axis: b,
                middle: n,
                ..
            },
        ) => {
            let along = farthest(from).max(farthest(to));
            moved([from, to], along, [a, b]) + radius * (n - m).norm().hypot((b - a).norm())
        }
        (Surface::Mesh(then), Surface::Mesh(now)) => then.way(now),
        (Surface::Compound(then), Surface::Compound(now)) if then.len() == now.len() => {
            let each = then
                .iter()
                .zip(now.iter())
                .map(|(then, now)| drift(then, now, around));
            each.fold(0.0, nan_max)
        }
        _ => f64::INFINITY, // Two surfaces that are not one.
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{IDENTITY, rotate};
    use crate::rng::{Purpose, Stream};
    use crate::shape::HalfSpace;

    /// No distance changes by more, and some change by at least a tenth of the bound.
    #[test]
    fn no_distance_changes_by_more() {
        let (lower, upper) = (Vector3::zeros(), Vector3::new(1.0, 0.8, 1.2));
        let (c, a) = (Vector3::new(0.5, 0.4, 0.5), Vector3::z());
        let surfaces = [
            Surface::Plane(HalfSpace {
                point: c,
                normal: a,
            }),
            Surface::Sphere {
                centre: c,
                radius: 0.2,
                inside: false,
            },
            Surface::Bore {
                centre: c,
                axis: a,
                radius: 0.3,
            },
            Surface::Cylinder {
                centre: c,
                axis: a,
                radius: 0.2,
                half_length: 0.3,
            },
            Surface::Shell {
                centre: c,
                axis: a,
                ends: [[0.1, -0.2], [0.3, 0.3]],
            },
            Surface::Arc {
                centre: c,
                axis: a,
                middle: Vector3::new(0.6, 0.8, 0.0),
                half: 1.1,
                radius: 0.3,
            },
        ];
        let mut draw = Stream::new(Purpose::Trial, 41, [0; 3]);
        let mut vector = |size: f64| {
            let x = [(); 3].map(|()| draw.between(-size, size));
            Vector3::from(x)
        };
        let compound = Surface::united(&surfaces).unwrap();
        for then in surfaces.iter().chain([&compound]) {
            for trial in 0..40 {
                let turn = if trial % 2 == 0 { 0.0 } else { 0.05 };
                let (way, turn) = (vector(0.03), rotate(IDENTITY, &vector(turn)));
                let now = then.placed(&c, &way, turn);
                let bound = drift(then, &now, [&lower, &upper]);
                let mut most = 0.0_f64;
                for _ in 0..300 {
                    let x = upper.component_mul(&(vector(0.5) + Vector3::repeat(0.5)));
                    let change = (now.nearest(&x).0 - then.nearest(&x).0).abs();
                    // A thin shell has two sides: the distance to it is positive on both.
                    most = most.max(change);
                }
                assert!(most <= bound * (1.0 + 1e-9), "{then:?}: {most} > {bound}");
                assert!(most >= 0.1 * bound, "{then:?}: {most}, bound {bound}");
            }
        }
    }

    /// A drum that rotates about its axis does not drift, whatever its angle.
    #[test]
    fn rotation_about_the_own_axis_is_no_drift() {
        let drum = Surface::Bore {
            centre: Vector3::new(0.1, 0.2, 0.3),
            axis: Vector3::y(),
            radius: 0.1,
        };
        let turn = rotate(IDENTITY, &(Vector3::y() * 1.3));
        let now = drum.placed(&Vector3::new(0.1, 0.2, 0.3), &Vector3::zeros(), turn);
        let around = [&Vector3::zeros(), &Vector3::repeat(1.0)];
        assert!(drift(&drum, &now, around) < 1e-14);
    }
}
