//! Whether two meshes cross each other.

use super::Mesh;
use crate::math::{Vector3, nan_max};
use rstar::AABB;

impl Mesh {
    /// Whether a triangle of another mesh, whose points `place` brings to this one's frame, crosses
    /// one of its own.
    ///
    /// Triangles that only touch do not cross, nor do those that pass through each other by less
    /// than the closeness of points.
    #[must_use]
    pub fn is_crossed_by(&self, other: &Self, place: impl Fn(&Vector3) -> Vector3) -> bool {
        let points: Vec<Vector3> = other.points.iter().map(place).collect();
        let close = nan_max(self.close, other.close);
        let mut triangles = other.triangles.iter();
        triangles.any(|corners| {
            let theirs = corners.map(|k| points[k as usize]);
            let [lower, upper] = around(&theirs);
            let [low, high] = self.corners;
            let apart = (0..3).any(|a| upper[a] < low[a] || lower[a] > high[a]);
            if apart {
                return false;
            }
            let near = AABB::from_corners(lower.into(), upper.into());
            self.clusters
                .any_within(near, |ours| cross(&ours, &theirs, close))
        })
    }
}

/// The corners of the box around a triangle.
fn around([a, b, c]: &[Vector3; 3]) -> [Vector3; 2] {
    [a.inf(b).inf(c), a.sup(b).sup(c)]
}

/// Whether an edge of one triangle passes through the inside of the other.
fn cross(a: &[Vector3; 3], b: &[Vector3; 3], close: f64) -> bool {
    let through = |edges: &[Vector3; 3], face: &[Vector3; 3]| {
        (0..3).any(|k| passes([&edges[k], &edges[(k + 1) % 3]], face, close))
    };
    through(a, b) || through(b, a)
}

/// Whether the line from p to q passes through a triangle: by the signs of volumes of tetrahedra.
///
/// Its ends must be further from the plane than `close` [m]. A line through an edge counts, so that
/// parts with common planes cross too.
fn passes([p, q]: [&Vector3; 2], [a, b, c]: &[Vector3; 3], close: f64) -> bool {
    let normal = (b - a).cross(&(c - a));
    let [above, below] = [p, q].map(|x| normal.dot(&(x - a)));
    let least = close * normal.norm();
    if above * below >= 0.0 || above.abs().min(below.abs()) <= least {
        return false;
    }
    let way = q - p;
    let turn = |(from, to): (&Vector3, &Vector3)| {
        let slack = close * way.norm() * (to - from).norm();
        (way.dot(&(from - p).cross(&(to - p))), slack)
    };
    let turns = [(a, b), (b, c), (c, a)].map(turn);
    turns.iter().all(|(x, slack)| *x >= -slack) || turns.iter().all(|(x, slack)| *x <= *slack)
}
