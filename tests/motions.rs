//! Walls whose motion is composed of several translations and rotations.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod scene;

use harness::{Place, mpi_available, on, state};
use moreau::body::{Drive, Motion, Rotation, Signal, Wall};
use moreau::math::Vector3;
use moreau::shape::Surface;
use scene::clump::dumbbell;
use scene::{Scene, plane};
use std::f64::consts::TAU;

fn sine(amplitude: f64, frequency: f64, phase: f64) -> Signal {
    Signal::Sine {
        amplitude,
        frequency,
        phase,
    }
}

fn about(axis: Vector3, point: Vector3, signal: Signal) -> Rotation {
    Rotation {
        axis,
        point: Some(point),
        signal,
    }
}

/// A ball that rolls on a turntable goes round a circle at 2/7 of the table's rate, wherever the table's axis is, and wherever
/// the wall has its centre.
#[test]
fn a_ball_rolls_on_a_turntable() {
    let (rate, pivot) = (4.0, Vector3::new(0.3, -0.2, 0.0));
    let (r, start, velocity) = (
        0.1,
        Vector3::new(0.5, 0.1, 0.1),
        Vector3::new(0.3, -0.5, 0.0),
    );
    let off = |dt: f64, centre: Vector3| {
        let mut s = Scene::new([-3.0; 3], [3.0; 3], dt);
        s.gravity = Vector3::new(0.0, 0.0, -10.0);
        s.friction = 1.0;
        let mut table = plane(0.0, 1.0, Motion::Fixed);
        table.centre = centre;
        table.motion = Motion::Driven(Drive {
            rotations: vec![about(Vector3::z(), pivot, Signal::Rate(rate))],
            ..Drive::default()
        });
        s.walls.push(table);
        let i = s.sphere(start.into(), r, 1.0);
        // Without slip: v + ω × (−r z) is the velocity of the table there.
        let slip = velocity - Vector3::z().cross(&(start - pivot)) * rate;
        let spin = Vector3::new(-slip.y, slip.x, 0.0) / r;
        (s.bodies[i].velocity, s.bodies[i].angular_velocity) = (velocity.into(), spin.into());
        let steps = (1.0 / dt).round();
        let end = s.run(steps as u64);
        assert!(end.all_converged());
        // v' = 2/7 Ω × v: by the angle φ in the time, about the middle of the circle.
        let slow = 2.0 / 7.0 * rate;
        let middle = start + Vector3::z().cross(&velocity) / slow;
        let arm = start - middle;
        let [c, s] = [libm::cos(slow), libm::sin(slow)];
        let expected = middle + arm * c + Vector3::z().cross(&arm) * s;
        (end.position(0) - expected).norm()
    };
    let far = Vector3::new(1.0, 0.8, 0.0);
    let [coarse, fine] = [1e-3, 5e-4].map(|dt| off(dt, far));
    assert!(coarse < 2e-3, "{coarse}");
    assert!((coarse / fine - 2.0).abs() < 0.1, "{coarse} {fine}");
    let own = off(1e-3, pivot);
    assert!((own - coarse).abs() < 1e-9, "{own} {coarse}");
}

/// A drum that turns about its axis is the same wherever the wall has its centre: bodies, and how they follow its bend.
#[test]
fn a_drum_turns_alike_about_any_centre() {
    let drum = |centre: Vector3, point: Option<Vector3>| {
        let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
        s.gravity = Vector3::new(0.0, 0.0, -10.0);
        s.friction = 0.8;
        let bore = Surface::Bore {
            centre: Vector3::zeros(),
            axis: Vector3::y(),
            radius: 0.5,
        };
        let mut wall = Wall::fixed("drum".to_owned(), bore, 0);
        wall.centre = centre;
        wall.motion = Motion::Driven(Drive {
            rotations: vec![Rotation {
                axis: Vector3::y(),
                point,
                signal: Signal::Rate(9.0),
            }],
            ..Drive::default()
        });
        s.walls.push(wall);
        for k in 0..7 {
            let x = 0.12 * f64::from(k) - 0.36;
            s.sphere([x, 0.1 * x, -0.2], 0.05, 1.0);
        }
        s.run(300)
    };
    let own = drum(Vector3::zeros(), None);
    let far = drum(
        Vector3::new(0.3, 0.1, -0.4),
        Some(Vector3::new(0.0, 0.2, 0.0)),
    );
    assert!(
        own.bodies.iter().any(|b| b.position[0] < -0.3),
        "it lifts them"
    );
    for k in 0..7 {
        let apart = (own.position(k) - far.position(k)).norm();
        assert!(apart < 1e-8, "{k}: {apart:e}");
    }
}

