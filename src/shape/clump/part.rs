//! A ball of a clump.

use crate::math::Vector3;

/// A ball of a clump, or a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Centre. In a description: in its own frame [m]. In a template: in the principal frame about
    /// the centre of mass, in units of the bounding radius.
    pub centre: Vector3,
    /// Radius. In a description [m]; in a template in units of the bounding radius.
    pub radius: f64,
}
