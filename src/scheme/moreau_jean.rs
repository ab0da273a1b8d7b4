//! The time step of contact dynamics: implicit Euler with velocity jumps [001 eq. 1.1–1.2].
//!
//! It is known as the Moreau–Jean scheme. The velocities at the end of the step are found together
//! with the impulses; then the bodies move with these velocities.

mod advance;
mod begun;
mod broken;
mod contacts;
mod detect;
mod free;
mod machine;
mod plan;
mod solve;
mod squeezed;
mod strained;
mod watch;

pub use machine::MoreauJean;
pub use plan::{MOST_STRAIN, allowance};

use super::error::StepError;
use super::known::Known;
use super::report::Report;
use super::state::State;
use super::timers::{Timers, Verb};
use crate::domain::Domain;
use crate::scheme::assemble::{Assembled, Unfit, assemble};
use begun::Begun;
use free::Free;

impl MoreauJean {
    /// Does one time step, and brings its contacts to the state. Collective.
    ///
    /// # Errors
    /// The same on all ranks; the state must not be used afterwards.
    pub fn step(&mut self, state: &mut State, domain: &Domain) -> Result<Report, StepError> {
        let report = self.step_keeping(state, domain)?;
        self.bring_contacts(state, domain);
        Ok(report)
    }

    /// Does one time step, and keeps its contacts for the next. Collective.
    ///
    /// # Errors
    /// As [`MoreauJean::step`].
    pub fn step_keeping(
        &mut self,
        state: &mut State,
        domain: &Domain,
    ) -> Result<Report, StepError> {
        let mut timers = Timers::default();
        let time = &mut timers;
        let (mut begun, mut known, mut free) = self.prepare(state, domain, time, false)?;
        let outcome = time.of(Verb::Sweep, || {
            self.solve(state, &begun, &mut known, &mut free)
        });
        time.of(Verb::Sweep, || {
            self.wear(state, &begun, &mut known, &mut free);
        });
        let ways = time.of(Verb::Sweep, || {
            self.project(&mut begun, &mut known, &mut free)
        });
        time.of(Verb::Sweep, || {
            self.bring_home(&mut begun, &mut known, free)
        });
        let traffic = known.ghosts.traffic();
        time.move_time(Verb::Sweep, Verb::Exchange, traffic.time);
        time.of(Verb::Move, || self.not_squeezed(&begun, &known, &outcome))?;
        let moved = time.of(Verb::Move, || {
            self.advance(state, &begun, known, ways, outcome)
        });
        let mut report = moved?;
        time.of(Verb::Move, || self.end(state, begun));
        report.outran += self.walls_that_outran(state, domain);
        report.here.overlap = self.largest_overlap();
        (report.here.timers, report.here.traffic) = (timers, traffic);
        Ok(report)
    }

    /// All that precedes the solve; afterwards the blocks hold the contact problem. Collective.
    ///
    /// Where `all` is set, it contains pairs that are not expected to close.
    fn prepare<'a, 'd>(
        &mut self,
        state: &mut State,
        domain: &'a Domain<'d>,
        time: &mut Timers,
        all: bool,
    ) -> Result<(Begun<'a, 'd>, Known<'d>, Free), StepError> {
        let mut begun = time.of(Verb::Migrate, || self.begin(state, domain));
        if let Some(wall) = begun.walls.faceless {
            return Err(StepError::NoFace {
                step: begun.clock.step + 1,
                wall: self.physics.walls[wall].name.clone(),
            });
        }
        let margin = time.of(Verb::Migrate, || self.plan(state, &mut begun))?;
        let mut known = time.of(Verb::Migrate, || self.gather(state, &mut begun));
        time.of(Verb::Detect, || {
            self.detect(state, &mut begun, &mut known, &margin, all);
        });
        let free = time.of(Verb::Move, || self.free_velocities(&begun, &mut known));
        Ok((begun, known, free))
    }

    /// Length [s] and contact problem, as a matrix, of the step that would follow a state. One rank
    /// only.
    ///
    /// # Errors
    /// If the step cannot begin, or if such a problem cannot represent the laws at work.
    pub fn problem(
        &mut self,
        mut state: State,
        domain: &Domain,
    ) -> Result<(f64, Result<Assembled, Unfit>), StepError> {
        let (begun, known, _) = self.prepare(&mut state, domain, &mut Timers::default(), true)?;
        // The blocks hold the problem of another state than the scheme's.
        (self.planned, self.kept) = (None, 0);
        let mut members = known.bodies.members();
        members.extend(begun.pushed.members());
        let radii = known.bodies.radii();
        let assembled = assemble(&self.blocks, &members, radii, &begun.pushed);
        Ok((begun.span.dt, assembled))
    }
}
