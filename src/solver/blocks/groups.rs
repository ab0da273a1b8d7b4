//! Candidates grouped by block: that of their pair, or the one that holds their point.

use crate::contact::Candidate;
use crate::solver::grid::{BlockGrid, Parity};

/// The candidates of one block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) colour: Parity,
    pub(super) linear: u64,
    /// The range of its candidates in [`Groups::sorted`].
    pub(super) contents: std::ops::Range<usize>,
}

/// All groups, with the working memory for sorting.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Sorted by colour and number of the block.
    pub(super) groups: Vec<Group>,
    /// Indices of candidates, group by group, ascending within a group.
    pub(super) sorted: Vec<u32>,
    /// The block of each candidate, by number.
    linear: Vec<u64>,
    /// The index of the next candidate of each block.
    next: Vec<u32>,
}

/// Largest number of grid blocks per candidate for counting; a grid with more is mostly empty.
const DENSE: u64 = 4;

impl Groups {
    /// Groups candidates by block.
    pub(super) fn of(&mut self, candidates: &[Candidate], grid: &BlockGrid) {
        self.groups.clear();
        self.linear.clear();
        let linear = candidates.iter().map(|c| {
            c.home
                .unwrap_or_else(|| grid.linear(grid.block_of(&c.point)))
        });
        self.linear.extend(linear);
        let blocks: u64 = grid.count().iter().map(|&n| n as u64).product();
        if blocks <= DENSE * (candidates.len() as u64 + 16) {
            self.count(blocks as usize, grid);
        } else {
            self.sort(grid);
        }
    }

    /// Counts the candidates of every block of the grid.
    fn count(&mut self, blocks: usize, grid: &BlockGrid) {
        self.next.clear();
        self.next.resize(blocks, 0);
        for &linear in &self.linear {
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
        self.sorted.resize(self.linear.len(), 0);
        for (k, &linear) in self.linear.iter().enumerate() {
            let next = &mut self.next[linear as usize];
            self.sorted[*next as usize] = k as u32;
            *next += 1;
        }
    }

    /// The same for a grid that is too large to count.
    fn sort(&mut self, grid: &BlockGrid) {
        self.sorted.clear();
        self.sorted.extend(0..self.linear.len() as u32);
        let linear = &self.linear;
        let place = |k: &u32| {
            let linear = linear[*k as usize];
            (grid.colour(linear).0, linear, *k)
        };
        self.sorted.sort_unstable_by_key(place);
        let mut first = 0;
        for contents in self
            .sorted
            .chunk_by(|x, y| linear[*x as usize] == linear[*y as usize])
        {
            let linear = linear[contents[0] as usize];
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
    use crate::contact::Partner;
    use crate::math::Vector3;
    use crate::rng::{Purpose, Stream};

    /// Counting and sorting find the same groups; each holds all candidates of its block in order.
    #[test]
    fn groups_are_the_same_by_counting_and_by_sorting() {
        let mut draw = Stream::new(Purpose::Trial, 37, [0; 3]);
        let upper = Vector3::new(5.0, 4.0, 3.0);
        for periodic in [[false; 3], [true, false, false]] {
            let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, periodic);
            let candidate = |_| Candidate {
                key: Default::default(),
                a: 0,
                b: Partner::Wall(0),
                normal: Vector3::z(),
                gap: 0.0,
                point: upper.map(|x| draw.between(-0.1, 1.1) * x),
                home: None,
            };
            let candidates: Vec<Candidate> = (0..500).map(candidate).collect();
            let (mut counted, mut sorted) = (Groups::default(), Groups::default());
            counted.of(&candidates, &grid);
            sorted.linear.clone_from(&counted.linear);
            sorted.sort(&grid);
            assert_eq!(counted.groups, sorted.groups);
            assert_eq!(counted.sorted, sorted.sorted);
            let mut seen = 0;
            for group in &counted.groups {
                let contents = &counted.sorted[group.contents.clone()];
                assert!(contents.is_sorted());
                for &k in contents {
                    let block = grid.block_of(&candidates[k as usize].point);
                    assert_eq!(grid.linear(block), group.linear);
                    assert_eq!(Parity::of(block), group.colour);
                    seen += 1;
                }
            }
            assert_eq!(seen, candidates.len());
        }
    }
}
