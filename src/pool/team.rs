//! Threads that stay awake between short jobs.
//!
//! A sweep has eight phases of some fifty microseconds each. A thread that slept between them would
//! need longer to wake up than its work takes. So after each job the helpers of a team wait for
//! the next one without sleep; only after some time without a job they go back to their pool.

#![allow(unsafe_code)]

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::any::Any;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::yield_now;
use std::time::{Duration, Instant};

/// The calling thread and its helpers.
#[derive(Debug)]
pub(super) struct Team {
    pool: ThreadPool,
    desk: Arc<Desk>,
}

/// A job: each thread that takes part calls it once, with its number.
type Job<'a> = dyn Fn(usize) + Sync + 'a;

/// The place where the calling thread gives out its jobs.
struct Desk {
    /// The number of the job, whether it is open, and the number of helpers inside.
    ///
    /// They are multiples of [`NEXT`], [`OPEN`], and 1.
    gate: AtomicU64,
    job: UnsafeCell<Option<&'static Job<'static>>>,
    /// Whether a job is given out.
    busy: AtomicBool,
    /// For each helper, whether it is awake.
    awake: Box<[AtomicBool]>,
    /// The panic of a helper.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Helpers may enter the job.
const OPEN: u64 = 1 << 16;
/// The helpers inside.
const INSIDE: u64 = OPEN - 1;
/// The next job.
const NEXT: u64 = OPEN << 1;

/// The number of looks for a job between which a helper does not give up its core.
const LOOKS: u32 = 4000;
/// The time without a job after which a helper goes back to its pool.
const PATIENCE: Duration = Duration::from_millis(1);

// SAFETY: `job` is written by the thread that has set `busy`, while the gate is closed and no
// helper is inside; it is read by helpers inside an open gate only. Jobs are `Sync`.
unsafe impl Sync for Desk {}

impl Team {
    /// A team of so many helpers.
    pub(super) fn new(helpers: usize) -> Result<Self, ThreadPoolBuildError> {
        let desk = Desk {
            gate: AtomicU64::new(0),
            job: UnsafeCell::new(None),
            busy: AtomicBool::new(false),
            awake: (0..helpers).map(|_| AtomicBool::new(false)).collect(),
            panic: Mutex::default(),
        };
        Ok(Self {
            pool: ThreadPoolBuilder::new().num_threads(helpers).build()?,
            desk: Arc::new(desk),
        })
    }

    pub(super) fn threads(&self) -> usize {
        self.pool.current_num_threads() + 1
    }

