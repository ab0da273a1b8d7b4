//! Refuses driven walls that carry bodies out of the domain.

use super::error::RunError;
use super::sizes::Sizes;
use crate::body::{Drive, Motion, Signal, Wall};
use crate::config::Scenario;
use crate::shape::Surface;
use std::f64::consts::{PI, TAU};

/// Fails if bodies follow a driven plane beyond a face of the domain.
///
/// The plane is parallel to the face and does not turn. Bodies follow it where gravity presses them
/// to it, and where it moves together with the opposite side of a box. Then a displacement beyond
/// the face by the smallest radius brings a centre out of the domain.
pub(super) fn walls_keep_inside(scenario: &Scenario, sizes: &Sizes) -> Result<(), RunError> {
    if scenario.delete_outside {
        return Ok(());
    }
    for wall in &scenario.walls {
        let Some((axis, beyond)) = beyond(wall, scenario) else {
            continue;
        };
        if beyond < sizes.smallest_ball || !is_followed(wall, scenario) {
            continue;
        }
        let normal = normal(wall).unwrap_or_default()[axis];
        let side = if normal > 0.0 { "lower" } else { "upper" };
        return Err(RunError::Input(format!(
            "wall {}: must stay less than the smallest radius, {} m, beyond the face of the domain at domain.{side}, as bodies \
             follow it; found a motion to {beyond:.6} m beyond it: give the box lower and upper that leave room within the \
             domain, or make the domain larger",
            wall.name, sizes.smallest_ball
        )));
    }
    Ok(())
}

/// The unit normal of a plane along an axis, as numbers; `None` for other surfaces.
fn normal(wall: &Wall) -> Option<[f64; 3]> {
    match &wall.surface {
        Surface::Plane(plane) if plane.normal.iter().any(|n| n.abs() == 1.0) => {
            Some(plane.normal.into())
        }
        _ => None,
    }
}

/// The axis of a driven plane, and the distance by which it goes beyond the domain's face [m].
fn beyond(wall: &Wall, scenario: &Scenario) -> Option<(usize, f64)> {
    let (Some(normal), Surface::Plane(plane)) = (normal(wall), &wall.surface) else {
        return None;
    };
    let Motion::Driven(Drive {
        translation: Some((direction, signal)),
        rotation: None,
    }) = &wall.motion
    else {
        return None;
    };
    let axis = (0..3).find(|&a| normal[a] != 0.0)?;
    let outward = -direction[axis] * normal[axis];
    let room = match normal[axis] > 0.0 {
        true => plane.point[axis] - scenario.lower[axis],
        false => scenario.upper[axis] - plane.point[axis],
    };
    let [least, most] = range(signal, last_time(scenario));
    (outward != 0.0).then(|| (axis, (outward * least).max(outward * most) - room))
}

/// Whether bodies stay at a plane that moves away from them.
fn is_followed(wall: &Wall, scenario: &Scenario) -> bool {
    let Some(normal) = normal(wall) else {
        return false;
    };
    let opposite = normal.map(|n| -n);
    let together = |other: &&Wall| {
        self::normal(other).is_some_and(|n| n == opposite) && other.motion == wall.motion
    };
    let pressed = (0..3).map(|a| scenario.gravity[a] * normal[a]).sum::<f64>() < 0.0;
    pressed || scenario.walls.iter().any(|other| together(&other))
}

/// The latest end of the run [s]; infinite if it ends at rest only.
pub(super) fn last_time(scenario: &Scenario) -> f64 {
    let steps = scenario.last_step();
    let steps = steps.map(|n| n as f64 * scenario.pace.at_most());
    let ends = steps.into_iter().chain(scenario.end.until);
    ends.fold(f64::INFINITY, f64::min)
}

/// The smallest and the largest value of a signal from time zero to `end` [s].
pub(super) fn range(signal: &Signal, end: f64) -> [f64; 2] {
    let mut times = vec![0.0];
    if end.is_finite() {
        times.push(end);
    }
    match signal {
        Signal::Rate(rate) if end.is_infinite() => {
            return [(rate * end).min(0.0), (rate * end).max(0.0)];
        }
        Signal::Rate(_) => {}
        Signal::Sine {
            frequency, phase, ..
        } => {
            // The sine turns where its angle is an odd multiple of π/2.
            let first = (phase / PI - 0.5).ceil();
            let turns = [first, first + 1.0].map(|k| ((k + 0.5) * PI - phase) / (TAU * frequency));
            times.extend(turns);
        }
        Signal::Table {
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
    let ways = ways.map(|t| signal.way(t));
    ways.fold([0.0, 0.0], |[least, most], x| [x.min(least), x.max(most)])
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
                let found = range(&signal, end);
                for (s, f) in seen.iter().zip(found) {
                    assert!(
                        (s - f).abs() < 1e-6,
                        "{signal:?} to {end}: {seen:?} {found:?}"
                    );
                }
            }
        }
        let [least, most] = range(&sine(0.5, 0.0), f64::INFINITY);
        assert!((least + 0.5).abs() < 1e-12 && (most - 0.5).abs() < 1e-12);
        assert_eq!(
            range(&Signal::Rate(1.0), f64::INFINITY),
            [0.0, f64::INFINITY]
        );
    }
}
