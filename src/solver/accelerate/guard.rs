//! The guard of momentum, which watches the changes made by sweeps.

/// The cap of β, adapted to the progress of the sweeps.
///
/// The guard records the least change over each [`Guard::SPAN`] sweeps. Where it is not less than
/// before, β's cap falls by a quarter, at most to [`Guard::LEAST`]. After [`Guard::AGAIN`]
/// decreases in a row the cap rises by a third of its distance to one, at most to [`Guard::TOP`].
/// Where the least change has hardly decreased in [`Guard::PATIENCE`] spans, plain sweeps follow
/// for a pause, each pause longer than the last.
pub(super) struct Guard {
    pub(super) begin: f64,
    /// The present cap of β.
    pub(super) cap: f64,
    /// Remaining sweeps of the pause, and the length of the next one.
    pause: u64,
    next_pause: u64,
    /// Sweeps in this span, the least change in it, and in the span before.
    sweeps: u64,
    least: f64,
    least_before: f64,
    /// Spans in a row with a smaller least change than the one before.
    better: u32,
    /// Spans since the last check of patience, the least change in them, and in as many before.
    spans: u64,
    lately: f64,
    before: f64,
}

/// The decision after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Continue with this order.
    Further,
    /// Draw another order.
    Renew,
}

impl Guard {
    const SPAN: u64 = 12;
    const AGAIN: u32 = 2;
    const TOP: f64 = 0.9;
    const LEAST: f64 = 0.2;
    /// A span counts as stuck if its least change `Σ|d|²/m_n` exceeds this fraction of the one
    /// before.
    const STUCK: f64 = 0.95;
    const PATIENCE: u64 = 8;
    /// The fraction to which the least change `Σ|d|²/m_n` must fall within [`Guard::PATIENCE`]
    /// spans.
    const PROGRESS: f64 = 0.9;

    pub(super) fn new(begin: f64) -> Self {
        Self {
            begin,
            cap: begin,
            pause: 0,
            next_pause: Self::SPAN * Self::PATIENCE,
            sweeps: 0,
            least: f64::INFINITY,
            least_before: f64::INFINITY,
            better: 0,
            spans: 0,
            lately: f64::INFINITY,
            before: f64::INFINITY,
        }
    }

    /// Forgets the changes so far, which another problem does not follow on from.
    pub(super) fn forget(&mut self) {
        (self.sweeps, self.spans, self.better) = (0, 0, 0);
        (self.least, self.least_before) = (f64::INFINITY, f64::INFINITY);
        (self.lately, self.before) = (f64::INFINITY, f64::INFINITY);
    }

    /// Takes the change of one more sweep.
    pub(super) fn watch(&mut self, change: f64) -> Next {
        if self.pause > 0 {
            self.pause -= 1;
            return Next::Renew;
        }
        self.least = self.least.min(change);
        self.sweeps += 1;
        if self.sweeps < Self::SPAN {
            return Next::Further;
        }
        let stuck = self.least > Self::STUCK * self.least_before;
        if self.least < self.least_before {
            self.better += 1;
            if self.better == Self::AGAIN {
                self.better = 0;
                let up = 1.0 - (1.0 - self.cap) / 1.5;
                self.cap = self.cap.max(up.min(Self::TOP));
            }
        } else {
            self.better = 0;
            self.cap = self.cap.min(Self::LEAST.max(0.75 * self.cap));
        }
        self.sweeps = 0;
        self.least_before = self.least;
        self.lately = self.lately.min(self.least);
        self.least = f64::INFINITY;
        self.spans += 1;
        if self.spans < Self::PATIENCE {
            return if stuck { Next::Renew } else { Next::Further };
        }
        if self.lately > Self::PROGRESS * self.before {
            let pause = self.next_pause;
            *self = Self {
                pause,
                next_pause: 2 * pause,
                ..Self::new(self.begin)
            };
            return Next::Renew;
        }
        self.spans = 0;
        self.before = self.lately;
        self.lately = f64::INFINITY;
        if stuck { Next::Renew } else { Next::Further }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guard after `sweeps` sweeps with the given changes, and the number of orders that it
    /// demanded.
    fn after(sweeps: u32, change: impl Fn(u32) -> f64) -> (Guard, usize) {
        let mut guard = Guard::new(0.7);
        let next = (0..sweeps).map(|k| guard.watch(change(k)));
        let renewed = next.filter(|next| *next == Next::Renew).count();
        (guard, renewed)
    }

    fn falling(k: u32) -> f64 {
        0.99_f64.powi(k as i32)
    }

    #[test]
    fn momentum_rises_while_changes_fall() {
        assert_eq!(after(23, falling).0.cap, 0.7);
        assert!((after(24, falling).0.cap - 0.8).abs() < 1e-15);
        let (guard, renewed) = after(1000, falling);
        assert_eq!((guard.cap, guard.pause, renewed), (Guard::TOP, 0, 0));
    }

    #[test]
    fn where_changes_stand_still_it_falls_orders_are_renewed_and_it_pauses() {
        // The first span is less than infinity; each later one lowers the cap by a quarter.
        let (guard, renewed) = after(24, |_| 1.0);
        assert!((guard.cap - 0.525).abs() < 1e-15 && renewed == 1);
        assert_eq!(after(95, |_| 1.0).0.cap, Guard::LEAST);
        // 96 sweeps for comparison, 96 without progress, and the pause.
        for change in [|_| 1.0, f64::from] {
            assert_eq!(after(191, change).0.pause, 0);
            let (guard, _) = after(192, change);
            assert_eq!((guard.pause, guard.next_pause, guard.cap), (96, 192, 0.7));
            assert_eq!(after(192 + 96, change).0.pause, 0);
            assert_eq!(after(192 + 96 + 192, change).0.pause, 192);
        }
    }

    /// A cap below the least value is the user's; lack of progress does not raise it.
    #[test]
    fn a_small_cap_stays_small_where_changes_stand_still() {
        let mut guard = Guard::new(0.1);
        for _ in 0..50 {
            guard.watch(1.0);
            assert!(guard.cap <= 0.1);
        }
    }
}
