//! Edges of a mesh, and the names of its features: smooth patches, lines of sharp edges, corners.

use super::weld::edges_of;
use crate::math::Vector3;

/// The edges of a mesh and the features of its parts.
///
/// Features are numbered: patches first, then lines, then corners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seams {
    /// The edges of each triangle; edge k is from corner k to the next.
    edges: Vec<[u32; 3]>,
    /// The points of each edge, the smaller number first.
    ends: Vec<[u32; 2]>,
    /// The feature of each triangle, edge and point.
    of_triangle: Vec<u32>,
    of_edge: Vec<u32>,
    of_point: Vec<u32>,
    /// The triangles of each edge, and the neighbours of each point.
    sides: Lists,
    fans: Lists,
    /// Whether an edge belongs to one triangle only; whether a point is on such an edge.
    edge_is_open: Vec<bool>,
    point_is_open: Vec<bool>,
    counts: [usize; 3],
}

/// An edge as seen from one triangle: its ends, the triangle, the number of the edge there, and
/// whether the triangle runs along it from the larger end to the smaller.
type Side = ([u32; 2], u32, u8, bool);

impl Seams {
    /// The seams of a mesh, smooth where the cosine of the turn is at least `straight`.
    pub(super) fn new(points: &[Vector3], triangles: &[[u32; 3]], straight: f64) -> Self {
        let normals = triangles.iter().map(|corners| {
            let [a, b, c] = corners.map(|k| points[k as usize]);
            (b - a).cross(&(c - a)).normalize()
        });
        let normals: Vec<Vector3> = normals.collect();
        let sides = sides(triangles);
        let mut edges = vec![[0; 3]; triangles.len()];
        let (mut ends, mut is_sharp, mut edge_is_open) = (Vec::new(), Vec::new(), Vec::new());
        let mut patches = Sets::new(triangles.len());
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            for &(_, triangle, k, _) in same {
                edges[triangle as usize][k as usize] = ends.len() as u32;
            }
            ends.push(same[0].0);
            edge_is_open.push(same.len() == 1);
            let turns = match same {
                [(_, t, _, forth), (_, u, _, back)] => {
                    // Two neighbours with one orientation run along their edge in opposite ways.
                    let sign = if forth == back { -1.0 } else { 1.0 };
                    let along = sign * normals[*t as usize].dot(&normals[*u as usize]);
                    if along >= straight {
                        patches.unite(*t as usize, *u as usize);
                    }
                    along < straight
                }
                _ => true,
            };
            is_sharp.push(turns);
        }
        let mut seams = Self {
            edges,
            of_edge: vec![0; ends.len()],
            ends,
            of_triangle: Vec::new(),
            of_point: vec![u32::MAX; points.len()],
            edge_is_open,
            point_is_open: vec![false; points.len()],
            sides: Lists::of(
                sides.iter().map(|side| side.1),
                sides.chunk_by(|a, b| a.0 == b.0),
            ),
            fans: Lists::default(),
            counts: [0; 3],
        };
        seams.fans = seams.neighbours(points.len());
        (seams.of_triangle, seams.counts[0]) = patches.numbers(0);
        seams.name_edges(points, &is_sharp, straight);
        seams.name_points(triangles, &is_sharp);
        seams
    }

    /// Names edges: by the patch where they are smooth, else by the line of sharp edges.
    fn name_edges(&mut self, points: &[Vector3], is_sharp: &[bool], straight: f64) {
        let sharp: Vec<usize> = (0..self.ends.len()).filter(|&e| is_sharp[e]).collect();
        let mut at_points: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        for (k, &e) in sharp.iter().enumerate() {
            let ends = self.ends[e];
            ends.iter()
                .for_each(|&p| at_points[p as usize].push(k as u32));
            if self.edge_is_open[e] {
                ends.iter()
                    .for_each(|&p| self.point_is_open[p as usize] = true);
            }
        }
        let mut lines = Sets::new(sharp.len());
        let away = |k: u32, from: u32| {
            let [a, b] = self.ends[sharp[k as usize]];
            let other = if a == from { b } else { a };
            (points[other as usize] - points[from as usize]).normalize()
        };
        // The ends of two edges at a point that a line passes smoothly.
        let mut passed = vec![None; points.len()];
        for (p, at) in at_points.iter().enumerate() {
            if let [k, l] = at[..] {
                let bend = -away(k, p as u32).dot(&away(l, p as u32));
                if bend >= straight {
                    lines.unite(k as usize, l as usize);
                    passed[p] = Some(k);
                }
            }
        }
        let (of_line, count) = lines.numbers(self.counts[0] as u32);
        self.counts[1] = count;
        for (k, &e) in sharp.iter().enumerate() {
            self.of_edge[e] = of_line[k];
        }
        for (triangle, edges) in self.edges.iter().enumerate() {
            for &e in edges.iter().filter(|&&e| !is_sharp[e as usize]) {
                self.of_edge[e as usize] = self.of_triangle[triangle];
            }
        }
        for (p, line) in passed.iter().enumerate() {
            if let Some(k) = line {
                self.of_point[p] = of_line[*k as usize];
            }
        }
    }

    /// Names the points that no line passes: by their patch, or as corners.
    fn name_points(&mut self, triangles: &[[u32; 3]], is_sharp: &[bool]) {
        let mut is_corner = vec![false; self.of_point.len()];
        for (ends, _) in self.ends.iter().zip(is_sharp).filter(|(_, sharp)| **sharp) {
            ends.iter().for_each(|&p| is_corner[p as usize] = true);
        }
        for (corners, &patch) in triangles.iter().zip(&self.of_triangle) {
            for &p in corners.iter().filter(|&&p| !is_corner[p as usize]) {
                let feature = &mut self.of_point[p as usize];
                // Two smooth cones that meet in their tips: a point of the first.
                *feature = (*feature).min(patch);
            }
        }
        let first = self.counts[0] + self.counts[1];
        for feature in self.of_point.iter_mut().filter(|f| **f == u32::MAX) {
            *feature = (first + self.counts[2]) as u32;
            self.counts[2] += 1;
        }
    }

    /// The number of features.
    pub(super) fn features(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The numbers of patches, lines and corners.
    pub(super) fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// The edges of a triangle.
    pub(super) fn edges_of(&self, triangle: u32) -> &[u32; 3] {
        &self.edges[triangle as usize]
    }

    /// The feature of a triangle's inside.
    pub(super) fn of_triangle(&self, triangle: u32) -> u32 {
        self.of_triangle[triangle as usize]
    }

    /// The feature of an edge, and whether it belongs to one triangle only.
    pub(super) fn of_edge(&self, edge: u32) -> (u32, bool) {
        (
            self.of_edge[edge as usize],
            self.edge_is_open[edge as usize],
        )
    }

    /// The feature of a point, and whether it is on the border.
    pub(super) fn of_point(&self, point: u32) -> (u32, bool) {
        (
            self.of_point[point as usize],
            self.point_is_open[point as usize],
        )
    }

    /// Whether a point is on smooth edges only.
    pub(super) fn is_smooth(&self, point: u32) -> bool {
        (self.of_point[point as usize] as usize) < self.counts[0]
    }

    /// The triangles of an edge.
    pub(super) fn sides(&self, edge: u32) -> &[u32] {
        self.sides.get(edge)
    }

    /// The points that have an edge with a point.
    pub(super) fn fan(&self, point: u32) -> &[u32] {
        self.fans.get(point)
    }

    /// The neighbours of all points.
    fn neighbours(&self, points: usize) -> Lists {
        let both = self.ends.iter().flat_map(|&[a, b]| [(a, b), (b, a)]);
        let mut both: Vec<(u32, u32)> = both.collect();
        both.sort_unstable();
        // Each point of a mesh has an edge.
        let lists = both.chunk_by(|a, b| a.0 == b.0);
        debug_assert_eq!(lists.clone().count(), points);
        Lists::of(both.iter().map(|pair| pair.1), lists)
    }

    /// The points of all edges.
    pub(super) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The points of sharp edges.
    pub(super) fn sharp_edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let first = self.counts[0] as u32;
        let edges = self.ends.iter().zip(&self.of_edge);
        edges
            .filter(move |(_, of)| **of >= first)
            .map(|(ends, _)| *ends)
    }
}

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Lists {
    /// The lists with these members, as long as these slices.
    fn of<'s, T: 's>(
        members: impl Iterator<Item = u32>,
        lengths: impl Iterator<Item = &'s [T]>,
    ) -> Self {
        let mut starts = vec![0];
        starts.extend(lengths.scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Self {
            starts,
            members: members.collect(),
        }
    }

    fn get(&self, list: u32) -> &[u32] {
        let [from, to] = [list, list + 1].map(|k| self.starts[k as usize] as usize);
        &self.members[from..to]
    }
}

/// The edges of all triangles, in the order of their ends.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
    for (number, corners) in triangles.iter().enumerate() {
        for (k, (ends, back)) in (0..).zip(edges_of(corners)) {
            sides.push((ends, number as u32, k, back));
        }
    }
    sides.sort_unstable();
    sides
}

/// Disjoint sets of numbers.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut k: usize) -> usize {
        while self.0[k] as usize != k {
            self.0[k] = self.0[self.0[k] as usize];
            k = self.0[k] as usize;
        }
        k
    }

    /// Makes one set of those of two numbers; its root is the smallest.
    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b) as u32;
    }

    /// Numbers for the sets from `first` on, in the order of their first members; and the number
    /// of sets.
    fn numbers(mut self, first: u32) -> (Vec<u32>, usize) {
        let mut of = vec![0; self.0.len()];
        let mut count = 0;
        for k in 0..of.len() {
            let root = self.root(k);
            of[k] = if root == k {
                count += 1;
                first + count as u32 - 1
            } else {
                of[root]
            };
        }
        (of, count)
    }
}
