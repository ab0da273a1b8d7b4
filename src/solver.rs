//! The solver: finds the impulses of all contacts of a step together.
//!
//! [`nsgs`] is the paper's algorithm: the sweep and the solve, which [`accelerate`] accelerates by
//! momentum. [`blocks`] holds the contacts in the form that the sweep uses, [`grid`] the geometry
//! of blocks and the tour of their colours. [`course`] runs through such a tour. [`merit`] is the
//! judge, which alone decides on convergence. [`work`] computes the energy dissipated at contacts,
//! [`pushed`] moves walls by Newton's law and
//! [`edges`] those of a cell, and [`project`] removes overlaps. [`linear`] solves the
//! linear systems of quasi-static schemes. The solver communicates with other ranks only through a
//! [`Halo`], or through its caller.

pub mod accelerate;
pub mod batch;
pub mod blocks;
pub mod course;
pub mod edges;
pub mod grid;
mod halo;
pub mod kernel;
pub mod lanes;
pub mod linear;
pub mod merit;
pub mod nsgs;
pub mod order;
pub mod plan;
pub mod project;
mod push;
pub mod pushed;
mod reaction;
mod settings;
mod shared;
pub mod soon;
mod vectors;
pub mod work;

pub use crate::law::GapRule;
pub use halo::{Alone, Halo};
pub use settings::{Acceleration, Exchange, Order, Projection, Settings};
