//! The grid of blocks: cells of the domain for binning contacts, their colours, and the tour of the
//! colours.
//!
//! A block's edge is longer than any body's box. So a body's contacts lie in at most 2×2×2
//! neighbouring blocks, all of different parity: blocks of one parity share no body.

use crate::math::{Vector3, floor};
use crate::rng::{Purpose, Stream};
use crate::shape::{Period, Shear};

/// Indices of a block in the grid.
pub type Block3 = [i32; 3];

/// The parity of a block on the three axes, one bit each: its colour, 0 to 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parity(pub u8);

impl Parity {
    /// The number of colours.
    pub const COLOURS: usize = 8;

    /// The colour of a block.
    #[must_use]
    pub fn of(block: Block3) -> Self {
        Self((0..3).fold(0, |bits, axis| bits | (((block[axis] & 1) as u8) << axis)))
    }

    /// Parity on one axis: 0 or 1.
    #[must_use]
    pub fn on(self, axis: usize) -> i32 {
        i32::from(self.0 >> axis & 1)
    }

    /// The colour reached by flipping one axis.
    #[must_use]
    pub fn flipped(self, axis: usize) -> Self {
        Self(self.0 ^ (1 << axis))
    }
}

/// The domain, divided into blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockGrid {
    lower: Vector3,
    extent: Vector3,
    edge: Vector3,
    count: Block3,
    period: Period,
    /// The shortest edge that blocks may have [m].
    least_edge: f64,
}

impl BlockGrid {
    /// As many blocks on each axis as fit with an edge of at least `least_edge` [m], at least one.
    ///
    /// On a periodic axis their number is even, or one, so that neighbours differ in parity also
    /// where the axis closes.
    #[must_use]
    pub fn new(lower: Vector3, upper: Vector3, least_edge: f64, periodic: [bool; 3]) -> Self {
        Self {
            lower,
            extent: upper - lower,
            edge: upper - lower,
            count: [1; 3],
            period: Period::of_box(&lower, &upper, periodic),
            least_edge,
        }
        .divided()
    }

    /// Divides the domain into blocks anew.
    ///
    /// Boxes are wider along a sheared axis, at most by half a period over the length across. The
    /// blocks have room for that from the start, so that their number does not depend on the shift.
    fn divided(mut self) -> Self {
        let extent = self.extent;
        for a in 0..3 {
            let wider = match self.period.shear {
                Some(shear) if shear.along == a => 1.0 + 0.5 * extent[a] / extent[shear.across],
                _ => 1.0,
            };
            // More than 2^20 blocks on an axis have no use; the bound keeps linear indices far
            // inside 64 bits.
            let fit = (extent[a] / (self.least_edge * wider)).floor();
            let fit = fit.clamp(1.0, f64::from(1 << 20)) as i32;
            let odd = self.period.length[a].is_some() && fit > 1;
            self.count[a] = fit - if odd { fit % 2 } else { 0 };
        }
        self.edge = extent.component_div(&Vector3::from(self.count.map(f64::from)));
        self
    }

    /// The grid of the same domain with another upper corner [m].
    #[must_use]
    pub fn resized(&self, upper: Vector3) -> Self {
        let periodic = self.period.length.map(|length| length.is_some());
        let same = Self::new(self.lower, upper, self.least_edge, periodic);
        let shear = self.period.shear.map(|shear| {
            let [from, to] = [&self.period, &same.period].map(|of| of.length[shear.along]);
            let longer = to.unwrap_or(1.0) / from.unwrap_or(1.0);
            Shear {
                shift: shear.shift * longer,
                ..shear
            }
        });
        same.sheared(shear)
    }

    /// The grid with images that simple shear moves: blocks are sheared with the cell, so that they
    /// continue across its ends.
    #[must_use]
    pub fn sheared(mut self, shear: Option<Shear>) -> Self {
        let period = self.period.sheared(shear);
        let axes = |period: &Period| period.shear.map(|shear| [shear.along, shear.across]);
        let begins = axes(&period) != axes(&self.period);
        self.period = period;
        if begins { self.divided() } else { self }
    }

