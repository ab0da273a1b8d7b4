//! Plain datasets of files of other programs: lists of numbers and texts, of one process.

use super::raw;
use super::read::{Reader, kind_of};
use hdf5::types::TypeDescriptor;
use hdf5::{Dataset, File, Group, H5Type};
use std::path::Path;

impl Reader {
    /// Whether the file has an object of this name.
    pub(in crate::io) fn holds(&self, path: &str) -> bool {
        let mut whole = String::new();
        // From link to link: HDF5 reports an error for a path through a missing object.
        path.split('/').all(|part| {
            if !whole.is_empty() {
                whole.push('/');
            }
            whole.push_str(part);
            self.file.link_exists(&whole)
        })
    }

    /// The names in a group.
    pub(in crate::io) fn names(&self, path: &str) -> Vec<String> {
        let group = self.file.group(path);
        group.and_then(|g| g.member_names()).unwrap_or_default()
    }

    /// Bytes of the file: an upper bound for its uncompressed contents.
    pub(in crate::io) fn length(&self) -> u64 {
        self.length
    }

    /// All numbers of a dataset of integers of any size, in a row.
    pub(in crate::io) fn integers(&self, path: &str) -> Result<Vec<i64>, String> {
        let (dataset, kind) = self.list(path)?;
        match kind {
            TypeDescriptor::Integer(_) | TypeDescriptor::Unsigned(_) => whole(&dataset, path),
            other => Err(format!(
                "{path}: must be whole numbers; found numbers of type {other}"
            )),
        }
    }

    /// All numbers of a dataset of floating-point numbers of single or double precision, in a row.
    pub(in crate::io) fn reals(&self, path: &str) -> Result<Vec<f64>, String> {
        let (dataset, kind) = self.list(path)?;
        match kind {
            TypeDescriptor::Float(_) => whole(&dataset, path),
            other => Err(format!(
                "{path}: must be floating-point numbers; found numbers of type {other}"
            )),
        }
    }

    /// A text with any bytes; invalid UTF-8 is replaced.
    pub(in crate::io) fn words(&self, path: &str) -> Result<String, String> {
        let dataset = self.dataset(path)?;
        let bytes = raw::read_text_dataset(&dataset, self.length);
        let mut bytes = bytes.map_err(|e| format!("{path}: {e}"))?;
        bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A dataset of at most one dimension, checked against the file's length, and the type of its
    /// numbers.
    fn list(&self, path: &str) -> Result<(Dataset, TypeDescriptor), String> {
        let fault = |e: hdf5::Error| format!("{path}: {e}");
        let dataset = self.dataset(path)?;
        let shape = dataset.get_shape().map_err(fault)?;
        if shape.len() > 1 {
            return Err(format!(
                "{path}: must have one dimension; found shape {shape:?}"
            ));
        }
        let kind = kind_of(&dataset).map_err(|e| format!("{path}: {e}"))?;
        let numbers: usize = shape.iter().product();
        let bytes = numbers as u128 * kind.size() as u128;
        if bytes > u128::from(self.length) {
            return Err(format!(
                "{path}: claims {numbers} numbers, {bytes} bytes; the whole file has {}",
                self.length
            ));
        }
        Ok((dataset, kind))
    }
}

fn whole<T: H5Type>(dataset: &Dataset, path: &str) -> Result<Vec<T>, String> {
    // An empty dataset is not queried: some have no place in the file.
    if dataset.size() == 0 {
        return Ok(Vec::new());
    }
    dataset
        .read_raw::<T>()
        .map_err(|e| format!("{path}: cannot be read: {e}"))
}

/// A file of plain datasets that one process writes.
///
/// It has the oldest form that HDF5 supports, so that every program reads it.
pub(in crate::io) struct Plain {
    file: File,
}

impl Plain {
    /// Creates the file, or empties it.
    pub(in crate::io) fn create(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|e| format!("cannot create it: {e}"))?;
        Ok(Self { file })
    }

    /// Opens a file to change it.
    pub(in crate::io) fn open(path: &Path) -> Result<Self, String> {
        let file = File::open_rw(path).map_err(|e| format!("cannot open it for writing: {e}"))?;
        Ok(Self { file })
    }

    /// Makes a group and its parents.
    pub(in crate::io) fn group(&self, path: &str) -> Result<(), String> {
        self.file
            .create_group(path)
            .map_err(|e| format!("{path}: cannot write: {e}"))?;
        Ok(())
    }

    /// Removes the object of this name.
    pub(in crate::io) fn remove(&self, path: &str) -> Result<(), String> {
        if !self.file.link_exists(path) {
            return Ok(());
        }
        self.file
            .unlink(path)
            .map_err(|e| format!("{path}: cannot be taken away: {e}"))
    }

    /// A list of numbers.
    pub(in crate::io) fn list<T: H5Type>(&self, path: &str, numbers: &[T]) -> Result<(), String> {
        let fault = |e: hdf5::Error| format!("{path}: cannot write: {e}");
        let dataset = self.file.new_dataset::<T>().shape([numbers.len()]);
        let dataset = dataset.create(path).map_err(fault)?;
        if numbers.is_empty() {
            return Ok(());
        }
        dataset.write_raw(numbers).map_err(fault)
    }

    /// A text in a group.
    pub(in crate::io) fn words(&self, group: &str, name: &str, text: &str) -> Result<(), String> {
        let fault = |e: hdf5::Error| format!("{group}/{name}: cannot write: {e}");
        let to: Group = self.file.group(group).map_err(fault)?;
        raw::write_text_dataset(&to, name, text).map_err(fault)
    }

    /// Writes the buffers and closes the file.
    pub(in crate::io) fn close(self) -> Result<(), String> {
        let written = self.file.flush();
        let closed = written.and_then(|()| self.file.close());
        closed.map_err(|e| format!("cannot write it to its end: {e}"))
    }
}
