//! The calls of the judge by a solve, and their consequences.

use super::outcome::Outcome;
use super::stall::Stall;
use crate::body::Member;
use crate::law::work::Work;
use crate::solver::blocks::{Block, Blocks, Tally};
use crate::solver::course::Course;
use crate::solver::grid::Tour;
use crate::solver::halo::Halo;
use crate::solver::lanes::Width;
use crate::solver::merit::{self, Scale, Verdict};
use crate::solver::settings::Settings;

/// The length of the step [s], in which sleeping touches may close, and a function that wakes them.
///
/// The function makes contacts of those that close ([`Blocks::wake`]).
pub type Sleep<'w> = (f64, &'w dyn Fn(&mut Blocks));

/// A long solve looks at sleeping touches from this sweep on, whenever the number doubles.
const LOOK: u64 = 32;

/// The judge of one solve.
pub(super) struct Judge<'w> {
    /// Makes contacts of sleeping touches, and the length of the step in which they close [s].
    wake: &'w dyn Fn(&mut Blocks),
    dt: f64,
    /// Whether it woke some since this was last asked.
    woke: bool,
    scale: Scale,
    tolerance: f64,
    max_sweeps: u64,
    width: Width,
    stall: Stall,
}

impl<'w> Judge<'w> {
    /// The judge with the scale of the step. `sleep` is its length, and wakes touches.
    pub(super) fn new(scale: Scale, settings: &Settings, (dt, wake): Sleep<'w>) -> Self {
        Self {
            wake,
            dt,
            woke: false,
            scale,
            tolerance: settings.tolerance,
            max_sweeps: settings.max_sweeps,
            width: settings.width,
            stall: Stall::new(settings.max_sweeps),
        }
    }

    /// Whether it has made contacts of sleeping touches since this was last asked: then the sweeps
    /// go on with another problem.
    pub(super) fn has_woken(&mut self) -> bool {
        std::mem::take(&mut self.woke)
    }

    /// Whether the solve ends after a sweep that changed impulses by `Σ|d|²/m_n`. Collective.
    ///
    /// It ends if the impulses satisfy the contacts, or are not finite. The sweep's own change is a
    /// free estimate; if it is small enough, or at the cap, the judge decides.
    pub(super) fn is_content<H: Halo>(
        &mut self,
        course: &mut Course<H>,
        change: f64,
        outcome: &mut Outcome,
    ) -> bool {
        let last = outcome.sweeps == self.max_sweeps;
        let passes = !change.is_finite() || self.scale.accepts(change, self.tolerance);
        if !last && !passes {
            let halfway = self.stall.is_halfway(outcome.sweeps);
            let late = outcome.sweeps >= LOOK && outcome.sweeps.is_power_of_two();
            if halfway || late {
                let (verdict, _) = self.verdict(course, true);
                if halfway {
                    self.stall.note(&verdict);
                }
            }
            return false;
        }
        (outcome.verdict, outcome.work) = self.verdict(course, !last);
        if self.stall.is_halfway(outcome.sweeps) {
            self.stall.note(&outcome.verdict);
        }
        if outcome.verdict.converged || outcome.verdict.non_finite {
            return true;
        }
        outcome.stalled = last && self.stall.stands_still(&outcome.verdict);
        false
    }

    /// The verdict on the present impulses and velocities, and the work that they do. Collective.
    ///
    /// Where sleeping touches close, the impulses are not converged. If sweeps follow, they become
    /// contacts.
    fn verdict<H: Halo>(&mut self, course: &mut Course<H>, more: bool) -> (Verdict, Work) {
        let how = (self.width, self.dt);
        let measure =
            |block: &mut Block, members: &mut [Member]| merit::measure(block, members, how);
        // The judge uses whole bodies.
        course.blocks.trade_masses();
        let tally: Tally<{ merit::TERMS }> = course.run(&Tour::plain(), &measure);
        course.blocks.trade_masses();
        let largest = course.halo.max(tally.largest);
        let [violation, impulse, closing, work @ ..] = course.reduce(tally);
        let mut verdict = (self.scale).judge(violation, impulse, largest, self.tolerance);
        if closing > 0.0 {
            verdict.converged = false;
            if more {
                (self.wake)(course.blocks);
                self.woke = true;
            }
        }
        (verdict, Work::from_array(work))
    }
}
