//! Contacts by Hertz's law against formulas.

use super::{column, keeps_its_energy, packing};
use crate::scene::{Scene, State};
use moreau::body::BodyKind;
use moreau::law::{Arm, Damping, Elasticity, Pair};
use moreau::math::Vector3;
use std::f64::consts::PI;

fn hertzian(young: f64, poisson: f64) -> Pair {
    Pair {
        hertz: Elasticity::of([[1.0 / young, poisson], [0.0, 0.0]]),
        ..Pair::coulomb(0.5)
    }
}

/// A ball at rest on a rigid floor sinks by (3 W/(4 E* √r))^(2/3) and holds (2/5) W δ; pushed along the floor below its friction it
/// moves by P/(8 G* √(r δ)), G* = E/(2 (2 − ν)(1 + ν)), and does not creep.
#[test]
fn a_hertzian_ball_sinks_and_shears_as_theory_says() {
    let (young, poisson) = (1e6, 0.3);
    let pair = Pair {
        rolling: Arm::Length(1e9),
        ..hertzian(young, poisson)
    };
    let ball = |push: f64, steps: u64| {
        let mut s = column(1, pair, 1e-3);
        s.solver.tolerance = 1e-14;
        s.bodies[0].position[2] = 1.0 - depth(10.0, young, poisson, 1.0);
        s.gravity.x = push;
        s.run(steps)
    };
    let expected = depth(10.0, young, poisson, 1.0);
    let still = ball(0.0, 4000);
    let sunk = 1.0 - still.position(0).z;
    assert!((sunk / expected - 1.0).abs() < 1e-12, "{sunk} {expected}");
    let elastic = still.done.last().unwrap().elastic;
    assert!(
        (elastic / (0.4 * 10.0 * expected) - 1.0).abs() < 1e-10,
        "{elastic}"
    );
    let shear = young / (2.0 * (2.0 - poisson) * (1.0 + poisson));
    let pushed = [8000, 30_000].map(|steps| ball(1.0, steps).position(0).x);
    let moved = 1.0 / (8.0 * shear * expected.sqrt());
    assert!(
        (pushed[0] / moved - 1.0).abs() < 1e-9,
        "{} {moved}",
        pushed[0]
    );
    assert!((pushed[1] - pushed[0]).abs() < 1e-15);
    // It sinks to the same depth from above.
    let mut s = column(1, pair, 1e-3);
    s.solver.tolerance = 1e-14;
    let fallen = 1.0 - s.run(20_000).position(0).z;
    assert!((fallen / expected - 1.0).abs() < 1e-9, "{fallen}");
}

/// The scene that goes on from this state, after its first step.
fn next(s: &Scene, state: &State) -> Scene {
    let mut next = s.goes_on(state);
    let elastic = state.done.last().unwrap().elastic;
    next.start = Some((1, state.walls.clone(), elastic));
    next
}

fn depth(force: f64, young: f64, poisson: f64, radius: f64) -> f64 {
    let modulus = young / (1.0 - poisson * poisson);
    (0.75 * force / (modulus * radius.sqrt())).powf(2.0 / 3.0)
}

/// A collision by Hertz's law: the deepest overlap is (5 m v²/(4 K))^(2/5), K = (4/3) E* √R, the time of contact
/// 2.9432675 δ/v, both to the first order of the time step; no energy comes from nowhere at any step.
#[test]
fn a_hertzian_collision_takes_its_time() {
    let (young, poisson, speed): (f64, f64, f64) = (1e6, 0.25, 1.0);
    let stiffness = 4.0 / 3.0 * young / (1.0 - poisson * poisson);
    let deepest = (5.0 * speed * speed / (4.0 * stiffness)).powf(0.4);
    let contact = 2.943_267_5 * deepest / speed;
    let mut former = [0.0_f64; 3];
    for parts in [400.0, 800.0, 1600.0] {
        let mut s = column(1, hertzian(young, poisson), contact / parts);
        s.gravity = Vector3::zeros();
        s.bodies[0].velocity[2] = -speed;
        let (mut deep, mut steps) = (0.0, 0.0);
        let mut after = s.clone();
        loop {
            let state = after.run(1);
            after = next(&s, &state);
            deep = f64::max(deep, 1.0 - state.position(0).z);
            if state.velocity(0).z > 0.0 && state.contacts.iter().all(|c| c.status == 0) {
                break;
            }
            steps += 1.0;
        }
        let returned = -after.bodies[0].velocity[2] / -speed;
        let off = [
            (deep / deepest - 1.0).abs(),
            (steps / parts - 1.0).abs(),
            1.0 - returned,
        ];
        assert!(returned <= 1.0, "{returned}");
        assert!(off.iter().all(|x| *x < 8.0 / parts), "{parts}: {off:?}");
        if former[0] > 0.0 {
            for k in [0, 2] {
                assert!((former[k] / off[k] - 2.0).abs() < 0.1, "{former:?} {off:?}");
            }
        }
        former = off;
    }
    for x in [1.0, 100.0] {
        let mut s = column(1, hertzian(young, poisson), contact * x);
        s.gravity = Vector3::zeros();
        s.bodies[0].velocity[2] = -0.1 / (contact * x);
        let state = s.run(5);
        assert!(state.velocity(0).z.abs() <= 0.1 / (contact * x));
        assert!(state.position(0).z > 0.9, "nothing goes through");
    }
}

