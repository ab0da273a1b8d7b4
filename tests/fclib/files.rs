//! Files of our own making, dataset by dataset as FCLib's C library writes them.

use hdf5::{File, Group};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// For the time of a test. A child that another test starts just then would hold the locks of files that this one has open, and this one
/// could not open them again.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A matrix with its entries (row, column, value).
#[derive(Clone)]
pub(crate) struct Entries {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) all: Vec<(usize, usize, f64)>,
}

/// How it is to be stored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Store {
    Triplets,
    /// With room that is not used, and the first entry in two parts.
    LooseTriplets,
    Columns,
    Rows,
}

impl Entries {
    pub(crate) fn dense(rows: usize, columns: usize, of: impl Fn(usize, usize) -> f64) -> Self {
        let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let all = all.map(|(i, j)| (i, j, of(i, j))).filter(|e| e.2 != 0.0);
        Self {
            rows,
            columns,
            all: all.collect(),
        }
    }

    pub(crate) fn put(&self, file: &File, path: &str, store: Store) {
        let group = file.create_group(path).unwrap();
        let mut all = self.all.clone();
        let nz = match store {
            Store::Triplets => all.len() as i32,
            Store::LooseTriplets => {
                all[0].2 -= 0.25;
                all.push((all[0].0, all[0].1, 0.25));
                let nz = all.len() as i32;
                // Never read: beyond everything.
                all.extend([(usize::MAX, 77, f64::NAN); 3]);
                nz
            }
            Store::Columns => {
                all.sort_by_key(|e| (e.1, e.0));
                -1
            }
            Store::Rows => {
                all.sort_by_key(|e| (e.0, e.1));
                -2
            }
        };
        let starts = |lines: usize, of: &dyn Fn(&(usize, usize, f64)) -> usize| -> Vec<i32> {
            (0..=lines)
                .map(|line| all.iter().filter(|e| of(e) < line).count() as i32)
                .collect()
        };
        let (p, i): (Vec<i32>, Vec<i32>) = match store {
            Store::Columns => (
                starts(self.columns, &|e| e.1),
                all.iter().map(|e| e.0 as i32).collect(),
            ),
            Store::Rows => (
                starts(self.rows, &|e| e.0),
                all.iter().map(|e| e.1 as i32).collect(),
            ),
            _ => all.iter().map(|e| (e.1 as i32, e.0 as i32)).unzip(),
        };
        whole(&group, "nzmax", &[all.len() as i32]);
        whole(&group, "m", &[self.rows as i32]);
        whole(&group, "n", &[self.columns as i32]);
        whole(&group, "nz", &[nz]);
        whole(&group, "p", &p);
        whole(&group, "i", &i);
        real(&group, "x", &all.iter().map(|e| e.2).collect::<Vec<_>>());
    }
}

pub(crate) fn whole(group: &Group, name: &str, numbers: &[i32]) {
    group
        .new_dataset_builder()
        .with_data(numbers)
        .create(name)
        .unwrap();
}

pub(crate) fn real(group: &Group, name: &str, numbers: &[f64]) {
    group
        .new_dataset_builder()
        .with_data(numbers)
        .create(name)
        .unwrap();
}

/// A local problem.
#[derive(Clone)]
pub(crate) struct Local {
    pub(crate) dimension: i32,
    pub(crate) w: Entries,
    pub(crate) q: Vec<f64>,
    pub(crate) mu: Vec<f64>,
    pub(crate) mu_r: Option<Vec<f64>>,
}

impl Local {
    /// One body of mass 2 kg on a floor, pushed sideways: known impulses.
    pub(crate) fn block(q: [f64; 3], mu: f64) -> Self {
        Self {
            dimension: 3,
            w: Entries::dense(3, 3, |i, j| if i == j { 0.5 } else { 0.0 }),
            q: q.to_vec(),
            mu: vec![mu],
            mu_r: None,
        }
    }

    pub(crate) fn root(&self) -> &'static str {
        match self.mu_r {
            None => "fclib_local",
            Some(_) => "fclib_local_rolling",
        }
    }

    pub(crate) fn write(&self, path: &Path, store: Store) {
        let file = File::create(path).unwrap();
        let root = file.create_group(self.root()).unwrap();
        whole(&root, "spacedim", &[self.dimension]);
        self.w.put(&file, &format!("{}/W", self.root()), store);
        let vectors = root.create_group("vectors").unwrap();
        real(&vectors, "q", &self.q);
        real(&vectors, "mu", &self.mu);
        if let Some(mu_r) = &self.mu_r {
            real(&vectors, "mu_r", mu_r);
        }
    }
}

/// A folder for a test, and a file in it.
pub(crate) fn place(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    (dir, path)
}
