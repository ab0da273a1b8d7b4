//! Reduces any kind of problem to impulses and velocities of contacts.
//!
//! All other unknowns are eliminated by a sparse factorisation. A global problem is
//! `M v = H r + G l + f`, `u = Hᵀ v + w`, `Gᵀ v + b = 0`. With `K = [M −G; Gᵀ 0]` and `B = [H; 0]`:
//! `(v, l) = K⁻¹ (B r + (f, −b))`, so `W = Bᵀ K⁻¹ B` and `q = Bᵀ K⁻¹ (f, −b) + w`. M itself may be
//! singular, if ties hold the directions that it leaves free. A local problem with ties is
//! `u = W r + V l + q`, `Vᵀ r + R l + s = 0`: `l = −R⁻¹ (Vᵀ r + s)`, so `W − V R⁻¹ Vᵀ` and
//! `q − V R⁻¹ s` replace W and q.

use crate::io::fclib::{Answer, Content, Equations, Sparse};
use crate::math::norm;
use crate::problem::{Delassus, Problem};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Lu;
use faer::sparse::{SparseColMat, Triplet};

/// Number of columns solved at once.
const BATCH: usize = 32;

/// Largest number of entries of W: 3 GiB while they are gathered.
const MOST: usize = 1 << 27;

/// A solution larger than its right-hand side by this factor, relative to the matrix, has no
/// correct digit.
const SINGULAR: f64 = 1e15;

/// A problem reduced to contacts, and the way back.
pub struct Reduced<'a> {
    /// The problem in the form of the solver.
    pub problem: Problem,
    content: &'a Content,
    /// The factorised matrix: `K` of a global problem, `R` of a local one with ties.
    factor: Option<Factor>,
    /// The indices of a contact's numbers in the problem.
    places: &'static [usize],
}

/// Brings a problem into the form of the solver.
///
/// # Errors
/// If the eliminated part is singular, or W is too large.
pub fn reduce(content: &Content) -> Result<Reduced<'_>, String> {
    let (d, places): (usize, &'static [usize]) =
        match (content.dimension, content.kind.is_rolling()) {
            (2, _) => (2, &[0, 1]),
            (3, false) => (3, &[0, 1, 2]),
            // A plane problem with couples ignores the directions out of the plane.
            (3, true) => (5, &[0, 1, 3]),
            _ => (5, &[0, 1, 2, 3, 4]),
        };
    let root = content.kind.root();
    let (entries, q, factor) = match &content.equations {
        Equations::Local { w, q, ties: None } => (w.sparse.entries().collect(), q.clone(), None),
        Equations::Local {
            w,
            q,
            ties: Some((v, r, s)),
        } => {
            let name = format!("{root}/R");
            let all: Vec<_> = r.sparse.entries().collect();
            let onto = v.sparse.transposed();
            has_room(root, &all, &onto)?;
            let factor = Factor::new(&name, r.sparse.rows, all)?;
            let out = factor.sandwich(&onto)?;
            let mut entries: Vec<_> = w.sparse.entries().collect();
            entries.extend(out.into_iter().map(|(i, j, x)| (i, j, -x)));
            let tied = factor.solve(s.iter().map(|x| -x).collect())?;
            let mut q = q.clone();
            v.sparse.add_product(&tied, &mut q);
            (entries, q, Some(factor))
        }
        Equations::Global { m, h, f, w, ties } => {
            let n = f.len();
            let mut all: Vec<(usize, usize, f64)> = m.sparse.entries().collect();
            let (mut size, mut load, mut name) = (n, f.clone(), format!("{root}/M"));
            if let Some((g, b)) = ties {
                for (i, k, x) in g.sparse.entries() {
                    all.push((i, n + k, -x));
                    all.push((n + k, i, x));
                }
                size += b.len();
                load.extend(b.iter().map(|x| -x));
                name.push_str(&format!(" with {root}/G"));
            }
            let mut onto = h.sparse.clone();
            onto.rows = size;
            onto.starts.resize(size + 1, onto.values.len());
            has_room(root, &all, &onto)?;
            let factor = Factor::new(&name, size, all)?;
            let entries = factor.sandwich(&onto)?;
            let mut q = w.clone();
            h.sparse
                .add_transposed_product(&factor.solve(load)?[..n], &mut q);
            (entries, q, Some(factor))
        }
    };
    let problem = assembled(content, d, places, entries, &q)?;
    Ok(Reduced {
        problem,
        content,
        factor,
        places,
    })
}

