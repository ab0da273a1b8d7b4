//! Validation D5 and the exact solutions of a free rigid body.

use super::*;
use crate::math::IDENTITY;
use crate::rng::{Purpose, Stream};

fn vector(draw: &mut Stream) -> Vector3 {
    Vector3::from([0; 3].map(|_| draw.between(-1.0, 1.0)))
}

/// An orientation, valid principal moments, and an angular momentum for about 1 rad/s.
fn any(trial: u64) -> (Quaternion, [f64; 3], Vector3) {
    let mut draw = Stream::new(Purpose::Trial, 81, [trial, 0, 0]);
    let q = rotate(IDENTITY, &(vector(&mut draw) * 3.0));
    let squares = [0; 3].map(|_| draw.between(0.1, 1.0));
    let moments = [0, 1, 2].map(|k| squares.iter().sum::<f64>() - squares[k]);
    let momentum = angular_momentum(q, moments, &vector(&mut draw).normalize());
    (q, moments, momentum)
}

fn energy(q: Quaternion, moments: [f64; 3], momentum: &Vector3) -> f64 {
    0.5 * momentum.dot(&angular_velocity(q, moments, momentum))
}

/// `I ω = L` and `I⁻¹ L = ω`, with the tensor and without it.
#[test]
fn velocity_momentum_and_tensor_agree() {
    for trial in 0..100 {
        let (q, moments, momentum) = any(trial);
        let w = angular_velocity(q, moments, &momentum);
        assert!((w.norm() - 1.0).abs() < 1e-14);
        assert!((angular_momentum(q, moments, &w) - momentum).norm() < 1e-14);
        let inverse = inverse_inertia(q, moments);
        assert!((inverse * momentum - w).norm() < 1e-14);
        assert_eq!(inverse, inverse.transpose());
    }
}

/// D5: over 10 000 steps with ω Δt = 0.01 momentum and energy are kept without drift.
///
/// The momentum that follows from the orientation keeps its magnitude to 1e-14, and the energy
/// stays within 2e-6, at the end as at the start.
#[test]
fn d5_momentum_and_energy_of_a_free_body() {
    for trial in 0..20 {
        let (mut q, moments, momentum) = any(trial);
        let start = energy(q, moments, &momentum);
        let mut most = [0.0_f64; 2];
        for step in 0..10_000 {
            q = advance(q, moments, &momentum, 0.01);
            let own = into_body(q, &momentum).norm() / momentum.norm();
            assert!((own - 1.0).abs() < 1e-14, "{trial}: {own}");
            let error = (energy(q, moments, &momentum) / start - 1.0).abs();
            let half = usize::from(step >= 5000);
            most[half] = most[half].max(error);
        }
        assert!(most[0] < 2e-6 && most[1] < 2e-6, "{trial}: {most:?}");
        assert!(most[1] < 1.5 * most[0] + 1e-12, "{trial}: {most:?}");
    }
}

/// The method is symmetric and of second order.
///
/// A step forth and back ends where it began; the difference between two half steps and a whole one
/// is of third order, and finer steps differ less.
#[test]
fn the_method_is_symmetric_and_of_second_order() {
    let (q, moments, momentum) = any(3);
    let back = advance(
        advance(q, moments, &momentum, 0.1),
        moments,
        &momentum,
        -0.1,
    );
    assert!((0..4).all(|k| (back[k] - q[k]).abs() < 1e-15));
    let end = |steps: u32| {
        let dt = 1.0 / f64::from(steps);
        (0..steps).fold(q, |q, _| advance(q, moments, &momentum, dt))
    };
    let finest = end(4096);
    let error = |steps| {
        let q = end(steps);
        (0..4).map(|k| (q[k] - finest[k]).abs()).fold(0.0, f64::max)
    };
    for steps in [16, 32, 64] {
        let ratio = error(steps) / error(2 * steps);
        assert!((3.8..4.2).contains(&ratio), "{steps}: {ratio}");
    }
}

