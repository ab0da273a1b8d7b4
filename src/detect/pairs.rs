//! The pairs of a plan: bodies, and bodies and walls, that may touch while it is kept.

use super::lists::Lists;
use crate::math::Vector3;
use crate::pool::Pool;
use crate::shape::{Period, Surface};
use std::ops::Range;

/// The bodies and walls of a plan in their reference poses.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// Centres of mass, in ascending order of id [m].
    pub positions: &'a [Vector3],
    /// Half the widths of the boxes that contain the bodies' surfaces while the plan is kept [m]:
    /// radius, allowance, and half the skin.
    pub halves: &'a [f64],
    /// Surfaces of the walls, by number.
    pub walls: &'a [Surface],
    /// The same of the walls, whose surfaces have no radius [m].
    pub reaches: &'a [f64],
    /// Periodic axes.
    pub period: &'a Period,
}

/// For each body its partners of higher index, walls last, each with the block of the pair.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Start of each body's row, and the end of the last.
    start: Vec<usize>,
    /// Index of a body, or the number of bodies plus that of a wall.
    partner: Vec<u32>,
    /// The number of its block.
    home: Vec<u64>,
}

/// The partners of bodies, in ascending order.
pub(super) trait Partners: Sync {
    /// Calls `with` for each partner of a body, and the block of the pair if it has one.
    fn each(&self, body: usize, with: impl FnMut(usize, Option<u64>));
    /// The number of partners of the bodies before this one.
    fn before(&self, body: usize) -> usize;
}

impl Partners for Lists {
    #[inline(always)]
    fn each(&self, body: usize, mut with: impl FnMut(usize, Option<u64>)) {
        self.of(body).for_each(|b| with(b as usize, None));
    }

    fn before(&self, body: usize) -> usize {
        Self::before(self, body)
    }
}

impl Partners for Pairs {
    #[inline(always)]
    fn each(&self, body: usize, mut with: impl FnMut(usize, Option<u64>)) {
        let row = self.start[body]..self.start[body + 1];
        let each = self.partner[row.clone()].iter().zip(&self.home[row]);
        each.for_each(|(&b, &home)| with(b as usize, Some(home)));
    }

    fn before(&self, body: usize) -> usize {
        self.start[body]
    }
}

impl Pairs {
    /// The pairs of these lists whose boxes meet, and whose point has a block here.
    ///
    /// The point divides the line between the two centres in proportion to the boxes. So it lies in
    /// both boxes, wherever the surfaces move.
    pub(super) fn of(
        lists: &Lists,
        around: &Around,
        home: impl Fn(&Vector3) -> Option<u64> + Sync,
        pool: &Pool,
    ) -> Self {
        let parts = pool.parts(around.positions.len(), |some| {
            Self::part(lists, around, &home, some)
        });
        let mut all = Self::default();
        all.start.push(0);
        for part in parts {
            let before = all.partner.len();
            all.start.extend(part.start.iter().map(|end| before + end));
            all.partner.extend(part.partner);
            all.home.extend(part.home);
        }
        all
    }

    /// The rows of some bodies; `start` holds the ends of their rows.
    fn part(
        lists: &Lists,
        around: &Around,
        home: &impl Fn(&Vector3) -> Option<u64>,
        some: Range<usize>,
    ) -> Self {
        let bodies = around.positions.len();
        let mut pairs = Self::default();
        for a in some {
            let (x, half) = (&around.positions[a], around.halves[a]);
            for b in lists.of(a) {
                let point = match (b as usize).checked_sub(bodies) {
                    None => {
                        let b = b as usize;
                        let branch = around.period.difference(x, &around.positions[b]);
                        let both = half + around.halves[b];
                        (branch.norm() < both).then(|| x + branch * (half / both))
                    }
                    Some(w) => {
                        let (distance, normal) = around.walls[w].nearest(x);
                        let both = half + around.reaches[w];
                        let way = (distance * (half / both)).max(-half);
                        (distance < both).then(|| x + normal * way)
                    }
                };
                if let Some(block) = point.and_then(|point| home(&point)) {
                    pairs.partner.push(b);
                    pairs.home.push(block);
                }
            }
            pairs.start.push(pairs.partner.len());
        }
        pairs
    }
}
