//! The inverses of the bodies' own blocks.

use super::unknowns::UNKNOWNS;
use crate::pool::Pool;
use nalgebra::{Matrix6, Vector6};

/// The numbers of a symmetric matrix.
const HALF: usize = UNKNOWNS * (UNKNOWNS + 1) / 2;

/// The inverses, by the number of the body.
pub(super) enum Inverses {
    /// The lower halves of symmetric matrices, row by row.
    Symmetric(Vec<[f64; HALF]>),
    /// Any matrices.
    Full(Vec<Matrix6<f64>>),
}

impl Inverses {
    /// The inverses of a number of bodies.
    pub(super) fn of(
        (pool, bodies): (&Pool, usize),
        symmetric: bool,
        of: impl Fn(usize) -> Matrix6<f64> + Sync,
    ) -> Self {
        match symmetric {
            true => Self::Symmetric(pool.list(bodies, |k| half(&of(k)))),
            false => Self::Full(pool.list(bodies, of)),
        }
    }

    /// Memory of an inverse.
    pub(super) fn bytes(symmetric: bool) -> usize {
        match symmetric {
            true => size_of::<[f64; HALF]>(),
            false => size_of::<Matrix6<f64>>(),
        }
    }

    /// The product of an inverse with a vector.
    pub(super) fn times(&self, k: usize, x: &Vector6<f64>) -> Vector6<f64> {
        match self {
            Self::Symmetric(halves) => whole(&halves[k]) * x,
            Self::Full(all) => all[k] * x,
        }
    }
}

/// The place of a number of the lower half.
const fn place(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

fn half(matrix: &Matrix6<f64>) -> [f64; HALF] {
    let mut half = [0.0; HALF];
    for row in 0..UNKNOWNS {
        for column in 0..=row {
            half[place(row, column)] = matrix[(row, column)];
        }
    }
    half
}

fn whole(half: &[f64; HALF]) -> Matrix6<f64> {
    Matrix6::from_fn(|row, column| half[place(row.max(column), row.min(column))])
}
