//! The place at which a support exerts no force on a body.

use super::{BodyId, BodyRow};
use crate::math::Quaternion;
use bytemuck::{Pod, Zeroable};

/// The place at which a support exerts no force on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Anchor {
    /// The body.
    pub body: BodyId,
    /// Number of the `[[support]]`, from 0.
    pub support: u64,
    /// Its centre of mass [m], periods included.
    pub position: [f64; 3],
    /// Its orientation.
    pub orientation: Quaternion,
}

impl Anchor {
    /// The anchor of a body at a place [m], with its present orientation.
    #[must_use]
    pub fn here(support: u64, body: &BodyRow, position: [f64; 3]) -> Self {
        Self {
            body: body.id,
            support,
            position,
            orientation: body.orientation,
        }
    }

    /// The key of the order in which anchors stand.
    #[must_use]
    pub fn key(&self) -> (BodyId, u64) {
        (self.body, self.support)
    }
}
