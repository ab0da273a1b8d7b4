//! The part that a block has of a large body.

use crate::body::Member;

/// The part of a large body that a block has.
///
/// It takes the impulses of the block's contacts at once, while the block is visited; the whole
/// body takes those of all blocks together after the sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solver) struct Part {
    /// Index among the walls and bodies that impulses move after the sweep.
    pub on: u32,
    /// Its place among the block's members.
    pub(super) place: u32,
    /// The sum of the weights of the block's contacts with it [kg].
    pub(super) weight: f64,
    /// Inverse mass [1/kg], and `l²/I` [1/kg].
    pub(super) response: [f64; 2],
}

/// Lets the parts of a block move among its members, in a visit, or not any more.
pub(super) fn free_all(parts: &[Part], members: &mut [Member], free: bool) {
    for part in parts {
        let response = if free { part.response } else { [0.0; 2] };
        members[part.place as usize].set_response(response);
    }
}
