//! The frame in which bodies are put into cells: ways from a corner, with periodic axes cut open where nobody is.

use crate::math::Vector3;
use crate::shape::Period;

/// The corner from which ways are counted, and the axes on which space closes upon itself.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    origin: Vector3,
    /// Periods of periodic axes [m].
    turn: [Option<f64>; 3],
    /// Whether there is any.
    turns: bool,
    /// Periods of those on which bodies lie all round, so that they may be near across the cut [m].
    pub closed: [Option<f64>; 3],
}

/// Whether a body can be put anywhere. What is no number is left out, for others to report.
#[inline]
pub(super) fn is_placed(x: &Vector3, radius: f64) -> bool {
    // The sum of numbers is one, unless they are beyond all use.
    (x.x + x.y + x.z + radius).is_finite()
}

impl Frame {
    /// The frame of bodies of which two matter to each other up to the distance `reach` of their centres [m].
    pub(super) fn new(positions: &[Vector3], period: &Period, reach: f64) -> Self {
        let everywhere = Vector3::repeat(f64::INFINITY);
        let (mut lower, mut upper) = (everywhere, -everywhere);
        for x in positions.iter().filter(|x| is_placed(x, 0.0)) {
            (lower, upper) = (lower.inf(x), upper.sup(x));
        }
        let mut frame = Self {
            origin: if lower.x <= upper.x {
                lower
            } else {
                Vector3::zeros()
            },
            turn: period.length,
            turns: period.any(),
            closed: [None; 3],
        };
        if !period.any() {
            return frame;
        }
        for axis in 0..3 {
            if let Some(length) = period.length[axis] {
                frame.origin[axis] = cut(positions, axis, period.lower[axis], length);
            }
        }
        let mut extent = [0.0_f64; 3];
        for x in positions.iter().filter(|x| is_placed(x, 0.0)) {
            let u = frame.relative(x);
            extent = [0, 1, 2].map(|a| extent[a].max(u[a]));
        }
        // The cut lies at the lower end of a slice, so that the lowest way may well be above zero; that only errs towards
        // closing an axis that could stay open.
        frame.closed = [0, 1, 2].map(|a| frame.turn[a].filter(|&l| extent[a] + reach >= l));
        frame
    }

    /// The way of a position from the corner [m]; on periodic axes from 0 up to the period.
    #[inline]
    pub(super) fn relative(&self, x: &Vector3) -> Vector3 {
        let mut u = x - self.origin;
        if !self.turns {
            return u;
        }
        for axis in 0..3 {
            if let Some(length) = self.turn[axis] {
                if u[axis] < 0.0 {
                    u[axis] += length;
                }
                // Bodies come wrapped; one that does not must still find its cell.
                if u[axis] < 0.0 || u[axis] > length {
                    u[axis] = u[axis].rem_euclid(length);
                }
            }
        }
        u
    }
}

/// The upper end of the widest gap between the bodies round a periodic axis: ways counted from there span no more than they
/// must, also where a rank's bodies lie on both sides of the end of the period.
fn cut(positions: &[Vector3], axis: usize, lower: f64, length: f64) -> f64 {
    // Gaps are looked for in slices of the period, which is good enough and takes no sorting.
    const SLICES: usize = 64;
    let mut taken = [false; SLICES];
    for x in positions.iter().filter(|x| is_placed(x, 0.0)) {
        taken[(((x[axis] - lower) / length * SLICES as f64) as usize).min(SLICES - 1)] = true;
    }
    let mut widest = (0, 0);
    let mut run = 0;
    for k in 0..2 * SLICES {
        run = if taken[k % SLICES] { 0 } else { run + 1 };
        if run > widest.0 && run <= SLICES {
            widest = (run, (k + 1) % SLICES);
        }
    }
    lower + length * widest.1 as f64 / SLICES as f64
}
