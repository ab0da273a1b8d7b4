//! The advance of a state in time. [`moreau_jean`] is the step of the paper, [`quasistatic`] holds
//! the schemes without inertia.
//!
//! A [`Scheme`] takes a [`State`] from one step to the next and returns a [`Report`]. This room
//! holds all that schemes share: the constants of a run ([`Physics`]), the lengths of steps
//! ([`pace`]), the actions of regions ([`acts`]), the positions of walls, and the bodies known to a
//! rank. [`assemble`] writes the contacts of a step as a problem given by its matrix.

mod act;
pub mod acts;
pub mod assemble;
mod burden;
mod error;
mod known;
mod length;
mod loads;
pub mod moreau_jean;
pub mod pace;
mod physics;
pub mod quasistatic;
mod report;
mod state;
mod timers;
mod walls;

pub use error::StepError;
pub use moreau_jean::{MOST_STRAIN, allowance};
pub use physics::Physics;
pub use report::{BrokenBond, Here, OfCell, Report, Tally};
pub use state::{Clock, State, WallReference};
pub use timers::{Timers, Verb};

use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::measure;
use crate::pool::Pool;
use crate::scheme::assemble::{Assembled, Unfit};
use moreau_jean::MoreauJean;
use quasistatic::Quasistatic;
use std::borrow::Cow;

/// The names of the schemes, the time step of contact dynamics first.
pub const NAMES: [&str; 4] = ["moreau_jean", "serrano_rodriguez", "kishino", "bagi_bojtar"];

/// A method that advances a state, with the data that it keeps from step to step.
#[derive(Debug)]
pub enum Scheme {
    /// The time step of contact dynamics.
    MoreauJean(Box<MoreauJean>),
    /// A quasi-static scheme: a step is an increment of the loads.
    Quasistatic(Box<Quasistatic>),
}

impl Scheme {
    /// The scheme of a run by its physics, with this number of threads per rank.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(physics: Physics, threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        match physics.statics {
            None => {
                MoreauJean::new(physics, threads).map(|scheme| Self::MoreauJean(Box::new(scheme)))
            }
            Some(statics) => Quasistatic::new(physics, statics, threads)
                .map(|scheme| Self::Quasistatic(Box::new(scheme))),
        }
    }

    /// The constants of the run.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        match self {
            Self::MoreauJean(scheme) => scheme.physics(),
            Self::Quasistatic(scheme) => scheme.physics(),
        }
    }

    /// The threads of this rank.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        match self {
            Self::MoreauJean(scheme) => scheme.pool(),
            Self::Quasistatic(scheme) => scheme.pool(),
        }
    }

    /// Does one step, and brings its contacts to the state. Collective.
    ///
    /// # Errors
    /// The same on all ranks; the state must not be used afterwards.
    pub fn step(&mut self, state: &mut State, domain: &Domain) -> Result<Report, StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.step(state, domain),
            Self::Quasistatic(scheme) => scheme.step(state, domain),
        }
    }

    /// Does one step; its contacts stay in the scheme, for the next step. Collective.
    ///
    /// # Errors
    /// As [`Scheme::step`].
    pub fn step_keeping(
        &mut self,
        state: &mut State,
        domain: &Domain,
    ) -> Result<Report, StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.step_keeping(state, domain),
            Self::Quasistatic(scheme) => scheme.step(state, domain),
        }
    }

    /// Brings the contacts of the last step to the state, unless they are there. Collective.
    ///
    /// Each comes to the rank of its first body.
    pub fn bring_contacts(&self, state: &mut State, domain: &Domain) {
        match self {
            Self::MoreauJean(scheme) => scheme.bring_contacts(state, domain),
            Self::Quasistatic(_) => {}
        }
    }

    /// The contacts of the last step, each on one rank; those between bodies may be missing.
    #[must_use]
    pub fn wall_contacts<'s>(&self, state: &'s State) -> Cow<'s, [ContactRow]> {
        match self {
            Self::MoreauJean(scheme) => scheme.wall_contacts(state),
            Self::Quasistatic(_) => Cow::Borrowed(state.contacts()),
        }
    }

    /// The number of this rank's contacts in the last step, and of those that carry a force.
    #[must_use]
    pub fn count_contacts(&self, state: &State) -> [usize; 2] {
        match self {
            Self::MoreauJean(scheme) => scheme.count_contacts(state),
            Self::Quasistatic(_) => {
                let contacts = state.contacts();
                [contacts.len(), measure::active(contacts)]
            }
        }
    }

    /// Fails if a body or wall overlaps another by the smaller one's radius or more. Collective.
    ///
    /// # Errors
    /// The same on all ranks.
    pub fn not_crushed(&self, state: &State, domain: &Domain) -> Result<(), StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.not_crushed(state, domain),
            // An increment fails by itself.
            Self::Quasistatic(_) => Ok(()),
        }
    }

    /// Length [s] and contact problem, as a matrix, of the step that would follow a state. One rank
    /// only.
    ///
    /// # Errors
    /// If the step cannot begin, or if such a problem cannot represent the laws at work.
    pub fn problem(
        &mut self,
        state: State,
        domain: &Domain,
    ) -> Result<(f64, Result<Assembled, Unfit>), StepError> {
        match self {
            Self::MoreauJean(scheme) => scheme.problem(state, domain),
            Self::Quasistatic(_) => Ok((state.clock.dt, Err(Unfit::Quasistatic))),
        }
    }
}
