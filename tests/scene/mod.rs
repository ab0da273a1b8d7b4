//! Small scenes for tests: bodies and walls put together by hand, run on any number of ranks as threads of this process.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used
)] // A module of tests, each of which uses some of it.

pub mod clump;
pub mod mesh;
pub mod momentum;
mod record;
mod wall;
pub use record::{record, record_fact};
pub use wall::{lift, piston, plane};

use moreau::body::is_large;
use moreau::body::{
    BodyId, BodyRow, Cell, CellState, Edge, Large, Shearing, Stress, Wall, WallState,
};
use moreau::comm::{Comm, threads};
use moreau::contact::ContactRow;
use moreau::domain::Domain;
use moreau::domain::migration::Parcel;
use moreau::domain::partition::{Half, Partition};
use moreau::law::bond::Glue;
use moreau::law::{Laws, Pair, PairTable};
use moreau::math::Vector3;
use moreau::measure::{Wear, WearRow};
use moreau::rng::{Purpose, Stream};
use moreau::scheme::acts::Acts;
use moreau::scheme::pace::{Pace, Rule};
use moreau::scheme::quasistatic::Statics;
use moreau::scheme::{self, BrokenBond, Physics, Report, Scheme, StepError, WallReference};
use moreau::shape::{HalfSpace, Surface, Template, sphere_volume};
use moreau::solver::Settings;
use moreau::solver::grid::BlockGrid;

/// A scene: SI units, one material.
#[derive(Clone, Debug)]
pub struct Scene {
    pub bodies: Vec<BodyRow>,
    /// Contacts of the step before the first.
    pub contacts: Vec<ContactRow>,
    /// The step to start after, with the walls' states and the springs' energy, where that is not step 0.
    pub start: Option<(u64, Vec<WallState>, f64)>,
    /// Where the plan of contacts goes on: the walls' references.
    pub references: Vec<WallReference>,
    /// Time and length of the last step, where a run by a rule goes on.
    pub clock: Option<(f64, f64)>,
    pub walls: Vec<Wall>,
    /// The forms of clumps.
    pub templates: Vec<Template>,
    pub gravity: Vector3,
    pub dt: f64,
    /// A rule of the steps' length in place of `dt`.
    pub rule: Option<Rule>,
    /// Where steps by a rule end.
    pub until: Option<f64>,
    /// Coulomb's coefficient, where `pair` says nothing.
    pub friction: f64,
    /// All coefficients.
    pub pair: Option<Pair>,
    /// The coefficients of several materials.
    pub pairs: Option<PairTable>,
    /// Bonds.
    pub bonds: Vec<Glue>,
    pub periodic: [bool; 3],
    /// How the edges of the cell move, and where its upper corner is at the start, if not at `upper`.
    pub edges: Option<[Edge; 3]>,
    /// The mass of its edges under a stress [kg].
    pub edge_mass: Option<f64>,
    /// The mean stress and the deviator that it holds.
    pub mean: Option<Stress>,
    pub deviator: Option<(usize, Stress)>,
    /// Whether the cell moves images only.
    pub still_bodies: bool,
    /// Simple shear.
    pub shear: Option<Shearing>,
    pub cell: Option<CellState>,
    /// Whether bodies outside are deleted.
    pub delete_outside: bool,
    /// What regions do.
    pub acts: Acts,
    /// Whether bodies are discs; quasi-static schemes have a key of their own.
    pub planar: bool,
    /// A quasi-static scheme in place of the time step.
    pub statics: Option<Statics>,
    pub lower: Vector3,
    pub upper: Vector3,
    pub solver: Settings,
    /// The radius above which balls are large.
    pub large: Option<f64>,
    /// Ranks on each axis; by default as the program would cut.
    pub ranks: Option<[usize; 3]>,
    /// Number of steps after which the state takes the contacts over from the scheme; 0: at the end.
    pub brings: u64,
    /// A seed, by which blocks are shared out at random before every step.
    pub recut: Option<u64>,
    /// Whether the wear of meshes is recorded.
    pub wears: bool,
}

/// A state, in order of ids and keys, and what each step did.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub bodies: Vec<BodyRow>,
    pub contacts: Vec<ContactRow>,
    pub walls: Vec<WallState>,
    pub references: Vec<WallReference>,
    /// The cell that deforms.
    pub cell: Option<CellState>,
    pub done: Vec<Report>,
    /// The bonds that broke, in the order in which they broke.
    pub broken: Vec<BrokenBond>,
    /// Time [s], and the length of the last step [s].
    pub clock: (f64, f64),
    /// The wear of meshes, over all ranks.
    pub wear: Wear,
}

