//! HDF5 files of datasets that are distributed over ranks by rows.
//!
//! Writing has two ways, with the same content of the file. Either all ranks open one file and each
//! dataset is one collective transfer (parallel HDF5). Or rank 0 holds the file and writes the data
//! of the others slab by slab, so that it never stores more than one slab besides its own. Reading
//! is never collective: each rank opens the file and reads its rows, so that a damaged file cannot
//! leave some ranks waiting in a call that others have given up.
//!
//! Files are restricted to features of HDF5 1.10. That format guards all of its own data by
//! checksums, and Fletcher32 guards the rows. A checkpoint is not compressed (mantissas do not
//! compress: a quarter less for nine times the time), so the file is at least as long as its
//! datasets, and its length is checked before memory is allocated. Frames may be compressed.
//!
//! HDF5 prints nothing: its wrapper keeps the error stack silent on every thread, and hands it out
//! as error values.

mod plain;
mod raw;
mod read;
mod write;

pub(super) use plain::Plain;
pub(super) use raw::{Slab, read_text, write_text};
pub(super) use read::{Reader, SMALLEST_SHARE, numbers};
pub(super) use write::{Writer, create_dataset};

use hdf5::types::{FloatSize, IntSize, TypeDescriptor};
use std::ops::Range;

/// Rows of a chunk: the unit of reading, writing and checksums.
///
/// The number is not part of the format: readers take any.
pub(super) const CHUNK_ROWS: u64 = 8192;

/// Upper bound for the bytes of a chunk (checksum, index) and a dataset (header, attributes)
/// besides rows.
const CHUNK_OVERHEAD: u64 = 256;
const DATASET_OVERHEAD: u64 = 8192;

/// The type of a number of a dataset, in the file and in memory (little-endian).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    U8,
    U16,
    U32,
    U64,
    /// 64 bits, with sign.
    I64,
    F32,
    F64,
}

impl Element {
    /// Bytes of one number.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// The element of an HDF5 descriptor.
    pub(super) fn of(descriptor: &TypeDescriptor) -> Option<Self> {
        let all = [
            Self::U8,
            Self::U16,
            Self::U32,
            Self::U64,
            Self::I64,
            Self::F32,
            Self::F64,
        ];
        all.into_iter().find(|e| e.descriptor() == *descriptor)
    }

    /// The HDF5 descriptor of the element.
    pub(super) fn descriptor(self) -> TypeDescriptor {
        match self {
            Self::U8 => TypeDescriptor::Unsigned(IntSize::U1),
            Self::U16 => TypeDescriptor::Unsigned(IntSize::U2),
            Self::U32 => TypeDescriptor::Unsigned(IntSize::U4),
            Self::U64 => TypeDescriptor::Unsigned(IntSize::U8),
            Self::I64 => TypeDescriptor::Integer(IntSize::U8),
            Self::F32 => TypeDescriptor::Float(FloatSize::U4),
            Self::F64 => TypeDescriptor::Float(FloatSize::U8),
        }
    }
}

/// The form of a dataset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    /// Path of the dataset in the file.
    pub(super) path: &'a str,
    /// The type of its numbers.
    pub(super) element: Element,
    /// Numbers in a row; 1 makes the dataset one-dimensional.
    pub(super) width: usize,
    /// Rows of all ranks.
    pub(super) rows: u64,
    /// Rows of a chunk.
    pub(super) chunk: u64,
    /// Compression level of its chunks, 0 (none) to 9.
    pub(super) deflate: u8,
}