    /// Number of blocks on each axis.
    #[must_use]
    pub fn count(&self) -> Block3 {
        self.count
    }

    /// The periodic axes.
    #[must_use]
    pub fn period(&self) -> &Period {
        &self.period
    }

    /// Upper bound of the width of a body's box [m].
    ///
    /// It is the shortest edge of a block on an axis with more than one. On a periodic axis with a
    /// single block it is half the period, so that no pair meets both ways round. Infinite if
    /// neither applies.
    #[must_use]
    pub fn shortest_edge(&self) -> f64 {
        self.narrowest().1
    }

    /// The axis of [`Self::shortest_edge`], and that edge [m].
    #[must_use]
    pub fn narrowest(&self) -> (char, f64) {
        let widest = |a: usize| match self.period.length[a] {
            Some(length) if self.count[a] == 1 => 0.5 * length,
            None if self.count[a] == 1 => f64::INFINITY,
            _ => self.edge[a],
        };
        let [wider, _] = self.period.stretch();
        let wider = |a: usize| match self.period.shear {
            Some(shear) if shear.along == a => widest(a) / wider,
            _ => widest(a),
        };
        let each = ['x', 'y', 'z'].into_iter().zip((0..3).map(wider));
        each.fold(('x', f64::INFINITY), |least, one| match one.1 < least.1 {
            true => one,
            false => least,
        })
    }

    /// The block that holds a point.
    ///
    /// Points outside belong to the nearest block at the boundary; on a periodic axis, to the block
    /// that holds their image.
    #[must_use]
    #[inline]
    pub fn block_of(&self, x: &Vector3) -> Block3 {
        match self.period.shear {
            None => self.block_at(x),
            Some(_) => self.block_at(&self.period.boxed(x)),
        }
    }

    /// The block that holds a point in the frame in which the cell is a box.
    #[inline]
    fn block_at(&self, x: &Vector3) -> Block3 {
        let mut block = [0; 3];
        for (a, k) in block.iter_mut().enumerate() {
            let at = (x[a] - self.lower[a]) / self.edge[a];
            let count = f64::from(self.count[a]);
            *k = if self.period.length[a].is_some() {
                let at = floor(at);
                (at - floor(at / count) * count) as i32
            } else {
                // Clamped it is not negative, so that the conversion rounds down.
                at.clamp(0.0, count - 1.0) as i32
            };
        }
        block
    }

    /// The blocks that the box of half-width `reach` [m] around `x` intersects, as first and last
    /// on each axis.
    #[must_use]
    pub fn span(&self, x: &Vector3, reach: f64) -> Span {
        let mut around = Vector3::repeat(reach);
        let mut x = *x;
        if let Some(shear) = self.period.shear {
            around[shear.along] *= self.period.stretch()[0];
            x = self.period.boxed(&x);
        }
        Span {
            low: self.block_at(&(x - around)),
            high: self.block_at(&(x + around)),
        }
    }

    /// The linear index of a block, the same on all ranks.
    #[must_use]
    pub fn linear(&self, block: Block3) -> u64 {
        let [x, y, z] = [block[0] as u64, block[1] as u64, block[2] as u64];
        (z * self.count[1] as u64 + y) * self.count[0] as u64 + x
    }
}

impl BlockGrid {
    /// The colour of the block with a linear index.
    #[must_use]
    pub fn colour(&self, linear: u64) -> Parity {
        let [x, y] = [self.count[0] as u64, self.count[1] as u64];
        let block = [linear % x, linear / x % y, linear / x / y];
        Parity::of(block.map(|k| k as i32))
    }
}

/// The blocks that a body's box intersects: one or two on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First block.
    pub low: Block3,
    /// Last block; its index is smaller than the first's if the box crosses the end of a periodic
    /// axis.
    pub high: Block3,
}

impl Span {
    /// The holder rule: the block whose rank has the body's newest velocity at parity `at`.
    ///
    /// On each axis it is the one block, or of the two the one whose parity is that of `at`.
    #[must_use]
    pub fn holder(&self, at: Parity) -> Block3 {
        [0, 1, 2].map(|a| {
            if self.low[a] & 1 == at.on(a) {
                self.low[a]
            } else {
                self.high[a]
            }
        })
    }

