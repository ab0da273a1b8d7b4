//! Stiffness matrices of two and three discs, and rigid motions.

use super::{scene, statics};
use moreau::comm::threads;
use moreau::domain::Domain;
use moreau::scheme::Scheme;
use moreau::scheme::quasistatic::Statics;
use nalgebra::{DMatrix, DVector};

/// The stiffness of discs of radius 1 with these centres: rows and columns (x, y, φ) of each.
fn matrix(centres: &[[f64; 2]]) -> DMatrix<f64> {
    let mut s = scene([-9.0, -9.0, -0.5], [9.0, 9.0, 0.5], 0.5);
    for [x, y] in centres {
        s.sphere([*x, *y, 0.0], 1.0, 1.0);
    }
    s.statics = Some(Statics {
        planar: true,
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