/// The problem with these entries and free velocities, and `d` numbers per contact.
fn assembled(
    content: &Content,
    d: usize,
    places: &[usize],
    entries: Vec<(usize, usize, f64)>,
    q: &[f64],
) -> Result<Problem, String> {
    let n = content.contacts();
    let own = content.dimension;
    let place = |row: usize| row / own * d + places[row % own];
    let mut all: Vec<(usize, usize, f64)> = (entries.into_iter().filter(|(.., x)| *x != 0.0))
        .map(|(i, j, x)| (place(i), place(j), x))
        .collect();
    if places.len() < d {
        // In these directions nothing acts, so any positive number will do.
        let out = (0..n).flat_map(|i| (0..d).map(move |k| (i * d + k, k)));
        let out = out.filter(|(_, k)| !places.contains(k));
        all.extend(out.map(|(row, _)| (row, row, 1.0)));
    }
    let mut wide = vec![0.0; n * d];
    q.iter()
        .enumerate()
        .for_each(|(row, x)| wide[place(row)] = *x);
    let rolling = match (d, content.rolling.is_empty()) {
        (5, false) => content.rolling.clone(),
        (5, true) => vec![0.0; n],
        _ => Vec::new(),
    };
    let problem = Problem {
        matrix: Delassus::from_entries(d, n, all)?,
        q: wide,
        friction: content.friction.clone(),
        rolling,
    };
    match problem.fault() {
        Some(fault) => Err(format!("{}: {fault}", content.kind.root())),
        None => Ok(problem),
    }
}

impl Reduced<'_> {
    /// A solution in the file's terms, from impulses and velocities of the solver.
    ///
    /// # Errors
    /// If velocities of bodies are not finite.
    pub fn answer(&self, impulse: &[f64], velocity: &[f64]) -> Result<Answer, String> {
        let (r, u) = (self.narrowed(impulse), self.narrowed(velocity));
        let mut answer = Answer {
            u,
            r,
            ..Answer::default()
        };
        match (&self.content.equations, &self.factor) {
            (Equations::Local { ties, .. }, Some(factor)) => {
                if let Some((v, _, s)) = ties {
                    let mut load = s.clone();
                    v.sparse.add_transposed_product(&answer.r, &mut load);
                    answer.l = factor.solve(load.iter().map(|x| -x).collect())?;
                }
            }
            (Equations::Global { h, f, ties, .. }, Some(factor)) => {
                let mut load = f.clone();
                h.sparse.add_product(&answer.r, &mut load);
                if let Some((_, b)) = ties {
                    load.extend(b.iter().map(|x| -x));
                }
                answer.v = factor.solve(load)?;
                answer.l = answer.v.split_off(f.len());
            }
            (_, None) => {}
        }
        Ok(answer)
    }

    /// Impulses of the file in the solver's terms, if their number is right and all are finite.
    #[must_use]
    pub fn guess(&self, answer: &Answer) -> Option<Vec<f64>> {
        let own = self.content.dimension;
        let fits = answer.r.len() == self.content.contacts() * own;
        if !fits || answer.r.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let d = self.problem.matrix.dimension;
        let mut wide = vec![0.0; self.problem.q.len()];
        for (row, x) in answer.r.iter().enumerate() {
            wide[row / own * d + self.places[row % own]] = *x;
        }
        Some(wide)
    }

    /// Siconos' error of a solution of a global problem, from the error `abs` of its contacts.
    ///
    /// `|f + H r + G l − M v| / max(|f|, |M v|, |H r|) + abs / max(|u|, |r|)`. `None` for local
    /// problems.
    #[must_use]
    pub fn global_error(&self, answer: &Answer, abs: f64) -> Option<f64> {
        let Equations::Global { m, h, f, ties, .. } = &self.content.equations else {
            return None;
        };
        let n = f.len();
        let (mut of_m, mut of_h) = (vec![0.0; n], vec![0.0; n]);
        m.sparse.add_product(&answer.v, &mut of_m);
        h.sparse.add_product(&answer.r, &mut of_h);
        let mut left: Vec<f64> = (0..n).map(|i| f[i] + of_h[i] - of_m[i]).collect();
        if let Some((g, _)) = ties {
            g.sparse.add_product(&answer.l, &mut left);
        }
        let scaled = |a: f64, b: f64| if b > f64::EPSILON { a / b } else { a };
        let motion = norm(f).max(norm(&of_m)).max(norm(&of_h));
        let contact = norm(&answer.u).max(norm(&answer.r));
        Some(scaled(norm(&left), motion) + scaled(abs, contact))
    }

    fn narrowed(&self, wide: &[f64]) -> Vec<f64> {
        let contacts = wide.chunks(self.problem.matrix.dimension);
        contacts
            .flat_map(|one| self.places.iter().map(|&k| one[k]))
            .collect()
    }
}

/// A factorised square matrix.
struct Factor {
    name: String,
    size: usize,
    /// Its largest sum of absolute values in a row.
    norm: f64,
    lu: Option<Lu<usize, f64>>,
}

