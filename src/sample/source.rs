//! Where bodies come from, as configurations say it.

use super::radius::Radius;
use super::space::Space;
use crate::body::{BodyId, BodyKind, BodyRow};
use crate::shape::mass_and_inertia;
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
    /// Velocity that all of them start with [m/s]; comes on top of those that a file gives them.
    pub velocity: [f64; 3],
    /// Angular velocity that all of them start with [rad/s], likewise.
    pub angular_velocity: [f64; 3],
    /// How they move.
    pub kind: BodyKind,
    /// Whether they are discs in the plane z = 0, one metre thick, and not spheres.
    pub discs: bool,
    /// Radius at the start over that in the end: 1 but where bodies grow. Places are looked for at the start's.
    pub size: f64,
}

impl Sample {
    /// The body that one of a checkpoint becomes: with its place, size, mass, orientation and velocities, on which those of the
    /// sample come, and the sample's material.
    #[must_use]
    pub fn taken_over(&self, id: BodyId, row: &BodyRow) -> BodyRow {
        let kind = match &self.source {
            // What was held there is not held here, unless this run says so.
            Source::Checkpoint { as_there: true, .. } if row.kind == BodyKind::Held as u32 => {
                BodyKind::Free as u32
            }
            Source::Checkpoint { as_there: true, .. } => row.kind,
            _ => self.kind as u32,
        };
        let moves = kind != BodyKind::Fixed as u32;
        let sum = |a: [f64; 3], b: [f64; 3]| match moves {
            true => [0, 1, 2].map(|k| a[k] + b[k]),
            false => [0.0; 3],
        };
        BodyRow {
            id,
            kind,
            material: self.material,
            radius: match kind == BodyKind::Free as u32 {
                true => row.radius * self.size,
                false => row.radius,
            },
            velocity: sum(row.velocity, self.velocity),
            angular_velocity: sum(row.angular_velocity, self.angular_velocity),
            image: [0; 3],
            ..*row
        }
    }

    /// Lets its bodies start with so much of their radii; shares of space are those in the end.
    pub(crate) fn shrink(&mut self, size: f64) {
        self.size = size;
        match &mut self.source {
            Source::Lattice(lattice) => lattice.radius = lattice.radius.scaled(size),
            Source::Random(random) => {
                random.radius = random.radius.scaled(size);
                if let Amount::Fraction(fraction) = &mut random.amount {
                    *fraction *= size.powi(if self.discs { 2 } else { 3 });
                }
            }
            Source::File(_) | Source::Checkpoint { .. } => {}
        }
    }

    /// Where its bodies are put; `None`: where a file says.
    #[must_use]
    pub fn space(&self) -> Option<&Space> {
        match &self.source {
            Source::Lattice(lattice) => Some(&lattice.space),
            Source::Random(random) => Some(&random.space),
            Source::File(_) | Source::Checkpoint { .. } => None,
        }
    }

    /// A body of this sample, `radius` being that of the start [m]; velocities come on top of the sample's, and a fixed body has none.
    pub(super) fn body(&self, id: u64, position: [f64; 3], radius: f64, density: f64) -> BodyRow {
        let (mass, inertia) = mass_and_inertia(density, radius / self.size, self.discs);
        BodyRow {
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            inertia,
            material: self.material,
            kind: self.kind as u32,
            ..BodyRow::sphere(BodyId(id), position, radius, mass)
        }
    }
}

/// How bodies are placed.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A lattice, each body moved at random about its site.
    Lattice(Lattice),
    /// At random, without overlaps.
    Random(Random),
    /// A file of bodies: CSV (`x,y,z,radius`, more columns allowed) a LAMMPS data file (atom style sphere), or the last frame of
    /// a LAMMPS dump, told apart by their content.
    File(PathBuf),
    /// The bodies of a checkpoint of this program, which the run reads: this room knows no HDF5.
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Whether bodies move as they did there, and not as the entry says.
        as_there: bool,
    },
}

/// A perturbed lattice that fills a region from below.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Number of bodies.
    pub count: u64,
    /// Radii.
    pub radius: Radius,
    /// How its sites lie.
    pub arrangement: Arrangement,
    /// The region to fill.
    pub space: Space,
    /// Largest displacement from the lattice site on each axis, in units of the largest diameter.
    pub jitter: f64,
}

/// How the sites of a lattice lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// On top of and beside each other; in two dimensions a square lattice.
    SimpleCubic,
    /// Closest packing, cube axes along those of space.
    FaceCentredCubic,
    /// Closest packing, hexagonal layers across z; in two dimensions one such layer, rows along x.
    HexagonalClosePacked,
}

/// Bodies placed one after the other at random where they overlap nobody (random sequential placing).
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// How many.
    pub amount: Amount,
    /// Radii.
    pub radius: Radius,
    /// The region to fill.
    pub space: Space,
}

/// How many bodies, or how much of the space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many bodies.
    Count(u64),
    /// So many that on average this fraction of the space is solid.
    Fraction(f64),
}
