//! The numbers of the bodies of samples, and their ids.
//!
//! Bodies of files keep the ids that the files give them, unless the entry asks for new ones. New
//! ids count up from 0, or from the first number above all that are kept, in the order of samples.

use super::error::RunError;
use super::sizes::memory_suffices;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::io::checkpoint;
use crate::sample::{self, Count, Ids, Sample, Source};
use std::collections::BTreeMap;

/// The bodies that samples make. The same on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Census {
    /// The number of bodies of each sample.
    pub(super) counts: Vec<u64>,
    /// The id of the first body of each sample; `None`: its bodies keep those of their file.
    pub(super) first_ids: Vec<Option<u64>>,
    /// A number above all ids.
    pub(super) ids_end: u64,
}

impl Census {
    /// The bodies of samples that were counted; `None`: they are too many.
    fn of(counted: &[Count]) -> Option<Self> {
        let kept = counted.iter().filter_map(|count| count.kept_below).max();
        let mut ids_end = kept.unwrap_or(0);
        let mut first_ids = Vec::with_capacity(counted.len());
        for count in counted {
            first_ids.push(count.kept_below.is_none().then_some(ids_end));
            if count.kept_below.is_none() {
                ids_end = ids_end.checked_add(count.bodies)?;
            }
        }
        let counts: Vec<u64> = counted.iter().map(|count| count.bodies).collect();
        let total = counts.iter().try_fold(0, |sum: u64, &n| sum.checked_add(n));
        let fit = total? < 1 << 62 && ids_end <= 1 << 62;
        fit.then_some(Self {
            counts,
            first_ids,
            ids_end,
        })
    }

    /// The number of all bodies.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Counts the bodies of all samples; they must fit into memory. Collective.
///
/// Only rank 0 counts, as a file has to be read from end to end.
pub(super) fn census(comm: &dyn Comm, scenario: &Scenario) -> Result<Census, RunError> {
    let samples = scenario.samples.iter();
    if comm.rank() == 0 {
        let ignored = samples.clone().filter_map(|s| sample::ignored(s).ok());
        for ignored in ignored.flatten() {
            tell!("moreau: {ignored} of a body file is ignored");
        }
    }
    let counted: Result<Vec<Count>, RunError> = match comm.rank() {
        0 => samples.map(counted).collect(),
        _ => Ok(Vec::new()),
    };
    let mine = agree(comm, counted)?;
    // Two numbers a sample; the second is one more than the bound of ids, 0 without one.
    let mut numbers = vec![0_i64; 2 * scenario.samples.len()];
    for (two, count) in numbers.chunks_exact_mut(2).zip(&mine) {
        let kept = count.kept_below.map_or(0, |end| end + 1);
        two.copy_from_slice(&[count.bodies as i64, kept as i64]);
    }
    comm.sum_i64(&mut numbers);
    let counts = numbers.chunks_exact(2).map(|two| Count {
        bodies: two[0] as u64,
        kept_below: (two[1] as u64).checked_sub(1),
    });
    let counts: Vec<Count> = counts.collect();
    let too_many = "the number of bodies must be at most 2^62; found more";
    let census = Census::of(&counts).ok_or_else(|| RunError::Input(too_many.to_owned()))?;
    if census.total() == 0 && scenario.inlets.is_empty() {
        return Err(RunError::Input(
            "the number of bodies must be at least one; found none".to_owned(),
        ));
    }
    agree(comm, memory_suffices(scenario, census.total(), comm.size()))?;
    Ok(census)
}

fn counted(sample: &Sample) -> Result<Count, RunError> {
    let Source::Checkpoint { path, ids, .. } = &sample.source else {
        return sample::count(sample).map_err(|e| RunError::Input(e.to_string()));
    };
    let (header, counts) = checkpoint::header(path).map_err(|e| RunError::Input(e.to_string()))?;
    Ok(Count {
        bodies: counts.bodies,
        kept_below: (*ids == Ids::OfFile).then_some(header.next_id),
    })
}

/// Fails if two bodies have the same id. Collective; `rows` are this rank's, in the order of ids.
pub(super) fn ids_differ(
    comm: &dyn Comm,
    census: &Census,
    rows: &[BodyRow],
) -> Result<(), RunError> {
    // New ids are all different, and differ from those kept.
    if census.first_ids.iter().all(Option::is_some) {
        return Ok(());
    }
    // All bodies of one id meet on the rank of that number, modulo the number of ranks.
    let mut letters: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for row in rows {
        let home = (row.id.0 % comm.size() as u64) as usize;
        letters.entry(home).or_default().push(row.id.0);
    }
    let bytes = |(to, ids): (usize, Vec<u64>)| (to, bytemuck::cast_slice(&ids).to_vec());
    let came = comm.exchange(letters.into_iter().map(bytes).collect());
    let ids = (came.iter())
        .flat_map(|(_, bytes)| bytemuck::allocation::pod_collect_to_vec::<u8, u64>(bytes));
    let mut ids: Vec<u64> = ids.collect();
    ids.sort_unstable();
    let twice = ids.windows(2).find(|two| two[0] == two[1]);
    // The smallest of all ranks, so that the message does not depend on their number.
    let mut least = [twice.map_or(0, |two| (1 << 62) - two[0] as i64)];
    comm.max_i64(&mut least);
    match least {
        [0] => Ok(()),
        [least] => Err(RunError::Input(format!(
            "bodies: the ids of two bodies must differ; found {} twice; accepted: ids = \"new\" in a \
             [[bodies]] entry, or files without common ids",
            BodyId(((1 << 62) - least) as u64)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(bodies: u64, kept_below: Option<u64>) -> Count {
        Count { bodies, kept_below }
    }

    /// New ids count up in the order of samples, above all that files keep.
    #[test]
    fn new_ids_lie_above_those_of_files() {
        let census = Census::of(&[count(3, None), count(5, None)]).expect("few");
        assert_eq!(census.first_ids, [Some(0), Some(3)]);
        assert_eq!((census.ids_end, census.total()), (8, 8));
        let some = [
            count(3, None),
            count(5, Some(90)),
            count(2, Some(7)),
            count(4, None),
        ];
        let census = Census::of(&some).expect("few");
        assert_eq!(census.first_ids, [Some(90), None, None, Some(93)]);
        assert_eq!((census.ids_end, census.total()), (97, 14));
    }

    #[test]
    fn ids_stay_below_two_to_the_62() {
        assert!(Census::of(&[count(1, Some(1 << 62))]).is_some());
        assert!(Census::of(&[count(1, Some(1 << 62)), count(1, None)]).is_none());
        assert!(Census::of(&[count(1 << 61, None), count(1 << 61, None)]).is_none());
        assert!(Census::of(&[count(u64::MAX, None), count(2, None)]).is_none());
    }
}
