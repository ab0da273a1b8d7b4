//! True edges and corners of a mesh, against a line, a point and planes.

use super::scene::mesh::{block, shifted, surface};
use super::scene::{Scene, State, record};
use super::{fixed, in_triangles, scene};
use moreau::contact::ContactRow;
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::shape::Surface;

const RADIUS: f64 = 0.1;

/// A cube of triangles, one metre wide, whose upper face is at z = 0.
fn cube() -> Surface {
    surface(&shifted(block([1.0; 3]), [0.0, 0.0, -0.5]))
}

/// The edge of the cube at x = 0.5 above, as a cylinder without thickness.
fn line() -> Surface {
    Surface::Cylinder {
        centre: Vector3::new(0.5, 0.0, 0.0),
        axis: Vector3::y(),
        radius: 0.0,
        half_length: 0.5,
    }
}

/// A corner of the cube above, as a sphere without size.
fn point() -> Surface {
    Surface::Sphere {
        centre: Vector3::new(0.5, 0.5, 0.0),
        radius: 0.0,
        inside: false,
    }
}

/// The largest difference of place, velocity and surface speed of the only ball in two states.
fn apart(a: &State, b: &State) -> f64 {
    let off = [
        a.position(0) - b.position(0),
        a.velocity(0) - b.velocity(0),
        (a.spin(0) - b.spin(0)) * RADIUS,
    ];
    off.map(|off| off.norm()).into_iter().fold(0.0, f64::max)
}

/// A scene with one ball that moves at this velocity and rolls over a point below it.
fn rolls(from: Vector3, about: Vector3, velocity: Vector3, dt: f64) -> Scene {
    let mut s = scene(dt);
    s.friction = 0.5;
    let k = s.sphere(from.into(), RADIUS, 1.0);
    let arm = from - about;
    s.bodies[k].velocity = velocity.into();
    s.bodies[k].angular_velocity = (arm.cross(&velocity) / arm.norm_squared()).into();
    s
}

/// The largest difference between a ball on the cube and one on another surface, after these steps.
fn off(s: &Scene, other: Surface, steps: &[u64]) -> f64 {
    let [mut on_cube, mut on_other] = [s, s].map(Clone::clone);
    on_cube.walls.push(fixed(cube()));
    on_other.walls.push(fixed(other));
    let each = steps.iter().map(|&n| {
        let [a, b] = [&on_cube, &on_other].map(|s| s.run(n));
        assert_eq!(a.contacts.len(), b.contacts.len(), "after {n} steps");
        if n > 200 && s.bodies[0].velocity[0] > 0.0 {
            assert!(a.contacts.is_empty(), "it has left the edge");
        }
        apart(&a, &b)
    });
    each.fold(0.0, f64::max)
}

/// A ball rolls along an edge of a cube as along a line, tips over an edge as over a line, and over
/// a corner as over a point, until it flies.
#[test]
fn balls_on_an_edge_and_a_corner_move_as_on_a_line_and_a_point() {
    let up = Vector3::z() * RADIUS;
    let edge = Vector3::new(0.5, -0.4, 0.0);
    let s = rolls(edge + up, edge, Vector3::new(0.0, 0.7, 0.0), 1e-3);
    let title = "a ball along an edge of a mesh, off one along a line [m/s, m]";
    record("meshes", title, off(&s, line(), &[1, 300, 1000]), 0.0, 1e-9);
    // Obliquely, so that it slides along the edge too while it tips over it.
    let steps = [1, 50, 100, 150, 250];
    let s = rolls(edge + up, edge, Vector3::new(0.4, 0.6, 0.0), 1e-3);
    let title = "a ball that tips over an edge of a mesh, off one over a line [m/s, m]";
    record("meshes", title, off(&s, line(), &steps), 0.0, 1e-9);
    let corner = Vector3::new(0.5, 0.5, 0.0);
    let s = rolls(corner + up, corner, Vector3::new(0.3, 0.4, 0.0), 1e-3);
    let title = "a ball that tips over a corner of a mesh, off one over a point [m/s, m]";
    record("meshes", title, off(&s, point(), &steps), 0.0, 1e-9);
}

