//! The point of a triangle that is closest to a point.

use crate::math::Vector3;

/// The part of a triangle that holds a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Its inside.
    Face,
    /// The edge from this corner to the next.
    Edge(usize),
    /// This corner.
    Corner(usize),
}

/// The closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closest {
    /// Distance [m].
    pub distance: f64,
    /// Unit vector towards it.
    pub towards: Vector3,
    pub region: Region,
    /// The point [m].
    pub point: Vector3,
}

/// The closest point of a triangle to `x`.
///
/// The region follows from the signs of dot products with the edges (Ericson, Real-Time Collision
/// Detection, § 5.1.5). The direction to a face is its normal, so that it is the same for all
/// triangles of a plane, however thin.
pub(super) fn closest(x: &Vector3, corners: &[Vector3; 3]) -> Closest {
    let [a, b, c] = corners;
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (xa, xb, xc) = (x - a, x - b, x - c);
    let [d1, d2] = [ab.dot(&xa), ac.dot(&xa)];
    if d1 <= 0.0 && d2 <= 0.0 {
        return at(x, corners, *a, Region::Corner(0));
    }
    let [d3, d4] = [ab.dot(&xb), ac.dot(&xb)];
    if d3 >= 0.0 && d4 <= d3 {
        return at(x, corners, *b, Region::Corner(1));
    }
    let [d5, d6] = [ab.dot(&xc), ac.dot(&xc)];
    if d6 >= 0.0 && d5 <= d6 {
        return at(x, corners, *c, Region::Corner(2));
    }
    let normal = ab.cross(&ac);
    // Each is the area opposite a corner, times twice that of the triangle.
    let opposite = |from: &Vector3, edge: &Vector3| normal.dot(&edge.cross(from));
    if d1 >= 0.0 && d3 <= 0.0 && opposite(&xa, &ab) <= 0.0 {
        return at(x, corners, a + ab * (d1 / (d1 - d3)), Region::Edge(0));
    }
    if d4 - d3 >= 0.0 && d5 - d6 >= 0.0 && opposite(&xb, &bc) <= 0.0 {
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return at(x, corners, b + bc * share, Region::Edge(1));
    }
    if d2 >= 0.0 && d6 <= 0.0 && opposite(&xc, &(a - c)) <= 0.0 {
        return at(x, corners, a + ac * (d2 / (d2 - d6)), Region::Edge(2));
    }
    let normal = normal.normalize();
    let height = normal.dot(&xa);
    let towards = if height < 0.0 { normal } else { -normal };
    Closest {
        distance: height.abs(),
        towards,
        region: Region::Face,
        point: x - normal * height,
    }
}

/// The closest point, on an edge or a corner.
fn at(x: &Vector3, corners: &[Vector3; 3], point: Vector3, region: Region) -> Closest {
    let way = point - x;
    let distance = way.norm();
    let towards = if distance > 0.0 {
        way / distance
    } else {
        // On the surface itself all directions are alike.
        let [a, b, c] = corners;
        -(b - a).cross(&(c - a)).normalize()
    };
    Closest {
        distance,
        towards,
        region,
        point,
    }
}