impl Scene {
    /// No bodies, no walls, no gravity; the program's default solver, but "exact" (tolerance 1e-12, many sweeps).
    pub fn new(lower: [f64; 3], upper: [f64; 3], dt: f64) -> Self {
        Self {
            bodies: Vec::new(),
            contacts: Vec::new(),
            start: None,
            references: Vec::new(),
            clock: None,
            walls: Vec::new(),
            templates: Vec::new(),
            gravity: Vector3::zeros(),
            dt,
            rule: None,
            until: None,
            friction: 0.0,
            pair: None,
            pairs: None,
            bonds: Vec::new(),
            periodic: [false; 3],
            edges: None,
            edge_mass: None,
            mean: None,
            deviator: None,
            still_bodies: false,
            shear: None,
            cell: None,
            delete_outside: false,
            acts: Acts::default(),
            planar: false,
            statics: None,
            lower: Vector3::from(lower),
            upper: Vector3::from(upper),
            solver: Settings {
                tolerance: 1e-12,
                max_sweeps: 20_000,
                ..Settings::default()
            },
            large: None,
            ranks: None,
            brings: 0,
            recut: None,
            wears: false,
        }
    }

    /// The scene as it goes on from a state, on its present keys.
    pub fn goes_on(&self, from: &State) -> Self {
        let mut next = self.clone();
        next.bodies.clone_from(&from.bodies);
        next.contacts.clone_from(&from.contacts);
        next.clock = Some(from.clock);
        next.cell = from.cell;
        let elastic = from.done.last().unwrap().elastic;
        next.start = Some((from.done.len() as u64, Vec::new(), elastic));
        next
    }

    /// From now on the paper's sweeps: a new order of contacts in each, no momentum.
    pub fn plain_sweeps(&mut self) {
        let plain = Settings::plain_sweeps();
        (self.solver.order, self.solver.acceleration) = (plain.order, plain.acceleration);
    }

    /// Adds a solid sphere of given mass; returns its place.
    pub fn sphere(&mut self, position: [f64; 3], radius: f64, mass: f64) -> usize {
        let id = BodyId(self.bodies.len() as u64);
        self.bodies
            .push(BodyRow::sphere(id, position, radius, mass));
        self.bodies.len() - 1
    }

    pub fn glass_sphere(&mut self, position: [f64; 3], radius: f64) -> usize {
        self.sphere(position, radius, 2500.0 * sphere_volume(radius))
    }

    /// Spheres of ±10 % size with random velocities on a perturbed lattice in a closed box, under gravity, with friction: they fall, hit and
    /// pack.
    pub fn poured(side: usize, layers: usize, seed: u64) -> Self {
        let (r, cell) = (0.005, 0.0125);
        let upper = [side as f64 * cell, side as f64 * cell, layers as f64 * cell];
        let mut s = Self::new([0.0; 3], upper, 1e-3);
        s.close();
        s.gravity = Vector3::new(0.3, -0.2, -9.81);
        s.friction = 0.5;
        s.solver.tolerance = 1e-2;
        s.solver.max_sweeps = 60;
        for k in 0..side * side * layers {
            let mut draw = Stream::new(Purpose::Trial, seed, [k as u64, 0, 0]);
            let site = [k % side, k / side % side, k / side / side];
            let position = site.map(|i| (i as f64 + 0.5 + draw.between(-0.05, 0.05)) * cell);
            let radius = r * draw.between(0.9, 1.1);
            let i = s.glass_sphere(position, radius);
            s.bodies[i].velocity = [0; 3].map(|_| draw.between(-0.5, 0.5));
            s.bodies[i].angular_velocity = [0; 3].map(|_| draw.between(-20.0, 20.0));
        }
        s
    }

    /// Adds a plane through a point, free on the side of the normal.
    pub fn plane(&mut self, point: [f64; 3], normal: [f64; 3]) {
        let shape = HalfSpace {
            point: Vector3::from(point),
            normal: Vector3::from(normal).normalize(),
        };
        let name = format!("plane-{}", self.walls.len());
        self.walls.push(Wall::fixed(name, Surface::Plane(shape), 0));
    }

    /// Closes the domain with planes on all its faces.
    pub fn close(&mut self) {
        let (l, u) = (self.lower, self.upper);
        for axis in 0..3 {
            let mut n = [0.0; 3];
            n[axis] = 1.0;
            self.plane(l.into(), n);
            n[axis] = -1.0;
            self.plane(u.into(), n);
        }
    }

    /// The largest radius but for large bodies.
    pub fn largest_radius(&self) -> f64 {
        let others = self.bodies.iter().filter(|b| !is_large(b, self.large));
        others.map(|b| b.radius).fold(0.0, f64::max)
    }

