//! Randomized non-linear Gauss–Seidel (NSGS), the iterative solver of [001 §1.5]: contact by contact the one-contact law is
//! solved with all other impulses as they stand, and the two bodies' velocities take the change at once. One sweep visits
//! each contact once; sweeps are repeated until the judge is content.
//!
//! The random order is made of blocks: the eight colours along a random tour, inside each block its contacts in random
//! order. As the velocities of a body are handed from rank to rank along the tour, the sweep over many ranks is the serial
//! sweep: same order, same numbers, same bits.

use super::accelerate::{Acceleration, Momentum};
use super::blocks::{Block, Blocks, Share, Tally, Visit};
use super::grid::{Parity, Tour};
use super::kernel;
use super::lanes::Width;
use super::merit::{self, Scale, Verdict};
use super::pushed::Pushed;
use super::{Halo, Order, Settings};
use crate::body::Member;
use crate::law::work::Work;
use crate::math::ExactSum;
use crate::rng::{Purpose, Stream};

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps done.
    pub sweeps: u64,
    /// How often momentum was stuck and took another order.
    pub renewals: u64,
    /// The judge's last verdict.
    pub verdict: Verdict,
    /// Where the energy went at the contacts, over all ranks.
    pub work: Work,
    /// Whether the step ended at the cap, and the second half of its sweeps did not lessen the violation by a tenth.
    pub stalled: bool,
}

/// The part of the violation that must be left after the second half of the sweeps for a step to count as stalled.
const STALLED: f64 = 0.9;

/// Finds the impulses of all contacts in `blocks`.
///
/// `members` have the free velocities of all bodies that this rank knows, then those of the walls in `pushed`, which become the
/// velocities at the end of the step (on the rank that holds the body at colour 0, where the judge's tour ends). The contacts
/// start with the impulses they carry (warm start), or with these changed at random, or with none. `bodies` are this rank's parts of the two sums over bodies in [`Scale`]:
/// load, motion.
pub fn solve<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    pushed: &Pushed,
    halo: &mut H,
    bodies: [ExactSum; 2],
    settings: &Settings,
    step: u64,
) -> Outcome {
    blocks.mark_early(halo, members.len());
    if !settings.warm_start {
        blocks.start_cold();
    } else if settings.start_spread > 0.0 {
        blocks.start_elsewhere(settings.start_spread, settings.seed, step);
    }
    let scale = scale(blocks, members, pushed, halo, bodies, settings.width);
    blocks.trade_masses();
    let mut at = Parity(0);
    halo.begin(members);
    let width = settings.width;
    let warm_start = |block: &mut Block, members: &mut [Member]| {
        kernel::warm_start(width, &block.batches, members);
        Share::default()
    };
    let _: Tally<0> = sweep(blocks, members, halo, &mut at, &Tour::plain(), &warm_start);
    pushed.take_impulses(blocks, members, halo);

    let mut outcome = Outcome::default();
    let mut half = f64::INFINITY;
    // The sweeps are one map only where their order is kept.
    let mut momentum = Momentum::new(
        match settings.order {
            Order::Step => settings.acceleration,
            Order::Sweep => Acceleration::NONE,
        },
        settings.width,
    );
    while outcome.sweeps < settings.max_sweeps {
        // `order = "step"` keeps the order of the first sweep, until momentum gets stuck with it.
        let drawn = match settings.order {
            Order::Step => momentum.order(),
            Order::Sweep => outcome.sweeps,
        };
        let tour = Tour::draw(settings.seed, step, drawn);
        let tally: Tally<1> = sweep(
            blocks,
            members,
            halo,
            &mut at,
            &tour,
            &Sweep {
                draw: (settings.seed, step, drawn),
                passes: settings.inner_passes,
                width: settings.width,
            },
        );
        pushed.take_impulses(blocks, members, halo);
        outcome.sweeps += 1;

        // The sweep's own change is a free estimate; where it passes, or at the cap, the judge decides.
        let [change] = reduce(tally, halo);
        let last = outcome.sweeps == settings.max_sweeps;
        let halfway = outcome.sweeps == settings.max_sweeps / 2;
        if halfway {
            let (verdict, _) = judge(blocks, members, halo, &mut at, (&scale, settings));
            half = verdict.violation;
        }
        if last || !change.is_finite() || scale.accepts(change, settings.tolerance) {
            (outcome.verdict, outcome.work) =
                judge(blocks, members, halo, &mut at, (&scale, settings));
            if outcome.verdict.converged || outcome.verdict.non_finite {
                break;
            }
            let left = (outcome.verdict.violation / half).sqrt();
            outcome.stalled = last && left >= STALLED;
        }
        if !last && momentum.is_wanted() {
            // Where the sweep ended: the judge has gone elsewhere.
            go_to(members, halo, &mut at, tour.start());
            if momentum.after_sweep(blocks, members, change) {
                pushed.take_impulses(blocks, members, halo);
            }
        }
    }
    outcome.renewals = momentum.order();
    blocks.trade_masses();
    outcome
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
        let Block { batches, order, .. } = block;
        let change = kernel::sweep(self.width, batches, order, members);
        for _ in 1..self.passes {
            kernel::sweep(self.width, batches, order, members);
        }
        Share::of(change)
    }

    fn two(&self, blocks: [&mut Block; 2], members: [&mut [Member]; 2]) -> [Share<1>; 2] {
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

/// Draws the order of a block's batches for a sweep: from the order in which they were formed, so nothing of earlier sweeps is in it. One
/// that was drawn by the same before stays.
pub fn draw_order(block: &mut Block, (seed, step, sweep): (u64, u64, u64)) {
    let drawn = Some([seed, step, sweep, block.linear]);
    if block.drawn == drawn && block.order.len() == block.batches.len() {
        return;
    }
    block.drawn = drawn;
    block.order.clear();
    block.order.extend(0..block.batches.len() as u32);
    Stream::new(Purpose::Order, seed, [step, sweep, block.linear]).shuffle(&mut block.order);
}

/// The judge's verdict on the present impulses and velocities, and the work they do.
fn judge<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    at: &mut Parity,
    (scale, settings): (&Scale, &Settings),
) -> (Verdict, Work) {
    let measure =
        |block: &mut Block, members: &mut [Member]| merit::measure(block, members, settings.width);
    // It looks at whole bodies.
    blocks.trade_masses();
    let tally: Tally<{ merit::TERMS }> = run(blocks, members, halo, at, &Tour::plain(), &measure);
    blocks.trade_masses();
    let largest = halo.max(tally.largest);
    let sums = reduce(tally, halo);
    let [violation, impulse, work @ ..] = sums;
    let verdict = scale.judge(violation, impulse, largest, settings.tolerance);
    (verdict, Work::from_array(work))
}

