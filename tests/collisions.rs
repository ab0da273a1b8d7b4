//! Collisions with restitution: gases, balls that bounce, packings that come to rest.

mod scene;

use moreau::body::{BodyRow, Motion, Wall};
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::Surface;
use scene::{Scene, State, piston, plane, record};
use std::f64::consts::PI;

const RADIUS: f64 = 0.005;

fn bouncing(restitution: f64) -> Pair {
    Pair {
        restitution,
        ..Pair::RIGID
    }
}

/// A gas of `side`³ balls of solid fraction `fraction` without gravity in a periodic box, at rest as a whole. The velocities of the bodies are
/// normal, with an rms component of 1 m/s; bodies move by `step` radii a step at √3 m/s.
fn gas(side: usize, fraction: f64, restitution: f64, step: f64, seed: u64) -> Scene {
    let n = side * side * side;
    let volume = n as f64 * 4.0 / 3.0 * PI * RADIUS.powi(3) / fraction;
    let edge = volume.cbrt();
    let mut s = Scene::new([0.0; 3], [edge; 3], step * RADIUS / 3f64.sqrt());
    s.periodic = [true; 3];
    s.pair = Some(bouncing(restitution));
    s.solver.tolerance = 1e-10;
    let cell = edge / side as f64;
    for k in 0..n {
        let mut draw = Stream::new(Purpose::Trial, seed, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let i = s.glass_sphere(site.map(|i| (i as f64 + 0.5) * cell), RADIUS);
        let mut normal = || (0..12).map(|_| draw.unit()).sum::<f64>() - 6.0;
        s.bodies[i].velocity = [normal(), normal(), normal()];
    }
    let mean = s
        .bodies
        .iter()
        .map(|b| Vector3::from(b.velocity))
        .sum::<Vector3>()
        / n as f64;
    for body in &mut s.bodies {
        body.velocity = (Vector3::from(body.velocity) - mean).into();
    }
    let rms = (2.0 * energy(&s.bodies) / s.bodies[0].mass / (3.0 * n as f64)).sqrt();
    for body in &mut s.bodies {
        body.velocity = body.velocity.map(|v| v / rms);
    }
    s
}

fn energy(bodies: &[BodyRow]) -> f64 {
    bodies
        .iter()
        .map(|b| 0.5 * b.mass * Vector3::from(b.velocity).norm_squared())
        .sum()
}

/// The number of collisions of a body in a unit of time, by Enskog, at a temperature T/m of 1 m²/s².
fn rate(fraction: f64) -> f64 {
    let density = fraction * 6.0 / (PI * (2.0 * RADIUS).powi(3));
    let contact = (1.0 - 0.5 * fraction) / (1.0 - fraction).powi(3);
    4.0 * density * (2.0 * RADIUS).powi(2) * contact * PI.sqrt()
}

fn plastic(state: &State) -> u64 {
    state.done.iter().map(|d| d.plastic).sum()
}

/// The gas after some steps: the share of its energy that is left.
fn kept(side: usize, step: f64, steps: u64) -> f64 {
    let s = gas(side, 0.2, 1.0, step, 1);
    let state = s.run(steps);
    assert_eq!(plastic(&state), 0, "no contact is at rest");
    energy(&state.bodies) / energy(&s.bodies)
}

/// An elastic gas keeps its energy: over 820 collisions a body at up to 0.03 radii a step, over 270 at 0.01. Before collisions that share a step
/// were distinguished from contacts at rest it kept less than a tenth.
#[test]
fn an_elastic_gas_keeps_its_energy() {
    record(
        "e = 1",
        "energy kept by a gas at 0.03 r a step, 820 collisions a body",
        kept(6, 0.03, 20_000),
        1.0,
        1e-2,
    );
    record(
        "e = 1",
        "energy kept by a gas at 0.01 r a step, 270 collisions a body",
        kept(6, 0.01, 20_000),
        1.0,
        1e-3,
    );
}

/// The same over ten thousand collisions a body, at two lengths of the step.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn an_elastic_gas_keeps_its_energy_for_long() {
    for (step, share) in [(0.03, 1e-2), (0.01, 1e-2)] {
        let dt = gas(5, 0.2, 1.0, step, 1).dt;
        let steps = (1e4 / (rate(0.2) * dt)).ceil() as u64;
        let what = format!("energy kept by a gas at {step} r a step, 10⁴ collisions a body");
        record("e = 1", &what, kept(5, step, steps), 1.0, share);
    }
}

