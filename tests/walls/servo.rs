//! Walls that seek a force or a torque.

use super::scene;
use crate::scene::plane;
use moreau::body::{BodyId, Motion, Servo, Wall};
use moreau::law::Pair;
use moreau::math::Vector3;

/// A servo finds its force, and holds it.
#[test]
fn a_servo_wall_seeks_its_force() {
    let mut s = scene(3.0, 1e-3);
    s.pair = Some(Pair {
        compliance: 1e-5,
        ..Pair::RIGID
    });
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    let servo = Servo {
        turns: false,
        direction: -Vector3::z(),
        force: 100.0,
        pressure: 0.0,
        gain: 1e-4,
        top_speed: 0.05,
    };
    s.walls.push(plane(2.01, -1.0, Motion::Servo(servo)));
    s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
    let state = s.run(5000);
    let force = state.impulse(BodyId(0), BodyId::wall(1)).z / 1e-3;
    assert!((force - 100.0).abs() < 0.1, "{force}");
    assert!(state.walls[1].velocity.norm() < 1e-5);
    assert!(s.run_on(2, 1, 5000).same_bits(&state));
}

/// A servo about an axis finds its torque: a lever above a ball, which presses it on a plane at an arm of 1 m.
#[test]
fn a_turning_servo_seeks_its_torque() {
    for (axis, at, steps) in [(1.0, 1.0, 4000), (-1.0, -0.8, 4000)] {
        let mut s = scene(3.0, 1e-3);
        s.friction = 0.5;
        s.pair = Some(Pair {
            friction: 0.5,
            compliance: 1e-5,
            ..Pair::RIGID
        });
        s.walls.push(plane(0.0, 1.0, Motion::Fixed));
        let servo = Servo {
            turns: true,
            direction: Vector3::y() * axis,
            force: 50.0,
            pressure: 0.0,
            gain: 2e-4,
            top_speed: 0.05,
        };
        s.walls.push(Wall {
            centre: Vector3::new(0.0, 0.0, 2.01),
            ..plane(2.01, -1.0, Motion::Servo(servo))
        });
        s.sphere([at, 0.0, 1.0], 1.0, 1.0);
        let state = s.run(steps);
        let lever = state.contacts.iter().find(|c| c.key.b == BodyId::wall(1));
        let lever = lever.unwrap();
        let arm = Vector3::from(lever.point) - Vector3::new(0.0, 0.0, 2.01);
        let torque = arm.cross(&Vector3::from(lever.impulse)) / 1e-3;
        assert!((torque.y + 50.0 * axis).abs() < 0.05, "{torque}");
        let turning = &state.walls[1];
        assert!(turning.angular_velocity.norm() < 1e-5 && turning.velocity == Vector3::zeros());
        assert!(turning.displacement == Vector3::zeros() && turning.orientation[0] < 1.0);
        assert!(s.run_on(2, 1, steps).same_bits(&state));
    }
}
