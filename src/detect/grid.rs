//! The cells of one size group.
//!
//! Cells are as long as the largest buffer box of the group, so bodies of the group, and smaller
//! ones, can only touch those in the same cell and in the cells around it. The bodies of a row of
//! cells along x are stored one after the other, so that neighbouring cells of a row are searched
//! as one range.
//!
//! Where bodies are dense every cell has a bucket. Where cells would far outnumber the bodies they
//! share buckets by a hash: so memory stays proportional to the number of bodies, whatever their
//! extent in space. A shared bucket also contains bodies of other cells, which costs a comparison
//! each.

use crate::math::Vector3;

/// Relative excess of the cell length: larger than rounding errors of positions among [`MOST`]
/// cells.
pub(super) const SLACK: f64 = 1.0 / 65536.0;

/// Largest number of cells along an axis; beyond it cells grow, as rounding would exceed the slack.
const MOST: f64 = (1u64 << 31) as f64;

/// Cells and their buckets.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    lower: Vector3,
    inverse: Vector3,
    /// Number of cells on each axis.
    pub count: [i64; 3],
    /// Periods of axes on which the last cell is a neighbour of the first [m].
    pub closed: [Option<f64>; 3],
    /// Index of the first bucket among those of all groups.
    pub first: usize,
    /// `None`: every cell has its own bucket. Otherwise the number of shared buckets, a power of
    /// two.
    pub hashed: Option<u64>,
}

impl Grid {
    /// Cells of at least `edge` [m] over coordinates from `lower` to `upper`, or over the whole
    /// closed axes.
    ///
    /// They have at most `most` buckets, or else are hashed into about two for each of `bodies`.
    pub(super) fn new(
        [lower, upper]: [Vector3; 2],
        edge: f64,
        closed: [Option<f64>; 3],
        (most, bodies): (usize, usize),
    ) -> Self {
        let edge = edge * (1.0 + SLACK);
        let mut grid = Self {
            lower,
            inverse: Vector3::zeros(),
            count: [1; 3],
            closed,
            first: 0,
            hashed: None,
        };
        for axis in 0..3 {
            let extent = closed[axis].unwrap_or(upper[axis] - lower[axis]);
            let edge = edge.max(extent / MOST);
            let fit = (extent / edge).floor();
            // On a closed axis the cells fill the period exactly.
            let (count, edge) = match closed[axis] {
                Some(length) => (fit.max(1.0), length / fit.max(1.0)),
                None => (fit + 1.0, edge),
            };
            if closed[axis].is_some() {
                grid.lower[axis] = 0.0;
            }
            grid.inverse[axis] = 1.0 / edge;
            grid.count[axis] = count as i64;
        }
        let cells: f64 = grid.count.iter().map(|&n| n as f64).product();
        if cells > most as f64 {
            grid.hashed = Some((2 * bodies).next_power_of_two() as u64);
        }
        grid
    }

    /// The number of buckets.
    pub(super) fn buckets(&self) -> usize {
        match self.hashed {
            Some(buckets) => buckets as usize,
            None => self.count.iter().product::<i64>() as usize,
        }
    }

    /// The cell of coordinates in the frame.
    #[inline]
    pub(super) fn cell_of(&self, u: &Vector3) -> [i64; 3] {
        [0, 1, 2].map(|a| {
            let k = ((u[a] - self.lower[a]) * self.inverse[a]) as i64;
            k.clamp(0, self.count[a] - 1)
        })
    }

    /// The first and the last cell along each axis that a box touches.
    ///
    /// The box has the half edge `reach` [m] about the given coordinates. On open axes the cells
    /// are within the grid, with the first beyond the last for none; on closed axes the count
    /// continues beyond the ends.
    #[inline]
    pub(super) fn around(&self, u: &Vector3, reach: f64) -> [(i64, i64); 3] {
        [0, 1, 2].map(|a| {
            let low = floor((u[a] - self.lower[a] - reach) * self.inverse[a]);
            let high = floor((u[a] - self.lower[a] + reach) * self.inverse[a]);
            if self.closed[a].is_some() {
                // The nearest image of a body is at most one period away.
                (low.max(-self.count[a]), high.min(2 * self.count[a] - 1))
            } else {
                (low.max(0), high.min(self.count[a] - 1))
            }
        })
    }

    /// The approximate number of rows of buckets that such a box touches: the cost of a search
    /// around a body.
    pub(super) fn rows_around(&self, reach: f64) -> f64 {
        let cells =
            [0, 1, 2].map(|a| (2.0 * reach * self.inverse[a] + 1.0).min(self.count[a] as f64));
        let along = if self.hashed.is_some() { cells[0] } else { 1.0 };
        cells[1] * cells[2] * along
    }

    /// The bucket of a cell.
    #[inline]
    pub(super) fn bucket(&self, [x, y, z]: [i64; 3]) -> usize {
        let [nx, ny, _] = self.count;
        let within = match self.hashed {
            None => ((z * ny + y) * nx + x) as usize,
            Some(buckets) => {
                // Odd factors mix the three numbers; the high half of the product mixes the bits.
                let mixed = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
                    ^ (z as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
                let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
                ((mixed >> 32) & (buckets - 1)) as usize
            }
        };
        self.first + within
    }

    /// The cell for a count beyond the ends of an axis, and the offset of its bodies [m].
    ///
    /// `None` if the cell does not exist.
    #[inline]
    pub(super) fn wrapped(&self, axis: usize, k: i64) -> Option<(i64, f64)> {
        let n = self.count[axis];
        if (0..n).contains(&k) {
            return Some((k, 0.0));
        }
        let length = self.closed[axis]?;
        Some((k.rem_euclid(n), k.div_euclid(n) as f64 * length))
    }
}

/// The largest whole number not above v. The target's oldest processors lack an instruction for it.
#[inline]
fn floor(v: f64) -> i64 {
    let k = v as i64;
    k.saturating_sub(i64::from((k as f64) > v))
}
