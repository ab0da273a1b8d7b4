//! The length of the next step.

use super::loads::loaded;
use super::pace::{Pace, Rule, Span};
use super::physics::Physics;
use super::state::State;
use crate::body::{Motion, Wall, WallState};
use crate::domain::Domain;
use crate::math::{Vector3, nan_max};
use crate::solver::blocks::Gradient;

impl State {
    /// The length and the end of the next step. Collective.
    ///
    /// Both follow from maxima over all bodies and walls, and from data that a checkpoint holds. So
    /// they are the same on any number of ranks and after a restart.
    pub(super) fn span(&self, physics: &Physics, domain: &Domain) -> Span {
        match &physics.pace {
            Pace::Even(dt) => Span {
                dt: *dt,
                end: physics.pace.next(self.clock.step, self.clock.time) as f64 * dt,
                rushed: false,
            },
            Pace::Rule(rule) => {
                let asked = -domain.max(-self.asked(physics, domain, rule));
                rule.next(self.clock.dt, self.clock.time, asked, physics.until)
            }
        }
    }

    /// The longest step that the rule allows for this rank's bodies and for the walls [s].
    ///
    /// NaN if a velocity is NaN. Collective.
    fn asked(&self, physics: &Physics, domain: &Domain, rule: &Rule) -> f64 {
        let pull = physics.gravity.norm();
        let (mut falling, mut held) = (0.0, 0.0);
        let strained = self.strained(physics, rule);
        let mut in_fields = f64::INFINITY;
        for row in &self.parcel.bodies {
            let speed = Vector3::from(row.velocity).norm() + row.surface_speed() + strained;
            let fastest = if row.is_free() {
                &mut falling
            } else {
                &mut held
            };
            *fastest = nan_max(*fastest, speed);
            if row.is_free() && !physics.acts.fields.is_empty() {
                let x = &Vector3::from(row.position);
                let pull = physics.acceleration(x, row.mass, self.clock.time).norm();
                in_fields = least(in_fields, rule.longest(speed, pull));
            }
        }
        let bodies = least(rule.longest(falling, pull), rule.longest(held, 0.0));
        let bodies = least(bodies, in_fields);
        let period = domain.partition().grid().period();
        let (walls, _) = loaded(physics, &self.walls, self.clock.time, period);
        // The motion of walls is that since time zero, from their first places.
        let walls = physics.walls.iter().zip(walls).map(|(first, now)| Wall {
            motion: now.motion,
            ..first.clone()
        });
        let walls: Vec<Wall> = walls.collect();
        let walls = walls.iter().zip(&self.walls);
        let gravity = &physics.gravity;
        let asked = |(wall, state)| self.asked_by(wall, state, gravity, domain, rule);
        walls.map(asked).fold(bodies, least)
    }

    /// Half of the speed at which the cell brings two bodies together, as far as known [m/s].
    fn strained(&self, physics: &Physics, rule: &Rule) -> f64 {
        let Some((cell, now)) = physics.cell.as_ref().zip(self.cell) else {
            return 0.0;
        };
        let times = [self.clock.time, self.clock.time + rule.at_most];
        let upper = cell.prescribed(&now.upper, times);
        let next = cell.after(&now, upper, cell.sheared(times), rule.at_most);
        let fastest = [now, next].map(|of| Gradient::of(&of).largest());
        let branch = match cell.affine {
            true => 2.0 * physics.largest_radius,
            false => cell.lengths_of(&now.upper).amax(),
        };
        0.5 * branch * nan_max(fastest[0], fastest[1])
    }

    /// The distance of the farthest body from a wall's centre [m]. Collective.
    fn arm(&self, wall: &Wall, state: &WallState, domain: &Domain) -> f64 {
        let centre = wall.place_now(state);
        let arm = |x: &[f64; 3]| (Vector3::from(*x) - centre).norm();
        let bodies = self.parcel.bodies.iter();
        domain.max(bodies.fold(0.0, |most, row| nan_max(most, arm(&row.position))))
    }

    /// The longest step of one wall, likewise [s].
    fn asked_by(
        &self,
        wall: &Wall,
        state: &WallState,
        gravity: &Vector3,
        domain: &Domain,
        rule: &Rule,
    ) -> f64 {
        match &wall.motion {
            Motion::Fixed => f64::INFINITY,
            Motion::Servo(servo) => {
                let arm = match servo.turns {
                    true => self.arm(wall, state, domain),
                    false => 0.0,
                };
                let speed = state.velocity.norm() + state.angular_velocity.norm() * arm;
                rule.longest(speed, 0.0)
            }
            Motion::Free(free) => {
                let pull = free.acceleration(gravity);
                let turning = free.turning.is_some();
                let arm = if turning {
                    self.arm(wall, state, domain)
                } else {
                    0.0
                };
                let speed = state.velocity.norm() + state.angular_velocity.norm() * arm;
                rule.longest(speed, pull.norm())
            }
            Motion::Driven(_) => {
                // The maximum over ranks is taken here because the result below is not monotonic in
                // it.
                let arm = self.arm(wall, state, domain);
                // Later motion of the wall must not shorten this step, so its speed is taken within
                // the step only.
                let mut dt = rule.at_most;
                while dt > rule.at_least {
                    let speed = wall.top_speed(self.clock.time, self.clock.time + dt, arm);
                    let longest = rule.longest(speed, 0.0);
                    if longest.is_nan() || longest >= 0.5 * dt {
                        return least(longest, dt);
                    }
                    dt *= 0.5;
                }
                let speed = wall.top_speed(self.clock.time, self.clock.time + rule.at_least, arm);
                least(rule.longest(speed, 0.0), rule.at_least)
            }
        }
    }
}

/// The smaller number; NaN if either is NaN.
fn least(a: f64, b: f64) -> f64 {
    -nan_max(-a, -b)
}
