//! Sparse matrices as FCLib stores them: triplets, compressed columns or rows, whole or half.

use crate::io::hdf::Reader;

/// A sparse matrix by rows, with ascending columns in each and no entry twice.
///
/// Stored entries may be zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Index of the first entry of each row, and the number of entries: one number more than rows.
    pub starts: Vec<usize>,
    /// The column of each entry.
    pub indices: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
}

/// How a file stores a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `nz ≥ 0`: rows in `i`, columns in `p`.
    Triplets,
    /// `nz = −1`: compressed columns, rows in `i`.
    Columns,
    /// `nz = −2`: compressed rows, columns in `i`.
    Rows,
}

/// A matrix, and the form in which it was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The whole matrix.
    pub sparse: Sparse,
    /// The form in the file.
    pub form: Form,
    /// Whether only one triangle of a symmetric matrix was stored.
    pub half: bool,
}

impl Sparse {
    /// A matrix from entries (row, column, value) in any order. Entries of the same place are
    /// summed.
    ///
    /// All rows and columns must be within the matrix.
    #[must_use]
    pub fn new(rows: usize, columns: usize, mut entries: Vec<(u32, u32, f64)>) -> Self {
        // A stable sort, so that sums are taken in the order of the file.
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut matrix = Self {
            rows,
            columns,
            starts: vec![0; rows + 1],
            indices: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };
        let mut last = None;
        for (row, column, value) in entries {
            if last == Some((row, column)) {
                if let Some(sum) = matrix.values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((row, column));
            matrix.indices.push(column);
            matrix.values.push(value);
            matrix.starts[row as usize + 1] = matrix.values.len();
        }
        for row in 0..rows {
            matrix.starts[row + 1] = matrix.starts[row + 1].max(matrix.starts[row]);
        }
        matrix
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.indices[range.clone()].iter().map(|&c| c as usize);
        columns.zip(self.values[range].iter().copied())
    }

    /// All entries: row, column, value.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        (0..self.rows).flat_map(|row| self.row(row).map(move |(column, x)| (row, column, x)))
    }

    /// `y ← y + A x`.
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        for (row, y) in y.iter_mut().enumerate() {
            *y += self.row(row).map(|(k, a)| a * x[k]).sum::<f64>();
        }
    }

    /// `y ← y + Aᵀ x`.
    pub fn add_transposed_product(&self, x: &[f64], y: &mut [f64]) {
        for (row, column, a) in self.entries() {
            y[column] += a * x[row];
        }
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let turned = self
            .entries()
            .map(|(row, column, x)| (column as u32, row as u32, x));
        Self::new(self.columns, self.rows, turned.collect())
    }

    /// `|A − Aᵀ|/|A|` in the Frobenius norm; 0 for a zero matrix.
    #[must_use]
    pub fn asymmetry(&self) -> f64 {
        let turned = self
            .transposed()
            .entries()
            .map(|(i, j, x)| (i as u32, j as u32, -x))
            .collect::<Vec<_>>();
        let own = self.entries().map(|(i, j, x)| (i as u32, j as u32, x));
        let difference = Self::new(
            self.rows.max(self.columns),
            self.rows.max(self.columns),
            own.chain(turned).collect(),
        );
        let norm = |of: &Self| of.values.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm(self) == 0.0 {
            0.0
        } else {
            norm(&difference) / norm(self)
        }
    }

    /// Whether it is square, has off-diagonal entries, and all of these are on one side of the
    /// diagonal.
    ///
    /// Such a matrix is the stored half of a symmetric one, as neither a mass matrix nor a Delassus
    /// operator is triangular.
    fn is_half(&self) -> bool {
        let nonzero = || self.entries().filter(|(.., x)| *x != 0.0);
        let (upper, lower) = (
            nonzero().any(|(i, j, _)| j > i),
            nonzero().any(|(i, j, _)| j < i),
        );
        self.rows == self.columns && upper != lower
    }

    /// The symmetric matrix of which this is one half.
    fn completed(&self) -> Self {
        let all = self.entries().flat_map(|(i, j, x)| {
            let (i, j) = (i as u32, j as u32);
            [Some((i, j, x)), (i != j).then_some((j, i, x))]
        });
        Self::new(self.rows, self.columns, all.flatten().collect())
    }
}

impl Matrix {
    /// Reads the matrix of a group. `symmetric`: half of it may be stored.
    pub(super) fn read(file: &Reader, group: &str, symmetric: bool) -> Result<Self, String> {
        let path = |name: &str| format!("{group}/{name}");
        let size = |name: &str| {
            let number = single(file, &path(name))?;
            // A valid matrix comes with a vector of as many numbers, so the file has at least that
            // length.
            match usize::try_from(number) {
                Ok(n) if n as u64 <= file.length() && u32::try_from(n).is_ok() => Ok(n),
                _ => Err(format!(
                    "{}: must be from 0 to the largest size that a file of {} bytes can hold; found {number}",
                    path(name),
                    file.length()
                )),
            }
        };
        let (rows, columns) = (size("m")?, size("n")?);
        let nz = single(file, &path("nz"))?;
        let form = match nz {
            0.. => Form::Triplets,
            -1 => Form::Columns,
            -2 => Form::Rows,
            _ => {
                return Err(format!(
                    "{}: must be the number of triplets, −1 for compressed columns, or −2 for compressed rows; found {nz}",
                    path("nz")
                ));
            }
        };
        let (p, i, x) = (
            file.integers(&path("p"))?,
            file.integers(&path("i"))?,
            file.reals(&path("x"))?,
        );
        let lists = Lists { p, i, x };
        let entries = match form {
            Form::Triplets => lists.triplets(&path, nz as u64, [rows, columns])?,
            Form::Columns => lists.compressed(&path, [columns, rows])?,
            Form::Rows => lists.compressed(&path, [rows, columns])?,
        };
        let turned = |(a, b, x)| match form {
            Form::Columns => (b, a, x),
            Form::Rows | Form::Triplets => (a, b, x),
        };
        let sparse = Sparse::new(rows, columns, entries.into_iter().map(turned).collect());
        if let Some((i, j, x)) = sparse.entries().find(|(.., x)| !x.is_finite()) {
            return Err(format!(
                "{}: must be finite; found {x} in row {i}, column {j}",
                path("x")
            ));
        }
        let half = symmetric && sparse.is_half();
        let sparse = if half { sparse.completed() } else { sparse };
        Ok(Self { sparse, form, half })
    }
}

