//! The time step of contact dynamics: implicit Euler for velocities that jump [001 eq. 1.1–1.2], known as the Moreau–Jean
//! scheme. First the velocities at the end of the step are found together with the impulses, then the bodies move with them.

use super::{StepError, Timers, Verb};
use crate::body::{Bodies, BodyRow, Wall};
use crate::contact::{Candidate, ContactRow};
use crate::detect::candidates;
use crate::domain::Domain;
use crate::domain::ghosts::{Ghosts, Traffic, reach, spans};
use crate::domain::migration::{Parcel, to_first_bodies, to_owners, with_copies};
use crate::law::PairTable;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::measure::translational_energy;
use crate::solver::Settings;
use crate::solver::blocks::{Blocks, Filling};
use crate::solver::nsgs::{Outcome, solve};

/// What does not change during a run.
#[derive(Clone, Debug)]
pub struct Physics {
    /// Time step Δt [s].
    pub dt: f64,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// What holds between materials.
    pub pairs: PairTable,
    /// Walls by number.
    pub walls: Vec<Wall>,
    /// The solver's settings.
    pub solver: Settings,
    /// Largest radius of all bodies on all ranks [m].
    pub largest_radius: f64,
    /// Distance below which bodies are candidates for a contact even at rest [m].
    pub skin: f64,
}

/// The state between two steps, as one rank has it, and the machinery that takes it to the next.
pub struct System {
    physics: Physics,
    /// Steps done.
    step: u64,
    /// Bodies that this rank had in the last step, each with the contacts that start at it.
    parcel: Parcel,
    blocks: Blocks,
    /// What this rank has spent on each verb.
    pub timers: Timers,
    /// What this rank has sent within solves.
    pub traffic: Traffic,
}

