//! The plain search: one grid of cells over all bodies; bodies can only be close in neighbouring
//! cells.
//!
//! Every wall is compared with every body.
//!
//! The cell edge is the largest distance of two centres that still matters. It grows where the
//! bodies are so sparse that the cells would far outnumber them: so time and memory stay
//! proportional to the number of bodies, whatever their extent in space.

use super::sphere;
use crate::body::{Bodies, Wall};
use crate::contact::{Candidate, Neighbours};
use crate::math::Vector3;
use crate::shape::Period;

/// Half of the 26 neighbours of a cell, so that each pair of cells is visited once.
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

/// As [`super::candidates`], but in any order, and for finite positions only.
#[must_use]
pub fn candidates(
    bodies: &Bodies,
    walls: &[Wall],
    margin: f64,
    period: &Period,
    mine: impl Fn(&Vector3) -> bool,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    near_pairs(
        bodies.positions(),
        bodies.radii(),
        margin,
        period,
        |i, j| {
            // Indices are in ascending order of id.
            let (a, b) = if i < j { (i, j) } else { (j, i) };
            let contact = sphere::sphere_sphere(
                &bodies.positions()[a],
                bodies.radii()[a],
                &period.difference(&bodies.positions()[a], &bodies.positions()[b]),
                bodies.radii()[b],
            );
            if contact.gap < margin && mine(&contact.point) {
                let pair = Neighbours {
                    first: a as u32,
                    second: b as u32,
                };
                found.push(pair.candidate(&contact, bodies.ids()));
            }
        },
    );
    for (w, wall) in walls.iter().enumerate() {
        for (a, (x, &radius)) in bodies.positions().iter().zip(bodies.radii()).enumerate() {
            sphere::touches_of_wall(x, radius, &wall.surface, margin, |contact| {
                let pair = Neighbours {
                    first: a as u32,
                    second: (bodies.len() + w) as u32,
                };
                if mine(&contact.point) {
                    found.push(pair.candidate(&contact, bodies.ids()));
                }
            });
        }
    }
    found
}

