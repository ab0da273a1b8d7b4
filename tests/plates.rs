//! Thin walls of a finite size: plates, and in two dimensions segments and arcs.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod scene;

use harness::{Place, mpi_available, on, state, walls};
use moreau::body::{BodyId, BodyRow, Drive, Motion, Rotation, Signal, Wall};
use moreau::math::Vector3;
use moreau::shape::Surface;
use scene::Scene;
use scene::clump::dumbbell;
use std::f64::consts::{PI, TAU};

fn entry(shape: &str, keys: &str) -> String {
    format!("[[wall]]\nshape = \"{shape}\"\nmaterial = \"m\"\n{keys}\n")
}

/// A plate at z = 0, from −1 to 1 along x, from −0.5 to 0.5 along y.
fn plate() -> Wall {
    let keys = "centre = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 2.0]\nalong = [3.0, 0.0, 0.5]\nsize = [2.0, 1.0]";
    walls(3, &entry("plate", keys)).remove(0)
}

fn segment(from: [f64; 2], to: [f64; 2]) -> Wall {
    let keys = format!(
        "from = [{}, {}, 0.0]\nto = [{}, {}, 0.0]",
        from[0], from[1], to[0], to[1]
    );
    walls(2, &entry("segment", &keys)).remove(0)
}

fn arc(radius: f64, angles: [f64; 2]) -> Wall {
    let keys = format!("centre = [0.0, 0.0, 0.0]\nradius = {radius}\nangles = {angles:?}");
    walls(2, &entry("arc", &keys)).remove(0)
}

fn scene(gravity: [f64; 3], dt: f64, wall: Wall) -> Scene {
    let mut s = Scene::new([-3.0; 3], [3.0; 3], dt);
    s.gravity = gravity.into();
    s.walls.push(wall);
    s
}

/// The cosine of the last angle from the vertical at which a body pressed on the wall, seen from a point.
fn leaves_at(s: &Scene, about: Vector3, up: Vector3) -> f64 {
    let at = |steps: u64| {
        let end = s.run(steps);
        let mut contacts = end.contacts.iter();
        let pressed = contacts.any(|c| Vector3::from(c.impulse).norm() > 0.0);
        pressed.then(|| (end.position(0) - about).normalize().dot(&up))
    };
    let (mut held, mut free) = (1, 4000);
    assert!(at(free).is_none(), "it stays");
    while free - held > 1 {
        let middle = (held + free) / 2;
        match at(middle) {
            Some(_) => held = middle,
            None => free = middle,
        }
    }
    at(held).unwrap()
}

/// Distances and directions of random points from a plate that leans and from the rectangle of its keys.
#[test]
fn a_plate_is_the_rectangle_of_its_keys() {
    let (n, a) = (
        Vector3::new(2.0, -1.0, 2.0) / 3.0,
        Vector3::new(1.0, 2.0, 0.0),
    );
    let c = Vector3::new(0.3, -0.2, 0.1);
    let keys = format!(
        "centre = {:?}\nnormal = {:?}\nalong = {:?}\nsize = [0.8, 1.4]",
        <[f64; 3]>::from(c),
        <[f64; 3]>::from(n),
        <[f64; 3]>::from(a)
    );
    let wall = walls(3, &entry("plate", &keys)).remove(0);
    assert!((wall.centre - c).norm() < 1e-15);
    let e = a.normalize();
    let f = n.cross(&e);
    let mut regions = [0; 3];
    for k in 0..4000 {
        let angle = |p: f64| TAU * (p * f64::from(k)).fract();
        let x = c + Vector3::new(angle(0.618) - PI, angle(0.414) - PI, angle(0.732) - PI) * 0.4;
        let [s, t] = [(x - c).dot(&e), (x - c).dot(&f)];
        let foot = c + e * s.clamp(-0.4, 0.4) + f * t.clamp(-0.7, 0.7);
        regions[usize::from(s.abs() > 0.4) + usize::from(t.abs() > 0.7)] += 1;
        let (distance, towards) = wall.surface.nearest(&x);
        assert!((distance - (foot - x).norm()).abs() < 1e-13);
        assert!((x + towards * distance - foot).norm() < 1e-13);
        // Each ball has one touch, wherever it is: over the diagonal, an edge, a corner.
        let Surface::Mesh(mesh) = &wall.surface else {
            panic!("{:?}", wall.surface)
        };
        let mut touches = Vec::new();
        mesh.touches(&x, 9.0, |place| touches.push(place.distance));
        assert!(
            touches.len() == 1 && (touches[0] - distance).abs() < 1e-13,
            "{touches:?}"
        );
    }
    assert!(regions.iter().all(|&n| n > 200), "{regions:?}");
}

