//! Copies of bodies on other ranks, brought up to date while a plan of contacts is kept.

use super::Domain;
use super::reach::Reach;
use crate::body::BodyRow;
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
    pub fn plan(domain: &Domain, owners: &[usize], reaches: &[Reach]) -> Self {
        let rank = domain.rank();
        let mut sends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut receives: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, (&owner, reach)) in owners.iter().zip(reaches).enumerate() {
            if owner != rank {
                receives.entry(owner).or_default().push(i);
                continue;
            }
            for to in reach.others(domain) {
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

    /// Brings numbers of bodies to the copies on other ranks: one message to each rank.
    ///
    /// `all` are those of all bodies that this rank knows, in order of id; its own are given.
    pub fn share<const N: usize>(&self, domain: &Domain, all: &mut [[f64; N]]) {
        for (to, places) in &self.sends {
            let mine: Vec<[f64; N]> = places.iter().map(|&i| all[i]).collect();
            domain.comm.post(*to, mine.as_flattened());
        }
        for (from, places) in &self.receives {
            let mut theirs = vec![[f64::NAN; N]; places.len()];
            domain.comm.receive(*from, theirs.as_flattened_mut());
            for (&i, numbers) in places.iter().zip(&theirs) {
                all[i] = *numbers;
            }
        }
    }

    /// Sends items about own bodies to all ranks that have a copy of the body. Collective.
    ///
    /// `items` have the index of a body; those of a body arrive in their order.
    #[must_use]
    pub fn tell<T: bytemuck::Pod>(&self, domain: &Domain, items: &[(usize, T)]) -> Vec<(usize, T)> {
        let messages = self.sends.iter().map(|(to, places)| {
            let mut bytes = Vec::new();
            for (body, item) in items {
                if let Ok(place) = places.binary_search(body) {
                    bytes.extend_from_slice(&(place as u64).to_le_bytes());
                    bytes.extend_from_slice(bytemuck::bytes_of(item));
                }
            }
            (*to, bytes)
        });
        let mut received = Vec::new();
        for (from, bytes) in domain.comm.exchange(messages.collect()) {
            let places = self.receives.iter().find(|(rank, _)| *rank == from);
            let places = places.map_or(&[][..], |(_, places)| places);
            for item in bytes.chunks(8 + size_of::<T>()) {
                let (place, item) = item.split_at(8);
                let place = bytemuck::pod_read_unaligned::<u64>(place) as usize;
                received.push((places[place], bytemuck::pod_read_unaligned(item)));
            }
        }
        received
    }
}
