//! Momentum, which accelerates the propagation of forces by sweeps.
//!
//! While the order of contacts is kept, a sweep is a map G of impulses to impulses, and the solve
//! looks for its fixed point. Each sweep starts from a point beyond the result of the last,
//!
//! `y_k = g_k + β_k (g_k − g_{k−1})`, `g_{k+1} = G(y_k)`,
//!
//! with `β_k = (t_k − 1)/t_{k+1}`, `t_{k+1} = (1 + √(1 + 4 t_k²))/2` as in Nesterov's accelerated
//! gradient method, but never above a cap: G is not a gradient step, and where β comes near one the
//! contacts that open, close or begin to slide never settle. A force that runs through the packing
//! needs many sweeps to build up; in each it moves a little further in the same direction, and β
//! lets it go `1/(1 − β)` times as far. Velocities of bodies are linear in the impulses, so they
//! are extrapolated likewise. The new point may lie outside the friction cones; the next sweep
//! brings it back, and the judge only measures results of sweeps.
//!
//! A guard watches the changes made by sweeps. Where the change grows, β restarts from zero. Where
//! it does not decrease, the cap falls and another order of contacts is drawn, because some
//! packings run into a cycle with one order and not with the next. If that does not help, plain
//! sweeps follow for a while, each in a new order. All decisions are the same on any number of
//! ranks and threads.

mod guard;

pub use super::settings::Acceleration;

use super::batch::{Batches, Eight3, LANES};
use super::blocks::Block;
use super::course::Course;
use super::grid::Tour;
use super::halo::Halo;
use super::kernel::rigid::RigidContact;
use super::lanes::{Lanes, Width, Work};
use super::pushed::Pushed;
use super::settings::{Order, Settings};
use super::vectors::{Lane, store3};
use crate::body::Member;
use crate::math::make_room;
use crate::math::real::{add, sub};
use crate::pool::Pool;
use guard::{Guard, Next};

/// The acceleration of one solve.
pub(super) struct Momentum {
    width: Width,
    /// Whether an order is kept from sweep to sweep.
    kept: bool,
    guard: Guard,
    /// `t_k`; `None` before the first point.
    t: Option<f64>,
    /// The last sweep's change `Σ|d|²/m_n`.
    change: f64,
    /// Velocities at the last point.
    motions: Vec<[f64; 6]>,
    /// The number of orders that were replaced.
    orders: u64,
    /// The point from which the next sweep starts.
    point: Point,
}

/// Allowed growth of a sweep's change `Σ|d|²/m_n`; where it grows by more, β restarts from zero.
const GROWTH: f64 = 1.1;

impl Momentum {
    pub(super) fn new(settings: &Settings) -> Self {
        // The sweeps are one map only while their order is kept.
        let kept = settings.order == Order::Step;
        let cap = kept.then_some(settings.acceleration.momentum);
        Self {
            width: settings.width,
            kept,
            guard: Guard::new(cap.unwrap_or(0.0)),
            t: None,
            change: f64::INFINITY,
            motions: Vec::new(),
            orders: 0,
            point: Point::Stay,
        }
    }

    /// The number that draws the next sweep's order. `order = "step"` keeps the first order until
    /// momentum stalls with it.
    pub(super) fn order(&self, sweeps: u64) -> u64 {
        if self.kept { self.orders } else { sweeps }
    }

    /// How often momentum stalled and another order was drawn.
    pub(super) fn renewals(&self) -> u64 {
        self.orders
    }

    /// Forgets the points so far: the contacts have changed, and the sweeps are another map.
    pub(super) fn forget(&mut self) {
        (self.t, self.point, self.change) = (None, Point::Stay, f64::INFINITY);
        self.guard.forget();
    }

    /// Extrapolates from the result of a sweep. Collective.
    ///
    /// `change` is the sweep's `Σ|d|²/m_n`, the same on all ranks.
    pub(super) fn after_sweep<H: Halo>(
        &mut self,
        course: &mut Course<H>,
        pushed: &Pushed,
        tour: &Tour,
        change: f64,
    ) {
        if self.guard.begin <= 0.0 {
            return;
        }
        // Back to the colour at which the sweep ended; the judge has gone elsewhere.
        course.go_to(tour.start());
        let beyond = self.go_beyond(course.blocks.pool(), course.members, change);
        if beyond && !pushed.is_empty() {
            // The walls take the impulses of all contacts, so these go there at once.
            let (point, width) = (self.point(), self.width);
            course.blocks.map(|block: &mut Block| {
                point.take(block, width);
                []
            });
            pushed.take_impulses(course.blocks, course.members, course.halo);
        }
    }

    /// The point from which the next sweep starts, once.
    pub(super) fn point(&mut self) -> Point {
        std::mem::take(&mut self.point)
    }

    /// Extrapolates velocities from the result of a sweep, before they change otherwise.
    ///
    /// The impulses of a block follow when the next sweep comes to it. Returns whether it did.
    fn go_beyond(&mut self, pool: &Pool, members: &mut [Member], change: f64) -> bool {
        let next = self.guard.watch(change);
        let grown = change > GROWTH * self.change;
        self.change = change;
        if next == Next::Renew {
            // Another order is another map, so the points of the old one are useless.
            self.orders += 1;
            self.t = None;
            return false;
        }
        let Some(t) = self.t.filter(|_| !grown) else {
            self.t = Some(FIRST);
            self.note(members);
            return false;
        };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let beta = ((t - 1.0) / next).min(self.guard.cap);
        self.t = Some(next);
        self.point = Point::Beyond(beta);
        let both = members.chunks_mut(ROWS).zip(self.motions.chunks_mut(ROWS));
        pool.share(both, |both| further_on(both, beta));
        true
    }

    /// Records the first point.
    fn note(&mut self, members: &[Member]) {
        self.point = Point::First;
        self.motions.clear();
        self.motions.extend(members.iter().map(motion));
    }
}

/// The impulses from which a sweep through a block starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Point {
    /// The present ones.
    #[default]
    Stay,
    /// The present ones, which are recorded as the first point.
    First,
    /// Impulses beyond the last two points by this β; the present point is recorded.
    Beyond(f64),
}

impl Point {
    /// Takes the impulses of a block there.
    pub(super) fn take(self, block: &mut Block, width: Width) {
        let Block {
            batches,
            past,
            rigid,
            ..
        } = block;
        match self {
            Self::Stay => {}
            Self::First => {
                rigid.iter_mut().for_each(RigidContact::note);
                make_room(past, batches.state_len());
                past.resize(batches.state_len(), [[0.0; LANES]; 3]);
                batches.read_state(past);
            }
            Self::Beyond(beta) => {
                rigid.iter_mut().for_each(|one| one.go_beyond(beta));
                width.dispatch(Further {
                    batches,
                    past,
                    beta,
                });
            }
        }
    }
}

/// `t` at the second point; the first has no predecessor to extrapolate from.
const FIRST: f64 = 1.618_033_988_749_895;

/// Number of bodies that a thread handles at once.
const ROWS: usize = 1024;

/// Extrapolates the bodies' velocities from the present point, and records that point.
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

/// Extrapolates a block's impulses from the present point, and records that point.
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
