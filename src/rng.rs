//! Named random streams, keyed by purpose, seed of the run, and subject (step, sweep, block, id).
//!
//! The generator is counter based (ChaCha). A checkpoint therefore stores nothing about randomness,
//! and no draw depends on ranks, threads, or earlier draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The purpose of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The tour of the colours of a sweep.
    Tour = 1,
    /// The order of the batches of a block in a sweep.
    Order = 2,
    /// Radius and displacement of an initial body.
    Sample = 3,
    /// Trials of tests and benches.
    Trial = 4,
    /// The order in which the contacts of a block are dealt to its batches.
    Batches = 5,
    /// Size and position of a body of an inlet.
    Inlet = 6,
    /// The factor of a contact's initial force in a solve (`solver.start_spread`).
    Start = 7,
    /// The orientation of a clump.
    Orientation = 8,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `purpose` under the run's `seed` for the subject `key` (three numbers).
    #[must_use]
    pub fn new(purpose: Purpose, seed: u64, key: [u64; 3]) -> Self {
        let mut bytes = [0u8; 32];
        for (chunk, word) in bytes
            .chunks_exact_mut(8)
            .zip([seed, key[0], key[1], key[2]])
        {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(bytes);
        rng.set_stream(purpose as u64);
        Self(rng)
    }

    /// The stream of one of several things that share a key; that of number 0 is this one itself.
    #[must_use]
    pub fn of(mut self, number: u64) -> Self {
        if number == 0 {
            return self;
        }
        let mut key = [(); 4].map(|()| self.0.next_u64());
        key[0] ^= number;
        let mut bytes = [0u8; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(key) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(bytes);
        rng.set_stream(self.0.get_stream());
        Self(rng)
    }

    /// An integer in `0..bound`, uniformly distributed (Lemire's multiplication with rejection).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "a draw from nothing");
        let reject_below = bound.wrapping_neg() % bound;
        loop {
            let wide = u64::from(self.0.next_u32()) * u64::from(bound);
            if wide as u32 >= reject_below {
                return (wide >> 32) as u32;
            }
        }
    }

    /// A number in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniform number between two bounds.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Shuffles the items; all orders are equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validation B8: each order of three items comes equally often, 1/6 ± 4σ over 60 000 shuffles.
    #[test]
    fn b8_every_order_of_three_is_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        let shuffles = 60_000;
        for sweep in 0..shuffles {
            let mut order = [0, 1, 2];
            Stream::new(Purpose::Order, 1, [7, sweep, 3]).shuffle(&mut order);
            *counts.entry(order).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        let bound = 4.0 * (1.0f64 / 6.0 * 5.0 / 6.0 / shuffles as f64).sqrt();
        for (order, n) in counts {
            let share = f64::from(n) / shuffles as f64;
            assert!((share - 1.0 / 6.0).abs() < bound, "{order:?}: {share}");
        }
    }

    #[test]
    fn streams_differ_by_purpose_seed_and_key_and_repeat_themselves() {
        let draw = |p, s, k| {
            let mut stream = Stream::new(p, s, k);
            [stream.unit(), stream.unit()]
        };
        let base = draw(Purpose::Tour, 1, [0, 0, 0]);
        assert_eq!(base, draw(Purpose::Tour, 1, [0, 0, 0]));
        for other in [
            draw(Purpose::Order, 1, [0, 0, 0]),
            draw(Purpose::Tour, 2, [0, 0, 0]),
            draw(Purpose::Tour, 1, [1, 0, 0]),
            draw(Purpose::Tour, 1, [0, 1, 0]),
            draw(Purpose::Tour, 1, [0, 0, 1]),
        ] {
            assert_ne!(base, other);
        }
    }

    /// Things that share a key draw different numbers, the first those of the key; however large
    /// their numbers are.
    #[test]
    fn several_things_of_a_key_have_streams_of_their_own() {
        let stream = || Stream::new(Purpose::Start, 1, [2, 3, 4]);
        assert_eq!(stream().of(0).unit(), stream().unit());
        let numbers = [0, 1, 2, 1 << 32, 1 << 63, u64::MAX];
        let draws: std::collections::BTreeSet<u64> = numbers
            .iter()
            .map(|&n| stream().of(n).unit().to_bits())
            .collect();
        assert_eq!(draws.len(), numbers.len());
        assert_eq!(stream().of(7).unit(), stream().of(7).unit());
    }

    /// The first draws are fixed: a change of library that changes them changes every run.
    #[test]
    fn draws_are_the_same_for_ever() {
        let mut stream = Stream::new(Purpose::Order, 1, [2, 3, 4]);
        let first: Vec<u32> = (0..4).map(|_| stream.below(1000)).collect();
        assert_eq!(first, [175, 138, 693, 889]);
    }
}
