//! Repair: points that differ by rounding become one, triangles without an area are left out.

use super::faces::{Faces, Repair};
use crate::math::Vector3;
use std::collections::{HashMap, HashSet};

/// Relative rounding of the points of a file: two units of single precision, which STL has.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// Cells of the search for close points, in units of the closeness.
const CELL: f64 = 64.0;

/// The distance below which two points of these are one [m].
pub(super) fn closeness(points: &[[f64; 3]]) -> f64 {
    let coordinates = points.iter().flatten();
    ROUNDING * coordinates.fold(0.0, |most: f64, c| most.max(c.abs()))
}

/// A mesh with its points and triangles each once, without those that have no area.
#[derive(Debug)]
pub(super) struct Welded {
    pub points: Vec<Vector3>,
    pub triangles: Vec<[u32; 3]>,
    pub repair: Repair,
    /// Whether each edge belongs to two triangles or more.
    ///
    /// Those between three points of a line count, too, though they are left out: such a triangle
    /// closes the gap between an edge and its two halves. One that closes nothing does not count.
    pub is_closed: bool,
    /// Whether neighbours, those included, run along their edge in opposite ways.
    pub is_oriented: bool,
}

/// The mesh of these faces; points at most `close` [m] apart are one.
///
/// A point is that of the smallest number among those close to it.
pub(super) fn welded(faces: &Faces, close: f64) -> Welded {
    let (first, welded) = united(&faces.points, close);
    let mut repair = Repair {
        welded,
        ..Repair::default()
    };
    let point = |k: u32| Vector3::from(faces.points[k as usize]);
    let mut number = vec![u32::MAX; faces.points.len()];
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut known = HashSet::with_capacity(faces.triangles.len());
    let mut edges = Vec::with_capacity(3 * faces.triangles.len());
    let mut flats = Vec::new();
    for corners in &faces.triangles {
        let corners = corners.map(|k| first[k as usize]);
        let is_flat = is_flat(&corners.map(point), close);
        let mut sorted = corners;
        sorted.sort_unstable();
        let has_three = sorted[0] != sorted[1] && sorted[1] != sorted[2];
        let is_new = has_three && known.insert(sorted);
        if is_flat {
            repair.flat += 1;
            flats.extend(is_new.then_some(corners));
            continue;
        }
        if !is_new {
            repair.doubled += 1;
            continue;
        }
        edges.extend(edges_of(&corners));
        triangles.push(corners.map(|k| {
            let number = &mut number[k as usize];
            if *number == u32::MAX {
                *number = points.len() as u32;
                points.push(point(k));
            }
            *number
        }));
    }
    edges.sort_unstable();
    edges.extend(closing(&flats, &edges).iter().flat_map(edges_of));
    edges.sort_unstable();
    let sides = || edges.chunk_by(|a, b| a.0 == b.0);
    Welded {
        points,
        triangles,
        repair,
        is_closed: sides().all(|same| same.len() > 1),
        is_oriented: sides().all(|same| match same {
            [(_, forth), (_, back)] => forth != back,
            _ => true,
        }),
    }
}

/// The triangles without an area that share each of their edges with another triangle.
///
/// `edges` are those of the triangles with an area, in order. Without one triangle, the next may
/// have an edge alone.
fn closing(flats: &[[u32; 3]], edges: &[([u32; 2], bool)]) -> Vec<[u32; 3]> {
    let own = |number: usize| edges_of(&flats[number]).map(|(edge, _)| edge);
    // Of the triangles at an edge their count, and the exclusive or of their numbers: of one its
    // number.
    let mut around: HashMap<[u32; 2], (usize, usize)> = HashMap::new();
    for number in 0..flats.len() {
        for edge in own(number) {
            let (count, numbers) = around.entry(edge).or_default();
            (*count, *numbers) = (*count + 1, *numbers ^ number);
        }
    }
    let has_area = |edge: &[u32; 2]| {
        let from = edges.partition_point(|(other, _)| other < edge);
        edges.get(from).is_some_and(|(other, _)| other == edge)
    };
    let mut stays = vec![true; flats.len()];
    let mut due: Vec<usize> = (0..flats.len()).collect();
    while let Some(number) = due.pop() {
        let is_alone = |edge: &[u32; 2]| around[edge].0 == 1 && !has_area(edge);
        if !stays[number] || !own(number).iter().any(is_alone) {
            continue;
        }
        stays[number] = false;
        for edge in own(number) {
            let (count, numbers) = around.entry(edge).or_default();
            (*count, *numbers) = (*count - 1, *numbers ^ number);
            due.extend((*count == 1).then_some(*numbers));
        }
    }
    let all = flats.iter().zip(stays);
    all.filter(|(_, stays)| *stays)
        .map(|(flat, _)| *flat)
        .collect()
}

/// The edges of a triangle, the smaller end first, and whether it runs along them from the larger.
pub(super) fn edges_of(corners: &[u32; 3]) -> [([u32; 2], bool); 3] {
    [0, 1, 2].map(|k| {
        let [a, b] = [corners[k], corners[(k + 1) % 3]];
        ([a.min(b), a.max(b)], a > b)
    })
}

/// Whether a triangle has a height below the closeness.
fn is_flat([a, b, c]: &[Vector3; 3], close: f64) -> bool {
    let sides = [(b - a).norm(), (c - b).norm(), (a - c).norm()];
    let longest = sides.iter().copied().fold(0.0, f64::max);
    (b - a).cross(&(c - a)).norm() <= close * longest
}

/// For each point the number of the first that is close to it; and the number of points united.
fn united(points: &[[f64; 3]], close: f64) -> (Vec<u32>, usize) {
    // Equal points first: most of those of an STL file are.
    let mut equal: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len() / 4);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let size = CELL * close;
    let mut welded = 0;
    let mut first = Vec::with_capacity(points.len());
    for (k, x) in points.iter().enumerate() {
        // Zero has two signs.
        let bits = x.map(|c| (c + 0.0).to_bits());
        if let Some(&other) = equal.get(&bits) {
            first.push(other);
            welded += 1;
            continue;
        }
        let number = if close > 0.0 {
            near(points, &cells, x, (size, close))
        } else {
            None
        };
        let number = number.inspect(|_| welded += 1).unwrap_or_else(|| {
            if close > 0.0 {
                let cell = x.map(|c| (c / size).floor() as i64);
                cells.entry(cell).or_default().push(k as u32);
            }
            k as u32
        });
        equal.insert(bits, number);
        first.push(number);
    }
    (first, welded)
}

/// The first of the points in these cells that is close to `x`.
fn near(
    points: &[[f64; 3]],
    cells: &HashMap<[i64; 3], Vec<u32>>,
    x: &[f64; 3],
    (size, close): (f64, f64),
) -> Option<u32> {
    let cell = |c: f64| (c / size).floor() as i64;
    let [xs, ys, zs] = x.map(|c| cell(c - close)..=cell(c + close));
    let mut found: Option<u32> = None;
    for i in xs {
        for j in ys.clone() {
            for k in zs.clone() {
                let others = cells.get(&[i, j, k]).into_iter().flatten();
                let is_close = |&&other: &&u32| {
                    (Vector3::from(points[other as usize]) - Vector3::from(*x)).norm() <= close
                };
                let least = others.filter(is_close).min().copied();
                found = found.into_iter().chain(least).min();
            }
        }
    }
    found
}
