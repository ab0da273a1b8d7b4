//! The range of a prescribed motion.

use super::drive::Drive;
use super::signal::Signal;
use crate::math::Vector3;
use std::f64::consts::{PI, TAU};

impl Signal {
    /// The smallest and the largest displacement [m] or angle [rad] from time zero to `end` [s].
    #[must_use]
    pub fn range(&self, end: f64) -> [f64; 2] {
        if end.is_infinite() && self.last_rate() != 0.0 {
            // A rate that lasts leads any distance away.
            let [least, most] = self.among(self.turns());
            let away = self.last_rate() * f64::INFINITY;
            return [least.min(away), most.max(away)];
        }
        let mut times = vec![0.0];
        times.extend(Some(end).filter(|end| end.is_finite()));
        times.extend(self.turns());
        times.retain(|t| (0.0..=end).contains(t));
        self.among(times)
    }

    fn among(&self, times: Vec<f64>) -> [f64; 2] {
        let ways = times.into_iter().filter(|t| *t >= 0.0).map(|t| self.way(t));
        ways.fold([0.0, 0.0], |[least, most], x| [x.min(least), x.max(most)])
    }

    /// Times at which it has its extremes, but for the ends of a time span: of a sine those of the
    /// first period [s].
    fn turns(&self) -> Vec<f64> {
        match self {
            Self::Rate(_) => Vec::new(),
            Self::Sine {
                frequency, phase, ..
            } => {
                // The sine turns where its angle is an odd multiple of π/2.
                let first = (phase / PI - 0.5).ceil();
                let turns =
                    [first, first + 1.0].map(|k| ((k + 0.5) * PI - phase) / (TAU * frequency));
                turns.to_vec()
            }
            Self::Table {
                times: points,
                values,
                rates,
            } => {
                let ends = points.windows(2).zip(values.windows(2));
                let turns = ends.filter(|(_, v)| *rates && v[0] * v[1] < 0.0);
                let turns = turns.map(|(t, v)| t[0] + (t[1] - t[0]) * v[0] / (v[0] - v[1]));
                points.iter().copied().chain(turns).collect()
            }
        }
    }

    /// The mean rate that it has for ever in the end [m/s or rad/s].
    fn last_rate(&self) -> f64 {
        match self {
            Self::Rate(rate) => *rate,
            Self::Sine { .. } => 0.0,
            Self::Table { values, rates, .. } => match values.last() {
                Some(last) if *rates => *last,
                _ => 0.0,
            },
        }
    }

    /// A time after which it only repeats itself, or goes on at a rate [s].
    fn known_after(&self) -> f64 {
        match self {
            Self::Rate(_) => 0.0,
            Self::Sine { frequency, .. } => PERIODS / frequency,
            Self::Table { times, .. } => times.last().copied().unwrap_or_default(),
        }
    }
}

/// Periods of a sine at which a sum of motions is looked at.
const PERIODS: f64 = 64.0;

/// Times at which a sum of motions is looked at.
const SAMPLES: u32 = 20_000;

impl Drive {
    /// The smallest and the largest displacement by translations along a unit vector, from time
    /// zero to `end` [s] [m].
    ///
    /// Of several translations these are the extremes among many times: the true ones may lie a
    /// little beyond.
    #[must_use]
    pub fn range_along(&self, direction: &Vector3, end: f64) -> [f64; 2] {
        let parts = self.translations.iter();
        let parts = parts.map(|(of, signal)| (of.dot(direction), signal));
        let parts: Vec<(f64, &Signal)> = parts.filter(|(along, _)| *along != 0.0).collect();
        if let [(along, signal)] = parts[..] {
            let [a, b] = signal.range(end).map(|way| way * along);
            return [a.min(b).min(0.0), a.max(b).max(0.0)];
        }
        let way = |t: f64| parts.iter().map(|(a, signal)| a * signal.way(t)).sum();
        let mut range = [0.0_f64; 2];
        let mut last = end;
        if end.is_infinite() {
            let rate: f64 = parts.iter().map(|(a, signal)| a * signal.last_rate()).sum();
            let away = if rate == 0.0 { 0.0 } else { rate * end };
            range = [away.min(0.0), away.max(0.0)];
            let known = parts.iter().map(|(_, signal)| signal.known_after());
            last = known.fold(0.0, f64::max);
        }
        let even = (0..=SAMPLES).map(|k| last * f64::from(k) / f64::from(SAMPLES));
        let turns = parts.iter().flat_map(|(_, signal)| signal.turns());
        let turns = turns.filter(|t| (0.0..=last).contains(t));
        even.chain(turns)
            .map(way)
            .fold(range, |[least, most], x: f64| [least.min(x), most.max(x)])
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

    /// The range of a sum of motions is that of the sum, not the sum of the ranges.
    #[test]
    fn opposite_motions_do_not_add_up() {
        let sine = |amplitude| Signal::Sine {
            amplitude,
            frequency: 2.0,
            phase: 0.4,
        };
        let (x, z) = (Vector3::x(), Vector3::z());
        let drive = |translations: Vec<_>| Drive {
            translations,
            ..Drive::default()
        };
        let still = drive(vec![
            (z, sine(0.3)),
            (-z, sine(0.3)),
            (x, Signal::Rate(9.0)),
        ]);
        for end in [0.01, 3.0, f64::INFINITY] {
            let found = still.range_along(&z, end);
            assert!(found.iter().all(|x| x.abs() < 1e-12), "{end}: {found:?}");
        }
        // 0.3 t − 0.2 sin(2π t) has its extremes in its first and its last period.
        let swing = Signal::Sine {
            amplitude: -0.2,
            frequency: 1.0,
            phase: 0.0,
        };
        let both = drive(vec![(z, Signal::Rate(0.3)), (z, swing)]);
        let turn = libm::acos(0.3 / (0.2 * TAU)) / TAU;
        let least = 0.3 * turn - 0.2 * libm::sin(TAU * turn);
        let most = 0.3 * (5.0 - turn) + 0.2 * libm::sin(TAU * turn);
        let found = both.range_along(&z, 5.0);
        assert!((found[0] - least).abs() < 1e-6 && (found[1] - most).abs() < 1e-6);
        let back = both.range_along(&-z, 5.0);
        assert!((back[0] + found[1]).abs() < 1e-12 && (back[1] + found[0]).abs() < 1e-12);
        assert_eq!(both.range_along(&z, f64::INFINITY)[1], f64::INFINITY);
        assert_eq!(both.range_along(&x, f64::INFINITY), [0.0, 0.0]);
        let alone = Drive::along(z, Signal::Rate(-0.3));
        assert_eq!(alone.range_along(&-z, 2.0), [0.0, 0.6]);
    }
}
