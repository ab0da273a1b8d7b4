//! `moreau`: contact dynamics (NSCD) of dense packings of rigid bodies, distributed over MPI ranks.
//!
//! In each time step the impulses of all contacts are found together by randomized non-linear
//! Gauss–Seidel sweeps. So within a given tolerance bodies do not overlap and Coulomb's law of
//! friction holds at the end of the step. The same input gives the same trajectory, bit for bit, on
//! any number of ranks and threads.
//!
//! # The rooms
//! A room uses only rooms that stand above it (`tests/repository.rs` enforces it).
//!
//! | row | room | contents |
//! | --- | --- | --- |
//! | 0 | [`math`] | vectors, rotations, exact sums |
//! | 0 | [`rng`] | named random streams keyed by purpose, seed and object |
//! | 0 | [`comm`] | communication between ranks |
//! | 0 | [`pool`] | the threads of a rank |
//! | 1 | [`shape`] | balls, discs, clumps, surfaces of walls: bounds, distances, mass properties |
//! | 2 | [`law`] | the laws at one contact |
//! | 3 | [`body`] | bodies: ids, columns, the three questions of the solver |
//! | 3 | [`contact`] | contacts: keys, records, state |
//! | 4 | [`detect`] | contact detection: from bodies to candidate contacts |
//! | 4 | [`solver`] | blocks, tour, sweep, solve, and the judge |
//! | 4 | [`problem`] | contact problems given by their matrix: sweeps, Newton's method, interior point |
//! | 4 | [`measure`] | overlaps, wall loads, packing fraction, energies |
//! | 5 | [`domain`] | owners of points, blocks and bodies; ghosts; migration |
//! | 5 | [`render`] | pictures of a state |
//! | 6 | [`scheme`] | the time step of the paper |
//! | 6 | [`sample`] | initial bodies: lattices, files |
//! | 6 | [`io`] | checkpoints, series, frames, FCLib's files |
//! | 7 | [`config`] | TOML as written, checked and converted to a scenario |
//! | 8 | [`sim`] | the run: steps, output, stop |
//! | 8 | [`report`] | the report from finished files |
//! | 8 | [`fclib`] | frictional contact problems in files: solve, print, export |
//! | 8 | [`bench`] | the speed of the sweep and of detection on a machine |
//! | 9 | [`command`] | the command line: arguments, help, completions, manual pages |
//!
//! Four functions carry the algorithm, each calling the one below: the step ([`scheme`]), the solve
//! and the sweep ([`solver`]), one contact ([`law`]).

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
