//! The loads of walls as forces: a pressure acts on the face that the other walls leave.

use super::physics::Physics;
use crate::body::faces::push;
use crate::body::{Motion, Wall, WallState};
use crate::math::Vector3;
use crate::shape::Period;

/// The walls in the positions of these states, with the loads of a time [s] as forces.
///
/// In the motions returned, pressures and factors are part of `load` and `force`. With them the
/// number of a wall under pressure without a face, if there is one.
pub(super) fn loaded(
    physics: &Physics,
    states: &[WallState],
    time: f64,
    period: &Period,
) -> (Vec<Wall>, Option<usize>) {
    let placed = physics.placed(states);
    let mut faceless = None;
    let motions: Vec<Motion> = (placed.iter().enumerate())
        .map(|(w, wall)| {
            let mut push = |pressure: f64| {
                if pressure == 0.0 {
                    return Vector3::zeros();
                }
                let push = push(pressure, wall, (&placed, period, physics.planar));
                faceless = faceless.or(push.is_none().then_some(w));
                push.unwrap_or_default()
            };
            let mut motion = wall.motion.clone();
            match &mut motion {
                Motion::Free(free) => {
                    let factor = (free.factor.take()).map_or(1.0, |factor| factor.at(time));
                    free.load = (free.load + push(free.pressure)) * factor;
                    free.pressure = 0.0;
                }
                Motion::Servo(servo) => {
                    servo.force += push(servo.pressure).dot(&servo.direction);
                    servo.pressure = 0.0;
                }
                Motion::Fixed | Motion::Driven(_) => {}
            }
            motion
        })
        .collect();
    let walls = placed.into_iter().zip(motions);
    let walls = walls.map(|(wall, motion)| Wall { motion, ..wall });
    (walls.collect(), faceless)
}
