//! Balls in hollow walls: in a hole, a funnel, a tube, a pipe.

mod scene;

use moreau::body::Wall;
use moreau::math::Vector3;
use moreau::shape::Surface;
use moreau::solver::Settings;
use scene::{Scene, record};

const RADIUS: f64 = 0.05;
const G: f64 = 9.81;

/// A ball on the axis of a surface of revolution with these ends, at a height, by the settings of a run that sets none.
fn over(ends: [[f64; 2]; 2], position: [f64; 3], dt: f64) -> Scene {
    let mut s = Scene::new([-0.5; 3], [0.5; 3], dt);
    s.solver = Settings::default();
    s.gravity = Vector3::new(0.0, 0.0, -G);
    let surface = Surface::Shell {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        ends,
    };
    s.walls.push(Wall::fixed("hollow".to_owned(), surface, 0));
    s.sphere(position, RADIUS, 1.0);
    s
}

#[test]
fn probe() {
    let rest = (0.05f64 * 0.05 - 0.03 * 0.03).sqrt();
    for (name, ends) in [
        ("disc", [[0.03, 0.0], [0.2, 0.0]]),
        ("cone", [[0.0, -0.1], [0.1, 0.0]]),
    ] {
        for mu in [0.0, 0.5] {
            for off in [0.0, 0.003] {
                let mut s = over(ends, [off, 0.5 * off, rest + 0.002], 1e-3);
                s.friction = mu;
                let mut z = Vec::new();
                for steps in [2000u64, 10_000] {
                    let state = s.run(steps);
                    z.push(state.position(0));
                    if steps == 10_000 {
                        let n: f64 = state
                            .contacts
                            .iter()
                            .map(|c| Vector3::from(c.impulse).dot(&Vector3::from(c.normal)))
                            .sum();
                        println!(
                            "{name} {mu} {off} z {:.9} {:.3e} xy {:.2e} {:.2e} v {:.2e} contacts {} sum N/(W R/h) {}",
                            z[1].z,
                            z[1].z - z[0].z,
                            z[1].x,
                            z[1].y,
                            state.velocity(0).norm(),
                            state.contacts.len(),
                            n / s.dt / G / (RADIUS / rest)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn golfer() {
    for (r, dt, mu) in [(0.02, 1e-4, 1.0), (0.005, 1e-4, 1.0), (0.02, 1e-3, 1.0)] {
        let mut s = Scene::new([-0.3, -0.3, -1.0], [0.3, 0.3, 0.3], dt);
        s.solver = Settings::default();
        s.gravity = Vector3::new(0.0, 0.0, -G);
        let surface = Surface::Bore {
            centre: Vector3::zeros(),
            axis: Vector3::z(),
            radius: 0.1 + r,
        };
        s.walls.push(Wall::fixed("pipe".to_owned(), surface, 0));
        s.friction = mu;
        let i = s.sphere([0.1, 0.0, 0.0], r, 1.0);
        s.bodies[i].velocity = [0.0, 2.0, 0.0];
        // Rolls without slip: v + ω × r n = 0 at the contact.
        s.bodies[i].angular_velocity = [0.0, 0.0, -2.0 / r];
        let mut lowest = 0.0f64;
        let mut deepest = 0.0f64;
        let total = (0.7 / dt) as u64;
        if std::env::var("EXACT").is_ok() {
            s.solver.tolerance = 1e-12;
            s.plain_sweeps();
        }
        let mut one = s.clone();
        let chunk = (1e-2 / dt) as u64;
        let mut step = 0;
        while step < total {
            let state = one.run(chunk);
            step += chunk;
            lowest = lowest.min(state.position(0).z);
            let p = state.position(0);
            deepest = deepest.max((p.x.hypot(p.y) - 0.1) / r);
            one.bodies = state.bodies.clone();
            one.contacts = state.contacts.clone();
            one.start = Some((step, state.walls.clone(), 0.0));
        }
        println!("speed {:?}", one.bodies[0].velocity);
        println!("golfer r {r} dt {dt}: lowest {lowest} overlap {deepest:.3e}");
    }
}
