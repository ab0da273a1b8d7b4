//! The plan of contacts: when it is made, and how far bodies and walls may move until the next.
//!
//! A plan holds all that depends only on who is near whom: owners, copies, pairs, blocks. It is a
//! function of the references of bodies and walls, which stand in the state: their poses when it
//! was made, and allowances. It is kept as long as no surface moves by more than its allowance.
//! Each body has its own, so a fast body costs only itself.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::{BodyRow, Motion, Reference, Wall, WallState};
use crate::domain::Domain;
use crate::domain::ghosts::reach;
use crate::math::{Vector3, nan_max};
use crate::scheme::error::StepError;
use crate::scheme::physics::Physics;
use crate::scheme::state::{State, WallReference};
use crate::shape::drift;
use crate::solver::blocks::Strain;
use crate::solver::pushed::Pushed;

/// The number of steps at its present speed after which a surface uses up its allowance.
const STEPS: f64 = 10.0;

/// The smallest allowance, in radii: of the body, or for a wall of the largest body.
const LEAST: f64 = 0.02;

/// The largest allowance of a surface that moves less in a step, in radii.
const MOST: f64 = 0.5;

/// The largest allowance of a faster surface, in ways of one step.
const FAST: f64 = 4.0;

/// The allowance of a body without weight that moves by `way` in a step [m].
///
/// `edge` is the edge of a block.
#[must_use]
pub fn allowance(way: f64, (radius, skin): (f64, f64), edge: f64) -> f64 {
    let most = (MOST * radius).max(FAST * way);
    let wanted = (STEPS * way).max(LEAST * radius).min(most);
    wanted.min(room(way, (radius, skin), 0.5 * edge))
}

/// The room that a block with half the edge `half` leaves a body that moves by `way` [m].
///
/// It is short of rounding. A body that needs more has been refused.
fn room(way: f64, (radius, skin): (f64, f64), half: f64) -> f64 {
    (half / (1.0 + 2e-9) - radius - 0.5 * skin).max(way)
}

/// The largest strain of a cell in a step: beyond it the step is not that of a small strain.
pub const MOST_STRAIN: f64 = 0.1;

/// The gaps in a step [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin {
    /// The gap below which a pair is a candidate.
    pub near: f64,
    /// The gap below which joined pairs, and pairs that may join, are candidates too.
    pub joined: f64,
}

impl MoreauJean {
    /// Renews the plan if it does not hold for this step, and returns the margins. Collective.
    ///
    /// Two bodies approach at most at twice the largest speed, here that of free motion. Contacts
    /// rarely accelerate a body beyond the largest speed before the solve (a wedge can);
    /// [`Report::outran`](crate::scheme::Report::outran) counts the bodies.
    pub(super) fn plan(&self, state: &mut State, begun: &mut Begun) -> Result<Margin, StepError> {
        let (domain, dt) = (begun.domain, begun.span.dt);
        let (due, fastest) = self.survey(state, begun);
        // With the size of the cell the partition changes.
        let due = due || begun.strain.is_some() || self.walls_have_strayed(state, begun);
        let strain = fastest_strain(begun) * dt;
        if strain.is_nan() || strain > MOST_STRAIN {
            return Err(StepError::CellTooFast {
                step: begun.clock.step + 1,
                strain,
                allowed: MOST_STRAIN,
            });
        }
        let strained = self.largest_branch(begun) * fastest_strain(begun);
        let fastest = fastest + strained;
        let mut of_all = [
            nan_max(fastest, fastest_wall(state, begun)),
            f64::from(u8::from(due)),
        ];
        domain.many_max(&mut of_all);
        let [fastest, due] = of_all;
        let near = self.physics.skin + 2.0 * fastest * dt;
        let joints = self.reach_of_joints(state, begun, fastest);
        let margin = Margin {
            near,
            joined: near.max(joints),
        };
        self.not_too_fast(state, begun, (fastest, strained), &margin)?;
        if due > 0.0 {
            self.renew(state, begun, joints);
            begun.planned = true;
        }
        Ok(margin)
    }

