//! A ball of a clump.

use crate::math::Vector3;

/// A ball of a clump, or a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Centre: of a description in its own frame [m]; of a template in the principal frame about the centre of mass, by the
    /// bounding radius.
    pub centre: Vector3,
    /// Radius: of a description [m]; of a template by the bounding radius.
    pub radius: f64,
}
