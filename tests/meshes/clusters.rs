//! Clusters of triangles that are left out hold no minimum of the distance.

use super::geometry::{by_search, mesh, touches, vector};
use crate::scene::mesh::SMOOTH;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::mesh::{Faces, Mesh};

/// On fine smooth meshes most triangles are not visited; the touches are those of all of them: a ball inside and outside a closed surface with
/// waves, with corners of all directions, and near its neck.
///
/// On the finer meshes large clusters have narrow cones, too. One mesh has a triangle far away, so that its middle is far from the
/// other triangles, where numbers in single precision are coarser.
#[test]
fn clusters_leave_out_no_minimum() {
    let far = Vector3::new(30.0, -10.0, 2.0);
    let counts = [
        ([40, 50], 80, Vector3::zeros()),
        ([80, 100], 20, Vector3::zeros()),
        ([160, 200], 2, Vector3::zeros()),
        ([80, 100], 10, far),
    ];
    let counts = counts.map(|(of, points, middle)| left_out(of, points, &middle));
    let [all, several] = [0, 1].map(|k| counts.iter().map(|count| count[k]).sum::<usize>());
    assert!(all > 100, "{all} minima");
    assert!(
        several * 10 < all,
        "{several} of {all} minima are not among the touches"
    );
}

/// The numbers of all minima, and of those that are not among the touches, seen from random points.
fn left_out([rows, sides]: [i32; 2], from: usize, middle: &Vector3) -> [usize; 2] {
    let near = 1e-12 * (1.0 + middle.amax());
    let wave =
        |u: f64, v: f64| 1.0 + 0.25 * (3.0 * u).sin() * (2.0 * v).cos() + 0.1 * (9.0 * v).sin();
    let mut points = Vec::new();
    for row in 0..=rows {
        let v = std::f64::consts::PI * (0.08 + 0.84 * f64::from(row) / f64::from(rows));
        for side in 0..sides {
            let u = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
            let r = wave(u, v);
            let x = Vector3::new(v.sin() * u.cos(), v.sin() * u.sin(), v.cos()) * r;
            points.push((x + middle).into());
        }
    }
    let mut triangles = Vec::new();
    for row in 0..rows {
        for side in 0..sides {
            let next = (side + 1) % sides;
            let [a, b] = [row, row + 1].map(|row| (row * sides) as u32);
            let [s, n] = [side as u32, next as u32];
            // Every other triangle is turned about: orientations do not matter.
            triangles.push([a + s, b + s, b + n]);
            triangles.push([a + s, a + n, b + n]);
        }
    }
    if *middle != Vector3::zeros() {
        let first = points.len() as u32;
        points.extend([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        triangles.push([first, first + 1, first + 2]);
    }
    let whole = mesh(&points, &triangles);
    let mut draw = Stream::new(Purpose::Trial, 77, [0; 3]);
    let (mut several, mut all) = (0, 0);
    for _ in 0..from {
        let x = vector(&mut draw, 1.4) + middle;
        let reach = draw.between(0.05, 1.2);
        let found = touches(&whole, &x, reach);
        // The nearest point of all is one of them.
        let nearest = by_search(&whole, &x);
        let first = found
            .iter()
            .map(|place| place.distance)
            .fold(f64::INFINITY, f64::min);
        assert!(
            nearest >= reach || (first - nearest).abs() < near,
            "{first} {nearest}"
        );
        // A search without a reach goes by boxes, not by cones.
        let (distance, towards) = whole.nearest(&x);
        let within = whole.nearest_within(&x, 1.001 * distance);
        assert_eq!(within, Some((distance, towards)));
        let expected = minima_of_all(&points, &triangles, &x, (reach, near));
        for (distance, at) in &expected {
            let there = found.iter().any(|place| {
                (x + place.towards * place.distance - at).norm() < 1e3 * near * (1.0 + distance)
            });
            all += 1;
            if !there {
                // Of several in about the same direction the three nearest count.
                let way = (at - x).normalize();
                let alike = expected.iter().filter(|(nearer, other)| {
                    nearer < distance && (other - x).normalize().angle(&way) < 3.0 * SMOOTH
                });
                assert!(alike.count() >= 3, "a minimum is lost");
                several += 1;
            }
        }
        assert!(found.len() <= expected.len());
    }
    [all, several]
}

/// The local minima of the distance over the points of a fine closed mesh, by its graph of edges and faces: minima in faces, on edges, in
/// corners, each from the closest point of each triangle, which no neighbour beats.
fn minima_of_all(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    x: &Vector3,
    (reach, near): (f64, f64),
) -> Vec<(f64, Vector3)> {
    let corner = |k: u32| Vector3::from(points[k as usize]);
    let closest: Vec<Vector3> = triangles
        .iter()
        .map(|t| by_descent(x, &t.map(corner)))
        .collect();
    let mut around: std::collections::HashMap<u32, Vec<usize>> = std::collections::HashMap::new();
    for (k, t) in triangles.iter().enumerate() {
        t.iter().for_each(|&p| around.entry(p).or_default().push(k));
    }
    let mut found: Vec<(f64, Vector3)> = Vec::new();
    for (k, t) in triangles.iter().enumerate() {
        let (at, distance) = (closest[k], (closest[k] - x).norm());
        // A neighbour that holds the point too has no nearer one.
        let mut neighbours = t.iter().flat_map(|p| &around[p]).filter(|&&other| {
            (by_descent(&at, &triangles[other].map(corner)) - at).norm() < 1e3 * near
        });
        let is_least = neighbours.all(|&other| (closest[other] - x).norm() > distance - near);
        let is_new = !found
            .iter()
            .any(|(_, other)| (other - at).norm() < 1e3 * near);
        if distance < reach && is_least && is_new {
            found.push((distance, at));
        }
    }
    found
}

/// The closest point of a triangle, from its plane or its edges.
fn by_descent(x: &Vector3, corners: &[Vector3; 3]) -> Vector3 {
    let [a, b, c] = corners;
    let n = (b - a).cross(&(c - a)).normalize();
    let foot = x - n * n.dot(&(x - a));
    let is_in = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(p, q)| (*q - *p).cross(&(foot - *p)).dot(&n) >= 0.0);
    if is_in {
        return foot;
    }
    let on_edge = |(p, q): (&Vector3, &Vector3)| {
        let along = q - p;
        p + along * (along.dot(&(x - p)) / along.norm_squared()).clamp(0.0, 1.0)
    };
    let ends = [(a, b), (b, c), (c, a)].map(on_edge);
    let nearer = |p: &&Vector3, q: &&Vector3| (*p - x).norm().total_cmp(&(*q - x).norm());
    *ends.iter().min_by(nearer).unwrap()
}

/// Where edges may turn by more than the cones of clusters, as on a bar whose faces turn by 45, 75 and 60 degrees, no minimum is left out.
#[test]
fn wide_smooth_angles() {
    let normals = [0.0_f64, 45.0, 120.0, 180.0, 225.0, 300.0].map(f64::to_radians);
    // The corner between the faces with these normals, each at the distance 1 from the axis.
    let corner = |k: usize| {
        let (a, b) = (normals[k], normals[(k + 1) % 6]);
        let half = 0.5 * (b - a).rem_euclid(std::f64::consts::TAU);
        let r = 1.0 / half.cos();
        [r * (a + half).cos(), r * (a + half).sin()]
    };
    let rows = 24;
    let mut points = Vec::new();
    for row in 0..=rows {
        points.extend((0..6).map(|k| [corner(k)[0], corner(k)[1], 0.3 * f64::from(row)]));
    }
    let mut triangles = Vec::new();
    for row in 0..rows as u32 {
        for k in 0..6 {
            let [a, b, l] = [6 * row, 6 * row + 6, (k + 1) % 6];
            triangles.push([a + k, b + k, b + l]);
            triangles.push([a + k, b + l, a + l]);
        }
    }
    let bar = Mesh::new(&Faces { points, triangles }, 1.4).expect("a mesh");
    for k in 0..720 {
        let angle = f64::from(k) * std::f64::consts::PI / 360.0;
        let x = Vector3::new(2.5 * angle.cos(), 2.5 * angle.sin(), 3.61);
        let nearest = by_search(&bar, &x);
        let found = touches(&bar, &x, 2.0);
        let first = found.iter().map(|place| place.distance);
        let first = first.fold(f64::INFINITY, f64::min);
        assert!((first - nearest).abs() < 1e-9, "{angle}: {first} {nearest}");
    }
}