/// A granular gas cools by Haff's law: T = T₀/(1 + t/τ)², with Enskog's rate of collisions and the first Sonine coefficient of van Noije and
/// Ernst in τ. Mean of eight seeds, at τ/2, τ and 3τ/2.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn a_granular_gas_cools_by_haffs_law() {
    let (e, fraction, seeds) = (0.9, 0.1, 8);
    let sonine =
        16.0 * (1.0 - e) * (1.0 - 2.0 * e * e) / (81.0 - 17.0 * e + 30.0 * e * e * (1.0 - e));
    let tau = 6.0 / ((1.0 - e * e) * rate(fraction) * (1.0 + 3.0 / 16.0 * sonine));
    let mut ratios = [0.0; 3];
    for seed in 1..=seeds {
        let mut s = gas(12, fraction, 1.0, 0.01, seed);
        // Some thirty collisions a body make the velocities normal and the positions random.
        let (start, mut step) = (energy(&s.bodies), 3000);
        let mut last = s.run(step);
        let cold = energy(&last.bodies) / start;
        assert!((cold - 1.0).abs() < 1e-6, "T is still 1 m²/s²: {cold}");
        s.pair = Some(bouncing(e));
        for (k, ratio) in ratios.iter_mut().enumerate() {
            s.bodies = last.bodies;
            s.contacts = last.contacts;
            s.start = Some((step, Vec::new(), 0.0));
            let chunk = (0.5 * tau / s.dt) as u64;
            last = s.run(chunk);
            step += chunk;
            let time = (k as f64 + 1.0) * chunk as f64 * s.dt;
            let expected = (1.0 + time / tau).powi(-2);
            *ratio += energy(&last.bodies) / start / expected / seeds as f64;
        }
    }
    for (k, ratio) in ratios.into_iter().enumerate() {
        let what = format!(
            "T of a gas, e = 0.9, over Haff's law at {} τ",
            0.5 * (k as f64 + 1.0)
        );
        record("Haff", &what, ratio, 1.0, 0.02);
    }
}

/// Kinetic and potential energy over a floor at z = 0.
fn with_height(bodies: &[BodyRow]) -> f64 {
    let height = |b: &BodyRow| b.mass * 9.81 * (b.position[2] - RADIUS);
    energy(bodies) + bodies.iter().map(height).sum::<f64>()
}

/// Two hundred elastic balls fall into a box and go on bouncing, in steps in which the fastest move by half a radius.
#[test]
fn elastic_balls_bounce_for_ever() {
    let mut s = Scene::new([0.0; 3], [0.05, 0.05, 0.3], 1e-3);
    s.close();
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.pair = Some(bouncing(1.0));
    s.solver.tolerance = 1e-8;
    for k in 0..200usize {
        let mut draw = Stream::new(Purpose::Trial, 3, [k as u64, 0, 0]);
        let site = [k % 4, k / 4 % 4, k / 16];
        let x = site.map(|i| (i as f64 + 0.5 + draw.between(-0.05, 0.05)) * 0.0125);
        s.glass_sphere(x, RADIUS);
    }
    let state = s.run(1000);
    let left = with_height(&state.bodies) / with_height(&s.bodies);
    record(
        "e = 1",
        "energy of 200 balls after 1 s of bouncing",
        left,
        1.0,
        1e-2,
    );
}

/// A packing with restitution comes to rest and stays: no body sinks, no contact collides.
#[test]
fn a_packing_with_restitution_comes_to_rest() {
    for e in [0.5, 0.9] {
        let mut s = Scene::poured(5, 8, 1);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.solver.max_sweeps = 500;
        s.pair = Some(Pair {
            restitution: e,
            ..Pair::coulomb(0.5)
        });
        // Single bodies go on rolling for seconds: friction does not stop them.
        let first = s.run(4000);
        let mut s2 = s.clone();
        s2.bodies = first.bodies.clone();
        s2.contacts = first.contacts.clone();
        s2.start = Some((4000, first.walls.clone(), 0.0));
        let last = s2.run(1000);
        let lift: f64 = last
            .bodies
            .iter()
            .map(|b| b.mass * 9.81 * 2.0 * b.radius)
            .sum();
        let slow = energy(&last.bodies) / lift;
        assert!(slow < 1e-6, "e {e}: {slow:e} m g d");
        assert_eq!(plastic(&last), 0, "e {e}");
        assert!(
            plastic(&first) > 0,
            "e {e}: collisions reached contacts at rest"
        );
        let rise = |(a, b): (&BodyRow, &BodyRow)| b.position[2] - a.position[2];
        let mean = first.bodies.iter().zip(&last.bodies).map(rise).sum::<f64>() / 200.0;
        assert!(mean.abs() < 1e-3 * RADIUS, "e {e}: {mean:e} m in 1 s");
        // Same bits on any ranks.
        let (one, three) = (s.run_on(1, 1, 300), s.run_on(3, 1, 300));
        assert!(one.same_bits(&three));
    }
}

