//! Walls and the domain as lines.

use super::Scene;
use crate::math::Vector3;
use crate::shape::{Posed, Surface};
use std::f64::consts::TAU;

/// A line from point to point [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) ends: [Vector3; 2],
}

/// Sides of the polygon that stands for a circle, and lines along a cylinder.
const SIDES: usize = 72;
const RIBS: usize = 8;

/// Sharp edges of a mesh below which other edges are drawn, and about how many of these.
const FEW: usize = 12;
const MANY: usize = 600;

/// The corners of a box, x changing first.
pub(super) fn corners(lower: &Vector3, upper: &Vector3) -> [Vector3; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|k: usize| {
        let of = |axis: usize| match k >> axis & 1 {
            0 => lower[axis],
            _ => upper[axis],
        };
        Vector3::new(of(0), of(1), of(2))
    })
}

/// The edges of the domain, and lines on the surfaces of walls.
///
/// `shaded`: surfaces are drawn too, so lines that only show their form are left out.
pub(super) fn of(scene: &Scene, shaded: bool) -> Vec<Line> {
    let (mut lower, mut upper) = scene.domain;
    if scene.flat {
        (lower.z, upper.z) = (0.0, 0.0);
    }
    let corners = corners(&lower, &upper);
    let mut lines: Vec<Line> = edges()
        .map(|[a, b]| line(corners[a], corners[b]))
        .filter(|line| line.ends[0] != line.ends[1])
        .collect();
    let ribs = if shaded { 0 } else { RIBS };
    for surface in scene.surfaces.iter().flat_map(Surface::parts) {
        match surface.clone() {
            Surface::Plane(plane) => lines.extend(cut(&corners, |x| plane.distance(x))),
            Surface::Sphere { centre, radius, .. } if scene.flat => {
                lines.extend(circle(&centre, &Vector3::z(), radius));
            }
            Surface::Sphere { centre, radius, .. } => {
                for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                    lines.extend(circle(&centre, &axis, radius));
                }
            }
            Surface::Bore {
                centre,
                axis,
                radius,
            } => {
                let ends = bore_heights(&corners, &centre, &axis).map(|height| [radius, height]);
                lines.extend(round(&centre, &axis, ends, ribs));
            }
            Surface::Cylinder {
                centre,
                axis,
                radius,
                half_length,
            } => lines.extend(round(
                &centre,
                &axis,
                [[radius, -half_length], [radius, half_length]],
                ribs,
            )),
            Surface::Shell { centre, axis, ends } => {
                lines.extend(round(&centre, &axis, ends, ribs))
            }
            Surface::Arc {
                centre,
                axis,
                middle,
                half,
                radius,
            } => {
                let axes = [middle, axis.cross(&middle)];
                let point = |k: usize| {
                    let share = (2.0 * k as f64 / SIDES as f64 - 1.0) * half / TAU;
                    on_circle(&centre, &axes, radius, share)
                };
                lines.extend((0..SIDES).map(|k| line(point(k), point(k + 1))));
            }
            Surface::Mesh(posed) => lines.extend(of_mesh(&posed, shaded)),
            Surface::Compound(_) => {} // It comes by its parts.
        }
    }
    lines
}

/// The sharp edges and borders of a mesh; of a mesh with few of them also other edges.
fn of_mesh(posed: &Posed, shaded: bool) -> Vec<Line> {
    let mesh = posed.mesh();
    let placed = |[a, b]: [Vector3; 2]| line(posed.out(&a), posed.out(&b));
    let mut lines: Vec<Line> = mesh.sharp_edges().map(placed).collect();
    if lines.len() < FEW && !shaded {
        let each = mesh.edges().count().div_ceil(MANY).max(1);
        lines.extend(mesh.edges().step_by(each).map(placed));
    }
    lines
}

fn line(a: Vector3, b: Vector3) -> Line {
    Line { ends: [a, b] }
}

/// Pairs of corners that an edge of a box joins.
fn edges() -> impl Iterator<Item = [usize; 2]> {
    (0..8).flat_map(|a| {
        (0..3)
            .map(move |axis| [a, a | 1 << axis])
            .filter(|[a, b]| a != b)
    })
}

/// The polygon in which a plane cuts a box, if it cuts the inside.
///
/// Its points lie where edges change side.
fn cut(corners: &[Vector3; 8], distance: impl Fn(&Vector3) -> f64) -> Vec<Line> {
    let away = corners.map(|corner| distance(&corner));
    let points: Vec<(usize, usize, Vector3)> = edges()
        .filter(|[a, b]| (away[*a] < 0.0) != (away[*b] < 0.0))
        .map(|[a, b]| {
            let share = away[a] / (away[a] - away[b]);
            let point = corners[a] + (corners[b] - corners[a]) * share;
            (a, b, point)
        })
        .collect();
    // Two points are connected if one face holds both of their edges.
    let face = |k: usize, axis: usize, side: usize| k >> axis & 1 == side;
    let mut lines = Vec::new();
    for (i, p) in points.iter().enumerate() {
        for q in &points[i + 1..] {
            let shared = (0..6).any(|f| {
                let (axis, side) = (f / 2, f % 2);
                [p.0, p.1, q.0, q.1].iter().all(|k| face(*k, axis, side))
            });
            if shared {
                lines.push(line(p.2, q.2));
            }
        }
    }
    lines
}

/// The heights along the axis between which the inside of a cylinder is drawn.
pub(super) fn bore_heights(corners: &[Vector3; 8], centre: &Vector3, axis: &Vector3) -> [f64; 2] {
    let heights = corners.map(|corner| axis.dot(&(corner - centre)));
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [low, high]
}

/// Two unit vectors normal to an axis and to each other.
pub(super) fn across(axis: &Vector3) -> [Vector3; 2] {
    let mut other = Vector3::zeros();
    other[axis.iamin()] = 1.0;
    let first = axis.cross(&other).normalize();
    [first, axis.cross(&first)]
}

pub(super) fn on_circle(centre: &Vector3, axes: &[Vector3; 2], radius: f64, share: f64) -> Vector3 {
    let angle = TAU * share;
    centre + (axes[0] * libm::cos(angle) + axes[1] * libm::sin(angle)) * radius
}

fn circle(centre: &Vector3, axis: &Vector3, radius: f64) -> Vec<Line> {
    let axes = across(axis);
    let point = |k: usize| on_circle(centre, &axes, radius, (k % SIDES) as f64 / SIDES as f64);
    (0..SIDES).map(|k| line(point(k), point(k + 1))).collect()
}

/// A surface of revolution between two ends: circles, and lines between them.
///
/// An end is a distance from the axis and a height along it.
fn round(centre: &Vector3, axis: &Vector3, ends: [[f64; 2]; 2], ribs: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let middles = ends.map(|[_, height]| centre + axis * height);
    for (middle, [radius, _]) in middles.iter().zip(ends) {
        if radius > 0.0 {
            lines.extend(circle(middle, axis, radius));
        }
    }
    let axes = across(axis);
    for rib in 0..ribs {
        let share = rib as f64 / ribs as f64;
        let [a, b] = [0, 1].map(|k| on_circle(&middles[k], &axes, ends[k][0], share));
        lines.push(line(a, b));
    }
    lines
}
