//! Ranks as MPI processes: the only file that names the MPI library.
//!
//! All messages use a communicator of our own, so that none meets those of another library (HDF5
//! uses MPI too). Posts have one tag; the sparse exchange has two that alternate. Errors of MPI
//! calls end the job (MPI's default error handler), so no return code is checked. MPI counts in an
//! `i32`: the sparse exchange cuts longer messages into pieces; any other message of that length
//! causes a panic that names the method.

// Three calls have no safe wrapper: sends that outlive the call, with buffers that we own, and the
// last two calls of a panicking process.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use ::mpi::collective::SystemOperation;
use ::mpi::datatype::PartitionMut;
use ::mpi::environment::Universe;
use ::mpi::ffi;
use ::mpi::point_to_point::MatchedReceiveVec;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{
    AsRaw, Communicator, CommunicatorCollectives, Destination, Equivalence, Source,
};
use ::mpi::{Count, Rank, Tag, Threading};

use super::{Comm, check_length, check_messages, check_peer};

const TAG_POST: Tag = 1;
const TAGS_EXCHANGE: [Tag; 2] = [2, 3];

/// Bytes of a piece of a message of the sparse exchange.
///
/// Debug builds have a smaller piece, so that tests see messages of several pieces.
const PIECE: usize = if cfg!(debug_assertions) {
    1 << 8
} else {
    1 << 30
};

/// Exit status of a job in which a rank panicked (that of a single Rust process).
const STATUS_PANIC: i32 = 101;

/// This process among those of the MPI launcher; MPI ends when it is dropped.
pub(super) struct Processes {
    comm: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// Posts that may still be pending, oldest first.
    posts: RefCell<VecDeque<Post>>,
    /// Expected numbers, by sender, oldest first.
    expected: RefCell<VecDeque<(usize, Expected)>>,
    /// Whether a file is left open.
    left_open: Cell<bool>,
    /// The number of exchanges so far.
    exchanges: Cell<usize>,
    /// Last, because fields are dropped in this order and the communicator must be freed before MPI
    /// ends.
    _universe: Universe,
}

/// A pending send, and the numbers that MPI reads until it is complete.
struct Post {
    request: ffi::MPI_Request,
    _data: Vec<f64>,
}

/// A pending receive, and the buffer that MPI writes to until it is complete.
struct Expected {
    request: ffi::MPI_Request,
    data: Vec<f64>,
}

/// Starts MPI, once per process, for calls from this thread only.
///
/// From here on a panic on any thread ends the whole job, before the stack unwinds: destructors on
/// the way may be collective (an open parallel HDF5 file, MPI itself) and would wait for the other
/// ranks for ever.
pub(super) fn initialize() -> Processes {
    let (universe, threading) = ::mpi::initialize_with_threading(Threading::Funneled)
        .expect("MPI is started once per process");
    assert!(
        threading >= Threading::Funneled,
        "this MPI library does not work in a process that has several threads"
    );
    let comm = universe.world().duplicate();
    let rank = index(comm.rank());
    let size = index(comm.size());
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        if ::mpi::is_finalized() {
            return;
        }
        eprintln!("rank {rank} of {size} has panicked: the job ends");
        // Some launchers (MPICH's) lose the last output before the end.
        std::thread::sleep(std::time::Duration::from_millis(200));
        // SAFETY: MPI is initialized and not finalized. MPI does not guarantee the call on a thread
        // other than the first; the process is lost anyway, and the tested libraries do end the
        // job.
        unsafe {
            ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, STATUS_PANIC);
        }
    }));
    Processes {
        comm,
        rank,
        size,
        posts: RefCell::default(),
        expected: RefCell::default(),
        left_open: Cell::new(false),
        exchanges: Cell::new(0),
        _universe: universe,
    }
}

fn index(rank: Rank) -> usize {
    usize::try_from(rank).expect("MPI counts ranks from 0")
}

