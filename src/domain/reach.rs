//! The blocks that bodies may touch, and the ranks that own them.

use super::Domain;
use crate::math::Vector3;
use crate::solver::grid::Span;

/// The blocks that a body may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of its box.
    Span(Span),
    /// All blocks: those of a large body.
    All,
}

impl Reach {
    /// The reach of a box at `x` with half the width `half` [m], or of a large body.
    #[must_use]
    pub fn of(domain: &Domain, x: &Vector3, half: f64, large: bool) -> Self {
        match large {
            false => Self::Span(domain.partition.grid().span(x, half)),
            true => Self::All,
        }
    }

    /// The other ranks that own some of these blocks, ascending.
    #[must_use]
    pub fn others(&self, domain: &Domain) -> Vec<usize> {
        let rank = domain.rank();
        let Self::Span(span) = self else {
            return (0..domain.size()).filter(|&other| other != rank).collect();
        };
        let owners = span.blocks().map(|b| domain.partition.owner_of_block(b));
        let mut ranks: Vec<usize> = owners.filter(|&other| other != rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// The reach of all known bodies; empty on a single rank.
///
/// `halves` are half the widths of the boxes [m], `large` are indices of bodies.
#[must_use]
pub fn reaches(
    domain: &Domain,
    positions: &[Vector3],
    halves: &[f64],
    large: impl Iterator<Item = usize>,
) -> Vec<Reach> {
    if domain.comm.size() == 1 {
        return Vec::new(); // No body ever changes hands.
    }
    let of = |(x, half): (&Vector3, &f64)| Reach::of(domain, x, *half, false);
    let mut all: Vec<Reach> = positions.iter().zip(halves).map(of).collect();
    large.for_each(|i| all[i] = Reach::All);
    all
}
