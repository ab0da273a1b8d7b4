//! Reads a file on one rank.

use super::raw::{self, Slab};
use super::{Element, Table};
use hdf5::types::TypeDescriptor;
use hdf5::{Attribute, Dataset, File, H5Type, Location};
use std::ops::Range;
use std::path::Path;

/// HDF5's compression holds at most this many times the bytes of a file.
pub(in crate::io) const SMALLEST_SHARE: u64 = 1100;

const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// A file open for reading on this rank. Nothing here is collective.
pub(in crate::io) struct Reader {
    pub(super) file: File,
    /// Bytes of the file: an upper bound for any dataset or text.
    pub(super) length: u64,
}

impl Reader {
    /// Opens the file, if it is one of HDF5's.
    pub(in crate::io) fn open(path: &Path) -> Result<Self, String> {
        let cannot = |e: std::io::Error| format!("cannot read it: {e}");
        // Before it is opened: opening a pipe waits for its other end.
        let about = std::fs::metadata(path).map_err(cannot)?;
        if !about.is_file() {
            return Err("cannot read it: not a file".into());
        }
        let mut plain = std::fs::File::open(path).map_err(cannot)?;
        let mut start = [0; SIGNATURE.len()];
        let read = std::io::Read::read_exact(&mut plain, &mut start);
        if read.is_err() || start != SIGNATURE {
            return Err("not an HDF5 file (it does not start with HDF5's signature)".into());
        }
        let file = File::open(path).map_err(|e| {
            let why = e.to_string();
            match why.contains("unable to lock file") {
                true => format!(
                    "cannot be locked by HDF5: {why}; HDF5_USE_FILE_LOCKING=FALSE in the \
                     environment reads files on a file system without locks"
                ),
                false => format!("damaged or incomplete HDF5 file: {why}"),
            }
        })?;
        Ok(Self {
            file,
            length: about.len(),
        })
    }

    /// A number attached to the file.
    pub(in crate::io) fn number<T: H5Type>(&self, name: &str) -> Result<T, String> {
        let attribute = attribute(&self.file, "", name)?;
        let (found, expected) = (kind_of(&attribute), T::type_descriptor());
        if found.as_ref() != Ok(&expected) || !attribute.is_scalar() {
            return Err(format!(
                "attribute `{name}`: must be one number of type {expected}"
            ));
        }
        attribute
            .read_scalar()
            .map_err(|e| format!("attribute `{name}`: {e}"))
    }

    /// Whether a number or text of this name is attached to the file.
    pub(in crate::io) fn has(&self, name: &str) -> bool {
        self.file.attr(name).is_ok()
    }

    /// A text attached to the file.
    pub(in crate::io) fn text(&self, name: &str) -> Result<String, String> {
        read_text(&self.file, "", name, self.length)
    }

    /// A text attached to a dataset.
    pub(in crate::io) fn text_of(&self, path: &str, name: &str) -> Result<String, String> {
        let dataset = self.dataset(path)?;
        read_text(&dataset, path, name, self.length)
    }

    /// Rows of a dataset.
    pub(in crate::io) fn rows(&self, path: &str) -> Result<u64, String> {
        let shape = self
            .dataset(path)?
            .get_shape()
            .map_err(|e| format!("{path}: {e}"))?;
        shape
            .first()
            .map(|&rows| rows as u64)
            .ok_or_else(|| format!("{path}: must have rows; found a single value"))
    }

    /// The type of the numbers of a dataset, their number in a row, and the number of rows.
    pub(in crate::io) fn form(&self, path: &str) -> Result<(Element, usize, u64), String> {
        let dataset = self.dataset(path)?;
        let found = kind_of(&dataset).map_err(|e| format!("{path}: {e}"))?;
        let shape = dataset.get_shape().map_err(|e| format!("{path}: {e}"))?;
        match (Element::of(&found), shape.as_slice()) {
            (Some(element), &[rows]) => Ok((element, 1, rows as u64)),
            (Some(element), &[rows, width]) => Ok((element, width, rows as u64)),
            _ => Err(format!(
                "{path}: must be a list or a table of numbers; found {found} of shape {shape:?}"
            )),
        }
    }

    /// Checks that a dataset has the required form, and that the file is long enough to hold it.
    pub(in crate::io) fn check(&self, table: &Table) -> Result<(), String> {
        let path = table.path;
        let dataset = self.dataset(path)?;
        let found = kind_of(&dataset).map_err(|e| format!("{path}: {e}"))?;
        let expected = table.element.descriptor();
        if found != expected {
            return Err(format!(
                "{path}: must be numbers of type {expected}; found {found}"
            ));
        }
        let shape = dataset.get_shape().map_err(|e| format!("{path}: {e}"))?;
        if shape != table.shape(table.rows) {
            return Err(format!(
                "{path}: shape must be {:?}; found {shape:?}",
                table.shape(table.rows)
            ));
        }
        let bytes = u128::from(table.rows) * table.row_bytes() as u128;
        if bytes > u128::from(self.length) {
            return Err(format!(
                "{path}: claims {} rows, {bytes} bytes; the whole file has {}",
                table.rows, self.length
            ));
        }
        Ok(())
    }