/// Collisions through balls that touch. In Newton's cradle without weight the last ball takes all the speed, whether the balls touch or not. A
/// ball that falls between two, whose contacts close in one step, leaves both as Newton's rule for each contact demands (Moreau): energy stays.
#[test]
fn collisions_through_balls_that_touch() {
    for gap in [0.0, 1e-3] {
        let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
        s.pair = Some(bouncing(1.0));
        for k in 0..5 {
            let ahead = if k == 0 { -0.02 } else { 0.0 };
            s.sphere([(0.1 + gap) * f64::from(k) + ahead, 0.0, 0.0], 0.05, 1.0);
        }
        s.bodies[0].velocity[0] = 1.0;
        let state = s.run(100);
        for k in 0..5 {
            let expected = if k == 4 { 1.0 } else { 0.0 };
            assert!(
                (state.velocity(k).x - expected).abs() < 1e-9,
                "gap {gap}, ball {k}"
            );
        }
    }
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
    s.pair = Some(bouncing(1.0));
    s.sphere([-0.05, 0.0, 0.0], 0.05, 1.0);
    s.sphere([0.05, 0.0, 0.0], 0.05, 1.0);
    s.sphere([0.0, 0.0, 0.05 * 3f64.sqrt() + 0.01], 0.05, 1.0);
    s.bodies[2].velocity[2] = -1.0;
    let state = s.run(100);
    let [left, right, top] = [0, 1, 2].map(|k| state.velocity(k));
    assert!((energy(&state.bodies) - 0.5).abs() < 1e-9);
    assert!((left.x + right.x).abs() < 1e-9 && (left.z - right.z).abs() < 1e-9);
    assert!((left.z + right.z + top.z + 1.0).abs() < 1e-9, "momentum");
    assert!(top.z > 0.0, "it bounces");
}

/// A ball that falls on a column at rest collides with its top ball only: the contacts below are at rest, their collisions end without rebound
/// and are counted.
#[test]
fn collisions_without_rebound_are_counted() {
    let mut s = Scene::new([-1.0, -1.0, 0.0], [1.0, 1.0, 2.0], 1e-3);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.pair = Some(bouncing(0.8));
    for k in 0..3 {
        s.sphere([0.0, 0.0, 0.05 + 0.1 * f64::from(k)], 0.05, 1.0);
    }
    let still = s.run(100);
    assert_eq!(plastic(&still), 0);
    assert!(energy(&still.bodies) < 1e-20, "{:e}", energy(&still.bodies));
    s.sphere([0.0, 0.0, 0.36], 0.05, 1.0);
    s.bodies[3].velocity[2] = -1.0;
    let hit = s.run(100);
    let first = hit.done.iter().map(|d| d.plastic).find(|&n| n > 0);
    assert_eq!(first, Some(3), "the floor's contact and two between balls");
    // Alone on the floor, the ball has contacts that all bounce.
    s.bodies.drain(0..3);
    s.bodies[0].id = moreau::body::BodyId(0);
    assert_eq!(plastic(&s.run(400)), 0);
}

/// Contacts with restitution that loads press stay closed: a ball on a floor under a field, and under a piston that falls on it, without gravity
/// and with; a ball that rolls round an upright pipe.
#[test]
fn pressed_contacts_with_restitution_do_not_sink() {
    for e in [0.3, 0.5, 0.9] {
        for (gravity, load, dt) in [(0.0, 10.0, 1e-3), (9.81, 1000.0, 1e-3), (9.81, 10.0, 1e-4)] {
            let mut s = Scene::new([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0], dt);
            s.gravity = Vector3::new(0.0, 0.0, -gravity);
            s.pair = Some(bouncing(e));
            s.walls.push(plane(0.0, 1.0, Motion::Fixed));
            s.walls.push(plane(0.202, -1.0, piston(1.0, load)));
            s.sphere([0.0, 0.0, 0.05], 0.05, 1.0);
            s.sphere([0.0, 0.0, 0.151], 0.05, 1.0);
            let state = s.run((2.0 / dt) as u64);
            let what = format!("e {e}, g {gravity}, load {load}, dt {dt}");
            let deepest = state
                .contacts
                .iter()
                .map(|c| -c.gap / 0.05)
                .fold(0.0, f64::max);
            assert!(deepest < 0.02, "{what}: {deepest}");
            let sunk = 0.202 + state.walls[1].displacement.z - 0.2;
            assert!(sunk > -0.02 * 0.05, "{what}: the piston is at {sunk}");
        }
        let (dt, turn, way, r) = (1e-4, 20.0, 0.1, 0.02);
        let mut s = Scene::new([-0.3, -0.3, -1.0], [0.3, 0.3, 0.3], dt);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.walls.push(Wall::fixed(
            "pipe".to_owned(),
            Surface::Bore {
                centre: Vector3::zeros(),
                axis: Vector3::z(),
                radius: way + r,
            },
            0,
        ));
        s.pair = Some(Pair {
            restitution: e,
            ..Pair::coulomb(1.0)
        });
        let i = s.sphere([way, 0.0, 0.0], r, 1.0);
        s.bodies[i].velocity = [0.0, turn * way, 0.0];
        s.bodies[i].angular_velocity = [0.0, 0.0, -turn * way / r];
        let x = s.run(4000).position(0);
        let deep = (x.x.hypot(x.y) - way) / r;
        assert!(deep < 2e-4, "e {e}: {deep} in a pipe");
    }
}
