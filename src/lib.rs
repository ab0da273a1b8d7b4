//! `moreau`: contact dynamics (NSCD) of dense packings of rigid bodies, distributed over MPI ranks.
//!
//! In each time step the impulses of all contacts are found together by randomized non-linear Gauss–Seidel sweeps, so that,
//! within a stated tolerance, no body enters another and Coulomb's law of friction holds at the end of the step. The same input gives the same
//! trajectory, bit for bit, on any number of ranks and threads.
//!
//! # The rooms
//! A room uses only rooms that stand above it (`tests/repository.rs` enforces it).
//!
//! | row | room | what lives there |
//! | --- | --- | --- |
//! | 0 | [`math`] | vectors, rotations, exact sums |
//! | 0 | [`rng`] | named random streams keyed by purpose, seed and what they are for |
//! | 0 | [`comm`] | all that anyone may know of other ranks |
//! | 0 | [`pool`] | the threads of a rank |
//! | 1 | [`shape`] | sphere, half-space: bounds, distances |
//! | 1 | [`law`] | what happens at one contact |
//! | 2 | [`body`] | bodies: ids, columns, the three questions of the solver |
//! | 2 | [`contact`] | contacts: keys, records, state |
//! | 3 | [`detect`] | from bodies to contacts |
//! | 3 | [`solver`] | blocks, tour, sweep, solve, and the judge |
//! | 3 | [`problem`] | contact problems given by their matrix: their own sweep, Newton's method, interior point |
//! | 3 | [`measure`] | overlaps, wall loads, packing fraction, energies |
//! | 4 | [`domain`] | who owns a point, a block, a body; ghosts; migration |
//! | 4 | [`render`] | pictures of a state |
//! | 5 | [`scheme`] | how time advances: the step of the paper |
//! | 5 | [`sample`] | initial bodies: lattices, files |
//! | 5 | [`io`] | checkpoint, series, frames, FCLib's files |
//! | 6 | [`config`] | TOML as typed, checked into a scenario |
//! | 7 | [`sim`] | the run: steps, output, stop |
//! | 7 | [`report`] | what finished files say |
//! | 7 | [`fclib`] | frictional contact problems in files: solve, tell, export |
//! | 7 | [`bench`] | the sweep's and the detection's figures on a machine |
//! | 8 | [`command`] | the command line: arguments, help, completions, manual pages |
//!
//! Four functions carry the algorithm, each calling the one below: the step ([`scheme`]), the solve and the sweep
//! ([`solver`]), one contact ([`law`]).

pub mod bench;
pub mod body;
pub mod comm;
pub mod command;
pub mod config;
pub mod contact;
pub mod detect;
pub mod domain;
pub mod fclib;
pub mod io;
pub mod law;
pub mod math;
pub mod measure;
pub mod pool;
pub mod problem;
pub mod render;
pub mod report;
pub mod rng;
pub mod sample;
pub mod scheme;
pub mod shape;
pub mod sim;
pub mod solver;
