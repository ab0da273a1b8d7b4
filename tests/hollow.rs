//! Balls in hollow walls: in a hole, a funnel, a tube of their own size, a pipe.

mod scene;

use moreau::body::{BodyId, Drive, Motion, Signal, Wall};
use moreau::math::Vector3;
use moreau::shape::Surface;
use moreau::solver::Settings;
use scene::{Scene, State, record};

const RADIUS: f64 = 0.05;
const G: f64 = 9.81;

/// A ball over a surface, by the settings of a run that sets none.
fn over(surface: Surface, position: [f64; 3], dt: f64) -> Scene {
    let mut s = Scene::new([-0.5; 3], [0.5; 3], dt);
    s.solver = Settings::default();
    s.gravity = Vector3::new(0.0, 0.0, -G);
    s.walls.push(Wall::fixed("hollow".to_owned(), surface, 0));
    s.sphere(position, RADIUS, 1.0);
    s
}

fn shell(ends: [[f64; 2]; 2]) -> Surface {
    Surface::Shell {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        ends,
    }
}

/// The sum of the normal forces on the wall [N].
fn pressing(s: &Scene, state: &State) -> f64 {
    let normal = |c: &moreau::contact::ContactRow| {
        Vector3::from(c.impulse).dot(&Vector3::from(c.normal)) / s.dt
    };
    state.contacts.iter().map(normal).sum()
}

/// A ball rests in a hole or funnel smaller than itself, wherever it was put in: for 10⁵ steps its height is constant. Without friction the
/// forces round the rim add up to W/sin α, α being the angle of the normals to the horizontal.
#[test]
fn a_ball_rests_in_a_hole() {
    let over_rim = (RADIUS * RADIUS - 0.03 * 0.03_f64).sqrt();
    let disc = (
        shell([[0.03, 0.0], [0.2, 0.0]]),
        over_rim,
        over_rim / RADIUS,
        "hole",
    );
    let slope = std::f64::consts::FRAC_1_SQRT_2;
    let cone = (
        shell([[0.0, -0.1], [0.1, 0.0]]),
        RADIUS / slope - 0.1,
        slope,
        "cone",
    );
    for (surface, height, sine, name) in [disc, cone] {
        for (friction, off) in [(0.0, 0.004), (0.5, 0.0), (0.5, 0.004)] {
            let mut s = over(surface.clone(), [off, 0.5 * off, height + 0.002], 1e-3);
            s.friction = friction;
            let first = s.run(3000);
            let z = first.position(0).z;
            assert!(
                (z - height).abs() < 1e-5,
                "{name}, μ {friction}: {z} for {height}"
            );
            if friction == 0.0 {
                let what = format!("forces round the rim of a {name} over the ball's weight");
                record("hollow", &what, pressing(&s, &first) / G, 1.0 / sine, 1e-5);
            }
            s.bodies = first.bodies.clone();
            s.contacts = first.contacts.clone();
            s.start = Some((3000, first.walls.clone(), 0.0));
            let last = s.run(100_000);
            let sunk = (last.position(0).z - z).abs();
            let what = format!("sinking of a ball in a {name} in 10⁵ steps, μ = {friction} [m]");
            record("hollow", &what, sunk, 0.0, 1e-9);
        }
    }
}

/// In a tube, a bore or a spherical shell of its own size a ball is held on all sides: pushed across, it presses on the side that it is pushed to,
/// and does not move.
#[test]
fn a_ball_fills_a_tube() {
    let tube = shell([[RADIUS, -0.4], [RADIUS, 0.4]]);
    let (centre, axis, radius) = (Vector3::zeros(), Vector3::z(), RADIUS);
    let bore = Surface::Bore {
        centre,
        axis,
        radius,
    };
    let inside = true;
    let sphere = Surface::Sphere {
        centre,
        radius,
        inside,
    };
    for (surface, falls) in [(tube, true), (bore, true), (sphere, false)] {
        let mut s = over(surface.clone(), [0.0; 3], 1e-3);
        s.solver.tolerance = 1e-8;
        s.gravity = Vector3::new(3.0, 1.0, -G);
        let state = s.run(200);
        let passed: u64 = state.done.iter().map(|d| d.passed).sum();
        assert_eq!(passed, 0, "{surface:?}");
        let x = state.position(0);
        assert!(x.x.hypot(x.y) < 2e-4 * RADIUS, "{surface:?}: {x}");
        let fallen = if falls {
            -0.5 * G * 0.2_f64.powi(2)
        } else {
            0.0
        };
        assert!((x.z - fallen).abs() < 2e-3, "{surface:?}: {x}");
        let push: Vector3 = state
            .contacts
            .iter()
            .map(|c| Vector3::from(c.impulse) / s.dt)
            .sum();
        let across = if falls {
            push - Vector3::z() * push.z
        } else {
            push
        };
        let expected = if falls {
            s.gravity - Vector3::z() * s.gravity.z
        } else {
            s.gravity
        };
        assert!(
            (across - expected).norm() < 1e-5 * G,
            "{surface:?}: {across}"
        );
    }
}

