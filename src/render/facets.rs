//! Surfaces of walls as triangles in the buffer.

use super::Scene;
use super::camera::{Camera, dot};
use super::outline::{across, bore_heights, corners, on_circle};
use crate::math::Vector3;
use crate::shape::{HalfSpace, Posed, Surface};
use rayon::prelude::*;

/// Sides of the polygon that stands for a circle, and rings of a sphere from pole to pole.
const SIDES: usize = 288;
const RINGS: usize = 96;

/// A triangle in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// Pixels from the left and from the top.
    pub(super) spots: [[f64; 2]; 3],
    /// Its plane in camera space: `normal · p = offset`; the normal has length one and points to
    /// the eye.
    pub(super) normal: [f64; 3],
    pub(super) offset: f64,
    /// Whether bodies may be on both sides.
    pub(super) thin: bool,
    /// The quantity that its colour shows; NaN without one.
    pub(super) value: f64,
}

/// A triangle of a surface; bodies are on the side of its right-hand normal, or on both.
struct Piece {
    corners: [Vector3; 3],
    thin: bool,
}

/// The triangles of all walls that an eye on the side of the bodies sees.
///
/// Of a wall that is solid behind, the sides away from the bodies are left out.
pub(super) fn of(scene: &Scene, camera: &Camera) -> Vec<Facet> {
    let mut facets = Vec::new();
    let each = scene.surfaces.iter().enumerate();
    for (wall, surface) in each.flat_map(|(k, all)| all.parts().iter().map(move |one| (k, one))) {
        match surface {
            Surface::Mesh(posed) => {
                let worn = scene.worn.get(wall).map_or(&[][..], Vec::as_slice);
                facets.extend(of_mesh(posed, worn, camera));
            }
            other => {
                let pieces = pieces(other, scene);
                let each = pieces.iter().flat_map(|piece| {
                    let corners = piece.corners.map(|x| camera.seen(&x));
                    seen(camera, corners, piece.thin, f64::NAN)
                });
                facets.extend(each);
            }
        }
    }
    facets
}

fn of_mesh(posed: &Posed, worn: &[f64], camera: &Camera) -> Vec<Facet> {
    let mesh = posed.mesh();
    let points = mesh.points().par_iter();
    let points: Vec<[f64; 3]> = points.map(|x| camera.seen(&posed.out(x))).collect();
    let triangles = mesh.triangles().par_iter().enumerate();
    let each = triangles.flat_map_iter(|(number, corners)| {
        let corners = corners.map(|k| points[k as usize]);
        let value = worn.get(number).copied().unwrap_or(f64::NAN);
        seen(camera, corners, true, value)
    });
    each.collect()
}

/// The parts of a triangle of camera space that clips leave in front of the eye.
fn seen(camera: &Camera, corners: [[f64; 3]; 3], thin: bool, value: f64) -> Vec<Facet> {
    let [a, b, c] = corners.map(Vector3::from);
    // Camera space is left-handed.
    let Some(normal) = (c - a).cross(&(b - a)).try_normalize(0.0) else {
        return Vec::new();
    };
    let normal: [f64; 3] = normal.into();
    let offset = dot(&normal, &corners[0]);
    // From the eye at the origin, or along the depth.
    let away = match camera.perspective {
        true => offset,
        false => normal[2],
    };
    if !(away.is_finite() && away != 0.0) || away > 0.0 && !thin {
        return Vec::new();
    }
    let sign = if away > 0.0 { -1.0 } else { 1.0 };
    let (normal, offset) = (normal.map(|x| sign * x), sign * offset);
    let mut polygon = corners.to_vec();
    for (normal, offset) in &camera.clips {
        polygon = cut(&polygon, |p| offset - dot(normal, p));
    }
    if camera.perspective {
        polygon = cut(&polygon, |p| p[2] - camera.near);
    }
    let spots: Vec<[f64; 2]> = polygon
        .iter()
        .map(|p| {
            let [x, y, _] = camera.spot(p);
            [x, y]
        })
        .collect();
    let facet = |k: usize| Facet {
        spots: [spots[0], spots[k], spots[k + 1]],
        normal,
        offset,
        thin,
        value,
    };
    (1..spots.len().saturating_sub(1)).map(facet).collect()
}

