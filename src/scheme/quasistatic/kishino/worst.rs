//! The largest of numbers that change one by one.

/// Numbers of places, and the place of the largest.
///
/// A tree of matches: each node has the winner of its two, so a change takes one match a level.
#[derive(Debug)]
pub(super) struct Worst {
    /// The numbers, filled up to a power of two with −1.
    numbers: Vec<f64>,
    /// The winners: the two of node `n` are nodes `2n` and `2n + 1`, and the places come last.
    winners: Vec<u32>,
}

impl Worst {
    /// Numbers, none of them negative.
    pub(super) fn of(numbers: impl ExactSizeIterator<Item = f64>) -> Self {
        let size = numbers.len().next_power_of_two();
        let mut numbers: Vec<f64> = numbers.map(ranked).collect();
        numbers.resize(size, -1.0);
        let mut winners = vec![0; 2 * size];
        (0..size).for_each(|place| winners[size + place] = place as u32);
        let mut worst = Self { numbers, winners };
        (1..size).rev().for_each(|node| _ = worst.play(node));
        worst
    }

    /// The place of the largest number, of several the first, and the number. A NaN counts as ∞.
    pub(super) fn largest(&self) -> (usize, f64) {
        let place = self.winners[1] as usize;
        (place, self.numbers[place])
    }

    /// Replaces the number of a place.
    pub(super) fn set(&mut self, place: usize, number: f64) {
        self.numbers[place] = ranked(number);
        let mut node = (self.numbers.len() + place) / 2;
        // Matches above one that it has neither won nor wins stay as they are.
        while node > 0 {
            let before = self.winners[node];
            let now = self.play(node);
            if before == now && now as usize != place {
                return;
            }
            node /= 2;
        }
    }

    /// Plays the match of a node; returns its winner.
    fn play(&mut self, node: usize) -> u32 {
        let [left, right] = [self.winners[2 * node], self.winners[2 * node + 1]];
        let wins = self.numbers[right as usize] > self.numbers[left as usize];
        let winner = if wins { right } else { left };
        self.winners[node] = winner;
        winner
    }
}

fn ranked(number: f64) -> f64 {
    if number.is_nan() {
        f64::INFINITY
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn the_largest_is_found_after_each_change() {
        let mut stream = Stream::new(Purpose::Trial, 5, [0; 3]);
        for count in [1, 2, 5, 8, 33] {
            // Few values, so that many are equal.
            let mut draw = || (4.0 * stream.unit()).floor();
            let mut numbers: Vec<f64> = (0..count).map(|_| draw()).collect();
            let mut worst = Worst::of(numbers.iter().copied());
            for turn in 0..100 {
                let most = numbers.iter().copied().fold(0.0, f64::max);
                let first = numbers.iter().position(|number| *number == most);
                assert_eq!(Some(worst.largest().0), first, "{numbers:?}");
                let place = turn * 7 % count;
                numbers[place] = draw();
                worst.set(place, numbers[place]);
            }
        }
    }

    #[test]
    fn a_number_that_is_none_wins() {
        let mut worst = Worst::of([1.0, -f64::NAN, 2.0].into_iter());
        assert_eq!(worst.largest(), (1, f64::INFINITY));
        worst.set(1, 0.5);
        assert_eq!(worst.largest(), (2, 2.0));
        worst.set(0, f64::NAN);
        assert_eq!(worst.largest(), (0, f64::INFINITY));
    }
}
