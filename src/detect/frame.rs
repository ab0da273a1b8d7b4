//! The frame in which bodies are sorted into cells: coordinates relative to a corner.
//!
//! A periodic axis is cut open where it has no bodies.

use crate::math::Vector3;
use crate::shape::Period;

/// The corner from which coordinates count, and the periodic axes that the bodies close.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    origin: Vector3,
    /// Periods of periodic axes [m].
    turn: [Option<f64>; 3],
    /// Whether any axis is periodic.
    turns: bool,
    /// Periods of the axes on which bodies may be close across the cut [m].
    pub closed: [Option<f64>; 3],
}

/// Whether a body can be sorted into a cell. Other checks report bodies with NaN or infinities.
#[inline]
pub(super) fn is_placed(x: &Vector3, radius: f64) -> bool {
    // The sum of finite numbers is finite, unless they are too large to be used.
    (x.x + x.y + x.z + radius).is_finite()
}

impl Frame {
    /// The frame of bodies, of which two may be close up to the distance `reach` of their centres
    /// [m].
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
        // The cut is at the lower end of a slice, so the lowest coordinate may be well above zero.
        // That only errs towards closing an axis that could stay open.
        frame.closed = [0, 1, 2].map(|a| frame.turn[a].filter(|&l| extent[a] + reach >= l));
        frame
    }

    /// The coordinates of a position relative to the corner [m]; on periodic axes from 0 up to the
    /// period.
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
                // Positions come wrapped; one that is not must still get a cell.
                if u[axis] < 0.0 || u[axis] > length {
                    u[axis] = u[axis].rem_euclid(length);
                }
            }
        }
        u
    }
}

/// The upper end of the widest gap between the bodies along a periodic axis.
///
/// Coordinates from there span the least length, also if a rank's bodies are on both sides of the
/// end of the period.
fn cut(positions: &[Vector3], axis: usize, lower: f64, length: f64) -> f64 {
    // Gaps are searched in slices of the period: accurate enough, and without sorting.
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
