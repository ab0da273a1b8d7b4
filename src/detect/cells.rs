//! Broad phase: a grid of cells over the bodies at hand; bodies can only be near if their cells touch.
//!
//! The cell edge is the largest distance of two centres that still matters, grown where the bodies lie so sparse that the
//! cells would far outnumber them: time and memory stay proportional to the number of bodies whatever space they span.

use crate::math::Vector3;

/// Half of the 26 neighbours of a cell: each pair of cells is met once.
const FORWARD: [[i64; 3]; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

/// Calls `found` once for each pair of places that lie in the same or in touching cells. Every pair whose surfaces are
/// nearer than `margin` [m] is among them.
pub(super) fn near_pairs(
    positions: &[Vector3],
    radii: &[f64],
    margin: f64,
    mut found: impl FnMut(usize, usize),
) {
    if positions.len() < 2 {
        return;
    }
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let grid = Grid::over(positions, 2.0 * largest + margin);
    let cell: Vec<usize> = positions
        .iter()
        .map(|x| grid.index(grid.cell_of(x)))
        .collect();

    // Counting sort of the bodies by cell.
    let mut start = vec![0usize; grid.len() + 1];
    for &c in &cell {
        start[c + 1] += 1;
    }
    for c in 0..grid.len() {
        start[c + 1] += start[c];
    }
    let mut next = start.clone();
    let mut sorted = vec![0usize; positions.len()];
    for (i, &c) in cell.iter().enumerate() {
        sorted[next[c]] = i;
        next[c] += 1;
    }

    for (i, x) in positions.iter().enumerate() {
        let here = grid.cell_of(x);
        let own = &sorted[start[cell[i]]..start[cell[i] + 1]];
        own.iter().filter(|&&j| j > i).for_each(|&j| found(i, j));
        for step in FORWARD {
            let there = [here[0] + step[0], here[1] + step[1], here[2] + step[2]];
            if grid.contains(there) {
                let c = grid.index(there);
                sorted[start[c]..start[c + 1]]
                    .iter()
                    .for_each(|&j| found(i, j));
            }
        }
    }
}

struct Grid {
    lower: Vector3,
    edge: f64,
    count: [i64; 3],
}

impl Grid {
    /// A grid of cells of at least `edge` over the positions, with at most a few cells per body.
    fn over(positions: &[Vector3], edge: f64) -> Self {
        let first = positions[0];
        let (lower, upper) = positions
            .iter()
            .fold((first, first), |(low, high), x| (low.inf(x), high.sup(x)));
        let extent = upper - lower;
        let most = (8 * positions.len() + 64) as f64;
        let mut edge = if edge > 0.0 {
            edge
        } else {
            extent.max().max(1.0)
        };
        loop {
            let count = extent.map(|e| (e / edge).floor() + 1.0);
            if count.product() <= most {
                let count = [count.x as i64, count.y as i64, count.z as i64];
                return Self { lower, edge, count };
            }
            edge *= 1.5;
        }
    }

    fn len(&self) -> usize {
        (self.count[0] * self.count[1] * self.count[2]) as usize
    }

    fn cell_of(&self, x: &Vector3) -> [i64; 3] {
        let mut cell = [0; 3];
        for axis in 0..3 {
            let k = ((x[axis] - self.lower[axis]) / self.edge).floor() as i64;
            cell[axis] = k.clamp(0, self.count[axis] - 1);
        }
        cell
    }

    fn contains(&self, cell: [i64; 3]) -> bool {
        (0..3).all(|axis| (0..self.count[axis]).contains(&cell[axis]))
    }

    fn index(&self, cell: [i64; 3]) -> usize {
        ((cell[2] * self.count[1] + cell[1]) * self.count[0] + cell[0]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use std::collections::BTreeSet;

    fn by_grid(x: &[Vector3], r: &[f64], margin: f64) -> BTreeSet<(usize, usize)> {
        let mut pairs = BTreeSet::new();
        near_pairs(x, r, margin, |i, j| {
            assert!(
                pairs.insert((i.min(j), i.max(j))),
                "pair {i}, {j} found twice"
            );
        });
        pairs.retain(|&(i, j)| (x[i] - x[j]).norm() < r[i] + r[j] + margin);
        pairs
    }

    fn by_brute_force(x: &[Vector3], r: &[f64], margin: f64) -> BTreeSet<(usize, usize)> {
        let all = (0..x.len()).flat_map(|i| (i + 1..x.len()).map(move |j| (i, j)));
        all.filter(|&(i, j)| (x[i] - x[j]).norm() < r[i] + r[j] + margin)
            .collect()
    }

    /// Validation G1 (one size group): the set of pairs equals that of all pairs, sparse and overlapping, any radii.
    #[test]
    fn g1_same_pairs_as_brute_force() {
        for trial in 0..60 {
            let mut draw = Stream::new(Purpose::Trial, 11, [trial, 0, 0]);
            let n = draw.below(300) as usize;
            let (side, ratio) = (
                draw.between(0.5, 40.0),
                [1.0, 10.0, 100.0][draw.below(3) as usize],
            );
            let x: Vec<Vector3> = (0..n)
                .map(|_| {
                    Vector3::new(
                        draw.between(-side, side),
                        draw.between(-side, side),
                        draw.between(-1.0, side),
                    )
                })
                .collect();
            let r: Vec<f64> = (0..n)
                .map(|_| libm::pow(ratio, draw.unit()) / ratio)
                .collect();
            let margin = draw.between(0.0, 0.3);
            assert_eq!(
                by_grid(&x, &r, margin),
                by_brute_force(&x, &r, margin),
                "trial {trial}"
            );
        }
    }

    /// Validation G5: one place for all, extents of 10⁹ diameters, negative coordinates, points on cell faces, no body.
    #[test]
    fn g5_pathological_sets() {
        let one_place = vec![Vector3::new(-1e6, 2.0, 3.0); 300];
        assert_eq!(by_grid(&one_place, &[0.5; 300], 0.1).len(), 300 * 299 / 2);
        let far = [
            Vector3::zeros(),
            Vector3::new(1e9, -1e9, 0.0),
            Vector3::new(1e9 + 0.9, -1e9, 0.0),
        ];
        assert_eq!(by_grid(&far, &[0.5; 3], 0.0), BTreeSet::from([(1, 2)]));
        let lattice: Vec<Vector3> = (0..125)
            .map(|k| Vector3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)))
            .collect();
        let r = [0.5; 125];
        assert_eq!(
            by_grid(&lattice, &r, 1e-9),
            by_brute_force(&lattice, &r, 1e-9)
        );
        assert_eq!(by_grid(&lattice, &r, 1e-9).len(), 3 * 100);
        assert!(
            by_grid(&[], &[], 0.1).is_empty()
                && by_grid(&[Vector3::zeros()], &[1.0], 0.1).is_empty()
        );
    }
}
