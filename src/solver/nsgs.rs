//! Randomized non-linear Gauss–Seidel (NSGS), the iterative solver of [001 §1.5]: contact by contact the one-contact law is
//! solved with all other impulses as they stand, and the two bodies' velocities take the change at once. One sweep visits
//! each contact once; sweeps are repeated until the judge is content.
//!
//! The random order is made of blocks: the eight colours along a random tour, inside each block its contacts in random
//! order. As the velocities of a body are handed from rank to rank along the tour, the sweep over many ranks is the serial
//! sweep: same order, same numbers, same bits.

use super::blocks::{Block, Blocks, Share, Tally};
use super::grid::{Parity, Tour};
use super::merit::{self, Scale, Verdict};
use super::{Halo, Order, Settings};
use crate::body::Twist;
use crate::contact::{Contact, Member};
use crate::math::ExactSum;
use crate::rng::{Purpose, Stream};

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps done.
    pub sweeps: u64,
    /// The judge's last verdict.
    pub verdict: Verdict,
}

/// Finds the impulses of all contacts in `blocks`.
///
/// `twists` are the free velocities of all bodies that this rank knows, and become the velocities at the end of the step
/// (on the rank that holds the body at colour 0, where the judge's tour ends). The contacts start with the impulses they carry (warm start).
/// `bodies` are this rank's parts of the two sums over bodies in [`Scale`]: load, motion.
pub fn solve<H: Halo>(
    blocks: &mut Blocks,
    twists: &mut [Twist],
    halo: &mut H,
    bodies: [ExactSum; 2],
    settings: &Settings,
    step: u64,
) -> Outcome {
    blocks.mark_early(halo, twists.len());
    let scale = scale(blocks, twists, halo, bodies);
    let mut at = Parity(0);
    halo.begin(twists);
    run(blocks, twists, halo, &mut at, &Tour::plain(), &warm_start);

    let mut outcome = Outcome::default();
    while outcome.sweeps < settings.max_sweeps {
        // `order = "step"` keeps the order of the first sweep.
        let drawn = if settings.order == Order::Sweep {
            outcome.sweeps
        } else {
            0
        };
        let tour = Tour::draw(settings.seed, step, drawn);
        let tally = run(
            blocks,
            twists,
            halo,
            &mut at,
            &tour,
            &|block: &mut Block, members: &mut [Member]| {
                draw_order(block, settings.seed, step, drawn);
                sweep(block, members)
            },
        );
        outcome.sweeps += 1;

        // The sweep's own change is a free estimate; where it passes, or at the cap, the judge decides.
        let change = reduce(tally, halo)[0];
        let last = outcome.sweeps == settings.max_sweeps;
        if last || !change.is_finite() || scale.accepts(change, settings.tolerance) {
            outcome.verdict = judge(blocks, twists, halo, &mut at, &scale, settings.tolerance);
            if outcome.verdict.converged || outcome.verdict.non_finite {
                break;
            }
        }
    }
    outcome
}

/// One sweep through a block, in the block's order. Its share: `Σ|d|²/m_n` of its changes.
fn sweep(block: &mut Block, members: &mut [Member]) -> Share {
    let change = sweep_in_order(&mut block.contacts, &block.order, members);
    Share {
        sums: [change, 0.0],
        largest: 0.0,
    }
}

/// Updates each contact once, in the order given; returns `Σ|d|²/m_n` over the changes d [J].
///
/// This is the algorithm: the law's answer at the present velocities replaces the impulse, and the bodies take the change.
pub fn sweep_in_order(contacts: &mut [Contact], order: &[u32], members: &mut [Member]) -> f64 {
    let mut change = 0.0;
    for &k in order {
        let contact = &mut contacts[k as usize];
        let (wanted, status) = contact.wanted(members);
        let d = wanted - contact.impulse;
        contact.status = status;
        let square = d.norm_squared();
        if square != 0.0 {
            contact.impulse = wanted;
            contact.apply(&d, members);
            change += square / contact.law.normal_mass;
        }
    }
    change
}

/// Draws the order of a block's contacts for a sweep: from their keys' order, so nothing of earlier sweeps is in it.
fn draw_order(block: &mut Block, seed: u64, step: u64, sweep: u64) {
    block.order.clear();
    block.order.extend(0..block.contacts.len() as u32);
    Stream::new(Purpose::Order, seed, [step, sweep, block.linear]).shuffle(&mut block.order);
}

/// Lets the impulses that the contacts bring along act on the velocities.
fn warm_start(block: &mut Block, members: &mut [Member]) -> Share {
    for c in &block.contacts {
        if c.impulse.norm_squared() != 0.0 {
            c.apply(&c.impulse, members);
        }
    }
    Share::default()
}

/// The judge's verdict on the present impulses and velocities.
fn judge<H: Halo>(
    blocks: &mut Blocks,
    twists: &mut [Twist],
    halo: &mut H,
    at: &mut Parity,
    scale: &Scale,
    tolerance: f64,
) -> Verdict {
    let tally = run(blocks, twists, halo, at, &Tour::plain(), &merit::measure);
    let largest = halo.max(tally.largest);
    let [violation, impulse] = reduce(tally, halo);
    scale.judge(violation, impulse, largest, tolerance)
}

/// The step's scales: before the first impulse acts every copy of a body has its newest velocity, so no tour is needed.
fn scale<H: Halo>(
    blocks: &mut Blocks,
    twists: &mut [Twist],
    halo: &H,
    bodies: [ExactSum; 2],
) -> Scale {
    let [load, motion] = bodies;
    let contacts = merit::first_sum(blocks.each(twists, &merit::relative_motion));
    let mut sums = [load, motion, contacts];
    halo.sum(&mut sums);
    let [load, motion, contacts] = sums.map(|s| s.value());
    Scale {
        reference: load + contacts,
        motion,
    }
}

fn reduce<H: Halo>(tally: Tally, halo: &H) -> [f64; 2] {
    let mut sums = tally.sums;
    halo.sum(&mut sums);
    sums.map(|s| s.value())
}

/// Runs a tour through the eight colours: visits the blocks of each, handing over the bodies whose holder changes.
fn run<H: Halo>(
    blocks: &mut Blocks,
    twists: &mut [Twist],
    halo: &mut H,
    at: &mut Parity,
    tour: &Tour,
    visit: &(impl Fn(&mut Block, &mut [Member]) -> Share + Sync),
) -> Tally {
    // From where the last tour ended to where this one starts, an axis at a time.
    for axis in 0..3 {
        if at.on(axis) != tour.start().on(axis) {
            halo.send(*at, axis, twists);
            halo.receive(*at, axis, twists);
            *at = at.flipped(axis);
        }
    }
    let mut tally = Tally::default();
    for (colour, axis) in tour.phases() {
        blocks.phase((colour, axis), twists, &mut tally, visit, |newest| {
            halo.send(colour, axis, newest)
        });
        halo.receive(colour, axis, twists);
    }
    *at = tour.start();
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validation B8: each sweep visits every contact of a block exactly once, in an order that differs from sweep to
    /// sweep, from step to step and from block to block, and does not depend on the orders drawn before.
    #[test]
    fn b8_each_sweep_is_a_new_permutation() {
        let mut block = crate::solver::blocks::tests::block(40);
        let mut order = |linear: u64, step: u64, sweep: u64| {
            block.linear = linear;
            draw_order(&mut block, 1, step, sweep);
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