impl Factor {
    fn new(name: &str, size: usize, entries: Vec<(usize, usize, f64)>) -> Result<Self, String> {
        let mut rows = vec![0.0; size];
        entries.iter().for_each(|(i, _, x)| rows[*i] += x.abs());
        let triplets: Vec<_> = entries
            .into_iter()
            .map(|(row, col, val)| Triplet { row, col, val })
            .collect();
        let fault = |e: String| format!("{name}: cannot be factorised: {e}");
        let lu = if size == 0 {
            None
        } else {
            let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &triplets)
                .map_err(|e| fault(e.to_string()))?;
            drop(triplets);
            Some(matrix.sp_lu().map_err(|e| fault(e.to_string()))?)
        };
        Ok(Self {
            name: name.to_owned(),
            size,
            norm: rows.into_iter().fold(0.0, f64::max),
            lu,
        })
    }

    /// `K⁻¹ b`.
    fn solve(&self, mut b: Vec<f64>) -> Result<Vec<f64>, String> {
        self.solve_in_place(&mut b)?;
        Ok(b)
    }

    /// The same for several columns, one after the other.
    fn solve_in_place(&self, columns: &mut [f64]) -> Result<(), String> {
        let Some(lu) = &self.lu else {
            return Ok(());
        };
        let size = self.size;
        let before: Vec<f64> = columns.chunks(size).map(largest).collect();
        let number = columns.len() / size;
        lu.solve_in_place(faer::MatMut::from_column_major_slice_mut(
            columns, size, number,
        ));
        for (after, before) in columns.chunks(size).map(largest).zip(before) {
            // A NaN fails the comparison.
            let sound = after * self.norm <= SINGULAR * before;
            if !sound {
                return Err(format!(
                    "{} must be a regular matrix; found a singular one",
                    self.name
                ));
            }
        }
        Ok(())
    }

    /// `Bᵀ K⁻¹ B`, entry by entry.
    fn sandwich(&self, b: &Sparse) -> Result<Vec<(usize, usize, f64)>, String> {
        let turned = b.transposed();
        let mut entries = Vec::new();
        let mut sums = vec![0.0; b.columns];
        let mut touched: Vec<usize> = Vec::new();
        for first in (0..b.columns).step_by(BATCH) {
            let columns = first..(first + BATCH).min(b.columns);
            let mut solved = vec![0.0; self.size * columns.len()];
            for column in columns.clone() {
                let own = &mut solved[(column - first) * self.size..];
                turned.row(column).for_each(|(row, x)| own[row] = x);
            }
            self.solve_in_place(&mut solved)?;
            for column in columns {
                let own = &solved[(column - first) * self.size..][..self.size];
                for (row, x) in own.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    for (to, y) in b.row(row) {
                        if sums[to] == 0.0 {
                            touched.push(to);
                        }
                        sums[to] += x * y;
                    }
                }
                for to in touched.drain(..) {
                    let sum = std::mem::take(&mut sums[to]);
                    if sum != 0.0 {
                        entries.push((to, column, sum));
                    }
                }
            }
        }
        Ok(entries)
    }
}

/// Checks that `Bᵀ K⁻¹ B` fits into memory, before it is computed.
///
/// Two columns of B are coupled if K couples entries of the one, directly or through others, with
/// entries of the other.
fn has_room(root: &str, k: &[(usize, usize, f64)], b: &Sparse) -> Result<(), String> {
    // The coupled rows of K; each row refers to one that represents its part.
    let mut parts: Vec<usize> = (0..b.rows).collect();
    fn part(parts: &mut [usize], mut row: usize) -> usize {
        while parts[row] != row {
            parts[row] = parts[parts[row]];
            row = parts[row];
        }
        row
    }
    for &(i, j, x) in k {
        if x != 0.0 {
            let (i, j) = (part(&mut parts, i), part(&mut parts, j));
            parts[i] = j;
        }
    }
    // Pairs (part, column of B), each once.
    let mut pairs = Vec::with_capacity(b.values.len());
    for row in 0..b.rows {
        let own = part(&mut parts, row);
        pairs.extend(b.row(row).map(|(column, _)| (own as u32, column as u32)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut touched: Vec<(u32, u32)> = pairs.iter().map(|&(part, column)| (column, part)).collect();
    touched.sort_unstable();
    let of = |part: u32| {
        let from = pairs.partition_point(|x| x.0 < part);
        let to = pairs.partition_point(|x| x.0 <= part);
        &pairs[from..to]
    };
    // Pairs of columns that meet, each once: at most as many steps as entries up to the bound, or
    // that times the parts of a column.
    let mut met = vec![u32::MAX; b.columns];
    let mut count = 0usize;
    for column in touched.chunk_by(|a, b| a.0 == b.0) {
        for &(column, part) in column {
            for &(_, other) in of(part) {
                if met[other as usize] != column {
                    met[other as usize] = column;
                    count += 1;
                }
            }
        }
        if count > MOST {
            return Err(format!(
                "{root}: the matrix W, of {0} × {0} numbers, must have at most {MOST} that are not zero; \
                 found more, as its contacts share bodies or ties",
                b.columns
            ));
        }
    }
    Ok(())
}

/// The largest absolute value; NaN if one is NaN.
fn largest(of: &[f64]) -> f64 {
    of.iter()
        .fold(0.0, |most, x| crate::math::nan_max(most, x.abs()))
}
