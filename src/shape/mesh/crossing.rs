//! Whether two meshes cross each other.

use super::Mesh;
use crate::math::Vector3;
use rstar::AABB;

impl Mesh {
    /// Whether a triangle of another mesh, whose points `place` brings to this one's frame, crosses
    /// one of its own.
    ///
    /// Triangles that only touch, or lie in one plane, do not cross.
    #[must_use]
    pub fn is_crossed_by(&self, other: &Self, place: impl Fn(&Vector3) -> Vector3) -> bool {
        let points: Vec<Vector3> = other.points.iter().map(place).collect();
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
            self.clusters.any_within(near, |ours| cross(&ours, &theirs))
        })
    }
}

/// The corners of the box around a triangle.
fn around([a, b, c]: &[Vector3; 3]) -> [Vector3; 2] {
    [a.inf(b).inf(c), a.sup(b).sup(c)]
}

/// Whether an edge of one triangle passes through the inside of the other.
fn cross(a: &[Vector3; 3], b: &[Vector3; 3]) -> bool {
    let through = |edges: &[Vector3; 3], face: &[Vector3; 3]| {
        (0..3).any(|k| passes(&edges[k], &edges[(k + 1) % 3], face))
    };
    through(a, b) || through(b, a)
}

/// Whether the line from p to q passes through the inside of a triangle: by the signs of the
/// volumes of tetrahedra.
fn passes(p: &Vector3, q: &Vector3, [a, b, c]: &[Vector3; 3]) -> bool {
    let normal = (b - a).cross(&(c - a));
    let sides = [p, q].map(|x| normal.dot(&(x - a)));
    let way = q - p;
    let turns = [(a, b), (b, c), (c, a)].map(|(from, to)| way.dot(&(from - p).cross(&(to - p))));
    let same = turns.iter().all(|x| *x > 0.0) || turns.iter().all(|x| *x < 0.0);
    sides[0] * sides[1] < 0.0 && same
}
