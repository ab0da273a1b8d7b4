//! The time step of contact dynamics: implicit Euler for velocities that jump [001 eq. 1.1–1.2], known as the Moreau–Jean
//! scheme. First the velocities at the end of the step are found together with the impulses, then the bodies move with them.

mod act;
mod advance;
mod burden;
mod length;
mod margin;
mod prepare;
mod squeezed;

use super::acts::Acts;
use super::pace::{Pace, Span};
use super::watch::Watch;
use super::{StepError, Timers, Verb};
use crate::body::{BodyRow, Twist, Wall, WallState};
use crate::contact::{ContactRow, Origin};
use crate::detect::Detector;
use crate::domain::Domain;
use crate::domain::ghosts::Traffic;
use crate::domain::migration::Parcel;
use crate::law::PairTable;
use crate::math::{Vector3, nan_max};
use crate::solver::Settings;
use crate::solver::blocks::Blocks;
use crate::solver::nsgs::{Outcome, solve};
use crate::solver::project::project;
use advance::Moving;
use prepare::Prepared;

/// What does not change during a run.
#[derive(Clone, Debug)]
pub struct Physics {
    /// How long steps are.
    pub pace: Pace,
    /// Time at which a run ends whose steps follow a rule, so that its last step ends there [s].
    pub until: Option<f64>,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// What holds between materials.
    pub pairs: PairTable,
    /// Walls by number, as they were at time zero.
    pub walls: Vec<Wall>,
    /// The solver's settings.
    pub solver: Settings,
    /// Largest radius of all bodies on all ranks [m].
    pub largest_radius: f64,
    /// Distance below which bodies are candidates for a contact even at rest [m]; at least the longest range of cohesion.
    pub skin: f64,
    /// Whether a body that leaves the domain is deleted; else it ends the run.
    pub delete_outside: bool,
    /// What regions do.
    pub acts: Acts,
}

/// The state between two steps, as one rank has it, and the machinery that takes it to the next.
pub struct System {
    physics: Physics,
    /// Steps done.
    step: u64,
    /// Time [s].
    time: f64,
    /// Length of the last step, or of the one that is being done [s]; before the first the longest there can be.
    dt: f64,
    /// Length of the step before that [s]: the one that the impulses acted in which the step starts with.
    dt_before: f64,
    /// Bodies that this rank had in the last step, each with the contacts that start at it.
    parcel: Parcel,
    /// Walls, on all ranks alike.
    walls: Vec<WallState>,
    /// Where they were when the impulses of the last step acted.
    walls_before: Vec<WallState>,
    /// Energy in springs after the last step, over all ranks [J].
    elastic: f64,
    detector: Detector,
    /// The rows of the contacts of the step before the last; kept for their memory.
    rows: Vec<ContactRow>,
    blocks: Blocks,
    watch: Watch,
    /// Bodies of this rank that left the domain, or went out, in the last step.
    deleted: Vec<BodyRow>,
    /// What this rank has spent on each verb.
    pub timers: Timers,
    /// What this rank has sent within solves.
    pub traffic: Traffic,
}

/// What a step did, the same on all ranks. Energies [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    /// Length of the step [s].
    pub dt: f64,
    /// Whether the motion asked for a shorter step than the rule's shortest.
    pub rushed: bool,
    /// How the solve ended.
    pub outcome: Outcome,
    /// Translational kinetic energy of free bodies at the end of the step.
    pub translational_energy: f64,
    /// Dissipated at contacts within the step: what they took out of the bodies' motion, less what went into springs.
    pub dissipated: f64,
    /// The same from the bodies' side: what they lost beyond the work of gravity and fields. Equal to what contacts took out less what walls
    /// brought in, but for rounding.
    pub lost: f64,
    /// Lost to the integrator: `Σ m Δt g·(v₁ − v₀)/2`, as positions move with the velocities of the end of the step.
    pub integrator: f64,
    /// Potential energy that the projection of positions brought in.
    pub projected: f64,
    /// Energy in springs at the end of the step.
    pub elastic: f64,
    /// Bodies that ended faster than detection had looked ahead: it may have missed a contact of theirs.
    pub outran: u64,
    /// Bodies that left the domain and were deleted.
    pub deleted: u64,
    /// Bodies that went out by outlets.
    pub drained: u64,
    /// Work of fields on free bodies.
    pub forced: f64,
    /// Energy of bodies that were let go, less that of those that were held, deleted or went out.
    pub entered: f64,
}

impl Physics {
    /// Acceleration of a free body by gravity and fields [m/s²], at `x` [m] with mass `m` [kg], at a time [s].
    #[must_use]
    pub fn acceleration(&self, x: &Vector3, mass: f64, time: f64) -> Vector3 {
        if self.acts.fields.is_empty() {
            return self.gravity;
        }
        self.gravity + self.acts.acceleration(x, mass, time)
    }
}

