//! Walls that move, walls that are pushed, walls of all shapes, bodies that are not free.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "walls/pressure.rs"]
mod pressure;
mod scene;
#[path = "walls/servo.rs"]
mod servo;

use moreau::body::{BodyId, BodyKind, Freedom, Motion, Signal, Wall};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::{HalfSpace, Surface};
use scene::{Scene, lift, piston, plane, record, record_fact};

fn scene(height: f64, dt: f64) -> Scene {
    let mut s = Scene::new([-3.0, -3.0, -1.0], [3.0, 3.0, height], dt);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s
}

/// A24: a ball on a piston takes the piston's velocity, and feels m g + m dV_w/dt.
#[test]
fn a24_a_driven_piston_carries_a_ball() {
    let mut s = scene(20.0, 1e-3);
    s.walls.push(plane(0.0, 1.0, lift(Signal::Rate(0.5))));
    s.sphere([0.0, 0.0, 1.0], 1.0, 2.0);
    let state = s.run(1000);
    record(
        "A24",
        "speed of a ball on a piston [m/s]",
        state.velocity(0).z,
        0.5,
        1e-12,
    );
    assert!((state.position(0).z - 1.5).abs() < 1e-9);
    let force = -state.impulse(BodyId(0), BodyId::wall(0)).z / 1e-3;
    record(
        "A24",
        "force of a piston at constant speed [N]",
        force,
        20.0,
        1e-9,
    );
    assert!((state.walls[0].displacement.z - 0.5).abs() < 1e-12);

    // A = a (2πf)² = 3.55 m/s² < g: the ball stays on.
    let (amplitude, frequency) = (0.01, 3.0);
    let sine = Signal::Sine {
        amplitude,
        frequency,
        phase: 0.0,
    };
    s.walls[0].motion = lift(sine.clone());
    let state = s.run(400);
    let (t, dt) = (0.4, 1e-3);
    let acceleration = (sine.way(t) - 2.0 * sine.way(t - dt) + sine.way(t - 2.0 * dt)) / (dt * dt);
    let force = -state.impulse(BodyId(0), BodyId::wall(0)).z / dt;
    assert!(
        (force - 2.0 * (10.0 + acceleration)).abs() < 1e-8,
        "{force}"
    );
    assert!((state.position(0).z - 1.0 - sine.way(t)).abs() < 1e-12);
}

/// A24: under a free piston of mass M with load F, N balls: the floor carries F + (M + N m) g; the piston rests. On any number
/// of ranks, to the bit (H7: it lies over all of them).
#[test]
fn a24_h7_a_free_piston_loads_what_it_lies_on() {
    let mut s = scene(3.0, 1e-3);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(1.0, -1.0, piston(5.0, 30.0)));
    for k in 0..9 {
        let site = [f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0].map(|x| 1.6 * x);
        s.sphere([site[0], site[1], 0.5], 0.5, 2.0);
    }
    s.solver.block_edge = Some(1.2);
    s.solver.tolerance = 1e-13;
    let state = s.run(200);
    let floor: f64 = (0..9)
        .map(|k| -state.impulse(BodyId(k), BodyId::wall(0)).z / 1e-3)
        .sum();
    let expected = 30.0 + (5.0 + 18.0) * 10.0;
    record(
        "A24",
        "force on the floor under a free piston and nine balls [N]",
        floor,
        expected,
        1e-9 * expected,
    );
    assert!(state.walls[1].velocity.norm() < 1e-12);
    for ranks in [2, 3, 4, 8] {
        let same = s.run_on(ranks, 1, 200).same_bits(&state);
        record_fact(
            "H7",
            &format!("a piston over {ranks} ranks: the bits of one rank"),
            same,
        );
    }
    assert!(s.run_on(2, 2, 200).same_bits(&state), "threads");
}

