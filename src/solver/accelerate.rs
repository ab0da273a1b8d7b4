//! Momentum: what makes sweeps carry forces further.
//!
//! As long as the order is kept, sweeps are a map G of impulses to impulses, whose fixed point is wanted. Each sweep starts from a
//! point beyond the one that the last has reached,
//!
//! `y_k = g_k + β_k (g_k − g_{k−1})`, `g_{k+1} = G(y_k)`,
//!
//! with `β_k = (t_k − 1)/t_{k+1}`, `t_{k+1} = (1 + √(1 + 4 t_k²))/2` as in Nesterov's accelerated gradient method, but never above a
//! cap: G is no gradient step, and where β comes near one the contacts that open, close, begin to slide never settle. What needs
//! many sweeps to come about, a force that runs through the packing, moves a little further in the same direction in each; β lets it
//! go `1/(1 − β)` times as far. As bodies' velocities are linear in impulses, they are taken along alike. The new point may lie off the
//! laws' cones; the next sweep brings it back, and the judge only ever sees what a sweep has reached.
//!
//! [`Guard`] watches the changes that sweeps make: momentum is taken back where they do not become less, and given up where that
//! does not help. What decides is the same on any number of ranks and threads.

use super::batch::{Batches, Eight3, LANES};
use super::blocks::{Block, Blocks};
use super::lanes::{Lanes, Width, Work};
use crate::body::Member;

/// What the user may set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration {
    /// Cap of β at the start of a solve, below 1; 0: plain sweeps.
    pub momentum: f64,
}

impl Acceleration {
    /// Plain sweeps.
    pub const NONE: Acceleration = Acceleration { momentum: 0.0 };

    /// As was found best for solves of few sweeps; long ones raise it by themselves.
    pub const MOMENTUM: Acceleration = Acceleration { momentum: 0.7 };
}

impl Default for Acceleration {
    fn default() -> Self {
        Self::NONE
    }
}

/// The acceleration of one solve.
pub(super) struct Momentum {
    width: Width,
    guard: Guard,
    /// `t_k`; `None` before the first point.
    t: Option<f64>,
    /// The last sweep's change, squared.
    change: f64,
    /// Velocities that belong to the last point.
    motions: Vec<[f64; 6]>,
    /// Orders that were of no more use.
    orders: u64,
}

/// A sweep's change may grow by this, squared; where it grows by more, β starts again from zero.
const GROWTH: f64 = 1.1;

impl Momentum {
    pub(super) fn new(settings: Acceleration, width: Width) -> Self {
        Self {
            width,
            guard: Guard::new(settings.momentum),
            t: None,
            change: f64::INFINITY,
            motions: Vec::new(),
            orders: 0,
        }
    }

    /// By what the next sweep's order is to be drawn: the same as before while momentum builds up.
    pub(super) fn order(&self) -> u64 {
        self.orders
    }

    /// Whether the solve goes on with plain sweeps.
    pub(super) fn is_off(&self) -> bool {
        self.guard.cap == 0.0
    }

    /// After a sweep that changed impulses by `Σ|d|²/m_n`, the same on all ranks, and before anything else happens to velocities: goes
    /// beyond the point that it has reached. Returns whether it did.
    pub(super) fn after_sweep(
        &mut self,
        blocks: &mut Blocks,
        members: &mut [Member],
        change: f64,
    ) -> bool {
        if self.is_off() {
            return false;
        }
        let stuck = self.guard.watch(change);
        let failed = change > GROWTH * self.change;
        self.change = change;
        if stuck || self.is_off() {
            // Another order, another map: nothing of the old one's points is of use.
            self.orders += 1;
            self.t = None;
            return false;
        }
        let Some(t) = self.t.filter(|_| !failed) else {
            self.t = Some(FIRST);
            self.note(blocks, members);
            return false;
        };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let beta = ((t - 1.0) / next).min(self.guard.cap);
        self.t = Some(next);
        let width = self.width;
        blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            width.dispatch(Further {
                batches,
                past,
                beta,
            });
            []
        });
        for (member, before) in members.iter_mut().zip(&mut self.motions) {
            if member.moves() {
                let reached = motion(member);
                let mut beyond = reached;
                for k in 0..6 {
                    beyond[k] += beta * (reached[k] - before[k]);
                }
                *before = reached;
                member.set_motion(&beyond);
            }
        }
        true
    }

    /// Notes the first point.
    fn note(&mut self, blocks: &mut Blocks, members: &[Member]) {
        blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            past.resize(batches.state_len(), [[0.0; LANES]; 3]);
            batches.read_state(past);
            []
        });
        self.motions.clear();
        self.motions.extend(members.iter().map(motion));
    }
}