    /// The largest vector that the strain of the cell strains at a contact [m].
    pub(super) fn largest_branch(&self, begun: &Begun) -> f64 {
        match (&begun.strain, begun.domain.partition().corners()) {
            (Some((strain, _)), [lower, upper]) if !strain.affine => (upper - lower).amax(),
            _ => 2.0 * self.physics.largest_radius,
        }
    }

    /// Fails if the cell is too short for its bodies, or deforms by more in this step than blocks
    /// allow.
    fn cell_suits(&self, begun: &Begun, edge: f64, margin: &Margin) -> Result<(), StepError> {
        if begun.strain.is_none() {
            return Ok(());
        }
        let step = begun.clock.step + 1;
        let radius = self.physics.largest_radius;
        if 2.0 * reach(radius, margin.near) <= edge {
            return Ok(()); // A bond is too long.
        }
        let grid = begun.domain.partition().grid();
        let (axis, _) = grid.narrowest();
        let number = ['x', 'y', 'z'].iter().position(|name| *name == axis);
        if number.is_none_or(|number| grid.period().length[number].is_none()) {
            return Ok(()); // The cell does not move this edge.
        }
        let strain = fastest_strain(begun) * begun.span.dt;
        let most = 2.0 * self.largest_branch(begun);
        let others = margin.near - most * strain;
        // Where bodies move with the cell, a block that cannot take a small strain has no room
        // left.
        let affine = begun.strain.is_some_and(|(strain, _)| strain.affine);
        let least = 2.0
            * reach(
                radius,
                if affine {
                    margin.near
                } else {
                    self.physics.skin
                },
            );
        let others_fit = 2.0 * reach(radius, others) <= edge;
        if edge < least && (others_fit || edge < 2.0 * reach(radius, self.physics.skin)) {
            return Err(StepError::CellTooShort {
                step,
                axis,
                least,
                edge,
            });
        }
        if !others_fit {
            return Ok(()); // A body or a wall is too fast.
        }
        let allowed = (edge - 2.0 * reach(radius, others)) / most;
        Err(StepError::CellTooFast {
            step,
            strain,
            allowed,
        })
    }

    /// Whether the reference of a wall does not hold for this step.
    fn walls_have_strayed(&self, state: &State, begun: &Begun) -> bool {
        let physics = &self.physics;
        let making = physics.laws.reach(&begun.law_step(physics)) > 0.0;
        if making || state.references.len() != physics.walls.len() {
            return true;
        }
        let then: Vec<_> = (physics.walls.iter().zip(&state.references))
            .map(|(wall, reference)| wall.placed(&reference.state))
            .collect();
        let around = begun.domain.partition().corners();
        let strayed = |(((then, reference), now), end): (((_, &WallReference), &_), &_)| {
            let [now, end] = [now, end].map(|surface| drift(then, surface, around));
            now.max(end) > reference.allowance
        };
        let walls = then.iter().zip(&state.references);
        let walls = walls.zip(begun.walls.surfaces()).zip(&begun.ends);
        walls.into_iter().any(strayed)
    }

    /// Whether a reference of this rank's bodies does not hold for this step. Also their largest
    /// speed in free motion [m/s].
    fn survey(&self, state: &State, begun: &Begun) -> (bool, f64) {
        let physics = &self.physics;
        let grid = begun.domain.partition().grid();
        let (period, half) = (grid.period(), 0.5 * grid.shortest_edge());
        let (dt, start) = (begun.span.dt, begun.clock.time);
        let rows = &state.parcel.bodies;
        let parts = self.blocks.pool().parts(rows.len(), |some| {
            let (mut holds, mut fastest) = (true, 0.0);
            for row in &rows[some] {
                let (then, speed) = (&row.reference, physics.free_speed(row, dt, start));
                fastest = nan_max(fastest, speed);
                let fits = |half| reach(then.radius + then.allowance, physics.skin) <= half;
                holds &= row.is_planned()
                    && row.strayed(period) + speed * dt <= then.allowance
                    && (physics.large.has(row.id) || fits(half));
            }
            (holds, fastest)
        });
        parts
            .into_iter()
            .fold((false, 0.0), |(due, fastest), (holds, speed)| {
                (due || !holds, nan_max(fastest, speed))
            })
    }