    pub fn physics(&self) -> Physics {
        let largest_radius = self.largest_radius();
        let large = self.bodies.iter().filter(|b| is_large(b, self.large));
        let smallest = self
            .bodies
            .iter()
            .map(|b| b.radius)
            .fold(f64::INFINITY, f64::min);
        let pair = self.pair.unwrap_or(Pair::coulomb(self.friction));
        let one = || PairTable::new(1, |_, _| pair);
        let pairs = self.pairs.clone().unwrap_or_else(one);
        let range = pairs.longest_range() * (1.0 + 1e-6);
        Physics {
            pace: self.rule.map_or(Pace::Even(self.dt), Pace::Rule),
            until: self.until,
            gravity: self.gravity,
            laws: Laws {
                bonds: self.bonds.clone(),
                pairs,
            },
            templates: self.templates.clone(),
            walls: self.walls.clone(),
            cell: self.edges.clone().map(|edges| Cell {
                lower: self.lower,
                lengths: self.upper - self.lower,
                planar: self.planar || self.statics.is_some_and(|of| of.planar),
                edges,
                shear: self.shear.clone(),
                mean: self.mean.clone(),
                deviator: self.deviator.clone(),
                mass: self.edge_mass,
                affine: !self.still_bodies,
            }),
            solver: self.solver,
            largest_radius,
            large: Large::new(large.map(|b| b.id).collect()),
            skin: self.solver.skin.unwrap_or(0.05 * smallest).max(range),
            delete_outside: self.delete_outside,
            acts: self.acts.clone(),
            planar: self.planar || self.statics.is_some_and(|of| of.planar),
            statics: self.statics,
        }
    }

    pub fn partition(&self, size: usize) -> Partition {
        let edge = self
            .solver
            .block_edge
            .unwrap_or(8.0 * self.largest_radius());
        let grid = BlockGrid::new(self.lower, self.upper, edge, self.periodic);
        match self.ranks {
            Some(ranks) => Partition::with_ranks(self.lower, self.upper, grid, ranks),
            None => Partition::new(self.lower, self.upper, grid, size, &self.gravity),
        }
    }

    /// A cut of the blocks among ranks that nobody would make: some ranks may have none, others blocks all over the place.
    pub fn random_cut(&self, size: usize, seed: u64, step: u64) -> Partition {
        let whole = self.partition(size);
        let mut draw = Stream::new(Purpose::Trial, seed, [step, 0, 0]);
        let halves = (0..size).map(|_| {
            let mut axes = [0, 1, 2];
            draw.shuffle(&mut axes);
            let count = whole.grid().count();
            let first = axes.map(|a| draw.below(count[a] as u32 + 1) as i32);
            Half { axes, first }
        });
        whole.with_halves(halves.collect())
    }

    /// One rank's scheme and state: every rank starts with the bodies of every `size`-th id, wherever they are (the first migration
    /// brings them home).
    pub fn begin(&self, comm: &dyn Comm, threads: usize) -> (Scheme, scheme::State) {
        let mine = |id: BodyId| id.0 as usize % comm.size() == comm.rank();
        let bodies = self.bodies.iter().filter(|b| mine(b.id)).copied();
        let contacts = self.contacts.iter().filter(|c| mine(c.key.a)).copied();
        let parcel = Parcel {
            bodies: bodies.collect(),
            contacts: contacts.collect(),
        };
        let (step, walls, elastic) = self.start.clone().unwrap_or_default();
        let physics = self.physics();
        let mut state = scheme::State::new(&physics, step, parcel);
        if let Some((time, dt)) = self.clock {
            (state.clock.time, state.clock.dt) = (time, dt);
        }
        if self.start.is_some() {
            (state.walls_before, state.walls) = (walls.clone(), walls);
            state.elastic = elastic;
            state.references.clone_from(&self.references);
        }
        if self.cell.is_some() {
            state.cell = self.cell;
        }
        state.wear = self.wears.then(Wear::default);
        let mut scheme = Scheme::new(physics, threads).unwrap();
        // Contacts of before are those of another scheme.
        if let (Scheme::Quasistatic(scheme), false) = (&mut scheme, self.contacts.is_empty()) {
            scheme.take_over();
        }
        (scheme, state)
    }

