//! Distances from meshes, their touches, seams and solids.

use crate::scene::mesh::{SMOOTH, block, globe, plate, revolved, shifted, surface};
use crate::scene::record;
use moreau::math::{IDENTITY, Matrix3, Vector3, rotate, turned};
use moreau::rng::{Purpose, Stream};
use moreau::shape::mesh::{Faces, Mesh, Place};
use moreau::shape::{HalfSpace, Surface};
use std::f64::consts::TAU;

pub(crate) fn mesh(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    let (points, triangles) = (points.to_vec(), triangles.to_vec());
    Mesh::new(&Faces { points, triangles }, SMOOTH).expect("a mesh")
}

pub(crate) fn touches(mesh: &Mesh, x: &Vector3, reach: f64) -> Vec<Place> {
    let mut all = Vec::new();
    mesh.touches(x, reach, |place| all.push(place));
    all
}

pub(crate) fn vector(draw: &mut Stream, size: f64) -> Vector3 {
    Vector3::from([0, 1, 2].map(|_| draw.between(-size, size)))
}

/// The distance to the nearest point of all triangles, one after the other.
pub(crate) fn by_search(mesh: &Mesh, x: &Vector3) -> f64 {
    let each = mesh.triangles().iter().map(|corners| {
        let [a, b, c] = corners.map(|k| mesh.points()[k as usize]);
        // The closest point of a triangle is the best of many, refined.
        let mut best = (f64::INFINITY, 1.0 / 3.0, 1.0 / 3.0);
        let mut wide = 0.7;
        for _ in 0..70 {
            let (_, u, v) = best;
            for i in -4..=4 {
                for j in -4..=4 {
                    let s = (u + wide * f64::from(i) / 4.0).clamp(0.0, 1.0);
                    let t = (v + wide * f64::from(j) / 4.0).clamp(0.0, 1.0 - s);
                    let distance = (a + (b - a) * s + (c - a) * t - x).norm();
                    if distance < best.0 {
                        best = (distance, s, t);
                    }
                }
            }
            wide *= 0.75;
        }
        best.0
    });
    each.fold(f64::INFINITY, f64::min)
}

/// Distances from random triangles, thin ones among them, against a search over their points; all
/// three queries agree, and the first touch is the nearest point.
#[test]
fn nearest_points_against_a_search() {
    for trial in 0..40 {
        let mut draw = Stream::new(Purpose::Trial, 72, [trial, 0, 0]);
        let thin = if trial % 2 == 0 { 1.0 } else { 1e-3 };
        let points: Vec<[f64; 3]> = (0..12)
            .map(|k| {
                let x = vector(&mut draw, 1.0);
                [x.x, x.y, if k % 3 == 0 { x.z * thin } else { x.z }]
            })
            .collect();
        let mesh = mesh(
            &points,
            &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 4, 8]],
        );
        let x = vector(&mut draw, 1.5);
        let (distance, towards) = mesh.nearest(&x);
        let searched = by_search(&mesh, &x);
        assert!(
            (distance - searched).abs() < 1e-7,
            "{trial}: {distance} {searched}"
        );
        assert!((towards.norm() - 1.0).abs() < 1e-14);
        assert!(mesh.nearest(&(x + towards * distance)).0 < 1e-13);
        assert_eq!(
            mesh.nearest_within(&x, distance * 1.001),
            Some((distance, towards))
        );
        assert_eq!(mesh.nearest_within(&x, distance), None);
        assert_eq!(
            [0.999, 1.001].map(|f| mesh.is_nearer(&x, f * distance)),
            [false, true]
        );
        let all = touches(&mesh, &x, 4.0);
        let least = all
            .iter()
            .map(|place| place.distance)
            .fold(f64::INFINITY, f64::min);
        assert_eq!(least, distance);
    }
}