/// A length in the type of MPI.
fn count(len: usize, method: &str) -> Count {
    Count::try_from(len).unwrap_or_else(|_| {
        panic!(
            "{method}: {len} items at once are more than MPI can count, {}",
            Count::MAX
        )
    })
}

/// The pieces of a message: full pieces, and one that is not full.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let full = bytes.chunks_exact(PIECE);
    let last = full.remainder();
    full.chain(std::iter::once(last))
}

impl Processes {
    /// Ends the program, if a file is left open.
    ///
    /// At the end of MPI, HDF5 would close the file, fail, and abort. The job still has its status,
    /// unless that is 0 and there is a launcher, which takes it for a fault.
    pub(super) fn end(&self, status: i32) {
        use std::io::Write;
        if self.left_open.get() {
            self.comm.barrier();
            let _ = std::io::stdout().flush(); // There is nobody left to tell.
            signal_hook::low_level::exit(status);
        }
    }

    fn process(&self, rank: usize) -> ::mpi::topology::Process<'_> {
        self.comm.process_at_rank(count(rank, "rank"))
    }

    /// Waits for numbers that have a buffer already.
    fn fill(&self, expected: Expected, from: usize, data: &mut [f64]) {
        let Expected {
            mut request,
            data: place,
        } = expected;
        assert_eq!(
            place.len(),
            data.len(),
            "rank {} gets ready for other numbers from rank {from} than it asks for",
            self.rank
        );
        let mut sent = 0;
        // SAFETY: the request is of `MPI_Irecv` and waited for once; all pointers are valid for the
        // calls; the numbers were written to `place`, which has lived unmoved on the heap since.
        unsafe {
            let mut status = std::mem::zeroed::<ffi::MPI_Status>();
            ffi::MPI_Wait(&mut request, &mut status);
            ffi::MPI_Get_count(&status, ffi::RSMPI_DOUBLE, &mut sent);
        }
        check_length(self, from, index(sent), data.len());
        data.copy_from_slice(&place);
    }

    /// Frees completed posts, up to the first that is still pending.
    fn reclaim_posts(&self) {
        let mut posts = self.posts.borrow_mut();
        while let Some(oldest) = posts.front_mut() {
            let mut done = 0;
            // SAFETY: the request is of `MPI_Isend` and has not completed before (then it would not
            // be in the list); both pointers are valid for the call, and no status is requested.
            unsafe {
                ffi::MPI_Test(&mut oldest.request, &mut done, ffi::RSMPI_STATUS_IGNORE);
            }
            if done == 0 {
                return;
            }
            posts.pop_front();
        }
    }
}

