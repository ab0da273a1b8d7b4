use super::equations::Equations;
use super::*;
use crate::rng::{Purpose, Stream};

fn random(draw: &mut Stream) -> [f64; 3] {
    [0; 3].map(|_| draw.between(-1.0, 1.0))
}

/// Contacts among free bodies, two bodies each, as `W = H M⁻¹ Hᵀ`: more rows than the bodies' degrees of freedom leave W without full
/// rank. The free velocities come from velocities of the bodies, so that there is a solution.
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

/// Whatever the method, the answer satisfies the law contact by contact: measured here, not by the solver.
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
    let scale = merit::norm(&problem.q).max(merit::norm(&solution.impulse));
    let slack = 10.0 * tolerance * scale;
    for (i, (r, u)) in solution.impulse.chunks(d).zip(u.chunks(d)).enumerate() {
        let [mu, rolling] = problem.coefficients(i);
        assert!(r[0] >= 0.0 && u[0] >= -slack, "{i} {r:?} {u:?}");
        assert!(r[0].min(u[0]) <= slack, "{i} {r:?} {u:?}");
        for (part, mu) in [(1..d.min(3), mu), (d.min(3)..d, rolling)] {
            let (r_t, u_t) = (&r[part.clone()], &u[part]);
            assert!(merit::norm(r_t) <= mu * r[0] + slack);
            // Work against friction: μ r_N |u_T|.
            let work: f64 = r_t.iter().zip(u_t).map(|(r, u)| r * u).sum();
            let most = mu * r[0] * merit::norm(u_t);
            let sizes = (1.0 + mu) * (1.0 + merit::norm(r) + merit::norm(u_t));
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

/// Sweeps and Newton's method find the same impulses where they are unique: W of full rank.
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
            let (far, size) = (merit::norm(&far), merit::norm(&a));
            assert!(size > 0.1 && far < 1e-9 * size, "{d}: {far:e} of {size}");
        }
    }
}

/// A block on a plane by four corners, pushed from the side: r_N sums to the weight, and friction to the push or μ times the weight.
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

/// In units where numbers are tiny nothing is taken for zero.
#[test]
fn badly_scaled_data_are_not_eaten() {
    let problem = packing(21, 3, 12, 8);
    for scale in [1e-20, 1.0, 1e20] {
        let mut scaled = problem.clone();
        scaled.q.iter_mut().for_each(|x| *x *= scale);
        // Siconos' error is absolute for sizes below 2.2e-16: it says nothing there.
        let tight = Settings {
            tolerance: if scale < 1.0 { 1e-12 * scale } else { 1e-12 },
            ..settings(Method::Auto)
        };
        let solution = solve(&scaled, None, &tight);
        assert!(solution.residual < 1e-9, "{scale}: {:e}", solution.residual);
        assert!(merit::norm(&solution.impulse) > 0.1 * scale);
    }
}

/// A tolerance that rounding does not allow: every method ends when its time is up.
#[test]
fn every_method_keeps_to_its_time() {
    let problem = packing(33, 3, 10, 8);
    for method in [
        Method::Auto,
        Method::Nsgs,
        Method::Proximal,
        Method::Smoothing,
    ] {
        let short = Settings {
            tolerance: 1e-30,
            max_seconds: 0.2,
            method,
            ..Settings::default()
        };
        let begin = std::time::Instant::now();
        let solution = solve(&problem, None, &short);
        assert!(solution.finite && solution.error < 1e-6, "{solution:?}");
        // A hundred times as long, for a busy machine: without a limit it would never end.
        assert!(begin.elapsed().as_secs() < 20, "{:?}", solution.log.len());
        assert!(solution.log.len() < 10_000);
    }
}