/// A floor that turns about the centre of a clump, which does not move there, meets its lobes in
/// the step in which it reaches them.
#[test]
fn a_wall_that_turns_about_a_clump_meets_its_lobes() {
    let middle = Vector3::new(0.0, 0.0, 0.1);
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
    s.templates = vec![dumbbell()];
    let i = s.clump(middle.into(), 0.06, 0);
    s.bodies[i].orientation = [1.0, 0.0, 0.0, 0.0];
    // Lobes with a radius of 0.04 m, 0.02 m from the middle: one comes nearer by 6 mm a step.
    let mut floor = plane(0.06 - 3e-3, 1.0, Motion::Fixed);
    floor.centre = middle;
    floor.motion = Motion::Driven(Drive {
        rotations: vec![about(Vector3::y(), middle, Signal::Rate(300.0))],
        ..Drive::default()
    });
    s.walls.push(floor);
    let end = s.run(1);
    assert!(end.spin(i).norm() > 1.0, "{}", end.spin(i));
}

/// A floor that goes round a circle without turning, on its axles.
fn orbit() -> (Scene, f64, f64) {
    let (amplitude, frequency) = (0.05, 3.0);
    let mut s = Scene::new([-2.0; 3], [2.0; 3], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 0.3;
    s.solver.block_edge = Some(0.5);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    for k in 0..24 {
        let [x, y] = [k % 6, k / 6].map(|k| 0.19 * f64::from(k) - 0.5);
        s.sphere([x, y, 0.1], 0.1, 1.0 + 0.01 * f64::from(k));
    }
    let axle = Vector3::new(amplitude, 0.0, 0.0);
    let turn = TAU * frequency;
    s.walls[0].motion = Motion::Driven(Drive {
        rotations: vec![
            about(Vector3::z(), axle, Signal::Rate(-turn)),
            about(Vector3::z(), Vector3::zeros(), Signal::Rate(turn)),
        ],
        ..Drive::default()
    });
    (s, amplitude, frequency)
}

/// A turn about an axis that goes round another, backwards, is a circle without a turn: the sum of two sines. Bodies on it
/// slide alike under both, and the bits are those of any ranks and threads.
#[test]
fn two_rotations_make_an_orbit() {
    let (s, amplitude, frequency) = orbit();
    let end = s.run(200);
    assert!(end.walls[0].angular_velocity.norm() < 1e-9);
    let mut other = s.clone();
    other.walls[0].motion = Motion::Driven(Drive {
        translations: vec![
            (Vector3::x(), sine(amplitude, frequency, TAU / 4.0)),
            (Vector3::y(), sine(amplitude, frequency, 0.0)),
        ],
        ..Drive::default()
    });
    let by_sines = other.run(200);
    let fastest = end.bodies.iter().map(|b| Vector3::from(b.velocity).norm());
    assert!(fastest.fold(0.0, f64::max) > 0.05, "they are dragged");
    for k in 0..s.bodies.len() {
        let apart = (end.position(k) - by_sines.position(k)).norm();
        assert!(apart < 1e-8, "{k}: {apart:e}");
    }
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2), (2, 2)] {
        let same = s.run_on(ranks, threads, 200).same_bits(&end);
        assert!(same, "{ranks} ranks of {threads} threads");
    }
}

