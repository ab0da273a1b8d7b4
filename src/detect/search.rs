//! The search: who is near whom, group by group.
//!
//! A pair of one group is met from the cell that comes first, in itself and in half of the cells around it. A pair of two
//! groups is met from the smaller body, in the cells of the larger one's group that its reach touches. Near the ends of
//! short periodic axes, and where cells share buckets, a pair may be met more than once; whoever takes the pairs drops
//! these.

use super::grid::{Grid, PARTS, SLACK};
use super::groups::{Groups, LANES, Sorted};
use crate::math::Vector3;
use std::ops::Range;

/// Half of the neighbours of a row of cells along x, along y and z: each pair of rows is met once.
const FORWARD: [[i64; 2]; 4] = [[1, 0], [-1, 1], [0, 1], [1, 1]];

/// A part of the search: bodies of one group, by rows of cells or, where cells share buckets, by buckets.
#[derive(Clone, Debug)]
pub(super) struct Part {
    group: usize,
    range: Range<usize>,
}

/// What a part of the search has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Places of bodies that may be near, the lower first.
    pub pairs: Vec<[u32; 2]>,
    /// How many pairs were looked at.
    pub visited: u64,
}

/// A stretch of bodies in the order of cells, and the way by which they seem moved, in the search's numbers.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: u32,
    to: u32,
    moved: [f32; 3],
}

