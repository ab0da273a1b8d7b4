//! The margin of detection.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::BodyRow;
use crate::domain::ghosts::reach;
use crate::law::Step;
use crate::math::{Vector3, nan_max};
use crate::scheme::error::{StepError, is_finite};
use crate::scheme::physics::Physics;
use crate::scheme::state::State;

impl MoreauJean {
    /// The gap [m] below which detection finds all bonded pairs, and those that may bond in this
    /// step.
    ///
    /// The known gap of a bond is that of the last step; its bodies have moved since. Collective.
    fn reach_of_joints(&self, state: &State, begun: &Begun, fastest: f64) -> f64 {
        let laws = &self.physics.laws;
        if !laws.join() {
            return 0.0;
        }
        let rows = state.parcel.contacts.iter();
        let joints = rows.filter(|row| row.state.is_joint());
        let widest = joints.map(|row| row.gap).fold(f64::NEG_INFINITY, nan_max);
        let moved = 2.0 * fastest * begun.span.dt.max(begun.clock.dt);
        let step = Step {
            start: begun.clock.time,
            end: begun.span.end,
            dt: begun.span.dt,
            ..Step::default()
        };
        let known = begun.domain.max(widest) + moved + self.physics.skin;
        known.max(laws.reach(&step))
    }

    /// The gaps [m] below which a pair is a candidate, and below which detection finds it.
    /// Collective.
    ///
    /// Two bodies approach at most at twice the largest speed, here that of free motion. Contacts
    /// rarely accelerate a body beyond the largest speed before the solve (a wedge can);
    /// [`Report::outran`](crate::scheme::Report::outran) counts the bodies.
    pub(super) fn look_ahead(&self, state: &State, begun: &Begun) -> Result<(f64, f64), StepError> {
        let Begun {
            domain,
            walls,
            pushed,
            ..
        } = begun;
        let (dt, time) = (begun.span.dt, begun.clock.time);
        let Physics {
            skin,
            largest_radius,
            ..
        } = &self.physics;
        let step = begun.clock.step + 1;
        let speed = |row: &BodyRow| match is_finite(row) {
            true if row.is_free() => {
                let x = &Vector3::from(row.position);
                let pull = self.physics.acceleration(x, row.mass, time);
                (Vector3::from(row.velocity) + pull * dt).norm() + row.surface_speed()
            }
            true => Vector3::from(row.velocity).norm() + row.surface_speed(),
            false => f64::NAN,
        };
        let rows = &state.parcel.bodies;
        let here = self.blocks.pool().parts(rows.len(), |some| {
            let speeds = rows[some].iter().map(speed);
            speeds.fold(0.0, nan_max)
        });
        let here = here.into_iter().fold(0.0, nan_max);
        let positions = state.parcel.bodies.iter().map(|row| &row.position);
        // The velocity of a free wall includes the loads of this step; it rotates about its centre,
        // which closes no gap.
        let free = pushed.free().map(|twist| twist.linear.norm());
        let of_walls = free.fold(walls.fastest(positions), nan_max);
        let fastest = domain.max(nan_max(here, of_walls));
        let near = skin + 2.0 * fastest * dt;
        let margin = near.max(self.reach_of_joints(state, begun, fastest));
        let edge = domain.partition().grid().shortest_edge();
        if fastest.is_finite() && 2.0 * reach(*largest_radius, margin) <= edge {
            return Ok((near, margin));
        }
        if fastest.is_finite() && 2.0 * reach(*largest_radius, near) <= edge {
            return Err(StepError::BondTooLong {
                step,
                gap: margin,
                allowed: edge - 2.0 * largest_radius,
                edge,
            });
        }
        let guilty = |row: &&BodyRow| !speed(row).is_finite() || speed(row) == fastest;
        let allowed = 0.5 * (edge - 2.0 * largest_radius - skin);
        let guilty = state.parcel.bodies.iter().filter(guilty);
        domain.agree(match guilty.min_by_key(|row| row.id) {
            Some(row) if !speed(row).is_finite() => Err(StepError::not_finite(step, row)),
            Some(row) => Err(StepError::TooFast {
                step,
                id: row.id.0,
                travel: speed(row) * dt,
                allowed,
                dt,
                edge,
            }),
            None => Ok(()),
        })?;
        if !allowed.is_finite() {
            return Ok((near, margin)); // Without bodies there is no limit.
        }
        // The fastest is a wall, not a body: name the fastest one that this rank knows.
        let positions = state.parcel.bodies.iter().map(|row| &row.position);
        let mut speeds = walls.speeds(positions);
        for (w, twist) in pushed.walls().zip(pushed.free()) {
            speeds[w] = twist.linear.norm();
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
