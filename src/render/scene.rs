//! The scene of a picture.

use crate::body::BodyRow;
use crate::contact::ContactRow;
use crate::math::Vector3;
use crate::shape::{Surface, Template};

/// The subject of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Bodies in the order of their ids.
    pub bodies: &'a [BodyRow],
    /// The forms of clumps, by number.
    pub templates: &'a [Template],
    /// Contacts among them and with walls.
    pub contacts: &'a [ContactRow],
    /// Length of the step in which the contacts' impulses acted [s].
    pub dt: f64,
    /// Surfaces of walls at their present positions.
    pub surfaces: &'a [Surface],
    /// Names of the materials by number.
    pub materials: &'a [String],
    /// Corners of the domain [m].
    pub domain: (Vector3, Vector3),
    /// Unit vector against gravity, along which heights count.
    pub up: Vector3,
    /// Whether bodies are discs in the plane z = 0.
    pub flat: bool,
    /// A line below the picture.
    pub caption: &'a str,
}
