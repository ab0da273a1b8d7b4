//! The range of a prescribed motion.

use super::wall::Signal;
use std::f64::consts::{PI, TAU};

impl Signal {
    /// The smallest and the largest displacement [m] or angle [rad] from time zero to `end` [s].
    #[must_use]
    pub fn range(&self, end: f64) -> [f64; 2] {
        let mut times = vec![0.0];
        if end.is_finite() {
            times.push(end);
        }
        match self {
            Self::Rate(rate) if end.is_infinite() => {
                return [(rate * end).min(0.0), (rate * end).max(0.0)];
            }
            Self::Rate(_) => {}
            Self::Sine {
                frequency, phase, ..
            } => {
                // The sine turns where its angle is an odd multiple of π/2.
                let first = (phase / PI - 0.5).ceil();
                let turns =
                    [first, first + 1.0].map(|k| ((k + 0.5) * PI - phase) / (TAU * frequency));
                times.extend(turns);
            }
            Self::Table {
                times: points,
                values,
                rates,
            } => {
                times.extend(points.iter());
                let ends = points.windows(2).zip(values.windows(2));
                let turns = ends.filter(|(_, v)| *rates && v[0] * v[1] < 0.0);
                times.extend(turns.map(|(t, v)| t[0] + (t[1] - t[0]) * v[0] / (v[0] - v[1])));
                if end.is_infinite() {
                    // A rate that lasts leads any distance away.
                    let last = values.last().copied().filter(|v| *rates && *v != 0.0);
                    times.extend(last.map(|_| f64::INFINITY));
                }
            }
        }
        let ways = times.into_iter().filter(|t| (0.0..=end).contains(t));
        let ways = ways.map(|t| self.way(t));
        ways.fold([0.0, 0.0], |[least, most], x| [x.min(least), x.max(most)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range is that of many values, for any signal and end.
    #[test]
    fn the_range_of_a_signal_contains_all_its_values() {
        let table = |rates| Signal::Table {
            times: [0.5, 1.0, 3.0].into(),
            values: [2.0, -1.0, 4.0].into(),
            rates,
        };
        let sine = |amplitude, phase| Signal::Sine {
            amplitude,
            frequency: 0.7,
            phase,
        };
        let mut signals = vec![Signal::Rate(-0.7), table(false), table(true)];
        for k in -9..9 {
            signals.push(sine(0.3, 0.77 * f64::from(k)));
            signals.push(sine(-0.3, 0.77 * f64::from(k)));
        }
        for signal in signals {
            for end in [0.1, 0.4, 0.9, 1.7, 5.0] {
                let values = (0..=20_000).map(|k| signal.way(end * f64::from(k) / 20_000.0));
                let seen = values.fold([0.0, 0.0], |[a, b]: [f64; 2], x| [a.min(x), b.max(x)]);
                let found = signal.range(end);
                // No value is outside, and the nearest of the values tried is near the end.
                for out in [found[0] - seen[0], seen[1] - found[1]] {
                    let case = format!("{signal:?} to {end}: {seen:?} {found:?}");
                    assert!(out < 1e-12 && out > -1e-3, "{case}");
                }
            }
        }
        let [least, most] = sine(0.5, 0.0).range(f64::INFINITY);
        assert!((least + 0.5).abs() < 1e-12 && (most - 0.5).abs() < 1e-12);
        assert_eq!(Signal::Rate(1.0).range(f64::INFINITY), [0.0, f64::INFINITY]);
    }
}
