//! The search for pairs of close bodies, group by group.
//!
//! A pair within one group is found from its first cell, which is compared with itself and with
//! half of its neighbours. A pair of two groups is found from one of the bodies, in the cells of
//! the other's group within its reach: from the group for which this compares fewer cells. Close to
//! the ends of short periodic axes, and where cells share buckets, a pair may be found more than
//! once; the consumer of the pairs drops the repetitions.
//!
//! Within a group, four consecutive bodies of a row are compared at once. They may be far apart
//! where a row is sparse, but rows have at most a few cells for each body, and no two blocks of
//! four span the same cells: so the number of comparisons stays proportional to the bodies.

use super::grid::{Grid, SLACK};
use super::groups::{Group, Groups, LANES, Sorted};
use crate::math::Vector3;
use std::ops::Range;
use wide::f32x4;

/// All lanes.
const ALL: u32 = (1 << LANES) - 1;

/// Masks over pairs of lanes of two blocks: all pairs; the first lane of the other block for each
/// lane; the later lanes of the same block.
const ROWS: u32 = (1 << (LANES * LANES)) - 1;
const EACH: u32 = 0x1111;
const LATER: u32 = 0x08ce;

/// Half of the neighbours of a row of cells along x, in y and z: each pair of rows is visited once.
const FORWARD: [[i64; 2]; 4] = [[1, 0], [-1, 1], [0, 1], [1, 1]];

/// A part of the search: bodies of one group, by rows of cells or, with shared buckets, by buckets.
#[derive(Clone, Debug)]
pub(super) struct Part {
    group: usize,
    range: Range<usize>,
}

/// The result of a part of the search.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Indices of bodies that may be close, the lower first.
    pub pairs: Vec<[u32; 2]>,
    /// The number of pairs that were compared.
    pub visited: u64,
}

/// Bodies in neighbouring lanes, from which the search compares.
#[derive(Clone)]
struct Own {
    block: usize,
    lanes: Range<usize>,
    /// The data of each in all lanes: its position and half box.
    bodies: [[f32x4; 4]; LANES],
}

