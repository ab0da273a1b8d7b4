//! The calls of the judge by a solve, and their consequences.

use super::outcome::Outcome;
use super::stall::Stall;
use crate::body::Member;
use crate::law::work::Work;
use crate::solver::blocks::{Block, Tally};
use crate::solver::course::Course;
use crate::solver::grid::Tour;
use crate::solver::halo::Halo;
use crate::solver::lanes::Width;
use crate::solver::merit::{self, Scale, Verdict};
use crate::solver::settings::Settings;

/// The judge of one solve.
pub(super) struct Judge {
    scale: Scale,
    tolerance: f64,
    max_sweeps: u64,
    width: Width,
    stall: Stall,
}

impl Judge {
    /// The judge with the scale of the step.
    pub(super) fn new(scale: Scale, settings: &Settings) -> Self {
        Self {
            scale,
            tolerance: settings.tolerance,
            max_sweeps: settings.max_sweeps,
            width: settings.width,
            stall: Stall::new(settings.max_sweeps),
        }
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
        if self.stall.is_halfway(outcome.sweeps) {
            let (halfway, _) = self.verdict(course);
            self.stall.note(&halfway);
        }
        let last = outcome.sweeps == self.max_sweeps;
        let passes = !change.is_finite() || self.scale.accepts(change, self.tolerance);
        if !last && !passes {
            return false;
        }
        (outcome.verdict, outcome.work) = self.verdict(course);
        if outcome.verdict.converged || outcome.verdict.non_finite {
            return true;
        }
        outcome.stalled = last && self.stall.stands_still(&outcome.verdict);
        false
    }

    /// The verdict on the present impulses and velocities, and the work that they do. Collective.
    fn verdict<H: Halo>(&self, course: &mut Course<H>) -> (Verdict, Work) {
        let measure =
            |block: &mut Block, members: &mut [Member]| merit::measure(block, members, self.width);
        // The judge uses whole bodies.
        course.blocks.trade_masses();
        let tally: Tally<{ merit::TERMS }> = course.run(&Tour::plain(), &measure);
        course.blocks.trade_masses();
        let largest = course.halo.max(tally.largest);
        let [violation, impulse, work @ ..] = course.reduce(tally);
        let verdict = (self.scale).judge(violation, impulse, largest, self.tolerance);
        (verdict, Work::from_array(work))
    }
}