/// Calls `found` once for each pair of bodies in the same cell or in neighbouring cells.
///
/// Every pair whose surfaces are closer than `margin` [m] is among them, also across periodic
/// faces. On a periodic axis the cells form a circle that is cut open: bodies may be close across
/// the ends of the range that they span, unless this range is shorter than the period by more than
/// a cell.
pub(super) fn near_pairs(
    positions: &[Vector3],
    radii: &[f64],
    margin: f64,
    period: &Period,
    mut found: impl FnMut(usize, usize),
) {
    if positions.len() < 2 {
        return;
    }
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let reach = 2.0 * largest + margin;
    let unrolled;
    let positions = if period.any() {
        unrolled = unroll(positions, period);
        &unrolled
    } else {
        positions
    };
    let grid = Grid::over(positions, reach, period);
    if grid.closed.contains(&true) {
        return closed_pairs(&grid, positions, found);
    }
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

/// Positions with periodic coordinates counted from the end of the widest gap between bodies.
///
/// So a rank's bodies on both sides of the end of a period come together, and span the least
/// length.
fn unroll(positions: &[Vector3], period: &Period) -> Vec<Vector3> {
    let mut unrolled = positions.to_vec();
    for axis in 0..3 {
        let Some(length) = period.length[axis] else {
            continue;
        };
        // Gaps are searched in slices of the period: accurate enough, and without sorting.
        const SLICES: usize = 64;
        let lower = period.lower[axis];
        let slice = |x: f64| (((x - lower) / length * SLICES as f64) as usize).min(SLICES - 1);
        let mut taken = [false; SLICES];
        positions.iter().for_each(|x| taken[slice(x[axis])] = true);
        let mut widest = (0, 0);
        let mut run = 0;
        for k in 0..2 * SLICES {
            run = if taken[k % SLICES] { 0 } else { run + 1 };
            if run > widest.0 && run <= SLICES {
                widest = (run, (k + 1) % SLICES);
            }
        }
        let start = lower + length * widest.1 as f64 / SLICES as f64;
        for x in &mut unrolled {
            if x[axis] < start {
                x[axis] += length;
            }
        }
    }
    unrolled
}

/// The pairs of a grid that is closed on some axis.
///
/// Each body searches all neighbouring cells, and a pair is reported from its lower index.
fn closed_pairs(grid: &Grid, positions: &[Vector3], mut found: impl FnMut(usize, usize)) {
    let mut members = vec![Vec::new(); grid.len()];
    for (i, x) in positions.iter().enumerate() {
        members[grid.index(grid.cell_of(x))].push(i);
    }
    let mut around = Vec::with_capacity(27);
    for (c, of_cell) in members.iter().enumerate().filter(|(_, m)| !m.is_empty()) {
        grid.neighbours(c, &mut around);
        for &i in of_cell {
            let near = around.iter().flat_map(|&k| &members[k]);
            near.filter(|&&j| j > i).for_each(|&j| found(i, j));
        }
    }
}

struct Grid {
    lower: Vector3,
    edge: Vector3,
    count: [i64; 3],
    /// Axes on which the last cell is a neighbour of the first.
    closed: [bool; 3],
}

impl Grid {
    /// A grid of cells of at least `edge` over the positions, with at most a few cells per body.
    fn over(positions: &[Vector3], edge: f64, period: &Period) -> Self {
        let first = positions[0];
        let (lower, upper) = positions
            .iter()
            .fold((first, first), |(low, high), x| (low.inf(x), high.sup(x)));
        let mut extent = upper - lower;
        let mut edge = if edge > 0.0 {
            edge
        } else {
            extent.max().max(1.0)
        };
        // Where bodies span a periodic axis, its cells do too.
        let closed = [0, 1, 2].map(|a| period.length[a].is_some_and(|l| extent[a] + edge >= l));
        for axis in (0..3).filter(|&a| closed[a]) {
            extent[axis] = period.length[axis].unwrap_or_default();
        }
        let most = (8 * positions.len() + 64) as f64;
        loop {
            let count = [0, 1, 2].map(|a| {
                let fit = (extent[a] / edge).floor();
                if closed[a] { fit.max(1.0) } else { fit + 1.0 }
            });
            if count.iter().product::<f64>() <= most {
                // On a closed axis the cells fill the period exactly.
                let edges = [0, 1, 2].map(|a| {
                    if closed[a] {
                        extent[a] / count[a]
                    } else {
                        edge
                    }
                });
                return Self {
                    lower,
                    edge: Vector3::from(edges),
                    count: count.map(|n| n as i64),
                    closed,
                };
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
            let k = ((x[axis] - self.lower[axis]) / self.edge[axis]).floor() as i64;
            cell[axis] = if self.closed[axis] {
                k.rem_euclid(self.count[axis])
            } else {
                k.clamp(0, self.count[axis] - 1)
            };
        }
        cell
    }

    fn contains(&self, cell: [i64; 3]) -> bool {
        (0..3).all(|axis| (0..self.count[axis]).contains(&cell[axis]))
    }

    /// The neighbours of a cell and the cell itself, each once.
    fn neighbours(&self, cell: usize, into: &mut Vec<usize>) {
        let [nx, ny, _] = self.count;
        let cell = cell as i64;
        let here = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        into.clear();
        for dz in -1..=1 {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let mut there = [here[0] + dx, here[1] + dy, here[2] + dz];
                    for axis in (0..3).filter(|&a| self.closed[a]) {
                        there[axis] = there[axis].rem_euclid(self.count[axis]);
                    }
                    if self.contains(there) {
                        into.push(self.index(there));
                    }
                }
            }
        }
        into.sort_unstable();
        into.dedup();
    }

    fn index(&self, cell: [i64; 3]) -> usize {
        ((cell[2] * self.count[1] + cell[1]) * self.count[0] + cell[0]) as usize
    }
}