/// Balls rest on both sides of a plate, also on its diagonal, with their weight; a clump falls and slides as on a plane.
#[test]
fn bodies_rest_on_both_sides_of_a_plate() {
    for down in [-10.0, 10.0] {
        let mut s = scene([0.0, 0.0, down], 1e-3, plate());
        for x in [[0.0, 0.0], [0.5, 0.25], [-0.4, 0.3]] {
            s.sphere([x[0], x[1], -0.1 * down.signum()], 0.1, 2.0);
        }
        let end = s.run(100);
        assert_eq!(end.contacts.len(), 3);
        for contact in &end.contacts {
            let force = contact.impulse[2] / 1e-3;
            assert!((force - 2.0 * down).abs() < 1e-9, "{force}");
        }
    }
    let mut s = scene([0.3, 0.1, -10.0], 1e-3, plate());
    s.friction = 0.3;
    s.templates = vec![dumbbell()];
    let k = s.clump([0.0, 0.0, 0.3], 0.15, 0);
    s.bodies[k].velocity = [0.4, 0.2, -0.5];
    s.bodies[k].turn_with([3.0, 2.0, 1.0], &s.templates);
    let mut plane = s.clone();
    plane.walls.clear();
    plane.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let [on_plate, on_plane] = [&s, &plane].map(|s| s.run(500));
    let apart = (on_plate.position(0) - on_plane.position(0)).norm();
    assert!(apart < 1e-9, "{apart:e}");
    assert!(on_plate.position(0).z < 0.2);
}

