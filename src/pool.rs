//! The threads of a rank, and how they share work.
//!
//! Results do not depend on the number of threads: parts come back in order, and sums over them are
//! exact.

mod team;

use rayon::ThreadPoolBuildError;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use team::Team;

/// Smallest number of items for a thread.
const GRAIN: usize = 512;
/// Parts for each thread: enough that no thread waits long for another.
const PARTS: usize = 4;

/// Several threads, the calling thread among them; or the calling thread alone.
#[derive(Debug, Default)]
pub struct Pool(Option<Team>);

impl Pool {
    /// `threads` threads, of which the calling thread is the first.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        Ok(Self(match threads {
            0 | 1 => None,
            n => Some(Team::new(n - 1)?),
        }))
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, Team::threads)
    }

    /// Cuts `places` into parts and distributes them over the threads; results are in order of the
    /// parts.
    pub fn parts<T: Send>(&self, places: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let part = self.part(places);
        let ranges =
            (0..places.div_ceil(part).max(1)).map(|k| k * part..places.min((k + 1) * part));
        self.share(ranges, work)
    }

    /// The results of all places, in order.
    pub fn list<T: Clone + Send>(&self, places: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let mut parts = self.parts(places, |some| some.map(&of).collect::<Vec<T>>());
        match parts.len() {
            // Without a copy.
            1 => parts.pop().unwrap_or_default(),
            _ => parts.concat(),
        }
    }

    /// Like [`Pool::parts`], with items that the threads change; `work` gets the start of each
    /// part.
    pub fn parts_of<A: Send, T: Send>(
        &self,
        items: &mut [A],
        work: impl Fn(usize, &mut [A]) -> T + Sync,
    ) -> Vec<T> {
        let part = self.part(items.len());
        let parts = items.chunks_mut(part).enumerate();
        self.share(parts, |(k, items)| work(k * part, items))
    }

    /// Distributes pieces of work over the threads; results are in the order of the pieces.
    ///
    /// Each thread begins with the pieces at its own place in the order, so that it finds those in
    /// its cache that it worked on before. Then it takes pieces of others, one at a time.
    pub fn share<A: Send, T: Send>(
        &self,
        pieces: impl Iterator<Item = A>,
        work: impl Fn(A) -> T + Sync,
    ) -> Vec<T> {
        let Some(team) = &self.0 else {
            return pieces.map(work).collect();
        };
        let places = pieces.map(|piece| Mutex::new((Some(piece), None)));
        let places: Vec<_> = places.collect();
        // Each thread begins with its own share, then helps with those of others.
        let threads = team.threads();
        let share = places.len().div_ceil(threads).max(1);
        let shares = places
            .chunks(share)
            .map(|share| (share, AtomicUsize::new(0)));
        let shares: Vec<_> = shares.collect();
        let take_part = |thread: usize| {
            let in_turn = (0..threads).map(|k| (thread + k) % threads);
            for (places, next) in in_turn.filter_map(|k| shares.get(k)) {
                // A place is locked by one thread only.
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Ok(mut place) = place.lock() {
                        place.1 = place.0.take().map(&work);
                    }
                }
            }
        };
        match places.len() {
            0 | 1 => take_part(0),
            _ => team.run(&take_part),
        }
        drop(shares);
        let results = places.into_iter().map(|place| place.into_inner().ok());
        let results = results.map(|place| place.and_then(|(_, result)| result));
        results
            .map(|result| result.expect("all work is done"))
            .collect()
    }

    /// The length of a part of so many items.
    #[must_use]
    pub fn part(&self, places: usize) -> usize {
        match self.0 {
            None => places.max(1),
            Some(_) => places.div_ceil(PARTS * self.threads()).max(GRAIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place is in one part, and parts are in order, for any number of threads.
    #[test]
    fn parts_cover_all_places_in_order() {
        for threads in [0, 1, 2, 3, 5] {
            let pool = Pool::new(threads).unwrap();
            assert_eq!(pool.threads(), threads.max(1));
            for places in [0, 1, 511, 513, 10_000, 100_001] {
                let parts = pool.parts(places, |range| range.collect::<Vec<_>>());
                assert!(parts.concat().into_iter().eq(0..places));
                assert!(pool.list(places, |place| place).into_iter().eq(0..places));
                let mut items: Vec<usize> = vec![0; places];
                let first = pool.parts_of(&mut items, |first, items| {
                    let each = items.iter_mut().enumerate();
                    each.for_each(|(k, item)| *item += first + k);
                    (first, items.len())
                });
                assert!(items.into_iter().eq(0..places));
                let ends: Vec<usize> = first.iter().map(|(first, n)| first + n).collect();
                assert_eq!(ends.last().copied().unwrap_or(0), places);
            }
        }
    }

    /// Results come in the order of the pieces, however many threads and pieces there are.
    #[test]
    fn each_piece_is_worked_on_once() {
        for threads in [1, 2, 3, 5] {
            let pool = Pool::new(threads).unwrap();
            for pieces in [0, 1, 2, 3, 7, 100] {
                let mut called = vec![0; pieces];
                let of_piece = |(k, calls): (usize, &mut u32)| {
                    *calls += 1;
                    k
                };
                let results = pool.share(called.iter_mut().enumerate(), of_piece);
                assert!(results.into_iter().eq(0..pieces), "{threads} {pieces}");
                assert_eq!(called, vec![1; pieces]);
            }
        }
    }

    /// A piece may share work itself, and a panic in a piece reaches the calling thread.
    #[test]
    fn a_piece_may_share_work_and_may_panic() {
        let pool = Pool::new(3).unwrap();
        let inner = |k: u32| pool.share(0..k, |j| j).len();
        assert!(pool.share(0..50, inner).into_iter().eq(0..50));
        let fails = || pool.share(0..50, |k| assert!(k != 33, "as asked"));
        let fails = std::panic::AssertUnwindSafe(fails);
        assert!(std::panic::catch_unwind(fails).is_err());
        assert!(pool.share(0..50, inner).into_iter().eq(0..50));
    }
}
