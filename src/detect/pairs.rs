//! The pairs of a plan: bodies, and bodies and walls, that may touch while it is kept.

use super::lists::Lists;
use crate::contact::Neighbours;
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

/// Pairs in ascending order of their first body, then of the second, walls last; each has a block.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The pairs.
    pub pairs: Vec<Neighbours>,
    /// The number of the block of each.
    pub home: Vec<u64>,
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
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.pairs.extend(part.pairs);
            all.home.extend(part.home);
        }
        all
    }

    /// The pairs of some first bodies.
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
                        let both = half + around.reaches[w];
                        let nearest = around.walls[w].nearest_within(x, both);
                        nearest.map(|(distance, normal)| {
                            let way = (distance * (half / both)).max(-half);
                            x + normal * way
                        })
                    }
                };
                if let Some(block) = point.and_then(|point| home(&point)) {
                    pairs.pairs.push(Neighbours {
                        first: a as u32,
                        second: b,
                    });
                    pairs.home.push(block);
                }
            }
        }
        pairs
    }
}
