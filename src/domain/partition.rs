//! The cut of the block grid among ranks, by whole blocks.
//!
//! Parts are bricks, or come from repeated halving as in [`balance`](super::balance).

use crate::math::Vector3;
use crate::shape::Shear;
use crate::solver::grid::{Block3, BlockGrid};

/// The block grid and its cut among ranks: owners of points and blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    lower: Vector3,
    upper: Vector3,
    grid: BlockGrid,
    cut: Cut,
}

/// The distribution of blocks.
#[derive(Clone, Debug, PartialEq)]
enum Cut {
    /// Bricks: numbers of ranks on each axis.
    Bricks([usize; 3]),
    /// Halves: of the ranks from `a` to `b`, with `m = (a + b)/2`, those below `m` get the lower
    /// half.
    ///
    /// The lower half consists of the blocks before those of the half `m`.
    Halves(Vec<Half>),
}

/// The boundary between the two halves of the blocks of some ranks.
///
/// Blocks are ordered by their position on one axis, then the next, then the last. So a cut is a
/// plane with a step in it, and each side has its target to within one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// The axes in the order of comparison.
    pub axes: [usize; 3],
    /// Place of the first block of the upper half, on these axes.
    pub first: Block3,
}

impl Half {
    /// For no ranks: an empty lower half.
    pub const NONE: Half = Half {
        axes: [0, 1, 2],
        first: [i32::MIN; 3],
    };

    /// A block's position on the axes in the order of comparison.
    #[must_use]
    #[inline]
    pub fn place(axes: [usize; 3], block: Block3) -> Block3 {
        axes.map(|a| block[a])
    }

    /// Whether a block is in the lower half.
    #[must_use]
    #[inline]
    pub fn is_before(&self, block: Block3) -> bool {
        Self::place(self.axes, block) < self.first
    }
}

impl Partition {
    /// Cuts the grid among `size` ranks.
    ///
    /// The first criterion is the number of ranks with blocks. The second is the fewest cuts across
    /// gravity, where a settled packing would leave the upper ranks idle. The third is the least
    /// area of cuts.
    #[must_use]
    pub fn new(
        lower: Vector3,
        upper: Vector3,
        grid: BlockGrid,
        size: usize,
        gravity: &Vector3,
    ) -> Self {
        let upright = (gravity.norm() > 0.0).then(|| gravity.iamax());
        let count = grid.count().map(|n| n as usize);
        let ranks = rank_grids(size)
            .min_by_key(|ranks| {
                let used = [0, 1, 2].map(|a| ranks[a].min(count[a]));
                let idle = size - used.iter().product::<usize>();
                let area = |a: usize| (used[a] - 1) * count[(a + 1) % 3] * count[(a + 2) % 3];
                let layers = upright.map_or(1, |a| ranks[a]);
                (idle, layers, area(0) + area(1) + area(2), *ranks)
            })
            .unwrap_or([1, 1, 1]);
        Self::with_ranks(lower, upper, grid, ranks)
    }

    /// Cuts the grid among a given number of ranks on each axis.
    #[must_use]
    pub fn with_ranks(lower: Vector3, upper: Vector3, grid: BlockGrid, ranks: [usize; 3]) -> Self {
        Self {
            lower,
            upper,
            grid,
            cut: Cut::Bricks(ranks),
        }
    }

    /// The same domain with its blocks distributed by halving.
    ///
    /// The ranks from `a` to `b` are halved by the entry at `(a + b)/2`. There are as many halves
    /// as ranks; the first is not used.
    #[must_use]
    pub fn with_halves(&self, halves: Vec<Half>) -> Self {
        Self {
            cut: Cut::Halves(halves),
            ..self.clone()
        }
    }

    /// The domain with another upper corner [m], its blocks distributed by the same rule.
    #[must_use]
    pub fn resized(&self, upper: Vector3) -> Self {
        Self {
            upper,
            grid: self.grid.resized(upper),
            ..self.clone()
        }
    }

    /// The domain with images that simple shear moves.
    #[must_use]
    pub fn sheared(&self, shear: Option<Shear>) -> Self {
        Self {
            grid: self.grid.clone().sheared(shear),
            ..self.clone()
        }
    }

    /// The lowest and the highest corner of the domain [m].
    #[must_use]
    pub fn corners(&self) -> [&Vector3; 2] {
        [&self.lower, &self.upper]
    }

    /// The block grid.
    #[must_use]
    pub fn grid(&self) -> &BlockGrid {
        &self.grid
    }