/// Sorted bodies, to be searched.
pub(super) struct Search<'a> {
    groups: &'a Groups,
    sorted: &'a Sorted,
    /// Positions and radii by place, and the margin [m].
    bodies: (&'a [Vector3], &'a [f64]),
    margin: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        groups: &'a Groups,
        sorted: &'a Sorted,
        bodies: (&'a [Vector3], &'a [f64]),
        margin: f64,
    ) -> Self {
        Self {
            groups,
            sorted,
            bodies,
            margin,
        }
    }

    /// Cuts the search into about `wanted` parts.
    pub(super) fn parts(&self, wanted: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.groups.any {
            return parts;
        }
        let all = self.sorted.len.max(1);
        for (number, group) in self.groups.groups.iter().enumerate() {
            let rows = match group.grid.hashed {
                None => (group.grid.count[1] * group.grid.count[2]) as usize,
                Some(buckets) => buckets as usize,
            };
            let cuts = (wanted * group.bodies).div_ceil(all).clamp(1, rows);
            parts.extend((0..cuts).map(|k| Part {
                group: number,
                range: rows * k / cuts..rows * (k + 1) / cuts,
            }));
        }
        parts
    }

    /// Searches a part.
    pub(super) fn search(&self, part: &Part, found: &mut Found) {
        let grid = &self.groups.groups[part.group].grid;
        let start = |bucket: usize| self.sorted.start[grid.first + bucket] as usize;
        let bodies = match grid.hashed {
            None => {
                for row in part.range.clone() {
                    self.row(grid, row as i64, found);
                }
                let width = grid.count[0] as usize;
                start(part.range.start * width)..start(part.range.end * width)
            }
            Some(_) => {
                let bodies = start(part.range.start)..start(part.range.end);
                for k in bodies.clone() {
                    self.around(k, part.group, part.group, found);
                }
                bodies
            }
        };
        for larger in 0..part.group {
            for k in bodies.clone() {
                self.around(k, part.group, larger, found);
            }
        }
    }

    /// Pairs of one group from the cells of one row along x.
    fn row(&self, grid: &Grid, row: i64, found: &mut Found) {
        let [width, height, _] = grid.count;
        let (y, z) = (row % height, row / height);
        let first = grid.bucket([0, y, z]);
        if self.sorted.start[first] == self.sorted.start[first + width as usize] {
            return;
        }
        let per_length = self.groups.scale.per_length;
        let moved = |ways: [f64; 3]| ways.map(|w| (w * per_length) as f32);
        // Rows ahead, by their first bucket.
        let mut ahead = [(0, [0.0; 3]); FORWARD.len()];
        let mut rows = 0;
        for [dy, dz] in FORWARD {
            if let (Some((y, way_y)), Some((z, way_z))) =
                (grid.wrapped(1, y + dy), grid.wrapped(2, z + dz))
            {
                ahead[rows] = (grid.bucket([0, y, z]), [0.0, way_y, way_z]);
                rows += 1;
            }
        }
        let ahead = &ahead[..rows];
        let start = |first: usize, k: i64| self.sorted.start[first + k as usize];
        let mut stretches: Vec<Stretch> = Vec::with_capacity(32);
        for x in 0..width {
            let (from, to) = (start(first, x), start(first, x + 1));
            if from == to {
                continue;
            }
            stretches.clear();
            let mut add = |from: u32, to: u32, moved: [f32; 3]| {
                if from < to {
                    stretches.push(Stretch { from, to, moved });
                }
            };
            let (low, high) = ((x - PARTS).max(0), (x + PARTS).min(width - 1));
            for (first, ways) in ahead {
                add(start(*first, low), start(*first, high + 1), moved(*ways));
            }
            if grid.closed[0].is_some() {
                let beyond = (x - PARTS..low).chain(high + 1..x + PARTS + 1);
                for (k, way) in beyond.filter_map(|k| Some((k, grid.wrapped(0, k)?))) {
                    let (there, way) = way;
                    for (first, ways) in ahead {
                        let moved = moved([way, ways[1], ways[2]]);
                        add(start(*first, there), start(*first, there + 1), moved);
                    }
                    if k > x {
                        let moved = moved([way, 0.0, 0.0]);
                        add(start(first, there), start(first, there + 1), moved);
                    }
                }
            }
            let end = start(first, high + 1);
            for k in from..to {
                let own = Stretch {
                    from: k + 1,
                    to: end,
                    moved: [0.0; 3],
                };
                self.look(k as usize, &own, found);
                for stretch in &stretches {
                    self.look(k as usize, stretch, found);
                }
            }
        }
    }

    /// Pairs of the body that comes at `k`, of group `own`, with bodies of group `other`.
    fn around(&self, k: usize, own: usize, other: usize, found: &mut Found) {
        let groups = &self.groups.groups;
        let (grid, largest) = (&groups[other].grid, groups[other].largest);
        let place = self.sorted.place[k] as usize;
        let (positions, radii) = self.bodies;
        // Of the boxes as they are, not blurred: in wide space the blur may be many cells.
        let reach = radii[place] + 0.5 * (self.margin + largest);
        if reach < 0.0 {
            return;
        }
        let u = self.groups.frame.relative(&positions[place]);
        let [(x0, x1), (y0, y1), (z0, z1)] = grid.around(&u, reach + SLACK * largest);
        let per_length = self.groups.scale.per_length;
        for z in z0..=z1 {
            for y in y0..=y1 {
                let (Some((row, way_y)), Some((layer, way_z))) =
                    (grid.wrapped(1, y), grid.wrapped(2, z))
                else {
                    continue;
                };
                let mut look = |(from, to): (i64, i64), way_x: f64| {
                    let (first, last) = (
                        grid.bucket([from, row, layer]),
                        grid.bucket([to, row, layer]),
                    );
                    let mut stretch = Stretch {
                        from: self.sorted.start[first],
                        to: self.sorted.start[last + 1],
                        moved: [way_x, way_y, way_z].map(|w| (w * per_length) as f32),
                    };
                    if own == other {
                        stretch.from = stretch.from.max(k as u32 + 1);
                    }
                    if stretch.from < stretch.to {
                        self.look(k, &stretch, found);
                    }
                };
                if grid.hashed.is_none() && x0 >= 0 && x1 < grid.count[0] {
                    if x0 <= x1 {
                        look((x0, x1), 0.0);
                    }
                    continue;
                }
                for x in x0..=x1 {
                    if let Some((x, way)) = grid.wrapped(0, x) {
                        look((x, x), way);
                    }
                }
            }
        }
    }

    /// Looks at a stretch of bodies from the body that comes at `k`. Reads whole lanes: those past the stretch are other
    /// bodies, or nobody, and are left out again.
    #[inline]
    fn look(&self, k: usize, stretch: &Stretch, found: &mut Found) {
        let (from, to) = (stretch.from as usize, stretch.to as usize);
        if from >= to {
            return;
        }
        found.visited += (to - from) as u64;
        let sorted = self.sorted;
        let me = [
            sorted.x[k] - stretch.moved[0],
            sorted.y[k] - stretch.moved[1],
            sorted.z[k] - stretch.moved[2],
        ];
        let half = sorted.half[k];
        let end = from + (to - from).next_multiple_of(LANES);
        let columns = [&sorted.x, &sorted.y, &sorted.z, &sorted.half];
        let [x, y, z, h] = columns.map(|c| &c[from..end]);
        let [x, y, z, h] = [x, y, z, h].map(|c| c.as_chunks::<LANES>().0);
        for (c, (((x, y), z), h)) in x.iter().zip(y).zip(z).zip(h).enumerate() {
            let mut near = [0u8; LANES];
            for lane in 0..LANES {
                let d = [x[lane] - me[0], y[lane] - me[1], z[lane] - me[2]];
                let reach = h[lane] + half;
                let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                // What is too far for its numbers to be compared is left to the narrow phase.
                near[lane] = u8::from(!(square > reach * reach));
            }
            let mut near = u64::from_le_bytes(near);
            while near != 0 {
                let other = from + c * LANES + near.trailing_zeros() as usize / 8;
                near &= near - 1;
                if other < to {
                    let (a, b) = (sorted.place[k], sorted.place[other]);
                    found.pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
    }
}