    /// Makes the present poses the references of a new plan.
    ///
    /// `joints` is the gap [m] below which joined pairs must be found.
    fn renew(&self, state: &mut State, begun: &Begun, joints: f64) {
        let physics = &self.physics;
        let (dt, start, end) = (begun.span.dt, begun.clock.time, begun.span.end);
        let half = 0.5 * begun.domain.partition().grid().shortest_edge();
        // The way that gravity adds to a fall in these steps.
        let fall = 0.5 * physics.gravity.norm() * (STEPS * dt) * (STEPS * dt);
        let growth = (physics.acts.growth).map_or(0.0, |growth| growth.factor(start, end) - 1.0);
        // Half of the way by which the cell brings two bodies together.
        let strained = 0.5 * self.largest_branch(begun) * fastest_strain(begun) * dt;
        let allowance = |row: &BodyRow| {
            let way = physics.free_speed(row, dt, start) * dt + strained;
            // A large body may lie in any number of blocks.
            let room = if physics.large.has(row.id) {
                f64::INFINITY
            } else {
                room(way, (row.radius, physics.skin), half)
            };
            let least = (LEAST * row.radius).max(0.5 * (joints - physics.skin));
            let most = (MOST * row.radius).max(FAST * way).max(least);
            let wanted = STEPS * (way + growth * row.radius) + fall;
            wanted.clamp(least, most).min(room)
        };
        let rows = &mut state.parcel.bodies;
        self.blocks.pool().parts_of(rows, |_, rows| {
            for row in rows {
                row.reference = Reference::here(row, allowance(row));
            }
        });
        let around = begun.domain.partition().corners();
        let [least, most] = [LEAST, MOST].map(|radii| radii * physics.largest_radius);
        let of_wall = |way: f64| (STEPS * way).clamp(least, most.max(FAST * way));
        let walls = physics.walls.iter().zip(&state.walls);
        let walls = walls.zip(begun.walls.surfaces().zip(&begun.ends));
        let reference = |((wall, state), (now, end)): ((&Wall, &WallState), _)| WallReference {
            state: WallState {
                displacement: state.displacement,
                orientation: state.orientation,
                ..WallState::default()
            },
            allowance: match wall.motion {
                Motion::Fixed => 0.0,
                _ => of_wall(drift(now, end, around)),
            },
        };
        state.references = walls.map(reference).collect();
    }

    /// The number of walls that contacts moved beyond their allowance in the last step.
    pub(super) fn walls_that_outran(&self, state: &State, domain: &Domain) -> u64 {
        let around = domain.partition().corners();
        let beyond = |((wall, then), now): &((&Wall, &WallReference), &WallState)| {
            let [from, to] = [&then.state, now].map(|state| wall.placed(state));
            drift(&from, &to, around) > then.allowance + 0.5 * self.physics.skin
        };
        let walls = self.physics.walls.iter().zip(&state.references);
        walls.zip(&state.walls).filter(beyond).count() as u64
    }

    /// The gap [m] below which detection finds all bonded pairs, and those that may bond in this
    /// step.
    ///
    /// The known gap of a bond is that of the last step; its bodies have moved since. Collective.
    fn reach_of_joints(&self, state: &State, begun: &Begun, fastest: f64) -> f64 {
        let laws = &self.physics.laws;
        if !laws.join() {
            return 0.0;
        }
        let widest = match self.keeps(state) {
            true => self.blocks.widest_joint(),
            false => {
                let joints = state.contacts().iter().filter(|row| row.state.is_joint());
                joints.map(|row| row.gap).fold(f64::NEG_INFINITY, nan_max)
            }
        };
        let moved = 2.0 * fastest * begun.span.dt.max(begun.clock.dt);
        let known = begun.domain.max(widest) + moved + self.physics.skin;
        known.max(laws.reach(&begun.law_step(&self.physics)))
    }