/// The sorted bodies to be searched.
pub(super) struct Search<'a> {
    groups: &'a Groups,
    sorted: &'a Sorted,
    /// Positions and radii by index, and the margin [m].
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

    /// Splits the search into about `wanted` parts.
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
        let Group { grid, asks, .. } = &self.groups.groups[part.group];
        let width = match grid.hashed {
            None => grid.count[0] as usize,
            Some(_) => 1,
        };
        if grid.hashed.is_none() {
            for row in part.range.clone() {
                self.row(grid, row as i64, found);
            }
        }
        let start = |row: usize| self.sorted.start[grid.first + row * width] as usize;
        for k in start(part.range.start)..start(part.range.end) {
            for &other in asks {
                self.around(k, part.group, other, found);
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
        // The rows to be compared, by their first bucket.
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
        let (begin, end) = (start(first, 0) as usize, start(first, width) as usize);
        let mut x = 0;
        for block in begin / LANES..end.div_ceil(LANES) {
            // The bodies of this block in this row, and the cells that they span.
            let from = begin.max(block * LANES);
            let to = end.min((block + 1) * LANES);
            let cell_of = |k: usize, mut x: i64| {
                while start(first, x + 1) as usize <= k {
                    x += 1;
                }
                x
            };
            let low = cell_of(from, x);
            let high = cell_of(to - 1, low);
            x = high;
            let own = self.own(&(from..to));
            let (before, after) = ((low - 1).max(0), (high + 1).min(width - 1));
            // In the same row only later bodies are compared.
            let later = from as u32..start(first, after + 1);
            self.compare(&own, &later, true, found);
            for (first, ways) in ahead {
                let stretch = start(*first, before)..start(*first, after + 1);
                self.compare_moved(&own, &stretch, ways, found);
            }
            if grid.closed[0].is_none() {
                continue;
            }
            let beyond = (low - 1..0).chain(width..=high + 1);
            for (k, (x, way)) in beyond.filter_map(|k| Some((k, grid.wrapped(0, k)?))) {
                let own_row = (k > high).then_some((first, [0.0; 3]));
                for (first, [_, y, z]) in ahead.iter().copied().chain(own_row) {
                    let stretch = start(first, x)..start(first, x + 1);
                    self.compare_moved(&own, &stretch, &[way, y, z], found);
                }
            }
        }
    }

    /// As [`Search::compare`], with a range of bodies displaced by `way` [m].
    #[inline]
    fn compare_moved(&self, own: &Own, stretch: &Range<u32>, way: &[f64; 3], found: &mut Found) {
        if *way == [0.0; 3] {
            return self.compare(own, stretch, false, found);
        }
        let mut own = own.clone();
        for body in &mut own.bodies {
            for (c, way) in way.iter().enumerate() {
                body[c] -= f32x4::splat(self.groups.scale.of(*way));
            }
        }
        self.compare(&own, stretch, false, found);
    }

    /// Compares a range of bodies with those of a block, all lanes with each other at once.
    ///
    /// The range may begin in the block itself; then each body is compared with those after it.
    #[inline]
    fn compare(&self, own: &Own, stretch: &Range<u32>, itself: bool, found: &mut Found) {
        let (from, to) = (stretch.start as usize, stretch.end as usize);
        if from >= to {
            return;
        }
        found.visited += (own.lanes.len() * (to - from)) as u64;
        // Sixteen bits: for each body of this block four of the other.
        let rows =
            (ROWS << (LANES * own.lanes.start)) & (ROWS >> (LANES * (LANES - own.lanes.end)));
        let (first, last) = (from / LANES, (to - 1) / LANES);
        let mut wanted = rows & (EACH * ((ALL << (from % LANES)) & ALL));
        if itself {
            wanted &= LATER;
        }
        for (c, lanes) in self.sorted.lanes[first..=last].iter().enumerate() {
            let [ox, oy, oz, reach] = lanes.map(f32x4::from);
            let mut far = 0;
            for (l, [x, y, z, half]) in own.bodies.iter().enumerate() {
                let (dx, dy, dz, reach) = (ox - *x, oy - *y, oz - *z, reach + *half);
                let beyond = (dx * dx + dy * dy + dz * dz).simd_gt(reach * reach);
                far |= beyond.to_bitmask() << (LANES * l);
            }
            // A body too far away for a comparison of its numbers is left to the narrow phase.
            let mut near = !far & wanted;
            wanted = rows;
            if first + c == last {
                near &= EACH * (ALL >> (LANES - 1 - (to - 1) % LANES));
            }
            while near != 0 {
                let bit = near.trailing_zeros() as usize;
                near &= near - 1;
                let k = own.block * LANES + bit / LANES;
                self.push(k, (first + c) * LANES + bit % LANES, found);
            }
        }
    }

    /// Records the pair of two bodies, given by their positions in the order of cells.
    #[inline]
    fn push(&self, k: usize, other: usize, found: &mut Found) {
        let (a, b) = (self.sorted.place[k], self.sorted.place[other]);
        // Across a short period a body finds itself.
        if a != b {
            found.pairs.push([a.min(b), a.max(b)]);
        }
    }

    /// Pairs of body `k` in the order of cells, of group `own`, with bodies of group `other`.
    fn around(&self, k: usize, own: usize, other: usize, found: &mut Found) {
        let Group { grid, largest, .. } = &self.groups.groups[other];
        let place = self.sorted.place[k] as usize;
        let (position, radius) = (&self.bodies.0[place], self.bodies.1[place]);
        // With the exact boxes, not the blurred ones: in a wide space the blur may be many cells.
        let reach = radius + 0.5 * (self.margin + largest);
        if reach < 0.0 {
            return;
        }
        let u = self.groups.frame.relative(position);
        let [(x0, x1), (y0, y1), (z0, z1)] = grid.around(&u, reach + SLACK * largest);
        let me = self.seen_from(k);
        // In the same group only later bodies are compared.
        let next = if own == other { k as u32 + 1 } else { 0 };
        let mut look = |first: usize, last: usize, way: [f64; 3]| {
            let stretch = self.sorted.start[first].max(next)..self.sorted.start[last + 1];
            if stretch.start < stretch.end {
                self.look(k, &me, &stretch, way, found);
            }
        };
        let inside = |a: usize, (low, high): (i64, i64)| low >= 0 && high < grid.count[a];
        if grid.hashed.is_none()
            && inside(0, (x0, x1))
            && inside(1, (y0, y1))
            && inside(2, (z0, z1))
        {
            if x0 > x1 {
                return;
            }
            let along = (x1 - x0) as usize;
            for z in z0..=z1 {
                for y in y0..=y1 {
                    let first = grid.bucket([x0, y, z]);
                    look(first, first + along, [0.0; 3]);
                }
            }
            return;
        }
        // Across the ends of closed axes, or with shared buckets: cell by cell.
        for (z, way_z) in (z0..=z1).filter_map(|z| grid.wrapped(2, z)) {
            for (y, way_y) in (y0..=y1).filter_map(|y| grid.wrapped(1, y)) {
                for (x, way_x) in (x0..=x1).filter_map(|x| grid.wrapped(0, x)) {
                    let bucket = grid.bucket([x, y, z]);
                    look(bucket, bucket, [way_x, way_y, way_z]);
                }
            }
        }
    }

    /// The position and half box of body `k` in the order of cells, in all lanes.
    #[inline]
    fn seen_from(&self, k: usize) -> [f32x4; 4] {
        self.sorted.lanes[k / LANES].map(|column| f32x4::splat(column[k % LANES]))
    }

    /// Compares a range of bodies, displaced by a vector [m], with body `k` in the order of cells.
    #[inline]
    fn look(
        &self,
        k: usize,
        me: &[f32x4; 4],
        stretch: &Range<u32>,
        way: [f64; 3],
        found: &mut Found,
    ) {
        let (from, to) = (stretch.start as usize, stretch.end as usize);
        found.visited += (to - from) as u64;
        let [mut x, mut y, mut z, half] = *me;
        if way != [0.0; 3] {
            let moved = way.map(|way| f32x4::splat(self.groups.scale.of(way)));
            (x, y, z) = (x - moved[0], y - moved[1], z - moved[2]);
        }
        let (first, last) = (from / LANES, (to - 1) / LANES);
        let mut wanted = (ALL << (from % LANES)) & ALL;
        for (c, lanes) in self.sorted.lanes[first..=last].iter().enumerate() {
            let [dx, dy, dz, reach] = lanes.map(f32x4::from);
            let (dx, dy, dz, reach) = (dx - x, dy - y, dz - z, reach + half);
            let far = (dx * dx + dy * dy + dz * dz).simd_gt(reach * reach);
            let mut near = !far.to_bitmask() & wanted;
            if first + c == last {
                near &= ALL >> (LANES - 1 - (to - 1) % LANES);
            }
            wanted = ALL;
            while near != 0 {
                let other = (first + c) * LANES + near.trailing_zeros() as usize;
                near &= near - 1;
                self.push(k, other, found);
            }
        }
    }

    /// Consecutive bodies of one block.
    #[inline]
    fn own(&self, bodies: &Range<usize>) -> Own {
        let block = bodies.start / LANES;
        let lanes = &self.sorted.lanes[block];
        Own {
            block,
            lanes: bodies.start % LANES..(bodies.end - 1) % LANES + 1,
            bodies: std::array::from_fn(|l| lanes.map(|column| f32x4::splat(column[l]))),
        }
    }
}
