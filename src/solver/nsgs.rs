//! Randomized non-linear Gauss–Seidel (NSGS), the iterative solver of [001 §1.5].
//!
//! Contact by contact it solves the one-contact law while all other impulses keep their values, and
//! changes the two bodies' velocities at once. One sweep visits each contact once; sweeps are
//! repeated until the judge accepts the impulses.
//!
//! The random order consists of blocks: the eight colours along a random tour, and the contacts of
//! each block in random order. The velocities of a body are handed from rank to rank along the
//! tour. So the sweep over many ranks is the serial sweep: same order, same numbers, same bits.

mod judge;
mod outcome;
mod stall;
mod start;
mod sweep;

pub use outcome::Outcome;
pub use sweep::Sweep;

use super::accelerate::Momentum;
use super::blocks::Blocks;
use super::course::Course;
use super::grid::Tour;
use super::halo::Halo;
use super::pushed::Pushed;
use super::settings::Settings;
use crate::body::Member;
use crate::math::ExactSum;
use judge::Judge;
pub use judge::Sleep;

/// Finds the impulses of all contacts in `blocks`. Collective.
///
/// `members` start with the free velocities of all bodies on this rank, then those of the walls in
/// `pushed`. They end with the velocities at the end of the step, on the rank that holds the body
/// at colour 0, where the judge's tour ends. The contacts start with their present impulses (warm
/// start), or with these changed at random, or with none. `bodies` are this rank's parts of the two
/// sums over bodies in [`Scale`](super::merit::Scale): load, motion.
pub fn solve<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    pushed: &Pushed,
    halo: &mut H,
    bodies: [ExactSum; 2],
    settings: &Settings,
    (step, sleep): (u64, Sleep),
) -> Outcome {
    let mut course = Course::new(blocks, members, halo);
    start::impulses(&mut course, settings, step);
    let scale = start::scale(&mut course, pushed, bodies, settings.width);
    start::warm(&mut course, pushed, settings.width);
    let mut judge = Judge::new(scale, settings, sleep);
    let mut momentum = Momentum::new(settings);
    let mut outcome = Outcome::default();
    while outcome.sweeps < settings.max_sweeps {
        let drawn = momentum.order(outcome.sweeps);
        let tour = Tour::draw(settings.seed, step, drawn);
        let (draw, start) = ([step, drawn], momentum.point());
        let change = sweep::all(&mut course, pushed, &tour, settings, (draw, start));
        outcome.sweeps += 1;
        if judge.is_content(&mut course, change, &mut outcome) {
            break;
        }
        if judge.has_woken() {
            momentum.forget();
        } else if outcome.sweeps < settings.max_sweeps {
            momentum.after_sweep(&mut course, pushed, &tour, change);
        }
    }
    outcome.renewals = momentum.renewals();
    course.blocks.trade_masses();
    outcome
}