    /// Fails if a body or a wall moves farther in this step than blocks allow. Collective.
    ///
    /// `fastest` is the largest speed of all of them, of which the strain of the cell is a part.
    fn not_too_fast(
        &self,
        state: &State,
        begun: &Begun,
        (fastest, strained): (f64, f64),
        margin: &Margin,
    ) -> Result<(), StepError> {
        let Begun {
            domain,
            walls,
            pushed,
            ..
        } = begun;
        let dt = begun.span.dt;
        let Physics {
            skin,
            largest_radius,
            ..
        } = &self.physics;
        let step = begun.clock.step + 1;
        let edge = domain.partition().grid().shortest_edge();
        if fastest.is_finite() && 2.0 * reach(*largest_radius, margin.joined) <= edge {
            return Ok(());
        }
        self.cell_suits(begun, edge, margin)?;
        if fastest.is_finite() && 2.0 * reach(*largest_radius, margin.near) <= edge {
            return Err(StepError::BondTooLong {
                step,
                gap: margin.joined,
                allowed: edge - 2.0 * largest_radius,
                edge,
            });
        }
        let speed = |row: &BodyRow| self.physics.free_speed(row, dt, begun.clock.time);
        let guilty = |row: &&BodyRow| !speed(row).is_finite() || speed(row) + strained == fastest;
        let allowed = 0.5 * (edge - 2.0 * largest_radius - skin);
        let guilty = state.parcel.bodies.iter().filter(guilty);
        domain.agree(match guilty.min_by_key(|row| row.id) {
            Some(row) if !speed(row).is_finite() => Err(StepError::not_finite(step, row)),
            Some(row) => Err(StepError::TooFast {
                step,
                id: row.id.0,
                travel: fastest * dt,
                allowed,
                dt,
                edge,
            }),
            None => Ok(()),
        })?;
        if !allowed.is_finite() {
            return Ok(()); // Without bodies there is no limit.
        }
        // The fastest is a wall, not a body: name the fastest one that this rank knows.
        let mut speeds = walls.speeds(&state.parcel.bodies);
        for (k, w) in pushed.walls().enumerate() {
            speeds[w] = fastest_pushed(state, pushed, k);
        }
        let fastest = |a: &usize, b: &usize| speeds[*a].total_cmp(&speeds[*b]);
        let wall = (0..speeds.len()).max_by(fastest).unwrap_or_default();
        domain.agree(Err(StepError::WallTooFast {
            step,
            wall: self
                .physics
                .walls
                .get(wall)
                .map_or_else(String::new, |w| w.name.clone()),
            travel: speeds.get(wall).copied().unwrap_or(f64::NAN) * dt,
            allowed,
            dt,
        }))
    }
}

/// The largest rate of the cell before and in this step [1/s].
///
/// It is that known before the solve.
fn fastest_strain(begun: &Begun) -> f64 {
    let rate = |(strain, _): &(Strain, _)| strain.rate.largest();
    let rate = begun.strain.as_ref().map_or(0.0, rate);
    nan_max(rate, begun.pushed.edges.fastest())
}

/// The largest speed of walls in free motion [m/s], as far as this rank's bodies see it.
fn fastest_wall(state: &State, begun: &Begun) -> f64 {
    let free = (0..begun.pushed.len()).map(|k| fastest_pushed(state, &begun.pushed, k));
    free.fold(begun.walls.fastest(&state.parcel.bodies), nan_max)
}

/// The largest speed of a wall that moves by Newton's law, with the loads of this step [m/s].
///
/// A sphere rotates about its centre, which closes no gap.
fn fastest_pushed(state: &State, pushed: &Pushed, k: usize) -> f64 {
    let twist = pushed.free().nth(k).unwrap_or_default();
    let Some((_, centre)) = pushed.tensor(k) else {
        return twist.linear.norm();
    };
    let speed = |row: &BodyRow| {
        let arm = Vector3::from(row.position) - centre;
        (twist.linear + twist.angular.cross(&arm)).norm() + row.surface_speed_at(&twist.angular)
    };
    let rows = state.parcel.bodies.iter();
    rows.map(speed).fold(twist.linear.norm(), nan_max)
}
