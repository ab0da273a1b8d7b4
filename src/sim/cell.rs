//! Checks of a periodic cell before a run, and its line in `moreau check`.

use super::error::RunError;
use crate::body::{Cell, CellState, Edge, Signal};
use crate::config::Scenario;
use crate::math::{as_written, nan_max};
use crate::scheme::MOST_STRAIN;
use crate::scheme::pace::Pace;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Fails if a prescribed strain is too large for a time step, or leaves an edge no length.
///
/// The run goes on from this state of the cell at a time [s].
pub(super) fn fits(
    scenario: &Scenario,
    state: Option<&CellState>,
    time: f64,
) -> Result<(), RunError> {
    let Some((cell, now)) = scenario.cell.as_ref().zip(state) else {
        return Ok(());
    };
    let last = scenario.last_time();
    let grown = cell.strains(&cell.start().upper, &now.upper);
    for ((axis, edge), grown) in AXES.iter().zip(&cell.edges).zip(&grown) {
        let Edge::Strain(strain) = edge else {
            continue;
        };
        let points = match strain {
            Signal::Table { times, .. } => &times[..],
            _ => &[],
        };
        let ends = [last];
        let times = points.iter().chain(&ends);
        let times = times.filter(|t| t.is_finite() && (time..=last).contains(t));
        let mut found = times.map(|t| (grown + strain.way(*t) - strain.way(time), *t));
        if let Some((strain, when)) = found.find(|(strain, _)| *strain <= -1.0) {
            return Err(RunError::Input(format!(
                "cell.{axis}: strains must stay above -1, at which an edge has no length; found {} at {} s",
                as_written(strain),
                as_written(when)
            )));
        }
    }
    let (Pace::Even(dt), None) = (&scenario.pace, &scenario.statics) else {
        return Ok(()); // A rule, or increments, take smaller steps.
    };
    let strain = strain(cell, now, [time, time + dt]);
    if strain > MOST_STRAIN {
        return Err(RunError::Input(format!(
            "cell: the strain in a time step must be at most {MOST_STRAIN}; found {}; choose a smaller time.dt or rate",
            as_written(strain)
        )));
    }
    Ok(())
}

/// The largest prescribed strain in a time span [s], that of simple shear included.
pub(super) fn strain(cell: &Cell, now: &CellState, times: [f64; 2]) -> f64 {
    let edges = cell.strains(&now.upper, &cell.prescribed(&now.upper, times));
    edges.amax() + cell.sheared(times).abs()
}

/// The largest stress that the cell holds at the start [Pa].
pub(super) fn stress(cell: &Cell) -> f64 {
    let held = cell.held(0.0).into_iter();
    let sizes = held.map(|held| held.stress.abs() / held.direction.abs().sum());
    sizes.fold(0.0, nan_max)
}

/// The line about the cell: the motion of each edge and of its images in the first span, which has
/// this name and length [s].
pub(super) fn line(cell: &Cell, (span, dt): (&str, f64)) -> String {
    let now = cell.start();
    let strains = cell.strains(&now.upper, &cell.prescribed(&now.upper, [0.0, dt]));
    let edge = |(axis, name): (usize, &&str)| {
        let motion = match &cell.edges[axis] {
            Edge::Fixed => return None,
            Edge::Stress(stress) => format!("stress {} Pa", as_written(stress.at(0.0))),
            _ => format!("strain {:.2e}", strains[axis]),
        };
        Some(format!("{name} {motion}"))
    };
    let mut parts: Vec<String> = AXES.iter().enumerate().filter_map(edge).collect();
    let held = |name: &str, stress: f64| format!("{name} {} Pa", as_written(stress));
    parts.extend(cell.mean.iter().map(|of| held("mean stress", of.at(0.0))));
    let deviator = cell.deviator.iter();
    parts.extend(deviator.map(|(axis, of)| {
        let name = format!("deviator along {}", AXES[*axis]);
        held(&name, of.at(0.0))
    }));
    parts.extend(cell.shear.iter().map(|shear| {
        let [along, across] = [shear.along, shear.across].map(|axis| AXES[axis]);
        let strain = cell.sheared([0.0, dt]);
        format!("shear along {along} across {across} {strain:.2e}")
    }));
    let [x, y, z]: [f64; 3] = cell.lengths.into();
    let lengths = match cell.planar {
        true => format!("{} × {} m", as_written(x), as_written(y)),
        false => format!(
            "{} × {} × {} m",
            as_written(x),
            as_written(y),
            as_written(z)
        ),
    };
    format!(
        "cell       {lengths}; in the first {span}: {}",
        parts.join(", ")
    )
}