/// The step's scales: before the first impulse acts every copy of a body has its newest velocity, so no tour is needed.
fn scale<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    pushed: &Pushed,
    halo: &H,
    bodies: [ExactSum; 2],
    width: Width,
) -> Scale {
    let [load, motion] = bodies;
    // Walls that a load moves count by that load alone.
    let first = members.len() - pushed.len();
    let with_load = members[first..].to_vec();
    members[first..]
        .iter_mut()
        .zip(pushed.members_before())
        .for_each(|(member, before)| *member = before);
    let relative =
        |block: &mut Block, members: &mut [Member]| merit::relative_motion(block, members, width);
    let tally: Tally<1> = blocks.each(members, &relative);
    members[first..].copy_from_slice(&with_load);
    let [contacts] = tally.sums;
    let mut sums = [load, motion, contacts];
    halo.sum(&mut sums);
    let [load, motion, contacts] = sums.map(|s| s.value());
    Scale {
        reference: load + pushed.load_energy() + contacts,
        motion,
    }
}

fn reduce<const N: usize, H: Halo>(tally: Tally<N>, halo: &H) -> [f64; N] {
    let mut sums = tally.sums;
    halo.sum(&mut sums);
    sums.map(|s| s.value())
}

/// Goes to a colour an axis at a time, handing over on the way.
pub(super) fn go_to<H: Halo>(members: &mut [Member], halo: &mut H, at: &mut Parity, to: Parity) {
    for axis in 0..3 {
        if at.on(axis) != to.on(axis) {
            halo.send(*at, axis, members);
            halo.receive(*at, axis, members);
            *at = at.flipped(axis);
        }
    }
}

/// A tour that changes velocities: bodies that are split among ranks are put together at its end.
pub(super) fn sweep<const N: usize, H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    at: &mut Parity,
    tour: &Tour,
    visit: &impl Visit<N>,
) -> Tally<N> {
    halo.part(members);
    let tally = run(blocks, members, halo, at, tour, visit);
    halo.meet(members);
    tally
}

/// Runs a tour through the eight colours: visits the blocks of each, handing over the bodies whose holder changes.
pub(super) fn run<const N: usize, H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    at: &mut Parity,
    tour: &Tour,
    visit: &impl Visit<N>,
) -> Tally<N> {
    // From where the last tour ended to where this one starts.
    go_to(members, halo, at, tour.start());
    let mut tally = Tally::default();
    for (colour, axis) in tour.phases() {
        blocks.phase((colour, axis), members, &mut tally, visit, halo);
        halo.receive(colour, axis, members);
    }
    *at = tour.start();
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::contact::Contact;
    use crate::law::{Parameters, Parts};
    use crate::math::Vector3;
    use crate::solver::batch::{Dealt, Former};

    /// Validation B8: each sweep visits every batch of a block exactly once, in an order that differs from sweep to sweep,
    /// from step to step and from block to block, and does not depend on the orders drawn before.
    #[test]
    fn b8_each_sweep_is_a_new_permutation() {
        let law = Parameters {
            normal: Vector3::z(),
            closing_speed: 0.0,
            normal_mass: 1.0,
            tangential_mass: 1.0,
            friction: 0.5,
        };
        // All contacts of one body: a batch each.
        let mut all = Dealt::default();
        for k in 0..40 {
            let contact = Contact {
                place: [0, k + 1],
                law,
                impulse: Vector3::zeros(),
                couple: Vector3::zeros(),
            };
            all.add(contact, &Parts::NONE);
        }
        let mut members = vec![Member([1.0; 8]); 41];
        members.push(Member::STILL);
        let mut block = Block::default();
        let dealt: Vec<u32> = (0..40).collect();
        Former::default().form(&mut block.batches, &all, &dealt, &members);
        let mut order = |linear: u64, step: u64, sweep: u64| {
            block.linear = linear;
            draw_order(&mut block, (1, step, sweep));
            block.order.clone()
        };
        let first = order(3, 7, 0);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..40));
        assert_ne!(first, order(3, 7, 1));
        assert_ne!(first, order(3, 8, 0));
        assert_ne!(first, order(4, 7, 0));
        assert_eq!(first, order(3, 7, 0));
    }
}
