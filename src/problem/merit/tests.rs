use super::*;
use crate::problem::Delassus;
use crate::rng::{Purpose, Stream};

fn problem(dimension: usize, w: &[f64], q: &[f64], friction: &[f64], rolling: &[f64]) -> Problem {
    let size = q.len();
    let entries = w.iter().enumerate().map(|(k, x)| (k / size, k % size, *x));
    let problem = Problem {
        matrix: Delassus::from_entries(dimension, friction.len(), entries).unwrap(),
        q: q.to_vec(),
        friction: friction.to_vec(),
        rolling: rolling.to_vec(),
    };
    assert_eq!(problem.fault(), None);
    problem
}

/// Three contacts with integer data, against another program (NumPy, dense, `natmap` and
/// `fclib_merit1` as in FCLib's C code).
#[test]
fn as_another_program_has_it() {
    let mut w = vec![0.0; 81];
    for (k, x) in w.iter_mut().enumerate() {
        let (i, j) = (k / 9, k % 9);
        *x = (((7 * i + 3 * j + i * j) % 11) as f64 - 5.0) / 40.0;
        if i == j {
            *x += 2.0;
        }
    }
    let q: Vec<f64> = (0..9)
        .map(|i| (f64::from((5 * i) % 7) - 4.0) / 3.0)
        .collect();
    let r: Vec<f64> = (0..9)
        .map(|i| (f64::from((4 * i) % 9) - 2.0) / 4.0)
        .collect();
    let problem = problem(3, &w, &q, &[0.3, 0.8, 0.0], &[]);
    let expected = [
        0.580_523_710_627_961,
        1.279_240_859_870_161_7,
        0.965_425_901_337_594,
    ];
    let found = [
        siconos_error(&problem, &r),
        fclib_merit(&problem, &r),
        residual(&problem, &r),
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
}

/// All measures are zero at solutions found by hand.
///
/// The contacts open, stick, slide, roll.
#[test]
fn solutions_have_none() {
    let identity = |d: usize| -> Vec<f64> {
        (0..d * d)
            .map(|k| if k % (d + 1) == 0 { 2.0 } else { 0.0 })
            .collect()
    };
    let cases: [(&[f64], &[f64], f64, f64); 8] = [
        (&[0.5, -1.0], &[0.0, 0.0], 0.5, 0.0),
        (&[-2.0, 0.5], &[1.0, -0.25], 0.5, 0.0),
        (&[-2.0, 4.0], &[1.0, -0.5], 0.5, 0.0),
        (&[0.0, 3.0, 4.0], &[0.0, 0.0, 0.0], 0.5, 0.0),
        (&[-2.0, 0.3, 0.4], &[1.0, -0.15, -0.2], 0.5, 0.0),
        (&[-2.0, 3.0, 4.0], &[1.0, -0.3, -0.4], 0.5, 0.0),
        // Slides and rolls.
        (
            &[-2.0, 3.0, 4.0, 0.0, 2.0],
            &[1.0, -0.3, -0.4, 0.0, -0.125],
            0.5,
            0.125,
        ),
        // Sticks and rolls.
        (
            &[-2.0, 0.3, 0.4, 0.0, 2.0],
            &[1.0, -0.15, -0.2, 0.0, -0.125],
            0.5,
            0.125,
        ),
    ];
    for (q, r, mu, rolling) in cases {
        let d = q.len();
        let rolling = if d == 5 { vec![rolling] } else { vec![] };
        let problem = problem(d, &identity(d), q, &[mu], &rolling);
        for measure in [siconos_error, fclib_merit, residual] {
            let zero = measure(&problem, r);
            assert!(zero < 1e-15, "{q:?}: {zero:e}");
            let mut off = r.to_vec();
            off[0] += 1e-3;
            assert!(measure(&problem, &off) > 1e-5, "{q:?}");
        }
    }
}

/// The residual is the same in other units of mass and of velocity.
///
/// Mass: impulses and 1/W times s; velocity: impulses, velocities, q times s.
#[test]
fn the_residual_is_free_of_units() {
    let mut draw = Stream::new(Purpose::Trial, 72, [0, 0, 0]);
    for d in [1, 2, 3, 5] {
        let n = 4;
        let mut numbers =
            |count: usize| -> Vec<f64> { (0..count).map(|_| draw.between(-1.0, 1.0)).collect() };
        let (w, q, r) = (numbers(n * n * d * d), numbers(n * d), numbers(n * d));
        let rolling = if d == 5 { vec![0.3; n] } else { vec![] };
        let of = |mass: f64, velocity: f64| {
            let scaled = |x: &[f64], s: f64| -> Vec<f64> { x.iter().map(|x| x * s).collect() };
            let problem = problem(
                d,
                &scaled(&w, 1.0 / mass),
                &scaled(&q, velocity),
                &[0.6; 4],
                &rolling,
            );
            residual(&problem, &scaled(&r, mass * velocity))
        };
        let one = of(1.0, 1.0);
        assert!(one > 0.1 && one < 100.0);
        for (mass, velocity) in [(1e6, 1.0), (1e-6, 1e3), (1.0, 1e-9)] {
            let other = of(mass, velocity);
            assert!((other / one - 1.0).abs() < 1e-12, "{d}: {one} {other}");
        }
    }
}

#[test]
fn the_norm_of_a_block_is_its_largest_singular_value() {
    let mut worst = 0.0f64;
    for trial in 0..3000 {
        let mut draw = Stream::new(Purpose::Trial, 73, [trial, 0, 0]);
        let d = [1, 2, 3, 5][draw.below(4) as usize];
        let scale = libm::exp(draw.between(-60.0, 60.0));
        let a: Vec<f64> = (0..d * d)
            .map(|_| scale * draw.between(-1.0, 1.0))
            .collect();
        let exact = nalgebra::DMatrix::from_row_slice(d, d, &a)
            .singular_values()
            .max();
        worst = worst.max((spectral_norm(&a, d) / exact - 1.0).abs());
    }
    // An error occurs only where two singular values nearly agree.
    assert!(worst < 1e-4, "{worst:e}");
    let mut identity = [0.0; 25];
    identity.iter_mut().step_by(6).for_each(|x| *x = 3.0);
    assert!((spectral_norm(&identity, 5) - 3.0).abs() < 1e-15);
    assert_eq!(spectral_norm(&[0.0; 9], 3), 0.0);
}

#[test]
fn nan_is_not_swallowed() {
    let problem = problem(
        3,
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        &[-1.0; 3],
        &[0.5],
        &[],
    );
    for at in 0..3 {
        let mut r = [0.5; 3];
        r[at] = f64::NAN;
        for measure in [siconos_error, fclib_merit, residual] {
            assert!(measure(&problem, &r).is_nan());
        }
    }
    assert!(siconos_error(&problem, &[f64::INFINITY, 0.0, 0.0]).is_nan());
}
