//! One sweep: each contact once, with all other impulses as they stand.

use crate::body::Member;
use crate::solver::blocks::{Block, Share, Tally, Visit};
use crate::solver::course::Course;
use crate::solver::grid::Tour;
use crate::solver::halo::Halo;
use crate::solver::kernel;
use crate::solver::lanes::Width;
use crate::solver::order::{Turn, draw_order, turns};
use crate::solver::pushed::Pushed;
use crate::solver::settings::Settings;

/// Sweeps all contacts, along a tour and in orders that are drawn by the step and a number; then the walls that move by Newton's
/// law take what became of their contacts' impulses. Returns `Σ|d|²/m_n` of the changes over all ranks. Collective.
pub(super) fn all<H: Halo>(
    course: &mut Course<H>,
    pushed: &Pushed,
    tour: &Tour,
    settings: &Settings,
    [step, drawn]: [u64; 2],
) -> f64 {
    let sweep = Sweep {
        draw: (settings.seed, step, drawn),
        passes: settings.inner_passes,
        width: settings.width,
    };
    let tally: Tally<1> = course.sweep(tour, &sweep);
    pushed.take_impulses(course.blocks, course.members, course.halo);
    let [change] = course.reduce(tally);
    change
}

/// One sweep through a block, in an order drawn for it. Its share: `Σ|d|²/m_n` of the changes of its first pass, which tell how far the
/// block was from its laws.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Seed, step and sweep: what the order is drawn by.
    pub draw: (u64, u64, u64),
    /// How often the block is swept, in one order, while it is in the cache; 1 is the paper's sweep.
    pub passes: u64,
    /// Vector registers.
    pub width: Width,
}

impl Visit<1> for Sweep {
    fn one(&self, block: &mut Block, members: &mut [Member]) -> Share<1> {
        draw_order(block, self.draw);
        let change = self.pass(block, members);
        for _ in 1..self.passes {
            self.pass(block, members);
        }
        Share::of(change)
    }

    fn two(&self, blocks: [&mut Block; 2], members: [&mut [Member]; 2]) -> [Share<1>; 2] {
        if blocks.iter().any(|block| !block.rigid.is_empty()) {
            let ([a, b], [of_a, of_b]) = (blocks, members);
            return [self.one(a, of_a), self.one(b, of_b)];
        }
        let [a, b] = blocks;
        for block in [&mut *a, &mut *b] {
            draw_order(block, self.draw);
        }
        let [of_a, of_b] = members;
        let mut pass = || {
            let batches = [&mut a.batches, &mut b.batches];
            let members = [&mut *of_a, &mut *of_b];
            kernel::sweep_two(self.width, batches, [&a.order, &b.order], members)
        };
        let changes = pass();
        for _ in 1..self.passes {
            pass();
        }
        changes.map(Share::of)
    }
}

impl Sweep {
    /// Once through the block, in its order.
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
