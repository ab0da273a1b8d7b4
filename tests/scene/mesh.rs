//! Meshes for tests, made by formulas.

use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::mesh::{Faces, Mesh};
use moreau::shape::{Posed, Surface};
use std::f64::consts::TAU;

/// The default angle of smooth edges [rad].
pub const SMOOTH: f64 = 0.349;

/// A wall of these faces.
pub fn surface(faces: &Faces) -> Surface {
    Surface::Mesh(Posed::new(Mesh::new(faces, SMOOTH).unwrap()))
}

/// The faces moved.
pub fn shifted(mut faces: Faces, way: [f64; 3]) -> Faces {
    let points = faces.points.iter_mut();
    points.for_each(|x| (0..3).for_each(|a| x[a] += way[a]));
    faces
}

/// The faces of an ASCII STL file.
pub fn stl(faces: &Faces) -> String {
    let mut text = "solid part\n".to_owned();
    for corners in &faces.triangles {
        text += " facet normal 0 0 0\n  outer loop\n";
        for [x, y, z] in corners.map(|k| faces.points[k as usize]) {
            text += &format!("   vertex {x:e} {y:e} {z:e}\n");
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid part\n"
}

/// A box around the origin with these edges; all triangles counter-clockwise from outside.
pub fn block(edges: [f64; 3]) -> Faces {
    let points = (0..8).map(|k| [0, 1, 2].map(|a| edges[a] * (f64::from(k >> a & 1) - 0.5)));
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    Faces {
        points: points.collect(),
        triangles: sides
            .iter()
            .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
            .collect(),
    }
}

/// A square plate in the plane z = 0, cut into random triangles.
///
/// A triangle is cut at a point of it into three; the points are so near to edges, often, that
/// needles of an aspect of up to 10⁵ arise.
pub fn plate(count: usize, seed: u64) -> Faces {
    let mut draw = Stream::new(Purpose::Trial, 71, [seed, 0, 0]);
    let mut points = vec![
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
    ];
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    while triangles.len() < count {
        let k = draw.between(0.0, triangles.len() as f64) as usize % triangles.len();
        let [a, b, c] = triangles[k];
        let at = |k: u32| Vector3::from(points[k as usize]);
        let shares = [0, 1, 2].map(|_| match draw.unit() < 0.3 {
            true => 1e-5 + 1e-3 * draw.unit(),
            false => 0.2 + draw.unit(),
        });
        let sum: f64 = shares.iter().sum();
        let x = (at(a) * shares[0] + at(b) * shares[1] + at(c) * shares[2]) / sum;
        let heights = [[a, b], [b, c], [c, a]].map(|[p, q]| {
            let edge = at(q) - at(p);
            edge.cross(&(x - at(p))).norm() / edge.norm()
        });
        // Flatter ones would be left out of the mesh.
        if heights.iter().any(|h| *h < 2e-6) {
            continue;
        }
        let new = points.len() as u32;
        points.push(x.into());
        triangles[k] = [a, b, new];
        triangles.extend([[b, c, new], [c, a, new]]);
    }
    Faces { points, triangles }
}

/// A surface of revolution about z, open at its ends: circles of these radii at these heights.
pub fn revolved(ends: [[f64; 2]; 2], sides: u32) -> Faces {
    let angle = |k: u32| TAU * f64::from(k) / f64::from(sides);
    let rim = |[r, z]: [f64; 2]| {
        (0..sides).map(move |k| [r * libm::cos(angle(k)), r * libm::sin(angle(k)), z])
    };
    let around = |k: u32| {
        let l = (k + 1) % sides;
        [[k, l, sides + l], [k, sides + l, sides + k]]
    };
    Faces {
        points: ends.into_iter().flat_map(rim).collect(),
        triangles: (0..sides).flat_map(around).collect(),
    }
}

/// The flight of a screw about the x axis, between two radii, over some turns of so many facets each.
///
/// The point at x has the angle `2π x/pitch`, from y to z.
pub fn helicoid(radii: [f64; 2], pitch: f64, (turns, facets): (u32, u32)) -> Faces {
    let sections = 0..=turns * facets;
    let points = sections.flat_map(|k| {
        let turn = f64::from(k) / f64::from(facets);
        radii.map(|r| {
            [
                pitch * turn,
                r * libm::cos(TAU * turn),
                r * libm::sin(TAU * turn),
            ]
        })
    });
    let between = |k: u32| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| 2 * k + n);
        [[a, b, d], [a, d, c]]
    };
    Faces {
        points: points.collect(),
        triangles: (0..turns * facets).flat_map(between).collect(),
    }
}

/// A sphere about the origin: an octahedron, each triangle cut into four `times` over.
pub fn globe(radius: f64, times: u32) -> Faces {
    let mut points: Vec<Vector3> = (0..6)
        .map(|k| Vector3::ith(k / 2, if k % 2 == 0 { 1.0 } else { -1.0 }))
        .collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for x in 0..2 {
        for y in 2..4 {
            for z in 4..6 {
                let corners = if (x + y + z) % 2 == 0 {
                    [x, y, z]
                } else {
                    [y, x, z]
                };
                triangles.push(corners);
            }
        }
    }
    for _ in 0..times {
        let cut = |[a, b, c]: [u32; 3]| {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[p, q]| {
                points.push((points[p as usize] + points[q as usize]).normalize());
                points.len() as u32 - 1
            });
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(cut).collect();
    }
    Faces {
        points: points.iter().map(|x| (x * radius).into()).collect(),
        triangles,
    }
}