    /// The rank that owns a block.
    #[must_use]
    pub fn owner_of_block(&self, block: Block3) -> usize {
        match &self.cut {
            Cut::Bricks([1, 1, 1]) => 0,
            Cut::Bricks(ranks) => {
                let count = self.grid.count();
                let cut = |a: usize| block[a] as usize * ranks[a] / count[a] as usize;
                (cut(2) * ranks[1] + cut(1)) * ranks[0] + cut(0)
            }
            Cut::Halves(halves) => {
                let (mut first, mut end) = (0, halves.len());
                while end - first > 1 {
                    let middle = (first + end) / 2;
                    if halves[middle].is_before(block) {
                        end = middle;
                    } else {
                        first = middle;
                    }
                }
                first
            }
        }
    }

    /// The rank that owns a point: exactly one, as blocks are half open.
    #[must_use]
    pub fn owner_of_point(&self, x: &Vector3) -> usize {
        if self.cut == Cut::Bricks([1; 3]) {
            return 0;
        }
        self.owner_of_block(self.grid.block_of(x))
    }

    /// The length of the domain's diagonal [m].
    #[must_use]
    pub fn diameter(&self) -> f64 {
        (self.upper - self.lower).norm()
    }

    /// Whether a point lies in the domain, its faces included. On a periodic axis all points do.
    #[must_use]
    pub fn contains(&self, x: &Vector3) -> bool {
        let periodic = |a: usize| self.grid.period().length[a].is_some();
        (0..3).all(|a| periodic(a) || (self.lower[a]..=self.upper[a]).contains(&x[a]))
    }
}

/// All ways to write `size` as a product of three.
fn rank_grids(size: usize) -> impl Iterator<Item = [usize; 3]> {
    let divisors = move |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
    divisors(size).flat_map(move |x| divisors(size / x).map(move |y| [x, y, size / x / y]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks on each axis.
    fn ranks(partition: &Partition) -> [usize; 3] {
        match partition.cut {
            Cut::Bricks(ranks) => ranks,
            Cut::Halves(_) => panic!("no bricks"),
        }
    }

    fn partition(count: [i32; 3], size: usize) -> Partition {
        let upper = Vector3::from(count.map(f64::from));
        let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, [false; 3]);
        Partition::new(Vector3::zeros(), upper, grid, size, &Vector3::zeros())
    }

    #[test]
    fn bricks_use_all_ranks_where_there_are_blocks_enough() {
        assert_eq!(ranks(&partition([4, 4, 4], 8)), [2, 2, 2]);
        assert_eq!(ranks(&partition([10, 2, 2], 4)), [4, 1, 1]);
        assert_eq!(ranks(&partition([2, 2, 9], 3)), [1, 1, 3]);
        assert_eq!(ranks(&partition([6, 6, 1], 6))[2], 1);
        for (count, size) in [
            ([4, 4, 4], 8),
            ([5, 3, 2], 7),
            ([6, 4, 2], 12),
            ([1, 1, 1], 3),
            ([2, 1, 1], 8),
        ] {
            let partition = partition(count, size);
            let mut owned = vec![0; size];
            for x in 0..count[0] {
                for y in 0..count[1] {
                    for z in 0..count[2] {
                        owned[partition.owner_of_block([x, y, z])] += 1;
                    }
                }
            }
            let blocks = count.iter().product::<i32>() as usize;
            let working = owned.iter().filter(|&&n| n > 0).count();
            assert_eq!(owned.iter().sum::<usize>(), blocks);
            if [4, 5, 6].contains(&count[0]) && size != 7 {
                assert_eq!(working, size, "{count:?} on {size}: {owned:?}");
            }
            assert!(working >= 1);
        }
    }

    #[test]
    fn what_settles_is_cut_upright_where_it_can_be() {
        let cut = |count: [i32; 3], size| {
            let upper = Vector3::from(count.map(f64::from));
            let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, [false; 3]);
            let gravity = Vector3::new(0.1, 0.0, -9.81);
            ranks(&Partition::new(
                Vector3::zeros(),
                upper,
                grid,
                size,
                &gravity,
            ))
        };
        assert_eq!(cut([5, 5, 6], 2)[2], 1);
        assert_eq!(cut([4, 4, 40], 8)[2], 1);
        assert_eq!(cut([2, 2, 40], 8), [2, 2, 2], "no rank may be idle");
    }

    /// Validation H5: a centre on a face, edge or corner of eight sub-domains has one owner.
    #[test]
    fn h5_points_on_faces_edges_and_corners_have_one_owner() {
        let partition = partition([4, 4, 4], 8);
        for x in [1.9, 2.0, 2.1] {
            for y in [1.9, 2.0, 2.1] {
                for z in [1.9, 2.0, 2.1] {
                    let upper = [x, y, z].map(|c: f64| usize::from(c >= 2.0));
                    let expected = (upper[2] * 2 + upper[1]) * 2 + upper[0];
                    assert_eq!(partition.owner_of_point(&Vector3::new(x, y, z)), expected);
                }
            }
        }
    }
}