/// A chain of balls pressed between two fixed ones by F swings in its lowest mode at 2 √(k/m) sin(π/(2 (N + 1))), k = (3/2) F/δ: the
/// speed of sound in a compressed chain (Nesterenko, Dynamics of Heterogeneous Materials, 2001, ch. 1). Implicit Euler takes
/// atan(ω Δt)/Δt; swings of 1e-3 δ shift it by less than their square.
#[test]
fn sound_in_a_compressed_chain_has_its_speed() {
    let (young, poisson, n): (f64, f64, usize) = (1e6, 0.3, 15);
    // Two equal balls: R* = 1/2, E* = E/(2 (1 − ν²)).
    let modulus = young / (2.0 * (1.0 - poisson * poisson));
    let delta: f64 = 1e-3;
    let force = 4.0 / 3.0 * modulus * 0.5_f64.sqrt() * delta.powf(1.5);
    let parts = n as f64 + 1.0;
    let omega = 2.0 * (1.5 * force / delta).sqrt() * (PI / (2.0 * parts)).sin();
    let dt = 0.005 / omega;
    let mut s = Scene::new([-2.0, -2.0, -2.0], [2.0, 2.0, 40.0], dt);
    s.pair = Some(Pair {
        hertz: Elasticity::of([[1.0 / young, poisson]; 2]),
        ..Pair::RIGID
    });
    s.solver.tolerance = 1e-13;
    for k in 0..n + 2 {
        s.sphere([0.0, 0.0, (2.0 - delta) * k as f64], 1.0, 1.0);
        let phase = (PI * k as f64 / parts).sin();
        s.bodies[k].velocity[2] = 1e-3 * delta * omega * phase;
    }
    for k in [0, n + 1] {
        s.bodies[k].kind = BodyKind::Fixed as u32;
        s.bodies[k].velocity = [0.0; 3];
    }
    let (middle, mut steps) = (n.div_ceil(2), 0.0);
    let start = s.bodies[middle].position[2];
    let (mut state, mut past) = (s.run(1), start);
    // Half a period until the first return.
    let found = loop {
        let here = state.position(middle).z;
        if past > start && here <= start {
            break PI / ((steps + (past - start) / (past - here)) * dt);
        }
        (past, steps) = (here, steps + 1.0);
        state = next(&s, &state).run(1);
    };
    assert!((found / omega - 1.0).abs() < 1e-3, "{found} {omega}");
}

/// Hertz's law with restitution.
fn bouncing(young: f64, restitution: f64) -> Pair {
    Pair {
        restitution,
        ..hertzian(young, 0.25)
    }
}

/// A ball of mass 1 that falls on a rigid floor without gravity, at steps x of its deepest overlap: the velocity after it over that before.
fn rebound(restitution: f64, x: f64, speed: f64, phase: f64) -> f64 {
    let young = 1e6;
    let stiffness = 4.0 / 3.0 * young / (1.0 - 0.0625);
    let deepest = (1.25 * speed * speed / stiffness).powf(0.4);
    let dt = x / (1.5 * stiffness * deepest.sqrt()).sqrt();
    let mut s = column(1, bouncing(young, restitution), dt);
    s.gravity = Vector3::zeros();
    s.solver.tolerance = 1e-14;
    s.bodies[0].position[2] = 1.0 + phase * speed * dt;
    s.bodies[0].velocity[2] = -speed;
    s.run((12.0 / x).ceil() as u64 + 3).velocity(0).z / speed
}

/// Restitution with Hertz's law, from two to a thousand steps a collision, at any speed. In short steps a dashpot gives it, to a step of its damping
/// at the deepest overlap, 2ζ√(5/6)x, and x²/8; in longer ones Newton's law, exactly.
#[test]
fn restitution_with_hertz_holds_at_any_time_step_and_speed() {
    for e in [1.0, 0.9, 0.5, 0.2] {
        for x in [0.004, 0.03, 0.1, 0.2999] {
            for (phase, speed) in [(0.05, 1.0), (0.35, 0.01), (0.65, 1.0), (0.95, 0.01)] {
                let off = (rebound(e, x, speed, phase) - e).abs();
                let allowed =
                    0.13 * x * x + 2.0 * (5.0 / 6.0_f64).sqrt() * Damping::of(e).ratio() * x * e;
                assert!(off <= allowed, "e {e}, x {x}, phase {phase}: {off}");
            }
        }
        for x in [0.31, 1.0, 2.0] {
            for phase in [0.05, 0.95] {
                let off = (rebound(e, x, 1.0, phase) - e).abs();
                assert!(off < 1e-12, "e {e}, x {x}, phase {phase}: {off}");
            }
        }
    }
}

