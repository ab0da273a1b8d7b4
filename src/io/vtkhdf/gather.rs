//! Sorts the data of a frame, and asks other ranks for data that this rank's rows need.

use super::kind::Kind;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::contact::ContactRow;
use crate::io::Snapshot;
use crate::io::hdf::{CHUNK_ROWS, whole_chunks};
use crate::io::order::{self, Keyed, decode, runs};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// On average a chunk has at least this many rows.
const FEWEST_ROWS: u64 = 128;

/// Rows of a chunk: few enough for each rank to have some, as far as possible.
fn chunk(rows: u64, size: usize) -> u64 {
    rows.div_ceil(size as u64).clamp(FEWEST_ROWS, CHUNK_ROWS)
}

/// The rows of a part of a frame.
pub(super) fn part(rows: u64, rank: usize, size: usize) -> Range<u64> {
    whole_chunks(rows, chunk(rows, size), rank, size)
}

/// A body, and the rank that owns it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Owned {
    pub(super) row: BodyRow,
    pub(super) rank: u64,
}

impl Keyed for Owned {
    type Key = BodyId;
    fn key(&self) -> BodyId {
        self.row.id
    }
}

/// This rank's part of a frame.
pub(super) struct Ordered {
    pub(super) bodies: Vec<Owned>,
    pub(super) contacts: Vec<ContactRow>,
    /// Rows of all ranks, and of a chunk: of bodies, of contacts.
    counts: [(u64, u64); 2],
    /// The ranks that have bodies in this order, with the id of the first.
    starts: Vec<(usize, BodyId)>,
}

impl Ordered {
    /// Rows of all ranks, and rows of a chunk.
    pub(super) fn rows(&self, kind: Kind) -> (u64, u64) {
        self.counts[kind as usize]
    }

    /// The rank that has the row of a body in this order.
    fn holder(&self, id: BodyId) -> usize {
        let after = self.starts.partition_point(|(_, start)| *start <= id);
        let holder = self.starts.get(after.saturating_sub(1));
        holder.map_or(0, |(rank, _)| *rank)
    }
}

/// Sorts the bodies by id, the contacts by key. Collective.
pub(super) fn in_order(comm: &dyn Comm, snapshot: &Snapshot) -> Result<Ordered, String> {
    let (rank, size) = (comm.rank() as u64, comm.size());
    let share = |rows, rank| part(rows, rank, size);
    let owned = |&row: &BodyRow| Owned { row, rank };
    let bodies: Vec<Owned> = snapshot.bodies.iter().map(owned).collect();
    let name = |body: &Owned| format!("body {}", body.row.id);
    let (bodies, body_count) = order::in_order(comm, &bodies, share, name)?;
    let name = |c: &ContactRow| format!("the contact of {} and {}", c.key.a, c.key.b);
    let (contacts, contact_count) = order::in_order(comm, &snapshot.contacts, share, name)?;
    let first: Vec<BodyId> = bodies.first().map(|body| body.row.id).into_iter().collect();
    let firsts = comm.all_gather(bytemuck::cast_slice(&first));
    let firsts = firsts.iter().enumerate().filter(|(_, b)| !b.is_empty());
    Ok(Ordered {
        starts: firsts
            .map(|(rank, bytes)| (rank, bytemuck::pod_read_unaligned(bytes)))
            .collect(),
        bodies: bodies.into_owned(),
        contacts: contacts.into_owned(),
        counts: [body_count, contact_count].map(|rows| (rows, chunk(rows, size))),
    })
}

/// The position and radius of a body.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Place {
    pub(super) id: BodyId,
    pub(super) position: [f64; 3],
    pub(super) radius: f64,
}

/// The places of the bodies of this rank's contacts, by id. Collective.
pub(super) fn places(comm: &dyn Comm, ordered: &Ordered) -> Result<Vec<Place>, String> {
    let both = ordered.contacts.iter().flat_map(|c| [c.key.a, c.key.b]);
    let mut wanted: Vec<BodyId> = both.filter(|id| id.wall_index().is_none()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let asked = comm.exchange(runs(&wanted, |id| ordered.holder(*id)));
    let place = |id: BodyId| {
        let at = ordered.bodies.binary_search_by_key(&id, |body| body.row.id);
        let row = ordered.bodies.get(at.ok()?)?.row;
        Some(Place {
            id,
            position: row.position,
            radius: row.radius,
        })
    };
    let answer = |(to, bytes): (usize, Vec<u8>)| {
        let ids: Vec<BodyId> = decode([(to, bytes)]);
        let places: Vec<Place> = ids.into_iter().filter_map(place).collect();
        (to, bytemuck::cast_slice(&places).to_vec())
    };
    let mut places: Vec<Place> = decode(comm.exchange(asked.into_iter().map(answer).collect()));
    places.sort_unstable_by_key(|place| place.id);
    let known = |id: &BodyId| places.binary_search_by_key(id, |place| place.id).is_ok();
    let stray = wanted.iter().find(|id| !known(id));
    agree(
        comm,
        stray.map_or(Ok(()), |id| {
            Err(format!(
                "contacts: must be of existing bodies; found one of body {id}"
            ))
        }),
    )?;
    Ok(places)
}

/// The number of contacts that carry a force, for each body of this rank. Collective.
pub(super) fn coordination(comm: &dyn Comm, ordered: &Ordered) -> Vec<u64> {
    let carrying = ordered.contacts.iter().filter(|c| c.status != 0);
    let both = carrying.flat_map(|c| [c.key.a, c.key.b]);
    let mut ids: Vec<BodyId> = both.filter(|id| id.wall_index().is_none()).collect();
    ids.sort_unstable();
    let mut counts = vec![0; ordered.bodies.len()];
    for id in decode::<BodyId>(comm.exchange(runs(&ids, |id| ordered.holder(*id)))) {
        if let Ok(at) = ordered.bodies.binary_search_by_key(&id, |b| b.row.id) {
            counts[at] += 1;
        }
    }
    counts
}
