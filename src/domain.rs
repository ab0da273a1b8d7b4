//! Owners of points, blocks and bodies: the domain cut among ranks.
//!
//! A rank owns whole blocks ([`partition`]), the bodies whose reference position lies in them, and
//! the contacts of the pairs that belong to them. [`balance`] cuts the domain so that all ranks
//! have the same work. [`migration`] sends bodies, with the contacts that start at them, to their
//! owners, and ghosts of them to every rank whose blocks their box touches; [`copies`] brings the
//! ghosts up to date. [`ghosts`] passes velocities from holder to holder within a sweep.

pub mod balance;
pub mod copies;
pub mod ghosts;
pub mod migration;
pub mod partition;
pub mod reach;
pub mod rendezvous;
mod shares;
mod traffic;

use crate::body::CellState;
pub use crate::comm::Failure;
use crate::comm::threads::Serial;
use crate::comm::{Comm, agree, sum_exact};
use crate::math::{ExactSum, Vector3};
use partition::Partition;
use std::sync::Arc;

/// The domain as one rank sees it: the cut, and the other ranks.
#[derive(Clone)]
pub struct Domain<'a> {
    comm: &'a dyn Comm,
    partition: Partition,
    asked: Option<Asked>,
}

/// The question whether this rank is asked to end the run.
pub type Asked = Arc<dyn Fn() -> bool + Send + Sync>;

impl<'a> Domain<'a> {
    /// The domain, cut among the ranks of `comm` by `partition`.
    #[must_use]
    pub fn new(comm: &'a dyn Comm, partition: Partition) -> Self {
        Self {
            comm,
            partition,
            asked: None,
        }
    }

    /// Sets the question whether the run is to end, which long steps put from time to time.
    pub fn ask(&mut self, asked: Asked) {
        self.asked = Some(asked);
    }

    /// Whether this rank is asked to end the run; others may not be.
    #[must_use]
    pub fn is_asked_to_end(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked())
    }

    /// The whole domain on one rank.
    #[must_use]
    pub fn alone(partition: Partition) -> Domain<'static> {
        Domain::new(&Serial, partition)
    }

    /// Changes the owners: bodies move to them, with their contacts, at the start of the next step.
    pub fn set_partition(&mut self, partition: Partition) {
        self.partition = partition;
    }

    /// Moves the upper corner of the domain [m]; blocks become more or fewer where edges demand it.
    pub fn resize(&mut self, upper: &Vector3) {
        if *self.partition.corners()[1] != *upper {
            self.partition = self.partition.resized(*upper);
        }
    }

    /// Gives the domain the size and the shear of a cell that deforms.
    pub fn follow(&mut self, cell: &CellState) {
        self.resize(&cell.upper);
        if self.partition.grid().period().shear != cell.shear {
            self.partition = self.partition.sheared(cell.shear);
        }
    }

    /// The cut of the domain.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// This rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.comm.rank()
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.comm.size()
    }

    /// The largest number on any rank, NaN if one is NaN. Collective.
    #[must_use]
    pub fn max(&self, value: f64) -> f64 {
        self.comm.max_f64(value)
    }

    /// The maximum of each number over all ranks. Collective.
    pub fn many_max(&self, values: &mut [f64]) {
        self.comm.max_f64s(values);
    }

    /// The exact sums over all ranks. Collective.
    #[must_use]
    pub fn sums<const N: usize>(&self, sums: &[ExactSum; N]) -> [f64; N] {
        let mut sums = sums.clone();
        sum_exact(self.comm, &mut sums);
        sums.map(|sum| sum.value())
    }

    /// The exact sums over all ranks, of equal number on each. Collective.
    #[must_use]
    pub fn many_sums(&self, mut sums: Vec<ExactSum>) -> Vec<f64> {
        sum_exact(self.comm, &mut sums);
        sums.iter().map(ExactSum::value).collect()
    }

    /// Integers, summed over all ranks. Collective.
    pub fn count(&self, numbers: &mut [i64]) {
        self.comm.sum_i64(numbers);
    }

    /// The numbers of all ranks, in the order of ranks, on every rank. Collective.
    #[must_use]
    pub fn gather(&self, mine: &[u64]) -> Vec<u64> {
        let all = self.comm.all_gather(bytemuck::cast_slice(mine));
        let read = |bytes: &Vec<u8>| bytemuck::allocation::pod_collect_to_vec::<u8, u64>(bytes);
        all.iter().flat_map(read).collect()
    }

    /// The numbers of all ranks, in the order of ranks, on the first rank; none on others.
    /// Collective.
    #[must_use]
    pub fn gather_to_first(&self, mine: Vec<u64>) -> Vec<u64> {
        let others = match self.rank() {
            0 => Vec::new(),
            _ => vec![(0, bytemuck::allocation::pod_collect_to_vec(&mine))],
        };
        let mut received = self.comm.exchange(others);
        received.sort_unstable_by_key(|(from, _)| *from);
        let mut all = if self.rank() == 0 { mine } else { Vec::new() };
        for (_, bytes) in received {
            all.extend(bytemuck::allocation::pod_collect_to_vec::<u8, u64>(&bytes));
        }
        all
    }

    /// The numbers that the first rank gives, on all ranks. Collective.
    #[must_use]
    pub fn from_first(&self, given: Vec<u64>) -> Vec<u64> {
        let others = (1..self.size()).filter(|_| self.rank() == 0);
        let bytes: &[u8] = bytemuck::cast_slice(&given);
        let messages = others.map(|to| (to, bytes.to_vec())).collect();
        let received = self.comm.exchange(messages);
        let read = |(_, bytes): &(usize, Vec<u8>)| {
            bytemuck::allocation::pod_collect_to_vec::<u8, u64>(bytes)
        };
        match self.rank() {
            0 => given,
            _ => received.first().map(read).unwrap_or_default(),
        }
    }

    /// One result for all ranks. Collective.
    ///
    /// # Errors
    /// The error of the lowest rank that failed, the same on all ranks.
    pub fn agree<T, E: Failure>(&self, result: Result<T, E>) -> Result<T, E> {
        agree(self.comm, result)
    }
}
