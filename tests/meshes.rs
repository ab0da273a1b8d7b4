//! Triangle meshes as walls.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "meshes/clusters.rs"]
mod clusters;
#[path = "meshes/edges.rs"]
mod edges;
#[path = "meshes/geometry.rs"]
mod geometry;
#[path = "meshes/machines.rs"]
mod machines;
#[path = "meshes/parts.rs"]
mod parts;
#[path = "meshes/repairs.rs"]
mod repairs;
mod scene;

use moreau::body::{BodyId, Drive, Motion, Signal, Wall};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::shape::Surface;
use moreau::shape::mesh::Faces;
use scene::clump::{dumbbell, tetrahedron};
use scene::mesh::{block, globe, plate, revolved, shifted, surface};
use scene::{Scene, record, record_fact};

fn scene(dt: f64) -> Scene {
    let mut s = Scene::new([-1.5, -1.5, -1.0], [1.5, 1.5, 1.0], dt);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s
}

fn fixed(surface: Surface) -> Wall {
    Wall::fixed("mesh".to_owned(), surface, 0)
}

/// A ball that rolls, one that slides, and one that spins, over a plane of random triangles, needles among them: velocity and
/// spin as on the plane, at rest and at speed, in every step.
#[test]
fn balls_on_triangles_move_as_on_a_plane() {
    for count in [2, 10, 300, 10_000, 100_000] {
        let mut s = scene(1e-3);
        s.friction = 0.3;
        let starts = [
            ([-0.8, -0.6, 0.1], [1.5, 1.1, 0.0], [-11.0, 15.0, 0.0]), // Rolls.
            ([-0.7, 0.3, 0.1], [3.0, -0.4, 0.0], [0.0, 0.0, 0.0]),    // Slides, then rolls.
            ([0.5, 0.1, 0.1], [0.0, 0.0, 0.0], [0.0, 0.0, 30.0]),     // Spins in its place.
            ([0.1, 0.7, 0.3], [0.2, -0.9, -1.0], [5.0, 0.0, 9.0]),    // Falls.
        ];
        for (x, v, w) in starts {
            let k = s.sphere(x, 0.1, 1.0);
            (s.bodies[k].velocity, s.bodies[k].angular_velocity) = (v, w);
        }
        let mut plane = s.clone();
        plane.plane([0.0; 3], [0.0, 0.0, 1.0]);
        s.walls.push(fixed(surface(&plate(count, 5))));
        let [found, expected] = [&s, &plane].map(|s| s.run(500));
        let mut off: f64 = 0.0;
        for k in 0..4 {
            let apart = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a) - Vector3::from(b)).norm();
            let (a, b) = (&found.bodies[k], &expected.bodies[k]);
            off = off.max(apart(a.velocity, b.velocity));
            off = off.max(0.1 * apart(a.angular_velocity, b.angular_velocity));
            off = off.max(apart(a.position, b.position));
        }
        let title =
            format!("balls on a plane of {count} triangles: velocity, spin, position off [m/s, m]");
        record("meshes", &title, off, 0.0, 1e-9);
        assert_eq!(found.contacts.len(), expected.contacts.len());
    }
}

/// Springs of friction, rolling and torsion, and clumps of several balls, on a plane of random triangles: as on the plane.
#[test]
fn springs_and_clumps_on_triangles_act_as_on_a_plane() {
    let mut s = scene(1e-3);
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-12, 5000);
    s.templates = vec![tetrahedron(), dumbbell()];
    s.pair = Some(Pair {
        compliance: 1e-5,
        rolling: Arm::Reduced(0.05),
        torsion: Arm::Reduced(0.05),
        bending_stiffness: 200.0,
        twisting_stiffness: 100.0,
        ..Pair::coulomb(0.4)
    });
    // A slope: the ball at rest would creep, were its springs to forget.
    s.gravity = Vector3::new(0.3, 0.1, -10.0);
    let starts = [
        ([-0.8, -0.6, 0.1], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ([-0.7, 0.3, 0.1], [1.0, -0.4, 0.0], [3.0, 0.0, 20.0]),
    ];
    for (x, v, w) in starts {
        let k = s.sphere(x, 0.1, 10.0);
        (s.bodies[k].velocity, s.bodies[k].angular_velocity) = (v, w);
    }
    for (x, template) in [([0.5, 0.1, 0.15], 0), ([0.1, 0.7, 0.15], 1)] {
        let k = s.clump(x, 0.15, template);
        s.bodies[k].velocity = [0.5, -0.6, 0.0];
    }
    let mut plane = s.clone();
    plane.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for count in [300, 10_000] {
        let mut s = s.clone();
        s.walls.push(fixed(surface(&plate(count, 5))));
        for steps in [150, 400] {
            let [found, expected] = [&s, &plane].map(|s| s.run(steps));
            assert!(found.all_converged() && expected.all_converged());
            let moved =
                (0..4).map(|k| (found.position(k) - Vector3::from(s.bodies[k].position)).norm());
            let moved: Vec<f64> = moved.collect();
            assert!(
                moved[0] < 3e-3 && moved[1..].iter().all(|way| *way > 0.05),
                "{moved:?}"
            );
            let off = (0..4).map(|k| {
                let velocity = (found.velocity(k) - expected.velocity(k)).norm();
                let spin = 0.1 * (found.spin(k) - expected.spin(k)).norm();
                velocity + spin + (found.position(k) - expected.position(k)).norm()
            });
            let title =
                format!("springs and clumps on {count} triangles, {steps} steps: off [m/s, m]");
            record("meshes", &title, off.fold(0.0, f64::max), 0.0, 1e-9);
            assert_eq!(found.contacts.len(), expected.contacts.len());
        }
    }
}

