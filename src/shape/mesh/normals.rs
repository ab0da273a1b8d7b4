//! Cones around the normals of triangles and of their neighbours.

use super::screen::{Cone, STEEPEST};
use super::seams::Seams;
use crate::math::Vector3;

/// The triangles around each point, as starts and members.
fn around_points(points: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; points + 1];
    let corners = || triangles.iter().flatten();
    corners().for_each(|&p| starts[p as usize + 1] += 1);
    for p in 0..points {
        starts[p + 1] += starts[p];
    }
    let mut next = starts.clone();
    let mut members = vec![0; 3 * triangles.len()];
    for (corner, &p) in corners().enumerate() {
        members[next[p as usize] as usize] = (corner / 3) as u32;
        next[p as usize] += 1;
    }
    (starts, members)
}

/// The normals of a mesh.
pub(super) struct Normals<'m> {
    triangles: &'m [[u32; 3]],
    seams: &'m Seams,
    around: (Vec<u32>, Vec<u32>),
    /// By number of the triangle.
    of: Vec<Vector3>,
    /// Whether smooth edges turn by less than the largest cone. Then the normals of two neighbours
    /// within it, as seen from one side, have one sign.
    turns_less: bool,
}

impl<'m> Normals<'m> {
    /// Those of a mesh that is smooth where the cosine of the turn is at least `straight`.
    pub(super) fn new(
        (points, triangles): (&[Vector3], &'m [[u32; 3]]),
        seams: &'m Seams,
        straight: f64,
    ) -> Self {
        let normal = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|k| points[k as usize]);
            (b - a).cross(&(c - a)).normalize()
        };
        Self {
            triangles,
            seams,
            around: around_points(points.len(), triangles),
            of: triangles.iter().map(normal).collect(),
            turns_less: straight > STEEPEST,
        }
    }

    fn normal(&self, triangle: u32) -> &Vector3 {
        &self.of[triangle as usize]
    }

    /// The cone around the normals of a triangle and of all that have a point with it.
    ///
    /// Around a point where all edges are smooth these triangles cover all directions along the
    /// surface. A vector from there that has no positive part along any of their edges, as one to
    /// `x` from a minimum, is then within the cone. On sharp edges and borders it may point
    /// anywhere.
    pub(super) fn cone(&self, triangle: u32) -> Cone {
        let axis = self.normal(triangle);
        let points = self.triangles[triangle as usize];
        if !(self.turns_less && points.iter().all(|&p| self.seams.is_smooth(p))) {
            return Cone::ANYWHERE;
        }
        let (starts, members) = &self.around;
        let of_point = |p: u32| starts[p as usize] as usize..starts[p as usize + 1] as usize;
        let around = points.into_iter().flat_map(of_point);
        let all = around.map(|k| self.normal(members[k]));
        let sum: Vector3 = all.clone().map(|n| n * n.dot(axis).signum()).sum();
        let axis = sum.normalize();
        Cone::around(axis, all.map(|n| n.dot(&axis).abs()).fold(1.0, f64::min))
    }
}
