//! The early end of a run: by signals, a limit of wall time, or the end of the batch job.
//!
//! All ranks learn of it after the same step, whichever rank received the signal.

use crate::comm::Comm;
use crate::domain::Asked as AskedToEnd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

/// The reason for an early end; of several the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// `--wall-limit` is near.
    WallLimit = 1,
    /// The end of the batch job is near.
    BatchLimit,
    /// SIGUSR1: batch systems send it before the end, if asked to.
    User,
    /// SIGHUP: the terminal has closed.
    HangUp,
    /// SIGINT: a user at the terminal.
    Interrupt,
    /// SIGTERM: the system demands the end.
    Terminate,
}

impl Reason {
    const ALL: [Self; 6] = [
        Self::WallLimit,
        Self::BatchLimit,
        Self::User,
        Self::HangUp,
        Self::Interrupt,
        Self::Terminate,
    ];

    fn of(code: usize) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|reason| *reason as usize == code)
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::WallLimit => "the limit of wall time",
            Self::BatchLimit => "the end of the batch job",
            Self::User => "SIGUSR1",
            Self::HangUp => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        })
    }
}

/// The requests of signals.
#[derive(Debug, Default)]
struct Asked {
    /// A [`Reason`] to end, or 0.
    end: Arc<AtomicUsize>,
    /// Whether to write a checkpoint and continue.
    save: Arc<AtomicBool>,
    begin: Option<Instant>,
}

static ASKED: OnceLock<Asked> = OnceLock::new();

/// Handles signals from here on. Must be called once, before MPI starts.
///
/// SIGTERM, SIGINT, SIGHUP and SIGUSR1 end the run after the step and a checkpoint; SIGUSR2 demands
/// a checkpoint only. A second SIGTERM or SIGINT ends the program at once.
///
/// # Errors
/// If the system refuses.
pub fn listen() -> std::io::Result<()> {
    let asked = Asked {
        begin: Some(Instant::now()),
        ..Asked::default()
    };
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
        use signal_hook::flag;
        let ended = Arc::new(AtomicBool::new(false));
        for (signal, reason) in [(SIGTERM, Reason::Terminate), (SIGINT, Reason::Interrupt)] {
            // In this order only the second signal finds the flag set.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&ended))?;
            flag::register(signal, Arc::clone(&ended))?;
            flag::register_usize(signal, Arc::clone(&asked.end), reason as usize)?;
        }
        // A user who started the program with nohup wants it to continue.
        if !is_ignored(SIGHUP) {
            flag::register_usize(SIGHUP, Arc::clone(&asked.end), Reason::HangUp as usize)?;
        }
        flag::register_usize(SIGUSR1, Arc::clone(&asked.end), Reason::User as usize)?;
        flag::register(SIGUSR2, Arc::clone(&asked.save))?;
    }
    // A second call changes nothing.
    let _ = ASKED.set(asked);
    Ok(())
}

/// Whether a signal is ignored, if the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

/// Watches for the reasons to end a run.
pub(super) struct Stopper {
    /// The end of the granted wall time.
    limit: Option<Instant>,
    /// The end of the batch job.
    batch: Option<SystemTime>,
    /// The longest time between two checks.
    longest: Duration,
    last: Instant,
    /// The approximate duration of a checkpoint [ns], for checks within a step.
    saving: Arc<AtomicU64>,
}

/// The decisions that ranks share after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    /// The reason why the run ends now.
    pub end: Option<Reason>,
    /// Whether a checkpoint is due.
    pub save: bool,
    /// The largest overlap on all ranks; NaN if one is NaN.
    pub overlap: f64,
}

/// Additional time that a batch system needs to end a job in order.
const BATCH_MARGIN: Duration = Duration::from_secs(10);

