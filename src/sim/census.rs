//! The numbers of the bodies of samples, and their ids.
//!
//! Bodies of files keep the ids that the files give them, unless the entry asks for new ones. New
//! ids count up from 0, or from a number above all that are kept, in the order of samples.

use super::error::RunError;
use super::sizes::memory_suffices;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::io::checkpoint;
use crate::sample::{self, Count, Ids, Sample, Source};
use std::collections::BTreeMap;

/// Above all ids, and numbers of bodies.
const MOST: u64 = 1 << 62;

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
    /// The bodies of samples that were counted.
    ///
    /// # Errors
    /// If there are too many, or if their ids are too large.
    fn of(counted: &[Count]) -> Result<Self, &'static str> {
        let bodies = counted.iter().map(|count| count.bodies);
        let total = bodies.clone().try_fold(0, u64::checked_add);
        if total.is_none_or(|total| total >= MOST) {
            return Err("the number of bodies must be below 2^62; found more");
        }
        let kept = counted.iter().filter_map(|count| count.kept_below).max();
        let mut ids_end = kept.unwrap_or(0);
        let mut first_ids = Vec::with_capacity(counted.len());
        for count in counted {
            first_ids.push(count.kept_below.is_none().then_some(ids_end));
            if count.kept_below.is_none() {
                ids_end = ids_end.saturating_add(count.bodies);
            }
        }
        if ids_end >= MOST {
            return Err(
                "ids of bodies must be below 2^62 - 1; found larger ones, as new ids lie above those of files",
            );
        }
        Ok(Self {
            counts: bodies.collect(),
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
        for sample in samples.clone() {
            let Source::File { path, .. } = &sample.source else {
                continue;
            };
            for ignored in sample::ignored(sample).into_iter().flatten() {
                tell!("moreau: {}: {ignored} is ignored", path.display());
            }
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
        let kept = count.kept_below.map_or(0, |end| end.saturating_add(1));
        two.copy_from_slice(&[count.bodies as i64, kept as i64]);
    }
    comm.sum_i64(&mut numbers);
    let counts = numbers.chunks_exact(2).map(|two| Count {
        bodies: two[0] as u64,
        kept_below: (two[1] as u64).checked_sub(1),
    });
    let counts: Vec<Count> = counts.collect();
    let census = Census::of(&counts).map_err(|why| RunError::Input(why.to_owned()))?;
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

/// Fails if two bodies have the same id. Collective; `shares` are this rank's of each sample.
pub(super) fn ids_differ(
    comm: &dyn Comm,
    scenario: &Scenario,
    census: &Census,
    shares: &[Vec<BodyRow>],
) -> Result<(), RunError> {
    // New ids are all different and differ from those kept; so do the ids of one file.
    let kept = census.first_ids.iter().filter(|first| first.is_none());
    if kept.count() < 2 {
        return Ok(());
    }
    // All bodies of one id meet on one rank, each with the number of its sample.
    let mut letters: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for (sample, rows) in shares.iter().enumerate() {
        for row in rows {
            let letter = letters.entry(home(row.id.0, comm.size())).or_default();
            letter.extend([row.id.0, sample as u64]);
        }
    }
    let bytes = |(to, ids): (usize, Vec<u64>)| (to, bytemuck::cast_slice(&ids).to_vec());
    let came = comm.exchange(letters.into_iter().map(bytes).collect());
    let mut met: Vec<[u64; 2]> = Vec::new();
    for (_, bytes) in came {
        let numbers = bytemuck::allocation::pod_collect_to_vec::<u8, u64>(&bytes);
        met.extend(numbers.chunks_exact(2).map(|two| [two[0], two[1]]));
    }
    met.sort_unstable();
    let twice = met.windows(2).find(|two| two[0][0] == two[1][0]);
    // The smallest of all ranks, so that the message does not depend on their number.
    let here = twice.map_or(0, |two| MOST as i64 - two[0][0] as i64);
    let mut least = [here];
    comm.max_i64(&mut least);
    if least == [0] {
        return Ok(());
    }
    let mut samples = match twice.filter(|_| least == [here]) {
        Some(two) => [two[0][1] as i64, two[1][1] as i64],
        None => [-1, -1],
    };
    comm.max_i64(&mut samples);
    let id = BodyId((MOST as i64 - least[0]) as u64);
    let [first, second] = samples;
    let path = |k: i64| match scenario
        .samples
        .get(k as usize)
        .map(|sample| &sample.source)
    {
        Some(Source::File { path, .. } | Source::Checkpoint { path, .. }) => {
            path.display().to_string()
        }
        _ => String::new(),
    };
    Err(RunError::Input(format!(
        "bodies.{second}.file: the ids of {} must differ from those of bodies.{first}, {}; found {id} in both; accepted: \
         ids = \"new\" in one of the entries, or files without common ids",
        path(second),
        path(first),
    )))
}

/// The rank on which the bodies of an id meet; also ids with gaps are spread over all ranks.
fn home(id: u64, ranks: usize) -> usize {
    let mixed = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(mixed) * ranks as u128) >> 64) as usize
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
        assert!(Census::of(&[count(1, Some(MOST - 1))]).is_ok());
        for (some, why) in [
            (vec![count(1, Some(MOST))], "ids"),
            (vec![count(1, Some(u64::MAX))], "ids"),
            (vec![count(1, Some(MOST - 1)), count(1, None)], "ids"),
            (
                vec![count(MOST / 2, None), count(MOST / 2, None)],
                "the number",
            ),
            (vec![count(u64::MAX, None), count(2, None)], "the number"),
        ] {
            let found = Census::of(&some).expect_err("too large");
            assert!(found.starts_with(why), "{found}");
        }
    }

    /// Ids in steps of any length are spread over ranks.
    #[test]
    fn homes_are_spread() {
        for step in [1, 2, 1000, 1 << 20, 3 << 40] {
            for ranks in [1, 2, 3, 8, 64] {
                let mut counts = vec![0_usize; ranks];
                (0..6400).for_each(|k| counts[home(k * step, ranks)] += 1);
                let most = counts.iter().max().copied().unwrap_or_default();
                assert!(most <= 2 * 6400 / ranks, "{step}, {ranks} ranks: {most}");
            }
        }
    }
}
