//! The threads of a rank, and how they share work.
//!
//! Results do not depend on the number of threads: parts come back in order, and sums over them are
//! exact.

use rayon::ThreadPoolBuildError;
use rayon::prelude::*;
use std::ops::Range;

/// Smallest number of items for a thread.
const GRAIN: usize = 512;
/// Parts for each thread: enough that no thread waits long for another.
const PARTS: usize = 4;

/// Several threads, the calling thread among them; or the calling thread alone.
#[derive(Debug, Default)]
pub struct Pool(Option<rayon::ThreadPool>);

impl Pool {
    /// `threads` threads, of which the calling thread is the first: work then begins without a
    /// wake-up.
    ///
    /// Where the calling thread belongs to another pool already, all threads are new.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        if threads < 2 {
            return Ok(Self::default());
        }
        let builder = || rayon::ThreadPoolBuilder::new().num_threads(threads);
        let with_this = builder().use_current_thread().build();
        let pool = with_this.or_else(|_| builder().build())?;
        Ok(Self(Some(pool)))
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared()
            .map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// The threads, if there are more than one.
    #[must_use]
    pub fn shared(&self) -> Option<&rayon::ThreadPool> {
        self.0.as_ref()
    }

    /// Cuts `places` into parts and distributes them over the threads; results are in order of the
    /// parts.
    pub fn parts<T: Send>(&self, places: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let Some(pool) = &self.0 else {
            return vec![work(0..places)];
        };
        let part = self.part(places);
        let count = places.div_ceil(part).max(1);
        let range = |k: usize| k * part..places.min((k + 1) * part);
        pool.install(|| {
            let each = (0..count).into_par_iter();
            each.map(|k| work(range(k))).collect()
        })
    }

    /// Like [`Pool::parts`], with items that the threads change; `work` gets the start of each
    /// part.
    pub fn parts_of<A: Send, T: Send>(
        &self,
        items: &mut [A],
        work: impl Fn(usize, &mut [A]) -> T + Sync,
    ) -> Vec<T> {
        let Some(pool) = &self.0 else {
            return vec![work(0, items)];
        };
        let part = self.part(items.len());
        pool.install(|| {
            let each = items.par_chunks_mut(part).enumerate();
            each.map(|(k, items)| work(k * part, items)).collect()
        })
    }

    /// Length of a part.
    fn part(&self, places: usize) -> usize {
        places.div_ceil(PARTS * self.threads()).max(GRAIN)
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

    /// A thread that owns two pools works with both.
    #[test]
    fn one_thread_may_own_two_pools() {
        let pools = [2, 3].map(|n| Pool::new(n).unwrap());
        for pool in &pools {
            let sums = pool.parts(5000, |range| range.sum::<usize>());
            assert_eq!(sums.iter().sum::<usize>(), 5000 * 4999 / 2);
        }
    }
}
