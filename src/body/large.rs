//! Bodies much larger than the rest.

use super::{BodyId, BodyRow};
use std::sync::Arc;

/// The bodies that are much larger than the others, by id.
///
/// Blocks are wide enough for the other bodies only. A large body is known to all ranks; its
/// contacts lie in any number of blocks, and act on it together
/// ([`Pushed`](crate::solver::pushed::Pushed)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Large(Arc<[BodyId]>);

impl Large {
    /// These bodies, in any order.
    #[must_use]
    pub fn new(mut ids: Vec<BodyId>) -> Self {
        ids.sort_unstable();
        Self(ids.into())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of these bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a body is one of them.
    #[must_use]
    #[inline]
    pub fn has(&self, id: BodyId) -> bool {
        !self.0.is_empty() && self.0.binary_search(&id).is_ok()
    }

    /// The places of these bodies in a list in order of id; those that it lacks are left out.
    pub fn places(&self, ids: &[BodyId]) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|id| ids.binary_search(id).ok())
    }
}

/// Whether a body is large if those with more than this radius [m] are.
#[must_use]
pub fn is_large(row: &BodyRow, above: Option<f64>) -> bool {
    above.is_some_and(|above| row.radius > above)
}
