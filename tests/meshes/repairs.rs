//! Welded points, triangles without an area, and closed meshes.

use super::geometry::mesh;
use crate::scene::mesh::{SMOOTH, block};
use moreau::math::Vector3;
use moreau::shape::mesh::{Faces, Mesh, MeshError, Repair};

/// Triangles of an STL file have their own points: they are welded, also where they differ by the
/// rounding of single precision. Flat and repeated triangles are counted.
#[test]
fn repairs() {
    let of = block([1.0, 2.0, 3.0]);
    let mut faces = Faces::default();
    for (k, corners) in of.triangles.iter().enumerate() {
        let first = faces.points.len() as u32;
        faces.triangles.push([first, first + 1, first + 2]);
        let hair = 1e-7 * (k % 3) as f64;
        faces
            .points
            .extend(corners.map(|c| of.points[c as usize].map(|x| x + hair)));
    }
    faces.triangles.extend([[0, 0, 1], [2, 1, 0]]);
    let mesh = Mesh::new(&faces, SMOOTH).expect("a box");
    assert_eq!((mesh.points().len(), mesh.triangles().len()), (8, 12));
    let repair = Repair {
        welded: 28,
        flat: 1,
        doubled: 1,
    };
    assert_eq!((mesh.repair(), mesh.is_closed()), (repair, true));
    let fail = |faces: &Faces| Mesh::new(faces, SMOOTH).expect_err("no mesh");
    faces.triangles = vec![[0, 0, 1]];
    assert_eq!(fail(&faces), MeshError::Empty);
    faces.triangles = vec![[0, 1, 99]];
    assert_eq!(fail(&faces), MeshError::NoPoint(0, 36));
    faces.points[5][1] = f64::NAN;
    assert_eq!(fail(&faces), MeshError::NotFinite(5));
}

/// A triangle between an edge and its two halves has no area and is left out, but closes the mesh: the solid is that of the box. Without it, the
/// mesh is open; turned about, it has no inside.
#[test]
fn flat_triangles_close_gaps() {
    let whole = block([1.0, 2.0, 3.0]);
    let mut faces = whole.clone();
    let [p, q, r] = faces.triangles.remove(0);
    let middle = faces.points.len() as u32;
    let [from, to] = [p, q].map(|k| faces.points[k as usize]);
    faces
        .points
        .push([0, 1, 2].map(|a| 0.5 * (from[a] + to[a])));
    faces.triangles.extend([[p, middle, r], [middle, q, r]]);
    let of = |flat: Option<[u32; 3]>| {
        let mut faces = faces.clone();
        faces.triangles.extend(flat);
        Mesh::new(&faces, SMOOTH).expect("a box")
    };
    let open = of(None);
    assert!(!open.is_closed() && open.solid().is_none());
    let closed = of(Some([p, q, middle]));
    assert_eq!((closed.triangles().len(), closed.repair().flat), (13, 1));
    assert!(closed.is_closed());
    let [solid, expected] =
        [&closed, &mesh(&whole.points, &whole.triangles)].map(|m| m.solid().expect("a box"));
    assert!((solid.volume / expected.volume - 1.0).abs() < 1e-14);
    assert!((solid.inertia - expected.inertia).norm() < 1e-13 * expected.inertia.norm());
    let turned = of(Some([q, p, middle]));
    assert!(turned.is_closed() && turned.solid().is_none());
}

/// Triangles without an area that close no gap leave a closed mesh closed.
///
/// Apart from it, in its face, at an edge, one at another, and with such a gap closed elsewhere.
#[test]
fn stray_flat_triangles_count_for_nothing() {
    let whole = block([1.0, 2.0, 3.0]);
    let mut faces = whole.clone();
    let [p, q, r] = faces.triangles.remove(0);
    let [from, to] = [p, q].map(|k| Vector3::from(faces.points[k as usize]));
    let mut point = |x: Vector3| {
        faces.points.push(x.into());
        faces.points.len() as u32 - 1
    };
    let middle = point((from + to) * 0.5);
    let [a, b, c, d] = [3.0, 4.0, 5.0, 6.0].map(|x| point(Vector3::new(x, 3.0, 3.0)));
    let beyond = [1.5, 2.0].map(|share| point(from + (to - from) * share));
    faces
        .triangles
        .extend([[p, middle, r], [middle, q, r], [p, q, middle]]);
    let strays = [
        vec![[a, b, c]],
        vec![[a, b, c], [b, c, d]],
        vec![[p, q, beyond[0]]],
        vec![[p, q, beyond[0]], [p, q, beyond[1]]],
        vec![[q, beyond[0], beyond[1]], [p, q, beyond[0]], [a, c, d]],
    ];
    for (base, flat) in [(&whole, 0), (&faces, 1)] {
        for some in &strays {
            let mut faces = Faces {
                points: faces.points.clone(),
                triangles: base.triangles.clone(),
            };
            faces.triangles.extend(some);
            let mesh = Mesh::new(&faces, SMOOTH).expect("a box");
            assert_eq!(mesh.repair().flat, flat + some.len(), "{some:?}");
            assert!(
                mesh.is_closed() && mesh.solid().is_some(),
                "{flat} {some:?}"
            );
            // They close nothing else.
            faces.triangles.remove(0);
            let open = Mesh::new(&faces, SMOOTH).expect("an open box");
            assert!(!open.is_closed(), "{flat} {some:?}");
        }
    }
}
