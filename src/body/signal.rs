//! Quantities as functions of time.

use super::ramp::at;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// A quantity as a function of time. As a displacement [m] or angle [rad] it is zero at time zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Constant rate: `x = rate t`.
    Rate(f64),
    /// `x = amplitude (sin(2π frequency t + phase) − sin(phase))`.
    Sine {
        /// Amplitude [m or rad].
        amplitude: f64,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase [rad].
        phase: f64,
    },
    /// Linear interpolation between points (time [s], value); constant before the first and after
    /// the last.
    Table {
        /// Times [s], ascending.
        times: Arc<[f64]>,
        /// Values at these times: of the quantity, or of its rate.
        values: Arc<[f64]>,
        /// Whether the values are rates, to be integrated.
        rates: bool,
    },
}

impl Signal {
    /// The displacement [m] or angle [rad] at a time [s], from time zero.
    #[must_use]
    pub fn way(&self, t: f64) -> f64 {
        match self {
            Self::Rate(rate) => rate * t,
            Self::Sine {
                amplitude,
                frequency,
                phase,
            } => {
                // Whole periods are subtracted, so that the sine is as accurate after a million of
                // them.
                let periods = frequency * t;
                let angle = TAU * (periods - periods.floor()) + phase;
                amplitude * (libm::sin(angle) - libm::sin(*phase))
            }
            Self::Table {
                times,
                values,
                rates: false,
            } => at(times, values, t) - at(times, values, 0.0),
            Self::Table { times, values, .. } => {
                integral(times, values, t) - integral(times, values, 0.0)
            }
        }
    }
}

impl Signal {
    /// Its largest absolute rate between two times [m/s or rad/s].
    #[must_use]
    pub fn top_rate(&self, t0: f64, t1: f64) -> f64 {
        match self {
            Self::Rate(rate) => rate.abs(),
            Self::Sine {
                amplitude,
                frequency,
                phase,
            } => {
                let top = amplitude.abs() * TAU * frequency;
                let periods = frequency * t0;
                let from = TAU * (periods - periods.floor()) + phase;
                let to = from + TAU * frequency * (t1 - t0);
                // The rate is largest where the angle is a multiple of π.
                if (from / PI).floor() != (to / PI).floor() {
                    return top;
                }
                top * libm::cos(from).abs().max(libm::cos(to).abs())
            }
            Self::Table {
                times,
                values,
                rates,
            } => {
                let next = times.partition_point(|&t| t <= t0);
                let inside = (next..times.len()).take_while(|&k| times[k] < t1);
                if *rates {
                    let ends = [t0, t1].map(|t| at(times, values, t).abs());
                    return inside.fold(ends[0].max(ends[1]), |top, k| top.max(values[k].abs()));
                }
                let slope = |k: usize| (values[k] - values[k - 1]) / (times[k] - times[k - 1]);
                let pieces = (next.max(1)..times.len()).take_while(|&k| times[k - 1] < t1);
                pieces.fold(0.0, |top, k| f64::max(top, slope(k).abs()))
            }
        }
    }
}

/// The integral of this function from the first point to t, exactly.
fn integral(times: &[f64], values: &[f64], t: f64) -> f64 {
    if t <= times[0] {
        return (t - times[0]) * values[0];
    }
    let mut sum = 0.0;
    for k in 1..times.len() {
        let end = times[k].min(t);
        sum += 0.5 * (end - times[k - 1]) * (values[k - 1] + at(times, values, end));
        if times[k] >= t {
            return sum;
        }
    }
    let last = times.len() - 1;
    sum + (t - times[last]) * values[last]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between any two times no signal exceeds its largest rate, and somewhere it reaches it.
    #[test]
    fn no_signal_is_faster_than_its_top_rate() {
        let table = |rates| Signal::Table {
            times: [0.5, 1.0, 3.0, 3.001].into(),
            values: [2.0, -1.0, 4.0, -4.0].into(),
            rates,
        };
        let sine = Signal::Sine {
            amplitude: -0.3,
            frequency: 0.7,
            phase: 0.7,
        };
        for signal in [Signal::Rate(-0.7), sine, table(false), table(true)] {
            for (from, length) in
                (0..800).map(|k| (0.005 * f64::from(k), 0.002 * f64::from(k % 37 + 1)))
            {
                let top = signal.top_rate(from, from + length);
                let pieces = (0..2000).map(|k| from + length * f64::from(k) / 2000.0);
                let step = length / 2000.0;
                let rates = pieces.map(|t| (signal.way(t + step) - signal.way(t)).abs() / step);
                let most = rates.fold(0.0, f64::max);
                assert!(
                    most <= top * (1.0 + 1e-7) + 1e-9,
                    "{signal:?} {from}: {most} {top}"
                );
                assert!(
                    most >= top * 0.98 - 1e-3,
                    "{signal:?} {from} {length}: {most} {top}"
                );
            }
        }
    }
}