/// Touches are the local minima of the distance, by moving along the surface; each minimum in a
/// direction of its own is a touch.
#[test]
fn touches_are_the_local_minima() {
    for trial in 0..60 {
        let mut draw = Stream::new(Purpose::Trial, 73, [trial, 0, 0]);
        let faces = block([1.0, 1.5, 0.7]);
        let mesh = Mesh::new(&faces, SMOOTH).expect("a box");
        let x = vector(&mut draw, 1.2);
        let half = Vector3::new(0.5, 0.75, 0.35);
        let outside = (0..3).any(|a| x[a].abs() > half[a]);
        let expected = if outside {
            // The distance from a convex body has one minimum.
            vec![x.zip_map(&half, |c, h| (c.abs() - h).max(0.0)).norm()]
        } else {
            // From inside each face has one.
            let mut each: Vec<f64> = (0..3)
                .flat_map(|a| [half[a] - x[a], half[a] + x[a]])
                .collect();
            each.sort_by(f64::total_cmp);
            each
        };
        let mut found: Vec<f64> = touches(&mesh, &x, 5.0).iter().map(|p| p.distance).collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), expected.len(), "{trial}: {x} {found:?}");
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        assert!(
            off.fold(0.0, f64::max) < 1e-14,
            "{trial}: {found:?} {expected:?}"
        );
    }
}

/// A plane of 2 to 100 000 random triangles, needles among them, is a plane: one touch at the foot,
/// along the normal, with one name; also tilted, and rounded to single precision as in STL files.
#[test]
fn a_plane_of_triangles_is_a_plane() {
    for (seed, count) in [2, 10, 100, 3000, 100_000].into_iter().enumerate() {
        let seed = seed as u64;
        let flat = plate(count, seed);
        let mut draw = Stream::new(Purpose::Trial, 74, [seed, 0, 0]);
        let q = rotate(IDENTITY, &vector(&mut draw, 2.0));
        for tilt in [IDENTITY, q] {
            for rounded in [false, true] {
                let point = |x: &[f64; 3]| {
                    let x: [f64; 3] = turned(tilt, &Vector3::from(*x)).into();
                    x.map(|c| if rounded { f64::from(c as f32) } else { c })
                };
                let faces = Faces {
                    points: flat.points.iter().map(point).collect(),
                    triangles: flat.triangles.clone(),
                };
                let mesh = Mesh::new(&faces, SMOOTH).expect("a plate");
                assert_eq!(mesh.counts()[0], 1, "{count}: one patch");
                let n = turned(tilt, &Vector3::z());
                // Rounding tilts a needle of height h ≥ 2e-6 by some ε/h, and moves its plane by as
                // much at the other end.
                let (least, off) = match (tilt == IDENTITY, rounded) {
                    (true, _) => (1e-16, 1e-14),
                    (false, false) => (1e-9, 1e-10),
                    (false, true) => (0.2, 3e-7),
                };
                for trial in 0..300 {
                    let foot = vector(&mut draw, 0.8);
                    let height = if trial % 2 == 0 { 0.1 } else { -0.1 };
                    let x = turned(tilt, &Vector3::new(foot.x, foot.y, height));
                    let all = touches(&mesh, &x, 0.12);
                    assert_eq!(all.len(), 1, "{count} {rounded} {x}: {all:?}");
                    let towards = -n * height.signum();
                    assert!((all[0].distance - 0.1).abs() < off, "{all:?}");
                    assert!((all[0].towards - towards).norm() <= least, "{all:?}");
                    assert_eq!(all[0].feature, 0);
                }
            }
        }
    }
}

/// Parts that meet at other points than their corners, or are not welded, have no inner edges: a
/// long edge with two short ones on its other side, and two plates in two places of one file.
#[test]
fn edges_that_end_in_others_are_none() {
    let points = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [2.0, 1.0, 0.0],
        [0.7, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [0.0, -1.0, 0.0],
        [2.0, -1.0, 0.0],
    ];
    let triangles = [
        [0, 1, 3],
        [0, 3, 2],
        [0, 5, 4],
        [4, 5, 1],
        [0, 6, 5],
        [5, 7, 1],
    ];
    let mesh = mesh(&points, &triangles);
    for k in 0..200 {
        let x = Vector3::new(
            0.2 + 0.008 * f64::from(k),
            0.05 - 0.0005 * f64::from(k),
            0.1,
        );
        let all = touches(&mesh, &x, 0.2);
        assert_eq!(all.len(), 1, "{x}: {all:?}");
        assert_eq!(
            (all[0].distance, all[0].towards),
            (0.1, -Vector3::z()),
            "{x}"
        );
    }
}