/// `t` at the second point: at the first there is nothing to go on from.
const FIRST: f64 = 1.618_033_988_749_895;

fn motion(member: &Member) -> [f64; 6] {
    let [a, b, c, d, e, f, ..] = member.0;
    [a, b, c, d, e, f]
}

/// Takes a block's impulses beyond the point that they have reached, and notes that.
struct Further<'a> {
    batches: &'a mut Batches,
    past: &'a mut [Eight3],
    beta: f64,
}

impl Work for Further<'_> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, _: S) {
        let Self {
            batches,
            past,
            beta,
        } = self;
        let (impulses, couples) = past.split_at_mut(batches.all.len());
        for (past, batch) in impulses.iter_mut().zip(&mut batches.all) {
            further(&mut batch.impulse, past, beta);
        }
        for (past, couples) in couples.iter_mut().zip(&mut batches.couples) {
            further(&mut couples.couple, past, beta);
        }
    }
}

#[inline(always)]
fn further(now: &mut Eight3, past: &mut Eight3, beta: f64) {
    for axis in 0..3 {
        for lane in 0..LANES {
            let reached = now[axis][lane];
            now[axis][lane] = reached + beta * (reached - past[axis][lane]);
            past[axis][lane] = reached;
        }
    }
}

/// How much momentum there may be.
///
/// Over each [`Guard::SWEEPS`] sweeps the least change is noted. Where it is no less than before, β's cap goes down by a quarter; after
/// [`Guard::AGAIN`] times in a row that it was, up by a third of the way to one, at most to [`Guard::TOP`]. Below [`Guard::LEAST`]
/// momentum is given up for the rest of the solve, and also where the least change of all has not come down by
/// [`Guard::PROGRESS`] in [`Guard::PATIENCE`] such spans.
struct Guard {
    /// β's cap now.
    cap: f64,
    sweeps: u32,
    least: f64,
    least_before: f64,
    better: u32,
    spans: u32,
    least_of_all: f64,
    mark: f64,
}

impl Guard {
    const SWEEPS: u32 = 12;
    const AGAIN: u32 = 2;
    const TOP: f64 = 0.9;
    const LEAST: f64 = 0.2;
    const STUCK: f64 = 0.95;
    const PATIENCE: u32 = 8;
    /// Squared.
    const PROGRESS: f64 = 0.9;

    fn new(cap: f64) -> Self {
        Self {
            cap,
            sweeps: 0,
            least: f64::INFINITY,
            least_before: f64::INFINITY,
            better: 0,
            spans: 0,
            least_of_all: f64::INFINITY,
            mark: f64::INFINITY,
        }
    }

    /// One more sweep, and its change. Whether it is time for another order.
    fn watch(&mut self, change: f64) -> bool {
        self.least = self.least.min(change);
        self.sweeps += 1;
        if self.sweeps < Self::SWEEPS {
            return false;
        }
        let stuck = self.least > Self::STUCK * self.least_before;
        if self.least < self.least_before {
            self.better += 1;
            if self.better == Self::AGAIN {
                self.better = 0;
                self.cap = self.cap.max(Self::TOP.min(1.0 - (1.0 - self.cap) / 1.5));
            }
        } else {
            self.better = 0;
            self.cap *= 0.75;
            if self.cap < Self::LEAST {
                self.cap = 0.0;
            }
        }
        self.least_of_all = self.least_of_all.min(self.least);
        self.spans += 1;
        if self.spans == Self::PATIENCE {
            if self.least_of_all > Self::PROGRESS * self.mark {
                self.cap = 0.0;
            }
            self.spans = 0;
            self.mark = self.least_of_all;
        }
        self.sweeps = 0;
        self.least_before = self.least;
        self.least = f64::INFINITY;
        stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cap after so many sweeps whose changes a function tells.
    fn cap(sweeps: u32, change: impl Fn(u32) -> f64) -> f64 {
        let mut guard = Guard::new(0.7);
        for k in 0..sweeps {
            guard.watch(change(k));
        }
        guard.cap
    }

    #[test]
    fn momentum_rises_while_changes_fall_and_is_given_up_where_they_do_not() {
        assert_eq!(cap(11, |_| 1.0), 0.7);
        assert!((cap(24, |k| 0.99_f64.powi(k as i32)) - 0.8).abs() < 1e-15);
        assert_eq!(cap(1000, |k| 0.99_f64.powi(k as i32)), Guard::TOP);
        // The first twelve are less than infinite; then a quarter each.
        assert!((cap(24, |_| 1.0) - 0.525).abs() < 1e-15);
        assert_eq!(cap(72, |_| 1.0), 0.0);
        assert_eq!(cap(2000, f64::from), 0.0, "nor does it come back");
        assert_eq!(cap(200, |_| f64::NAN), 0.0);
    }
}
