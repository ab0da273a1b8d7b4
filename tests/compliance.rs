//! Compliant contacts against formulas: springs taken implicitly.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "compliance/hertz.rs"]
mod hertz;
mod scene;

use moreau::body::BodyId;
use moreau::law::{Arm, Damping, Pair};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use scene::Scene;

fn spring(stiffness: f64, friction: f64) -> Pair {
    Pair {
        compliance: 1.0 / stiffness,
        ..Pair::coulomb(friction)
    }
}

/// Balls of radius 1 and mass 1 in a column on the floor, under gravity 10 m/s².
fn column(n: usize, pair: Pair, dt: f64) -> Scene {
    let mut s = Scene::new([-2.0, -2.0, -1.0], [2.0, 2.0, 2.0 * n as f64 + 2.0], dt);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    for k in 0..n {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * k as f64], 1.0, 1.0);
    }
    s.pair = Some(pair);
    s
}

/// F3: on the floor a sphere sinks by m g/k, exactly, and stays; in a column the overlaps add up, the top settles by
/// W N (N + 1)/(2k).
#[test]
fn f3_overlaps_are_those_of_springs() {
    let (k, weight) = (1e4, 10.0);
    let one = column(1, spring(k, 0.5), 0.01).run(2000);
    assert!((1.0 - one.position(0).z - weight / k).abs() < 1e-15 + 1e-12 * weight / k);
    assert!(one.velocity(0).norm() < 1e-13);
    let mut s = column(10, spring(k, 0.5), 0.01);
    s.solver.tolerance = 1e-13;
    let ten = s.run(4000);
    let sunk = 19.0 + 1e-15 - ten.position(9).z;
    let expected = weight * 10.0 * 11.0 / (2.0 * k);
    assert!((sunk / expected - 1.0).abs() < 1e-10, "{sunk} {expected}");
    // Two materials, or a modulus: each side adds 1/(2 E r), so that equal radii have k = E r.
    let young = Pair {
        inverse_young: [1.0 / 1e4; 2],
        ..Pair::RIGID
    };
    let one = column(1, young, 0.01).run(2000);
    assert!((1.0 - one.position(0).z - weight / 1e4).abs() < 1e-14);
}

/// One contact is an oscillator taken by implicit Euler: z″ = −(k/m) z becomes v₁ = (v₀ − Δt ω² z₀)/(1 + ω²Δt²), z₁ = z₀ + Δt v₁:
/// in each step the same frequency and the same damping, atan(ωΔt)/Δt and ln(1 + ω²Δt²)/(2Δt).
#[test]
fn one_contact_oscillates_as_implicit_euler_says() {
    let (k, dt) = (400.0, 0.01);
    let omega2: f64 = k;
    let mut s = column(1, spring(k, 0.0), dt);
    // Pressed so deep that it never opens: about the equilibrium at a depth of g/ω².
    let deep = 10.0 / omega2;
    s.bodies[0].position[2] = 1.0 - 1.5 * deep;
    for steps in [1, 2, 5, 40] {
        let state = s.run(steps);
        let (mut z, mut v) = (-0.5 * deep, 0.0);
        for _ in 0..steps {
            v = (v - dt * omega2 * z) / (1.0 + omega2 * dt * dt);
            z += dt * v;
        }
        assert!(
            (state.position(0).z - (1.0 - deep) - z).abs() < 1e-14,
            "step {steps}"
        );
        assert!((state.velocity(0).z - v).abs() < 1e-12);
        // The closed form: eigenvalues (1 ± iωΔt)/(1 + ω²Δt²) = exp(−rate ± i turn) of that step, started from rest.
        let (omega, n) = (omega2.sqrt(), steps as f64);
        let (rate, turn) = ((1.0 + omega2 * dt * dt).ln() / 2.0, (omega * dt).atan());
        let amplitude = -0.5 * deep * (-rate * n).exp();
        let closed = -omega * amplitude * (turn * n).sin();
        assert!((v - closed).abs() < 1e-12, "{v} {closed}");
    }
}

