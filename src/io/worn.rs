//! The sums of triangles from all ranks, for writers.

use super::order::{decode, runs};
use crate::comm::Comm;
use crate::measure::{Wear, WearRow};

/// Neighbouring triangles that come to one rank together.
const TOGETHER: u64 = 256;

/// The sums of triangles over all ranks, each triangle on one of them. Collective.
#[must_use]
pub fn merged(comm: &dyn Comm, wear: &Wear) -> Vec<WearRow> {
    if comm.size() == 1 {
        return wear.rows().collect();
    }
    let to = |row: &WearRow| {
        let run = row.triangle.wall + row.triangle.number / TOGETHER;
        (run % comm.size() as u64) as usize
    };
    let mut rows: Vec<WearRow> = wear.rows().collect();
    rows.sort_by_key(to);
    let came = decode::<WearRow>(comm.exchange(runs(&rows, to)));
    Wear::new(wear.since, came).rows().collect()
}
