//! Initial bodies: lattices and files. A body's id, place and size never depend on the number of ranks: draws are keyed by
//! purpose, seed and id.

mod file;
mod lattice;

use crate::body::BodyRow;
use std::path::PathBuf;

/// Where the bodies of one `[[bodies]]` entry come from, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// How they are placed.
    pub source: Source,
    /// Number of their material in the configuration.
    pub material: u32,
    /// Density of that material [kg/m³].
    pub density: f64,
    /// Velocity that all of them start with [m/s].
    pub velocity: [f64; 3],
}

/// How bodies are placed.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A simple cubic lattice, each body moved at random inside its cell.
    Lattice(Lattice),
    /// A file of bodies: CSV (`x,y,z,radius`, more columns allowed) or a LAMMPS data file (atom style sphere), told apart
    /// by their content.
    File(PathBuf),
}

/// A perturbed simple cubic lattice that fills a region from below.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Number of bodies.
    pub count: u64,
    /// Radii.
    pub radius: Radius,
    /// Lower corner of the region to fill [m].
    pub lower: [f64; 3],
    /// Upper corner of the region to fill [m].
    pub upper: [f64; 3],
    /// Largest displacement from the lattice site on each axis, in units of the largest diameter.
    pub jitter: f64,
}

/// Distribution of radii [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Radius {
    /// All alike.
    Constant(f64),
    /// Uniform between two bounds.
    Uniform(f64, f64),
}
