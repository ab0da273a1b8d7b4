//! Quasi-static schemes [004]: equilibrium after equilibrium, without inertia.
//!
//! A step is an increment of the loads: gravity, forces and the motion of walls reach their values
//! at its end, and the bodies move until all forces balance. Bodies, walls, detection, contacts,
//! measures and files are those of [`moreau_jean`](super::moreau_jean), so that a state of one
//! scheme starts another. Contacts have springs ([`elastic`](crate::law::elastic)); a record holds
//! force times Δt in place of an impulse.
//!
//! `bagi_bojtar` moves all bodies at once by the stiffness of the assembly, `kishino` one body
//! after the other; `serrano` is one linear solve. An increment that does not come to balance, or
//! in which a body jumps, is halved (`increment`).

mod assembly;
mod bagi_bojtar;
mod balance;
mod bonds;
mod direct;
mod edges;
mod energy;
mod forces;
mod found;
mod frame;
mod freewall;
mod geometric;
mod held;
mod increment;
mod inverses;
mod kishino;
mod link;
mod links;
mod mechanism;
mod memory;
mod modes;
mod moduli;
mod network;
mod parts;
mod places;
mod reach;
mod renew;
mod serrano;
mod settings;
mod solve;
mod stiffness;
mod support;
mod unknowns;
mod walls;

pub use memory::bytes_per_body;
pub use modes::{Mode, Modes, NoModes};
pub use moduli::{Moduli, NAMES as STRAINS, NoModuli};
pub use reach::least_edge;
pub use settings::{Breaking, Linear, Method, Select, Start, Statics, Then};

use super::error::StepError;
use super::pace::Span;
use super::physics::Physics;
use super::report::{Here, Report, Tally};
use super::state::{Clock, State};
use super::timers::{Timers, Verb};
use crate::body::Anchor;
use crate::contact::WallImpulse;
use crate::domain::Domain;
use crate::pool::Pool;
use crate::solver::merit::Verdict;
use crate::solver::nsgs::Outcome;
use assembly::{Assembly, Begins, Sample};
use increment::Increment;
use nalgebra::DMatrix;
use parts::Parts;
use std::collections::BTreeSet;
use stiffness::Stiffness;
use support::{Supports, anchored};

/// Largest number of bodies that are relaxed in one order.
const IN_ONE_ORDER: u64 = 20_000;

/// Largest number of unknowns of a matrix that is factorised.
///
/// In space the factors of 16 000 balls take 1.2 GB, and 18 s for `L Lᵀ`, in proportion to N^2.1;
/// `L U` takes five times as long. In the plane 100 000 discs take 0.4 GB and 3 s.
const IN_FACTORS: u64 = 100_000;

/// Fails if a method cannot move so many bodies.
///
/// # Errors
/// A message for the user.
pub fn may_run(statics: &Statics, bodies: u64) -> Result<(), String> {
    let each = if statics.planar { 3 } else { 6 };
    let unknowns = bodies.saturating_mul(each);
    let solves = !matches!(statics.method, Method::Kishino(_));
    if solves && statics.linear == Linear::Direct && unknowns > IN_FACTORS {
        return Err(format!(
            "quasistatic.linear = \"direct\" must have at most {IN_FACTORS} unknowns, {each} of each body; found {bodies} \
             bodies, {unknowns} unknowns; \"iterative\" has no such limit"
        ));
    }
    if statics.method != Method::Kishino(Select::Largest) || bodies <= IN_ONE_ORDER {
        return Ok(());
    }
    Err(format!(
        "quasistatic.select = \"largest\" must have at most {IN_ONE_ORDER} bodies; found {bodies}; \
         \"block\" has no such limit"
    ))
}

/// The end of an increment.
struct End {
    /// The time of its last equilibrium [s].
    time: f64,
    /// The error that ended it before its loads were balanced.
    error: Option<StepError>,
}

/// A quasi-static scheme.
#[derive(Debug)]
pub struct Quasistatic {
    physics: Physics,
    statics: Statics,
    pool: Pool,
    /// Increments done.
    done: u64,
    /// Whether the state is another scheme's.
    foreign: bool,
}