/// The part of a convex polygon where a linear function is not negative.
fn cut(polygon: &[[f64; 3]], inside: impl Fn(&[f64; 3]) -> f64) -> Vec<[f64; 3]> {
    let mut left = Vec::with_capacity(polygon.len() + 1);
    for (k, p) in polygon.iter().enumerate() {
        let q = &polygon[(k + 1) % polygon.len()];
        let (here, there) = (inside(p), inside(q));
        if here >= 0.0 {
            left.push(*p);
        }
        if (here >= 0.0) != (there >= 0.0) {
            let share = here / (here - there);
            left.push([0, 1, 2].map(|k| p[k] + share * (q[k] - p[k])));
        }
    }
    left
}

/// The triangles of a surface other than a mesh.
fn pieces(surface: &Surface, scene: &Scene) -> Vec<Piece> {
    match surface {
        Surface::Plane(plane) => plate(plane, &scene.domain),
        Surface::Sphere {
            centre,
            radius,
            inside,
        } => {
            let ends = |ring: usize| {
                let angle = std::f64::consts::PI * ring as f64 / RINGS as f64;
                [radius * libm::sin(angle), -radius * libm::cos(angle)]
            };
            let rings = (0..RINGS).flat_map(|ring| {
                let ends = [ends(ring), ends(ring + 1)];
                revolved(centre, &Vector3::z(), ends, *inside, false)
            });
            rings.collect()
        }
        Surface::Bore {
            centre,
            axis,
            radius,
        } => {
            let heights = bore_heights(&corners(&scene.domain.0, &scene.domain.1), centre, axis);
            let ends = heights.map(|height| [*radius, height]);
            revolved(centre, axis, ends, true, false)
        }
        Surface::Cylinder {
            centre,
            axis,
            radius,
            half_length,
        } => {
            let (r, h) = (*radius, *half_length);
            let around = [[[0.0, -h], [r, -h]], [[r, -h], [r, h]], [[r, h], [0.0, h]]];
            let parts = around.map(|ends| revolved(centre, axis, ends, false, false));
            parts.into_iter().flatten().collect()
        }
        Surface::Shell { centre, axis, ends } => revolved(centre, axis, *ends, false, true),
        // Arcs are of flat scenes, whose walls are lines; compounds come by their parts.
        Surface::Arc { .. } | Surface::Mesh(_) | Surface::Compound(_) => Vec::new(),
    }
}

/// The part of a plane in the domain.
fn plate(plane: &HalfSpace, (lower, upper): &(Vector3, Vector3)) -> Vec<Piece> {
    let middle = (lower + upper) * 0.5;
    let foot = middle - plane.normal * plane.distance(&middle);
    let [u, v] = across(&plane.normal);
    let size = (upper - lower).norm() + (foot - middle).norm();
    let square = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let corner = |(a, b): (f64, f64)| (foot + (u * a + v * b) * size).into();
    let mut polygon: Vec<[f64; 3]> = square.map(corner).to_vec();
    // A plane in a face of the domain stays, but for rounding.
    let slack = 1e-9 * size;
    for axis in 0..3 {
        polygon = cut(&polygon, |p| p[axis] - lower[axis] + slack);
        polygon = cut(&polygon, |p| upper[axis] - p[axis] + slack);
    }
    let points: Vec<Vector3> = polygon.into_iter().map(Vector3::from).collect();
    let piece = |k: usize| Piece {
        corners: [points[0], points[k], points[k + 1]],
        thin: false,
    };
    (1..points.len().saturating_sub(1)).map(piece).collect()
}

/// A surface of revolution between two ends, each a distance from the axis and a height along it.
///
/// Its free side is to the right of the way from the first end to the second, seen with the axis
/// upwards and the surface to the right of it; with `inside` to the left.
fn revolved(
    centre: &Vector3,
    axis: &Vector3,
    ends: [[f64; 2]; 2],
    inside: bool,
    thin: bool,
) -> Vec<Piece> {
    let axes = across(axis);
    let point = |end: usize, side: usize| {
        let [radius, height] = ends[end];
        let middle = centre + axis * height;
        on_circle(&middle, &axes, radius, (side % SIDES) as f64 / SIDES as f64)
    };
    let mut pieces = Vec::with_capacity(2 * SIDES);
    for side in 0..SIDES {
        let [a, b] = [point(0, side), point(0, side + 1)];
        let [c, d] = [point(1, side + 1), point(1, side)];
        for corners in [[a, b, c], [a, c, d]] {
            let [p, q, r] = corners;
            let corners = if inside { [p, r, q] } else { corners };
            pieces.push(Piece { corners, thin });
        }
    }
    pieces
}
