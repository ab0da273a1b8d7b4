//! Iterations and factors against the solution of a dense matrix.

use super::*;
use crate::rng::{Purpose, Stream};
use nalgebra::{DMatrix, DVector};

/// A matrix of one rank, with its diagonal as preconditioner.
struct Dense(DMatrix<f64>);

impl System for Dense {
    fn len(&self) -> usize {
        self.0.nrows()
    }
    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice((&self.0 * DVector::from_row_slice(x)).as_slice());
    }
    fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
        for (k, (z, r)) in z.iter_mut().zip(r).enumerate() {
            *z = r / self.0[(k, k)];
        }
    }
    fn products<const N: usize>(&self, pairs: [[&[f64]; 2]; N]) -> [f64; N] {
        pairs.map(|[a, b]| a.iter().zip(b).map(|(a, b)| a * b).sum())
    }
}

/// A matrix `Bᵀ B + 1`, and a right-hand side.
fn drawn(n: usize, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut stream = Stream::new(Purpose::Trial, seed, [0; 3]);
    let mut next = || 2.0 * stream.unit() - 1.0;
    let b = DMatrix::from_fn(n, n, |_, _| next());
    let right = DVector::from_fn(n, |_, _| next());
    (b.transpose() * &b + DMatrix::identity(n, n), right)
}

fn error(matrix: &DMatrix<f64>, b: &DVector<f64>, x: &[f64]) -> f64 {
    (matrix * DVector::from_row_slice(x) - b).norm()
}

#[test]
fn symmetric_matrices_are_solved_in_as_many_products_as_unknowns() {
    let limits = Limits {
        residual: 1e-10,
        products: 1000,
    };
    for (n, seed) in [(1, 1), (6, 2), (40, 3)] {
        let (matrix, b) = drawn(n, seed);
        let mut x = vec![0.0; n];
        let mut system = Dense(matrix.clone());
        let solved = conjugate_gradients(&mut system, b.as_slice().to_vec(), &mut x, &limits);
        assert!(solved.converged && !solved.broken, "{n}: {solved:?}");
        assert!(solved.products <= 2 * n as u64 + 1, "{n}: {solved:?}");
        assert!(error(&matrix, &b, &x) < 1e-9, "{n}");
    }
}

/// A singular matrix with a right-hand side in its range has a solution.
///
/// With any other there is none, and the iteration does not converge.
#[test]
fn singular_matrices_are_solved_where_there_is_a_solution() {
    let line = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0,
        1 | 4 => -1.0,
        _ => 0.0,
    };
    let ring = DMatrix::from_fn(5, 5, line);
    let limits = Limits {
        residual: 1e-12,
        products: 50,
    };
    let mut x = [0.0; 5];
    let balanced = DVector::from_row_slice(&[1.0, -2.0, 0.0, 3.0, -2.0]);
    let solved = conjugate_gradients(
        &mut Dense(ring.clone()),
        balanced.as_slice().to_vec(),
        &mut x,
        &limits,
    );
    assert!(solved.converged && error(&ring, &balanced, &x) < 1e-11);
    let pushed = [1.0; 5];
    let solved = conjugate_gradients(&mut Dense(ring), pushed.to_vec(), &mut x, &limits);
    assert!(!solved.converged, "{solved:?}");
}

#[test]
fn unsymmetric_matrices_are_solved() {
    let limits = Limits {
        residual: 1e-10,
        products: 1000,
    };
    for (n, seed) in [(1, 4), (7, 5), (30, 6)] {
        let (mut matrix, b) = drawn(n, seed);
        for i in 0..n {
            matrix[(i, (i + 1) % n)] += 0.7;
        }
        let mut x = vec![0.0; n];
        let solved = stabilised(&mut Dense(matrix.clone()), b.as_slice(), &mut x, &limits);
        assert!(solved.converged && !solved.broken, "{n}: {solved:?}");
        assert!(error(&matrix, &b, &x) < 1e-8, "{n}");
    }
}

#[test]
fn numbers_that_are_not_finite_end_an_iteration() {
    let (matrix, mut b) = drawn(5, 7);
    b[2] = f64::NAN;
    let limits = Limits {
        residual: 1e-10,
        products: 100,
    };
    let mut x = [0.0; 5];
    let solved = conjugate_gradients(
        &mut Dense(matrix.clone()),
        b.as_slice().to_vec(),
        &mut x,
        &limits,
    );
    assert!(solved.broken && !solved.converged);
    let solved = stabilised(&mut Dense(matrix), b.as_slice(), &mut x, &limits);
    assert!(solved.broken && !solved.converged);
}

/// The numbers of a matrix.
fn entries(matrix: &DMatrix<f64>) -> Vec<Entry> {
    let n = matrix.nrows();
    let all = (0..n * n).map(|at| (at % n, at / n));
    all.map(|(i, j)| (i, j, matrix[(i, j)])).collect()
}

/// A solution by factors.
fn factored(matrix: &DMatrix<f64>, symmetric: bool, b: &DVector<f64>) -> (Solved, Vec<f64>) {
    let limits = Limits {
        residual: 1e-13 * b.norm(),
        products: 1000,
    };
    let mut x = vec![0.0; b.len()];
    let Some(factors) = Factors::of(b.len(), &entries(matrix), symmetric) else {
        let broken = true;
        return (
            Solved {
                broken,
                ..Solved::default()
            },
            x,
        );
    };
    let inverse = |r: &[f64]| {
        let mut z = r.to_vec();
        factors.solve(&mut z).then_some(z)
    };
    let mut system = Dense(matrix.clone());
    let of = (factors.norm(), inverse);
    let solved = refined(&mut system, of, b.as_slice(), &mut x, &limits);
    (solved, x)
}

/// Factors solve all matrices: positive definite, indefinite, and not symmetric.
#[test]
fn factors_solve_all_matrices() {
    for (n, seed) in [(1, 8), (7, 9), (30, 10)] {
        let (positive, b) = drawn(n, seed);
        let mut general = positive.clone();
        (0..n).for_each(|i| general[(i, (i + 1) % n)] += 0.7);
        let indefinite = &positive - DMatrix::identity(n, n) * 1.5;
        for (matrix, symmetric) in [(positive, true), (indefinite, true), (general, false)] {
            let (solved, x) = factored(&matrix, symmetric, &b);
            assert!(solved.converged && !solved.broken, "{n}: {solved:?}");
            assert!(solved.products <= 2, "{n}: {solved:?}");
            assert!(error(&matrix, &b, &x) < 1e-10 * b.norm(), "{n}");
        }
    }
    let (solved, x) = factored(&DMatrix::zeros(0, 0), true, &DVector::zeros(0));
    assert!(solved.converged && x.is_empty());
}

/// A singular matrix does not pass as solved, whether its factors exist or not.
#[test]
fn singular_matrices_do_not_pass_as_solved() {
    let line = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0,
        1 | 4 => -1.0,
        _ => 0.0,
    };
    let ring = DMatrix::from_fn(5, 5, line);
    let mut hollow = DMatrix::identity(5, 5);
    hollow[(2, 2)] = 0.0;
    let mut nan = DMatrix::identity(5, 5);
    nan[(1, 1)] = f64::NAN;
    let b = DVector::from_row_slice(&[1.0, -2.0, 0.5, 3.0, 2.0]);
    for matrix in [ring, hollow, nan] {
        for symmetric in [true, false] {
            let (solved, _) = factored(&matrix, symmetric, &b);
            assert!(solved.broken && !solved.converged, "{solved:?} {matrix}");
        }
    }
}