impl Stopper {
    /// `wall_limit` counts from the start of the program.
    pub(super) fn new(wall_limit: Option<Duration>) -> Self {
        let now = Instant::now();
        let begin = ASKED.get().and_then(|asked| asked.begin).unwrap_or(now);
        let batch = std::env::var("SLURM_JOB_END_TIME").ok();
        let batch = batch.and_then(|seconds| seconds.parse().ok());
        // An end in the past is that of another job, in a shell that has outlived it.
        let still = |seconds: &u64| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            now.is_ok_and(|now| *seconds > now.as_secs())
        };
        let batch = batch.filter(still);
        Self {
            limit: wall_limit.and_then(|limit| begin.checked_add(limit)),
            batch: batch.and_then(|s| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(s))),
            longest: Duration::ZERO,
            last: now,
            saving: Arc::default(),
        }
    }

    /// Whether this rank is asked to end the run, for long steps that can be given up.
    ///
    /// By the clock, which is that of rank 0, they are given up when the remaining time is too
    /// short for another such check and a checkpoint, each at twice its duration so far.
    pub(super) fn within_step(&self, comm: &dyn Comm) -> AskedToEnd {
        let ends = (comm.rank() == 0).then_some((self.limit, self.batch));
        let saving = Arc::clone(&self.saving);
        let checked = Mutex::new((Instant::now(), Duration::ZERO));
        Arc::new(move || {
            if ASKED
                .get()
                .is_some_and(|asked| asked.end.load(Ordering::Relaxed) != 0)
            {
                return true;
            }
            let (Some((limit, batch)), Ok(mut checked)) = (ends, checked.lock()) else {
                return false;
            };
            let now = Instant::now();
            let longest = checked.1.max(now - checked.0);
            *checked = (now, longest);
            let saving = Duration::from_nanos(saving.load(Ordering::Relaxed));
            ending((limit, batch), now, longest + saving) != 0
        })
    }

    /// The decisions of all ranks together, after each step. Collective.
    ///
    /// `saving` is the approximate duration of a checkpoint, `due` whether one is due by this
    /// rank's clock, `overlap` (not negative) the largest on this rank. Only the clock of rank 0
    /// counts.
    pub(super) fn after_step(
        &mut self,
        comm: &dyn Comm,
        saving: Duration,
        due: bool,
        overlap: f64,
    ) -> Agreed {
        let now = Instant::now();
        self.longest = self.longest.max(now - self.last);
        self.last = now;
        let nanoseconds = u64::try_from(saving.as_nanos()).unwrap_or(u64::MAX);
        self.saving.store(nanoseconds, Ordering::Relaxed);
        let first = comm.rank() == 0;
        let by_clock = if first { self.by_clock(now, saving) } else { 0 };
        let (end, save) = ASKED.get().map_or((0, false), |asked| {
            let save = asked.save.swap(false, Ordering::Relaxed);
            (asked.end.load(Ordering::Relaxed), save)
        });
        // Numbers that are not negative are ordered as their bits, with NaN above all.
        let overlap = overlap.abs().to_bits() as i64;
        let save = save || first && due;
        let mut largest = [end.max(by_clock) as i64, i64::from(save), overlap];
        comm.max_i64(&mut largest);
        Agreed {
            end: Reason::of(largest[0] as usize),
            save: largest[1] != 0,
            overlap: f64::from_bits(largest[2] as u64),
        }
    }

    /// Whether the remaining time is too short for another step and a checkpoint, each at twice its
    /// duration so far.
    fn by_clock(&self, now: Instant, saving: Duration) -> usize {
        ending((self.limit, self.batch), now, self.longest + saving)
    }
}

/// The [`Reason`] if twice a time does not remain until one of two ends, or 0.
fn ending(
    (limit, batch): (Option<Instant>, Option<SystemTime>),
    now: Instant,
    time: Duration,
) -> usize {
    let need = 2 * time + Duration::from_secs(1);
    let batch = batch.is_some_and(|end| {
        let left = end.duration_since(SystemTime::now());
        left.unwrap_or_default() < need + BATCH_MARGIN
    });
    let wall = limit.is_some_and(|end| end < now + need);
    match (batch, wall) {
        (true, _) => Reason::BatchLimit as usize,
        (_, true) => Reason::WallLimit as usize,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    fn stopper(limit: Option<u64>, batch: Option<u64>, longest: u64) -> Stopper {
        let now = Instant::now();
        Stopper {
            limit: limit.map(|s| now + Duration::from_secs(s)),
            batch: batch.map(|s| SystemTime::now() + Duration::from_secs(s)),
            longest: Duration::from_secs(longest),
            last: now,
            saving: Arc::default(),
        }
    }

    /// A limit ends the run while there is time for another step and a checkpoint.
    #[test]
    fn limits_leave_time_for_a_step_and_a_checkpoint() {
        let saving = Duration::from_secs(10);
        let why = |stopper: Stopper| Reason::of(stopper.by_clock(Instant::now(), saving));
        assert_eq!(why(stopper(None, None, 5)), None);
        // 2 (5 + 10) + 1 = 31 seconds.
        assert_eq!(why(stopper(Some(33), None, 5)), None);
        assert_eq!(why(stopper(Some(30), None, 5)), Some(Reason::WallLimit));
        assert_eq!(why(stopper(None, Some(43), 5)), None);
        assert_eq!(why(stopper(None, Some(40), 5)), Some(Reason::BatchLimit));
        assert_eq!(why(stopper(None, Some(0), 0)), Some(Reason::BatchLimit));
        assert_eq!(why(stopper(Some(33), None, 7)), Some(Reason::WallLimit));
    }

    /// All ranks learn the decisions of each; only the clock of rank 0 counts.
    #[test]
    fn all_ranks_agree() {
        for ranks in [1, 3, 8] {
            let said = threads::run(ranks, |comm| {
                let late = comm.rank() + 1 == ranks;
                let mut stopper = stopper((late && ranks > 1).then_some(0), None, 0);
                let overlap = if late { f64::NAN } else { 0.5 };
                let first =
                    stopper.after_step(comm, Duration::ZERO, late, 0.25 * comm.rank() as f64);
                let second = stopper.after_step(comm, Duration::ZERO, !late, overlap);
                (first, second)
            });
            for (first, second) in said {
                assert_eq!(first.end, None);
                assert_eq!(first.save, ranks == 1);
                assert_eq!(first.overlap, 0.25 * (ranks - 1) as f64);
                assert_eq!(second.save, ranks > 1);
                assert!(second.overlap.is_nan());
            }
        }
    }
}
