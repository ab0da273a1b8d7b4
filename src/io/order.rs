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
    let destination = |row: &R| {
        while bounds.get(to).is_some_and(|bound| *bound <= row.key()) {
            to += 1;
        }
        to
    };
    // Nearly equal numbers come to all ranks; without this the list grows to up to twice its size.
    let expected = total as usize / comm.size();
    let mut came: Vec<R> = Vec::with_capacity(expected + expected / 8);
    send(comm, &rows, &mut came, PIECE, destination);
    drop(rows);
    let mut rows = came;
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
    let first: u64 = counts[..comm.rank()].iter().sum();
    let mine = share(total, comm.rank());
    let [begin, end] = [mine.start, mine.end].map(|place| {
        let index = place.saturating_sub(first);
        index.min(rows.len() as u64) as usize
    });
    // Most rows stay.
    let mut places = (first..first + begin as u64).chain(first + end as u64..);
    let mut to = 0;
    let leaving: Vec<R> = [&rows[..begin], &rows[end..]].concat();
    rows.truncate(end);
    rows.drain(..begin);
    send(comm, &leaving, &mut rows, PIECE, |_| {
        let place = places
            .next()
            .expect("the places after the share have no end");
        while share(total, to).end <= place {
            to += 1;
        }
        to
    });
    if !rows.is_sorted_by_key(R::key) {
        rows.sort_unstable_by_key(R::key);
    }
    Ok((Cow::Owned(rows), total))
}

/// The bytes of the rows that are sent at a time.
const PIECE: usize = 8 << 20;

/// Sends rows to their destinations, which ascend, and appends those that come. Collective.
///
/// They go in pieces of so many bytes, so that messages take little memory.
fn send<R: Pod>(
    comm: &dyn Comm,
    rows: &[R],
    came: &mut Vec<R>,
    piece: usize,
    mut destination: impl FnMut(&R) -> usize,
) {
    let mut pieces = rows.chunks((piece / size_of::<R>()).max(1));
    let mut rounds = [pieces.len() as i64];
    comm.max_i64(&mut rounds);
    for _ in 0..rounds[0] {
        let piece = pieces.next().unwrap_or(&[]);
        came.extend(decode::<R>(comm.exchange(runs(piece, &mut destination))));
    }
}

/// A row of a sorted list with the same key as the next.
fn twice<R: Keyed>(rows: &[R]) -> Option<&R> {
    let twice = rows.windows(2).find(|pair| pair[0].key() == pair[1].key());
    twice.map(|pair| &pair[0])
}

