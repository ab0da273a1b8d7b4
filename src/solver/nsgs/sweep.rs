//! One sweep: each contact once, while all other impulses keep their values.

use crate::body::Member;
use crate::solver::accelerate::Point;
use crate::solver::blocks::{Block, Share, Tally, Visit};
use crate::solver::course::Course;
use crate::solver::grid::Tour;
use crate::solver::halo::Halo;
use crate::solver::kernel;
use crate::solver::lanes::Width;
use crate::solver::order::{Turn, draw_order, turns};
use crate::solver::pushed::Pushed;
use crate::solver::settings::Settings;
use crate::solver::soon::Soon;

/// Sweeps all contacts, then moves the walls that obey Newton's law. Collective.
///
/// Each block starts from `start`. The tour and the orders are drawn by the step and a number; the
/// walls take the impulses of their contacts. Returns `Σ|d|²/m_n` of the changes over all ranks.
pub(super) fn all<H: Halo>(
    course: &mut Course<H>,
    pushed: &Pushed,
    tour: &Tour,
    settings: &Settings,
    ([step, drawn], start): ([u64; 2], Point),
) -> f64 {
    let sweep = Sweep {
        draw: (settings.seed, step, drawn),
        passes: settings.inner_passes,
        width: settings.width,
        start,
    };
    let tally: Tally<1> = course.sweep(tour, &sweep);
    pushed.take_impulses(course.blocks, course.members, course.halo);
    let [change] = course.reduce(tally);
    change
}

/// One sweep through a block, in an order drawn for it.
///
/// Its share is `Σ|d|²/m_n` of the changes in its first pass, a measure of the block's violation.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Seed, step and sweep, which draw the order.
    pub draw: (u64, u64, u64),
    /// Number of passes through the block, in one order, while it is in the cache; the paper's
    /// sweep has 1.
    pub passes: u64,
    /// Vector registers.
    pub width: Width,
    /// The impulses from which it starts.
    pub start: Point,
}

impl Visit<1> for Sweep {
    fn one(&self, block: &mut Block, members: &mut [Member]) -> Share<1> {
        self.start.take(block, self.width);
        draw_order(block, self.draw);
        let change = self.pass(block, members);
        for _ in 1..self.passes {
            self.pass(block, members);
        }
        Share::of(change)
    }

    fn two(
        &self,
        blocks: [&mut Block; 2],
        members: [&mut [Member]; 2],
        soon: &Soon,
    ) -> [Share<1>; 2] {
        if blocks.iter().any(|block| !block.rigid.is_empty()) {
            let ([a, b], [of_a, of_b]) = (blocks, members);
            return [self.one(a, of_a), self.one(b, of_b)];
        }
        let [a, b] = blocks;
        for block in [&mut *a, &mut *b] {
            self.start.take(block, self.width);
            draw_order(block, self.draw);
        }
        let [of_a, of_b] = members;
        let mut pass = |soon: &Soon| {
            let batches = [&mut a.batches, &mut b.batches];
            let members = [&mut *of_a, &mut *of_b];
            kernel::sweep_two(self.width, batches, [&a.order, &b.order], members, soon)
        };
        let changes = pass(soon);
        for _ in 1..self.passes {
            pass(&Soon::default());
        }
        changes.map(Share::of)
    }
}

impl Sweep {
    /// One pass through the block, in its order.
    fn pass(&self, block: &mut Block, members: &mut [Member]) -> f64 {
        let Block {
            batches,
            rigid,
            order,
            ..
        } = block;
        if rigid.is_empty() {
            return kernel::sweep(self.width, batches, order, members);
        }
        let count = batches.len();
        let change = |turn| match turn {
            Turn::Batches(these) => kernel::sweep(self.width, batches, these, members),
            Turn::Rigid(k) => rigid[k].update(members),
        };
        turns(order, count).map(change).sum()
    }
}