/// The seams of a box: 6 patches, 12 lines, 8 corners; a touch on each has its own name.
#[test]
fn seams_of_a_box() {
    let mesh = Mesh::new(&block([1.0, 1.0, 1.0]), SMOOTH).expect("a box");
    assert_eq!((mesh.counts(), mesh.is_closed()), ([6, 12, 8], true));
    let mut names = Vec::new();
    for x in -1..=1 {
        for y in -1..=1 {
            for z in -1..=1 {
                let at = Vector3::new(f64::from(x), f64::from(y), f64::from(z));
                if at != Vector3::zeros() {
                    let all = touches(&mesh, &(at * 0.7), 1.0);
                    assert_eq!(all.len(), 1);
                    names.push(all[0].feature);
                }
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, (0..26).collect::<Vec<u64>>());
}

/// A tube of facets: its inside and its rims are smooth. The name of the nearest touch stays on a
/// way around it, and the error of the distance is that of the facets.
#[test]
fn a_tube_of_facets() {
    let mut errors = Vec::new();
    for sides in [40_u32, 200] {
        let faces = revolved([[1.0, -1.0], [1.0, 1.0]], sides);
        let mesh = Mesh::new(&faces, SMOOTH).expect("a tube");
        assert_eq!((mesh.counts(), mesh.is_closed()), ([1, 2, 0], false));
        assert_eq!(mesh.solid(), None);
        let mut worst: f64 = 0.0;
        for k in 0..1000 {
            let (c, s) = (
                libm::cos(0.011 * f64::from(k)),
                libm::sin(0.011 * f64::from(k)),
            );
            let inside = touches(&mesh, &(Vector3::new(c, s, 0.1) * 0.8), 0.22);
            let nearest = inside
                .iter()
                .min_by(|a, b| a.distance.total_cmp(&b.distance));
            let nearest = nearest.expect("a touch");
            // Of two that are equal to 1e-4 one has the name.
            let level = nearest.distance * (1.0 + 1e-4);
            let mut named = inside.iter().filter(|place| place.distance <= level);
            assert!(
                named.any(|place| place.feature == 0),
                "{sides}, {k}: {inside:?}"
            );
            assert!(inside.len() <= 3, "{inside:?}");
            worst = worst.max((nearest.distance - 0.2).abs());
            let rim = touches(&mesh, &Vector3::new(c, s, 1.1), 0.15);
            assert_eq!(
                (rim.len(), rim[0].feature & 0xff_ffff),
                (1, rim[0].feature),
                "{rim:?}"
            );
            assert!((1..=2).contains(&rim[0].feature), "{rim:?}");
        }
        errors.push(worst);
        // A ball in the middle is held from all sides, by few touches.
        let all = touches(&mesh, &Vector3::new(0.0, 0.0, 0.2), 1.001);
        let sum: Vector3 = all.iter().map(|place| place.towards).sum();
        assert!((6..60).contains(&all.len()), "{}", all.len());
        assert!(sum.norm() < 0.3 * all.len() as f64, "{sum}");
    }
    // Five times as many facets: error to the square.
    let ratio = errors[0] / errors[1];
    assert!((ratio / 25.0 - 1.0).abs() < 0.15, "{errors:?}");
}

/// Volume, centre and inertia of a displaced and turned box, of either orientation, to rounding.
#[test]
fn the_solid_of_a_box() {
    let q = rotate(IDENTITY, &Vector3::new(0.3, -0.7, 1.1));
    let shift = Vector3::new(3.0, -2.0, 1.0);
    let edges = [0.4, 1.0, 2.5];
    let mut faces = block(edges);
    for x in &mut faces.points {
        *x = (turned(q, &Vector3::from(*x)) + shift).into();
    }
    for flip in [false, true] {
        if flip {
            faces
                .triangles
                .iter_mut()
                .for_each(|corners| corners.swap(1, 2));
        }
        let solid = Mesh::new(&faces, SMOOTH)
            .expect("a box")
            .solid()
            .expect("closed");
        assert!((solid.volume - 1.0).abs() < 1e-14 && (solid.centre - shift).norm() < 1e-14);
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|e| turned(q, &e));
        for a in 0..3 {
            let others = edges[(a + 1) % 3].powi(2) + edges[(a + 2) % 3].powi(2);
            for b in 0..3 {
                let expected = if a == b { others / 12.0 } else { 0.0 };
                let found = axes[a].dot(&(solid.inertia * axes[b]));
                assert!(
                    (found - expected).abs() < 1e-14,
                    "{a}{b}: {found} {expected}"
                );
            }
        }
    }
    // One side turned over: nothing says which side is inside.
    faces.triangles[0].swap(1, 2);
    assert_eq!(Mesh::new(&faces, SMOOTH).expect("a box").solid(), None);
}

/// D5: mass properties of a tetrahedron and of random solids, against formulas of other form.
///
/// The oracle is the covariance of tetrahedra from a point outside, `V/20 (Σ x xᵀ + Σ x Σ xᵀ)` over their corners.
#[test]
fn solids_have_their_mass_properties() {
    let tetrahedron = Faces {
        points: vec![[0.0; 3], [0.6, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.5]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let solid = Mesh::new(&tetrahedron, SMOOTH).unwrap().solid().unwrap();
    assert!((solid.volume - 0.6 * 0.9 * 1.5 / 6.0).abs() < 1e-14);
    assert!((solid.centre - Vector3::new(0.15, 0.225, 0.375)).norm() < 1e-14);
    // Products of inertia about the centre: V/80 times the product of two edges.
    let product = solid.volume * 0.6 * 0.9 / 80.0;
    assert!((solid.inertia[(0, 1)] - product).abs() < 1e-14);
    let moment = solid.volume * 3.0 / 80.0 * (0.81 + 2.25);
    assert!((solid.inertia[(0, 0)] - moment).abs() < 1e-14);

    let mut draw = Stream::new(Purpose::Trial, 3, [0; 3]);
    for _ in 0..20 {
        // A globe with dents and bumps around a random place.
        let mut faces = globe(0.5, 3);
        let (away, wave) = (vector(&mut draw, 1.0), vector(&mut draw, 20.0));
        for point in &mut faces.points {
            let x = Vector3::from(*point);
            *point = (x * (1.0 + 0.4 * libm::sin(wave.dot(&x))) + away).into();
        }
        let solid = Mesh::new(&faces, SMOOTH).unwrap().solid().unwrap();
        let from = away + Vector3::new(1.0, -0.8, 0.6);
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for corners in &faces.triangles {
            let x = corners.map(|k| Vector3::from(faces.points[k as usize]) - from);
            let v = x[0].dot(&x[1].cross(&x[2])) / 6.0;
            let sum = x[0] + x[1] + x[2];
            volume += v;
            first += sum * (v / 4.0);
            let squares: Matrix3 = x.iter().map(|x| x * x.transpose()).sum();
            second += (squares + sum * sum.transpose()) * (v / 20.0);
        }
        let centre = first / volume;
        let about = second - centre * centre.transpose() * volume;
        let inertia = Matrix3::identity() * about.trace() - about;
        let off = (solid.volume - volume).abs() / volume
            + (solid.centre - from - centre).norm()
            + (solid.inertia - inertia).norm() / inertia.norm();
        record(
            "D5",
            "volume, centre, inertia of a random solid, off [1]",
            off,
            0.0,
            1e-12,
        );
    }
}

/// Two blocks cross where their faces do: not apart, not one within the other, not face to face; a mesh leaves a hollow wall or goes
/// behind a plane with its first point.
#[test]
fn surfaces_cross_where_their_faces_do() {
    let still = Vector3::zeros();
    let at = |faces: &Faces, way: [f64; 3], turn: f64| {
        let q = rotate(IDENTITY, &(Vector3::z() * turn));
        surface(faces).placed(&still, &Vector3::from(way), q)
    };
    let (large, small) = (block([1.0, 1.0, 1.0]), block([0.3, 0.2, 0.1]));
    let first = surface(&large);
    // By the distance along x, or y where it is turned; the two touch at 0.35, from within, and at 0.65.
    for (x, crosses) in [
        (0.0, false),
        (0.349, false),
        (0.351, true),
        (0.649, true),
        (0.651, false),
    ] {
        for other in [
            at(&small, [x, 0.03, 0.02], 0.0),
            at(&small, [0.03, x, 0.02], TAU / 4.0),
        ] {
            assert_eq!(first.crosses(&other), crosses, "{x}");
            assert_eq!(other.crosses(&first), crosses, "{x}");
            assert_eq!(first.crossing_work(&other), 12);
        }
    }
    assert!(
        !first.crosses(&at(&large, [1.0, 0.0, 0.0], 0.0)),
        "face to face"
    );
    // Aligned, with common planes.
    for way in [
        [0.5, 0.0, 0.0],
        [0.37, 0.0, 0.0],
        [0.0, 0.0, -0.8],
        [0.5, 0.5, 0.0],
    ] {
        assert!(first.crosses(&at(&large, way, 0.0)), "{way:?}");
    }
    // A lifter on the face of a part, and one beside the other, turned together about an axis at a slant.
    let axis = Vector3::new(0.3, -0.5, 0.8).normalize();
    for k in 0..200 {
        let q = rotate(IDENTITY, &(axis * (TAU * f64::from(k) / 200.0)));
        let centre = Vector3::new(0.2, 0.1, -0.4);
        let part = first.placed(&centre, &still, q);
        for (faces, way) in [(&small, [0.65, 0.1, -0.2]), (&large, [1.0, 0.0, 0.0])] {
            let lifter = surface(&shifted(faces.clone(), way)).placed(&centre, &still, q);
            assert!(!part.crosses(&lifter) && !lifter.crosses(&part), "{k}");
        }
    }
    // An edge that looks out between two corners, and a sheet through a needle.
    assert!(first.crosses(&at(&small, [0.55, 0.55, 0.0], TAU / 8.0)));
    assert!(!first.crosses(&at(&small, [0.63, 0.63, 0.0], TAU / 8.0)));
    let needles = surface(&plate(3000, 4));
    assert!(needles.crosses(&at(&small, [0.31, -0.42, 0.049], 0.3)));
    assert!(!needles.crosses(&at(&small, [0.31, -0.42, 0.051], 0.3)));
    let plane = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, -0.2),
        normal: Vector3::z(),
    });
    let bore = Surface::Bore {
        centre: still,
        axis: Vector3::z(),
        radius: 0.5,
    };
    let pipe = Surface::Cylinder {
        centre: still,
        axis: Vector3::z(),
        radius: 0.5,
        half_length: 1.0,
    };
    for (z, behind) in [(-0.149, false), (-0.151, true)] {
        assert_eq!(plane.crosses(&at(&small, [0.0, 0.0, z], 0.7)), behind);
    }
    // The far corners of the block are at x + 0.15 and y = 0.1.
    let most = (0.25_f64 - 0.01).sqrt() - 0.15;
    for (x, leaves) in [(most - 1e-6, false), (most + 1e-6, true)] {
        assert_eq!(at(&small, [x, 0.0, 0.0], 0.0).crosses(&bore), leaves);
        assert!(
            !at(&small, [x, 0.0, 0.0], 0.0).crosses(&pipe),
            "not looked at"
        );
    }
    assert_eq!(plane.crossing_work(&bore), 0);
    assert_eq!(pipe.crossing_work(&first), 0);
}