/// Without loss the dashpot neither creates nor takes energy in a packing, as that of linear springs. At the overlap δ of 0.03 the stiffness is
/// 1e4; x is that of overlaps of 0.15, above all that there are.
#[test]
fn dashpots_without_loss_keep_the_energy_of_a_packing_by_hertz() {
    let (k, x): (f64, f64) = (1e4, 0.29);
    // Two equal balls of radius 1: K = (4/3) E/(2 (1 − ν²)) √(1/2).
    let stiffness = k / (1.5 * 0.03_f64.sqrt());
    let young = 1.5 * stiffness * (1.0 - 0.0625) / 0.5_f64.sqrt();
    let pair = Pair {
        hertz: Elasticity::of([[1.0 / young, 0.25]; 2]),
        restitution: 1.0,
        ..Pair::RIGID
    };
    let dt = x / (3.0 * stiffness * 0.15_f64.sqrt()).sqrt();
    keeps_its_energy(&packing(pair, dt), x);
}

/// A column at rest does not feel its dashpots: overlaps and energy are those of Hertz's law, with short steps and with long ones.
#[test]
fn dashpots_leave_a_column_by_hertz_at_rest_as_it_is() {
    let (young, weight) = (1e6, 10.0);
    for dt in [1e-3, 2e-2] {
        let pair = Pair {
            hertz: Elasticity::of([[1.0 / young, 0.25]; 2]),
            restitution: 0.3,
            ..Pair::coulomb(0.5)
        };
        let mut s = column(5, pair, dt);
        s.solver.tolerance = 1e-13;
        let five = s.run((20.0 / dt) as u64);
        // The floor is a ball without bend: R* is 1 there, 1/2 between balls.
        let modulus = young / (2.0 * (1.0 - 0.0625));
        let depths = (1..=5).map(|n| {
            let reduced: f64 = if n == 5 { 1.0 } else { 0.5 };
            let force = weight * f64::from(n);
            (
                force,
                (0.75 * force / (modulus * reduced.sqrt())).powf(2.0 / 3.0),
            )
        });
        let (mut expected, mut held) = (0.0, 0.0);
        for (force, depth) in depths {
            expected += depth;
            held += 0.4 * force * depth;
        }
        let sunk = 9.0 - five.position(4).z;
        assert!(
            (sunk / expected - 1.0).abs() < 1e-9,
            "dt {dt}: {sunk} {expected}"
        );
        let elastic = five.done.last().unwrap().elastic;
        assert!(
            (elastic / held - 1.0).abs() < 1e-8,
            "dt {dt}: {elastic} {held}"
        );
    }
}

/// A ball hits one that touches another at rest, faster than steps resolve: the second contact, which nothing closes before the step, sinks by less
/// than a resolved collision would, and no energy arises.
#[test]
fn a_struck_contact_holds() {
    let (young, x, speed) = (1e6, 30.0, 1e-3);
    let pair = Pair {
        hertz: Elasticity::of([[1.0 / young, 0.25]; 2]),
        restitution: 0.5,
        ..Pair::RIGID
    };
    // Two equal balls of radius 1 and mass 1: R* and m_n are 1/2.
    let stiffness = 4.0 / 3.0 * young / (2.0 * (1.0 - 0.0625)) * 0.5_f64.sqrt();
    let deepest = (1.25 * 0.5 * speed * speed / stiffness).powf(0.4);
    let dt = x / (3.0 * stiffness * deepest.sqrt()).sqrt();
    let mut s = Scene::new([-9.0; 3], [9.0; 3], dt);
    s.solver.tolerance = 1e-14;
    s.pair = Some(pair);
    for at in [-2.0 - 0.5 * speed * dt, 0.0, 2.0] {
        s.sphere([at, 0.0, 0.0], 1.0, 1.0);
    }
    s.bodies[0].velocity[0] = speed;
    let (mut sunk, mut state) = (0.0, s.run(1));
    for _ in 0..5 {
        let velocities = [0, 1, 2].map(|i| state.velocity(i).x);
        let energy: f64 = velocities.iter().map(|v| 0.5 * v * v).sum();
        let elastic = state.done.last().unwrap().elastic;
        assert!(energy + elastic <= 0.5 * speed * speed * (1.0 + 1e-12));
        assert!((velocities.iter().sum::<f64>() / speed - 1.0).abs() < 1e-9);
        sunk = f64::max(sunk, 2.0 - (state.position(2).x - state.position(1).x));
        state = next(&s, &state).run(1);
    }
    assert!(sunk > 0.0 && sunk < deepest, "{}", sunk / deepest);
}
