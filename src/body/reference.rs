//! The pose of a body for which a plan of contacts was made.

use crate::math::Quaternion;
use bytemuck::{Pod, Zeroable};

/// The pose of a body when the plan was made, and the distance that its surface may move since.
///
/// All that a plan depends on is a function of these numbers: owners, copies, pairs, blocks. All
/// zero for a body without a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Reference {
    /// Centre of mass, global frame [m].
    pub position: [f64; 3],
    /// Orientation (w, x, y, z), body frame to global frame.
    pub orientation: Quaternion,
    /// Radius [m]; for a clump that of its bounding sphere.
    pub radius: f64,
    /// The distance by which the surface may move until the next plan [m]; 0: without a plan.
    pub allowance: f64,
    /// One more than the body's kind; 0: without a plan.
    pub kind: u64,
}