/// The scene in a box of triangles, in place of its planes.
fn in_triangles(s: &Scene) -> Scene {
    let edges = s.upper - s.lower;
    let faces = shifted(block(edges.into()), (edges * 0.5).into());
    Scene {
        walls: vec![fixed(surface(&faces))],
        ..s.clone()
    }
}

/// Balls settle in a box of triangles as in one of planes: places, velocities, forces on the whole box.
#[test]
fn a_box_of_triangles_is_a_box_of_planes() {
    let mut s = Scene::poured(3, 4, 7);
    // Forces with friction are not unique; without, velocities are.
    s.friction = 0.0;
    s.solver.tolerance = 1e-13;
    s.solver.max_sweeps = 5000;
    let mesh = in_triangles(&s);
    let [planes, mesh] = [&s, &mesh].map(|s| s.run(60));
    let mut off: f64 = 0.0;
    for (a, b) in planes.bodies.iter().zip(&mesh.bodies) {
        off = off.max((Vector3::from(a.velocity) - Vector3::from(b.velocity)).norm());
    }
    record(
        "meshes",
        "balls in a box of triangles, after 60 steps: velocity off [m/s]",
        off,
        0.0,
        1e-9,
    );
    let force = |state: &scene::State| {
        let of_wall = state
            .contacts
            .iter()
            .filter(|row| row.key.b.wall_index().is_some());
        of_wall
            .map(|row| Vector3::from(row.impulse) / 1e-3)
            .sum::<Vector3>()
    };
    let (a, b) = (force(&planes), force(&mesh));
    record(
        "meshes",
        "force on the box [N]",
        (a - b).norm() / a.norm(),
        0.0,
        1e-9,
    );
    let touching = |state: &scene::State| {
        let walls = state
            .contacts
            .iter()
            .filter(|row| row.key.b.wall_index().is_some());
        walls.filter(|row| row.gap < 1e-4).count()
    };
    assert_eq!(touching(&planes), touching(&mesh));
}

/// A ball comes to rest on an edge of 90°, in an edge, and in a corner: forces by hand.
#[test]
fn balls_on_edges_and_in_corners() {
    // A box turned by 45° about y: its upper edge is along y, its lower one too.
    let q = moreau::math::rotate(
        moreau::math::IDENTITY,
        &(Vector3::y() * 0.25 * std::f64::consts::PI),
    );
    let mut faces = block([1.0, 1.0, 1.0]);
    for x in &mut faces.points {
        *x = moreau::math::turned(q, &Vector3::from(*x)).into();
    }
    let top = 0.5_f64.sqrt();
    let mut s = scene(1e-3);
    s.friction = 0.5;
    s.walls.push(fixed(surface(&faces)));
    // On the edge, in the lower edge inside, and beside a face inside near the end of the edge: in the corner.
    s.sphere([0.0, 0.0, top + 0.1], 0.1, 1.0);
    s.sphere([0.0, -0.1, -top + 0.1 * 2.0_f64.sqrt()], 0.1, 1.0);
    let state = s.run(50);
    let of = |id: u64| {
        let rows = state
            .contacts
            .iter()
            .filter(move |row| row.key.a == BodyId(id));
        rows.filter(|row| row.impulse.iter().any(|x| *x != 0.0))
            .collect::<Vec<_>>()
    };
    let (edge, inside) = (of(0), of(1));
    assert_eq!((edge.len(), inside.len()), (1, 2));
    assert!(
        (edge[0].impulse[2] + 0.01).abs() < 1e-9,
        "{:?}",
        edge[0].impulse
    );
    for row in &inside {
        let impulse = Vector3::from(row.impulse);
        assert!((impulse.z + 0.005).abs() < 1e-9, "{impulse}");
    }
    assert!(state.velocity(0).norm() + state.velocity(1).norm() < 1e-9);
    let names: Vec<u64> = state.contacts.iter().map(|row| row.key.feature).collect();
    assert!(
        names.iter().all(|name| *name < 26) && names.len() == 3,
        "{names:?}"
    );
}