/// A piston that is free along z takes nothing of what drags it sideways.
#[test]
fn a_piston_moves_along_its_direction_only() {
    let mut s = scene(3.0, 1e-3);
    s.friction = 0.5;
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(1.0, -1.0, piston(5.0, 30.0)));
    s.sphere([0.0, 0.0, 0.5], 0.5, 2.0);
    s.bodies[0].velocity[0] = 1.0;
    let state = s.run(20);
    assert!(
        state.impulse(BodyId(0), BodyId::wall(1)).x.abs() > 1e-3,
        "it is dragged"
    );
    let wall = &state.walls[1];
    assert_eq!(
        (wall.velocity.x, wall.velocity.y, wall.displacement.x),
        (0.0, 0.0, 0.0)
    );
}

/// A column of balls under a piston, from above downwards: M g + F, then each ball's weight more.
#[test]
fn a24_a_column_under_a_piston() {
    let mut s = scene(9.0, 1e-2);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(8.0, -1.0, piston(3.0, 7.0)));
    for k in 0..4 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    s.solver.tolerance = 1e-14;
    let state = s.run(50);
    for k in 0..4_u64 {
        let (a, b) = if k == 0 {
            (0, BodyId::wall(0))
        } else {
            (k - 1, BodyId(k))
        };
        let force = state.impulse(BodyId(a), b).z.abs() / 1e-2;
        assert!(
            (force - (37.0 + 10.0 * (4 - k) as f64)).abs() < 1e-7,
            "contact {k}: {force}"
        );
    }
}

/// A big intruder, a free sphere as a wall, falls on a bed of fixed balls and stays; momentum is exchanged to rounding when it hits
/// a free ball in space, spins included, on any number of ranks.
#[test]
fn h7_a_big_free_sphere_among_small_balls() {
    let mut s = Scene::new([-4.0; 3], [4.0; 3], 0.01);
    s.friction = 0.5;
    let (mass, radius) = (50.0, 1.5);
    let inertia = 0.4 * mass * radius * radius;
    let centre = Vector3::zeros();
    let surface = Surface::Sphere {
        centre,
        radius,
        inside: false,
    };
    s.walls.push(Wall {
        centre,
        motion: Motion::Free(Freedom {
            mass,
            inertia: Some(inertia),
            turning: None,
            direction: None,
            load: Vector3::zeros(),
            pressure: 0.0,
            gravity: true,
            factor: None,
        }),
        ..Wall::fixed("intruder".to_owned(), surface, 0)
    });
    for k in 0..20 {
        let angle = f64::from(k) * 2.4;
        let z = f64::from(k) / 10.0 - 0.95;
        let across = (1.0 - z * z).sqrt();
        let n = Vector3::new(across * angle.cos(), across * angle.sin(), z);
        let i = s.sphere((n * 2.0).into(), 0.3, 1.0);
        s.bodies[i].velocity =
            (n * -(1.0 + 0.1 * f64::from(k)) + Vector3::new(0.3, -0.2, 0.5)).into();
        s.bodies[i].angular_velocity = [1.0, f64::from(k), -2.0];
    }
    s.solver.block_edge = Some(1.0);
    let state = s.run(60);
    assert!(state.walls[0].velocity.norm() > 1e-3 && state.walls[0].angular_velocity.norm() > 1e-3);
    let momentum = |bodies: &[moreau::body::BodyRow]| -> Vector3 {
        bodies
            .iter()
            .map(|b| Vector3::from(b.velocity) * b.mass)
            .sum()
    };
    let gained = momentum(&state.bodies) + state.walls[0].velocity * mass - momentum(&s.bodies);
    record(
        "H7",
        "momentum lost between a big sphere and twenty balls [kg m/s]",
        gained.norm(),
        0.0,
        1e-12,
    );
    for ranks in [2, 4, 8] {
        let same = s.run_on(ranks, 1, 60).same_bits(&state);
        record_fact(
            "H7",
            &format!("a big free sphere over {ranks} ranks: the bits of one rank"),
            same,
        );
    }
}

