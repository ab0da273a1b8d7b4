//! Prescribed motions of walls, composed of translations and rotations.
//!
//! A point X of the wall at time zero is at `T + R_n(… R_2(R_1(X)))`. T is the sum of all
//! translations, and `R_k(X) = p_k + Q_k (X − p_k)` turns by an angle about the axis through `p_k`.
//! So each rotation acts on the result of those before it and carries their axes along, as a trough
//! that swivels carries its screw; translations carry all.

use super::signal::Signal;
use crate::math::{IDENTITY, Quaternion, Vector3, rotate, turn_between, turned};
use std::f64::consts::TAU;

/// A prescribed motion: translations, and rotations about axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drive {
    /// Unit direction of each translation, and the displacement along it [m].
    pub translations: Vec<(Vector3, Signal)>,
    /// The rotations, the innermost first.
    pub rotations: Vec<Rotation>,
}

/// A rotation about an axis, which later rotations and translations carry along.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// Unit vector along the axis at time zero.
    pub axis: Vector3,
    /// A point of the axis at time zero [m]; `None`: the wall's centre.
    pub point: Option<Vector3>,
    /// The angle [rad].
    pub signal: Signal,
}

impl Rotation {
    /// The turn since time zero.
    fn turn(&self, t: f64) -> Vector3 {
        let angle = self.signal.way(t);
        // Full turns do not change an orientation, but reduce accuracy.
        self.axis * (angle - (angle / TAU).floor() * TAU)
    }

    fn point(&self, centre: &Vector3) -> Vector3 {
        self.point.unwrap_or(*centre)
    }
}

impl Drive {
    /// A translation along a unit vector.
    #[must_use]
    pub fn along(direction: Vector3, signal: Signal) -> Self {
        Self {
            translations: vec![(direction, signal)],
            rotations: Vec::new(),
        }
    }

    /// A rotation about an axis, a unit vector, through the wall's centre.
    #[must_use]
    pub fn about(axis: Vector3, signal: Signal) -> Self {
        Self {
            translations: Vec::new(),
            rotations: vec![Rotation {
                axis,
                point: None,
                signal,
            }],
        }
    }

    /// This motion and then another, which carries it.
    #[must_use]
    pub fn within(mut self, outer: Self) -> Self {
        self.translations.extend(outer.translations);
        self.rotations.extend(outer.rotations);
        self
    }

    /// Whether a table prescribes a part of it.
    #[must_use]
    pub fn has_table(&self) -> bool {
        let turns = self.rotations.iter().map(|one| &one.signal);
        let shifts = self.translations.iter().map(|(_, signal)| signal);
        let mut all = turns.chain(shifts);
        all.any(|signal| matches!(signal, Signal::Table { .. }))
    }

    /// Whether a rotation has its own point, so that the wall's centre may move on an arc.
    #[must_use]
    pub fn has_pivots(&self) -> bool {
        self.rotations.iter().any(|one| one.point.is_some())
    }

    /// The displacement by translations at `t1` [m], and their mean velocity since `t0` [m/s].
    #[must_use]
    pub fn translated(&self, t0: f64, t1: f64) -> [Vector3; 2] {
        let each = self.translations.iter().map(|(direction, signal)| {
            let (from, to) = (signal.way(t0), signal.way(t1));
            [direction * to, direction * ((to - from) / (t1 - t0))]
        });
        // A sum that started at zero would lose the sign of another zero.
        let sum = each.reduce(|[way, velocity], [w, v]| [way + w, velocity + v]);
        sum.unwrap_or_default()
    }

    /// The orientation at `t1`, and the mean angular velocity since `t0` [rad/s].
    ///
    /// The mean is constant and leads from one orientation to the other; of several rotations it is
    /// that of the shorter way round.
    #[must_use]
    pub fn turned(&self, t0: f64, t1: f64) -> (Quaternion, Vector3) {
        let mean = match &self.rotations[..] {
            [] => Vector3::zeros(),
            [one] => one.axis * ((one.signal.way(t1) - one.signal.way(t0)) / (t1 - t0)),
            _ => turn_between(self.orientation(t0), self.orientation(t1)) / (t1 - t0),
        };
        (self.orientation(t1), mean)
    }

    fn orientation(&self, t: f64) -> Quaternion {
        let each = self.rotations.iter();
        each.fold(IDENTITY, |q, one| rotate(q, &one.turn(t)))
    }

    /// The displacement of the wall's centre by rotations at `t1` [m], and its velocity [m/s].
    ///
    /// The velocity is that at `t0` of the steady screw motion, with the angular velocity of
    /// [`turned`](Self::turned), that leads to the position at `t1`. So the velocities of all
    /// points of the wall do not depend on the choice of its centre.
    #[must_use]
    pub fn carried(&self, centre: &Vector3, t0: f64, t1: f64) -> [Vector3; 2] {
        let (before, after) = (self.offset(centre, t0), self.offset(centre, t1));
        let (_, spin) = self.turned(t0, t1);
        let velocity = match &self.rotations[..] {
            [one] => spin.cross(&(centre + before - one.point(centre))),
            _ => screwed(&(spin * (t1 - t0)), &(after - before)) / (t1 - t0),
        };
        [after, velocity]
    }

