//! The source of the bodies of a sample, as in the configuration.

use super::form::Form;
use super::radius::Radius;
use super::space::Space;
use crate::body::{BodyId, BodyKind, BodyRow};
use crate::shape::{Template, disc_area, mass_and_inertia, sphere_volume};
use std::path::PathBuf;

/// The source of the bodies of one `[[bodies]]` entry, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The way they are placed.
    pub source: Source,
    /// Number of their material in the configuration.
    pub material: u32,
    /// Density of that material [kg/m³].
    pub density: f64,
    /// The materials by the words that a file has for them; empty: the file's are not used.
    pub named: Vec<Named>,
    /// Initial velocity of all of them [m/s]; adds to the velocities in a file.
    pub velocity: [f64; 3],
    /// Initial angular velocity of all of them [rad/s], likewise.
    pub angular_velocity: [f64; 3],
    /// The kind of their motion.
    pub kind: BodyKind,
    /// Whether they are discs in the plane z = 0, one metre thick, and not spheres.
    pub discs: bool,
    /// The form of bodies that are clumps; radii are then those of their bounding spheres.
    pub form: Option<Form>,
    /// Initial over final radius: 1 except for growing bodies. Placing uses the initial radius.
    pub size: f64,
}

/// The number of bodies of a sample, and the ids that they bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Bodies.
    pub bodies: u64,
    /// A number above all ids that the bodies keep from their file; `None`: their ids are new.
    pub kept_below: Option<u64>,
}

/// A material by the word that a file of bodies has for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The word in the column `type` or `material`.
    pub word: String,
    /// Number of the material in the configuration.
    pub material: u32,
    /// Its density [kg/m³].
    pub density: f64,
}

impl Sample {
    /// Whether it may have bodies of this material.
    #[must_use]
    pub fn may_have(&self, material: u32) -> bool {
        match self.named.is_empty() {
            true => self.material == material,
            false => self.named.iter().any(|named| named.material == material),
        }
    }

    /// The body of this sample for a body of a checkpoint.
    ///
    /// It keeps position, size, mass, orientation and velocities, to which those of the sample add;
    /// its material is the sample's. `template` is the form of a clump.
    #[must_use]
    pub fn taken_over(&self, id: BodyId, row: &BodyRow, template: Option<&Template>) -> BodyRow {
        let kind = match &self.source {
            // A body that was held there is held here only if this run says so.
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
        let mut taken = BodyRow {
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
        };
        if let Some(template) = template
            && taken.angular_velocity != row.angular_velocity
        {
            taken.turn_as(taken.angular_velocity, template);
        }
        taken
    }

    /// Of clumps a solid fraction counts their own volume; placing counts that of bounding spheres.
    pub(crate) fn count_solid_volume(&mut self) {
        let (Some(form), Source::Random(random)) = (&self.form, &mut self.source) else {
            return;
        };
        if let Amount::Fraction(fraction) = &mut random.amount {
            let bounding = if self.discs {
                disc_area(1.0)
            } else {
                sphere_volume(1.0)
            };
            *fraction *= bounding / form.template.volume(1.0);
        }
    }

    /// Sets the initial radii to this fraction; shares of space are those of the final radii.
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
            Source::File { .. } | Source::Checkpoint { .. } => {}
        }
    }

    /// The region of its bodies; `None` for files.
    #[must_use]
    pub fn space(&self) -> Option<&Space> {
        match &self.source {
            Source::Lattice(lattice) => Some(&lattice.space),
            Source::Random(random) => Some(&random.space),
            Source::File { .. } | Source::Checkpoint { .. } => None,
        }
    }

    /// A body of this sample with the initial `radius` [m].
    ///
    /// Velocities add to the sample's; a fixed body has none.
    pub(super) fn body(&self, id: u64, position: [f64; 3], radius: f64, density: f64) -> BodyRow {
        let at_rest = match &self.form {
            Some(form) => form.body(id, position, (radius, self.size), density),
            None => {
                let (mass, inertia) = mass_and_inertia(density, radius / self.size, self.discs);
                BodyRow {
                    inertia,
                    ..BodyRow::sphere(BodyId(id), position, radius, mass)
                }
            }
        };
        let mut body = BodyRow {
            velocity: self.velocity,
            material: self.material,
            kind: self.kind as u32,
            ..at_rest
        };
        self.turn(&mut body, self.angular_velocity);
        body
    }

    /// Gives a body of this sample an angular velocity [rad/s].
    pub(super) fn turn(&self, body: &mut BodyRow, angular_velocity: [f64; 3]) {
        match &self.form {
            None => body.angular_velocity = angular_velocity,
            Some(form) => body.turn_as(angular_velocity, &form.template),
        }
    }
}

/// The way of placing bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A lattice, each body displaced at random from its site.
    Lattice(Lattice),
    /// At random, without overlaps.
    Random(Random),
    /// A file of bodies, recognized by its content.
    ///
    /// CSV (`x,y,z,radius`, more columns allowed), a LAMMPS data file (atom style sphere), or the
    /// last frame of a LAMMPS dump.
    File {
        /// The file.
        path: PathBuf,
        /// The ids of its bodies.
        ids: Ids,
    },
    /// The bodies of a checkpoint of this program, which the run reads: this room does not use
    /// HDF5.
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Whether bodies keep their kind of motion, instead of that of the entry.
        as_there: bool,
        /// The ids of its bodies.
        ids: Ids,
    },
}

/// The ids of the bodies of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Those in the file; new ones where it has none.
    OfFile,
    /// New ones, in the order of the file's ids, else of its rows.
    New,
}

/// A perturbed lattice that fills a region from below.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Number of bodies.
    pub count: u64,
    /// Radii.
    pub radius: Radius,
    /// The arrangement of its sites.
    pub arrangement: Arrangement,
    /// The region to fill.
    pub space: Space,
    /// Largest displacement from the lattice site on each axis, in units of the largest diameter.
    pub jitter: f64,
}

/// The arrangement of the sites of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Rows and layers in line along each axis; in two dimensions a square lattice.
    SimpleCubic,
    /// Closest packing, cube axes along those of space.
    FaceCentredCubic,
    /// Closest packing, hexagonal layers across z; in two dimensions one such layer, rows along x.
    HexagonalClosePacked,
}

/// Bodies placed one after the other at random without overlaps (random sequential placing).
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// The amount of bodies.
    pub amount: Amount,
    /// Radii.
    pub radius: Radius,
    /// The region to fill.
    pub space: Space,
}

/// The number of bodies, or the solid fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// This number of bodies.
    Count(u64),
    /// The number with this solid fraction on average.
    Fraction(f64),
}