/// Every kind of surface holds a ball up: nothing falls through, on both sides of a thin one, and on edges.
#[test]
fn every_surface_carries_a_ball() {
    let (o, z) = (Vector3::zeros(), Vector3::z());
    let cases = [
        (
            Surface::Sphere {
                centre: o,
                radius: 2.0,
                inside: true,
            },
            [0.3, 0.0, -1.0],
        ),
        (
            Surface::Cylinder {
                centre: -z,
                axis: z,
                radius: 1.0,
                half_length: 1.0,
            },
            [0.4, 0.0, 0.7],
        ),
        (
            Surface::Bore {
                centre: o,
                axis: Vector3::x(),
                radius: 1.5,
            },
            [0.0, 0.3, -0.5],
        ),
        (
            Surface::Shell {
                centre: o,
                axis: z,
                ends: [[0.0, 0.0], [1.5, 0.0]],
            },
            [0.5, 0.0, 0.7],
        ),
        (
            Surface::Shell {
                centre: o,
                axis: z,
                ends: [[0.2, -1.0], [2.0, 0.0]],
            },
            [0.6, 0.0, 0.3],
        ),
    ];
    for (surface, start) in cases {
        let mut s = Scene::new([-4.0; 3], [4.0; 3], 1e-3);
        s.gravity = Vector3::new(0.0, 0.0, -10.0);
        s.pair = Some(Pair {
            rolling: Arm::Length(0.2),
            ..Pair::coulomb(0.8)
        });
        s.walls
            .push(Wall::fixed("w".to_owned(), surface.clone(), 0));
        s.sphere(start, 0.5, 1.0);
        let state = s.run(3000);
        let (distance, _) = surface.nearest(&state.position(0));
        // Where g⁺ lets a curved path cut the surface, by v²Δt²/2R a step at most.
        assert!((distance - 0.5).abs() < 2e-3, "{surface:?}: {distance}");
        assert!(s.run_on(4, 1, 500).same_bits(&s.run(500)));
    }
}

/// Fixed bodies hold, driven bodies push, both whatever pushes them; between two of them there is no contact.
#[test]
fn fixed_and_driven_bodies() {
    let mut s = scene(9.0, 1e-3);
    s.friction = 0.5;
    s.sphere([0.0, 0.0, 0.0], 1.0, 1.0);
    s.sphere([0.0, 0.0, 2.0], 1.0, 1.0);
    s.sphere([0.9, 0.0, 0.0], 1.0, 1.0);
    s.bodies[0].kind = BodyKind::Fixed as u32;
    s.bodies[2].kind = BodyKind::Fixed as u32;
    let state = s.run(50);
    s.bodies[0].reference = state.bodies[0].reference;
    assert_eq!(state.bodies[0], s.bodies[0]);
    assert!(state.velocity(1).norm() < 1e-12);
    assert!((state.impulse(BodyId(0), BodyId(1)).z / 1e-3 - 10.0).abs() < 1e-9);
    assert!(
        !state
            .contacts
            .iter()
            .any(|c| c.key.b == BodyId(2) && c.key.a == BodyId(0))
    );

    s.bodies.truncate(2);
    s.bodies[0].kind = BodyKind::Driven as u32;
    s.bodies[0].velocity[2] = 0.4;
    let state = s.run(100);
    assert_eq!(state.velocity(0).z, 0.4);
    assert!((state.velocity(1).z - 0.4).abs() < 1e-12);
    let work: f64 = state.done.iter().map(|d| d.outcome.work.driven).sum();
    // 10 N over 40 mm, and 0.4 N s at 0.4 m/s, of which the impact dissipates one half.
    assert!((work - (0.4 + 0.16)).abs() < 1e-12, "{work}");
    // Gravity's part in the step of the impact is the integrator's.
    let lost: f64 = state.done.iter().map(|d| d.dissipated + d.integrator).sum();
    assert!((lost - 0.08).abs() < 1e-12, "{lost}");
}