    /// Runs some steps on `ranks` thread ranks of `threads` threads each.
    pub fn try_run(&self, ranks: usize, threads: usize, steps: u64) -> Result<State, StepError> {
        let results = threads::run(ranks, |comm| {
            let (mut scheme, mut state) = self.begin(comm, threads);
            let mut domain = Domain::new(comm, self.partition(comm.size()));
            if let Some(cell) = &state.cell {
                domain.follow(cell);
            }
            let mut done = Vec::new();
            let mut broken = Vec::new();
            for step in 0..steps {
                if let Some(seed) = self.recut {
                    domain.set_partition(self.random_cut(comm.size(), seed, step));
                }
                let mut report = scheme.step_keeping(&mut state, &domain)?;
                if let Some(cell) = &state.cell {
                    domain.follow(cell);
                }
                if self.brings > 0 && step % self.brings == 0 {
                    let kept = counts(&scheme, &state, &domain);
                    scheme.bring_contacts(&mut state, &domain);
                    assert_eq!(kept, counts(&scheme, &state, &domain));
                }
                // Ranks differ in it.
                let here = std::mem::take(&mut report.here);
                broken.extend(here.broken);
                if let Some(collapse) = report.end {
                    return Err(collapse);
                }
                done.push(report);
            }
            scheme.bring_contacts(&mut state, &domain);
            let clock = (state.clock.time, state.clock.dt);
            let parcel = state.parcel;
            let walls = (state.walls, state.references, state.cell);
            let wear: Vec<WearRow> = state.wear.iter().flat_map(Wear::rows).collect();
            let rows = (parcel.contacts, wear);
            Ok((parcel.bodies, rows, walls, (done, broken), clock))
        });
        // As text, for a NaN differs from itself.
        let errors = results
            .iter()
            .map(|result| format!("{:?}", result.as_ref().err()));
        let errors: Vec<String> = errors.collect();
        assert!(
            errors.iter().all(|error| *error == errors[0]),
            "ranks disagree on the end: {errors:?}"
        );
        let mut state = State::default();
        for result in results {
            let (bodies, rows, (walls, references, cell), (done, broken), clock) = result?;
            let (contacts, wear) = rows;
            wear.iter().for_each(|row| state.wear.merge(row));
            assert!(
                state.done.is_empty() || state.cell == cell,
                "ranks disagree on the cell"
            );
            state.cell = cell;
            state.broken.extend(broken);
            state.bodies.extend(bodies);
            state.contacts.extend(contacts);
            assert!(
                state.done.is_empty() || same_done(&state.done, &done),
                "ranks disagree on what a step did"
            );
            assert!(
                state.walls.is_empty() || format!("{:?}", state.walls) == format!("{walls:?}"),
                "ranks disagree on where the walls are"
            );
            state.walls = walls;
            state.references = references;
            state.done = done;
            state.clock = clock;
        }
        state.bodies.sort_by_key(|b| b.id);
        state.contacts.sort_by_key(|c| c.key);
        let order = |a: &BrokenBond, b: &BrokenBond| {
            let keys = [a, b].map(|bond| (bond.wave, bond.a, bond.b));
            a.time.total_cmp(&b.time).then(keys[0].cmp(&keys[1]))
        };
        state.broken.sort_by(order);
        Ok(state)
    }

    pub fn run_on(&self, ranks: usize, threads: usize, steps: u64) -> State {
        self.try_run(ranks, threads, steps)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs some steps on one rank.
    pub fn run(&self, steps: u64) -> State {
        self.run_on(1, 1, steps)
    }
}

fn same_done(a: &[Report], b: &[Report]) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

impl State {
    pub fn velocity(&self, i: usize) -> Vector3 {
        Vector3::from(self.bodies[i].velocity)
    }
    pub fn spin(&self, i: usize) -> Vector3 {
        Vector3::from(self.bodies[i].angular_velocity)
    }
    pub fn position(&self, i: usize) -> Vector3 {
        Vector3::from(self.bodies[i].position)
    }
    /// Impulse of the contact of two bodies, or of a body and a wall.
    pub fn impulse(&self, a: BodyId, b: BodyId) -> Vector3 {
        let contact = self.contacts.iter().find(|c| c.key.a == a && c.key.b == b);
        contact.map_or(Vector3::zeros(), |c| Vector3::from(c.impulse))
    }
    pub fn all_converged(&self) -> bool {
        self.done.iter().all(|d| d.outcome.verdict.converged)
    }
    /// Whether all bodies, all contacts and what each step reports are equal to the last bit (−0 is not 0).
    pub fn same_bits(&self, other: &Self) -> bool {
        fn bits<T: bytemuck::Pod>(rows: &[T]) -> &[u8] {
            bytemuck::cast_slice(rows)
        }
        bits(&self.bodies) == bits(&other.bodies)
            && bits(&self.contacts) == bits(&other.contacts)
            && format!("{:?}", self.done) == format!("{:?}", other.done)
            && self.broken == other.broken
            && format!("{:?}", self.clock) == format!("{:?}", other.clock)
            && format!("{:?}", self.cell) == format!("{:?}", other.cell)
            && format!("{:?}", self.walls) == format!("{:?}", other.walls)
            && self.wear == other.wear
    }
}

/// The number of contacts in the last step, and of those with a force, over all ranks. Collective.
fn counts(scheme: &Scheme, state: &scheme::State, domain: &Domain) -> [i64; 2] {
    let mut counts = scheme.count_contacts(state).map(|n| n as i64);
    domain.count(&mut counts);
    counts
}
