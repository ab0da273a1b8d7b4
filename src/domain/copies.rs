//! Copies of bodies on other ranks, brought up to date while a plan of contacts is kept.

use super::Domain;
use crate::body::BodyRow;
use crate::solver::grid::Span;
use std::collections::BTreeMap;

/// Who sends the rows of which bodies to whom, as long as a plan is kept.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// By the other rank: indices of this rank's bodies, ascending.
    sends: Vec<(usize, Vec<usize>)>,
    /// By the other rank: indices of its bodies here, ascending.
    receives: Vec<(usize, Vec<usize>)>,
}

/// The numbers of a row.
const NUMBERS: usize = size_of::<BodyRow>() / size_of::<f64>();

impl Copies {
    /// The lists of all bodies that this rank knows, in order of id.
    ///
    /// They follow from the bodies' owners and the blocks that their boxes touch. Both ends see the
    /// same boxes, so their lists agree.
    #[must_use]
    pub fn plan(domain: &Domain, owners: &[usize], spans: &[Span]) -> Self {
        let (rank, partition) = (domain.rank(), &domain.partition);
        let mut sends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut receives: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, (&owner, span)) in owners.iter().zip(spans).enumerate() {
            if owner != rank {
                receives.entry(owner).or_default().push(i);
                continue;
            }
            let ranks = span.blocks().map(|block| partition.owner_of_block(block));
            let mut ranks: Vec<usize> = ranks.filter(|&to| to != rank).collect();
            ranks.sort_unstable();
            ranks.dedup();
            for to in ranks {
                sends.entry(to).or_default().push(i);
            }
        }
        Self {
            sends: sends.into_iter().collect(),
            receives: receives.into_iter().collect(),
        }
    }

    /// All rows that this rank knows, in order of id, from its own: one message to each rank.
    #[must_use]
    pub fn refresh(&self, domain: &Domain, own: Vec<BodyRow>) -> Vec<BodyRow> {
        if self.sends.is_empty() && self.receives.is_empty() {
            return own;
        }
        let copies: usize = self.receives.iter().map(|(_, places)| places.len()).sum();
        let mut rows: Vec<BodyRow> = Vec::with_capacity(own.len() + copies);
        rows.resize(own.len() + copies, bytemuck::Zeroable::zeroed());
        let mut mine = vec![true; rows.len()];
        for (_, places) in &self.receives {
            places.iter().for_each(|&i| mine[i] = false);
        }
        let places = (0..rows.len()).filter(|&i| mine[i]);
        places.zip(own).for_each(|(i, row)| rows[i] = row);
        for (to, places) in &self.sends {
            let rows: Vec<BodyRow> = places.iter().map(|&i| rows[i]).collect();
            domain.comm.post(*to, bytemuck::cast_slice(&rows));
        }
        for (from, places) in &self.receives {
            let mut numbers = vec![f64::NAN; NUMBERS * places.len()];
            domain.comm.receive(*from, &mut numbers);
            let received: &[BodyRow] = bytemuck::cast_slice(&numbers);
            for (&i, row) in places.iter().zip(received) {
                rows[i] = *row;
            }
        }
        rows
    }
}
