//! Ghosts: velocities on their way from holder to holder.
//!
//! A rank has a ghost of every body of other ranks whose box touches its blocks. Along the tour of
//! the colours the newest velocity of a body is on the rank that owns the block named by the holder
//! rule. When an axis flips, exactly the bodies whose holder changes travel, and overwrite the
//! ghost there. Without sums or averages, the sweep over many ranks is the serial sweep.
//!
//! Both ends of a message know its bodies without communication: they see the same boxes, and list
//! them in order of id.

use super::Domain;
use super::reach::Reach;
use super::shares::Shares;
pub use super::traffic::Traffic;
use crate::body::{BodyRow, Member};
use crate::comm::{Comm, sum_exact};
use crate::math::{ExactSum, Vector3};
use crate::solver::grid::Parity;
use crate::solver::{Exchange, Halo};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The bodies whose holder changes on one flip, by the other rank, in order of id.
#[derive(Clone, Debug, Default)]
struct Plan {
    sends: Vec<(usize, Vec<usize>)>,
    receives: Vec<(usize, Vec<usize>)>,
}

/// All hand-overs of a rank while a plan of contacts is kept.
#[derive(Clone, Debug, Default)]
pub struct HandOvers {
    /// By colour and axis.
    flips: Vec<Plan>,
    /// From the holder at colour 0 to the owner of the body.
    home: Plan,
    /// Bodies that another rank holds at colour 0.
    elsewhere: Vec<usize>,
    /// For one exchange a sweep: the bodies that are split among ranks.
    shares: Option<Shares>,
}

/// The halo of a rank for one step.
pub struct Ghosts<'a> {
    comm: &'a dyn Comm,
    plan: HandOvers,
    buffer: Vec<f64>,
    traffic: Traffic,
    /// The time of the last send.
    sent: Option<Instant>,
    /// Time in reductions, which is mostly waiting for slower ranks.
    reducing: Cell<Duration>,
}

impl HandOvers {
    /// Plans all hand-overs from the bodies (own and ghosts, in order of id) and their spans.
    #[must_use]
    pub fn plan(
        domain: &Domain,
        spans: &[Reach],
        positions: &[Vector3],
        exchange: Exchange,
    ) -> Self {
        let shares = (exchange == Exchange::Sweep).then(|| Shares::plan(domain, spans));
        // Split bodies never have a holder on another rank.
        let spans = if shares.is_some() { &[] } else { spans };
        let (rank, domain) = (domain.rank(), &domain.partition);
        let mut flips = vec![Lists::default(); Parity::COLOURS * 3];
        let mut home = Lists::default();
        let mut elsewhere = Vec::new();
        for (i, reach) in spans.iter().enumerate() {
            let Reach::Span(span) = reach else {
                continue; // All ranks compute its velocity.
            };
            if span.blocks().all(|b| domain.owner_of_block(b) == rank) {
                continue; // Far from all cuts.
            }
            let owner = domain.owner_of_point(&positions[i]);
            let first = domain.owner_of_block(span.holder(Parity(0)));
            home.add(rank, first, owner, i);
            if first != rank {
                elsewhere.push(i);
            }
            for colour in (0..Parity::COLOURS as u8).map(Parity) {
                let holder = domain.owner_of_block(span.holder(colour));
                for axis in (0..3).filter(|&a| span.splits(a)) {
                    let next = domain.owner_of_block(span.holder(colour.flipped(axis)));
                    flips[usize::from(colour.0) * 3 + axis].add(rank, holder, next, i);
                }
            }
        }
        Self {
            flips: flips.into_iter().map(Lists::plan).collect(),
            home: home.plan(),
            elsewhere,
            shares,
        }
    }
}

impl<'a> Ghosts<'a> {
    /// The halo of a step with these hand-overs.
    #[must_use]
    pub fn new(domain: &Domain<'a>, plan: HandOvers) -> Self {
        Self {
            comm: domain.comm,
            plan,
            buffer: Vec::new(),
            traffic: Traffic::default(),
            sent: None,
            reducing: Cell::default(),
        }
    }

    /// The hand-overs, for the next step.
    #[must_use]
    pub fn into_plan(self) -> HandOvers {
        self.plan
    }

    /// The cost of the exchange so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let mut traffic = self.traffic;
        traffic.time += self.reducing.get();
        traffic
    }

    /// Splits the bodies that several ranks know, by the numbers of contacts on each rank.
    ///
    /// A contact gives the places of its two bodies. Returns for each of `bodies` the factor by
    /// which it answers more to an impulse here than the whole body; an empty list where bodies are
    /// never split. Collective.
    #[must_use]
    pub fn split(
        &mut self,
        bodies: usize,
        contacts: impl Iterator<Item = [Option<usize>; 2]>,
    ) -> Vec<f64> {
        let Some(shares) = &mut self.plan.shares else {
            return Vec::new();
        };
        let mut numbers = vec![0; bodies];
        contacts.flatten().flatten().for_each(|i| numbers[i] += 1);
        shares.weigh(self.comm, &numbers)
    }

    /// Sends the velocities from their holders to the owners after a solve, which ends at colour 0.
    pub fn bring_home(&mut self, members: &mut [Member]) {
        let begin = Instant::now();
        let plan = &self.plan.home;
        send(
            self.comm,
            plan,
            &mut self.buffer,
            &mut self.traffic,
            members,
        );
        receive(self.comm, plan, &mut self.buffer, members);
        self.traffic.time += begin.elapsed();
    }
}

