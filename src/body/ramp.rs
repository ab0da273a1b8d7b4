//! A number that follows time by linear interpolation.

use std::sync::Arc;

/// The factor of a load over time: linear between its points, constant before and after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// Times [s], ascending; at least one.
    pub times: Arc<[f64]>,
    /// Values at these times.
    pub values: Arc<[f64]>,
}

impl Ramp {
    /// The value at a time [s].
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        at(&self.times, &self.values, time)
    }
}

/// The value at t of linear interpolation; constant before the first and after the last point.
pub(super) fn at(times: &[f64], values: &[f64], t: f64) -> f64 {
    let next = times.partition_point(|&x| x <= t);
    match (next.checked_sub(1), times.get(next)) {
        (None, _) => values[0],
        (Some(last), None) => values[last],
        (Some(k), Some(end)) => {
            let share = (t - times[k]) / (end - times[k]);
            values[k] + share * (values[next] - values[k])
        }
    }
}