/// A body whose moments are all equal turns as a ball does.
#[test]
fn equal_moments_turn_as_a_ball() {
    for trial in 0..20 {
        let (start, _, momentum) = any(trial);
        let (mut q, mut ball) = (start, start);
        for _ in 0..1000 {
            q = advance(q, [0.3; 3], &momentum, 0.01);
            let w = angular_velocity(q, [0.3; 3], &momentum);
            assert!((w - momentum / 0.3).norm() < 1e-14 * w.norm());
            ball = rotate(ball, &(momentum / 0.3 * 0.01));
        }
        assert!((0..4).all(|k| (q[k] - ball[k]).abs() < 1e-14 * 10.0));
        let (once, of_ball) = (
            advance(start, [0.3; 3], &momentum, 0.01),
            rotate(start, &(momentum / 0.3 * 0.01)),
        );
        assert!((0..4).all(|k| (once[k] - of_ball[k]).abs() < 1e-15));
    }
}

/// A body of revolution, such as a dumbbell, precesses exactly, for any step.
///
/// Its axis precesses about L with `|L|/I`; and the body spins about its axis with
/// `L_3 (1/I_3 − 1/I)`.
#[test]
fn a_body_of_revolution_precesses_exactly() {
    for (axis, moments) in [[0.4, 1.0, 1.0], [1.0, 0.4, 1.0], [0.9, 0.9, 1.7]]
        .into_iter()
        .enumerate()
    {
        let mut e = Vector3::zeros();
        e[axis] = 1.0;
        let across = moments[(axis + 1) % 3];
        let (start, _, momentum) = any(axis as u64);
        let dt = 0.5; // Half a radian per step.
        let mut q = start;
        for step in 1..=40 {
            q = advance(q, moments, &momentum, dt);
            let t = f64::from(step) * dt;
            let round = rotate(IDENTITY, &(momentum * (t / across)));
            let expected = turned(round, &turned(start, &e));
            assert!((turned(q, &e) - expected).norm() < 1e-13);
            let spin = into_body(start, &momentum)[axis] * (1.0 / moments[axis] - 1.0 / across);
            let mark = turned_about_own_axis(start, axis, spin * t);
            let mut other = Vector3::zeros();
            other[(axis + 1) % 3] = 1.0;
            let expected = turned(round, &turned(mark, &other));
            assert!((turned(q, &other) - expected).norm() < 1e-13);
        }
    }
}

/// The complete elliptic integral of the first kind, by the arithmetic-geometric mean; `m = k²`.
fn quarter_period(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    while a - b > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// D5: a body that spins almost about its middle axis flips over and over.
///
/// The component of L along this axis changes its sign every `2 K(m)/p`, by Jacobi's solution of
/// Euler's equations.
#[test]
fn d5_the_intermediate_axis_flips_with_jacobis_period() {
    let moments = [1.0, 2.0, 3.0];
    let w = Vector3::new(1e-3, 1.0, 1e-3);
    let momentum = angular_momentum(IDENTITY, moments, &w);
    let (twice_energy, square) = (
        2.0 * energy(IDENTITY, moments, &momentum),
        momentum.norm_squared(),
    );
    let [a, b, c] = moments;
    // Landau and Lifshitz, Mechanics, § 37, for L² > 2 E I_2, else with 1 and 3 exchanged.
    let (a, c) = if square > twice_energy * b {
        (a, c)
    } else {
        (c, a)
    };
    let rate = ((c - b) * (square - twice_energy * a) / (a * b * c)).sqrt();
    let m = (b - a) * (twice_energy * c - square) / ((c - b) * (square - twice_energy * a));
    let half_period = 2.0 * quarter_period(m) / rate;
    let measured = |dt: f64| {
        let (mut q, mut before, mut flips) = (IDENTITY, momentum[1], Vec::new());
        for step in 1..(6.0 * half_period / dt) as u32 {
            q = advance(q, moments, &momentum, dt);
            let along = into_body(q, &momentum)[1];
            if along * before < 0.0 {
                flips.push(dt * (f64::from(step) - along / (along - before)));
            }
            before = along;
        }
        assert!(flips.len() >= 5, "{flips:?}");
        (flips[4] - flips[0]) / 4.0
    };
    let errors = [0.02, 0.01].map(|dt| (measured(dt) / half_period - 1.0).abs());
    assert!(
        errors[0] < 1e-3 && errors[1] < 2.5e-4,
        "{errors:?}, {half_period}"
    );
    assert!(
        errors[0] > 2.0 * errors[1] || errors[0] < 1e-6,
        "{errors:?}"
    );
}
