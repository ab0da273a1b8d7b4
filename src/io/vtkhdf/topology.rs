//! The arrays that make points into vertices or lines; the indices of each part start from zero.

use super::frame::Array;
use super::gather::part;
use super::kind::Kind;
use super::layout::plain;
use crate::comm::Comm;
use crate::io::hdf::whole_chunks;

/// This rank's rows of the four arrays, in a frame whose cells are cut into one part per rank.
///
/// All rows follow from `cells` and the number of ranks.
pub(super) fn of_parts(comm: &dyn Comm, kind: Kind, cells: u64, chunk: u64) -> Vec<Array> {
    if cells == 0 {
        return Vec::new();
    }
    let (rank, size) = (comm.rank(), comm.size());
    let points = kind.points();
    // The start of each part, and the end of the last.
    let mut starts: Vec<u64> = (0..size).map(|r| part(cells, r, size).start).collect();
    starts.push(cells);
    let length = |k: usize| starts[k + 1] - starts[k];
    let array = |path: &str, rows: u64, chunk: u64, value: &dyn Fn(u64) -> u64| {
        let own = whole_chunks(rows, chunk, rank, size);
        let bytes = own.clone().flat_map(|row| value(row).to_le_bytes());
        Array {
            path: path.to_owned(),
            form: plain(),
            rows,
            chunk,
            first: own.start,
            bytes: bytes.collect(),
        }
    };
    // The part of a row; a part has one offset more than cells.
    let of_point = |row: u64| starts.partition_point(|s| s * points <= row) - 1;
    let offsets: Vec<u64> = starts.iter().zip(0..).map(|(s, k)| s + k).collect();
    let of_offset = |row: u64| offsets.partition_point(|s| *s <= row) - 1;
    let parts = size as u64;
    vec![
        array("NumberOfPoints", parts, chunk, &|row| {
            points * length(row as usize)
        }),
        array("NumberOfCells", parts, chunk, &|row| length(row as usize)),
        array("Connectivity", cells * points, chunk * points, &|row| {
            row - points * starts[of_point(row)]
        }),
        array("Offsets", cells + parts, chunk, &|row| {
            points * (row - offsets[of_offset(row)])
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    /// The arrays of all ranks join those of the parts, in each of which indices start from zero.
    #[test]
    fn parts_count_from_zero() {
        for size in [1, 2, 3, 5, 8] {
            for (kind, cells) in [
                (Kind::Bodies, 1_u64),
                (Kind::Bodies, 300),
                (Kind::Contacts, 301),
                (Kind::Contacts, 40_000),
            ] {
                let chunk = cells.div_ceil(size as u64).clamp(128, 8192);
                let of_ranks = threads::run(size, |comm| of_parts(comm, kind, cells, chunk));
                let whole = |k: usize| -> Vec<u64> {
                    let bytes = of_ranks.iter().flat_map(|arrays| &arrays[k].bytes);
                    let bytes: Vec<u8> = bytes.copied().collect();
                    let number = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap());
                    bytes.chunks(8).map(number).collect()
                };
                let points = kind.points();
                let lengths: Vec<u64> = (0..size)
                    .map(|r| part(cells, r, size))
                    .map(|part| part.end - part.start)
                    .collect();
                assert!(*lengths.last().unwrap() > 0, "the last part is never empty");
                assert_eq!(whole(1), lengths);
                let expected: Vec<u64> = lengths.iter().map(|n| n * points).collect();
                assert_eq!(whole(0), expected);
                let each = |n: &u64| 0..n * points;
                let expected: Vec<u64> = lengths.iter().flat_map(each).collect();
                assert_eq!(whole(2), expected);
                let each = |&n: &u64| (0..=n).map(|k| k * points);
                let expected: Vec<u64> = lengths.iter().flat_map(each).collect();
                assert_eq!(whole(3), expected);
            }
        }
    }
}