/// What a step did, the same on all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    /// How the solve ended.
    pub outcome: Outcome,
    /// Translational kinetic energy at the end of the step [J].
    pub translational_energy: f64,
    /// Energy dissipated at contacts within the step [J]: what the bodies lost beyond gravity's work.
    pub dissipated: f64,
    /// Bodies that ended faster than detection had looked ahead: it may have missed a contact of theirs.
    pub outran: u64,
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
        Ok(Self {
            physics,
            step,
            parcel,
            blocks: Blocks::new(threads)?,
            timers: Timers::default(),
            traffic: Traffic::default(),
        })
    }

    /// Steps done.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Time [s]: a whole number of steps.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.physics.dt
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

    /// The contacts of the last step that start at this rank's bodies.
    #[must_use]
    pub fn contacts(&self) -> &[ContactRow] {
        &self.parcel.contacts
    }

    /// The largest overlap that this rank saw at the start of the last step, relative to the smaller radius.
    #[must_use]
    pub fn largest_overlap(&self) -> f64 {
        self.blocks
            .contacts()
            .map(|(_, origin)| origin.relative_overlap())
            .fold(0.0, nan_max)
    }

    /// One time step. Collective.
    ///
    /// # Errors
    /// The same on all ranks; the state is then not to be used.
    pub fn step(&mut self, domain: &Domain) -> Result<Done, StepError> {
        let mut timers = self.timers;
        let margin = timers.time(Verb::Migrate, || self.margin(domain))?;
        let all = timers.time(Verb::Migrate, || self.migrate(domain, margin));
        let (mut bodies, mut ghosts) = timers.time(Verb::Migrate, || {
            let bodies = Bodies::from_rows(&all.bodies);
            let spans = spans(domain, &bodies, margin);
            let ghosts = Ghosts::plan(domain, &spans, bodies.positions());
            (bodies, ghosts)
        });
        timers.time(Verb::Detect, || {
            self.detect(domain, &bodies, &all.contacts, margin)
        });
        let scales = timers.time(Verb::Move, || self.free_velocities(domain, &mut bodies));

        let settings = self.physics.solver;
        let blocks = &mut self.blocks;
        let outcome = timers.time(Verb::Sweep, || {
            let twists = bodies.twists_mut();
            let outcome = solve(blocks, twists, &mut ghosts, scales, &settings, self.step);
            ghosts.bring_home(twists);
            outcome
        });
        let traffic = ghosts.traffic();
        timers.move_time(Verb::Sweep, Verb::Exchange, traffic.time);

        let done = timers.time(Verb::Move, || {
            self.advance(domain, bodies, &all.bodies, outcome, margin)
        })?;
        self.traffic.add(&traffic);
        self.timers = timers;
        Ok(done)
    }

    /// The gap below which a pair counts as a candidate. Two bodies close at most twice the largest speed, here that of free
    /// motion. Contacts rarely make a body faster than any was before (a wedge can); [`Done::outran`] tells when one did.
    fn margin(&self, domain: &Domain) -> Result<f64, StepError> {
        let Physics {
            dt,
            gravity,
            skin,
            largest_radius,
            ..
        } = &self.physics;
        let step = self.step + 1;
        let speed = |row: &BodyRow| match is_finite(row) {
            true => (Vector3::from(row.velocity) + gravity * *dt).norm(),
            false => f64::NAN,
        };
        let here = self
            .parcel
            .bodies
            .iter()
            .fold(0.0, |s, row| nan_max(s, speed(row)));
        let fastest = domain.max(here);
        let margin = skin + 2.0 * fastest * dt;
        let edge = domain.partition().grid().shortest_edge();
        if fastest.is_finite() && 2.0 * reach(*largest_radius, margin) <= edge {
            return Ok(margin);
        }
        let guilty = |row: &&BodyRow| !speed(row).is_finite() || speed(row) == fastest;
        domain.agree(
            match self
                .parcel
                .bodies
                .iter()
                .filter(guilty)
                .min_by_key(|row| row.id)
            {
                Some(row) if !speed(row).is_finite() => Err(not_finite(step, row)),
                Some(row) => {
                    let travel = speed(row) * dt;
                    let allowed = 0.5 * (edge - 2.0 * largest_radius - skin);
                    Err(StepError::TooFast {
                        step,
                        id: row.id.0,
                        travel,
                        allowed,
                        dt: *dt,
                        edge,
                    })
                }
                None => Ok(margin),
            },
        )
    }

    /// Bodies to their owners, and copies to all who need them. What comes back is in order of id and key.
    fn migrate(&mut self, domain: &Domain, margin: f64) -> Parcel {
        let mut parcel = std::mem::take(&mut self.parcel);
        // An open contact has nothing to hand on.
        parcel.contacts.retain(|row| row.impulse != [0.0; 3]);
        let own = to_owners(domain, parcel);
        with_copies(domain, &own, margin)
    }

    /// Contacts whose point lies in this rank's blocks, each with the impulse it had in the last step.
    fn detect(&mut self, domain: &Domain, bodies: &Bodies, history: &[ContactRow], margin: f64) {
        let Physics {
            dt,
            walls,
            pairs,
            ..
        } = &self.physics;
        let partition = domain.partition();
        let mine = |point: &Vector3| partition.owner_of_point(point) == domain.rank();
        let found = candidates(bodies, walls, margin, mine);
        let previous = |c: &Candidate| match history.binary_search_by_key(&c.key, |row| row.key) {
            Ok(k) => Vector3::from(history[k].impulse),
            Err(_) => Vector3::zeros(),
        };
        let filling = Filling {
            bodies,
            walls,
            pairs,
            grid: partition.grid(),
            dt: *dt,
        };
        self.blocks.fill(&found, &filling, previous);
    }

    /// `V ← V_free` for every body known here [001 eq. 1.23]; returns this rank's parts of the judge's two sums over bodies,
    /// `Σ m |Δt F_ext/m|²` and `Σ m |v_free|²`.
    fn free_velocities(&self, domain: &Domain, bodies: &mut Bodies) -> [ExactSum; 2] {
        let Physics { dt, gravity, .. } = &self.physics;
        let mut sums = [ExactSum::default(), ExactSum::default()];
        for i in 0..bodies.len() {
            let free = bodies.free_velocity(i, gravity, *dt);
            bodies.twists_mut()[i] = free;
            if domain.partition().owner_of_point(&bodies.positions()[i]) == domain.rank() {
                let mass = bodies.masses()[i];
                sums[0].add(mass * (gravity * *dt).norm_squared());
                sums[1].add(mass * free.linear.norm_squared());
            }
        }
        sums
    }

    /// Moves this rank's bodies with their new velocities and keeps what outlives the step.
    fn advance(
        &mut self,
        domain: &Domain,
        mut bodies: Bodies,
        before: &[BodyRow],
        outcome: Outcome,
        margin: f64,
    ) -> Result<Done, StepError> {
        let Physics { dt, gravity, .. } = self.physics;
        let step = self.step + 1;
        let partition = domain.partition();
        let owner: Vec<usize> = bodies
            .positions()
            .iter()
            .map(|x| partition.owner_of_point(x))
            .collect();
        let mut sums = <[ExactSum; 3]>::default();
        let mut rows = Vec::new();
        let mut failure = None;
        for i in (0..bodies.len()).filter(|&i| owner[i] == domain.rank()) {
            bodies.advance(i, dt);
            let row = bodies.row(i);
            if !is_finite(&row) {
                failure.get_or_insert(not_finite(step, &row));
            } else if !partition.contains(&bodies.positions()[i]) {
                failure.get_or_insert(StepError::Lost {
                    step,
                    id: row.id.0,
                    position: row.position,
                });
            }
            sums[0].add(translational_energy(&row));
            sums[1].add(energy_lost(&before[i], &row, &(gravity * dt)));
            let outran = 2.0 * Vector3::from(row.velocity).norm() * dt > margin;
            sums[2].add(f64::from(u8::from(outran)));
            rows.push(row);
        }
        if outcome.verdict.non_finite {
            failure.get_or_insert(StepError::SolverNotFinite {
                step,
                sweeps: outcome.sweeps,
            });
        }
        domain.agree(failure.map_or(Ok(()), Err))?;

        let contacts: Vec<ContactRow> = self.blocks.rows().collect();
        let contacts = to_first_bodies(domain, contacts, |id| {
            let place = bodies.ids().binary_search(&id);
            owner[place.expect("the bodies of a contact reach into the block that holds it")]
        });
        self.parcel = Parcel {
            bodies: rows,
            contacts,
        };
        self.step = step;
        let [translational_energy, dissipated, outran] = domain.sums(&sums);
        Ok(Done {
            outcome,
            translational_energy,
            dissipated,
            outran: outran as u64,
        })
    }
}

/// What a body lost beyond gravity's work `m g Δt · (v₀+v₁)/2` [J]. The contacts' work is `Σ r · (u₀+u₁)/2`, and this is its
/// negative, body by body.
fn energy_lost(before: &BodyRow, after: &BodyRow, gravity_dt: &Vector3) -> f64 {
    let [v0, v1] = [before, after].map(|row| Vector3::from(row.velocity));
    let [w0, w1] = [before, after].map(|row| Vector3::from(row.angular_velocity));
    let linear = (v0 + gravity_dt - v1).dot(&(v0 + v1));
    let angular = (w0 - w1).dot(&(w0 + w1));
    0.5 * (after.mass * linear + after.inertia * angular)
}

fn is_finite(row: &BodyRow) -> bool {
    let numbers = row
        .position
        .iter()
        .chain(&row.velocity)
        .chain(&row.angular_velocity)
        .chain(&row.orientation);
    numbers.into_iter().all(|c| c.is_finite())
}

fn not_finite(step: u64, row: &BodyRow) -> StepError {
    StepError::NotFinite {
        step,
        id: row.id.0,
        position: row.position,
        velocity: row.velocity,
    }
}
