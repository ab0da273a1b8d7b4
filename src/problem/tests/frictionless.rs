//! Problems without friction.

use super::*;

/// Adds a skew part to the normal numbers of a matrix, which stays definite.
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

/// Without friction all tangential impulses are zero, and the normal ones solve the complementarity
/// problem.
///
/// On small problems they belong to the one set of closed contacts, out of all sets, that satisfies
/// all conditions.
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

/// A single contact with rolling friction makes a problem frictional; a frictionless problem uses
/// its guess.
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

/// A chain of bodies between two walls, each pair pressed together by the same velocity.
///
/// `r_i = v i (n + 1 − i)/2`. Sweeps would take n² passes; with three numbers per contact Newton's
/// equations would be too large.
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

/// Problems without friction whose impulses are a million times as large as velocities, or as
/// small.
///
/// W is singular, as contacts exceed the bodies' degrees of freedom: a packing in a long step, and
/// in a short one.
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
        assert!(
            solution.log[0].contains("small enough"),
            "{:?}",
            solution.log
        );
        // Bounds of the sum of products, in units of |r| |q|, and of the residual of W r + q, in
        // units of |q|; a single contact may take all of it.
        let most = 1e-10 * problem.contacts() as f64;
        for (r_i, u_i) in r.iter().zip(u) {
            let (r_i, u_i) = (r_i / size(r), u_i / size(&problem.q));
            let holds = r_i >= 0.0 && u_i > -most && r_i * u_i < 2.0 * most;
            assert!(holds, "{key} {scale}: {r_i} {u_i}");
        }
    }
}

/// The method leaves the guess of a problem with friction unchanged, and reports why.
#[test]
fn no_way_within_with_friction() {
    let rough = packing(430, 3, 6, 4);
    let mut guess = vec![0.0; 18];
    guess.iter_mut().step_by(3).for_each(|r| *r = 0.1);
    let solution = solve(&rough, Some(&guess), &settings(Method::Interior));
    assert_eq!(solution.impulse, guess);
    assert!(solution.error > 1e-3);
    assert!(
        solution.log[0].contains("have friction"),
        "{:?}",
        solution.log
    );
}

/// Contacts without a solution among others with one.
///
/// The bodies of one cannot be moved apart, or two close on one body from both sides. Their part of
/// q is so small that it looks like rounding. Their impulse would grow without bound, and an error
/// in units of impulses would fall.
#[test]
fn what_has_no_answer_is_not_solved() {
    for (key, share, squeezed) in (440..450)
        .flat_map(|key| {
            let shares = [1e-2, 1e-4, 1e-6];
            shares.map(|share| [false, true].map(|squeezed| (key, share, squeezed)))
        })
        .flatten()
    {
        let sound = packing(key, 1, 40, 60);
        let n = sound.contacts();
        let w = &sound.matrix;
        let rows = (0..n).flat_map(|i| (w.starts[i]..w.starts[i + 1]).map(move |at| (i, at)));
        let mut entries: Vec<_> = rows
            .map(|(i, at)| (i, w.columns[at] as usize, w.blocks[at]))
            .collect();
        let more = if squeezed { 2 } else { 1 };
        if squeezed {
            let [a, b] = [n, n + 1];
            entries.extend([(a, a, 1.0), (a, b, -1.0), (b, a, -1.0), (b, b, 1.0)]);
        }
        let mut q = sound.q.clone();
        q.extend(vec![-share * norm(&sound.q); more]);
        let problem = Problem {
            matrix: Delassus::from_entries(1, n + more, entries).unwrap(),
            q,
            friction: vec![0.0; n + more],
            rolling: vec![],
        };
        let solution = solve(&problem, None, &settings(Method::Interior));
        assert!(solution.finite);
        let honest = norm(&solution.impulse) < 1e3 * norm(&solution.velocity);
        assert!(
            solution.error > 1e-10 && honest,
            "{key} {share} {squeezed}: {solution:?}"
        );
        let answered = solve(&sound, None, &settings(Method::Interior));
        assert!(answered.error <= 1e-10, "{key}: {:?}", answered.log);
    }
}

/// A chain of 20 000 bodies, whose velocities lose eight digits compared with the impulses.
///
/// This loss is not mistaken for impulses that grow without bound.
#[test]
fn a_chain_so_long_that_velocities_are_lost() {
    let (n, v) = (20_000, 1e-3);
    let problem = Problem {
        matrix: chain(1, n),
        q: vec![-v; n],
        friction: vec![0.0; n],
        rolling: vec![],
    };
    let solution = solve(&problem, None, &settings(Method::Interior));
    assert!(
        solution.log[0].contains("small enough"),
        "{:?}",
        solution.log
    );
    // The rounding error of q, times the condition of W, n².
    for (i, r) in solution.impulse.iter().enumerate() {
        let expected = 0.5 * v * (i + 1) as f64 * (n - i) as f64;
        assert!((r / expected - 1.0).abs() < 1e-6, "{i}: {r} {expected}");
    }
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
