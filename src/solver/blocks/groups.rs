//! The pairs of a plan grouped by block.

use crate::math::make_room;
use crate::solver::grid::{BlockGrid, Parity};

/// The pairs of one block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) colour: Parity,
    pub(super) linear: u64,
    /// The range of its pairs in [`Groups::sorted`].
    pub(super) contents: std::ops::Range<usize>,
}

/// All groups, with the working memory for sorting.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Sorted by colour and number of the block.
    pub(super) groups: Vec<Group>,
    /// Indices of pairs, group by group, ascending within a group.
    pub(super) sorted: Vec<u32>,
    /// The index of the next pair of each block.
    next: Vec<u32>,
}

/// Largest number of grid blocks per pair for counting; a grid with more is mostly empty.
const DENSE: u64 = 4;

impl Groups {
    /// Groups pairs by the numbers of their blocks.
    pub(super) fn of(&mut self, homes: &[u64], grid: &BlockGrid) {
        self.groups.clear();
        let blocks: u64 = grid.count().iter().map(|&n| n as u64).product();
        if blocks <= DENSE * (homes.len() as u64 + 16) {
            self.count(homes, blocks as usize, grid);
        } else {
            self.sort(homes, grid);
        }
    }

    /// Counts the pairs of every block of the grid.
    fn count(&mut self, homes: &[u64], blocks: usize, grid: &BlockGrid) {
        self.next.clear();
        self.next.resize(blocks, 0);
        for &linear in homes {
            self.next[linear as usize] += 1;
        }
        for (linear, &n) in self.next.iter().enumerate().filter(|(_, n)| **n > 0) {
            self.groups.push(Group {
                colour: grid.colour(linear as u64),
                linear: linear as u64,
                contents: 0..n as usize,
            });
        }
        self.groups.sort_unstable_by_key(|g| (g.colour.0, g.linear));
        let mut first = 0;
        for group in &mut self.groups {
            self.next[group.linear as usize] = first as u32;
            group.contents = first..first + group.contents.len();
            first = group.contents.end;
        }
        self.sorted.clear();
        make_room(&mut self.sorted, homes.len());
        self.sorted.resize(homes.len(), 0);
        for (k, &linear) in homes.iter().enumerate() {
            let next = &mut self.next[linear as usize];
            self.sorted[*next as usize] = k as u32;
            *next += 1;
        }
    }

    /// The same for a grid that is too large to count.
    fn sort(&mut self, homes: &[u64], grid: &BlockGrid) {
        self.sorted.clear();
        self.sorted.extend(0..homes.len() as u32);
        let place = |k: &u32| {
            let linear = homes[*k as usize];
            (grid.colour(linear).0, linear, *k)
        };
        self.sorted.sort_unstable_by_key(place);
        let mut first = 0;
        for contents in self
            .sorted
            .chunk_by(|x, y| homes[*x as usize] == homes[*y as usize])
        {
            let linear = homes[contents[0] as usize];
            self.groups.push(Group {
                colour: grid.colour(linear),
                linear,
                contents: first..first + contents.len(),
            });
            first += contents.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector3;
    use crate::rng::{Purpose, Stream};

    /// Counting and sorting find the same groups; each holds all pairs of its block in order.
    #[test]
    fn groups_are_the_same_by_counting_and_by_sorting() {
        let mut draw = Stream::new(Purpose::Trial, 37, [0; 3]);
        let upper = Vector3::new(5.0, 4.0, 3.0);
        for periodic in [[false; 3], [true, false, false]] {
            let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, periodic);
            let home = |_| {
                let point = upper.map(|x| draw.between(-0.1, 1.1) * x);
                grid.linear(grid.block_of(&point))
            };
            let homes: Vec<u64> = (0..500).map(home).collect();
            let (mut counted, mut sorted) = (Groups::default(), Groups::default());
            counted.of(&homes, &grid);
            sorted.sort(&homes, &grid);
            assert_eq!(counted.groups, sorted.groups);
            assert_eq!(counted.sorted, sorted.sorted);
            let mut seen = 0;
            for group in &counted.groups {
                let contents = &counted.sorted[group.contents.clone()];
                assert!(contents.is_sorted());
                for &k in contents {
                    assert_eq!(homes[k as usize], group.linear);
                    assert_eq!(grid.colour(group.linear), group.colour);
                    seen += 1;
                }
            }
            assert_eq!(seen, homes.len());
        }
    }
}