impl Halo for Ghosts<'_> {
    fn leaving(&self, from: Parity, axis: usize) -> impl Iterator<Item = usize> {
        let plan = &self.plan.flips[usize::from(from.0) * 3 + axis];
        plan.sends
            .iter()
            .flat_map(|(_, places)| places.iter().copied())
    }

    fn begin(&mut self, members: &mut [Member]) {
        if cfg!(debug_assertions) {
            (self.plan.elsewhere)
                .iter()
                .for_each(|&i| members[i].set_motion(&NOBODYS));
        }
    }

    fn send(&mut self, from: Parity, axis: usize, members: &[Member]) {
        let begin = Instant::now();
        let plan = &self.plan.flips[usize::from(from.0) * 3 + axis];
        send(
            self.comm,
            plan,
            &mut self.buffer,
            &mut self.traffic,
            members,
        );
        self.traffic.time += begin.elapsed();
        for (from, places) in &plan.receives {
            self.comm.expect(*from, 6 * places.len());
        }
        self.sent = Some(Instant::now());
    }

    fn progress(&self) {
        self.comm.progress();
    }

    fn receive(&mut self, from: Parity, axis: usize, members: &mut [Member]) {
        let begin = Instant::now();
        let plan = &self.plan.flips[usize::from(from.0) * 3 + axis];
        receive(self.comm, plan, &mut self.buffer, members);
        let waited = begin.elapsed();
        self.traffic.time += waited;
        if !plan.receives.is_empty() {
            let on_blocks = self.sent.map_or(Duration::ZERO, |sent| begin - sent);
            self.traffic.overlapped += on_blocks;
            self.traffic.waited += waited;
        }
        // Another rank now changes this velocity: a read of the old copy before its return must
        // show.
        if cfg!(debug_assertions) {
            for &i in plan.sends.iter().flat_map(|(_, places)| places) {
                members[i].set_motion(&NOBODYS);
            }
        }
    }

    fn part(&mut self, members: &[Member]) {
        if let Some(shares) = &mut self.plan.shares {
            shares.part(members);
        }
    }

    fn meet(&mut self, members: &mut [Member]) {
        if let Some(shares) = &mut self.plan.shares {
            let begin = Instant::now();
            shares.meet(self.comm, &mut self.traffic, members);
            self.traffic.time += begin.elapsed();
        }
    }

    fn sum(&self, sums: &mut [ExactSum]) {
        if self.comm.size() == 1 {
            return;
        }
        let begin = Instant::now();
        sum_exact(self.comm, sums);
        self.reducing.set(self.reducing.get() + begin.elapsed());
    }

    fn max(&self, value: f64) -> f64 {
        let begin = Instant::now();
        let largest = self.comm.max_f64(value);
        self.reducing.set(self.reducing.get() + begin.elapsed());
        largest
    }
}

/// The value of a velocity in debug builds while another rank holds it.
const NOBODYS: [f64; 6] = [f64::NAN; 6];

/// A plan under construction.
#[derive(Clone, Debug, Default)]
struct Lists {
    sends: BTreeMap<usize, Vec<usize>>,
    receives: BTreeMap<usize, Vec<usize>>,
}

impl Lists {
    /// Records that a body goes from one rank to another, if this rank is one of the two.
    fn add(&mut self, rank: usize, from: usize, to: usize, body: usize) {
        if from == to {
        } else if from == rank {
            self.sends.entry(to).or_default().push(body);
        } else if to == rank {
            self.receives.entry(from).or_default().push(body);
        }
    }

    fn plan(self) -> Plan {
        Plan {
            sends: self.sends.into_iter().collect(),
            receives: self.receives.into_iter().collect(),
        }
    }
}

fn send(
    comm: &dyn Comm,
    plan: &Plan,
    buffer: &mut Vec<f64>,
    traffic: &mut Traffic,
    members: &[Member],
) {
    for (to, places) in &plan.sends {
        buffer.clear();
        places
            .iter()
            .for_each(|&i| buffer.extend(members[i].motion()));
        comm.post(*to, buffer);
        traffic.messages += 1;
        traffic.bytes += 8 * buffer.len() as u64;
    }
}

fn receive(comm: &dyn Comm, plan: &Plan, buffer: &mut Vec<f64>, members: &mut [Member]) {
    for (from, places) in &plan.receives {
        buffer.clear();
        buffer.resize(6 * places.len(), f64::NAN);
        comm.receive(*from, buffer);
        for (&i, numbers) in places.iter().zip(buffer.chunks_exact(6)) {
            members[i].set_motion(numbers);
        }
    }
}

/// Half the width of a body's box [m], which encloses its contacts with gap below `margin`.
///
/// A little more than `r + margin/2`, as the contact point is rounded.
#[must_use]
pub fn reach(radius: f64, margin: f64) -> f64 {
    (radius + 0.5 * margin) * (1.0 + 1e-9)
}

/// Half the width of the box around a body's reference, in which it stays while the plan is kept
/// [m].
#[must_use]
pub fn half(row: &BodyRow, skin: f64) -> f64 {
    reach(row.reference.radius + row.reference.allowance, skin)
}
