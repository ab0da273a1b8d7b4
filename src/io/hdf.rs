//! HDF5 files of datasets that are distributed over ranks by rows.
//!
//! Writing goes one of two ways, with the same content of the file: all ranks open one file and each dataset is one
//! collective transfer (parallel HDF5), or rank 0 holds the file and writes slab by slab what the others send, so that it
//! never stores more than one slab besides its own. Reading is never collective: each rank opens the file by itself and
//! reads its rows, so that a damaged file cannot leave some ranks waiting in a call that others have given up.
//!
//! Files are kept to what HDF5 1.10 reads; that format guards all of its own data by checksums, and Fletcher32 guards the
//! rows. A checkpoint is not compressed (mantissas do not compress: a quarter less for nine times the time), so it is at least
//! as long as what it claims to hold, and is asked for that before memory is. Frames of pictures may be.
//!
//! HDF5 prints nothing: its wrapper keeps the error stack silent on every thread, and hands it out as error values.

mod plain;
mod raw;
mod read;
mod write;

pub(super) use plain::Plain;
pub(super) use raw::{Slab, read_text, write_text};
pub(super) use read::Reader;
pub(super) use write::{Writer, create_dataset};

use hdf5::types::{FloatSize, IntSize, TypeDescriptor};
use std::ops::Range;

/// Rows of a chunk: what is read, written and check-summed as one. Part of no promise: readers take any.
pub(super) const CHUNK_ROWS: u64 = 8192;

/// Bytes beside its rows that a chunk (checksum, index) and a dataset (header, attributes) take, on the safe side.
const CHUNK_OVERHEAD: u64 = 256;
const DATASET_OVERHEAD: u64 = 8192;

/// What one number of a dataset is, in the file and in the bytes handed over (little-endian).
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

    /// The element that HDF5 describes so.
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

    /// How HDF5 describes it.
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
    /// What its numbers are.
    pub(super) element: Element,
    /// Numbers in a row; 1 makes the dataset one-dimensional.
    pub(super) width: usize,
    /// Rows of all ranks.
    pub(super) rows: u64,
    /// Rows of a chunk.
    pub(super) chunk: u64,
    /// How hard its chunks are compressed, 0 (not at all) to 9.
    pub(super) deflate: u8,
}

impl Table<'_> {
    /// Bytes of one row.
    pub(super) fn row_bytes(&self) -> usize {
        self.width * self.element.bytes()
    }

    /// Bytes that the dataset takes in a file, whole chunks and what describes them.
    pub(super) fn file_bytes(&self) -> u64 {
        let chunk = self.chunk_rows();
        let chunks = self.rows.div_ceil(chunk);
        chunks * (chunk * self.row_bytes() as u64 + CHUNK_OVERHEAD) + DATASET_OVERHEAD
    }

    /// Rows of a chunk, as no chunk may be larger than the dataset.
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

/// The rows that a rank writes: whole chunks, as equal in number as they can be, so that no chunk has two writers.
pub(super) fn written_rows(rows: u64, rank: usize, size: usize) -> Range<u64> {
    whole_chunks(rows, CHUNK_ROWS, rank, size)
}

/// The same with chunks of so many rows.
pub(super) fn whole_chunks(rows: u64, chunk: u64, rank: usize, size: usize) -> Range<u64> {
    let chunks = rows.div_ceil(chunk);
    let start = |rank: usize| (share(chunks, rank, size) * chunk).min(rows);
    start(rank)..start(rank + 1)
}

/// The rows that a rank reads: as equal in number as they can be.
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

    /// The rows of ranks of a dataset of more than 2³² rows follow each other without gap or overlap, in whole chunks.
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

    /// Rows beyond 2³² come to stand where they belong: three ranks write the last rows of a dataset of 2³³ bytes and some, of which no
    /// more is ever stored.
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