/// A ball slides down a trough of facets as in a bore. It loses `1 − cos²α` of its energy at each of n facets per radian, α = 1/n: the
/// error falls with the size of the facets.
#[test]
fn a_trough_of_facets_is_nearly_a_bore() {
    let mut s = scene(2e-4);
    s.solver.block_edge = Some(1.0);
    let (c, d) = (0.75_f64.sqrt(), 0.5);
    s.sphere([-0.75 * d, 0.0, -0.75 * c], 0.25, 1.0);
    let mut bore = s.clone();
    let surface_of_bore = Surface::Bore {
        centre: Vector3::zeros(),
        axis: Vector3::y(),
        radius: 1.0,
    };
    bore.walls.push(fixed(surface_of_bore));
    let expected = bore.run(1500).position(0);
    let error = |sides: u32| {
        let mut s = s.clone();
        let mut faces = revolved([[1.0, -1.0], [1.0, 1.0]], sides);
        for x in &mut faces.points {
            *x = [x[0], x[2], x[1]];
        }
        s.walls.push(fixed(surface(&faces)));
        (s.run(1500).position(0) - expected).norm()
    };
    let [few, many] = [50, 200].map(error);
    assert!(expected.x > -0.2, "it has come far: {expected}");
    assert!(few < 0.05 && many < 0.25 * few, "{few} {many}");
}

/// Nothing passes a sheet of zero thickness, at 0.4 radii a step, on faces, edges and corners.
#[test]
fn nothing_passes_a_sheet() {
    let mut s = scene(1e-3);
    s.gravity = Vector3::zeros();
    s.walls.push(fixed(surface(&plate(500, 9))));
    for k in 0..81 {
        let [i, j] = [k % 9, k / 9].map(|i| 0.2 * f64::from(i) - 0.8);
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let b = s.sphere([i, j, side * (0.06 + 0.001 * f64::from(k))], 0.05, 1.0);
        s.bodies[b].velocity = [0.0, 0.0, -side * 20.0];
    }
    let state = s.run(30);
    for k in 0..81 {
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        assert!(
            side * state.position(k).z > 0.03,
            "{k}: {}",
            state.position(k)
        );
    }
}

/// A ball inside a closed mesh stays inside over 100 000 steps: thrown about in a globe of 512 triangles that swings and turns.
#[test]
fn a_ball_inside_stays_inside() {
    let mut s = scene(1e-3);
    s.friction = 0.4;
    s.walls.push(Wall {
        motion: Motion::Driven(
            Drive::along(
                Vector3::x(),
                Signal::Sine {
                    amplitude: 0.3,
                    frequency: 1.7,
                    phase: 0.0,
                },
            )
            .within(Drive::about(Vector3::new(0.0, 0.6, 0.8), Signal::Rate(2.0))),
        ),
        ..fixed(surface(&globe(0.5, 3)))
    });
    let b = s.sphere([0.1, 0.0, 0.0], 0.1, 1.0);
    s.bodies[b].velocity = [3.0, 2.0, 1.0];
    s.solver.tolerance = 1e-6;
    let state = s.run(100_000);
    let away = state.position(0) - state.walls[0].displacement;
    assert!(away.norm() < 0.402, "{away}");
}

/// A mixer of blades that turns among balls, in a box of triangles: the same bits on any number of ranks and threads.
#[test]
fn the_same_bits_on_any_ranks() {
    let mut s = Scene::poured(4, 3, 11);
    // Balls slip through below the blades, and are not crushed.
    s.friction = 0.3;
    s.solver.block_edge = Some(0.016);
    let edges = s.upper - s.lower;
    let middle = edges * 0.5;
    let faces = shifted(block(edges.into()), middle.into());
    // Two thin blades that cross each other at the axis.
    let z = 0.006;
    let blade = |x: f64, y: f64| [[-x, -y, -z], [x, y, -z], [x, y, z], [-x, -y, z]];
    let mixer = Faces {
        points: [blade(0.01, 0.0), blade(0.0, 0.01)].concat(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
    };
    s.walls = vec![
        fixed(surface(&faces)),
        Wall {
            centre: middle,
            motion: Motion::Driven(Drive::about(Vector3::z(), Signal::Rate(20.0))),
            ..fixed(surface(&shifted(mixer, middle.into())))
        },
    ];
    let one = s.run(120);
    let at_mixer = one
        .contacts
        .iter()
        .filter(|row| row.key.b == BodyId::wall(1));
    assert!(at_mixer.count() > 5, "the mixer is among the balls");
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2), (3, 2)] {
        let same = s.run_on(ranks, threads, 120).same_bits(&one);
        let title =
            format!("a mixer of triangles on {ranks} ranks of {threads} threads: the bits of one");
        record_fact("meshes", &title, same);
    }
}
