//! Bodies in the order of the search: by size group, within a group by cell.
//!
//! Size groups as in [003]: with the buffer box of a body `d = 2 r + margin`, group `n` holds the
//! boxes up to `d(n) = d_max α^(n−1)` and above `d(n+1)`. So every body belongs to one group, and a
//! mixture of sizes from `d_min` to `d_max` has `1 + ⌊ln(d_min/d_max) / ln α⌋` groups, less the
//! empty ones. [003] demands in its fourth step `|x_t − x_c| < max(d_t + d_c)`; read here as the
//! half sum `(d_t + d_c)/2 = r_t + r_c + margin`, at which the gap equals the margin. A bound by
//! the larger of the two boxes would be correct as well, and yield more pairs.

use super::frame::{Frame, is_placed};
use super::grid::Grid;
use super::tiles::Tiles;
use crate::math::Vector3;
use crate::shape::Period;

/// The largest number of groups. With `α = 1/2` the last one holds all bodies below 1e-9 of the
/// largest.
pub(super) const MOST_GROUPS: usize = 32;

/// Bodies that the search compares at once.
pub(super) const LANES: usize = 4;

/// The bucket of a body without a cell.
const NOWHERE: u32 = u32::MAX;

/// The data of some bodies for the search, one cache line: coordinates (x, y, z) and half buffer
/// boxes.
///
/// Coordinates are relative to the frame's corner; a half buffer box is `r + margin/2` plus half
/// the blur.
pub(super) type Lanes = [[f32; LANES]; 4];

/// Bodies in the order of their cells.
///
/// Positions are in units of the largest buffer box and in single precision: they only have to show
/// which bodies may be close, and [`Scale::blur`] bounds their errors.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// The data for the search.
    pub lanes: Vec<Lanes>,
    /// Indices in the rank's arrays.
    pub place: Vec<u32>,
    /// Start of the bodies of each bucket; two numbers more than buckets, one of them for counting.
    pub start: Vec<u32>,
    /// Number of bodies.
    pub len: usize,
    /// Bucket of each body by index, while they are sorted.
    bucket: Vec<u32>,
}

/// One size group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Number of its bodies.
    pub bodies: usize,
    /// Its largest buffer box [m].
    pub largest: f64,
    /// The box around its bodies' centres.
    around: [Vector3; 2],
    /// Its cells.
    pub grid: Grid,
    /// The groups in whose cells its bodies search for partners.
    pub asks: Vec<usize>,
}

/// The conversion of coordinates in metres to the search's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Inverse of the largest buffer box [1/m].
    pub per_length: f64,
    /// Bound on the error of a distance between two of the search's positions.
    pub blur: f64,
}

impl Scale {
    /// A coordinate [m] as the search's number.
    #[inline]
    pub(super) fn of(&self, way: f64) -> f32 {
        (way * self.per_length) as f32
    }
}

/// The size group, from 0, of a buffer box `d` with the largest box `largest` [m]:
/// `⌊log₂(largest/d)⌋`.
#[inline]
pub(super) fn group_of(d: f64, largest: f64) -> usize {
    if d <= 0.0 {
        return MOST_GROUPS - 1;
    }
    // The exponent of a number of at least 1 is its logarithm rounded down.
    let exponent = ((largest / d).to_bits() >> 52) & 0x7ff;
    (exponent as usize)
        .saturating_sub(1023)
        .min(MOST_GROUPS - 1)
}

/// Decides for each two groups which of them searches the cells of the other.
///
/// Either the few large bodies search many cells each, or the many small ones search few cells.
/// Each searching body has a fixed cost as well.
fn ask(groups: &mut [Group]) {
    for small in 0..groups.len() {
        if groups[small].grid.hashed.is_some() {
            groups[small].asks.push(small);
        }
        for large in 0..small {
            let reach = 0.5 * (groups[small].largest + groups[large].largest);
            let cost = |from: usize, to: usize| {
                groups[from].bodies as f64 * (3.0 + groups[to].grid.rows_around(reach))
            };
            if cost(large, small) < cost(small, large) {
                groups[large].asks.push(small);
            } else {
                groups[small].asks.push(large);
            }
        }
    }
}

/// Bodies, their frame and their groups, in descending order of boxes.
#[derive(Debug)]
pub(super) struct Groups {
    pub frame: Frame,
    pub groups: Vec<Group>,
    pub scale: Scale,
    /// Whether any two bodies can be close at all.
    pub any: bool,
}

