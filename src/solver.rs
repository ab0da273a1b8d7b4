//! The solver: finds together the impulses of all contacts of a step.
//!
//! [`nsgs`] is the paper's algorithm: the sweep and the solve, which [`accelerate`] gives momentum. [`blocks`] holds the
//! contacts as the sweep visits them, [`grid`] the blocks' geometry and the tour of their colours, [`course`] goes on that tour,
//! [`merit`] the judge, which alone decides what is converged, `work` where the energy goes, [`pushed`] walls that move by
//! Newton's law, and [`project`] takes overlaps back.
//! Of other ranks the solver asks only a [`Halo`].

pub mod accelerate;
pub mod batch;
pub mod blocks;
pub mod course;
pub mod grid;
mod halo;
pub mod kernel;
pub mod lanes;
pub mod merit;
pub mod nsgs;
pub mod order;
pub mod plan;
pub mod project;
pub mod pushed;
mod reaction;
mod settings;
mod shared;
mod vectors;
mod work;

pub use crate::law::GapRule;
pub use halo::{Alone, Halo};
pub use settings::{Acceleration, Exchange, Order, Projection, Settings};
