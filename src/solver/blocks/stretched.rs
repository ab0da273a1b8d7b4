//! The data of a contact in a cell whose edges follow a stress.

use crate::math::Vector3;

/// A contact that pushes the edges of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Stretched {
    /// Its slot; while the block is filled, its index.
    pub(super) slot: u32,
    /// Its number in [`Origin::drive`](crate::contact::Origin::drive).
    pub(super) drive: u32,
    /// The vector that the rates strain [m]: [`Strain::strained`](super::Strain::strained).
    pub(super) branch: Vector3,
    /// The terms that the edges do not change, of the drive and of the law's shift [m/s].
    pub(super) rest: [Vector3; 2],
}