impl System {
    /// A state made of this rank's share of bodies and contacts (each contact with its first body), after `step` steps.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(
        physics: Physics,
        step: u64,
        parcel: Parcel,
        threads: usize,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let dt = physics.pace.at_most();
        Ok(Self {
            time: step as f64 * dt,
            dt,
            dt_before: dt,
            walls: vec![WallState::default(); physics.walls.len()],
            walls_before: vec![WallState::default(); physics.walls.len()],
            physics,
            step,
            parcel,
            elastic: 0.0,
            detector: Detector::default(),
            rows: Vec::new(),
            blocks: Blocks::new(threads)?,
            watch: Watch::default(),
            deleted: Vec::new(),
            timers: Timers::default(),
            traffic: Traffic::default(),
        })
    }

    /// Steps done.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Time [s]: a whole number of steps, or by a rule their sum.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Length of the last step [s], in which the impulses of [`contacts`](Self::contacts) acted: by it they become forces. Before the
    /// first step the longest that there can be.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// What does not change.
    #[must_use]
    pub fn physics(&self) -> &Physics {
        &self.physics
    }

    /// This rank's bodies.
    #[must_use]
    pub fn bodies(&self) -> &[BodyRow] {
        &self.parcel.bodies
    }

    /// This rank's bodies, to be changed between steps: how tests bring about what must not happen.
    pub fn bodies_mut(&mut self) -> &mut [BodyRow] {
        &mut self.parcel.bodies
    }

    /// Adds bodies, on whatever rank; the next step brings them to their owners.
    pub fn add(&mut self, rows: impl IntoIterator<Item = BodyRow>) {
        self.parcel.bodies.extend(rows);
    }

    /// Where the walls are, on all ranks alike.
    #[must_use]
    pub fn walls(&self) -> &[WallState] {
        &self.walls
    }

    /// Where they were when the impulses of the last step acted; after a resumption, until the first step, where they are.
    #[must_use]
    pub fn walls_before(&self) -> &[WallState] {
        &self.walls_before
    }

    /// Puts the walls where they were, and the energy in springs [J]: when a run goes on.
    pub fn set_walls(&mut self, walls: Vec<WallState>, elastic: f64) {
        self.walls_before.clone_from(&walls);
        self.walls = walls;
        self.elastic = elastic;
    }

    /// Puts the time and the length of the last step where they were [s]: when a run goes on whose steps follow a rule.
    pub fn set_clock(&mut self, time: f64, dt: f64) {
        (self.time, self.dt) = (time, dt);
    }

    /// Energy in springs [J].
    #[must_use]
    pub fn elastic(&self) -> f64 {
        self.elastic
    }

    /// Bodies of this rank that left the domain in the last step, or went out by an outlet.
    #[must_use]
    pub fn deleted(&self) -> &[BodyRow] {
        &self.deleted
    }

    /// The contacts of the last step that start at this rank's bodies.
    #[must_use]
    pub fn contacts(&self) -> &[ContactRow] {
        &self.parcel.contacts
    }

    /// Lends its bodies and contacts to a writer, without a copy. Until they are given back there is nothing here.
    #[must_use]
    pub fn lend(&mut self) -> Parcel {
        std::mem::take(&mut self.parcel)
    }

    /// Takes back what was lent.
    pub fn give_back(&mut self, parcel: Parcel) {
        self.parcel = parcel;
    }

    /// The largest overlap that this rank saw at the start of the last step, relative to the smaller radius.
    #[must_use]
    pub fn largest_overlap(&self) -> f64 {
        self.blocks
            .origins()
            .map(Origin::relative_overlap)
            .fold(0.0, nan_max)
    }

    /// One time step. Collective.
    ///
    /// # Errors
    /// The same on all ranks; the state is then not to be used.
    pub fn step(&mut self, domain: &Domain) -> Result<Done, StepError> {
        let mut timers = self.timers;
        let Prepared {
            span: Span { dt, end, rushed },
            brought,
            walls,
            pushed,
            margin,
            rows,
            mut bodies,
            mut ghosts,
            split,
            scales,
        } = self.prepare(domain, &mut timers)?;

        let settings = self.physics.solver;
        let blocks = &mut self.blocks;
        // Walls that move by Newton's law stand after the bodies.
        let mut members = bodies.members_in_parts(&split);
        members.extend(pushed.members());
        let (outcome, ways) = timers.time(Verb::Sweep, || {
            let (step, halo) = (self.step, &mut ghosts);
            let outcome = solve(blocks, &mut members, &pushed, halo, scales, &settings, step);
            let ways = (settings.projection.sweeps > 0).then(|| {
                let mut ways = project(blocks, &mut members, halo, &settings, step, dt);
                halo.bring_home(&mut ways);
                ways
            });
            halo.bring_home(&mut members);
            (outcome, ways)
        });
        bodies.take(&members);
        let walls_moved = pushed.twists(&self.blocks, &ghosts);
        let pushed: Vec<(usize, Twist)> = pushed.walls().zip(walls_moved).collect();
        let traffic = ghosts.traffic();
        timers.move_time(Verb::Sweep, Verb::Exchange, traffic.time);

        let done = timers.time(Verb::Move, || {
            let drive = walls.fastest(rows.iter().map(|row| &row.position));
            self.squeezed(domain, &outcome, &rows, drive)?;
            let ways = ways.as_deref();
            let moving = Moving {
                bodies: &bodies,
                ways,
                margin,
                end,
                brought,
            };
            let done = self.advance(domain, moving, rows, outcome)?;
            let after = walls.end(domain, &pushed, &self.parcel.contacts, dt);
            self.walls_before = std::mem::replace(&mut self.walls, after);
            self.time = end;
            Ok::<Done, StepError>(Done { rushed, ..done })
        })?;
        self.traffic.add(&traffic);
        self.timers = timers;
        Ok(done)
    }
}
