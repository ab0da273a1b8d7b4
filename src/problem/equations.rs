//! The linear equations of Newton's method, with the blocks of W, factorised by `faer`.

use super::Delassus;
use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};

/// A matrix with the blocks of W, and its symbolic factorisation, which holds for all matrices with
/// these blocks.
pub(super) struct Equations<const D: usize> {
    pattern: SymbolicSparseColMat<usize>,
    plan: Plan,
    /// The index of the first number of each block, and the stride between two numbers of a row.
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
}

/// The symbolic factorisation, which depends on the pattern only.
enum Plan {
    /// `P A Q = L U`.
    General(SymbolicLu<usize>),
    /// `P A Pᵀ = L Lᵀ`, from the lower half of the matrix: a fifth of the time.
    Positive(SymbolicLlt<usize>),
}

/// Largest number of unknowns.
const UNKNOWNS: usize = 12_000;

/// The same for contacts of one number.
///
/// Fill-in comes from the separators of the graph of contacts, in space n^(2/3) of them, so 24 000
/// contacts of one number cost as much as 4600 of three.
const UNKNOWNS_ALONE: usize = 30_000;

/// The same for positive definite matrices.
const UNKNOWNS_POSITIVE: usize = 120_000;

/// Largest number of numbers in the blocks, in all and per contact.
///
/// The second applies to more contacts than [`UNKNOWNS`], each of one number: contacts of a packing
/// have 20, and the fill-in of such a matrix is known.
const NUMBERS: usize = 20_000_000;
const NUMBERS_EACH: usize = 33;

/// Whether at most `most` contacts have one number each, in a matrix as sparse as a packing's.
fn alone(w: &Delassus, most: usize) -> bool {
    let n = w.contacts();
    w.dimension == 1 && n <= most && w.blocks.len() <= NUMBERS_EACH * n
}

impl<const D: usize> Equations<D> {
    /// The equations of problems with this matrix; `None` if they need too much memory.
    pub(super) fn new(w: &Delassus) -> Option<Self> {
        let n = w.contacts();
        let few = D * n <= UNKNOWNS && w.blocks.len() <= NUMBERS;
        if !few && !alone(w, UNKNOWNS_ALONE) {
            return None;
        }
        Self::planned(w, |pattern| {
            SymbolicLu::try_new(pattern).ok().map(Plan::General)
        })
    }

    /// The same if all matrices will be symmetric and positive definite.
    pub(super) fn positive(w: &Delassus) -> Option<Self> {
        let few = D * w.contacts() <= UNKNOWNS && w.blocks.len() <= NUMBERS;
        if !few && !alone(w, UNKNOWNS_POSITIVE) {
            return None;
        }
        Self::planned(w, |pattern| {
            let plan = SymbolicLlt::try_new(pattern, Side::Lower);
            plan.ok().map(Plan::Positive)
        })
    }

    fn planned(
        w: &Delassus,
        plan: impl FnOnce(SymbolicSparseColMatRef<usize>) -> Option<Plan>,
    ) -> Option<Self> {
        let n = w.contacts();
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
        let plan = plan(pattern.as_ref())?;
        Some(Self {
            pattern,
            plan,
            places,
            values: vec![0.0; sum],
        })
    }

    /// Sets the block (by rows) at the place of W's block with this number.
    #[inline]
    pub(super) fn set(&mut self, at: usize, block: &[[f64; D]; D]) {
        let (place, stride) = self.places[at];
        for (k, row) in block.iter().enumerate() {
            for (l, x) in row.iter().enumerate() {
                self.values[place + l * stride + k] = *x;
            }
        }
    }

    /// Solves the equations for `x`, in place. Returns whether there is a solution.
    pub(super) fn solve(&self, x: &mut [f64]) -> bool {
        self.factored().is_some_and(|factors| factors.solve(x))
    }

    /// The factors of the present equations, if all numbers are finite.
    pub(super) fn factored(&self) -> Option<Factors> {
        if self.values.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values);
        match &self.plan {
            Plan::General(plan) => {
                let factors = Lu::try_new_with_symbolic(plan.clone(), matrix);
                factors.ok().map(|lu| Factors::General(Box::new(lu)))
            }
            Plan::Positive(plan) => {
                let factors = Llt::try_new_with_symbolic(plan.clone(), matrix, Side::Lower);
                factors.ok().map(Factors::Positive)
            }
        }
    }
}

/// Factors, for any number of right-hand sides.
pub(super) enum Factors {
    General(Box<Lu<usize, f64>>),
    Positive(Llt<usize, f64>),
}

impl Factors {
    /// Solves for `x`, in place. Returns whether there is a solution.
    pub(super) fn solve(&self, x: &mut [f64]) -> bool {
        if x.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let number = x.len();
        let column = faer::MatMut::from_column_major_slice_mut(&mut *x, number, 1);
        match self {
            Self::General(factors) => factors.solve_in_place(column),
            Self::Positive(factors) => factors.solve_in_place(column),
        }
        x.iter().all(|x| x.is_finite())
    }
}
