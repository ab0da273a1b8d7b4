//! Writes a file from all ranks.

use super::Table;
use super::raw::{self, Slab};
use crate::comm::{Comm, agree};
use hdf5::file::LibraryVersion;
use hdf5::plist::PropertyList;
use hdf5::plist::dataset_create::FillTime;
use hdf5::{Dataset, File, H5Type};
use std::path::Path;

/// A file that all ranks write together. All methods are collective, with the same result on all
/// ranks.
pub(in crate::io) struct Writer<'c> {
    comm: &'c dyn Comm,
    /// On all ranks if they write together, else on rank 0.
    file: Option<File>,
    /// The transfer of rows; by default each process by itself.
    transfer: Option<PropertyList>,
}

impl<'c> Writer<'c> {
    /// Creates the file, or empties it, if there is room for `bytes`.
    pub(in crate::io) fn create(
        comm: &'c dyn Comm,
        path: &Path,
        bytes: u64,
    ) -> Result<Self, String> {
        // One rank checks for errors of the system, above all a full disk, and gets the system's
        // message. A collective call in which one rank fails leaves the others waiting inside HDF5.
        let allowed = if comm.rank() == 0 {
            let created = std::fs::File::create(path).map_err(|e| format!("cannot create it: {e}"));
            let no_room = |e| format!("no room for its {bytes} bytes: {e}");
            created.and_then(|file| reserve(&file, bytes).map_err(no_room))
        } else {
            Ok(())
        };
        agree(comm, allowed)?;
        let opened = open_to_write(comm, path).map_err(|e| format!("cannot create it: {e}"));
        let (file, transfer) = agree(comm, opened)?;
        Ok(Self {
            comm,
            file,
            transfer,
        })
    }

    /// One call to HDF5 on every rank that holds the file, and agreement on its result before the
    /// next.
    fn step<T>(
        &self,
        what: &str,
        call: impl FnOnce(&File) -> hdf5::Result<T>,
    ) -> Result<Option<T>, String> {
        let result = self.file.as_ref().map(call).transpose();
        self.agree(result.map_err(|e| format!("{what}: cannot write: {e}")))
    }

    /// One result for all ranks. After an error HDF5 cannot close the file.
    fn agree<T>(&self, result: Result<T, String>) -> Result<T, String> {
        let result = agree(self.comm, result);
        if result.is_err() {
            self.comm.leave_open();
        }
        result
    }

    /// Makes a group.
    pub(in crate::io) fn group(&self, name: &str) -> Result<(), String> {
        self.step(name, |file| file.create_group(name))?;
        Ok(())
    }

    /// Attaches a number to the file.
    pub(in crate::io) fn number<T: H5Type>(&self, name: &str, value: T) -> Result<(), String> {
        self.step(name, |file| {
            file.new_attr::<T>().create(name)?.write_scalar(&value)
        })?;
        Ok(())
    }

    /// Attaches a text to the file.
    pub(in crate::io) fn text(&self, name: &str, text: &str) -> Result<(), String> {
        self.step(name, |file| raw::write_text(file, name, text))?;
        Ok(())
    }

    /// Writes a dataset of which this rank holds the rows from `first` on, and its texts (name,
    /// text).
    ///
    /// The ranks' rows follow each other in the order of ranks.
    pub(in crate::io) fn dataset(
        &self,
        table: &Table,
        texts: &[(&str, &str)],
        first: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let dataset = self.step(table.path, |file| create_dataset(file, table))?;
        for (name, text) in texts {
            self.step(table.path, |_| {
                dataset
                    .as_ref()
                    .map_or(Ok(()), |d| raw::write_text(d, name, text))
            })?;
        }
        let fault = |e: hdf5::Error| format!("{}: cannot write: {e}", table.path);
        let slab = |dataset| Slab::new(dataset, table, first, bytes.len());
        let own = dataset.as_ref().map(slab).transpose();
        let own = self.agree(own.map_err(fault))?;
        let written = own.map_or(Ok(()), |slab| slab.write(bytes, self.transfer.as_ref()));
        self.agree(written.map_err(fault))?;
        if self.transfer.is_some() {
            return Ok(());
        }
        let taken = self.take_from_others(dataset.as_ref(), table, first, bytes);
        self.agree(taken.map_err(fault))
    }

    /// Rank 0 requests and writes the rows of each other rank in turn.
    fn take_from_others(
        &self,
        dataset: Option<&Dataset>,
        table: &Table,
        first: u64,
        bytes: &[u8],
    ) -> hdf5::Result<()> {
        let held = [first, bytes.len() as u64];
        let held = self.comm.all_gather(bytemuck::bytes_of(&held));
        let mut result = Ok(());
        for (sender, held) in held.iter().enumerate().skip(1) {
            let [first, length]: [u64; 2] = bytemuck::pod_read_unaligned(held);
            if length == 0 {
                continue;
            }
            let mine = self.comm.rank() == sender;
            let message = mine.then(|| (0, bytes.to_vec()));
            for (_, rows) in self.comm.exchange(message.into_iter().collect()) {
                // After an error it still receives, or the others would wait.
                if let (Some(dataset), Ok(())) = (dataset, &result) {
                    result = Slab::new(dataset, table, first, rows.len())
                        .and_then(|slab| slab.write(&rows, None));
                }
            }
        }
        result
    }

    /// Writes the buffers and closes the file.
    pub(in crate::io) fn close(mut self) -> Result<(), String> {
        self.step("end of file", File::flush)?;
        let closed = self.file.take().map_or(Ok(()), File::close);
        self.agree(closed.map_err(|e| format!("cannot close it: {e}")))
    }
}

/// Reserves this room in the file system. HDF5 empties the file again, so this is only a check.
#[cfg(target_os = "linux")]
fn reserve(file: &std::fs::File, bytes: u64) -> std::io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let asked = rustix::io::retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, bytes));
    match asked {
        // Some file systems cannot reserve room, but report the free room.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
            let about = rustix::fs::fstatvfs(file)?;
            match about.f_bavail.saturating_mul(about.f_frsize) < bytes {
                true => Err(rustix::io::Errno::NOSPC.into()),
                false => Ok(()),
            }
        }
        told => Ok(told?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &std::fs::File, _: u64) -> std::io::Result<()> {
    Ok(())
}

fn open_to_write(
    comm: &dyn Comm,
    path: &Path,
) -> hdf5::Result<(Option<File>, Option<PropertyList>)> {
    let mut builder = File::with_options();
    let access = comm.file_access();
    if let Some(access) = access {
        access.apply(builder.fapl());
    }
    builder
        .fapl()
        .libver_bounds(LibraryVersion::V110, LibraryVersion::V110);
    if access.is_none() {
        let file = (comm.rank() == 0)
            .then(|| builder.create(path))
            .transpose()?;
        return Ok((file, None));
    }
    Ok((Some(builder.create(path)?), raw::collective_transfer()?))
}

/// Makes a dataset, the same on all ranks that hold the file.
pub(in crate::io) fn create_dataset(file: &File, table: &Table) -> hdf5::Result<Dataset> {
    let chunk = table.shape(table.chunk_rows());
    let mut builder = file.new_dataset_builder();
    if table.deflate > 0 {
        // Bytes of equal significance next to each other compress better.
        builder = builder.shuffle().deflate(table.deflate);
    }
    builder
        .fletcher32()
        // All rows are written anyway; filling them first would write everything twice.
        .fill_time(FillTime::Never)
        .chunk(chunk)
        .empty_as(&table.element.descriptor())
        .shape(table.shape(table.rows))
        .create(table.path)
}