/// A block (a ball that may not roll) on an incline at 0.99 of the friction limit moves into its springs once and then creeps by
/// nothing, over 10⁵ steps; at 1.01 it slides.
#[test]
fn a_block_at_0_99_of_the_limit_does_not_creep() {
    let block = |slope: f64, steps: u64| {
        let pair = Pair {
            rolling: Arm::Length(1e9),
            ..spring(1e4, 0.5)
        };
        let mut s = column(1, pair, 1e-3);
        s.upper.x = 50.0;
        s.gravity = Vector3::new(slope, 0.0, -1.0) * 10.0;
        s.bodies[0].position[2] = 1.0 - 10.0 / 1e4;
        s.run(steps)
    };
    let (early, late) = (block(0.495, 20_000), block(0.495, 120_000));
    // The load comes on at once, so it slides a little at first; then its spring carries all of it.
    let held = early.impulse(BodyId(0), BodyId::FIRST_WALL).x / 1e-3;
    assert!((held.abs() - 4.95).abs() < 1e-11, "{held}");
    assert!((late.position(0).x - early.position(0).x).abs() < 1e-15);
    assert!(late.velocity(0).norm() < 1e-15);
    assert!(block(0.505, 2000).position(0).x > 0.05);
}

/// c → 0 tends to the rigid answer: the forces of A10's column are the same at any stiffness, and the overlap falls with it.
#[test]
fn stiff_contacts_tend_to_rigid_ones() {
    let mut overlaps = Vec::new();
    for k in [1e4, 1e6, 1e8] {
        let mut s = column(5, spring(k, 0.3), 0.01);
        s.solver.tolerance = 1e-13;
        let state = s.run(1500);
        for j in 0..5_u64 {
            let (a, b) = if j == 0 {
                (0, BodyId::FIRST_WALL)
            } else {
                (j - 1, BodyId(j))
            };
            let force = state.impulse(BodyId(a), b).z.abs() / 0.01;
            assert!(
                (force - 10.0 * (5 - j) as f64).abs() < 1e-7,
                "k {k}, contact {j}: {force}"
            );
        }
        overlaps.push(-state.contacts.iter().map(|c| c.gap).fold(0.0, f64::min));
    }
    assert!(
        (overlaps[0] / overlaps[1] - 100.0).abs() < 0.1
            && (overlaps[1] / overlaps[2] - 100.0).abs() < 0.1
    );
}

/// The springs' energy is in the ledger: ½ F²/k in each contact, and what friction did not take.
#[test]
fn springs_hold_the_energy_they_should() {
    let k = 1e4;
    let mut s = column(3, spring(k, 0.3), 0.01);
    s.solver.tolerance = 1e-13;
    let state = s.run(3000);
    let expected: f64 = [10.0_f64, 20.0, 30.0].iter().map(|f| 0.5 * f * f / k).sum();
    let elastic = state.done.last().unwrap().elastic;
    assert!(
        (elastic / expected - 1.0).abs() < 1e-9,
        "{elastic} {expected}"
    );
}

/// A collision of two balls of mass 1 and 3 with springs, at steps of x/ω: the relative velocity after it.
fn rebound(restitution: f64, x: f64, phase: f64) -> f64 {
    let (k, reduced): (f64, f64) = (1e4, 0.75);
    let dt = x / (k / reduced).sqrt();
    let mut s = Scene::new([-9.0; 3], [9.0; 3], dt);
    s.solver.tolerance = 1e-14;
    // Less than the speed at which a step is as long as the balls are wide.
    let speed = f64::min(1.0, 0.1 / dt);
    s.pair = Some(Pair {
        restitution,
        ..spring(k, 0.3)
    });
    s.sphere([-1.0 - phase * speed * dt, 0.0, 0.0], 1.0, 1.0);
    s.sphere([1.0, 0.0, 0.0], 1.0, 3.0);
    s.bodies[0].velocity[0] = speed;
    let steps = (8.0 / x).ceil() as u64 + 3;
    let state = s.run(steps);
    let [a, b] = [0, 1].map(|i| state.velocity(i).x);
    assert!((a + 3.0 * b - speed).abs() < 1e-12 * speed, "momentum");
    (b - a) / speed
}

/// Restitution with springs, from a hundredth to a thousand steps a collision. In steps of x/ω ≤ 0.3 a dashpot gives it: the start
/// and the end of a collision within a step cost x²/4 of the energy each, and half a step of damping ζx. In longer steps Newton's law gives
/// it exactly.
#[test]
fn restitution_with_springs_holds_at_any_time_step() {
    for e in [1.0, 0.9, 0.5, 0.2] {
        for x in [0.003, 0.03, 0.1, 0.29] {
            for phase in [0.05, 0.35, 0.65, 0.95] {
                let off = (rebound(e, x, phase) - e).abs();
                let allowed = 0.13 * x * x + Damping::of(e).ratio() * x * e;
                assert!(off <= allowed, "e {e}, x {x}, phase {phase}: {off}");
            }
        }
        for x in [0.31, 1.0, 30.0, 300.0] {
            for phase in [0.05, 0.95] {
                let off = (rebound(e, x, phase) - e).abs();
                assert!(off < 1e-12, "e {e}, x {x}, phase {phase}: {off}");
            }
        }
    }
}

