//! Search for balls near a point: bins in levels by size.
//!
//! Small balls near large ones cost no more than among themselves.

use crate::math::Vector3;

/// A placed ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ball {
    pub(super) position: Vector3,
    pub(super) radius: f64,
}

/// The balls in and around a cell.
pub(super) struct Near {
    levels: Vec<Level>,
    balls: Vec<Ball>,
    /// The next ball of the same bin, `NONE` at its end.
    next: Vec<u32>,
}

/// The balls of one level: radii up to `largest` and, but on the last, above half of that.
struct Level {
    largest: f64,
    lower: Vector3,
    /// Bins to a metre.
    per: [f64; 3],
    bins: [usize; 3],
    head: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// All radii below a 64th of the largest are of one level.
const LEVELS: usize = 6;

/// Two bodies keep this factor in distance, so that rounding makes no overlap.
const APART: f64 = 1.0 + 1e-12;

impl Level {
    fn new([corner, far]: [Vector3; 2], reach: f64, largest: f64, most: usize) -> Self {
        let lower = corner.add_scalar(-reach);
        let extent = far.add_scalar(reach) - lower;
        // The number of bins exceeds the number of balls by a constant factor at most.
        let most = 2.0 + 2.0 * (most as f64).cbrt();
        let bins = [0, 1, 2].map(|a| (extent[a] / (2.0 * largest)).clamp(1.0, most) as usize);
        Self {
            largest,
            lower,
            per: [0, 1, 2].map(|a| bins[a] as f64 / extent[a]),
            bins,
            head: vec![NONE; bins.iter().product()],
        }
    }

    fn bin(&self, a: usize, x: f64) -> usize {
        (((x - self.lower[a]) * self.per[a]).max(0.0) as usize).min(self.bins[a] - 1)
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.bins[0] * (y + self.bins[1] * z)
    }
}

impl Near {
    /// For at most `most` balls of radii within `bounds` [m] that reach into the box between two
    /// corners.
    pub(super) fn new(corners: [Vector3; 2], bounds: [f64; 2], most: usize) -> Self {
        let [smallest, largest] = bounds;
        let mut levels = vec![Level::new(corners, 2.0 * largest, largest, most)];
        let mut next = 0.5 * largest;
        while next >= smallest && levels.len() < LEVELS {
            levels.push(Level::new(corners, 2.0 * largest, next, most));
            next *= 0.5;
        }
        Self {
            levels,
            balls: Vec::with_capacity(most),
            next: Vec::with_capacity(most),
        }
    }

    /// Adds a ball.
    pub(super) fn add(&mut self, ball: Ball) {
        let last = self.levels.len() - 1;
        let fits = |level: &Level| ball.radius > 0.5 * level.largest;
        let level = self.levels.iter().position(fits).unwrap_or(last);
        let level = &mut self.levels[level];
        let bin = level.place([0, 1, 2].map(|a| level.bin(a, ball.position[a])));
        self.next.push(level.head[bin]);
        level.head[bin] = self.balls.len() as u32;
        self.balls.push(ball);
    }

    /// Whether a ball at `x` overlaps no other.
    pub(super) fn is_free(&self, x: &Vector3, radius: f64) -> bool {
        self.levels.iter().all(|level| {
            let reach = (radius + level.largest) * APART;
            let low = [0, 1, 2].map(|a| level.bin(a, x[a] - reach));
            let high = [0, 1, 2].map(|a| level.bin(a, x[a] + reach));
            (low[2]..=high[2]).all(|k| {
                (low[1]..=high[1]).all(|j| {
                    (low[0]..=high[0])
                        .all(|i| self.bin_is_free(level.head[level.place([i, j, k])], x, radius))
                })
            })
        })
    }

    fn bin_is_free(&self, head: u32, x: &Vector3, radius: f64) -> bool {
        let mut at = head;
        while at != NONE {
            let ball = &self.balls[at as usize];
            let apart = (radius + ball.radius) * APART;
            if (ball.position - x).norm_squared() < apart * apart {
                return false;
            }
            at = self.next[at as usize];
        }
        true
    }
}
