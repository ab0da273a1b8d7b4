//! Stiffness matrices of two and three discs, and rigid motions.

use super::{scene, statics};
use moreau::comm::threads;
use moreau::domain::Domain;
use moreau::scheme::Scheme;
use moreau::scheme::quasistatic::Statics;
use nalgebra::{DMatrix, DVector};

/// The stiffness of discs of radius 1 with these centres: rows and columns (x, y, φ) of each.
fn matrix(centres: &[[f64; 2]]) -> DMatrix<f64> {
    matrix_of(centres, 0.5, false)
}

/// The same for discs with this friction, with a geometric part or without.
fn matrix_of(centres: &[[f64; 2]], friction: f64, geometric: bool) -> DMatrix<f64> {
    let mut s = scene([-9.0, -9.0, -0.5], [9.0, 9.0, 0.5], friction);
    for [x, y] in centres {
        s.sphere([*x, *y, 0.0], 1.0, 1.0);
    }
    s.statics = Some(Statics {
        planar: true,
        geometric,
        ..statics()
    });
    let all = threads::run(1, |comm| {
        let domain = Domain::new(comm, s.partition(1));
        let (scheme, state) = s.begin(comm, 1);
        match scheme {
            Scheme::Quasistatic(scheme) => scheme.stiffness(&state, &domain),
            Scheme::MoreauJean(_) => panic!("a quasi-static scheme"),
        }
    });
    let in_plane: Vec<usize> = (0..all[0].nrows())
        .filter(|k| [0, 1, 5].contains(&(k % 6)))
        .collect();
    all[0].select_rows(&in_plane).select_columns(&in_plane)
}

#[track_caller]
fn near(matrix: &DMatrix<f64>, at: (usize, usize), expected: [[f64; 3]; 3], within: f64) {
    for (i, row) in expected.iter().enumerate() {
        for (j, number) in row.iter().enumerate() {
            let found = matrix[(at.0 + i, at.1 + j)];
            assert!(
                (found - number).abs() <= within,
                "{i} {j}: {found} {number}"
            );
        }
    }
}

#[track_caller]
fn spectrum(matrix: &DMatrix<f64>, expected: &[f64]) {
    let mut found: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
    found.sort_by(f64::total_cmp);
    assert_eq!(found.len(), expected.len());
    let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
    assert!(found.iter().zip(expected).all(same), "{found:?}");
}

#[test]
fn f1_two_discs() {
    let k = matrix(&[[0.0, 0.0], [2.0, 0.0]]);
    let own = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]];
    let other = [[-1.0, 0.0, 0.0], [0.0, -0.5, 0.5], [0.0, -0.5, 0.5]];
    near(&k, (0, 0), own, 1e-14);
    near(&k, (0, 3), other, 1e-14);
    let second = [[1.0, 0.0, 0.0], [0.0, 0.5, -0.5], [0.0, -0.5, 0.5]];
    near(&k, (3, 3), second, 1e-14);
    assert!((&k - k.transpose()).amax() < 1e-14);
    spectrum(&k, &[0.0, 0.0, 0.0, 0.0, 2.0, 2.0]);
}

#[test]
fn f2_three_discs() {
    let k = matrix(&[[0.0, 0.0], [2.0, 0.0], [1.0, 3.0_f64.sqrt()]]);
    let first = [
        [1.625, 0.216506, -0.433013],
        [0.216506, 1.375, 0.75],
        [-0.433013, 0.75, 1.0],
    ];
    near(&k, (0, 0), first, 5e-7);
    let other = [[-1.0, 0.0, 0.0], [0.0, -0.5, 0.5], [0.0, -0.5, 0.5]];
    near(&k, (0, 3), other, 5e-7);
    let third = [
        [1.25, 0.0, 0.866025],
        [0.0, 1.75, 0.0],
        [0.866025, 0.0, 1.0],
    ];
    near(&k, (6, 6), third, 5e-7);
    let [low, high] = [-1.0, 1.0].map(|sign| (11.0 + sign * 73.0_f64.sqrt()) / 8.0);
    spectrum(&k, &[0.0, 0.0, 0.0, low, low, high, high, 3.0, 3.5]);
}

/// F11: rigid motions strain nothing, also with overlaps.
#[test]
fn f11_rigid_motions_strain_nothing() {
    let centres = [[0.0, 0.0], [1.9, 0.1], [0.9, 1.6], [2.7, 1.8]];
    let k = matrix(&centres);
    assert!(k.amax() > 1.0);
    for [x, y, turn] in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -0.2, 1.0]] {
        let each = centres.iter();
        let each = each.flat_map(|[a, b]| [x - turn * b, y + turn * a, turn]);
        let motion = DVector::from_iterator(3 * centres.len(), each);
        let force = &k * motion;
        assert!(force.amax() < 1e-14, "{}", force.amax());
    }
}

/// F11: the stiffness of discs without friction, with its geometric part, against central
/// differences of their forces, `(2 − d)` along each line of centres.
#[test]
fn f11_the_stiffness_is_the_derivative_of_the_forces() {
    let centres = [[0.0, 0.0], [1.9, 0.1], [0.9, 1.6], [2.7, 1.8]];
    let forces = |at: &[[f64; 2]]| {
        let mut of = DVector::zeros(3 * at.len());
        for (i, a) in at.iter().enumerate() {
            for (j, b) in at.iter().enumerate() {
                let way = [0, 1].map(|k| a[k] - b[k]);
                let distance = way[0].hypot(way[1]);
                if i != j && distance < 2.0 {
                    (0..2).for_each(|k| of[3 * i + k] += (2.0 - distance) * way[k] / distance);
                }
            }
        }
        of
    };
    assert!(forces(&centres).amax() > 0.05);
    const STEP: f64 = 1e-5;
    let moved = |at: usize, by: f64| {
        let mut all = centres;
        if at % 3 < 2 {
            all[at / 3][at % 3] += by;
        }
        forces(&all)
    };
    let columns =
        (0..3 * centres.len()).map(|at| (moved(at, -STEP) - moved(at, STEP)) / (2.0 * STEP));
    let expected = DMatrix::from_columns(&columns.collect::<Vec<_>>());
    let found = matrix_of(&centres, 0.0, true);
    let off = (&found - &expected).amax();
    assert!(off < 1e-9, "{off:e}");
    // Without it, the normal forces over the distances are missing.
    let off = (matrix_of(&centres, 0.0, false) - &expected).amax();
    assert!(off > 0.01, "{off:e}");
}
