//! Ranks as threads of one process, for tests of parallel code.
//!
//! [`Serial`] is the one rank of a run without MPI. All ranks share one locked `State` and each
//! sleeps on a condition variable of its own. A mistake that would hang an MPI job ends here in a
//! panic that names the waiting rank and the reason: a message or a rank that cannot come any more,
//! ranks that call different collective methods, a message that was never received.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Comm, FileAccess, check_messages, check_peer};

/// Runs `work` on each of `ranks` ranks and returns their results in rank order.
///
/// # Panics
/// If a rank panics: all other ranks end too (at the latest when they next communicate). The
/// payload of the first panic passes on to the caller; that of [`Comm::abort`] is an [`Aborted`].
/// Also if a posted message was never received.
pub fn run<T: Send>(ranks: usize, work: impl Fn(&dyn Comm) -> T + Sync) -> Vec<T> {
    assert!(ranks > 0, "a run has at least one rank");
    let shared = Shared {
        state: Mutex::new(State {
            posted: (0..ranks * ranks).map(|_| VecDeque::new()).collect(),
            meeting: None,
            brought: vec![None; ranks],
            outcome: vec![None; ranks],
            doing: vec![Doing::Working; ranks],
            first_panic: None,
        }),
        wake: (0..ranks).map(|_| Condvar::new()).collect(),
    };
    let (shared, work) = (&shared, &work);
    let results: Vec<Option<T>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..ranks)
            .map(|rank| scope.spawn(move || shared.run_rank(rank, work)))
            .collect();
        let join =
            |thread: std::thread::ScopedJoinHandle<'_, Option<T>>| thread.join().ok().flatten();
        threads.into_iter().map(join).collect()
    });
    let mut state = shared.lock();
    if let Some((_, payload)) = state.first_panic.take() {
        drop(state);
        resume_unwind(payload);
    }
    if let Some(pair) = state.posted.iter().position(|queue| !queue.is_empty()) {
        let (from, to) = (pair / ranks, pair % ranks);
        panic!("rank {to} has not received all that rank {from} has posted to it");
    }
    results.into_iter().flatten().collect()
}

/// The payload of the panic by which [`Comm::abort`] ends ranks that are threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// The requested exit status.
    pub status: i32,
}

/// The state that all ranks share.
struct Shared {
    state: Mutex<State>,
    /// One per rank.
    wake: Vec<Condvar>,
}

struct State {
    /// Pending messages from rank a to rank b, at `a * size + b`.
    posted: Vec<VecDeque<Vec<f64>>>,
    /// The current collective method and the first rank that called it.
    meeting: Option<(&'static str, usize)>,
    /// By rank: its contribution to the meeting.
    brought: Vec<Option<Item>>,
    /// By rank: the contributions of all to a finished meeting that this rank has still to leave.
    outcome: Vec<Option<Arc<Vec<Item>>>>,
    /// By rank.
    doing: Vec<Doing>,
    /// The first rank that panicked.
    first_panic: Option<(usize, Box<dyn Any + Send>)>,
}

type Item = Arc<dyn Any + Send + Sync>;

#[derive(Clone, Copy, PartialEq)]
enum Doing {
    Working,
    ReceivingFrom(usize),
    Meeting(&'static str),
    Returned,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doing::Working => write!(f, "works"),
            Doing::ReceivingFrom(from) => write!(f, "waits for a message from rank {from}"),
            Doing::Meeting(what) => write!(f, "waits in {what}"),
            Doing::Returned => write!(f, "has returned"),
        }
    }
}

impl State {
    /// The reason why this rank waits in vain, if so.
    fn hopeless(&self, rank: usize) -> Option<String> {
        if let Some((culprit, _)) = self.first_panic {
            return Some(format!(
                "rank {rank} ends because rank {culprit} has panicked"
            ));
        }
        let returned = match self.doing[rank] {
            Doing::ReceivingFrom(from) => (self.doing[from] == Doing::Returned).then_some(from),
            Doing::Meeting(_) => self.doing.iter().position(|d| *d == Doing::Returned),
            Doing::Working | Doing::Returned => return None,
        };
        if let Some(other) = returned {
            return Some(format!(
                "rank {rank} {}, but rank {other} has returned",
                self.doing[rank]
            ));
        }
        if self.doing.contains(&Doing::Working) {
            return None;
        }
        let all: Vec<String> = self
            .doing
            .iter()
            .enumerate()
            .map(|(r, d)| format!("rank {r} {d}"))
            .collect();
        Some(format!("no rank can go on: {}", all.join(", ")))
    }
}

