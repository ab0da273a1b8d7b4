//! The Delassus operator, by rows of blocks.

/// W by rows of blocks, each of `dimension × dimension` numbers, row by row.
///
/// The columns of a row ascend, and it has a diagonal block.
#[derive(Clone, Debug, PartialEq)]
pub struct Delassus {
    /// Numbers per contact: 1 (N), 2 (N, T), 3 (N, T1, T2) or 5 (N, T1, T2, M1, M2).
    pub dimension: usize,
    /// Index of the first block of each row of contacts, and the end of the last row.
    pub starts: Vec<usize>,
    /// The contact of each block's columns.
    pub columns: Vec<u32>,
    /// The numbers of the blocks.
    pub blocks: Vec<f64>,
}

impl Delassus {
    /// W from single entries `(row, column, value)`.
    ///
    /// Entries at the same place are summed; missing diagonal blocks become zero.
    ///
    /// # Errors
    /// If an entry lies outside, or the dimension is none of 1, 2, 3, 5.
    pub fn from_entries(
        dimension: usize,
        contacts: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, String> {
        if ![1, 2, 3, 5].contains(&dimension) {
            return Err(format!(
                "the numbers per contact must be 1, 2, 3 or 5; found {dimension}"
            ));
        }
        let (size, area) = (dimension * contacts, dimension * dimension);
        let mut placed: Vec<(u32, u32, u32, f64)> = Vec::new();
        for (row, column, value) in entries {
            if row >= size || column >= size {
                return Err(format!(
                    "the entries of W must be inside {size} by {size}; found ({row}, {column})"
                ));
            }
            let inside = dimension * (row % dimension) + column % dimension;
            let of = |x: usize| (x / dimension) as u32;
            placed.push((of(row), of(column), inside as u32, value));
        }
        placed.extend((0..contacts as u32).map(|i| (i, i, 0, 0.0)));
        // The sort is stable: entries at one place are summed in the order in which they came.
        placed.sort_by_key(|&(row, column, ..)| (row, column));
        let mut starts = Vec::with_capacity(contacts + 1);
        let (mut columns, mut blocks): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
        starts.push(0);
        let mut last = None;
        for (row, column, inside, value) in placed {
            if last != Some((row, column)) {
                while starts.len() <= row as usize {
                    starts.push(columns.len());
                }
                columns.push(column);
                blocks.resize(blocks.len() + area, 0.0);
                last = Some((row, column));
            }
            let at = blocks.len() - area + inside as usize;
            blocks[at] += value;
        }
        starts.resize(contacts + 1, columns.len());
        Ok(Self {
            dimension,
            starts,
            columns,
            blocks,
        })
    }

    /// Number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The diagonal block of a contact; zeros if it is missing.
    #[must_use]
    pub fn diagonal(&self, contact: usize) -> &[f64] {
        const NONE: [f64; 25] = [0.0; 25];
        let (from, to) = (self.starts[contact], self.starts[contact + 1]);
        let area = self.dimension * self.dimension;
        match self.columns[from..to].binary_search(&(contact as u32)) {
            Ok(k) => &self.blocks[(from + k) * area..][..area],
            Err(_) => &NONE[..area],
        }
    }

    /// The largest difference between the two halves, in units of the largest number; 0 for a
    /// matrix of zeros.
    #[must_use]
    pub(super) fn asymmetry(&self) -> f64 {
        let (d, area) = (self.dimension, self.dimension.pow(2));
        let (mut off, mut most) = (0.0f64, 0.0f64);
        for i in 0..self.contacts() {
            for at in self.starts[i]..self.starts[i + 1] {
                let j = self.columns[at] as usize;
                let row = self.starts[j]..self.starts[j + 1];
                let turned = self.columns[row.clone()].binary_search(&(i as u32));
                for (place, x) in self.blocks[at * area..][..area].iter().enumerate() {
                    let (k, l) = (place / d, place % d);
                    let other =
                        turned.map_or(0.0, |at| self.blocks[(row.start + at) * area + l * d + k]);
                    off = off.max((x - other).abs());
                    most = most.max(x.abs());
                }
            }
        }
        if most > 0.0 { off / most } else { 0.0 }
    }

    /// The rows and columns of normal impulses.
    #[must_use]
    pub(super) fn normal(&self) -> Self {
        let blocks = self.blocks.chunks_exact(self.dimension.pow(2));
        Self {
            dimension: 1,
            starts: self.starts.clone(),
            columns: self.columns.clone(),
            blocks: blocks.map(|block| block[0]).collect(),
        }
    }

    /// `out = W r + q`.
    pub fn apply(&self, r: &[f64], q: &[f64], out: &mut [f64]) {
        match self.dimension {
            1 => self.apply_by::<1>(r, q, out),
            2 => self.apply_by::<2>(r, q, out),
            3 => self.apply_by::<3>(r, q, out),
            _ => self.apply_by::<5>(r, q, out),
        }
    }

    fn apply_by<const D: usize>(&self, r: &[f64], q: &[f64], out: &mut [f64]) {
        let (r, _) = r.as_chunks::<D>();
        let (q, _) = q.as_chunks::<D>();
        let (out, _) = out.as_chunks_mut::<D>();
        for (i, (out, q)) in out.iter_mut().zip(q).enumerate() {
            *out = self.row_times::<D>(i, r, *q);
        }
    }

    /// `start + Σ_j W_ij r_j`.
    #[inline(always)]
    pub(super) fn row_times<const D: usize>(
        &self,
        row: usize,
        r: &[[f64; D]],
        start: [f64; D],
    ) -> [f64; D] {
        let (from, to) = (self.starts[row], self.starts[row + 1]);
        let blocks = self.blocks[from * D * D..to * D * D].chunks_exact(D * D);
        let mut sum = start;
        for (block, &column) in blocks.zip(&self.columns[from..to]) {
            let r = &r[column as usize];
            for (a, sum) in sum.iter_mut().enumerate() {
                let row = &block[a * D..a * D + D];
                let mut part = row[0] * r[0];
                for b in 1..D {
                    part += row[b] * r[b];
                }
                *sum += part;
            }
        }
        sum
    }

    /// The fault of the matrix, if it has one.
    pub(super) fn fault(&self) -> Option<String> {
        let (n, d) = (self.contacts(), self.dimension);
        if ![1, 2, 3, 5].contains(&d) {
            return Some(format!(
                "the numbers per contact must be 1, 2, 3 or 5; found {d}"
            ));
        }
        let ends = (self.starts.first(), self.starts.last());
        let ascend = self.starts.windows(2).all(|s| s[0] <= s[1]);
        if ends != (Some(&0), Some(&self.columns.len())) || !ascend {
            return Some(
                "each row of W must begin at the end of the row before; found other starts"
                    .to_owned(),
            );
        }
        if self.blocks.len() != self.columns.len() * d * d {
            return Some("W must have as many blocks as columns; found another number".to_owned());
        }
        for row in 0..n {
            let columns = &self.columns[self.starts[row]..self.starts[row + 1]];
            let ascend = columns.windows(2).all(|c| c[0] < c[1]);
            if !ascend || columns.last().is_some_and(|&c| c as usize >= n) {
                return Some(format!(
                    "the columns of contact {row} must ascend below {n}; found others"
                ));
            }
            if columns.binary_search(&(row as u32)).is_err() {
                return Some(format!(
                    "W must have a diagonal block for each contact; found none for contact {row}"
                ));
            }
        }
        let wrong = self.blocks.iter().position(|x| !x.is_finite())?;
        Some(format!(
            "the numbers of W must be finite; found {}",
            self.blocks[wrong]
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries in any order, two at one place, a contact without entries: the product is that of
    /// the dense matrix.
    #[test]
    fn entries_become_blocks() {
        let entries = [
            (4, 1, 2.0),
            (0, 0, 1.0),
            (1, 0, 0.5),
            (4, 1, -0.25),
            (0, 5, 3.0),
            (5, 5, 4.0),
        ];
        let w = Delassus::from_entries(2, 4, entries).unwrap();
        assert_eq!(w.starts, [0, 2, 3, 5, 6]);
        assert_eq!(w.columns, [0, 2, 1, 0, 2, 3]);
        assert_eq!(w.diagonal(0), [1.0, 0.0, 0.5, 0.0]);
        assert_eq!(w.diagonal(3), [0.0; 4]);
        let r: Vec<f64> = (1..=8).map(f64::from).collect();
        let q: Vec<f64> = (0..8).map(|i| 10.0 * f64::from(i)).collect();
        let mut dense = q.clone();
        for (i, j, x) in entries {
            dense[i] += x * r[j];
        }
        let mut out = vec![f64::NAN; 8];
        w.apply(&r, &q, &mut out);
        assert_eq!(out, dense);
        assert_eq!(w.fault(), None);
    }

    #[test]
    fn faults_are_named() {
        assert!(Delassus::from_entries(4, 1, []).is_err());
        assert!(Delassus::from_entries(3, 1, [(0, 3, 1.0)]).is_err());
        let good = Delassus::from_entries(3, 2, [(0, 3, 1.0)]).unwrap();
        let mut bad = good.clone();
        bad.blocks[2] = f64::NAN;
        assert!(bad.fault().unwrap().contains("NaN"));
        let mut bad = good.clone();
        bad.columns[1] = 2;
        assert!(bad.fault().unwrap().contains("ascend"));
        let mut bad = good.clone();
        bad.columns[2] = 0;
        assert!(bad.fault().unwrap().contains("diagonal"));
        let mut bad = good;
        bad.starts[1] = 9;
        assert!(bad.fault().is_some());
    }
}
