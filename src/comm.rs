//! Communication with other ranks: the trait [`Comm`].
//!
//! [`threads`] runs ranks as threads of one process (one rank is the serial run). `mpi` runs them
//! as MPI processes and is the only file that names the MPI library. Reductions are on integers, so
//! that their result never depends on the order of arrival: floating-point numbers that decide
//! anything travel as [`ExactSum`]s or as maxima.

mod launch;
#[cfg(feature = "mpi")]
mod mpi;
pub mod threads;

#[cfg(feature = "mpi")]
pub use mpi::FileAccess;

pub use launch::{is_first_process, launch};

use crate::math::ExactSum;

/// Access of all ranks to one HDF5 file; without MPI this type has no value.
#[cfg(not(feature = "mpi"))]
#[derive(Clone, Copy, Debug)]
pub enum FileAccess {}

#[cfg(not(feature = "mpi"))]
impl FileAccess {
    /// Sets the ranks in an HDF5 file access.
    pub fn apply(self, _: &mut hdf5::plist::file_access::FileAccessBuilder) {
        match self {}
    }
}

/// One rank's view of all ranks.
///
/// All methods but [`post`](Comm::post), [`receive`](Comm::receive), [`expect`](Comm::expect),
/// [`progress`](Comm::progress) and [`abort`](Comm::abort) are collective: every rank calls them,
/// in the same order.
pub trait Comm {
    /// This rank's number, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// Every rank's bytes, on every rank, in the order of ranks.
    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>>;

    /// Sends each message to its rank and returns the messages to this rank, by sender.
    ///
    /// A receiver need not expect a message. At most one message per destination; a message to this
    /// rank itself is allowed. The result has pairs (sender, bytes).
    fn exchange(&self, messages: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)>;

    /// Starts to send numbers to another rank and returns at once; the data are copied.
    ///
    /// The receiver must call [`receive`](Comm::receive). Messages between two ranks are matched in
    /// the order in which they are posted. Each message must be received before the end of the run.
    fn post(&self, to: usize, data: &[f64]);

    /// Waits for the next numbers that `from` has posted to this rank. Their count must equal
    /// `data.len()`.
    fn receive(&self, from: usize, data: &mut [f64]);

    /// Prepares a buffer for the next numbers that `from` will post to this rank.
    ///
    /// They can then arrive during other work, as long as this rank calls
    /// [`progress`](Comm::progress). [`receive`](Comm::receive) must ask for them with this length
    /// before the run ends in any other way than a panic. If more numbers are sent than expected,
    /// MPI ends the job.
    fn expect(&self, _from: usize, _len: usize) {}

    /// Lets pending messages make progress.
    fn progress(&self) {}

    /// Replaces each integer by its sum over all ranks (wrapping).
    fn sum_i64(&self, values: &mut [i64]);

    /// Replaces each integer by its maximum over all ranks.
    fn max_i64(&self, values: &mut [i64]);

    /// Waits until all ranks have called it.
    fn barrier(&self);

    /// The library of the communication, with its version.
    fn library(&self) -> String {
        "none".to_owned()
    }

    /// Marks a file that could not be closed because its disk was full.
    ///
    /// The program must then end without calling the libraries' own ends.
    fn leave_open(&self) {}

    /// Ends the job on all ranks with this exit status, now.
    fn abort(&self, status: i32) -> !;

    /// Access of all ranks to one HDF5 file; `None` if HDF5 lacks it (one rank then writes).
    fn file_access(&self) -> Option<FileAccess>;

    /// The maximum of all ranks' numbers, NaN if one of them is NaN.
    fn max_f64(&self, value: f64) -> f64 {
        let mut key = [order_key(value)];
        self.max_i64(&mut key);
        from_order_key(key[0])
    }

    /// Replaces each number by the maximum over all ranks, NaN if one of them is NaN.
    fn max_f64s(&self, values: &mut [f64]) {
        let mut keys: Vec<i64> = values.iter().map(|x| order_key(*x)).collect();
        self.max_i64(&mut keys);
        let each = values.iter_mut().zip(keys);
        each.for_each(|(x, key)| *x = from_order_key(key));
    }

    /// The sum of one count over all ranks.
    fn sum_count(&self, count: usize) -> u64 {
        let mut v = [count as i64];
        self.sum_i64(&mut v);
        v[0] as u64
    }

    /// Whether `here` is true on any rank.
    fn any(&self, here: bool) -> bool {
        let mut v = [i64::from(here)];
        self.max_i64(&mut v);
        v[0] != 0
    }
}