impl Shared {
    /// Locks the state, poisoned or not.
    ///
    /// No code panics while it holds the lock in a half-changed state.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_rank<T>(&self, rank: usize, work: &impl Fn(&dyn Comm) -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(|| work(&Thread { rank, shared: self })));
        let mut state = self.lock();
        let result = match result {
            Ok(value) => {
                state.doing[rank] = Doing::Returned;
                Some(value)
            }
            Err(payload) => {
                state.first_panic.get_or_insert((rank, payload));
                None
            }
        };
        drop(state);
        self.wake.iter().for_each(Condvar::notify_all);
        result
    }

    /// Sleeps until `ready` has a value, as `doing` says; panics if it can never come.
    ///
    /// The rank that makes it ready also sets this rank to [`Doing::Working`], for a served sleeper
    /// does not wait any more.
    fn wait<T>(
        &self,
        rank: usize,
        mut state: MutexGuard<'_, State>,
        doing: Doing,
        mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> T {
        if let Some(value) = ready(&mut state) {
            return value;
        }
        state.doing[rank] = doing;
        loop {
            if let Some(value) = ready(&mut state) {
                return value;
            }
            if let Some(why) = state.hopeless(rank) {
                drop(state);
                panic!("{why}");
            }
            state = self.wake[rank]
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One rank that is a thread.
struct Thread<'a> {
    rank: usize,
    shared: &'a Shared,
}

impl Thread<'_> {
    /// Contributes an item to a meeting of all ranks, and returns the items of all.
    fn meet<T: Any + Send + Sync>(&self, what: &'static str, item: T) -> Vec<Arc<T>> {
        let mut state = self.shared.lock();
        let (name, first) = *state.meeting.get_or_insert((what, self.rank));
        if name != what {
            drop(state);
            panic!(
                "rank {} calls {what} while rank {first} calls {name}",
                self.rank
            );
        }
        state.brought[self.rank] = Some(Arc::new(item));
        if state.brought.iter().all(Option::is_some) {
            let all: Arc<Vec<Item>> =
                Arc::new(state.brought.iter_mut().filter_map(Option::take).collect());
            state.meeting = None;
            state.outcome.fill(Some(all));
            state.doing.fill(Doing::Working);
            self.shared.wake.iter().for_each(Condvar::notify_all);
        }
        let rank = self.rank;
        let all = self.shared.wait(rank, state, Doing::Meeting(what), |s| {
            s.outcome[rank].take()
        });
        let typed = all.iter().map(|item| Arc::clone(item).downcast::<T>());
        typed
            .map(|item| item.expect("the same method brings the same type"))
            .collect()
    }

    fn reduce(&self, what: &'static str, values: &mut [i64], combine: impl Fn(i64, i64) -> i64) {
        for (other, theirs) in self.meet(what, values.to_vec()).iter().enumerate() {
            assert_eq!(
                theirs.len(),
                values.len(),
                "{what}: rank {other} brings another number of integers than rank {}",
                self.rank
            );
            if other == 0 {
                values.copy_from_slice(theirs);
            } else {
                for (value, &theirs) in values.iter_mut().zip(theirs.iter()) {
                    *value = combine(*value, theirs);
                }
            }
        }
    }
}

impl Comm for Thread<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.wake.len()
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.meet("all_gather", bytes.to_vec())
            .iter()
            .map(|b| b.to_vec())
            .collect()
    }

    fn exchange(&self, messages: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
        check_messages(self, &messages);
        let all = self.meet("exchange", messages);
        let mine = all.iter().enumerate().filter_map(|(from, messages)| {
            let message = messages.iter().find(|(to, _)| *to == self.rank)?;
            Some((from, message.1.clone()))
        });
        mine.collect()
    }

    fn post(&self, to: usize, data: &[f64]) {
        check_peer(self, to);
        let message = data.to_vec();
        let mut state = self.shared.lock();
        state.posted[self.rank * self.size() + to].push_back(message);
        if state.doing[to] == Doing::ReceivingFrom(self.rank) {
            state.doing[to] = Doing::Working;
            self.shared.wake[to].notify_all();
        }
    }

    fn receive(&self, from: usize, data: &mut [f64]) {
        check_peer(self, from);
        let queue = from * self.size() + self.rank;
        let state = self.shared.lock();
        let take = |s: &mut State| s.posted[queue].pop_front();
        let message = self
            .shared
            .wait(self.rank, state, Doing::ReceivingFrom(from), take);
        super::check_length(self, from, message.len(), data.len());
        data.copy_from_slice(&message);
    }

    fn sum_i64(&self, values: &mut [i64]) {
        self.reduce("sum_i64", values, i64::wrapping_add);
    }

    fn max_i64(&self, values: &mut [i64]) {
        self.reduce("max_i64", values, i64::max);
    }

    fn barrier(&self) {
        self.meet("barrier", ());
    }

    /// Panics with an [`Aborted`], which ends all ranks and is the payload of [`run`].
    fn abort(&self, status: i32) -> ! {
        panic_any(Aborted { status })
    }

    fn file_access(&self) -> Option<FileAccess> {
        None
    }
}

/// The only rank of a run: it waits for no one and has no locks.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

impl Comm for Serial {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        vec![bytes.to_vec()]
    }

    fn exchange(&self, messages: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
        check_messages(self, &messages);
        messages
    }

    /// Panics: a serial run has one rank only.
    fn post(&self, to: usize, _: &[f64]) {
        check_peer(self, to);
    }

    /// Panics: a serial run has one rank only.
    fn receive(&self, from: usize, _: &mut [f64]) {
        check_peer(self, from);
    }

    fn sum_i64(&self, _: &mut [i64]) {}

    fn max_i64(&self, _: &mut [i64]) {}

    fn barrier(&self) {}

    /// Ends the process.
    fn abort(&self, status: i32) -> ! {
        std::process::exit(status)
    }

    fn file_access(&self) -> Option<FileAccess> {
        None
    }
}

#[cfg(test)]
mod tests;
