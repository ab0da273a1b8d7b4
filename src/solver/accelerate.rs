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
//! A guard watches the changes that sweeps make. Where one grows, β starts again from zero; where they do not become less, there is
//! less momentum and another order of contacts, as some packings go round in circles with one and not with the next; where that does not
//! help, plain sweeps for a while, in ever new orders. What decides is the same on any number of ranks and threads.

use super::batch::{Batches, Eight3, LANES};
use super::blocks::{Block, Blocks};
use super::lanes::{Lanes, Width, Work};
use super::vectors::{Lane, store3};
use crate::body::Member;
use crate::math::make_room;
use crate::math::real::{add, sub};
use rayon::prelude::*;

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

    /// Whether there is to be momentum at all.
    pub(super) fn is_wanted(&self) -> bool {
        self.guard.begin > 0.0
    }

    /// By what the next sweep's order is to be drawn: the same as before while momentum builds up.
    pub(super) fn order(&self) -> u64 {
        self.orders
    }

    /// After a sweep that changed impulses by `Σ|d|²/m_n`, the same on all ranks, and before anything else happens to velocities: goes
    /// beyond the point that it has reached. Returns whether it did.
    pub(super) fn after_sweep(
        &mut self,
        blocks: &mut Blocks,
        members: &mut [Member],
        change: f64,
    ) -> bool {
        let next = self.guard.watch(change);
        let grown = change > GROWTH * self.change;
        self.change = change;
        if next == Next::Renew {
            // Another order, another map: nothing of the old one's points is of use.
            self.orders += 1;
            self.t = None;
            return false;
        }
        let Some(t) = self.t.filter(|_| !grown) else {
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
        let both = (members, &mut *self.motions);
        match blocks.pool().shared() {
            None => further_on(both, beta),
            Some(pool) => pool.install(|| {
                let (members, motions) = both;
                let motions = motions.par_chunks_mut(ROWS);
                let each = members.par_chunks_mut(ROWS).zip(motions);
                each.for_each(|both| further_on(both, beta));
            }),
        }
        true
    }

    /// Notes the first point.
    fn note(&mut self, blocks: &mut Blocks, members: &[Member]) {
        blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            make_room(past, batches.state_len());
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

/// Bodies that a thread takes at once.
const ROWS: usize = 1024;

/// Takes bodies' velocities beyond the point that they have reached, and notes that.
fn further_on((members, before): (&mut [Member], &mut [[f64; 6]]), beta: f64) {
    for (member, before) in members.iter_mut().zip(before) {
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
}

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
    fn with<S: Lanes>(self, s: S) {
        let Self {
            batches,
            past,
            beta,
        } = self;
        let (impulses, couples) = past.split_at_mut(batches.all.len());
        for (past, batch) in impulses.iter_mut().zip(&mut batches.all) {
            further(s, &mut batch.impulse, past, beta);
        }
        for (past, couples) in couples.iter_mut().zip(&mut batches.couples) {
            further(s, &mut couples.0, past, beta);
        }
    }
}

#[inline(always)]
fn further<S: Lanes>(s: S, now: &mut Eight3, past: &mut Eight3, beta: f64) {
    let beta = Lane::all(s, beta);
    for part in (0..LANES).step_by(S::F64_LANES) {
        let (reached, before) = (Lane::load3(s, now, part), Lane::load3(s, past, part));
        let way = sub(&reached, &before);
        let beyond = add(&reached, &[beta * way[0], beta * way[1], beta * way[2]]);
        store3(now, part, &beyond);
        store3(past, part, &reached);
    }
}

/// How much momentum there may be.
///
/// Over each [`Guard::SPAN`] sweeps the least change is noted. Where it is no less than before, β's cap goes down by a quarter, at most to
/// [`Guard::LEAST`]; after [`Guard::AGAIN`] times in a row that it was, up by a third of the way to one, at most to [`Guard::TOP`]. Where
/// the least change has hardly come down in [`Guard::PATIENCE`] spans, there is a pause of plain sweeps, each longer than the last.
struct Guard {
    begin: f64,
    /// β's cap now.
    cap: f64,
    /// Sweeps of the pause that are left, and how long the next will be.
    pause: u64,
    next_pause: u64,
    /// Sweeps of this span, the least change in it, and in the span before.
    sweeps: u64,
    least: f64,
    least_before: f64,
    /// Spans in a row that were better than the one before.
    better: u32,
    /// Spans since patience was last asked for, the least change in them, and in as many before.
    spans: u64,
    lately: f64,
    before: f64,
}

/// What is to be done after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Go further with this order.
    Further,
    /// Another order.
    Renew,
}

impl Guard {
    const SPAN: u64 = 12;
    const AGAIN: u32 = 2;
    const TOP: f64 = 0.9;
    const LEAST: f64 = 0.2;
    /// A span whose least change, squared, is more than this part of that before is stuck.
    const STUCK: f64 = 0.95;
    const PATIENCE: u64 = 8;
    /// The part to which the least change, squared, is to come down in so many spans.
    const PROGRESS: f64 = 0.9;

    fn new(begin: f64) -> Self {
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

    /// One more sweep, and its change.
    fn watch(&mut self, change: f64) -> Next {
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

    /// The guard after so many sweeps whose changes a function tells, and how many orders it has asked for.
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
        // The first span is less than infinite; then a quarter less each.
        let (guard, renewed) = after(24, |_| 1.0);
        assert!((guard.cap - 0.525).abs() < 1e-15 && renewed == 1);
        assert_eq!(after(95, |_| 1.0).0.cap, Guard::LEAST);
        // 96 sweeps to compare with, 96 of which nothing came, and the pause.
        for change in [|_| 1.0, f64::from] {
            assert_eq!(after(191, change).0.pause, 0);
            let (guard, _) = after(192, change);
            assert_eq!((guard.pause, guard.next_pause, guard.cap), (96, 192, 0.7));
            assert_eq!(after(192 + 96, change).0.pause, 0);
            assert_eq!(after(192 + 96 + 192, change).0.pause, 192);
        }
    }

    /// A cap below the least is the user's, and is not raised by a failure.
    #[test]
    fn a_small_cap_stays_small_where_changes_stand_still() {
        let mut guard = Guard::new(0.1);
        for _ in 0..50 {
            guard.watch(1.0);
            assert!(guard.cap <= 0.1);
        }
    }
}