/// A ball that begins to roll over the edge of a plate, or about its corner, leaves it where its weight along the arm is its
/// centripetal force, cos θ = 10/17 cos θ₀.
#[test]
fn a_ball_rolls_over_an_edge() {
    let r = 0.1;
    let tilt: f64 = 0.3;
    for corner in [false, true] {
        let mut s = scene([0.0, 0.0, -10.0], 2e-4, plate());
        s.friction = 100.0;
        let out = match corner {
            false => Vector3::new(1.0, 0.0, 0.0),
            true => Vector3::new(0.6, 0.8, 0.0),
        };
        let at = match corner {
            false => Vector3::new(1.0, 0.1, 0.0),
            true => Vector3::new(1.0, 0.5, 0.0),
        };
        let x = at + (out * libm::sin(tilt) + Vector3::z() * libm::cos(tilt)) * r;
        s.sphere(x.into(), r, 1.0);
        let found = leaves_at(&s, at, Vector3::z());
        let expected = 10.0 / 17.0 * libm::cos(tilt);
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
}

/// Discs roll over the end of a segment, and down the back of an arc: cos θ = 4/7 cos θ₀.
#[test]
fn discs_leave_a_segment_and_an_arc() {
    let (r, tilt) = (0.1, 0.3_f64);
    let up = Vector3::y();
    let across = Vector3::new(libm::sin(tilt), libm::cos(tilt), 0.0);
    let cases = [
        (
            segment([-1.0, 0.4], [0.5, 0.4]),
            Vector3::new(0.5, 0.4, 0.0),
            r,
        ),
        (arc(0.5, [0.2, 2.5]), Vector3::zeros(), 0.5 + r),
    ];
    for (wall, about, far) in cases {
        let mut s = scene([0.0, -10.0, 0.0], 2e-4, wall);
        s.planar = true;
        s.friction = 100.0;
        s.bodies.push(disc(0, (about + across * far).into(), r));
        let found = leaves_at(&s, about, up);
        let expected = 4.0 / 7.0 * libm::cos(tilt);
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
}

fn disc(id: u64, position: [f64; 3], radius: f64) -> BodyRow {
    BodyRow {
        inertia: 0.5 * radius * radius,
        ..BodyRow::sphere(BodyId(id), position, radius, 1.0)
    }
}

/// A disc that rolls in the hollow of an arc swings with ω² = 2g/3(R − r), and comes out at its end, in free flight.
#[test]
fn a_disc_swings_in_an_arc() {
    let (big, r, g) = (1.0, 0.1, 10.0);
    let wall = arc(big, [1.1 * PI, 1.9 * PI]);
    let mut s = scene([0.0, -g, 0.0], 1e-3, wall);
    s.planar = true;
    s.friction = 1.0;
    let angle: f64 = 0.05;
    let at = Vector3::new(libm::sin(angle), -libm::cos(angle), 0.0) * (big - r);
    s.bodies.push(disc(0, at.into(), r));
    let frequency = (2.0 * g / (3.0 * (big - r))).sqrt();
    let half = (PI / frequency / 1e-3).round() as u64;
    let end = s.run(half);
    let x = end.position(0);
    assert!((x.x + at.x).abs() < 2e-3 * at.x.abs() + 2e-4, "{x}");
    assert!((x.norm() - (big - r)).abs() < 1e-4, "{}", x.norm());
    // Thrown up the side, it leaves over the end.
    s.bodies[0].velocity = [-9.0, -9.0 * angle, 0.0];
    s.friction = 0.0;
    let end = s.run(220);
    let x = end.position(0);
    assert!(x.norm() > big + r && end.contacts.is_empty(), "{x}");
    let energy = |x: &Vector3, v: &Vector3| 0.5 * v.norm_squared() + g * x.y;
    let before = energy(&at, &s.bodies[0].velocity.into());
    let after = energy(&x, &end.velocity(0));
    // Each step along the curve loses (v Δt/R)² of it.
    let lost = 1.0 - after / before;
    assert!((0.0..0.02).contains(&lost), "{before} {after}");
    assert_eq!((x.z, end.velocity(0).z), (0.0, 0.0));
}

/// A disc of the size of an arc that is more than half a circle is held in it, whatever pulls.
#[test]
fn an_arc_holds_a_disc_of_its_size() {
    for direction in 0..12 {
        let pull = TAU * f64::from(direction) / 12.0;
        let wall = arc(0.3, [-2.2, 2.2]);
        let gravity = [10.0 * libm::cos(pull), 10.0 * libm::sin(pull), 0.0];
        let mut s = scene(gravity, 1e-3, wall);
        s.planar = true;
        s.bodies.push(disc(0, [0.0; 3], 0.299));
        let end = s.run(300);
        let x = end.position(0);
        assert!(x.norm() < 3e-3, "{direction}: {x}");
    }
}

/// Bodies poured on a plate that swings about its edge, and discs on segments and arcs that move: the same bits on any ranks
/// and threads.
#[test]
fn the_same_bits_on_any_ranks() {
    let mut s = Scene::poured(5, 4, 7);
    let keys = "centre = [0.03, 0.03, 0.02]\nnormal = [0.0, 0.2, 1.0]\nalong = [1.0, 0.0, 0.0]\nsize = [0.04, 0.035]";
    let mut swings = walls(3, &entry("plate", keys)).remove(0);
    let edge = Rotation {
        axis: Vector3::x(),
        point: Some(Vector3::new(0.03, 0.05, 0.02)),
        signal: Signal::Sine {
            amplitude: 0.2,
            frequency: 10.0,
            phase: 0.0,
        },
    };
    swings.motion = Motion::Driven(Drive {
        rotations: vec![edge],
        ..Drive::default()
    });
    s.walls.push(swings);
    let end = s.run(100);
    let on_it = BodyId::wall(s.walls.len() - 1);
    assert!(end.contacts.iter().any(|c| c.key.b == on_it));
    let mut flat = Scene::new([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], 1e-3);
    flat.planar = true;
    flat.gravity = Vector3::new(0.1, -10.0, 0.0);
    flat.friction = 0.4;
    flat.solver.block_edge = Some(0.3);
    flat.close();
    flat.walls.truncate(4);
    flat.walls.push(segment([-0.8, 0.3], [-0.1, -0.2]));
    let mut bowl = arc(0.4, [1.2 * PI, 2.1 * PI]);
    bowl.motion = Motion::Driven(
        Drive::along(Vector3::x(), Signal::Rate(0.2))
            .within(Drive::about(Vector3::z(), Signal::Rate(1.0))),
    );
    flat.walls.push(bowl);
    for k in 0..60 {
        let [x, y] = [k % 10, k / 10].map(|k| 0.15 * f64::from(k));
        flat.bodies
            .push(disc(k as u64, [x - 0.7, y + 0.1, 0.0], 0.06));
    }
    let held = flat.run(250);
    for wall in [4, 5] {
        let touched = held.contacts.iter().any(|c| c.key.b == BodyId::wall(wall));
        assert!(touched, "wall {wall}");
    }
    assert!(
        held.bodies
            .iter()
            .all(|b| b.position[2] == 0.0 && b.velocity[2] == 0.0)
    );
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2)] {
        assert!(s.run_on(ranks, threads, 100).same_bits(&end), "{ranks}");
        assert!(flat.run_on(ranks, threads, 250).same_bits(&held), "{ranks}");
    }
}

