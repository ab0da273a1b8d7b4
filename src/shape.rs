//! Shapes: balls, discs, clumps, regions, surfaces of walls and meshes; later polyhedra.
//!
//! The space that contains them, with its periodic axes, is a [`Period`].

pub mod clump;
pub mod mesh;
mod period;
mod region;
mod surface;

pub use clump::Template;
pub use period::{Period, Shear};
pub use region::{Region, Spell};
pub use surface::{CompoundError, PLACES, Posed, Surface, drift};

use crate::math::Vector3;

/// A solid half-space: all points behind a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// A point of the plane [m].
    pub point: Vector3,
    /// Unit normal, from the solid into the free side.
    pub normal: Vector3,
}

impl HalfSpace {
    /// Distance of a point from the plane, positive on the free side [m].
    #[must_use]
    pub fn distance(&self, x: &Vector3) -> f64 {
        self.normal.dot(&(x - self.point))
    }
}

/// Moment of inertia of a solid sphere about its centre [kg m²]: `2/5 m r²`.
#[must_use]
pub fn solid_sphere_inertia(mass: f64, radius: f64) -> f64 {
    0.4 * mass * radius * radius
}

/// Moment of inertia of a disc about its axis [kg m²]: `1/2 m r²`.
#[must_use]
pub fn disc_inertia(mass: f64, radius: f64) -> f64 {
    0.5 * mass * radius * radius
}

/// Area of a disc [m²], which is its volume if it is one metre thick [m³].
#[must_use]
pub fn disc_area(radius: f64) -> f64 {
    std::f64::consts::PI * radius * radius
}

/// Volume of a sphere [m³].
#[must_use]
pub fn sphere_volume(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}

/// Mass [kg] and moment of inertia [kg m²] of a solid sphere, or of a disc one metre thick.
///
/// `density` is in [kg/m³], `radius` in [m].
#[must_use]
pub fn mass_and_inertia(density: f64, radius: f64, disc: bool) -> (f64, f64) {
    if disc {
        let mass = density * disc_area(radius);
        (mass, disc_inertia(mass, radius))
    } else {
        let mass = density * sphere_volume(radius);
        (mass, solid_sphere_inertia(mass, radius))
    }
}
