//! The calls that HDF5's safe wrapper lacks.
//!
//! They are transfers of rows with a property list, and texts of a length known at run time only.

// No safe wrapper: see above.
#![allow(unsafe_code)]

use super::{Element, Table};
use hdf5::plist::PropertyList;
use hdf5::types::TypeDescriptor;
use hdf5::{Attribute, Dataset, Dataspace, Group, Location};
use hdf5_sys::h5i::hid_t;
use hdf5_sys::{h5a, h5d, h5p, h5s, h5t};

/// Some rows of a dataset, and their memory.
pub(in crate::io) struct Slab<'d> {
    dataset: &'d Dataset,
    /// The rows in the file.
    file: Dataspace,
    /// The rows in memory.
    memory: Dataspace,
    element: hid_t,
    bytes: usize,
}

impl<'d> Slab<'d> {
    /// The rows from `first` on that take `bytes` bytes.
    pub(in crate::io) fn new(
        dataset: &'d Dataset,
        table: &Table,
        first: u64,
        bytes: usize,
    ) -> hdf5::Result<Self> {
        let rows = (bytes / table.row_bytes()) as u64;
        let file = dataset.space()?;
        if file.shape() != table.shape(table.rows) || !bytes.is_multiple_of(table.row_bytes()) {
            return Err("the dataset has another shape than its rows".into());
        }
        let (start, count) = ([first, 0], [rows, table.width as u64]);
        hdf5::sync::sync(|| {
            // SAFETY: the id is alive, and the arrays are at least as long as the dataset has
            // dimensions (1 or 2).
            check(unsafe {
                if rows == 0 {
                    h5s::H5Sselect_none(file.id())
                } else {
                    h5s::H5Sselect_hyperslab(
                        file.id(),
                        h5s::H5S_seloper_t::H5S_SELECT_SET,
                        start.as_ptr(),
                        std::ptr::null(),
                        count.as_ptr(),
                        std::ptr::null(),
                    )
                }
            })
        })?;
        Ok(Self {
            dataset,
            file,
            memory: Dataspace::try_new(table.shape(rows))?,
            element: memory_type(table.element),
            bytes,
        })
    }

    /// Writes the rows, by default on this rank alone.
    pub(in crate::io) fn write(
        &self,
        bytes: &[u8],
        list: Option<&PropertyList>,
    ) -> hdf5::Result<()> {
        assert_eq!(
            bytes.len(),
            self.bytes,
            "the rows that the slab was made for"
        );
        let list = list.map_or(h5p::H5P_DEFAULT, |list| list.id());
        hdf5::sync::sync(|| {
            let (dataset, memory, file) = (self.dataset.id(), self.memory.id(), self.file.id());
            // SAFETY: all ids are alive, and `bytes` holds exactly the rows that `memory` counts,
            // of the named element.
            check(unsafe {
                h5d::H5Dwrite(
                    dataset,
                    self.element,
                    memory,
                    file,
                    list,
                    bytes.as_ptr().cast(),
                )
            })
        })
    }

    /// Reads the rows, on this rank alone.
    pub(in crate::io) fn read(&self) -> hdf5::Result<Vec<u8>> {
        let mut bytes = vec![0; self.bytes];
        hdf5::sync::sync(|| {
            let (dataset, memory, file) = (self.dataset.id(), self.memory.id(), self.file.id());
            let (list, to) = (h5p::H5P_DEFAULT, bytes.as_mut_ptr().cast());
            // SAFETY: all ids are alive, and `bytes` has room for exactly the rows that `memory`
            // counts, of the named element.
            check(unsafe { h5d::H5Dread(dataset, self.element, memory, file, list, to) })
        })?;
        Ok(bytes)
    }
}

/// HDF5's name for numbers in memory.
fn memory_type(element: Element) -> hid_t {
    match element {
        Element::U8 => *h5t::H5T_STD_U8LE,
        Element::U16 => *h5t::H5T_STD_U16LE,
        Element::U32 => *h5t::H5T_STD_U32LE,
        Element::U64 => *h5t::H5T_STD_U64LE,
        Element::I64 => *h5t::H5T_STD_I64LE,
        Element::F32 => *h5t::H5T_IEEE_F32LE,
        Element::F64 => *h5t::H5T_IEEE_F64LE,
    }
}