    /// Whether the box intersects two blocks on this axis.
    #[must_use]
    pub fn splits(&self, axis: usize) -> bool {
        self.high[axis] != self.low[axis]
    }

    /// All blocks, one to eight.
    pub fn blocks(self) -> impl Iterator<Item = Block3> {
        let on = move |axis: usize| {
            let second = self.splits(axis).then_some(self.high[axis]);
            std::iter::once(self.low[axis]).chain(second)
        };
        on(2).flat_map(move |z| on(1).flat_map(move |y| on(0).map(move |x| [x, y, z])))
    }
}

/// A closed tour of the eight colours in which each step flips one axis (a Gray code).
///
/// So between two phases only neighbours across the faces of that axis communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tour {
    start: Parity,
    flips: [usize; 8],
}

impl Tour {
    /// The tour that starts at `start` and flips `axes[0]` most often; `offset` rotates it by that
    /// number of steps.
    #[must_use]
    pub fn new(start: Parity, axes: [usize; 3], offset: usize) -> Self {
        let pattern = [0, 1, 0, 2, 0, 1, 0, 2];
        Self {
            start,
            flips: std::array::from_fn(|k| axes[pattern[(k + offset) % 8]]),
        }
    }

    /// The tour of a sweep: start, axes and offset drawn at random, the same on all ranks.
    #[must_use]
    pub fn draw(seed: u64, step: u64, sweep: u64) -> Self {
        let mut stream = Stream::new(Purpose::Tour, seed, [step, sweep, 0]);
        let mut axes = [0, 1, 2];
        stream.shuffle(&mut axes);
        let start = Parity(stream.below(8) as u8);
        Self::new(start, axes, stream.below(8) as usize)
    }

    /// The tour for visits whose order does not matter: x fastest, from colour 0.
    #[must_use]
    pub fn plain() -> Self {
        Self::new(Parity(0), [0, 1, 2], 0)
    }

    /// The first colour, which is also the one reached after the last flip.
    #[must_use]
    pub fn start(&self) -> Parity {
        self.start
    }