/// A drum with a rotation in a frame that swivels, two sines and two tables, through the program: a restart, with the tables gone,
/// and several processes end in the same state.
#[test]
fn motions_in_lists_through_the_program() {
    let place = Place::new();
    place.write("up.csv", "time,value\n0,0\n0.05,0.01\n0.2,-0.01\n");
    place.write("on.csv", "time,value\n0,0.1\n0.1,-0.2\n");
    let path = place.write(
        "a.toml",
        "gravity = [0.0, 0.0, -10.0]\n[time]\ndt = 1e-3\nsteps = 120\n\
         [domain]\nlower = [-1.0, -1.0, -1.0]\nupper = [1.0, 1.0, 1.0]\n\
         [output]\nseries = 10\n[checkpoint]\nevery = 60\nkeep = 9\n\
         [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
         [[wall]]\nname = \"drum\"\nshape = \"cylinder\"\nmaterial = \"m\"\nfrom = [0.0, -0.5, 0.0]\nto = [0.0, 0.5, 0.0]\n\
         radius = 0.4\nside = \"inside\"\nvelocity = [0.02, 0.0, 0.0]\n\
         rotation = [\n{ axis = [0.0, 1.0, 0.0], point = [0.01, 0.0, 0.0], rate = 5.0 },\n\
         { axis = [0.0, 0.0, 1.0], point = [0.3, 0.2, 0.0], amplitude = 0.1, frequency = 2.0 },\n]\n\
         sine = [{ direction = [1.0, 0.0, 0.0], amplitude = 0.01, frequency = 8.0 }, \
         { direction = [0.0, 0.0, 1.0], amplitude = 0.01, frequency = 5.0, phase = 0.3 }]\n\
         table = [{ direction = [0.0, 0.0, 1.0], file = \"up.csv\", of = \"position\" }, \
         { direction = [0.0, 1.0, 0.0], file = \"on.csv\", of = \"velocity\" }]\n\
         [[bodies]]\nsample = \"random\"\nmaterial = \"m\"\ncount = 150\nradius = 0.03\nlower = [-0.2, -0.4, -0.2]\n\
         upper = [0.2, 0.4, 0.2]\n",
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    for file in ["up.csv", "on.csv"] {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    let ranks = if mpi_available() { 3 } else { 1 };
    let half = format!("{out}/checkpoint-00000060.h5");
    let other = place.path("other");
    let resumed = on(ranks, &["resume", &half, "--out", &other]);
    assert_eq!(state(&resumed), whole);
    assert!(
        resumed.stderr.contains("wall.0.table.1.file"),
        "{}",
        resumed.stderr
    );
    // The axis of the drum, by hand, at the end.
    let text = std::fs::read_to_string(format!("{out}/walls.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let last = text.lines().rev().find(|line| line.contains("drum.side"));
    let last: Vec<&str> = last.unwrap().split(',').collect();
    let value = |name: &str| -> f64 {
        let at = names.iter().position(|n| *n == name).unwrap();
        last[at].parse().unwrap()
    };
    let turned = |[x, z]: [f64; 2], angle: f64| {
        let [c, s] = [libm::cos(angle), libm::sin(angle)];
        [x * c - z * s, x * s + z * c]
    };
    let t = 0.12;
    // About y z turns to x, about z x turns to y.
    let [z, x] = turned([0.0, -0.01], 5.0 * t);
    let swivel = 0.1 * libm::sin(TAU * 2.0 * t);
    let [x, y] = turned([0.01 + x - 0.3, -0.2], swivel);
    let x = 0.3 + x + 0.02 * t + 0.01 * libm::sin(TAU * 8.0 * t);
    let y = 0.2 + y + (0.1 * 0.1 - 0.15 * 0.1) - 0.2 * 0.02;
    let up = 0.01 - 0.02 * (t - 0.05) / 0.15;
    let z = z + up + 0.01 * (libm::sin(TAU * 5.0 * t + 0.3) - libm::sin(0.3));
    for (name, expected) in [("x", x), ("y", y), ("z", z)] {
        let found = value(name);
        assert!(
            (found - expected).abs() < 1e-12,
            "{name}: {found} {expected}"
        );
    }
}

/// A box with a `sine` for each axis shakes along all of them at once: its faces by the formula, the same state on three ranks.
#[test]
fn a_box_shakes_along_each_axis() {
    let place = Place::new();
    let path = place.write(
        "a.toml",
        "gravity = [0.0, 0.0, -10.0]\n[time]\ndt = 1e-3\nsteps = 90\n\
         [domain]\nlower = [0.0, 0.0, 0.0]\nupper = [0.4, 0.3, 0.2]\n[output]\nseries = 10\n\
         [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
         [[wall]]\nname = \"case\"\nshape = \"box\"\nmaterial = \"m\"\n\
         sine = [{ direction = [1.0, 0.0, 0.0], amplitude = 0.01, frequency = 8.0 }, \
         { direction = [0.0, 2.0, 0.0], amplitude = 0.004, frequency = 12.0, phase = 0.5 }, \
         { direction = [0.0, 0.0, 1.0], amplitude = 0.002, frequency = 5.0 }]\n\
         [[bodies]]\nsample = \"random\"\nmaterial = \"m\"\ncount = 150\nradius = 0.015\n\
         lower = [0.0, 0.0, 0.0]\nupper = [0.4, 0.3, 0.2]\n",
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let text = std::fs::read_to_string(format!("{out}/walls.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let rows = |step: &str| -> Vec<[f64; 3]> {
        let of = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>());
        let of = of.filter(|row| row[column("step")] == step);
        let at = |row: Vec<&str>| ["x", "y", "z"].map(|c| row[column(c)].parse().unwrap());
        of.map(at).collect()
    };
    let way = |t: f64| {
        [
            0.01 * libm::sin(TAU * 8.0 * t),
            0.004 * libm::sin(TAU * 12.0 * t + 0.5),
            0.002 * libm::sin(TAU * 5.0 * t),
        ]
    };
    let (first, last) = (rows("10"), rows("90"));
    assert_eq!((first.len(), last.len()), (6, 6), "{text}");
    for (a, b) in first.iter().zip(&last) {
        for k in 0..3 {
            let (found, expected) = (b[k] - a[k], way(0.09)[k] - way(0.01)[k]);
            assert!((found - expected).abs() < 1e-12, "{k}: {found} {expected}");
        }
    }
    if mpi_available() {
        let three = place.path("three");
        assert_eq!(state(&on(3, &["run", &path, "--out", &three])), whole);
    }
}