/// The property list that makes a transfer one call of all ranks.
///
/// Filtered datasets permit no other when ranks share a file.
#[cfg(feature = "mpi")]
pub(super) fn collective_transfer() -> hdf5::Result<Option<PropertyList>> {
    hdf5::sync::sync(|| {
        // SAFETY: a new list of the class for transfers, owned by `list` from here on.
        let list: PropertyList =
            unsafe { hdf5::from_id(h5p::H5Pcreate(*h5p::H5P_CLS_DATASET_XFER))? };
        // SAFETY: the id is that of the list made above.
        check(unsafe {
            h5p::H5Pset_dxpl_mpio(list.id(), h5p::H5FD_mpio_xfer_t::H5FD_MPIO_COLLECTIVE)
        })?;
        Ok(Some(list))
    })
}

/// Without MPI no file is ever opened together.
#[cfg(not(feature = "mpi"))]
pub(super) fn collective_transfer() -> hdf5::Result<Option<PropertyList>> {
    Ok(None)
}

/// HDF5's own message on a failed call; to be read before the next call.
fn check(code: i32) -> hdf5::Result<()> {
    if code < 0 {
        Err(hdf5::Error::query().unwrap_or_else(|e| e))
    } else {
        Ok(())
    }
}

/// Attaches a text as a string of fixed length: checksums guard it, unlike strings of variable
/// length.
pub(in crate::io) fn write_text(to: &Location, name: &str, text: &str) -> hdf5::Result<()> {
    let length = text.len().max(1);
    let attribute = to
        .new_attr_builder()
        .empty_as(&TypeDescriptor::FixedUnicode(length))
        .create(name)?;
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(length, 0);
    let kind = attribute.dtype()?;
    hdf5::sync::sync(|| {
        // SAFETY: both ids are alive, and the attribute is one string of as many bytes as `bytes`
        // holds.
        check(unsafe { h5a::H5Awrite(attribute.id(), kind.id(), bytes.as_ptr().cast()) })
    })
}

/// The bytes of an attribute that is one text of fixed length, which must not exceed `limit`.
pub(in crate::io) fn read_text(of: &Attribute, limit: u64) -> hdf5::Result<Vec<u8>> {
    let kind = of.dtype()?;
    let length = match kind.to_descriptor()? {
        TypeDescriptor::FixedUnicode(length) | TypeDescriptor::FixedAscii(length) => length,
        other => return Err(format!("must be a text of fixed length; found {other}").into()),
    };
    if !of.is_scalar() || length as u64 > limit {
        return Err("not a single text, or one that claims to be longer than the file".into());
    }
    let mut bytes = vec![0; length];
    hdf5::sync::sync(|| {
        // SAFETY: both ids are alive, and the attribute is one string of as many bytes as `bytes`
        // holds.
        check(unsafe { h5a::H5Aread(of.id(), kind.id(), bytes.as_mut_ptr().cast()) })
    })?;
    Ok(bytes)
}

/// Writes a text as a dataset: a single string of fixed length that ends in NUL, as C programs read
/// it.
pub(super) fn write_text_dataset(to: &Group, name: &str, text: &str) -> hdf5::Result<()> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.retain(|&byte| byte != 0);
    bytes.push(0);
    let dataset = to
        .new_dataset_builder()
        .empty_as(&TypeDescriptor::FixedAscii(bytes.len()))
        .create(name)?;
    let kind = dataset.dtype()?;
    hdf5::sync::sync(|| {
        let (all, list, from) = (h5s::H5S_ALL, h5p::H5P_DEFAULT, bytes.as_ptr().cast());
        // SAFETY: both ids are alive, and the dataset is one string of as many bytes as `bytes`
        // holds.
        check(unsafe { h5d::H5Dwrite(dataset.id(), kind.id(), all, all, list, from) })
    })
}

/// The bytes of a dataset that is one text of fixed length, which must not exceed `limit`.
pub(super) fn read_text_dataset(of: &Dataset, limit: u64) -> hdf5::Result<Vec<u8>> {
    let kind = of.dtype()?;
    let length = match kind.to_descriptor()? {
        TypeDescriptor::FixedUnicode(length) | TypeDescriptor::FixedAscii(length) => length,
        other => return Err(format!("must be a text of fixed length; found {other}").into()),
    };
    let size = of.get_shape()?.iter().product::<usize>();
    if size != 1 || length as u64 > limit {
        return Err("not a single text, or one that claims to be longer than the file".into());
    }
    let mut bytes = vec![0; length];
    hdf5::sync::sync(|| {
        let (all, list, to) = (h5s::H5S_ALL, h5p::H5P_DEFAULT, bytes.as_mut_ptr().cast());
        // SAFETY: both ids are alive, and the dataset is one string of as many bytes as `bytes` has
        // room for.
        check(unsafe { h5d::H5Dread(of.id(), kind.id(), all, all, list, to) })
    })?;
    Ok(bytes)
}
