//! Collisions with restitution: gases, balls that bounce, packings that come to rest.

mod scene;

use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use scene::{Scene, State, record, record_fact};
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

fn energy(bodies: &[moreau::body::BodyRow]) -> f64 {
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

#[test]
fn haff_probe() {
    for (side, fraction) in [(12, 0.1)] {
        for seed in [1, 2] {
            let e = 0.9;
            let mut s = gas(side, fraction, e, 0.01, seed);
            // Equilibrate.
            s.pair = Some(bouncing(1.0));
            let first = s.run(2000);
            s.bodies = first.bodies.clone();
            s.contacts = first.contacts.clone();
            s.start = Some((2000, vec![], 0.0));
            s.pair = Some(bouncing(e));
            let n = s.bodies.len() as f64;
            let t0 = 2.0 * energy(&s.bodies) / s.bodies[0].mass / (3.0 * n);
            let sonine = 16.0 * (1.0 - e) * (1.0 - 2.0 * e * e)
                / (81.0 - 17.0 * e + 30.0 * e * e * (1.0 - e));
            let tau =
                6.0 / ((1.0 - e * e) * rate(fraction) * t0.sqrt() * (1.0 + 3.0 / 16.0 * sonine));
            println!("t0 {t0} tau {tau} steps/tau {}", tau / s.dt);
            let mut step = 2000;
            for k in 1..=6 {
                let chunk = (tau / s.dt / 2.0) as u64;
                let state = s.run(chunk);
                step += chunk;
                s.bodies = state.bodies.clone();
                s.contacts = state.contacts.clone();
                s.start = Some((step, vec![], 0.0));
                let t = 2.0 * energy(&s.bodies) / s.bodies[0].mass / (3.0 * n);
                let time = k as f64 * chunk as f64 * s.dt;
                println!(
                    "{k} T/T0 {} haff {} ratio {} plastic {}",
                    t / t0,
                    (1.0 + time / tau).powi(-2),
                    t / t0 * (1.0 + time / tau).powi(2),
                    plastic(&state)
                );
            }
        }
    }
}

#[test]
fn dropped_probe() {
    for dt in [1e-4, 1e-3] {
        let mut s = Scene::new([0.0; 3], [0.05, 0.05, 0.3], dt);
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
        let all = |bodies: &[moreau::body::BodyRow]| -> f64 {
            bodies
                .iter()
                .map(|b| {
                    0.5 * b.mass * Vector3::from(b.velocity).norm_squared()
                        + b.mass * 9.81 * (b.position[2] - RADIUS)
                })
                .sum()
        };
        let start = all(&s.bodies);
        for t in [0.5, 1.0, 2.0] {
            let state = s.run((t / dt) as u64);
            let sums = |f: fn(&moreau::scheme::Report) -> f64| {
                state.done.iter().map(f).sum::<f64>() / start
            };
            println!(
                "dropped dt {dt} t {t}: {} plastic {} dissipated {} integrator {} projected {} deepest {}",
                all(&state.bodies) / start,
                plastic(&state),
                sums(|d| d.dissipated),
                sums(|d| d.integrator),
                sums(|d| d.projected),
                state
                    .contacts
                    .iter()
                    .map(|c| -c.gap / RADIUS)
                    .fold(0.0, f64::max)
            );
        }
    }
}

#[test]
fn pile_probe() {
    for e in [0.0, 0.5, 0.9] {
        let mut s = Scene::poured(5, 8, 1);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.solver.max_sweeps = 500;
        s.pair = Some(Pair {
            restitution: e,
            ..Pair::coulomb(0.5)
        });
        let mut last = s.run(1500);
        println!(
            "pile e {e}: {:.3e} J, top {} plastic {}",
            energy(&last.bodies),
            last.bodies
                .iter()
                .map(|b| b.position[2])
                .fold(0.0, f64::max),
            plastic(&last)
        );
        for _ in 0..3 {
            let mut one = s.clone();
            one.bodies = last.bodies.clone();
            one.contacts = last.contacts.clone();
            one.start = Some((1500, last.walls.clone(), 0.0));
            let next = one.run(1000);
            let moved = last
                .bodies
                .iter()
                .zip(&next.bodies)
                .map(|(a, b)| (Vector3::from(a.position) - Vector3::from(b.position)).norm())
                .fold(0.0, f64::max);
            let mean = last
                .bodies
                .iter()
                .zip(&next.bodies)
                .map(|(a, b)| b.position[2] - a.position[2])
                .sum::<f64>()
                / 200.0;
            println!(
                "   {:.3e} J moved {moved:.3e} mean {mean:.3e} plastic {}",
                energy(&next.bodies),
                plastic(&next)
            );
            last = next;
        }
    }
}

#[test]
fn cradle_probe() {
    for gap in [0.0, 1e-3] {
        let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
        s.pair = Some(bouncing(1.0));
        for k in 0..5 {
            s.sphere(
                [
                    0.1 * k as f64 + gap * k as f64 - if k == 0 { 0.02 } else { 0.0 },
                    0.0,
                    0.0,
                ],
                0.05,
                1.0,
            );
        }
        s.bodies[0].velocity[0] = 1.0;
        let state = s.run(100);
        println!(
            "cradle gap {gap}: {:?} plastic {}",
            (0..5).map(|k| state.velocity(k).x).collect::<Vec<_>>(),
            plastic(&state)
        );
    }
    for e in [0.5, 1.0] {
        let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
        s.pair = Some(bouncing(e));
        s.sphere([-0.05, 0.0, 0.0], 0.05, 1.0);
        s.sphere([0.05, 0.0, 0.0], 0.05, 1.0);
        s.sphere([0.0, 0.0, 0.05 * 3f64.sqrt() + 0.01], 0.05, 1.0);
        s.bodies[2].velocity[2] = -1.0;
        let state = s.run(100);
        println!(
            "two e {e}: {:?} plastic {}",
            (0..3).map(|k| state.velocity(k)).collect::<Vec<_>>(),
            plastic(&state)
        );
    }
}