/// Bodies squeezed between walls that leave them no room end in an error that names them.
#[test]
fn infeasible_states_are_named() {
    let mut s = scene(9.0, 1e-3);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(2.0, -1.0, lift(Signal::Rate(-0.1))));
    s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
    s.solver.tolerance = 1e-3;
    for (plain, most) in [(true, 50), (false, 10), (false, 50), (false, 300)] {
        let mut s = s.clone();
        if plain {
            s.plain_sweeps();
        }
        s.solver.max_sweeps = most;
        for ranks in [1, 3] {
            let error = s.try_run(ranks, 1, 200).unwrap_err().to_string();
            assert!(
                error.contains("infeasible") && error.contains("body 0 against wall plane at"),
                "plain {plain}, {most} sweeps: {error}"
            );
        }
    }
}

/// Bodies that leave the domain are deleted and counted where that is asked for; their contacts go with them.
#[test]
fn bodies_outside_are_deleted_on_demand() {
    let mut s = scene(9.0, 1e-3);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    for k in 0..6 {
        let i = s.sphere([-2.5 + f64::from(k), 0.0, 0.45], 0.45, 1.0);
        s.bodies[i].velocity[0] = if k > 2 { 3.0 } else { 0.0 };
    }
    assert!(
        s.try_run(2, 1, 1000)
            .unwrap_err()
            .to_string()
            .contains("left the domain")
    );
    s.delete_outside = true;
    let state = s.run(1000);
    assert_eq!(state.bodies.len(), 3);
    assert_eq!(state.done.iter().map(|d| d.deleted).sum::<u64>(), 3);
    assert!(state.contacts.iter().all(|c| c.key.a.0 < 3));
    for ranks in [2, 3, 8] {
        assert!(s.run_on(ranks, 1, 1000).same_bits(&state));
    }
}

/// A27: unit normals, feet on the surface, contact points midway, for every kind of surface at random.
#[test]
fn a27_normals_and_contact_points() {
    let (mut unit, mut foot, mut middle) = (0.0_f64, 0.0_f64, 0.0_f64);
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 63, [trial, 0, 0]);
        let mut vector = || {
            Vector3::new(
                draw.between(-1.0, 1.0),
                draw.between(-1.0, 1.0),
                draw.between(-1.0, 1.0),
            )
        };
        let (x, centre, axis) = (vector() * 2.0, vector() * 0.3, vector().normalize());
        let sizes = vector().abs();
        let (radius, half_length) = (0.2 + sizes.x, 0.2 + sizes.y);
        let surfaces = [
            Surface::Plane(HalfSpace {
                point: centre,
                normal: axis,
            }),
            Surface::Sphere {
                centre,
                radius,
                inside: false,
            },
            Surface::Sphere {
                centre,
                radius: 3.0 + radius,
                inside: true,
            },
            Surface::Bore {
                centre,
                axis,
                radius: 3.0 + radius,
            },
            Surface::Cylinder {
                centre,
                axis,
                radius,
                half_length,
            },
            Surface::Shell {
                centre,
                axis,
                ends: [[sizes.z, -half_length], [radius, half_length]],
            },
        ];
        for surface in surfaces {
            let (distance, n) = surface.nearest(&x);
            unit = unit.max((n.norm() - 1.0).abs());
            foot = foot.max(surface.nearest(&(x + n * distance)).0.abs());
            // The point midway between a sphere of radius r and the surface is as far from the one as from the other.
            let r = 0.1;
            let point = x + n * (r + 0.5 * (distance - r));
            let gaps = [(point - x).norm() - r, surface.nearest(&point).0];
            if distance > r {
                middle = middle.max((gaps[0] - gaps[1]).abs());
            }
        }
    }
    record("A27", "largest error of a unit normal", unit, 0.0, 1e-15);
    record(
        "A27",
        "largest distance of a foot from its surface [m]",
        foot,
        0.0,
        1e-12,
    );
    record(
        "A27",
        "largest error of a contact point [m]",
        middle,
        0.0,
        1e-12,
    );
}