/// The smallest key of each rank but the first, for nearly equal numbers of rows.
fn bounds<R: Keyed>(comm: &dyn Comm, ordered: &[R], total: u64) -> Vec<R::Key> {
    const KEYS_PER_RANK: u64 = 8;
    let (rank, size) = (comm.rank(), comm.size());
    let every = (total / (KEYS_PER_RANK * size as u64)).max(1) as usize;
    // From another row on each rank: where each has rows of all kinds, equal ones would draw the
    // same few keys everywhere.
    let first = every * (2 * rank + 1) / (2 * size);
    let mine = ordered.iter().skip(first).step_by(every);
    let mine: Vec<R::Key> = mine.map(R::key).collect();
    let mut keys: Vec<R::Key> = decode(
        comm.all_gather(bytemuck::cast_slice(&mine))
            .into_iter()
            .enumerate(),
    );
    keys.sort_unstable();
    if keys.is_empty() {
        return keys;
    }
    (1..size)
        .map(|rank| keys[rank * keys.len() / size])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;
    use crate::rng::{Purpose, Stream};

    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Row(u64, u64);

    impl Keyed for Row {
        type Key = u64;
        fn key(&self) -> u64 {
            self.0
        }
    }

    /// How rows are spread over ranks before they are sorted.
    #[derive(Clone, Copy, Debug)]
    enum Spread {
        /// Most on the first ranks, few on the last.
        Uneven,
        /// Each with rows of all kinds, as bodies are that have mixed.
        Mixed,
        /// All on the last rank.
        OnOne,
    }
    const SPREADS: [Spread; 3] = [Spread::Uneven, Spread::Mixed, Spread::OnOne];

    /// The rows of a rank, of so many in all, in descending order.
    fn rows_of(rank: usize, ranks: usize, total: u64, spread: Spread) -> Vec<Row> {
        let mut draw = Stream::new(Purpose::Trial, 53, [ranks as u64, 0, 0]);
        let owner = |u: f64| match spread {
            Spread::Uneven => (ranks as f64 * u.powi(6)) as usize,
            Spread::Mixed => (ranks as f64 * u) as usize,
            Spread::OnOne => ranks - 1,
        };
        let keys = (0..total).map(|k| 7 * k + u64::from(k > total / 2) * 100_000);
        let owned: Vec<_> = keys
            .map(|key| (key, owner(draw.between(0.0, 1.0))))
            .collect();
        let mine = owned.into_iter().filter(|(_, owner)| *owner == rank);
        mine.map(|(key, _)| Row(key, key ^ 5)).rev().collect()
    }

    /// Each rank gets its share of all rows in ascending order, however they were distributed.
    #[test]
    fn shares_of_all_ranks_make_up_all_rows_in_order() {
        let cases = SPREADS.map(|spread| [0, 1, 400].map(|total| (spread, total)));
        for (ranks, (spread, total)) in [1, 2, 3, 4, 8]
            .into_iter()
            .flat_map(|ranks| cases.concat().into_iter().map(move |case| (ranks, case)))
        {
            let rows = |rank| rows_of(rank, ranks, total, spread);
            let mut all: Vec<Row> = (0..ranks).flat_map(rows).collect();
            all.sort_by_key(Row::key);
            // Equal shares, and whole pieces of 60 rows, of which some ranks get none.
            for piece in [1, 60] {
                let end = |rank: usize| match rank == ranks {
                    true => total,
                    false => total * rank as u64 / ranks as u64 / piece * piece,
                };
                let share = |_, rank: usize| end(rank)..end(rank + 1);
                let name = |row: &Row| row.0.to_string();
                let found = threads::run(ranks, |comm| {
                    let (rows, count) = in_order(comm, &rows(comm.rank()), share, name)
                        .map(|(rows, count)| (rows.into_owned(), count))
                        .unwrap();
                    assert_eq!(count, total);
                    rows
                });
                for (rank, rows) in found.iter().enumerate() {
                    let mine = share(total, rank);
                    assert_eq!(rows[..], all[mine.start as usize..mine.end as usize]);
                }
            }
        }
    }

    /// Two rows of one key are named, on whatever ranks they begin.
    #[test]
    fn rows_that_are_there_twice_are_named() {
        for ranks in [2, 3, 8] {
            threads::run(ranks, |comm| {
                let mut rows = rows_of(comm.rank(), ranks, 400, Spread::Mixed);
                if comm.rank() + 1 == ranks {
                    rows.push(rows_of(0, ranks, 400, Spread::Mixed)[3]);
                }
                let key = rows_of(0, ranks, 400, Spread::Mixed)[3].0;
                let share = |total: u64, rank: usize| match rank {
                    0 => 0..total,
                    _ => total..total,
                };
                let found = in_order(comm, &rows, share, |row| row.0.to_string());
                assert_eq!(found.unwrap_err(), format!("{key} is there twice"));
            });
        }
    }

    /// Keys that are mixed over the ranks come to nearly equal numbers on all: no rank needs the
    /// memory of many.
    #[test]
    fn mixed_rows_are_cut_into_nearly_equal_parts() {
        for ranks in [8, 32] {
            let parts = threads::run(ranks, |comm| {
                let mut rows = rows_of(comm.rank(), ranks, 6400, Spread::Mixed);
                rows.sort_by_key(Row::key);
                let bounds = bounds(comm, &rows, 6400);
                let mut parts = vec![0; ranks];
                for row in &rows {
                    parts[bounds.partition_point(|bound| *bound <= row.0)] += 1;
                }
                parts
            });
            let each = (0..ranks).map(|to| parts.iter().map(|part| part[to]).sum::<usize>());
            let most = each.max().unwrap();
            assert!(most < 2 * 6400 / ranks, "{most} of 6400 on one of {ranks}");
        }
    }

    /// Pieces of any size bring the same rows.
    #[test]
    fn rows_that_go_in_pieces_all_come() {
        for ranks in [2, 3, 8] {
            for piece in [1, 48, 1 << 20] {
                let found = threads::run(ranks, |comm| {
                    let mut rows = rows_of(comm.rank(), ranks, 400, Spread::Uneven);
                    rows.sort_by_key(Row::key);
                    let to = |row: &Row| (row.0 as usize / 1000).min(ranks - 1);
                    let mut came = Vec::new();
                    send(comm, &rows, &mut came, piece, to);
                    came.sort_by_key(Row::key);
                    assert!(came.iter().all(|row| to(row) == comm.rank()));
                    came
                });
                let rows = |rank| rows_of(rank, ranks, 400, Spread::Uneven);
                let mut all: Vec<Row> = (0..ranks).flat_map(rows).collect();
                all.sort_by_key(Row::key);
                assert_eq!(found.concat(), all, "{ranks} {piece}");
            }
        }
    }
}
