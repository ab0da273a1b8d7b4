use super::equations::Equations;
use super::*;
use crate::law::cone;
use crate::math::norm;
use crate::rng::{Purpose, Stream};

mod frictionless;

fn random(draw: &mut Stream) -> [f64; 3] {
    [0; 3].map(|_| draw.between(-1.0, 1.0))
}

/// Contacts among free bodies, two bodies each, as `W = H M⁻¹ Hᵀ`.
///
/// With more rows than degrees of freedom of the bodies, W has less than full rank. The free
/// velocities come from velocities of the bodies, so that a solution exists.
fn packing(key: u64, d: usize, contacts: usize, bodies: usize) -> Problem {
    let mut draw = Stream::new(Purpose::Trial, 76, [key, d as u64, 0]);
    let mut pairs = Vec::new();
    for c in 0..contacts {
        let a = c % bodies;
        let b = (a + 1 + draw.below(bodies as u32 - 1) as usize) % bodies;
        // One row of d numbers for each body; six degrees of freedom.
        let mut rows = |sign: f64| -> Vec<[f64; 6]> {
            (0..d)
                .map(|_| {
                    let (v, w) = (random(&mut draw), random(&mut draw));
                    [v[0], v[1], v[2], w[0], w[1], w[2]].map(|x| sign * x)
                })
                .collect()
        };
        pairs.push((a, rows(-1.0), b, rows(1.0)));
    }
    let motion: Vec<[f64; 6]> = (0..bodies)
        .map(|_| {
            let (v, w) = (random(&mut draw), random(&mut draw));
            [v[0], v[1], v[2], w[0], w[1], w[2]]
        })
        .collect();
    let dot = |x: &[f64; 6], y: &[f64; 6]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let mut entries = Vec::new();
    let mut q = Vec::new();
    for (i, (a, on_a, b, on_b)) in pairs.iter().enumerate() {
        for k in 0..d {
            q.push(dot(&on_a[k], &motion[*a]) + dot(&on_b[k], &motion[*b]));
            for (j, (c, on_c, e, on_e)) in pairs.iter().enumerate() {
                for l in 0..d {
                    let mut x = 0.0;
                    for (body, mine) in [(a, on_a), (b, on_b)] {
                        for (other, its) in [(c, on_c), (e, on_e)] {
                            if body == other {
                                x += dot(&mine[k], &its[l]);
                            }
                        }
                    }
                    if x != 0.0 {
                        entries.push((d * i + k, d * j + l, x));
                    }
                }
            }
        }
    }
    let problem = Problem {
        matrix: Delassus::from_entries(d, contacts, entries).unwrap(),
        q,
        friction: (0..contacts).map(|_| draw.between(0.0, 1.0)).collect(),
        rolling: if d == 5 { vec![0.2; contacts] } else { vec![] },
    };
    assert_eq!(problem.fault(), None);
    problem
}

fn settings(method: Method) -> Settings {
    Settings {
        tolerance: 1e-10,
        max_sweeps: 20_000,
        method,
        ..Settings::default()
    }
}

/// Checks that the solution satisfies the law contact by contact, independent of the method and of
/// the solver's measures.
fn check(problem: &Problem, solution: &Solution, tolerance: f64) {
    assert!(solution.finite, "{:?}", solution.log);
    assert!(
        solution.error <= tolerance,
        "{:e} {:?}",
        solution.error,
        solution.log
    );
    let d = problem.matrix.dimension;
    let mut u = vec![0.0; problem.q.len()];
    problem.matrix.apply(&solution.impulse, &problem.q, &mut u);
    assert_eq!(u, solution.velocity);
    let scale = norm(&problem.q).max(norm(&solution.impulse));
    let slack = 10.0 * tolerance * scale;
    for (i, (r, u)) in solution.impulse.chunks(d).zip(u.chunks(d)).enumerate() {
        let [mu, rolling] = problem.coefficients(i);
        assert!(r[0] >= 0.0 && u[0] >= -slack, "{i} {r:?} {u:?}");
        assert!(r[0].min(u[0]) <= slack, "{i} {r:?} {u:?}");
        for (part, mu) in [(1..d.min(3), mu), (d.min(3)..d, rolling)] {
            let (r_t, u_t) = (&r[part.clone()], &u[part]);
            assert!(norm(r_t) <= mu * r[0] + slack);
            // Work against friction: μ r_N |u_T|.
            let work: f64 = r_t.iter().zip(u_t).map(|(r, u)| r * u).sum();
            let most = mu * r[0] * norm(u_t);
            let sizes = (1.0 + mu) * (1.0 + norm(r) + norm(u_t));
            assert!((work + most).abs() <= slack * sizes, "{i} {r:?} {u_t:?}");
        }
    }
}

