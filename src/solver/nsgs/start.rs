//! The start of a solve: initial impulses, the scale of violations, the warm start.

use crate::body::Member;
use crate::math::ExactSum;
use crate::solver::blocks::{Block, Share, Tally};
use crate::solver::course::Course;
use crate::solver::grid::Tour;
use crate::solver::halo::Halo;
use crate::solver::kernel;
use crate::solver::lanes::Width;
use crate::solver::merit::{self, Scale};
use crate::solver::pushed::Pushed;
use crate::solver::settings::Settings;

/// Sets the initial impulses: those of the last step, those changed at random, or zero.
pub(super) fn impulses<H: Halo>(course: &mut Course<H>, settings: &Settings, step: u64) {
    let blocks = &mut *course.blocks;
    blocks.mark_early(course.halo, course.members.len());
    if !settings.warm_start {
        blocks.start_cold();
    } else if settings.start_spread > 0.0 {
        blocks.start_elsewhere(settings.start_spread, settings.seed, step);
    }
}

/// The step's scales. Collective.
///
/// Before the first impulse acts every copy of a body is up to date, so no tour is needed. `bodies`
/// are this rank's parts of the two sums over bodies.
pub(super) fn scale<H: Halo>(
    course: &mut Course<H>,
    pushed: &Pushed,
    bodies: [ExactSum; 2],
    width: Width,
) -> Scale {
    let members = &mut *course.members;
    // Walls that move by Newton's law, which come before large bodies, count by their load only.
    let first = members.len() - pushed.len();
    let with_load = members[first..].to_vec();
    members[first..]
        .iter_mut()
        .zip(pushed.members_before())
        .take(pushed.walls().count())
        .for_each(|(member, before)| *member = before);
    let relative =
        |block: &mut Block, members: &mut [Member]| merit::relative_motion(block, members, width);
    let tally: Tally<1> = course.blocks.each(members, &relative);
    members[first..].copy_from_slice(&with_load);
    let ([load, motion], [contacts]) = (bodies, tally.sums);
    let mut sums = [load, motion, contacts];
    course.halo.sum(&mut sums);
    let [load, motion, contacts] = sums.map(|s| s.value());
    Scale {
        reference: load + pushed.load_energy() + contacts,
        motion,
    }
}

/// Warm start: applies the initial impulses of the contacts to the velocities. Collective.
pub(super) fn warm<H: Halo>(course: &mut Course<H>, pushed: &Pushed, width: Width) {
    course.blocks.trade_masses();
    course.begin();
    let warm_start = |block: &mut Block, members: &mut [Member]| {
        kernel::warm_start(width, &block.batches, members);
        for rigid in &block.rigid {
            let contact = &rigid.contact;
            rigid.apply(&contact.impulse, &contact.couple, members);
        }
        Share::default()
    };
    let _: Tally<0> = course.sweep(&Tour::plain(), &warm_start);
    pushed.take_impulses(course.blocks, course.members, course.halo);
}
