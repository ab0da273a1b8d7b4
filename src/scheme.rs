//! How time advances a state. [`moreau_jean`] is the step of the paper; quasi-static schemes will stand beside it.
//!
//! A [`Scheme`] takes a [`State`] from one step to the next and returns a [`Report`]. What schemes share stands here: what does
//! not change in a run ([`Physics`]), how long steps are ([`pace`]), what regions do ([`acts`]), where walls are, which bodies a
//! rank knows. [`assemble`] turns the contacts of a step into a problem given by its matrix.

mod act;
pub mod acts;
pub mod assemble;
mod burden;
mod error;
mod known;
mod length;
pub mod moreau_jean;
pub mod pace;
mod physics;
mod report;
mod state;
mod timers;
mod walls;

pub use error::StepError;
pub use physics::Physics;
pub use report::{Here, Report};
pub use state::{Clock, State};
pub use timers::{Timers, Verb};

use crate::domain::Domain;
use crate::scheme::assemble::{Assembled, Unfit};
use moreau_jean::MoreauJean;

/// What takes a state from one step to the next, and what it keeps for that from step to step.
#[derive(Debug)]
pub enum Scheme {
    /// The time step of contact dynamics.
    MoreauJean(MoreauJean),
}

impl Scheme {
    /// The scheme of a run, on so many threads a rank.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(physics: Physics, threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        MoreauJean::new(physics, threads).map(Self::MoreauJean)
    }

    /// What does not change.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        match self {
            Self::MoreauJean(scheme) => scheme.physics(),
        }
    }

    /// One step. Collective.
    ///
    /// # Errors
    /// The same on all ranks; the state is then not to be used.
    pub fn step(&mut self, state: &mut State, domain: &Domain) -> Result<Report, StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.step(state, domain),
        }
    }

    /// Refuses to go on after a step where a body or wall had gone into another by the smaller one's radius or more. Collective.
    ///
    /// # Errors
    /// The same on all ranks.
    pub fn not_crushed(&self, state: &State, domain: &Domain) -> Result<(), StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.not_crushed(state, domain),
        }
    }

    /// Length [s] and contact problem of the step that would follow a state, as a matrix, on one rank.
    ///
    /// # Errors
    /// If the step cannot begin, or if laws are at work that such a problem has no place for.
    pub fn problem(
        &mut self,
        state: State,
        domain: &Domain,
    ) -> Result<(f64, Result<Assembled, Unfit>), StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.problem(state, domain),
        }
    }
}