    /// Calls `job` on this thread, whose number is 0, and on those helpers that come in time.
    /// Returns after all.
    ///
    /// A helper that comes too late does not take part, so nobody waits for a thread that has no
    /// core. Where the team is at work already, the calling thread does the job alone.
    ///
    /// # Panics
    /// If the job panics on one of the threads.
    pub(super) fn run(&self, job: &Job<'_>) {
        let desk = &*self.desk;
        if desk.busy.swap(true, Ordering::Acquire) {
            return job(0);
        }
        // Before the job is open: who is called must not have worked on it.
        for (k, awake) in desk.awake.iter().enumerate() {
            if !awake.swap(true, Ordering::Relaxed) {
                let desk = Arc::clone(&self.desk);
                self.pool.spawn(move || desk.help(k));
            }
        }
        desk.open(job);
        let mine = catch_unwind(AssertUnwindSafe(|| job(0)));
        desk.close();
        let theirs = desk.panic.lock().map_or(None, |mut panic| panic.take());
        desk.busy.store(false, Ordering::Release);
        if let Err(panic) = mine.map_or_else(Err, |()| theirs.map_or(Ok(()), Err)) {
            resume_unwind(panic);
        }
    }
}

impl Desk {
    fn open(&self, job: &Job<'_>) {
        // SAFETY: the reference is used by helpers inside the gate only, and `close` returns when
        // none is left inside, before the job ends. The gate is closed, so nobody reads it now.
        unsafe {
            *self.job.get() = Some(std::mem::transmute::<&Job<'_>, &'static Job<'static>>(job));
        }
        let number = self.gate.load(Ordering::Relaxed) + NEXT;
        self.gate.store(number | OPEN, Ordering::Release);
    }

    fn close(&self) {
        self.gate.fetch_and(!OPEN, Ordering::Relaxed);
        let mut looks = 0;
        while self.gate.load(Ordering::Acquire) & INSIDE != 0 {
            pause(&mut looks);
        }
        // SAFETY: nobody is inside the closed gate.
        unsafe { *self.job.get() = None };
    }

    /// Works on each new job, until there is none for a while.
    fn help(&self, helper: usize) {
        let (mut last, mut looks, mut since) = (None, 0, Instant::now());
        loop {
            let gate = self.gate.load(Ordering::Relaxed);
            if gate & OPEN == 0 || last == Some(gate / NEXT) {
                pause(&mut looks);
                if looks == LOOKS && since.elapsed() > PATIENCE {
                    break;
                }
                continue;
            }
            let enter = |of: &AtomicU64| {
                of.compare_exchange(gate, gate + 1, Ordering::Acquire, Ordering::Relaxed)
            };
            if enter(&self.gate).is_err() {
                continue;
            }
            // SAFETY: inside the open gate, where nobody writes.
            let job = unsafe { *self.job.get() };
            let done = catch_unwind(AssertUnwindSafe(|| job.map_or((), |job| job(helper + 1))));
            if let (Err(panic), Ok(mut place)) = (done, self.panic.lock()) {
                place.get_or_insert(panic);
            }
            self.gate.fetch_sub(1, Ordering::Release);
            (last, looks, since) = (Some(gate / NEXT), 0, Instant::now());
        }
        self.awake[helper].store(false, Ordering::Relaxed);
    }
}

/// Waits a moment; after many looks it lets others have the core.
fn pause(looks: &mut u32) {
    match *looks {
        LOOKS => yield_now(),
        _ => {
            *looks += 1;
            spin_loop();
        }
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Many short jobs, with pauses in which helpers fall asleep: each thread that takes part does
    /// so once, and all that it does is seen when the job ends.
    #[test]
    fn each_job_ends_when_all_who_take_part_have_ended() {
        let team = Team::new(3).unwrap();
        for round in 0..2000 {
            let [begun, ended] = [0, 0].map(AtomicUsize::new);
            team.run(&|_| {
                begun.fetch_add(1, Ordering::Relaxed);
                if round % 3 == 0 {
                    yield_now();
                }
                ended.fetch_add(1, Ordering::Relaxed);
            });
            let [begun, ended] = [begun, ended].map(AtomicUsize::into_inner);
            assert!(
                begun == ended && (1..=4).contains(&ended),
                "{begun} {ended}"
            );
            if round % 500 == 0 {
                std::thread::sleep(3 * PATIENCE);
            }
        }
    }

    /// Helpers take part in a job that lasts, also where other programs keep all cores busy.
    #[test]
    fn a_helper_takes_part_in_a_job_that_lasts() {
        let team = Team::new(3).unwrap();
        let helped = AtomicBool::new(false);
        let end = Instant::now() + Duration::from_secs(60);
        team.run(&|thread| {
            helped.fetch_or(thread != 0, Ordering::Relaxed);
            while !helped.load(Ordering::Relaxed) && Instant::now() < end {
                yield_now();
            }
        });
        assert!(helped.into_inner(), "no helper took part in a minute");
    }

    /// A job inside a job is done by the thread that calls it.
    #[test]
    fn a_job_may_give_out_a_job() {
        let team = Team::new(2).unwrap();
        let [outer, inner] = [0, 0].map(AtomicUsize::new);
        for _ in 0..100 {
            team.run(&|_| {
                outer.fetch_add(1, Ordering::Relaxed);
                team.run(&|_| {
                    inner.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
        assert_eq!(outer.into_inner(), inner.into_inner());
    }

    /// The panic of any thread reaches the calling thread, and the team goes on.
    #[test]
    fn a_panic_reaches_the_calling_thread() {
        let team = Team::new(2).unwrap();
        for of_caller in [true, false] {
            let panicked = AtomicBool::new(false);
            for _ in 0..10_000 {
                let job = |thread| {
                    if (thread == 0) == of_caller {
                        panicked.store(true, Ordering::Relaxed);
                        panic!("as asked");
                    }
                    yield_now();
                };
                let result = catch_unwind(AssertUnwindSafe(|| team.run(&job)));
                assert_eq!(result.is_err(), panicked.load(Ordering::Relaxed));
                if result.is_err() {
                    break;
                }
            }
            assert!(panicked.into_inner());
            let calls = AtomicUsize::new(0);
            team.run(&|_| {
                calls.fetch_add(1, Ordering::Relaxed);
            });
            assert!(calls.into_inner() > 0);
        }
    }
}
