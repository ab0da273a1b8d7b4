//! A timer for each verb of the step.

use std::time::{Duration, Instant};

/// A part of a step, or of the run around it, that has a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Bodies and copies travel to the ranks that need them.
    Migrate,
    /// Contacts are found and put in blocks, with their impulses of the last step, found by key.
    Detect,
    /// Sweeps and the judge, without exchange.
    Sweep,
    /// Waiting for other ranks, and exchange with them, within the solve.
    Exchange,
    /// Bodies and contacts return to their owners, positions and orientations advance, ledgers are
    /// summed.
    Move,
    /// Series, checkpoints, logs.
    Io,
}

impl Verb {
    /// All verbs in the order of a step.
    pub const ALL: [Verb; 6] = [
        Verb::Migrate,
        Verb::Detect,
        Verb::Sweep,
        Verb::Exchange,
        Verb::Move,
        Verb::Io,
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verb::Migrate => "migrate",
            Verb::Detect => "detect",
            Verb::Sweep => "sweep",
            Verb::Exchange => "exchange",
            Verb::Move => "move",
            Verb::Io => "io",
        }
    }
}

/// Time spent on each verb by this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timers([Duration; Verb::ALL.len()]);

impl Timers {
    /// Runs `work` under a verb's timer.
    pub fn of<T>(&mut self, verb: Verb, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.add(verb, begin.elapsed());
        result
    }

    /// Adds time to a verb.
    pub fn add(&mut self, verb: Verb, time: Duration) {
        self.0[verb as usize] += time;
    }

    /// Adds the times of other timers.
    pub fn add_all(&mut self, other: &Self) {
        let each = self.0.iter_mut().zip(&other.0);
        each.for_each(|(sum, time)| *sum += *time);
    }

    /// Moves time from one verb to another.
    pub fn move_time(&mut self, from: Verb, to: Verb, time: Duration) {
        let moved = time.min(self.0[from as usize]);
        self.0[from as usize] -= moved;
        self.0[to as usize] += moved;
    }

    /// Time spent on a verb [s].
    #[must_use]
    pub fn seconds(&self, verb: Verb) -> f64 {
        self.0[verb as usize].as_secs_f64()
    }
}