/// Replaces each sum by the exact sum over all ranks: the same bits on any number of ranks.
/// Collective.
pub fn sum_exact(comm: &dyn Comm, sums: &mut [ExactSum]) {
    let mut wire: Vec<i64> = sums.iter().flat_map(ExactSum::to_wire).collect();
    comm.sum_i64(&mut wire);
    for (sum, part) in sums.iter_mut().zip(wire.chunks_exact(ExactSum::WIRE_LEN)) {
        *sum = ExactSum::from_wire(part);
    }
}

/// An integer of the same order as the number, NaN above all.
fn order_key(x: f64) -> i64 {
    if x.is_nan() {
        return i64::MAX;
    }
    let bits = x.to_bits() as i64;
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

fn from_order_key(key: i64) -> f64 {
    if key == i64::MAX {
        return f64::NAN;
    }
    let bits = if key < 0 {
        i64::MIN.wrapping_sub(key)
    } else {
        key
    };
    f64::from_bits(bits as u64)
}

/// One result for all ranks: if any rank failed, every rank gets the error of the lowest such rank.
///
/// # Errors
/// The message (and exit status) of the lowest rank that failed, the same on all ranks.
pub fn agree<T, E: Failure>(comm: &dyn Comm, result: Result<T, E>) -> Result<T, E> {
    if !comm.any(result.is_err()) {
        return result;
    }
    let mine = result
        .as_ref()
        .err()
        .map(Failure::to_bytes)
        .unwrap_or_default();
    let all = comm.all_gather(&mine);
    let first = all.iter().find(|b| !b.is_empty());
    Err(E::from_bytes(first.map_or(&[], Vec::as_slice)))
}

/// The conditions of [`Comm::exchange`] on its messages.
fn check_messages(comm: &dyn Comm, messages: &[(usize, Vec<u8>)]) {
    let (rank, size) = (comm.rank(), comm.size());
    let mut seen = vec![false; size];
    for (to, _) in messages {
        assert!(
            *to < size,
            "rank {rank} sends to rank {to}, but there are {size}"
        );
        assert!(
            !seen[*to],
            "rank {rank} sends two messages to rank {to} in one exchange"
        );
        seen[*to] = true;
    }
}

/// The conditions of [`Comm::post`] and [`Comm::receive`] on the other rank.
fn check_peer(comm: &dyn Comm, peer: usize) {
    let (rank, size) = (comm.rank(), comm.size());
    assert!(
        peer < size,
        "rank {rank} sends to or receives from rank {peer}, but there are {size}"
    );
    assert!(peer != rank, "rank {rank} sends to or receives from itself");
}

/// The condition of [`Comm::receive`] on a message.
fn check_length(comm: &dyn Comm, from: usize, sent: usize, expected: usize) {
    let rank = comm.rank();
    assert!(
        sent == expected,
        "rank {from} has posted {sent} numbers to rank {rank}, which expects {expected}"
    );
}

/// An error that can be sent to other ranks.
pub trait Failure {
    /// The error as bytes, never empty.
    fn to_bytes(&self) -> Vec<u8>;
    /// The error from another rank's bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

impl Failure for String {
    fn to_bytes(&self) -> Vec<u8> {
        if self.is_empty() {
            b"?".to_vec()
        } else {
            self.as_bytes().to_vec()
        }
    }
    fn from_bytes(bytes: &[u8]) -> Self {
        String::from_utf8_lossy(bytes).into_owned()
    }
}

#[cfg(test)]
mod checks;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_keys_sort_as_numbers_do_and_come_back() {
        let x = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            -5e-324,
            0.0,
            5e-324,
            0.1,
            1.0,
            f64::MAX,
            f64::INFINITY,
        ];
        assert!(x.windows(2).all(|w| order_key(w[0]) < order_key(w[1])));
        assert!(
            x.iter()
                .all(|&v| from_order_key(order_key(v)).to_bits() == v.to_bits())
        );
        assert!(order_key(f64::NAN) > order_key(f64::INFINITY));
        assert!(from_order_key(order_key(f64::NAN)).is_nan());
        assert_eq!(from_order_key(order_key(-0.0)), 0.0);
    }

    #[test]
    #[cfg(not(feature = "mpi"))]
    fn without_mpi_there_is_one_rank_and_its_status_is_handed_on() {
        assert_eq!(launch(|comm| 40 + comm.size() as i32), 41);
    }
}
