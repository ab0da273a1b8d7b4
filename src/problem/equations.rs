//! Newton's linear equations of all contacts, which have the blocks that W has: sparse factorisations by `faer`.

use super::Delassus;
use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};

/// A matrix with the blocks of W, and its factorisation's plan, which holds for all matrices with these blocks.
pub(super) struct Equations<const D: usize> {
    pattern: SymbolicSparseColMat<usize>,
    plan: Plan,
    /// Where the first number of each block stands, and how far apart two numbers of its row are.
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
}

/// What the pattern alone says of the factors.
enum Plan {
    /// `P A Q = L U`.
    General(SymbolicLu<usize>),
    /// `P A Pᵀ = L Lᵀ`, by the lower half of the matrix: a fifth of the time.
    Positive(SymbolicLlt<usize>),
}

/// Unknowns, at most.
const UNKNOWNS: usize = 12_000;

/// The same where a contact has one: what fills in are the separators of the graph of contacts, in space as many of them as n^(2/3), so that
/// 24 000 contacts of one number take what 4600 of three do.
const UNKNOWNS_ALONE: usize = 30_000;

/// The same of matrices that are positive definite.
const UNKNOWNS_POSITIVE: usize = 120_000;

/// Numbers in the blocks, at most; of more contacts than [`UNKNOWNS`], each of one number, no more than so many a contact: those of a packing have 20, and
/// what fills in of such a matrix is known.
const NUMBERS: usize = 20_000_000;
const NUMBERS_EACH: usize = 33;

/// Whether there are no more contacts than this, each of one number, in a matrix as sparse as that of a packing.
fn alone(w: &Delassus, most: usize) -> bool {
    let n = w.contacts();
    w.dimension == 1 && n <= most && w.blocks.len() <= NUMBERS_EACH * n
}

impl<const D: usize> Equations<D> {
    /// For problems with this matrix; `None` where that would take too much room.
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

    /// The same where all matrices will be symmetric and positive definite.
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
        self.factored().is_some_and(|factors| factors.solve(x))
    }

    /// The factors of the equations as they are now, if all numbers are finite.
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

/// Factors, for any number of right sides.
pub(super) enum Factors {
    General(Box<Lu<usize, f64>>),
    Positive(Llt<usize, f64>),
}

impl Factors {
    /// Solves for `x`, in its place; whether there is an answer.
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