/// The one number of a dataset.
pub(super) fn single(file: &Reader, path: &str) -> Result<i64, String> {
    match file.integers(path)?[..] {
        [number] => Ok(number),
        ref all => Err(format!("{path}: must be one number; found {}", all.len())),
    }
}

/// The three datasets of a matrix.
struct Lists {
    p: Vec<i64>,
    i: Vec<i64>,
    x: Vec<f64>,
}

impl Lists {
    /// Entries (row, column, value). Numbers beyond `nz` are unused.
    fn triplets(
        &self,
        path: &dyn Fn(&str) -> String,
        nz: u64,
        [rows, columns]: [usize; 2],
    ) -> Result<Vec<(u32, u32, f64)>, String> {
        let shortest = self.p.len().min(self.i.len()).min(self.x.len());
        if nz > shortest as u64 {
            return Err(format!(
                "{}: must be at most {shortest}, as p has {}, i {}, x {} numbers; found {nz}",
                path("nz"),
                self.p.len(),
                self.i.len(),
                self.x.len()
            ));
        }
        let all = self.i.iter().zip(&self.p).zip(&self.x).take(nz as usize);
        let entry = |((&row, &column), &x): ((&i64, &i64), &f64)| {
            let row = place(row, rows, &path("i"), "row")?;
            Ok((row, place(column, columns, &path("p"), "column")?, x))
        };
        all.map(entry).collect()
    }

    /// Entries (major, minor, value) of a matrix compressed along its major direction.
    ///
    /// `sizes` has the same order.
    fn compressed(
        &self,
        path: &dyn Fn(&str) -> String,
        [major, minor]: [usize; 2],
    ) -> Result<Vec<(u32, u32, f64)>, String> {
        if self.p.len() != major + 1 {
            let (has, wants) = (self.p.len(), major + 1);
            return Err(format!(
                "{}: must have {wants} numbers; found {has}",
                path("p")
            ));
        }
        let room = self.i.len().min(self.x.len());
        let starts: Option<Vec<usize>> = (self.p.iter())
            .map(|&start| usize::try_from(start).ok().filter(|&s| s <= room))
            .collect();
        let Some(starts) = starts.filter(|s| s[0] == 0 && s.is_sorted()) else {
            return Err(format!(
                "{}: starts must ascend from 0 to at most {room}, the number of entries of i and x",
                path("p")
            ));
        };
        let mut entries = Vec::with_capacity(starts[major]);
        for (line, range) in starts.windows(2).enumerate() {
            for k in range[0]..range[1] {
                let at = place(self.i[k], minor, &path("i"), "index")?;
                entries.push((line as u32, at, self.x[k]));
            }
        }
        Ok(entries)
    }
}

fn place(index: i64, size: usize, path: &str, what: &str) -> Result<u32, String> {
    match u32::try_from(index) {
        Ok(k) if (k as usize) < size => Ok(k),
        _ => Err(format!(
            "{path}: {what} must be at least 0 and below {size}; found {index}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, entries: &[(u32, u32, f64)]) -> Sparse {
        Sparse::new(rows, columns, entries.to_vec())
    }

    #[test]
    fn entries_of_one_place_are_summed() {
        let a = matrix(3, 2, &[(2, 1, 1.0), (0, 0, 2.0), (2, 1, 0.5), (2, 0, 3.0)]);
        assert_eq!(a.starts, [0, 1, 1, 3]);
        let entries: Vec<_> = a.entries().collect();
        assert_eq!(entries, [(0, 0, 2.0), (2, 0, 3.0), (2, 1, 1.5)]);
        assert_eq!(a.transposed().transposed(), a);
        let (mut y, mut z) = (vec![0.0; 3], vec![0.0; 2]);
        a.add_product(&[1.0, 10.0], &mut y);
        a.add_transposed_product(&[1.0, 1.0, 1.0], &mut z);
        assert_eq!((&y[..], &z[..]), (&[2.0, 0.0, 18.0][..], &[5.0, 1.5][..]));
    }

    /// One triangle is half a matrix; a diagonal, or entries on both sides, is a whole one.
    #[test]
    fn a_half_is_distinguished_from_a_whole() {
        let upper = matrix(2, 2, &[(0, 0, 1.0), (0, 1, 2.0), (1, 1, 3.0)]);
        let whole = matrix(2, 2, &[(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 3.0)]);
        assert!(upper.is_half() && upper.transposed().is_half());
        assert_eq!(upper.completed(), whole);
        assert_eq!(upper.transposed().completed(), whole);
        let diagonal = matrix(2, 2, &[(0, 0, 1.0), (1, 1, 3.0)]);
        assert!(!whole.is_half() && !diagonal.is_half());
        assert!(!matrix(1, 2, &[(0, 1, 1.0)]).is_half(), "not square");
        assert_eq!((whole.asymmetry(), diagonal.asymmetry()), (0.0, 0.0));
        assert!((upper.asymmetry() - (8.0f64 / 14.0).sqrt()).abs() < 1e-15);
    }
}