impl Comm for Processes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lengths = vec![0; self.size];
        let len = count(bytes.len(), "all_gather");
        self.comm.all_gather_into(&len, &mut lengths[..]);
        let total: usize = lengths.iter().map(|&len| index(len)).sum();
        count(total, "all_gather, all ranks together");
        let starts: Vec<Count> = lengths
            .iter()
            .scan(0, |end, &len| Some(std::mem::replace(end, *end + len)))
            .collect();
        if total == 0 {
            return vec![Vec::new(); self.size];
        }
        // An empty slice may have any address, even the one that is MPI's sign for "in place".
        let nothing = [0];
        let bytes = if bytes.is_empty() {
            &nothing[..0]
        } else {
            bytes
        };
        let mut all = vec![0; total];
        let mut parts = PartitionMut::new(&mut all[..], &lengths[..], &starts[..]);
        self.comm.all_gather_varcount_into(bytes, &mut parts);
        let mut rest = &all[..];
        let next = |&len: &Count| {
            let (part, after) = rest.split_at(index(len));
            rest = after;
            part.to_vec()
        };
        lengths.iter().map(next).collect()
    }

    /// The sparse exchange by synchronous sends and a non-blocking barrier.
    ///
    /// A rank does not know its senders, and no table of all ranks is sent round. A send is
    /// complete only when its receiver has taken it. A rank whose sends are complete enters a
    /// non-blocking barrier; once all have entered it, no message is pending. A rank may leave
    /// while another still waits for the end of the barrier, and start the next exchange: hence two
    /// alternating tags; it cannot be two exchanges ahead.
    ///
    /// A message goes in pieces of [`PIECE`] bytes, of which the last is shorter, and may be empty.
    /// Pieces of one sender arrive in the order of sending.
    fn exchange(&self, messages: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
        check_messages(self, &messages);
        let number = self.exchanges.get();
        self.exchanges.set(number + 1);
        let tag = TAGS_EXCHANGE[number % TAGS_EXCHANGE.len()];
        let (own, others): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|(to, _)| *to == self.rank);
        let mut received = own;
        if self.size == 1 {
            return received; // A barrier would give the processor to whoever waits for it.
        }
        ::mpi::request::scope(|scope| {
            let mut sends: VecDeque<_> = others
                .iter()
                .flat_map(|(to, bytes)| pieces(bytes).map(move |piece| (*to, piece)))
                .map(|(to, piece)| {
                    self.process(to)
                        .immediate_synchronous_send_with_tag(scope, piece, tag)
                })
                .collect();
            let mut begun: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
            let mut barrier = None;
            loop {
                let arrived = self
                    .comm
                    .any_process()
                    .immediate_matched_probe_with_tag(tag);
                if let Some(arrived) = arrived {
                    let (piece, status) = arrived.matched_receive_vec::<u8>();
                    let from = index(status.source_rank());
                    let last = piece.len() < PIECE;
                    match begun.entry(from) {
                        Entry::Vacant(_) if last => received.push((from, piece)),
                        Entry::Vacant(place) => {
                            place.insert(piece);
                        }
                        Entry::Occupied(mut bytes) => {
                            bytes.get_mut().extend(piece);
                            if last {
                                received.push((from, bytes.remove()));
                            }
                        }
                    }
                    continue;
                }
                while let Some(oldest) = sends.pop_front() {
                    if let Err(oldest) = oldest.test() {
                        sends.push_front(oldest);
                        break;
                    }
                }
                barrier = match barrier.take() {
                    None if sends.is_empty() => Some(self.comm.immediate_barrier()),
                    None => None,
                    Some(waiting) => match waiting.test() {
                        Ok(_) => {
                            assert!(begun.is_empty(), "a message without its last piece");
                            return;
                        }
                        Err(waiting) => Some(waiting),
                    },
                };
                std::thread::yield_now();
            }
        });
        received.sort_by_key(|&(from, _)| from);
        received
    }

    fn post(&self, to: usize, data: &[f64]) {
        check_peer(self, to);
        self.reclaim_posts();
        let data = data.to_vec();
        let len = count(data.len(), "post");
        // SAFETY: a null request is a valid value to overwrite; `data` holds `len` doubles and
        // lives, unmoved on the heap and untouched, in `posts` until the request is complete
        // (`reclaim_posts`, `drop`); `to` is a rank of `comm`.
        let request = unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            ffi::MPI_Isend(
                data.as_ptr().cast(),
                len,
                ffi::RSMPI_DOUBLE,
                count(to, "rank"),
                TAG_POST,
                self.comm.as_raw(),
                &mut request,
            );
            request
        };
        self.posts.borrow_mut().push_back(Post {
            request,
            _data: data,
        });
    }

    fn expect(&self, from: usize, len: usize) {
        check_peer(self, from);
        let mut data = vec![f64::NAN; len];
        // SAFETY: as in `post`; `data` is touched by MPI only until the request is complete
        // (`fill`, `drop`).
        let request = unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            ffi::MPI_Irecv(
                data.as_mut_ptr().cast(),
                count(len, "expect"),
                ffi::RSMPI_DOUBLE,
                count(from, "rank"),
                TAG_POST,
                self.comm.as_raw(),
                &mut request,
            );
            request
        };
        let mut expected = self.expected.borrow_mut();
        expected.push_back((from, Expected { request, data }));
    }

    fn progress(&self) {
        // Any call lets MPI make progress; without pending messages no call is needed.
        self.reclaim_posts();
        if let Some((_, first)) = self.expected.borrow_mut().front_mut() {
            let mut done = 0;
            // SAFETY: the request is of `MPI_Irecv`; the call only tests it, and it remains to be
            // waited for.
            unsafe {
                ffi::MPI_Request_get_status(first.request, &mut done, ffi::RSMPI_STATUS_IGNORE);
            }
        }
    }

    fn receive(&self, from: usize, data: &mut [f64]) {
        check_peer(self, from);
        let expected = {
            let mut all = self.expected.borrow_mut();
            let first = all.iter().position(|(of, _)| *of == from);
            first.and_then(|k| all.remove(k))
        };
        if let Some((_, expected)) = expected {
            return self.fill(expected, from, data);
        }
        // Probed before it is received, so that a wrong length is reported by us, not as an error
        // of MPI.
        let (message, status) = self.process(from).matched_probe_with_tag(TAG_POST);
        let sent = index(status.count(f64::equivalent_datatype()));
        check_length(self, from, sent, data.len());
        message.matched_receive_into(data);
    }

    fn sum_i64(&self, values: &mut [i64]) {
        if values.is_empty() || self.size == 1 {
            return;
        }
        // Unsigned, because there an overflow wraps by definition; the bits of the sum are the
        // same.
        let values: &mut [u64] = bytemuck::cast_slice_mut(values);
        count(values.len(), "sum_i64");
        self.comm
            .all_reduce_into(&values.to_vec()[..], values, SystemOperation::sum());
    }

    fn max_i64(&self, values: &mut [i64]) {
        if values.is_empty() || self.size == 1 {
            return;
        }
        count(values.len(), "max_i64");
        self.comm
            .all_reduce_into(&values.to_vec()[..], values, SystemOperation::max());
    }

    fn barrier(&self) {
        self.comm.barrier();
    }

    fn leave_open(&self) {
        self.left_open.set(true);
    }

    fn library(&self) -> String {
        // Some libraries print many lines about themselves.
        let told = ::mpi::environment::library_version().unwrap_or_default();
        let first = told.lines().next().unwrap_or_default();
        first.trim_matches(['\0', ' ']).to_owned()
    }

    fn abort(&self, status: i32) -> ! {
        self.comm.abort(status)
    }

    fn file_access(&self) -> Option<FileAccess> {
        // SAFETY: MPI is initialized, which is the only condition for reading the constant.
        Some(FileAccess(unsafe { ffi::RSMPI_COMM_WORLD }))
    }
}