/// Contacts that open, contacts that nothing can move, a matrix of zeros, data that are no numbers: always an answer, and finite.
#[test]
fn there_is_always_a_finite_answer() {
    let mut problem = packing(31, 3, 10, 8);
    for q in problem.q.iter_mut().step_by(3) {
        *q = q.abs();
    }
    let solution = solve(&problem, None, &Settings::default());
    assert_eq!(solution.impulse, vec![0.0; 30]);
    assert_eq!((solution.error, solution.sweeps), (0.0, 0));
    // Bodies pressed together by walls: no impulse is large enough, and as they grow an error relative to them falls.
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
        ] {
            let solution = solve(&problem, None, &Settings { method, ..few });
            assert!(solution.finite, "{:?}", solution.log);
            for (i, r) in solution.impulse.chunks(d).enumerate() {
                let mut inside = r.to_vec();
                cone::project(&mut inside, problem.coefficients(i));
                for (a, b) in inside.iter().zip(r) {
                    assert!((a - b).abs() <= 1e-14 * merit::norm(r), "{r:?}");
                }
            }
            // Nothing moves, whatever the impulses.
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
    // Brought into the cones, which changes last digits of those on the rim.
    let change = first.impulse.iter().zip(&again.impulse);
    let change: Vec<f64> = change.map(|(a, b)| a - b).collect();
    assert!(merit::norm(&change) <= 1e-15 * merit::norm(&first.impulse));
    let same = solve(&problem, None, &settings(Method::Auto));
    assert_eq!(same.impulse, first.impulse);
    let other = Settings {
        seed: 2,
        ..settings(Method::Auto)
    };
    assert_ne!(solve(&problem, None, &other).impulse, first.impulse);
    // What is no guess is none.
    let wrong = solve(&problem, Some(&[f64::NAN; 90]), &settings(Method::Auto));
    assert_eq!(wrong.impulse, first.impulse);
}

/// Adds to the normal numbers of a matrix what pulls one way as it pushes the other: it stays definite.
fn skew(w: &mut Delassus) {
    let area = w.dimension * w.dimension;
    for i in 0..w.contacts() {
        for at in w.starts[i]..w.starts[i + 1] {
            let j = w.columns[at] as usize;
            if j != i {
                w.blocks[at * area] += if i < j { 0.3 } else { -0.3 };
            }
        }
    }
}

/// Without friction all tangential impulses are zero, and the normal ones solve the complementarity problem of W's normal part: on small problems
/// they are those of the one set of closed contacts that all conditions allow, out of all sets.
#[test]
fn without_friction_the_normal_parts_are_solved_alone() {
    for (key, d) in (200..260).flat_map(|key| [(key, 2), (key, 3), (key, 5)]) {
        let mut problem = packing(key, d, 6, 4);
        problem.friction.fill(0.0);
        problem.rolling.fill(0.0);
        assert!(problem.is_frictionless());
        let n = problem.contacts();
        if key % 2 == 0 {
            skew(&mut problem.matrix);
        }
        let w = nalgebra::DMatrix::from_fn(n, n, |i, j| {
            let mut unit = vec![0.0; n * d];
            unit[j * d] = 1.0;
            let mut out = vec![0.0; n * d];
            problem.matrix.apply(&unit, &vec![0.0; n * d], &mut out);
            out[i * d]
        });
        let q: Vec<f64> = problem.q.iter().copied().step_by(d).collect();
        let mut allowed = (0..1 << n).filter_map(|set: u32| {
            let closed: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
            let part = w.select_rows(&closed).select_columns(&closed);
            let free =
                nalgebra::DVector::from_iterator(closed.len(), closed.iter().map(|i| -q[*i]));
            let solved = match closed.is_empty() {
                true => free,
                false => part.lu().solve(&free)?,
            };
            let mut r = nalgebra::DVector::zeros(n);
            closed
                .iter()
                .zip(solved.iter())
                .for_each(|(i, x)| r[*i] = *x);
            let u = &w * &r + nalgebra::DVector::from_row_slice(&q);
            let holds = r.iter().all(|x| *x >= 0.0) && u.iter().all(|x| *x >= -1e-12);
            holds.then_some(r)
        });
        let expected = allowed.next().expect("a definite problem has a solution");
        for method in [
            Method::Auto,
            Method::Nsgs,
            Method::Proximal,
            Method::Smoothing,
            Method::Interior,
        ] {
            let solution = solve(&problem, None, &settings(method));
            check(&problem, &solution, 1e-10);
            let tangents = solution.impulse.chunks(d).flat_map(|r| &r[1..]);
            assert!(tangents.copied().all(|x| x == 0.0));
            for (r, expected) in solution.impulse.iter().step_by(d).zip(expected.iter()) {
                let off = (r - expected).abs();
                assert!(off < 1e-7, "{d} {key} {method:?}: {r} {expected}");
            }
        }
    }
}

/// One contact with rolling friction makes a problem one with friction; a guess of a frictionless one counts.
#[test]
fn what_is_frictionless() {
    let mut problem = packing(300, 5, 6, 4);
    problem.friction.fill(0.0);
    assert!(!problem.is_frictionless());
    problem.rolling.fill(0.0);
    let solved = solve(&problem, None, &settings(Method::Auto));
    let again = solve(&problem, Some(&solved.impulse), &settings(Method::Auto));
    assert_eq!((again.sweeps, &*again.method), (0, "the guess"));
    assert_eq!(again.impulse, solved.impulse);
    problem.friction[3] = 0.1;
    assert!(!problem.is_frictionless());
}

