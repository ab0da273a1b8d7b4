//! Newton's linear equations of all contacts, which have the blocks that W has: a sparse LU factorisation by `faer`.

use super::Delassus;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};

/// A matrix with the blocks of W, and its factorisation's plan, which holds for all matrices with these blocks.
pub(super) struct Equations<const D: usize> {
    pattern: SymbolicSparseColMat<usize>,
    plan: SymbolicLu<usize>,
    /// Where the first number of each block stands, and how far apart two numbers of its row are.
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
}

/// Unknowns, at most.
const UNKNOWNS: usize = 12_000;

/// The same where a contact has one: what fills in are the separators of the graph of contacts, in space as many of them as n^(2/3), so that
/// 24 000 contacts of one number take what 4600 of three do.
const UNKNOWNS_ALONE: usize = 30_000;

/// Numbers in the blocks, at most; beyond [`UNKNOWNS`] only of a matrix as sparse as that of a packing, which has 20 a contact.
const NUMBERS: usize = 20_000_000;
const NUMBERS_ALONE: usize = 1_000_000;

impl<const D: usize> Equations<D> {
    /// For problems with this matrix; `None` where that would take too much room.
    pub(super) fn new(w: &Delassus) -> Option<Self> {
        let n = w.contacts();
        let few = D * n <= UNKNOWNS && w.blocks.len() <= NUMBERS;
        let alone = D == 1 && n <= UNKNOWNS_ALONE && w.blocks.len() <= NUMBERS_ALONE;
        if !few && !alone {
            return None;
        }
        let mut heights = vec![0; n];
        w.columns.iter().for_each(|&j| heights[j as usize] += 1);
        let mut firsts = Vec::with_capacity(n + 1);
        let mut sum = 0;
        for height in &heights {
            firsts.push(sum);
            sum += D * D * height;
        }
        firsts.push(sum);
        let mut starts = Vec::with_capacity(D * n + 1);
        for (first, height) in firsts.iter().zip(&heights) {
            starts.extend((0..D).map(|l| first + l * D * height));
        }
        starts.push(sum);
        let mut rows = vec![0; sum];
        let mut places = Vec::with_capacity(w.columns.len());
        let mut filled = vec![0; n];
        for i in 0..n {
            for &j in &w.columns[w.starts[i]..w.starts[i + 1]] {
                let j = j as usize;
                let place = firsts[j] + D * filled[j];
                let stride = D * heights[j];
                filled[j] += 1;
                places.push((place, stride));
                for l in 0..D {
                    for k in 0..D {
                        rows[place + l * stride + k] = D * i + k;
                    }
                }
            }
        }
        let pattern = SymbolicSparseColMat::new_checked(D * n, D * n, starts, None, rows);
        let plan = SymbolicLu::try_new(pattern.as_ref()).ok()?;
        Some(Self {
            pattern,
            plan,
            places,
            values: vec![0.0; sum],
        })
    }

    /// Puts a block (by rows) in the place of W's block of the given number.
    #[inline]
    pub(super) fn set(&mut self, at: usize, block: &[[f64; D]; D]) {
        let (place, stride) = self.places[at];
        for (k, row) in block.iter().enumerate() {
            for (l, x) in row.iter().enumerate() {
                self.values[place + l * stride + k] = *x;
            }
        }
    }

    /// Solves the equations for `x`, in its place; whether there is an answer.
    pub(super) fn solve(&self, x: &mut [f64]) -> bool {
        if self.values.iter().chain(&*x).any(|x| !x.is_finite()) {
            return false;
        }
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values);
        let Ok(lu) = Lu::try_new_with_symbolic(self.plan.clone(), matrix) else {
            return false;
        };
        let number = x.len();
        lu.solve_in_place(faer::MatMut::from_column_major_slice_mut(x, number, 1));
        x.iter().all(|x| x.is_finite())
    }
}
