//! The start of a step: bodies to their owners, contacts found and filled in, free velocities.

use super::System;
use crate::body::{Bodies, BodyRow};
use crate::contact::{Candidate, ContactRow, Partner};
use crate::detect::Space;
use crate::domain::Domain;
use crate::domain::ghosts::{Ghosts, spans};
use crate::domain::migration::{Parcel, to_owners, with_copies};
use crate::law::Step;
use crate::math::{ExactSum, Vector3};
use crate::scheme::assemble::{Assembled, Unfit, assemble};
use crate::scheme::pace::Span;
use crate::scheme::walls::Walls;
use crate::scheme::{StepError, Timers, Verb};
use crate::solver::blocks::Filling;
use crate::solver::pushed::Pushed;

/// A step that is ready to be solved.
pub(super) struct Prepared<'d> {
    /// Its length and its end.
    pub span: Span,
    /// Energy that came with bodies at the start of the step [J].
    pub brought: ExactSum,
    /// Walls, where they are.
    pub walls: Walls,
    /// Those that move by Newton's law.
    pub pushed: Pushed,
    /// What detection has looked ahead by [m].
    pub margin: f64,
    /// The bodies known here, as they were before.
    pub rows: Vec<BodyRow>,
    /// The same with their free velocities.
    pub bodies: Bodies,
    /// Who else knows them.
    pub ghosts: Ghosts<'d>,
    /// Among how many ranks each is split.
    pub split: Vec<f64>,
    /// This rank's parts of the judge's sums over bodies.
    pub scales: [ExactSum; 2],
}

