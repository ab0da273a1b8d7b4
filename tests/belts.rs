//! Walls whose surface runs in itself: belts.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyId, BodyRow, Drive, Motion, Signal};
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::shape::Surface;
use scene::clump::dumbbell;
use scene::mesh::{plate, surface};
use scene::{Scene, lift, piston, plane};
use std::f64::consts::TAU;

const U: f64 = 0.7;
const R: f64 = 0.1;
const MU: f64 = 0.3;
const G: f64 = 10.0;

/// A belt at z = 0 along x.
fn belt() -> Scene {
    let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-4);
    s.gravity = Vector3::new(0.0, 0.0, -G);
    s.friction = MU;
    let mut floor = plane(0.0, 1.0, Motion::Fixed);
    floor.surface_velocity = Vector3::new(U, 0.0, 0.0);
    s.walls.push(floor);
    s
}

/// A ball laid on a belt slides under μ g for 2u/(7 μ g), then rolls at 2/7 of its speed. The belt does 2/7 m u² of work, of which
/// friction takes a half; the force on it is μ m g. On a plane, on a plate of triangles, and on a wall that itself moves.
#[test]
fn a_belt_drags_a_ball() {
    let fixed = belt();
    let mut on_plate = belt();
    on_plate.walls[0].surface = surface(&plate(2, 5));
    let mut lifted = belt();
    lifted.walls[0].motion = lift(Signal::Rate(0.2));
    // Turned by a quarter before anything lies on it: its belt would run along y otherwise.
    let mut turned = belt();
    turned.walls[0].surface_velocity = Vector3::new(0.0, -U, 0.0);
    let quarter = Signal::Table {
        times: [-1.0, -0.5].into(),
        values: [0.0, TAU / 4.0].into(),
        rates: false,
    };
    assert_eq!(quarter.way(0.0), 0.0);
    let slow = Signal::Rate(TAU / 4.0 / 100.0);
    turned.walls[0].motion = Motion::Driven(Drive::about(Vector3::z(), slow));
    let slides = 2.0 * U / (7.0 * MU * G);
    for (name, mut s) in [("plane", fixed), ("plate", on_plate), ("lifted", lifted)] {
        let up = if name == "lifted" { 0.2 } else { 0.0 };
        let k = s.sphere([0.1, 0.05, R], R, 2.0);
        s.bodies[k].velocity[2] = up;
        let half = s.run((0.5 * slides / 1e-4) as u64);
        let force = half.impulse(BodyId(0), half.contacts[0].key.b) / 1e-4;
        assert!(
            (force - Vector3::new(-MU * 2.0 * G, 0.0, -2.0 * G)).norm() < 1e-6,
            "{name}: {force}"
        );
        let t = half.clock.0;
        assert!((half.velocity(0).x - MU * G * t).abs() < 1e-6, "{name}");
        let end = s.run((1.2 * slides / 1e-4) as u64);
        assert!(
            (end.velocity(0).x - 2.0 / 7.0 * U).abs() < 1e-9,
            "{name}: {}",
            end.velocity(0)
        );
        assert!(
            (end.spin(0).y + 5.0 / 7.0 * U / R).abs() < 1e-7,
            "{name}: {}",
            end.spin(0)
        );
        let work = |of: &dyn Fn(&moreau::law::work::Work) -> f64| -> f64 {
            end.done.iter().map(|d| of(&d.outcome.work)).sum()
        };
        let scale = 2.0 / 7.0 * 2.0 * U * U;
        // The wall that goes up carries the weight with it.
        let lift = 2.0 * G * up * end.clock.0;
        let (driven, friction) = (work(&|w| w.driven), work(&|w| w.friction));
        assert!(
            (driven - lift - scale).abs() < 2e-3 * scale,
            "{name}: {driven} {scale}"
        );
        assert!(
            (friction - 0.5 * scale).abs() < 2e-3 * scale,
            "{name}: {friction} {scale}"
        );
    }
    // The belt turns with its wall: after a whole quarter it runs along x.
    let mut s = turned;
    s.dt = 1e-2;
    s.walls[0].motion = Motion::Driven(Drive::about(
        Vector3::z(),
        Signal::Table {
            times: [0.0, 1.0].into(),
            values: [0.0, TAU / 4.0].into(),
            rates: false,
        },
    ));
    s.sphere([0.0, 0.0, 1.0], R, 2.0);
    s.bodies[0].velocity[2] = 3.5;
    let end = s.run(190);
    let v = end.velocity(0);
    assert!((v - Vector3::x() * (2.0 / 7.0 * U)).norm() < 1e-3, "{v}");
}