/// The contacts of a ball in a hole are the same on any ranks, and after a restart.
#[test]
fn holes_are_the_same_on_any_ranks() {
    let mut s = over(shell([[0.03, 0.0], [0.2, 0.0]]), [0.004, 0.0, 0.043], 1e-3);
    s.friction = 0.3;
    s.solver.block_edge = Some(0.15);
    for k in 0..20 {
        let angle = f64::from(k) * 0.7;
        s.sphere(
            [
                0.1 * angle.cos(),
                0.1 * angle.sin(),
                0.05 + 0.02 * f64::from(k),
            ],
            0.01,
            0.01,
        );
    }
    let one = s.run(300);
    assert!(one.contacts.iter().filter(|c| c.key.a == BodyId(0)).count() >= 6);
    for ranks in [2, 3, 4, 8] {
        assert!(one.same_bits(&s.run_on(ranks, 1, 300)), "{ranks} ranks");
    }
}

/// The golfer's paradox: a ball that rolls round an upright pipe does not fall, but goes down to −5 g/Ω² and up again. By the default settings it
/// stays on the wall.
#[test]
fn a_ball_rolls_round_an_upright_pipe() {
    for r in [0.02, 0.005] {
        let (dt, turn, way) = (1e-4, 20.0, 0.1);
        let mut s = Scene::new([-0.3, -0.3, -1.0], [0.3, 0.3, 0.3], dt);
        s.solver = Settings::default();
        s.gravity = Vector3::new(0.0, 0.0, -G);
        let surface = Surface::Bore {
            centre: Vector3::zeros(),
            axis: Vector3::z(),
            radius: way + r,
        };
        s.walls.push(Wall::fixed("pipe".to_owned(), surface, 0));
        s.friction = 1.0;
        let i = s.sphere([way, 0.0, 0.0], r, 1.0);
        s.bodies[i].velocity = [0.0, turn * way, 0.0];
        // It rolls: v + ω × r n = 0 at the contact.
        s.bodies[i].angular_velocity = [0.0, 0.0, -turn * way / r];
        let (mut lowest, mut deepest) = (0.0_f64, 0.0_f64);
        for part in 1..=80 {
            let state = s.run(50);
            let x = state.position(0);
            lowest = lowest.min(x.z);
            deepest = deepest.max((x.x.hypot(x.y) - way) / r);
            s.bodies = state.bodies;
            s.contacts = state.contacts;
            s.start = Some((50 * part, state.walls, 0.0));
        }
        let expected = -5.0 * G / (turn * turn);
        let what = format!("lowest point of a ball of {r} m in an upright pipe [m]");
        record("golfer", &what, lowest, expected, -0.01 * expected);
        let what = format!("deepest overlap of a ball of {r} m in an upright pipe [radii]");
        record("golfer", &what, deepest, 0.0, 1e-4);
    }
}

/// A ball that goes round in a pipe at rest, or in one that moves with a constant velocity, without
/// gravity and friction: the same overlaps, since the projection sees relative motion only. So it
/// does in a pipe that is hardly wider than the ball.
#[test]
fn projection_follows_the_bend_of_narrow_and_moving_pipes() {
    let r = 0.02;
    for (radius, speed) in [
        (6.0 * r, 10.0),
        (1.2 * r, 3.0),
        (1.2 * r, 1.0),
        (1.05 * r, 1.0),
    ] {
        let deepest = |pipe: f64| {
            let way = radius - r;
            let mut s = Scene::new([-0.5, -0.5, -1.0], [0.5, 0.5, 1.0], 1e-4);
            s.solver = Settings::default();
            let surface = Surface::Bore {
                centre: Vector3::zeros(),
                axis: Vector3::z(),
                radius,
            };
            let mut wall = Wall::fixed("pipe".to_owned(), surface, 0);
            wall.motion = Motion::Driven(Drive::along(Vector3::y(), Signal::Rate(pipe)));
            s.walls.push(wall);
            let i = s.sphere([way, 0.0, 0.0], r, 1.0);
            s.bodies[i].velocity = [0.0, pipe + speed, 0.0];
            let overlap = |steps: u64| {
                let x = s.run(steps).position(0);
                let moved = pipe * steps as f64 * s.dt;
                (x.x.hypot(x.y - moved) - way) / r
            };
            (1..=20).map(|k| overlap(10 * k)).fold(0.0, f64::max)
        };
        let [still, moving] = [0.0, -speed].map(deepest);
        assert!(still < 1e-4, "R = {radius}, {speed} m/s: {still:e}");
        assert!((still - moving).abs() < 1e-6, "{still:e} and {moving:e}");
    }
}