/// A ball rolls on a face of a cube, and on over its edge or its corner: first as on a plane, then
/// as on a line or a point.
#[test]
fn a_ball_rolls_from_a_face_over_an_edge_and_a_corner() {
    const DT: f64 = 1e-3;
    const BEFORE: u64 = 150;
    let up = Vector3::z() * RADIUS;
    let cases = [
        (
            "edge",
            Vector3::new(0.5, 0.1, 0.0),
            Vector3::new(0.5, 0.2, 0.0),
            line(),
        ),
        (
            "corner",
            Vector3::new(0.5, 0.5, 0.0),
            Vector3::new(0.3, 0.3, 0.0),
            point(),
        ),
    ];
    for (name, at, velocity, beyond) in cases {
        // A tenth of a step beyond the edge after these steps, nine tenths before it one earlier.
        let from = at - velocity * (DT * (BEFORE as f64 - 0.1));
        let s = rolls(from + up, from, velocity, DT);
        let mut on_cube = s.clone();
        on_cube.walls.push(fixed(cube()));
        let mut plane = s.clone();
        plane.plane([0.0; 3], [0.0, 0.0, 1.0]);
        let reached = plane.run(BEFORE);
        let mut tips = s.clone();
        tips.bodies.clone_from(&reached.bodies);
        tips.walls = vec![fixed(beyond)];
        let mut off = apart(&on_cube.run(BEFORE), &reached);
        for more in [1, 30, 80, 150, 250] {
            let [a, b] = [on_cube.run(BEFORE + more), tips.run(more)];
            assert_eq!(
                a.contacts.len(),
                b.contacts.len(),
                "{name}: {more} steps beyond"
            );
            off = off.max(apart(&a, &b));
        }
        let title = format!(
            "a ball from a face over the {name} of a mesh, off one on a plane and beyond [m/s, m]"
        );
        record("meshes", &title, off, 0.0, 1e-9);
    }
}

/// A ball swings about an edge without friction: its distance from the edge stays, to the sagitta
/// of its way in a step, and its energy, to the share that steps take.
#[test]
fn a_ball_tips_over_an_edge_with_its_energy() {
    const G: f64 = 10.0;
    const TIME: f64 = 0.08;
    let tilt: f64 = 0.3;
    let edge = Vector3::new(0.5, 0.0, 0.0);
    let out = Vector3::new(libm::sin(tilt), 0.0, libm::cos(tilt));
    let losses = [1e-3, 2.5e-4].map(|dt| {
        let mut s = rolls(edge + out * RADIUS, edge, Vector3::zeros(), dt);
        s.friction = 0.0;
        s.walls.push(fixed(cube()));
        let state = s.run((TIME / dt).round() as u64);
        assert_eq!(state.contacts.len(), 1, "it has not left");
        let (arm, speed) = (state.position(0) - edge, state.velocity(0).norm());
        // A step goes along the tangent at its start; the next returns to the circle.
        let sagitta = 0.5 * (speed * dt).powi(2) / RADIUS;
        let away = arm.norm() - RADIUS;
        assert!(
            (0.0..1.01 * sagitta).contains(&away),
            "{away:e} {sagitta:e}"
        );
        let fallen = RADIUS * libm::cos(tilt) - arm.z;
        let lost = 1.0 - 0.5 * speed * speed / (G * fallen);
        // A body falls with the velocity at the end of a step, half a step ahead of it: g dt/v.
        // Each step loses (v dt/r)² along the circle.
        let ahead = G * arm.x / RADIUS * dt / speed;
        let turns = speed * speed * TIME * dt / (RADIUS * RADIUS);
        assert!(
            (0.0..ahead + turns).contains(&lost),
            "{lost} {ahead} {turns}"
        );
        lost
    });
    let title =
        "energy lost over an edge of a mesh, with a quarter of the step, over the first [1]";
    record("meshes", title, losses[1] / losses[0], 0.25, 0.025);
}

/// Force on each face of a box around the bodies, by the normals of contacts: −x, +x, −y and so on.
fn by_face(state: &State, dt: f64) -> [Vector3; 6] {
    let mut forces = [Vector3::zeros(); 6];
    let on_walls = |row: &&ContactRow| row.key.b.wall_index().is_some();
    for row in state.contacts.iter().filter(on_walls) {
        let normal = Vector3::from(row.normal);
        let axis = normal.iamax();
        forces[2 * axis + usize::from(normal[axis] > 0.0)] += Vector3::from(row.impulse) / dt;
    }
    forces
}

/// Balls with friction fall and settle in a cube of triangles as in one of planes: the same force on
/// each face.
///
/// They have springs, for friction between rigid bodies leaves a part of the forces undetermined.
#[test]
fn each_face_of_a_box_of_triangles_carries_what_a_plane_carries() {
    let mut s = Scene::poured(3, 3, 7);
    s.pair = Some(Pair {
        compliance: 1e-6,
        ..Pair::coulomb(0.3)
    });
    s.solver.tolerance = 1e-13;
    s.solver.max_sweeps = 5000;
    let mesh = in_triangles(&s);
    for steps in [20, 60] {
        let states = [&s, &mesh].map(|s| s.run(steps));
        assert!(states.iter().all(State::all_converged));
        let [planes, triangles] = states.map(|state| by_face(&state, s.dt));
        let scale = planes.iter().map(Vector3::norm).fold(0.0, f64::max);
        let pressed = planes.iter().filter(|force| force.norm() > 0.01 * scale);
        assert!(pressed.count() > 3, "{planes:?}");
        let apart = (0..6).map(|k| (planes[k] - triangles[k]).norm() / scale);
        let title =
            format!("force on each face of a box of triangles after {steps} steps, off [1]");
        record("meshes", &title, apart.fold(0.0, f64::max), 0.0, 1e-9);
    }
}