    /// The displacement of a centre by rotations [m].
    fn offset(&self, centre: &Vector3, t: f64) -> Vector3 {
        let each = self.rotations.iter();
        each.fold(Vector3::zeros(), |way, one| {
            let arm = centre + way - one.point(centre);
            way + (turned(rotate(IDENTITY, &one.turn(t)), &arm) - arm)
        })
    }

    /// Bound on its speed between two times at points at most `arm` [m] from the centre [m/s].
    ///
    /// `centre` is the wall's at time zero [m].
    #[must_use]
    pub fn top_speed(&self, t0: f64, t1: f64, arm: f64, centre: &Vector3) -> f64 {
        let shifts = self.translations.iter();
        let shifts: f64 = shifts.map(|(_, signal)| signal.top_rate(t0, t1)).sum();
        // Bound on the distance of the centre from the axis of each rotation.
        let (mut far, mut last) = (0.0, *centre);
        let mut turns = 0.0;
        for one in &self.rotations {
            let point = one.point(centre);
            far += (point - last).norm();
            last = point;
            turns += one.signal.top_rate(t0, t1) * (arm + far);
        }
        shifts + turns
    }
}

/// The way at its start of a steady screw motion that turns by θ and moves its point by `way`.
///
/// With constant velocity v and angular velocity a point moves by `V v`,
/// `V = 1 + (1 − cos θ)/θ² [θ]ₓ + (θ − sin θ)/θ³ [θ]ₓ²`.
fn screwed(turn: &Vector3, way: &Vector3) -> Vector3 {
    let square = turn.norm_squared();
    let half = 0.5 * square.sqrt();
    let share = if half < 1e-3 {
        1.0 / 12.0 + square / 720.0
    } else {
        (1.0 - half * libm::cos(half) / libm::sin(half)) / square
    };
    let across = turn.cross(way);
    way - across * 0.5 + turn.cross(&across) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Motion, Wall, WallState};
    use crate::shape::Surface;

    fn sine(amplitude: f64, frequency: f64, phase: f64) -> Signal {
        Signal::Sine {
            amplitude,
            frequency,
            phase,
        }
    }

    fn wall(drive: Drive, centre: Vector3) -> Wall {
        let surface = Surface::Sphere {
            centre: Vector3::x(),
            radius: 0.5,
            inside: false,
        };
        Wall {
            centre,
            motion: Motion::Driven(drive),
            ..Wall::fixed("w".to_owned(), surface, 0)
        }
    }

    /// A screw in a trough that swivels and shakes.
    fn screw() -> Drive {
        Drive {
            translations: vec![
                (Vector3::x(), sine(0.02, 3.0, 0.4)),
                (Vector3::new(0.6, 0.0, 0.8), Signal::Rate(0.1)),
            ],
            rotations: vec![
                Rotation {
                    axis: Vector3::y(),
                    point: Some(Vector3::new(0.3, 0.0, 0.1)),
                    signal: Signal::Rate(5.0),
                },
                Rotation {
                    axis: Vector3::new(0.0, 0.6, 0.8),
                    point: Some(Vector3::new(-0.5, 0.2, 0.0)),
                    signal: sine(0.4, 0.7, 0.1),
                },
            ],
        }
    }

    fn point_at(wall: &Wall, state: &WallState, x: &Vector3) -> Vector3 {
        wall.place_now(state) + turned(state.orientation, &(x - wall.centre))
    }

    /// A point of a composed motion is where the rotations, one after the other, take it.
    ///
    /// The outer axis stands, and carries the inner one; the wall's centre does not matter.
    #[test]
    fn later_rotations_carry_the_earlier() {
        let drive = screw();
        let x = Vector3::new(0.7, -0.3, 0.2);
        for t in [0.0, 0.3, 1.1, 7.7] {
            let by_hand = drive.rotations.iter().fold(x, |x, one| {
                let p = one.point.unwrap();
                let q = rotate(IDENTITY, &(one.axis * one.signal.way(t)));
                p + turned(q, &(x - p))
            });
            let shift = Vector3::x() * drive.translations[0].1.way(t)
                + Vector3::new(0.6, 0.0, 0.8) * (0.1 * t);
            for centre in [Vector3::zeros(), Vector3::new(3.0, -2.0, 1.0)] {
                let wall = wall(drive.clone(), centre);
                let state = wall.driven(t - 1e-3, t).unwrap();
                let found = point_at(&wall, &state, &x);
                assert!((found - by_hand - shift).norm() < 1e-13, "{t}: {found}");
            }
        }
        // The swivel at rest after a quarter turn: the screw turns about the axis turned with it.
        let quarter = Signal::Table {
            times: [0.0, 1.0].into(),
            values: [0.0, TAU / 4.0].into(),
            rates: false,
        };
        let inner = Drive::about(Vector3::x(), Signal::Rate(2.0));
        let both = inner.within(Drive::about(Vector3::z(), quarter));
        let (_, spin) = both.turned(2.0, 2.001);
        assert!((spin - Vector3::y() * 2.0).norm() < 1e-12, "{spin}");
    }

    /// The velocities of a step, as those of a steady screw motion, lead to its end exactly.
    ///
    /// They do not depend on the wall's centre.
    #[test]
    fn velocities_lead_to_the_end_of_the_step() {
        let single = Drive {
            rotations: screw().rotations[..1].to_vec(),
            ..Drive::default()
        };
        let several = Drive {
            translations: Vec::new(),
            ..screw()
        };
        let x = Vector3::new(0.7, -0.3, 0.2);
        for (name, drive) in [("single", single), ("several", several), ("all", screw())] {
            for dt in [1e-5, 1e-3, 0.1] {
                let t = 0.9;
                let mut seen = Vec::new();
                for centre in [Vector3::zeros(), Vector3::new(0.4, -0.2, 0.3)] {
                    let wall = wall(drive.clone(), centre);
                    let before = wall.driven(t - dt, t).unwrap();
                    let after = wall.driven(t, t + dt).unwrap();
                    let (from, to) = (point_at(&wall, &before, &x), point_at(&wall, &after, &x));
                    let during = WallState {
                        velocity: after.velocity,
                        angular_velocity: after.angular_velocity,
                        ..before
                    };
                    seen.push(wall.velocity_at(&during, &from));
                    // The steady motion by Runge-Kutta, in the frame that the translations carry.
                    let [_, shift] = drive.translated(t, t + dt);
                    let h = dt / 200.0;
                    let steady = |y: Vector3| wall.velocity_at(&during, &y) - shift;
                    let end = (0..200).fold(from, |y, _| {
                        let a = steady(y);
                        let b = steady(y + a * (0.5 * h));
                        let c = steady(y + b * (0.5 * h));
                        let d = steady(y + c * h);
                        y + (a + (b + c) * 2.0 + d) * (h / 6.0)
                    });
                    let off = (end + shift * dt - to).norm();
                    assert!(off < 1e-13, "{name}, {dt}: {off:e}");
                }
                let apart = (seen[0] - seen[1]).norm();
                assert!(apart < 1e-10, "{name}, {dt}: {apart:e}");
            }
        }
    }

    /// Composed motions stay exact: after a million turns all is as at the start.
    #[test]
    fn no_error_adds_up_in_composed_motions() {
        let drive = Drive {
            translations: vec![(Vector3::z(), sine(0.1, 4.0, 0.0))],
            rotations: vec![
                Rotation {
                    axis: Vector3::x(),
                    point: Some(Vector3::new(0.0, 1.0, 0.0)),
                    signal: Signal::Rate(TAU),
                },
                Rotation {
                    axis: Vector3::z(),
                    point: Some(Vector3::new(2.0, 0.0, 0.0)),
                    signal: sine(0.5, 2.0, 0.3),
                },
            ],
        };
        let wall = wall(drive, Vector3::zeros());
        let [near, far] = [1.125, 1_000_001.125].map(|t| wall.driven(t - 1e-3, t).unwrap());
        let x = Vector3::new(0.3, 0.4, 0.5);
        let apart = (point_at(&wall, &near, &x) - point_at(&wall, &far, &x)).norm();
        assert!(apart < 1e-8, "{apart:e}");
        assert!((near.velocity - far.velocity).norm() < 1e-5);
    }

    /// No point moves faster than the bound, and some point comes near to it.
    #[test]
    fn no_point_is_faster_than_the_top_speed() {
        let drive = screw();
        let centre = Vector3::new(0.4, -0.2, 0.3);
        let wall = wall(drive.clone(), centre);
        let (arm, dt) = (0.7, 1e-4);
        let mut nearest = 0.0_f64;
        for k in 0..400 {
            let t = 0.01 * f64::from(k);
            let top = drive.top_speed(t, t + dt, arm, &centre);
            let before = wall.driven(t - dt, t).unwrap();
            let after = wall.driven(t, t + dt).unwrap();
            for direction in 0..60 {
                let angle = TAU * f64::from(direction) / 60.0;
                let around = Vector3::new(libm::cos(angle), 0.3, libm::sin(angle)).normalize();
                let x = centre + around * arm;
                let moved = point_at(&wall, &after, &x) - point_at(&wall, &before, &x);
                let speed = moved.norm() / dt;
                assert!(speed <= top * (1.0 + 1e-9), "{t}: {speed} > {top}");
                nearest = nearest.max(speed / top);
            }
        }
        assert!(nearest > 0.5, "the bound is {nearest} too wide");
    }
}