/// Dashpots that take back the scheme's damping neither create nor take energy, also where each ball has many contacts and the steps
/// are as long as they may be: 108 balls without friction in closest packing, pressed together in a periodic box and thrown about,
/// with restitution 1.
///
/// Steps then are those of symplectic Euler. At their ends the energy of a swing with ω differs from the conserved one by up to ωΔt/2
/// of it. With k, a reduced mass of m/2 and twelve contacts ω² ≤ 8k/m, so ωΔt ≤ 2x. Means over many swings have lost that; they agree to the next order, x²/4.
#[test]
fn dashpots_without_loss_keep_the_energy_of_a_packing() {
    let (k, x): (f64, f64) = (1e4, 0.29);
    let pair = Pair {
        restitution: 1.0,
        ..spring(k, 0.0)
    };
    keeps_its_energy(&packing(pair, x / (2.0 * k).sqrt()), x);
}

/// 108 balls in closest packing, pressed together in a periodic box, with random velocities.
fn packing(pair: Pair, dt: f64) -> Scene {
    let edge = 1.97 * 2.0_f64.sqrt();
    let mut s = Scene::new([0.0; 3], [3.0 * edge; 3], dt);
    s.periodic = [true; 3];
    s.solver.tolerance = 1e-8;
    s.pair = Some(pair);
    for n in 0..108_u64 {
        let mut draw = Stream::new(Purpose::Trial, 93, [n, 0, 0]);
        let (cell, base) = (
            n / 4,
            [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]][(n % 4) as usize],
        );
        let cell = [cell % 3, cell / 3 % 3, cell / 9];
        let site = [0, 1, 2].map(|k| (cell[k] as f64 + 0.5 * f64::from(base[k]) + 0.25) * edge);
        let i = s.sphere(site.map(|at| at + draw.between(-0.02, 0.02)), 1.0, 1.0);
        s.bodies[i].velocity = [0; 3].map(|_| draw.between(-1.0, 1.0));
    }
    s
}

/// The energy of motion and springs of a packing stays within a share x of that of its swings in each step, and its means within x²/4.
fn keeps_its_energy(packing: &Scene, x: f64) {
    let state = packing.run(3000);
    assert!(state.all_converged());
    let energy: Vec<f64> = state
        .done
        .iter()
        .map(|d| d.translational_energy + d.elastic)
        .collect();
    assert!(energy.iter().all(|e| e.is_finite()));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = energy.chunks(300).map(mean).collect();
    let kinetic: Vec<f64> = state.done.iter().map(|d| d.translational_energy).collect();
    // As much is in the swings of the springs.
    let swings = 2.0 * mean(&kinetic[300..]);
    for e in &energy[300..] {
        assert!((e - means[1]).abs() <= x * swings, "{e} about {means:?}");
    }
    for e in &means[1..] {
        let off = (e - means[1]).abs();
        assert!(off <= 0.25 * x * x * swings, "{swings}, {means:?}");
    }
    let last = state.contacts.iter().filter(|c| c.status != 0).count();
    assert!(last > 500, "{last} contacts");
}

/// A packing at rest does not feel its dashpots: overlaps are those of the springs, with short steps and with long ones.
#[test]
fn dashpots_leave_a_column_at_rest_as_it_is() {
    let (k, weight) = (1e4, 10.0);
    for dt in [0.001, 0.02] {
        let pair = Pair {
            restitution: 0.3,
            ..spring(k, 0.5)
        };
        let mut s = column(5, pair, dt);
        s.solver.tolerance = 1e-13;
        let five = s.run((20.0 / dt) as u64);
        let sunk = 9.0 - five.position(4).z;
        let expected = weight * 15.0 / k;
        assert!((sunk / expected - 1.0).abs() < 1e-9, "dt {dt}: {sunk}");
        let elastic = five.done.last().unwrap().elastic;
        let held: f64 = (1..=5)
            .map(|n| 0.5 * (10.0 * f64::from(n)).powi(2) / k)
            .sum();
        assert!((elastic / held - 1.0).abs() < 1e-8, "dt {dt}: {elastic}");
    }
}
