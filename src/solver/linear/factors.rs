//! The factors of a sparse matrix on one rank, by `faer`.

use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu};
use faer::sparse::{SparseColMat, Triplet};

/// A number of a matrix: its row, its column, its value.
pub type Entry = (usize, usize, f64);

/// The factors of a square matrix.
///
/// They are computed by one thread, so they have the same bits in every run on processors of one
/// kind. On another kind they may differ in the last digits.
#[derive(Clone, Debug)]
pub struct Factors {
    kind: Kind,
    norm: f64,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A matrix without rows.
    Nothing,
    /// `P A Pᵀ = L Lᵀ`, from the lower half of the matrix.
    Positive(Llt<usize, f64>),
    /// `P A Q = L U`.
    General(Box<Lu<usize, f64>>),
}

impl Factors {
    /// The factors of a matrix of `size` rows; entries of one place add up.
    ///
    /// Of a `symmetric` matrix both halves are given. Where it is not positive definite, its
    /// factors are those of a general one. `None`: a number is not finite, or the matrix is
    /// singular.
    #[must_use]
    pub fn of(size: usize, entries: &[Entry], symmetric: bool) -> Option<Self> {
        let mut rows = vec![0.0; size];
        for (row, _, value) in entries {
            rows[*row] += value.abs();
        }
        let norm = rows.iter().copied().fold(0.0, f64::max);
        if rows.iter().any(|sum| !sum.is_finite()) {
            return None;
        }
        if size == 0 {
            let kind = Kind::Nothing;
            return Some(Self { kind, norm });
        }
        let matrix = |lower: bool| {
            let each = entries.iter().filter(|(i, j, _)| !lower || i >= j);
            let each: Vec<_> = each.map(|(i, j, x)| Triplet::new(*i, *j, *x)).collect();
            SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &each).ok()
        };
        if symmetric && let Ok(factors) = matrix(true)?.sp_cholesky(Side::Lower) {
            let kind = Kind::Positive(factors);
            return Some(Self { kind, norm });
        }
        let kind = Kind::General(Box::new(matrix(false)?.sp_lu().ok()?));
        Some(Self { kind, norm })
    }

    /// The norm of the matrix: the largest sum of the sizes of a row's numbers.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// Solves `A x = b` in place. Returns whether the answer is finite.
    pub fn solve(&self, x: &mut [f64]) -> bool {
        let size = x.len();
        let column = faer::MatMut::from_column_major_slice_mut(&mut *x, size, 1);
        match &self.kind {
            Kind::Nothing => {}
            Kind::Positive(factors) => factors.solve_in_place(column),
            Kind::General(factors) => factors.solve_in_place(column),
        }
        x.iter().all(|x| x.is_finite())
    }
}