impl Drop for Processes {
    /// Waits for the receivers of all posts: MPI must not end, nor the numbers be freed, before.
    fn drop(&mut self) {
        for (_, expected) in self.expected.get_mut() {
            // No rank will send these any more.
            // SAFETY: the request is of `MPI_Irecv` and not complete, as `fill` takes those out;
            // its numbers live until after this.
            unsafe {
                ffi::MPI_Cancel(&mut expected.request);
                ffi::MPI_Wait(&mut expected.request, ffi::RSMPI_STATUS_IGNORE);
            }
        }
        for post in self.posts.get_mut() {
            // SAFETY: as in `reclaim_posts`; the numbers live until `posts` is dropped, after this.
            unsafe {
                ffi::MPI_Wait(&mut post.request, ffi::RSMPI_STATUS_IGNORE);
            }
        }
    }
}

/// Access of all ranks to one HDF5 file.
///
/// Its communicator is that of all processes, which is valid while MPI runs; HDF5 makes a copy.
#[derive(Clone, Copy, Debug)]
pub struct FileAccess(ffi::MPI_Comm);

impl FileAccess {
    /// Sets the ranks in an HDF5 file access.
    ///
    /// Opening and closing the file, and every change of its structure, is then collective, and
    /// HDF5 keeps its metadata together in few writes and reads.
    pub fn apply(self, p: &mut hdf5::plist::file_access::FileAccessBuilder) {
        p.mpio(self.0, None)
            .libver_v110()
            .all_coll_metadata_ops(true)
            .coll_metadata_write(true);
    }
}