impl Groups {
    /// Sorts bodies into groups and cells, and into `tiles` if requested.
    pub(super) fn new(
        (positions, radii): (&[Vector3], &[f64]),
        margin: f64,
        period: &Period,
        sorted: &mut Sorted,
        tiles: Option<&mut Tiles>,
    ) -> Self {
        let bodies = || positions.iter().zip(radii);
        let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (_, &r) in bodies().filter(|(x, r)| is_placed(x, **r)) {
            (least, largest) = (least.min(r), largest.max(r));
        }
        let boxed = |r: f64| 2.0 * r + margin;
        let (least, largest) = (boxed(least), boxed(largest));
        let any = largest > 0.0;
        // Without extent no pairs exist, but walls may still need the bodies in some order.
        let largest = if any { largest } else { 1.0 };
        let alike = group_of(least, largest) == 0;
        let group = |r: f64| {
            if alike {
                0
            } else {
                group_of(boxed(r), largest)
            }
        };

        let frame = Frame::new(positions, period, largest);
        let everywhere = Vector3::repeat(f64::INFINITY);
        let none = Group {
            bodies: 0,
            largest: 0.0,
            around: [everywhere, -everywhere],
            grid: Grid::new([Vector3::zeros(); 2], 1.0, [None; 3], (1, 1)),
            asks: Vec::new(),
        };
        let mut groups = vec![none; if alike { 1 } else { MOST_GROUPS }];
        for (x, &r) in bodies().filter(|(x, r)| is_placed(x, **r)) {
            let (u, group) = (frame.relative(x), &mut groups[group(r)]);
            group.bodies += 1;
            group.largest = group.largest.max(boxed(r));
            group.around = [group.around[0].inf(&u), group.around[1].sup(&u)];
        }
        // Empty groups are removed; the others are renumbered.
        let mut number = [0; MOST_GROUPS];
        let mut kept = 0;
        for (group, number) in groups.iter().zip(&mut number) {
            *number = kept;
            kept += usize::from(group.bodies > 0);
        }
        groups.retain(|group| group.bodies > 0);
        let group = |r: f64| number[group(r)];

        // Cells may outnumber a group's bodies, but not by much those of all groups: bodies bound
        // the buckets.
        let shared = 4 * positions.len() / kept.max(1) + 64;
        let smallest = largest * libm::exp2(-(MOST_GROUPS as f64));
        let (mut first, mut extent) = (0, 0.0_f64);
        for group in &mut groups {
            let room = (16 * group.bodies + shared, group.bodies);
            let edge = group.largest.max(smallest);
            group.grid = Grid::new(group.around, edge, frame.closed, room);
            group.grid.first = first;
            first += group.grid.buckets();
            let periods = frame.closed.iter().flatten().copied();
            extent = periods.fold(extent.max(group.around[1].max()), f64::max);
        }
        ask(&mut groups);
        let per_length = 1.0 / largest;
        let scale = Scale {
            per_length,
            // Each of three coordinates has rounding errors at 24 bits of two positions and a
            // period.
            blur: extent * per_length * 8.0 / f64::from(1 << 24),
        };
        let this = Self {
            frame,
            groups,
            scale,
            any,
        };
        this.sort((positions, radii), group, first, sorted);
        this.copy((positions, radii), margin, sorted, tiles);
        this
    }

    /// Counts the bodies of each bucket and computes the starts of the buckets.
    fn sort(
        &self,
        (positions, radii): (&[Vector3], &[f64]),
        group: impl Fn(f64) -> usize,
        buckets: usize,
        sorted: &mut Sorted,
    ) {
        let Sorted { start, bucket, .. } = sorted;
        start.clear();
        start.resize(buckets + 2, 0);
        bucket.clear();
        bucket.extend(positions.iter().zip(radii).map(|(x, &r)| {
            if !is_placed(x, r) {
                return NOWHERE;
            }
            let grid = &self.groups[group(r)].grid;
            let bucket = grid.bucket(grid.cell_of(&self.frame.relative(x)));
            // The index is shifted by two: after the sums the next entry holds the start of this
            // bucket, and after all bodies are placed, its end.
            start[bucket + 2] += 1;
            bucket as u32
        }));
        let mut sum = 0;
        for entry in start.iter_mut() {
            sum += *entry;
            *entry = sum;
        }
        sorted.len = sum as usize;
    }

    /// Copies the data for the search in the order of the buckets.
    fn copy(
        &self,
        (positions, radii): (&[Vector3], &[f64]),
        margin: f64,
        sorted: &mut Sorted,
        mut tiles: Option<&mut Tiles>,
    ) {
        let Scale { per_length, blur } = self.scale;
        // The lanes past the last body are at infinity, and close to no body.
        let nobody = [[f32::INFINITY; LANES]; 4];
        sorted.lanes.resize(sorted.len.div_ceil(LANES), nobody);
        sorted.place.resize(sorted.len, 0);
        if let Some(tiles) = &mut tiles {
            tiles.clear(sorted.len);
        }
        let Sorted {
            lanes,
            place,
            start,
            bucket,
            ..
        } = sorted;
        for (i, (position, &r)) in positions.iter().zip(radii).enumerate() {
            let bucket = bucket[i];
            if bucket == NOWHERE {
                continue;
            }
            let next = &mut start[bucket as usize + 1];
            let k = *next as usize;
            *next += 1;
            let u = self.frame.relative(position) * per_length;
            let half = (r + 0.5 * margin) * per_length * (1.0 + 4e-6) + 0.5 * blur;
            let columns = &mut lanes[k / LANES];
            for (column, value) in columns.iter_mut().zip([u.x, u.y, u.z, half]) {
                column[k % LANES] = value as f32;
            }
            place[k] = i as u32;
            if let Some(tiles) = &mut tiles {
                tiles.add(k, position, r);
            }
        }
    }
}