/// A chain of bodies between two walls, each pair pressed together by the same velocity: `r_i = v i (n + 1 − i)/2`. Sweeps would take n² of them; with
/// three numbers a contact Newton's equations would be too many.
#[test]
fn a_long_chain_without_friction() {
    let (n, v) = (4500, 1e-3);
    assert!(Equations::<3>::new(&chain(3, n)).is_none());
    assert!(Equations::<1>::new(&chain(1, n)).is_some());
    let mut q = vec![0.0; 3 * n];
    q.iter_mut().step_by(3).for_each(|q| *q = -v);
    let problem = Problem {
        matrix: chain(3, n),
        q,
        friction: vec![0.0; n],
        rolling: vec![],
    };
    // Relative to all impulses, of which the first is a millionth.
    let tight = Settings {
        tolerance: 1e-14,
        ..settings(Method::Auto)
    };
    for method in [Method::Auto, Method::Smoothing] {
        let solution = solve(&problem, None, &Settings { method, ..tight });
        let by = [(Method::Auto, "interior"), (Method::Smoothing, "smoothing")];
        assert!(
            by.contains(&(method, &solution.method)),
            "{:?}",
            solution.log
        );
        for (i, r) in solution.impulse.iter().step_by(3).enumerate() {
            let expected = 0.5 * v * (i + 1) as f64 * (n - i) as f64;
            assert!((r / expected - 1.0).abs() < 1e-6, "{i}: {r} {expected}");
        }
    }
}

/// Without friction, more contacts than the bodies have ways to move (W is singular), impulses a million times as large as velocities and as small:
/// what a long step, and a short one, make of a packing.
#[test]
fn from_within_at_any_scale() {
    for (key, scale) in (400..420).flat_map(|key| [1e-6, 1.0, 1e6].map(|scale| (key, scale))) {
        let mut problem = packing(key, 1, 60, 5);
        problem.matrix.blocks.iter_mut().for_each(|x| *x *= scale);
        let solution = solve(&problem, None, &settings(Method::Interior));
        assert_eq!(solution.method, "interior");
        assert!(solution.error <= 1e-10, "{key} {scale}: {:?}", solution.log);
        let (r, u) = (&solution.impulse, &solution.velocity);
        let size = |of: &[f64]| of.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        assert!(size(r) > 0.0);
        // Of what is left of all products, and of u = W r + q, in units of |r| and |q|, one contact may have all.
        let most = 1e-10 * problem.contacts() as f64;
        for (r_i, u_i) in r.iter().zip(u) {
            let (r_i, u_i) = (r_i / size(r), u_i / size(&problem.q));
            let holds = r_i >= 0.0 && u_i > -most && r_i * u_i < most;
            assert!(holds, "{key} {scale}: {r_i} {u_i}");
        }
    }
}

/// With friction it says so, and leaves the guess; no matrix of zeros and no answer that there is not makes it end otherwise than with finite numbers.
#[test]
fn what_has_no_inside() {
    let rough = packing(430, 3, 6, 4);
    let solution = solve(&rough, None, &settings(Method::Interior));
    assert!(solution.finite && solution.error > 1e-3);
    assert!(
        solution.log[0].contains("have friction"),
        "{:?}",
        solution.log
    );
    let pulled = |w: f64| Problem {
        matrix: Delassus::from_entries(1, 2, [(0, 0, w), (1, 1, 1.0)]).unwrap(),
        q: vec![-1.0, -2.0],
        friction: vec![0.0; 2],
        rolling: vec![],
    };
    let none = solve(&pulled(0.0), None, &settings(Method::Interior));
    assert!(none.finite && none.error > 1e-3, "{none:?}");
    let some = solve(&pulled(0.5), None, &settings(Method::Interior));
    assert!((some.impulse[0] - 2.0).abs() < 1e-9 && (some.impulse[1] - 2.0).abs() < 1e-9);
}

/// W of a chain of bodies of mass 1.
fn chain(d: usize, n: usize) -> Delassus {
    let entries = (0..n).flat_map(|i| {
        let beside = [i.checked_sub(1), (i + 1 < n).then_some(i + 1)];
        let beside = beside
            .into_iter()
            .flatten()
            .map(move |j| (d * i, d * j, -1.0));
        std::iter::once((d * i, d * i, 2.0)).chain(beside)
    });
    Delassus::from_entries(d, n, entries).unwrap()
}