impl Quasistatic {
    /// The scheme before its first increment, with this number of threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(
        physics: Physics,
        statics: Statics,
        threads: usize,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self {
            pool: Pool::new(threads)?,
            physics,
            statics,
            done: 0,
            foreign: false,
        })
    }

    /// Declares that the state at the first increment is that of another scheme.
    pub fn take_over(&mut self) {
        self.foreign = true;
    }

    /// Whether the state is still another scheme's.
    #[must_use]
    pub fn takes_over(&self) -> bool {
        self.foreign
    }

    /// The constants of the run.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        &self.physics
    }

    /// The threads of this rank.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Does one increment; its contacts are in the state. Collective.
    ///
    /// One that was done in part goes on to its end, under the same number.
    ///
    /// Where a rank is asked to end the run meanwhile, the state is that before the increment.
    ///
    /// # Errors
    /// The same on all ranks; the state must not be used afterwards.
    pub fn step(&mut self, state: &mut State, domain: &Domain) -> Result<Report, StepError> {
        let number = (self.physics.pace).next(state.clock.step, state.clock.time);
        self.may_begin(number)?;
        self.support(state, (domain, number))?;
        let span = state.span(&self.physics, domain);
        let of = (&self.physics, &self.statics);
        let mut increment = Increment::begin(state, of, (number, self.foreign));
        let mut timers = Timers::default();
        let ended = timers.of(Verb::Sweep, || {
            self.balance(&mut increment, domain, (state.clock.time, &span))
        });
        let Some(End { time, error }) = ended? else {
            increment.undo(state);
            return Ok(Report::given_up());
        };
        let mut step = state.clock.step;
        if increment.parts > 0 {
            (step, self.foreign) = (number, false);
            self.done += 1;
        }
        let dt = time - state.clock.time;
        let mut report = self.report(&mut increment, (domain, dt), error);
        report.here.timers = timers;
        increment.end(state, span.dt);
        self.wear(state, dt / span.dt);
        let dt = span.dt;
        state.clock = Clock { step, time, dt };
        Ok(report)
    }

    /// Balances the parts of an increment from a time [s] on; `None`: it is to be given up.
    /// Collective.
    fn balance(
        &self,
        increment: &mut Increment,
        domain: &Domain,
        (time, span): (f64, &Span),
    ) -> Result<Option<End>, StepError> {
        let mut parts = Parts::default();
        while let Some(part) = parts.next() {
            let times = part.map(|share| time.mul_add(1.0 - share, span.end * share));
            let size = (span.dt, parts.is_finest());
            match increment.part((domain, &self.pool), times, size)? {
                Some(balanced) => {
                    increment.take(balanced, parts.is_last());
                    parts.accept();
                }
                None if increment.found.stopped => return Ok(None),
                None if self.statics.method.may_halve() && parts.halve() => {}
                None => {
                    return Ok(Some(End {
                        time: times[0],
                        error: Some(increment.end_of_run(times[0])),
                    }));
                }
            }
        }
        Ok(Some(End {
            time: span.end,
            error: None,
        }))
    }

    /// Records the forces on meshes at the end of the increment, if the state asks for them.
    ///
    /// `done` is the part of the increment that was done.
    fn wear(&self, state: &mut State, done: f64) {
        let State { wear, parcel, .. } = state;
        if let Some(wear) = wear
            && done > 0.0
        {
            let carrying = parcel.contacts.iter().filter(|row| row.impulse != [0.0; 3]);
            let impulses = carrying.filter_map(WallImpulse::of_row);
            let part = |one: WallImpulse| WallImpulse {
                impulse: one.impulse.map(|r| r * done),
                ..one
            };
            let impulses: Vec<WallImpulse> = impulses.map(part).collect();
            let walls = self.physics.placed(&state.walls);
            wear.take(&impulses, |wall| Some(&walls.get(wall)?.surface));
        }
    }

    /// Fails if a linear method is asked for a second increment.
    fn may_begin(&self, step: u64) -> Result<(), StepError> {
        match self.statics.method == Method::SerranoRodriguez && self.done > 0 {
            true => Err(StepError::OneIncrement { step }),
            false => Ok(()),
        }
    }

    /// Anchors the bodies of supports that hold none yet. Collective.
    fn support(
        &self,
        state: &mut State,
        (domain, number): (&Domain, u64),
    ) -> Result<(), StepError> {
        let held = state.anchors.iter().map(|anchor| anchor.support as usize);
        let held: BTreeSet<usize> = held.collect();
        let new = 0..self.physics.acts.supports.len();
        let new: Vec<usize> = new.filter(|number| !held.contains(number)).collect();
        if !new.is_empty() {
            let of = (&self.physics, domain);
            let mut all = anchored(of, &new, state.bodies(), number)?;
            all.extend(state.anchors.iter());
            all.sort_unstable_by_key(Anchor::key);
            state.anchors = all.into();
        }
        Ok(())
    }

    fn report(
        &self,
        increment: &mut Increment,
        (domain, dt): (&Domain, f64),
        end: Option<StepError>,
    ) -> Report {
        let broken = std::mem::take(&mut increment.broken);
        let [carries, slides, opened, closed] = increment.count();
        let counts = [broken.len() as f64, carries, slides, opened, closed];
        let [count, contacts, sliding, opened, closed] =
            domain.sums(&counts.map(|n| [n].into_iter().collect()));
        let found = &increment.found;
        let elastic = increment.work.elastic;
        Report {
            dt,
            end,
            planned: true,
            outcome: Outcome {
                sweeps: found.iterations,
                verdict: Verdict {
                    residual: increment.residual,
                    // Its scale is the energy in the springs.
                    violation: increment.residual * increment.residual * elastic,
                    converged: true,
                    ..Verdict::default()
                },
                work: increment.work,
                ..Outcome::default()
            },
            elastic,
            floor: found.floor,
            forced: increment.forced,
            dissipated: increment.dissipated,
            broken: count as u64,
            cell: self.physics.cell.as_ref().map(|_| increment.cell),
            tally: Some(Tally {
                parts: increment.parts,
                iterations: found.iterations,
                products: found.products,
                jumps: increment.jumps,
                contacts: contacts as u64,
                sliding: sliding as u64,
                opened: opened as u64,
                closed: closed as u64,
            }),
            here: Here {
                overlap: increment.overlap,
                broken,
                ..Here::default()
            },
            ..Report::default()
        }
    }

    /// The stiffness K̂ of a state as a dense matrix [N/m], for small assemblies. One rank only.
    ///
    /// The unknowns of each body, in the order of ids, are its displacement [m], and its rotation
    /// times its radius [m].
    #[must_use]
    pub fn stiffness(&self, state: &State, domain: &Domain) -> DMatrix<f64> {
        let assembly = self.assembly(state, domain);
        let stiffness = Stiffness::new(&assembly, self.statics.coulomb, 0.0);
        match self.statics.geometric {
            true => stiffness.with_geometric().dense(),
            false => stiffness.dense(),
        }
    }

    /// The elastic moduli of a state, in which all contacts stick and all walls follow the strain.
    /// Collective.
    ///
    /// # Errors
    /// If the cell is open along an axis, or a linear system cannot be solved.
    pub fn moduli(&self, state: &State, domain: &Domain) -> Result<Moduli, NoModuli> {
        moduli::moduli(&mut self.assembly(state, domain))
    }

    /// The softest modes of a state about its contacts, all of which stick, walls at rest. One rank
    /// only.
    ///
    /// # Errors
    /// If there are too many unknowns for a dense matrix.
    pub fn modes(&self, state: &State, domain: &Domain, count: usize) -> Result<Modes, NoModes> {
        modes::modes(&mut self.assembly(state, domain), count)
    }

    /// The bodies and contacts with which the next increment begins. Collective.
    fn assembly<'a, 'd>(&'a self, state: &'a State, domain: &'a Domain<'d>) -> Assembly<'a, 'd> {
        let supports = Supports::new(&self.physics.acts.supports, &state.anchors);
        let time = state.clock.time;
        let begins = Begins {
            times: [time, time + self.physics.pace.at_least()],
            foreign: false,
        };
        let sample = Sample {
            bodies: state.parcel.bodies.clone(),
            contacts: &state.parcel.contacts,
            walls: &state.walls,
        };
        Assembly::gather(
            (&self.physics, &self.statics, supports),
            (domain, &self.pool),
            (sample, state.clock.dt),
            (begins.times[1], Some(begins)),
        )
    }
}