/// A disc takes a third of the speed of a belt, in two dimensions.
#[test]
fn a_belt_drags_a_disc() {
    let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-4);
    s.planar = true;
    s.gravity = Vector3::new(0.0, -G, 0.0);
    s.friction = MU;
    let mut line = plane(0.0, 1.0, Motion::Fixed);
    line.surface = Surface::Shell {
        centre: Vector3::zeros(),
        axis: Vector3::y(),
        ends: [[0.0, 0.0], [2.0, 0.0]],
    };
    line.surface_velocity = Vector3::new(-U, 0.0, 0.0);
    s.walls.push(line);
    s.bodies.push(BodyRow {
        inertia: 0.5 * R * R,
        ..BodyRow::sphere(BodyId(0), [0.0, R, 0.0], R, 1.0)
    });
    let end = s.run(1500);
    assert!(
        (end.velocity(0).x + U / 3.0).abs() < 1e-9,
        "{}",
        end.velocity(0)
    );
    // On a belt so fast that v² > g r it flies off the end, with a third of its speed.
    s.dt = 1e-3;
    s.walls[0].surface_velocity.x = -6.0;
    s.bodies[0].position[0] = 0.5;
    let end = s.run(1900);
    let v = end.velocity(0);
    assert!(end.contacts.is_empty() && v.y < -2.0, "{v}");
    assert!((v.x + 2.0).abs() < 1e-2, "{v}");
}

/// A clump that lies on a belt comes to its speed, after u/(μ g).
#[test]
fn a_belt_carries_a_clump() {
    let mut s = belt();
    s.templates = vec![dumbbell()];
    let k = s.clump([-1.0, 0.0, 0.15 * 2.0 / 3.0], 0.15, 0);
    s.bodies[k].orientation = [1.0, 0.0, 0.0, 0.0];
    let slides = U / (MU * G);
    let half = s.run((0.5 * slides / 1e-4) as u64);
    assert!(
        (half.velocity(0).x - 0.5 * U).abs() < 1e-3,
        "{}",
        half.velocity(0)
    );
    let end = s.run((1.1 * slides / 1e-4) as u64);
    assert!((end.velocity(0).x - U).abs() < 1e-6, "{}", end.velocity(0));
    assert!(end.spin(0).norm() < 1e-3, "{}", end.spin(0));
}

/// Between two belts that run in opposite ways, of which the upper lies on it as a free wall, a ball spins in its place; the
/// belts' work is the energy of its spin and the friction.
#[test]
fn a_ball_spins_between_two_belts() {
    let mut s = belt();
    s.gravity = Vector3::zeros();
    let mut lid = plane(2.0 * R, -1.0, piston(3.0, 8.0));
    lid.surface_velocity = Vector3::new(-U, 0.0, 0.0);
    s.walls.push(lid);
    s.sphere([0.0, 0.0, R], R, 2.0);
    let end = s.run(3000);
    assert!(end.velocity(0).norm() < 1e-6, "{}", end.velocity(0));
    assert!(
        (end.spin(0) + Vector3::y() * (U / R)).norm() < 1e-6,
        "{}",
        end.spin(0)
    );
    let sum = |of: &dyn Fn(&moreau::law::work::Work) -> f64| -> f64 {
        end.done.iter().map(|d| of(&d.outcome.work)).sum()
    };
    // Torque 2 μ F r for I u/r over 2 μ F r: each belt gives μ F u for that time.
    let spin = 0.5 * 0.4 * 2.0 * U * U;
    let (driven, friction) = (sum(&|w| w.driven), sum(&|w| w.friction));
    assert!((driven - 2.0 * spin).abs() < 5e-3 * spin, "{driven} {spin}");
    assert!((friction - spin).abs() < 5e-3 * spin, "{friction} {spin}");
}

/// With restitution, a ball that bounces on a belt gets the same tangential impulse as from a floor that moves.
#[test]
fn a_belt_and_a_moving_floor_are_alike() {
    let mut s = belt();
    s.pair = Some(Pair {
        restitution: 0.7,
        tangential_restitution: 0.4,
        ..Pair::coulomb(MU)
    });
    let k = s.sphere([0.0, 0.0, 0.4], R, 2.0);
    s.bodies[k].velocity = [0.3, 0.2, -1.0];
    let mut moved = s.clone();
    moved.walls[0].surface_velocity = Vector3::zeros();
    moved.walls[0].motion = Motion::Driven(Drive::along(Vector3::x(), Signal::Rate(U)));
    let [a, b] = [&s, &moved].map(|s| s.run(8000));
    let apart = (a.position(0) - b.position(0)).norm() + (a.spin(0) - b.spin(0)).norm();
    assert!(apart < 1e-6, "{apart:e}");
    assert!(a.velocity(0).x > 0.3);
}

/// A bed on a belt in a box: the same bits on any ranks and threads.
#[test]
fn a_bed_on_a_belt_on_any_ranks() {
    let mut s = Scene::poured(6, 4, 3);
    s.walls[4].surface_velocity = Vector3::new(0.5, 0.2, 0.0);
    let end = s.run(120);
    let driven: f64 = end.done.iter().map(|d| d.outcome.work.driven).sum();
    assert!(driven > 1e-5, "{driven}");
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2), (2, 2)] {
        assert!(
            s.run_on(ranks, threads, 120).same_bits(&end),
            "{ranks} {threads}"
        );
    }
}
