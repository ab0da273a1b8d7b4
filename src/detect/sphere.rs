//! Narrow phase: the contact of two spheres, and the contacts of a sphere and a wall.

use crate::contact::{ContactKey, Touch};
use crate::math::Vector3;
use crate::shape::{PLACES, Posed, Surface};

/// The touch of spheres at `x_1` and `x_1 + branch` with radii `r_1`, `r_2` [m].
///
/// `n = branch/|branch|`, `g = |branch| − r_1 − r_2`. Concentric spheres have an undefined normal;
/// they get the z axis, so that the overlap is reported and no value is NaN.
pub(super) fn sphere_sphere(x1: &Vector3, r1: f64, branch: &Vector3, r2: f64) -> Touch {
    let distance = branch.norm();
    let normal = if distance > 0.0 {
        branch / distance
    } else {
        Vector3::z()
    };
    let gap = distance - r1 - r2;
    Touch {
        normal,
        gap,
        feature: 0,
        // Midway, but never outside either sphere where one is deep in the other: the contact must
        // be found by the rank that has both.
        point: x1 + normal * (r1 + 0.5 * gap).clamp(-r1, distance + r2),
    }
}

/// The touch of a sphere and a wall: `n` points into the wall, `g = distance of x − r`.
///
/// The sphere is at `x` [m] with radius `r` [m].
pub(super) fn sphere_wall(x: &Vector3, r: f64, wall: &Surface) -> Touch {
    touch_at(x, r, wall.nearest(x))
}

/// The touches of a sphere and a wall with a gap below `margin` [m]: one, or several where the wall
/// is hollow, a mesh or a compound.
///
/// Feature k is place k of [`Surface::place`]; those of a mesh and of a compound name its parts.
#[inline]
pub(super) fn touches_of_wall(
    x: &Vector3,
    r: f64,
    wall: &Surface,
    margin: f64,
    mut found: impl FnMut(Touch),
) {
    match wall {
        Surface::Mesh(mesh) => return touches_of_mesh(x, r, mesh, margin, &mut found),
        Surface::Compound(parts) => return of_parts(x, r, parts, margin, &mut found),
        _ => {}
    }
    let first = sphere_wall(x, r, wall);
    if first.gap < margin {
        match wall {
            Surface::Plane(_) => found(first),
            _ => several(x, r, wall, margin, first, &mut found),
        }
    }
}

/// The touches of a sphere and a curved wall whose nearest one is near.
// Inlined, it would take registers from planes.
#[inline(never)]
fn several(
    x: &Vector3,
    r: f64,
    wall: &Surface,
    margin: f64,
    first: Touch,
    found: &mut dyn FnMut(Touch),
) {
    let at = |k: usize| wall.place(x, k).map(|place| touch_at(x, r, place));
    let near = |touch: &Touch| touch.gap < margin;
    if at(1).filter(near).is_none() {
        return found(first);
    }
    for k in 0..PLACES {
        if let Some(touch) = at(k).filter(near) {
            found(Touch {
                feature: ContactKey::feature_of([0, k]),
                ..touch
            });
        }
    }
}

/// The touches of a sphere and a mesh, whose features name the parts of the mesh.
#[inline(never)]
fn touches_of_mesh(x: &Vector3, r: f64, mesh: &Posed, margin: f64, found: &mut dyn FnMut(Touch)) {
    mesh.touches(x, r + margin, |place| {
        found(Touch {
            feature: place.feature,
            ..touch_at(x, r, (place.distance, place.towards))
        });
    });
}

/// The touches of a sphere and all parts of a compound, in ascending order of feature.
#[inline(never)]
fn of_parts(x: &Vector3, r: f64, parts: &[Surface], margin: f64, found: &mut dyn FnMut(Touch)) {
    let mut touches = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let is_mesh = matches!(part, Surface::Mesh(_));
        touches_of_wall(x, r, part, margin, &mut |touch: Touch| {
            let feature = match is_mesh {
                true => touch.feature,
                false => Surface::feature_of_part(k, touch.feature),
            };
            touches.push(Touch { feature, ..touch });
        });
    }
    touches.sort_unstable_by_key(|touch| touch.feature);
    touches.into_iter().for_each(found);
}

/// The touch of a sphere with a point at this distance [m] and direction from its centre.
fn touch_at(x: &Vector3, r: f64, (distance, normal): (f64, Vector3)) -> Touch {
    let gap = distance - r;
    Touch {
        normal,
        gap,
        feature: 0,
        point: x + normal * (r + 0.5 * gap).max(-r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::HalfSpace;

    #[test]
    fn contact_point_is_midway_between_the_surfaces() {
        let c = sphere_sphere(&Vector3::zeros(), 1.0, &Vector3::new(0.0, 3.0, 4.0), 2.0);
        assert_eq!((c.gap, c.normal), (2.0, Vector3::new(0.0, 0.6, 0.8)));
        assert!((c.point - Vector3::new(0.0, 1.2, 1.6)).norm() < 1e-15);
        let floor = Surface::Plane(HalfSpace {
            point: Vector3::new(0.0, 0.0, 1.0),
            normal: Vector3::z(),
        });
        let c = sphere_wall(&Vector3::new(5.0, 6.0, 4.0), 2.0, &floor);
        assert_eq!(
            (c.gap, c.normal, c.point),
            (1.0, -Vector3::z(), Vector3::new(5.0, 6.0, 1.5))
        );
        let c = sphere_wall(&Vector3::new(5.0, 6.0, 2.5), 2.0, &floor);
        assert_eq!((c.gap, c.point), (-0.5, Vector3::new(5.0, 6.0, 0.75)));
    }

    /// However deep the overlap, the point is in both spheres' boxes: otherwise no rank might find
    /// it.
    #[test]
    fn the_point_of_nested_spheres_lies_in_both() {
        use crate::rng::{Purpose, Stream};
        for trial in 0..1000 {
            let mut draw = Stream::new(Purpose::Trial, 31, [trial, 0, 0]);
            let mut centre = || Vector3::new(draw.unit(), draw.unit(), draw.unit()) * 0.1;
            let (x1, x2) = (centre(), centre());
            let (r1, r2) = (draw.between(0.001, 0.3), draw.between(0.001, 0.3));
            let c = sphere_sphere(&x1, r1, &(x2 - x1), r2);
            let slack = c.gap.max(0.0) / 2.0 + 1e-12;
            assert!((c.point - x1).norm() <= r1 + slack && (c.point - x2).norm() <= r2 + slack);
        }
        let floor = Surface::Plane(HalfSpace {
            point: Vector3::zeros(),
            normal: Vector3::z(),
        });
        let c = sphere_wall(&Vector3::new(0.0, 0.0, -7.0), 1.0, &floor);
        assert_eq!((c.gap, c.point), (-8.0, Vector3::new(0.0, 0.0, -6.0)));
    }

    #[test]
    fn one_centre_gives_a_finite_contact() {
        let c = sphere_sphere(&Vector3::zeros(), 1.0, &Vector3::zeros(), 0.5);
        assert_eq!((c.gap, c.normal), (-1.5, Vector3::z()));
    }
}