    /// The colours in order, each with the axis that flips after it.
    pub fn phases(&self) -> impl Iterator<Item = (Parity, usize)> {
        let flips = self.flips;
        let mut at = self.start;
        flips.into_iter().map(move |axis| {
            let phase = (at, axis);
            at = at.flipped(axis);
            phase
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tour_visits_each_colour_once_and_closes() {
        let drawn = (0..500).map(|sweep| Tour::draw(3, 1, sweep));
        for tour in drawn.chain([Tour::plain()]) {
            let phases: Vec<(Parity, usize)> = tour.phases().collect();
            let mut seen: Vec<u8> = phases.iter().map(|(p, _)| p.0).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
            let (last, axis) = phases[7];
            assert_eq!(last.flipped(axis), tour.start());
        }
        assert_ne!(Tour::draw(3, 1, 0), Tour::draw(3, 1, 1));
    }

    #[test]
    fn points_go_to_half_open_blocks_and_stray_points_to_the_rim() {
        let grid = BlockGrid::new(
            Vector3::zeros(),
            Vector3::new(1.0, 2.0, 0.3),
            0.5,
            [false; 3],
        );
        assert_eq!(grid.count(), [2, 4, 1]);
        assert_eq!(grid.shortest_edge(), 0.5);
        assert_eq!(grid.block_of(&Vector3::new(0.5, 0.5, 0.1)), [1, 1, 0]);
        assert_eq!(grid.block_of(&Vector3::new(0.4999, 1.9999, 0.1)), [0, 3, 0]);
        assert_eq!(grid.block_of(&Vector3::new(-1.0, 99.0, 5.0)), [0, 3, 0]);
    }

    /// On a periodic axis neighbours differ in parity, also where the axis closes.
    ///
    /// Each point, and each image of it, lies in one block; a box that crosses the end intersects
    /// the first and the last block.
    #[test]
    fn periodic_axes_close_with_even_numbers_of_blocks() {
        let upper = Vector3::new(5.5, 1.9, 3.2);
        let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, [true, true, false]);
        assert_eq!(grid.count(), [4, 1, 3]);
        assert_eq!(grid.shortest_edge(), 0.95);
        let block = |x: f64| grid.block_of(&Vector3::new(x, 0.0, 0.5))[0];
        assert_eq!(
            [-0.1, 0.0, 5.4, 5.5, 5.6, 11.1].map(block),
            [3, 0, 3, 0, 0, 0]
        );
        let span = grid.span(&Vector3::new(0.2, 1.8, 1.0), 0.4);
        assert_eq!((span.low, span.high), ([3, 0, 0], [0, 0, 1]));
        assert!(span.splits(0) && !span.splits(1) && span.splits(2));
        assert_eq!(span.blocks().count(), 4);
        assert_eq!(span.holder(Parity(0b000)), [0, 0, 0]);
        assert_eq!(span.holder(Parity(0b001)), [3, 0, 0]);
        let two = BlockGrid::new(Vector3::zeros(), upper, 2.0, [true, false, false]);
        let span = two.span(&Vector3::new(5.4, 0.5, 0.5), 1.0);
        assert_eq!((two.count()[0], span.low[0], span.high[0]), (2, 1, 0));
    }

    /// With images moved by shear: all images of a point lie in one block.
    ///
    /// A box around it meets at most two blocks on an axis, of different parity.
    #[test]
    fn blocks_continue_across_moved_images() {
        let upper = Vector3::new(9.0, 9.0, 12.0);
        for shift in [0.0, 1.3, -4.4, 4.5] {
            let shear = Shear {
                along: 2,
                across: 0,
                shift: shift * 12.0 / 9.0,
            };
            let grid = BlockGrid::new(Vector3::repeat(1.0), upper.add_scalar(1.0), 1.7, [true; 3]);
            let grid = grid.sheared(Some(shear));
            let reach = 0.499_999 * grid.shortest_edge();
            assert_eq!(grid.count(), [4; 3]);
            // Four blocks have room for the largest shift: 12 m would do for six without shear.
            assert!(grid.shortest_edge() >= 1.7);
            assert_eq!(shift.abs() > 4.0, grid.shortest_edge() < 2.0);
            let mut stream = Stream::new(Purpose::Trial, 4, [0; 3]);
            for _ in 0..2000 {
                let x = upper.map(|length| 1.0 + length * stream.unit());
                let span = grid.span(&x, reach);
                for turns in [[1.0, 0.0, 0.0], [-1.0, 1.0, 2.0], [2.0, -1.0, -1.0]] {
                    let mut image = x + upper.component_mul(&Vector3::from(turns));
                    image.z += turns[0] * shear.shift;
                    // Rounding may move a point across the face of a block.
                    let near = |x: &Vector3| {
                        let at = grid.period().boxed(x) - grid.lower;
                        let at = at.component_div(&grid.edge);
                        at.iter().any(|at| (at - at.round()).abs() < 1e-9)
                    };
                    if !near(&x) {
                        assert_eq!(grid.block_of(&image), grid.block_of(&x));
                    }
                    let of = grid.span(&image, reach);
                    for axis in 0..3 {
                        let steps = (of.high[axis] - of.low[axis]).rem_euclid(4);
                        assert!(steps <= 1, "{of:?}");
                    }
                }
                assert!(span.blocks().any(|block| block == grid.block_of(&x)));
            }
        }
    }

    #[test]
    fn the_holder_has_the_parity_where_the_span_offers_it() {
        let span = Span {
            low: [3, 4, 5],
            high: [4, 4, 6],
        };
        assert_eq!(span.holder(Parity(0b000)), [4, 4, 6]);
        assert_eq!(span.holder(Parity(0b111)), [3, 4, 5]);
        assert_eq!(span.holder(Parity(0b001)), [3, 4, 6]);
        assert_eq!(span.blocks().count(), 4);
        assert!(span.splits(0) && !span.splits(1) && span.splits(2));
    }
}
