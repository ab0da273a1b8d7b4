//! The parts of an increment: where one has no balance, it is halved.

/// The number of parts into which an increment may be cut.
const FINEST: u64 = 64;

/// The parts of an increment, each a multiple of its own size.
#[derive(Debug)]
pub(super) struct Parts {
    done: u64,
    size: u64,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            done: 0,
            size: FINEST,
        }
    }
}

impl Parts {
    /// The start and the end of the next part, as shares of the increment; `None` at its end.
    pub(super) fn next(&self) -> Option<[f64; 2]> {
        let share = |part: u64| part as f64 / FINEST as f64;
        (self.done < FINEST).then(|| [share(self.done), share(self.done + self.size)])
    }

    /// Whether the part is the last.
    pub(super) fn is_last(&self) -> bool {
        self.done + self.size == FINEST
    }

    /// The part is in balance. The next may be twice as large.
    pub(super) fn accept(&mut self) {
        self.done += self.size;
        if self.done.is_multiple_of(2 * self.size) && self.done < FINEST {
            self.size *= 2;
        }
    }

    /// Whether the part cannot be halved.
    pub(super) fn is_finest(&self) -> bool {
        self.size == 1
    }

    /// Halves the part; returns whether that is possible.
    pub(super) fn halve(&mut self) -> bool {
        let can = self.size > 1;
        if can {
            self.size /= 2;
        }
        can
    }
}