impl Table<'_> {
    /// Bytes of one row.
    pub(super) fn row_bytes(&self) -> usize {
        self.width * self.element.bytes()
    }

    /// Bytes of the dataset in a file: whole chunks and their descriptions.
    pub(super) fn file_bytes(&self) -> u64 {
        let chunk = self.chunk_rows();
        let chunks = self.rows.div_ceil(chunk);
        chunks * (chunk * self.row_bytes() as u64 + CHUNK_OVERHEAD) + DATASET_OVERHEAD
    }

    /// Rows of a chunk, at most those of the dataset.
    fn chunk_rows(&self) -> u64 {
        self.rows.clamp(1, self.chunk.max(1))
    }

    fn shape(&self, rows: u64) -> Vec<usize> {
        if self.width == 1 {
            vec![rows as usize]
        } else {
            vec![rows as usize, self.width]
        }
    }
}

/// The rows that a rank writes: whole chunks, in nearly equal numbers.
///
/// So no chunk has two writers.
pub(super) fn written_rows(rows: u64, rank: usize, size: usize) -> Range<u64> {
    whole_chunks(rows, CHUNK_ROWS, rank, size)
}

/// The same with chunks of this number of rows.
pub(super) fn whole_chunks(rows: u64, chunk: u64, rank: usize, size: usize) -> Range<u64> {
    let chunks = rows.div_ceil(chunk);
    let start = |rank: usize| (share(chunks, rank, size) * chunk).min(rows);
    start(rank)..start(rank + 1)
}

/// The rows that a rank reads, in nearly equal numbers.
pub(super) fn read_rows(rows: u64, rank: usize, size: usize) -> Range<u64> {
    share(rows, rank, size)..share(rows, rank + 1, size)
}

fn share(things: u64, rank: usize, size: usize) -> u64 {
    (u128::from(things) * rank as u128 / size as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm;

    /// The rows of ranks follow each other without gap or overlap, in whole chunks.
    ///
    /// The dataset has more than 2³² rows.
    #[test]
    fn ranks_share_more_rows_than_32_bits_count() {
        for rows in [
            (1 << 32) - 1,
            (1 << 32) + 1,
            30_000_000_000,
            (1 << 53) + 12_345,
        ] {
            for size in [1, 3, 64, 100_000] {
                let mut written = 0;
                let mut read = 0;
                for rank in 0..size {
                    let (w, r) = (written_rows(rows, rank, size), read_rows(rows, rank, size));
                    assert_eq!((w.start, r.start), (written, read));
                    assert!(w.end == rows || w.end.is_multiple_of(CHUNK_ROWS));
                    (written, read) = (w.end, r.end);
                }
                assert_eq!((written, read), (rows, rows), "{rows} rows, {size} ranks");
            }
        }
    }

    /// Rows beyond 2³² are at their places in the file.
    ///
    /// Three ranks write the last rows of a dataset of more than 2³³ bytes; only these rows are
    /// ever stored.
    #[test]
    fn rows_beyond_32_bits_are_written_in_their_place() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("far.h5");
        let rows = (1 << 33) + 3 * CHUNK_ROWS;
        let bytes = |first: u64| -> Vec<u8> {
            (first..first + CHUNK_ROWS)
                .map(|row| (row / 3) as u8 ^ (row >> 30) as u8)
                .collect()
        };
        let table = Table {
            path: "far",
            element: Element::U8,
            width: 1,
            rows,
            chunk: CHUNK_ROWS,
            deflate: 0,
        };
        let place = |rank: usize| (1 << 33) + rank as u64 * CHUNK_ROWS;
        comm::threads::run(3, |comm| {
            let file = Writer::create(comm, &path, 4096).expect("a file");
            let first = place(comm.rank());
            file.dataset(&table, &[], first, &bytes(first))
                .expect("written");
            file.close().expect("closed");
        });
        let dataset = hdf5::File::open(&path)
            .and_then(|f| f.dataset("far"))
            .expect("a dataset");
        for first in (0..3).map(place) {
            let (from, to) = (first as usize, (first + CHUNK_ROWS) as usize);
            let read = dataset.read_slice_1d::<u8, _>(from..to).expect("rows");
            assert_eq!(read.to_vec(), bytes(first), "from row {first} on");
        }
    }
}
