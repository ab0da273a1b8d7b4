//! Sorts the rows of all ranks by their keys, from any rank, with gaps between ids.

use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::contact::{ContactKey, ContactRow};
use bytemuck::Pod;
use std::borrow::Cow;
use std::ops::Range;

/// A row with a key.
pub(in crate::io) trait Keyed: Pod {
    type Key: Pod + Ord;
    fn key(&self) -> Self::Key;
}

impl Keyed for BodyRow {
    type Key = BodyId;
    fn key(&self) -> BodyId {
        self.id
    }
}

impl Keyed for ContactRow {
    type Key = ContactKey;
    fn key(&self) -> ContactKey {
        self.key
    }
}

/// The part `share(total, rank)` of the sorted rows of all ranks, and the total. Collective.
///
/// The shares of ranks follow each other.
///
/// # Errors
/// Names a duplicate row, by `name`.
pub(in crate::io) fn in_order<'r, R: Keyed>(
    comm: &dyn Comm,
    rows: &'r [R],
    share: impl Fn(u64, usize) -> Range<u64>,
    name: impl Fn(&R) -> String,
) -> Result<(Cow<'r, [R]>, u64), String> {
    let total = comm.sum_count(rows.len());
    // Rows mostly are sorted, and two copies may exceed the memory.
    let mut rows = Cow::Borrowed(rows);
    if !rows.is_sorted_by_key(R::key) {
        rows.to_mut().sort_unstable_by_key(R::key);
    }
    if comm.size() == 1 {
        return match twice(&rows) {
            None => Ok((rows, total)),
            Some(row) => Err(format!("{} is there twice", name(row))),
        };
    }

    // First near their final places, by comparison with keys drawn from all ranks ...
    let bounds = bounds(comm, &rows, total);
    let mut to = 0;
    let messages = runs(&rows, |row| {
        while bounds.get(to).is_some_and(|bound| *bound <= row.key()) {
            to += 1;
        }
        to
    });
    drop(rows);
    let mut rows: Vec<R> = decode(comm.exchange(messages));
    rows.sort_unstable_by_key(R::key);
    agree(
        comm,
        twice(&rows).map_or(Ok(()), |row| Err(format!("{} is there twice", name(row)))),
    )?;

    // ... and then, with each row's place known, exactly there.
    let counts: Vec<u64> = decode(
        comm.all_gather(bytemuck::bytes_of(&(rows.len() as u64)))
            .into_iter()
            .enumerate(),
    );
    let mut place: u64 = counts[..comm.rank()].iter().sum();
    let mut to = 0;
    let messages = runs(&rows, |_| {
        while share(total, to).end <= place {
            to += 1;
        }
        place += 1;
        to
    });
    drop(rows);
    Ok((Cow::Owned(decode(comm.exchange(messages))), total))
}

/// A row of a sorted list with the same key as the next.
fn twice<R: Keyed>(rows: &[R]) -> Option<&R> {
    let twice = rows.windows(2).find(|pair| pair[0].key() == pair[1].key());
    twice.map(|pair| &pair[0])
}

/// The smallest key of each rank but the first, for nearly equal numbers of rows.
fn bounds<R: Keyed>(comm: &dyn Comm, ordered: &[R], total: u64) -> Vec<R::Key> {
    const KEYS_PER_RANK: u64 = 8;
    let every = (total / (KEYS_PER_RANK * comm.size() as u64)).max(1) as usize;
    let mine: Vec<R::Key> = ordered.iter().step_by(every).map(R::key).collect();
    let mut keys: Vec<R::Key> = decode(
        comm.all_gather(bytemuck::cast_slice(&mine))
            .into_iter()
            .enumerate(),
    );
    keys.sort_unstable();
    if keys.is_empty() {
        return keys;
    }
    (1..comm.size())
        .map(|rank| keys[rank * keys.len() / comm.size()])
        .collect()
}

/// Messages of the rows for each destination; destinations ascend.
pub(in crate::io) fn runs<R: Pod>(
    rows: &[R],
    mut destination: impl FnMut(&R) -> usize,
) -> Vec<(usize, Vec<u8>)> {
    let mut messages: Vec<(usize, Vec<u8>)> = Vec::new();
    for row in rows {
        let to = destination(row);
        match messages.last_mut() {
            Some((last, bytes)) if *last == to => bytes.extend_from_slice(bytemuck::bytes_of(row)),
            _ => messages.push((to, bytemuck::bytes_of(row).to_vec())),
        }
    }
    messages
}

/// The rows of messages, one sender after the other.
pub(in crate::io) fn decode<R: Pod>(
    messages: impl IntoIterator<Item = (usize, Vec<u8>)>,
) -> Vec<R> {
    // Allocated once: the number of messages may equal that of ranks.
    let messages: Vec<(usize, Vec<u8>)> = messages.into_iter().collect();
    let bytes: usize = messages.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut rows = Vec::with_capacity(bytes / size_of::<R>());
    for (_, bytes) in messages {
        rows.extend(
            bytes
                .chunks_exact(size_of::<R>())
                .map(bytemuck::pod_read_unaligned::<R>),
        );
    }
    rows
}
