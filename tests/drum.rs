//! A ball in a drum, fixed and turning, against formulas (validation A25).

mod scene;

use moreau::body::{Drive, Motion, Signal, Wall};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::shape::Surface;
use scene::{Scene, record, record_fact};
use std::f64::consts::PI;

fn bore(radius: f64, motion: Motion) -> Wall {
    let surface = Surface::Bore {
        centre: Vector3::zeros(),
        axis: Vector3::y(),
        radius,
    };
    Wall {
        motion,
        ..Wall::fixed("drum".to_owned(), surface, 0)
    }
}

/// A25 a: a ball rolling to and fro in a fixed drum, without slip: T = 2π √(7 (R − r)/(5 g)).
#[test]
fn a25_a_pendulum_in_a_drum() {
    let dt = 1e-4;
    let mut s = Scene::new([-1.5; 3], [1.5; 3], dt);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.walls.push(bore(1.0, Motion::Fixed));
    let start: f64 = PI / 180.0;
    s.sphere([0.9 * start.sin(), 0.0, -0.9 * start.cos()], 0.1, 1.0);
    s.friction = 1.0;
    let expected = 2.0 * PI * (7.0 * 0.9 / (5.0 * 9.81_f64)).sqrt();
    assert!((expected - 2.2518).abs() < 1e-4);
    // It passes the bottom going back after a quarter and forth after three quarters: between two steps near there.
    let from = (0.745 * expected / dt) as u64;
    let mut last = s.run(from);
    let mut step = from;
    let passed = loop {
        let mut one = s.clone();
        one.bodies = last.bodies.clone();
        one.contacts = last.contacts.clone();
        one.start = Some((step, last.walls.clone(), 0.0));
        let next = one.run(1);
        let (x0, x1) = (last.position(0).x, next.position(0).x);
        step += 1;
        if x0 < 0.0 && x1 >= 0.0 {
            break dt * (step as f64 - x1 / (x1 - x0));
        }
        last = next;
    };
    record(
        "A25",
        "period of a ball in a fixed drum [s]",
        passed / 0.75,
        expected,
        1e-3 * expected,
    );
    let state = s.run((0.5 * expected / dt) as u64);
    assert!(
        (state.position(0).x + 0.9 * start.sin()).abs() < 0.05 * 0.9 * start.sin(),
        "the other side"
    );
    assert!((state.position(0).norm() - 0.9).abs() < 1e-4, "on the wall");
}

fn turning(rate: f64) -> Motion {
    Motion::Driven(Drive::about(Vector3::y(), Signal::Rate(rate)))
}

/// A25 b, c, e: in a turning drum a ball spins in place at the bottom, ω r = Ω R; with rolling friction it stays where
/// tan θ = μ_t/r; the drum's rate never changes.
#[test]
fn a25_b_c_a_ball_in_a_turning_drum() {
    let dt = 1e-3;
    let mut s = Scene::new([-1.5; 3], [1.5; 3], dt);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.walls.push(bore(1.0, turning(2.0)));
    s.sphere([0.0, 0.0, -0.9], 0.1, 1.0);
    s.bodies[0].angular_velocity[1] = 20.0;
    s.friction = 0.5;
    let state = s.run(2000);
    assert!(state.position(0).x.abs() < 1e-9 && state.velocity(0).norm() < 1e-9);
    record(
        "A25",
        "spin of a ball in a turning drum [rad/s]",
        state.spin(0).y,
        20.0,
        1e-9,
    );
    assert!((state.walls[0].angular_velocity.y - 2.0).abs() < 1e-12);

    s.pair = Some(Pair {
        rolling: Arm::Length(0.005),
        ..Pair::coulomb(0.5)
    });
    // It starts near where it will stay, so that only a small swing dies away.
    let angle: f64 = (0.05_f64).atan();
    s.bodies[0].position = [-0.9 * angle.sin(), 0.0, -0.9 * angle.cos()];
    let state = s.run(4000);
    let found = (-state.position(0).x / -state.position(0).z).abs();
    record(
        "A25",
        "tan θ of a ball with rolling friction in a turning drum",
        found,
        0.05,
        1e-3,
    );
}

/// A25 d: glued by friction and rolling friction, a ball goes over the top iff Ω² (R − r) ≥ g.
#[test]
fn a25_d_over_the_top() {
    let critical = (9.81_f64 / 0.9).sqrt();
    for (rate, over) in [(1.02 * critical, true), (0.95 * critical, false)] {
        let mut s = Scene::new([-1.5; 3], [1.5; 3], 1e-4);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.walls.push(bore(1.0, turning(rate)));
        s.sphere([0.9, 0.0, 0.0], 0.1, 1.0);
        s.bodies[0].velocity = [0.0, 0.0, -0.9 * rate];
        s.bodies[0].angular_velocity = [0.0, rate, 0.0];
        s.pair = Some(Pair {
            rolling: Arm::Length(10.0),
            ..Pair::coulomb(100.0)
        });
        // From the side down, through the bottom, up the other side and over the top: three quarters of a turn and a bit.
        let steps = (0.85 * 2.0 * PI / rate / 1e-4) as u64;
        let state = s.run(steps);
        let on = (state.position(0).norm() - 0.9).abs() < 0.01;
        record_fact(
            "A25",
            &format!(
                "a glued ball goes over the top at {:.2} of the critical rate: {over}",
                rate / critical
            ),
            on == over,
        );
    }
}