#[test]
fn packings_of_all_dimensions() {
    for (key, d, contacts, bodies) in [
        (1, 2, 30, 12),
        (2, 3, 20, 12),
        (3, 3, 40, 12),
        (4, 5, 10, 8),
        (5, 2, 1, 2),
        (6, 3, 1, 2),
        (7, 5, 1, 2),
    ] {
        let problem = packing(key, d, contacts, bodies);
        for method in [Method::Auto, Method::Proximal, Method::Smoothing] {
            let solution = solve(&problem, None, &settings(method));
            check(&problem, &solution, 1e-10);
        }
    }
}

/// Sweeps and Newton's method find the same impulses where these are unique: W of full rank.
#[test]
fn both_ways_lead_to_one_answer() {
    for (d, key) in [(2, 11), (3, 12), (5, 13)] {
        let problem = packing(key, d, 6, 12);
        let [a, b, c] = [Method::Nsgs, Method::Proximal, Method::Smoothing].map(|method| {
            let tight = Settings {
                tolerance: 1e-13,
                ..settings(method)
            };
            solve(&problem, None, &tight).impulse
        });
        for b in [b, c] {
            let far: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let (far, size) = (norm(&far), norm(&a));
            assert!(size > 0.1 && far < 1e-9 * size, "{d}: {far:e} of {size}");
        }
    }
}

/// A block on a plane, supported at four corners and pushed from the side.
///
/// r_N sums to the weight, and friction to the push or μ times the weight.
#[test]
fn a_block_on_four_corners() {
    for push in [0.3, 0.9] {
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        // Normal z, tangents x and y, one metre below the centre; mass 1, inertia 1.
        let row = |c: [f64; 2], k: usize| -> [f64; 6] {
            let arm = [c[0], c[1], -0.2];
            match k {
                0 => [0.0, 0.0, 1.0, arm[1], -arm[0], 0.0],
                1 => [1.0, 0.0, 0.0, 0.0, arm[2], -arm[1]],
                _ => [0.0, 1.0, 0.0, -arm[2], 0.0, arm[0]],
            }
        };
        let mut entries = Vec::new();
        let mut q = Vec::new();
        for i in 0..12 {
            let a = row(corners[i / 3], i % 3);
            q.push(-a[2] + push * a[0]);
            for j in 0..12 {
                let b = row(corners[j / 3], j % 3);
                entries.push((i, j, (0..6).map(|k| a[k] * b[k]).sum()));
            }
        }
        let problem = Problem {
            matrix: Delassus::from_entries(3, 4, entries).unwrap(),
            q,
            friction: vec![0.5; 4],
            rolling: vec![],
        };
        for method in [
            Method::Auto,
            Method::Nsgs,
            Method::Proximal,
            Method::Smoothing,
        ] {
            let solution = solve(&problem, None, &settings(method));
            check(&problem, &solution, 1e-10);
            let sum = |k: usize| solution.impulse.iter().skip(k).step_by(3).sum::<f64>();
            assert!((sum(0) - 1.0).abs() < 1e-8, "{push}: {}", sum(0));
            assert!((sum(1) + push.min(0.5)).abs() < 1e-8, "{push}: {}", sum(1));
        }
    }
}

/// In units with tiny numbers nothing is mistaken for zero.
#[test]
fn badly_scaled_data_are_not_eaten() {
    let problem = packing(21, 3, 12, 8);
    for scale in [1e-20, 1.0, 1e20] {
        let mut scaled = problem.clone();
        scaled.q.iter_mut().for_each(|x| *x *= scale);
        // Siconos' error is absolute for sizes below 2.2e-16, where it is meaningless.
        let tight = Settings {
            tolerance: if scale < 1.0 { 1e-12 * scale } else { 1e-12 },
            ..settings(Method::Auto)
        };
        let solution = solve(&scaled, None, &tight);
        assert!(solution.residual < 1e-9, "{scale}: {:e}", solution.residual);
        assert!(norm(&solution.impulse) > 0.1 * scale);
    }
}

/// With a tolerance below rounding every method ends when its time is up.
#[test]
fn every_method_keeps_to_its_time() {
    let rough = packing(33, 3, 10, 8);
    let smooth = packing(33, 1, 10, 8);
    for (method, problem) in [
        (Method::Auto, &rough),
        (Method::Nsgs, &rough),
        (Method::Proximal, &rough),
        (Method::Smoothing, &rough),
        (Method::Auto, &smooth),
        (Method::Interior, &smooth),
    ] {
        let short = Settings {
            tolerance: 1e-30,
            max_seconds: 0.2,
            method,
            ..Settings::default()
        };
        let begin = std::time::Instant::now();
        let solution = solve(problem, None, &short);
        assert!(solution.finite && solution.error < 1e-6, "{solution:?}");
        // A hundred times as long, for a busy machine; without a limit the solve would never end.
        assert!(begin.elapsed().as_secs() < 20, "{:?}", solution.log.len());
        assert!(solution.log.len() < 10_000);
    }
}