impl System {
    /// All of a step that comes before its solve: what the solver is to solve stands in the blocks then. Collective.
    pub(super) fn prepare<'c>(
        &mut self,
        domain: &Domain<'c>,
        timers: &mut Timers,
    ) -> Result<Prepared<'c>, StepError> {
        let span = timers.time(Verb::Migrate, || self.span(domain));
        let (dt, end) = (span.dt, span.end);
        self.dt_before = std::mem::replace(&mut self.dt, dt);
        let brought = self.act(end, domain.partition().grid().period());
        let walls = Walls::new(&self.physics.walls, &self.walls, self.time, end);
        let mut pushed = Pushed::new(&walls.placed, &walls.during, &self.physics.gravity, dt);
        let margin = timers.time(Verb::Migrate, || self.margin(domain, &walls, &pushed))?;
        let all = timers.time(Verb::Migrate, || self.migrate(domain, margin));
        let (mut bodies, mut ghosts) = timers.time(Verb::Migrate, || {
            let bodies = Bodies::from_rows(&all.bodies);
            let spans = spans(domain, &bodies, margin);
            let exchange = self.physics.solver.exchange;
            let ghosts = Ghosts::plan(domain, &spans, bodies.positions(), exchange);
            (bodies, ghosts)
        });
        let split = timers.time(Verb::Detect, || {
            let known = (&bodies, &all.contacts[..]);
            self.detect(domain, known, &walls, &mut pushed, &mut ghosts, margin)
        });
        self.rows = all.contacts;
        let scales = timers.time(Verb::Move, || self.free_velocities(domain, &mut bodies));
        Ok(Prepared {
            span,
            brought,
            walls,
            pushed,
            margin,
            rows: all.bodies,
            bodies,
            ghosts,
            split,
            scales,
        })
    }

    /// Length [s] and contact problem of the step that would follow, as a matrix, on one rank. The step can then no longer be done: what there is of
    /// it is used up.
    ///
    /// # Errors
    /// If the step cannot begin, or if laws are at work that such a problem has no place for.
    pub fn problem(
        mut self,
        domain: &Domain,
    ) -> Result<(f64, Result<Assembled, Unfit>), StepError> {
        let mut timers = self.timers;
        let prepared = self.prepare(domain, &mut timers)?;
        let mut members = prepared.bodies.members();
        members.extend(prepared.pushed.members());
        let radii = prepared.bodies.radii();
        let assembled = assemble(&self.blocks, &members, radii, &prepared.pushed);
        Ok((prepared.span.dt, assembled))
    }

    /// Bodies to their owners, and copies to all who need them. What comes back is in order of id and key.
    fn migrate(&mut self, domain: &Domain, margin: f64) -> Parcel {
        let mut parcel = std::mem::take(&mut self.parcel);
        // An open contact without a memory has nothing to hand on.
        let lasts = |row: &ContactRow| row.impulse != [0.0; 3] || row.state.lasts();
        parcel.contacts.retain(lasts);
        let own = to_owners(domain, parcel);
        with_copies(domain, own, margin)
    }

    /// Contacts whose point lies in this rank's blocks, each with what it was in the last step.
    fn detect(
        &mut self,
        domain: &Domain,
        (bodies, history): (&Bodies, &[ContactRow]),
        walls: &Walls,
        pushed: &mut Pushed,
        ghosts: &mut Ghosts,
        margin: f64,
    ) -> Vec<f64> {
        let partition = domain.partition();
        let rank = domain.rank();
        let mine = |point: &Vector3| partition.owner_of_point(point) == rank;
        let space = Space {
            walls: &walls.placed,
            margin,
            period: partition.grid().period(),
            templates: &[],
        };
        let mut found = self.blocks.take_candidates();
        let pool = self.blocks.pool();
        self.detector.detect(bodies, &space, mine, pool, &mut found);
        // Nothing moves what neither side lets move.
        found.retain(|c| {
            bodies.is_free(c.a)
                || match c.b {
                    Partner::Body(b) => bodies.is_free(b),
                    // A wall that is free in one direction only does not answer across it.
                    Partner::Wall(w) => (pushed.place(w))
                        .is_some_and(|k| pushed.reaction(k, &c.normal).normal > 0.0),
                }
        });
        if !pushed.is_empty() {
            let mut contacts = vec![0; pushed.len()];
            let mut masses = vec![ExactSum::default(); pushed.len()];
            for c in &found {
                if let Partner::Wall(w) = c.b
                    && let Some(k) = pushed.place(w)
                {
                    contacts[k] += 1;
                    masses[k].add(bodies.masses()[c.a]);
                }
            }
            domain.count(&mut contacts);
            let masses = domain.many_sums(masses);
            pushed.share_among(&contacts, &masses);
        }
        // Both are in order of keys: one walk through the two.
        let matched: Vec<Vec<Option<&ContactRow>>> = pool.parts(found.len(), |some| {
            let found = &found[some];
            let first = |c: &Candidate| history.partition_point(|row| row.key < c.key);
            let mut next = found.first().map_or(0, first);
            let matched = found.iter().map(|c| {
                while history.get(next).is_some_and(|row| row.key < c.key) {
                    next += 1;
                }
                history.get(next).filter(|row| row.key == c.key)
            });
            matched.collect()
        });
        let matched = matched.concat();
        let previous = |k: usize| matched[k];
        let sides = found.iter().map(|c| match c.b {
            Partner::Body(b) => [Some(c.a), Some(b)],
            Partner::Wall(_) => [Some(c.a), None],
        });
        let split = ghosts.split(bodies.len(), sides);
        let filling = Filling {
            bodies,
            walls: &walls.placed,
            states: &walls.during,
            states_before: &self.walls,
            pushed,
            split: &split,
            pairs: &self.physics.pairs,
            grid: partition.grid(),
            step: Step {
                dt: self.dt,
                rescale: self.dt / self.dt_before,
                gap: self.physics.solver.gap,
            },
            draw: (self.physics.solver.seed, self.step),
        };
        self.blocks.fill(found, &filling, previous);
        split
    }

    /// `V ← V_free` for every body known here [001 eq. 1.23]; returns this rank's parts of the judge's two sums over bodies,
    /// `Σ m |Δt F_ext/m|²` and `Σ m |v_free|²`.
    fn free_velocities(&self, domain: &Domain, bodies: &mut Bodies) -> [ExactSum; 2] {
        let (dt, physics, time) = (self.dt, &self.physics, self.time);
        let (partition, rank) = (domain.partition(), domain.rank());
        let pool = self.blocks.pool();
        let parts = pool.parts(bodies.len(), |some| {
            let mut sums = <[ExactSum; 2]>::default();
            let mut twists = Vec::with_capacity(some.len());
            for i in some {
                let (x, mass) = (&bodies.positions()[i], bodies.masses()[i]);
                let pull = &physics.acceleration(x, mass, time);
                let free = bodies.free_velocity(i, pull, dt);
                twists.push(free);
                if bodies.is_free(i) && partition.owner_of_point(x) == rank {
                    sums[0].add(mass * (pull * dt).norm_squared());
                    sums[1].add(mass * free.linear.norm_squared());
                }
            }
            (sums, twists)
        });
        let mut sums = <[ExactSum; 2]>::default();
        let mut rest = bodies.twists_mut();
        for (part, twists) in parts {
            sums.iter_mut().zip(&part).for_each(|(s, t)| s.merge(t));
            let (these, others) = rest.split_at_mut(twists.len());
            these.copy_from_slice(&twists);
            rest = others;
        }
        sums
    }
}