/// Segments and an arc through the program: a restart on other processes ends in the same state.
#[test]
fn discs_on_segments_through_the_program() {
    let place = Place::new();
    let path = place.write(
        "a.toml",
        "gravity = [0.0, -10.0, 0.0]\n[time]\ndt = 1e-3\nsteps = 600\n\
         [domain]\nlower = [-1.0, -1.0, -1.0]\nupper = [1.0, 1.0, 1.0]\ndimensions = 2\noutside = \"delete\"\n\
         [output]\nseries = 10\n[checkpoint]\nevery = 300\nkeep = 9\n\
         [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
         [[wall]]\nname = \"chute\"\nshape = \"segment\"\nmaterial = \"m\"\nfrom = [-0.9, 0.2, 0.0]\nto = [0.0, -0.3, 0.0]\n\
         [[wall]]\nname = \"cup\"\nshape = \"arc\"\nmaterial = \"m\"\ncentre = [0.2, -0.3, 0.0]\nradius = 0.4\n\
         angles = [3.3, 6.0]\nsine = { direction = [0.0, 1.0, 0.0], amplitude = 0.02, frequency = 3.0 }\n\
         [[bodies]]\nsample = \"lattice\"\nmaterial = \"m\"\ncount = 40\nradius = 0.05\nlower = [-0.9, 0.3, -1.0]\n\
         upper = [0.3, 1.0, 1.0]\n",
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let ranks = if mpi_available() { 3 } else { 1 };
    let half = format!("{out}/checkpoint-00000300.h5");
    let other = place.path("other");
    assert_eq!(
        state(&on(ranks, &["resume", &half, "--out", &other])),
        whole
    );
    let text = std::fs::read_to_string(format!("{out}/walls.csv")).unwrap();
    for wall in ["chute", "cup"] {
        let line = text.lines().rev().find(|line| line.contains(wall)).unwrap();
        let fy: f64 = line.split(',').nth(4).unwrap().parse().unwrap();
        assert!(fy < -1.0, "{line}");
    }
}