/// The result is always finite.
///
/// Cases: contacts that open, contacts of immovable bodies, a matrix of zeros, data that are NaN.
#[test]
fn there_is_always_a_finite_answer() {
    let mut problem = packing(31, 3, 10, 8);
    for q in problem.q.iter_mut().step_by(3) {
        *q = q.abs();
    }
    let solution = solve(&problem, None, &Settings::default());
    assert_eq!(solution.impulse, vec![0.0; 30]);
    assert_eq!((solution.error, solution.sweeps), (0.0, 0));
    // Bodies pressed together by walls: no impulse suffices, and while impulses grow an error
    // relative to them falls.
    for (d, rough) in [(2, true), (3, true), (5, true), (3, false)] {
        let mut problem = packing(32, d, 6, 5);
        problem.matrix.blocks.fill(0.0);
        problem.q.fill(-1.0);
        if !rough {
            problem.friction.fill(0.0);
        }
        let few = Settings {
            max_sweeps: 500,
            max_seconds: 5.0,
            ..Settings::default()
        };
        for method in [
            Method::Auto,
            Method::Nsgs,
            Method::Proximal,
            Method::Smoothing,
            Method::Interior,
        ] {
            let solution = solve(&problem, None, &Settings { method, ..few });
            assert!(solution.finite, "{:?}", solution.log);
            for (i, r) in solution.impulse.chunks(d).enumerate() {
                let mut inside = r.to_vec();
                cone::project(&mut inside, problem.coefficients(i));
                for (a, b) in inside.iter().zip(r) {
                    assert!((a - b).abs() <= 1e-14 * norm(r), "{r:?}");
                }
            }
            // Impulses move nothing here.
            assert_eq!(solution.velocity, problem.q);
        }
        problem.q[3] = f64::NAN;
        let solution = solve(&problem, None, &few);
        assert!(!solution.finite && solution.error.is_nan());
        assert!(solution.log[0].contains("q[3]"), "{:?}", solution.log);
    }
    let none = Problem {
        matrix: Delassus::from_entries(3, 0, []).unwrap(),
        q: vec![],
        friction: vec![],
        rolling: vec![],
    };
    let solution = solve(&none, None, &Settings::default());
    assert!(solution.finite && solution.error == 0.0 && solution.residual == 0.0);
}

#[test]
fn a_solution_is_its_own_guess_and_the_seed_decides_the_bits() {
    let problem = packing(41, 3, 30, 12);
    let first = solve(&problem, None, &settings(Method::Auto));
    assert!(first.sweeps > 1);
    let again = solve(&problem, Some(&first.impulse), &settings(Method::Auto));
    assert_eq!(again.sweeps, 0);
    // Projected on the cones, which changes last digits of impulses on the rim.
    let change = first.impulse.iter().zip(&again.impulse);
    let change: Vec<f64> = change.map(|(a, b)| a - b).collect();
    assert!(norm(&change) <= 1e-15 * norm(&first.impulse));
    let same = solve(&problem, None, &settings(Method::Auto));
    assert_eq!(same.impulse, first.impulse);
    let other = Settings {
        seed: 2,
        ..settings(Method::Auto)
    };
    assert_ne!(solve(&problem, None, &other).impulse, first.impulse);
    // An invalid guess is ignored.
    let wrong = solve(&problem, Some(&[f64::NAN; 90]), &settings(Method::Auto));
    assert_eq!(wrong.impulse, first.impulse);
}

/// A frictionless contact that opens, among contacts with friction.
///
/// It does not pull from any guess, and its zero impulse is recognised as correct.
#[test]
fn a_smooth_contact_that_opens_among_rough_ones() {
    let problem = Problem {
        matrix: Delassus::from_entries(3, 2, (0..6).map(|k| (k, k, 1.0))).unwrap(),
        q: vec![1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
        friction: vec![0.0, 0.5],
        rolling: vec![],
    };
    let guess = [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    for method in [
        Method::Auto,
        Method::Nsgs,
        Method::Proximal,
        Method::Smoothing,
    ] {
        let solution = solve(&problem, Some(&guess), &settings(method));
        assert_eq!(solution.error, 0.0, "{:?}", solution.log);
        assert_eq!(solution.impulse, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    }
    assert!(merit::siconos_error(&problem, &guess) > 0.1);
}