    /// Some rows of a dataset that has been [checked](Self::check).
    pub(in crate::io) fn read(&self, table: &Table, rows: Range<u64>) -> Result<Vec<u8>, String> {
        let dataset = self.dataset(table.path)?;
        let bytes = (rows.end - rows.start) as usize * table.row_bytes();
        Slab::new(&dataset, table, rows.start, bytes)
            .and_then(|slab| slab.read())
            .map_err(|e| {
                format!(
                    "{}: cannot read rows {} to {}: {e}",
                    table.path, rows.start, rows.end
                )
            })
    }

    /// All numbers of a dataset of this many numbers in a row, as another type if need be.
    pub(in crate::io) fn numbers<T: H5Type>(
        &self,
        path: &str,
        width: usize,
        rows: u64,
    ) -> Result<Vec<T>, String> {
        let limit = self.length.saturating_mul(SMALLEST_SHARE);
        numbers(&self.dataset(path)?, width, (0, rows), limit)
    }

    pub(super) fn dataset(&self, path: &str) -> Result<Dataset, String> {
        if !self.file.link_exists(path) {
            return Err(format!("dataset {path} is missing"));
        }
        self.file.dataset(path).map_err(|e| format!("{path}: {e}"))
    }
}

/// Some rows of a dataset, if files of at most `limit` bytes, unpacked, can hold them.
///
/// `rows` are the first one and their number.
pub(in crate::io) fn numbers<T: H5Type>(
    dataset: &Dataset,
    width: usize,
    (first, rows): (u64, u64),
    limit: u64,
) -> Result<Vec<T>, String> {
    let path = dataset.name();
    let path = path.trim_start_matches('/');
    let shape = dataset.shape();
    let kind = kind_of(dataset).map_err(|e| format!("{path}: {e}"))?;
    let element =
        Element::of(&kind).ok_or_else(|| format!("{path}: must be numbers; found {kind}"))?;
    let there = match *shape.as_slice() {
        [all] if width == 1 => all as u64,
        [all, found] if width == found => all as u64,
        _ => {
            return Err(format!(
                "{path}: must have rows of {width}; found shape {shape:?}"
            ));
        }
    };
    if first.checked_add(rows).is_none_or(|end| end > there) {
        return Err(format!(
            "{path}: must have {rows} rows from row {first} on; found {there} rows in all"
        ));
    }
    let bytes = u128::from(rows) * (width * element.bytes()) as u128;
    if bytes > u128::from(limit) {
        return Err(format!(
            "{path}: must have at most the rows that its files can hold; found {rows}"
        ));
    }
    let range: Range<usize> = first as usize..(first + rows) as usize;
    let read = match width {
        1 => dataset
            .read_slice_1d::<T, _>(range)
            .map(|a| a.into_raw_vec_and_offset().0),
        _ => {
            let both = vec![range.into(), hdf5::SliceOrIndex::from(0..width)];
            dataset
                .read_slice_2d::<T, _>(hdf5::Hyperslab::from(both))
                .map(|a| a.into_raw_vec_and_offset().0)
        }
    };
    read.map_err(|e| format!("{path}: {e}"))
}

/// The type of the numbers of a dataset or attribute.
pub(super) fn kind_of(of: &hdf5::Container) -> Result<TypeDescriptor, String> {
    of.dtype()
        .and_then(|kind| kind.to_descriptor())
        .map_err(|e| e.to_string())
}

/// The name in messages of an attribute of a dataset, or (no path) of the file.
fn called(path: &str, name: &str) -> String {
    if path.is_empty() {
        format!("attribute `{name}`")
    } else {
        format!("{path}: attribute `{name}`")
    }
}

fn attribute(of: &Location, path: &str, name: &str) -> Result<Attribute, String> {
    of.attr(name)
        .map_err(|e| format!("{} is missing or damaged: {e}", called(path, name)))
}

fn read_text(of: &Location, path: &str, name: &str, limit: u64) -> Result<String, String> {
    let fault = |what: String| format!("{}: {what}", called(path, name));
    let attribute = attribute(of, path, name)?;
    let mut bytes = raw::read_text(&attribute, limit).map_err(|e| fault(e.to_string()))?;
    bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
    String::from_utf8(bytes).map_err(|_| fault("not UTF-8".into()))
}
