//! Plots of the series and other files that a run wrote step by step.

use super::plot::{Curve, Plot};
use super::table::Table;
use crate::config::Scenario;

const TIME: &str = "time [s]";

/// Walls that a plot shows, those with the largest forces.
const MOST_WALLS: usize = 8;

/// Points of a curve of times.
const MOST_TIMES: usize = 100;

fn plot(title: &str, curves: Vec<Curve>) -> Plot {
    Plot {
        title: title.to_owned(),
        x: TIME.to_owned(),
        curves,
        ..Plot::default()
    }
}

fn is_something(curve: &Curve) -> bool {
    curve.points.iter().any(|p| p[1].is_finite() && p[1] != 0.0)
}

/// The plots of `series.csv`. `scenario`, if known, gives cap and tolerance.
pub(super) fn of_series(series: &Table, scenario: Option<&Scenario>) -> Vec<Plot> {
    let curve = |name: &str, column: &str| {
        let points = series.points("time", column)?;
        Some(Curve::new(name, points))
    };
    let kinetic = curve("kinetic energy", "kinetic_energy");
    let settings = scenario.map(|scenario| scenario.solver);
    let mut residual = plot(
        "Residual",
        curve("residual", "residual").into_iter().collect(),
    );
    residual.log = true;
    let mut sweeps = plot(
        "Sweeps in a step",
        curve("sweeps", "sweeps").into_iter().collect(),
    );
    sweeps.log = true;
    if let Some(settings) = settings {
        let tolerance = settings.tolerance;
        residual
            .levels
            .push((tolerance, format!("tolerance {tolerance}")));
        let cap = settings.max_sweeps;
        sweeps.levels.push((cap as f64, format!("cap {cap}")));
    }
    for (plot, column) in [(&mut residual, "residual"), (&mut sweeps, "sweeps")] {
        let capped = capped(series, column);
        if !capped.points.is_empty() {
            plot.curves.push(capped);
        }
    }
    let mut overlap = plot(
        "Largest overlap, in radii of the smaller body",
        curve("largest overlap", "max_overlap")
            .into_iter()
            .collect(),
    );
    overlap.from_zero = true;
    let mut kinetic = plot("Kinetic energy [J]", kinetic.into_iter().collect());
    kinetic.log = true;
    let mut imbalance = plot(
        "Imbalance: largest over mean time of a rank",
        curve("imbalance", "imbalance").into_iter().collect(),
    );
    imbalance.from_zero = true;
    let mut bodies = plot(
        "Bodies and contacts",
        [
            ("bodies", "bodies"),
            ("contacts with an impulse", "active"),
            ("candidates", "contacts"),
        ]
        .into_iter()
        .filter_map(|(name, column)| curve(name, column))
        .collect(),
    );
    bodies.from_zero = true;
    let mut plots = vec![
        kinetic,
        energies(series),
        residual,
        sweeps,
        overlap,
        bodies,
        times(series),
        imbalance,
    ];
    let length = curve("step", "dt").filter(|c| {
        let first = c.points.first().map_or(0.0, |p| p[1]);
        c.points.iter().any(|p| p[1] != first)
    });
    plots.extend(length.map(|c| plot("Length of a step [s]", vec![c])));
    plots
}

/// Steps that ended at the cap, as marks.
fn capped(series: &Table, column: &str) -> Curve {
    let points = series.points("time", column).unwrap_or_default();
    let converged = series.column("converged").unwrap_or_default();
    let capped = points.into_iter().zip(converged);
    Curve {
        name: "not converged".to_owned(),
        points: capped.filter(|(_, c)| **c == 0.0).map(|(p, _)| p).collect(),
        marks: true,
    }
}

/// The energy and its parts, from the first row on.
fn energies(series: &Table) -> Plot {
    let since_first = |(name, column): (&str, &str)| {
        let mut points = series.points("time", column)?;
        let first = points.iter().map(|p| p[1]).find(|y| y.is_finite())?;
        points.iter_mut().for_each(|p| p[1] -= first);
        Some(Curve::new(name, points))
    };
    let curves = [
        ("kinetic", "kinetic_energy"),
        ("potential", "potential_energy"),
        ("elastic", "elastic_energy"),
        ("dissipated at contacts", "dissipated"),
        ("brought in by walls and regions", "driven"),
        ("came with bodies", "entered"),
        ("by projection", "projected"),
        ("lost to the integrator", "integrator"),
    ];
    let all = curves.into_iter().filter_map(since_first);
    let mut plot = plot(
        "Energies since the first row [J]",
        all.filter(is_something).collect(),
    );
    plot.note = "Entries that stay zero are left out.".to_owned();
    plot
}

/// Wall-clock time of a step, by part.
///
/// It is the mean over the steps since the row before, for a long series over those of several
/// rows, as a busy machine's times scatter.
fn times(series: &Table) -> Plot {
    let column = |name: &str| series.column(name).unwrap_or_default();
    let (step, time, wall) = (column("step"), column("time"), column("wall_s"));
    let parts = ["detect_s", "sweep_s", "exchange_s"].map(column);
    let rest: Vec<f64> = (wall.iter().enumerate())
        .map(|(k, all)| {
            let known: f64 = parts.iter().filter_map(|part| part.get(k)).sum();
            (all - known).max(0.0)
        })
        .collect();
    let together = step.len().div_ceil(MOST_TIMES).max(1);
    let curve = |(name, seconds): (&str, &[f64])| {
        let groups = (0..step.len().min(seconds.len())).step_by(together);
        let points = groups.map(|first| {
            let last = (first + together).min(seconds.len()) - 1;
            // In a resumed run the steps of the first row are unknown: one is assumed.
            let before = if first == 0 {
                step[0] - 1.0
            } else {
                step[first - 1]
            };
            let steps = (step[last] - before).max(1.0);
            let sum: f64 = seconds[first..=last].iter().sum();
            [time[last], sum / steps]
        });
        Curve::new(name, points.collect())
    };
    let named: [(&str, &[f64]); 4] = [
        ("detection", parts[0]),
        ("sweeps", parts[1]),
        ("exchange between ranks", parts[2]),
        ("all else", &rest),
    ];
    let curves = named.map(curve).into_iter().filter(is_something).collect();
    let mut plot = plot("Wall-clock time of a step [s]", curves);
    plot.from_zero = true;
    if together > 1 {
        plot.note = format!("Means over {together} rows.");
    }
    plot
}

/// Force-carrying contacts of a body, from the series and from measures.
pub(super) fn coordination(series: Option<&Table>, measures: &[(String, Table)]) -> Plot {
    let mut curves = Vec::new();
    if let Some(series) = series {
        let points = series.points("time", "bodies").unwrap_or_default();
        let active = series.column("active").unwrap_or_default();
        let each = points.iter().zip(active);
        let points = each.map(|([t, bodies], active)| [*t, 2.0 * active / bodies]);
        curves.push(Curve::new(
            "2 contacts / bodies, walls' too",
            points.collect(),
        ));
    }
    for (name, table) in measures {
        for (column, told) in [
            ("coordination", ""),
            ("coordination_without_rattlers", ", without rattlers"),
        ] {
            if let Some(points) = table.points("time", column) {
                curves.push(Curve::new(&format!("{name}{told}"), points));
            }
        }
    }
    let mut plot = plot(
        "Coordination: contacts of a body that carry a force",
        curves,
    );
    plot.from_zero = true;
    plot
}

/// One column of all measures that have it.
pub(super) fn of_measures(title: &str, column: &str, measures: &[(String, Table)]) -> Plot {
    let all = measures.iter();
    let curves = all.filter_map(|(name, table)| {
        let points = table.points("time", column)?;
        Some(Curve::new(name, points))
    });
    plot(title, curves.collect())
}

/// Magnitudes of the forces on walls.
pub(super) fn walls(walls: &Table) -> Plot {
    let mut curves: Vec<(f64, Curve)> = Vec::new();
    for name in walls.kinds() {
        let [x, y, z] =
            ["fx", "fy", "fz"].map(|f| walls.points_of(name, "time", f).unwrap_or_default());
        let force = |(x, (y, z)): (&[f64; 2], (&[f64; 2], &[f64; 2]))| {
            let square = x[1] * x[1] + y[1] * y[1] + z[1] * z[1];
            [x[0], square.sqrt()]
        };
        let points: Vec<[f64; 2]> = x.iter().zip(y.iter().zip(&z)).map(force).collect();
        let finite = points.iter().map(|p| p[1]).filter(|f| f.is_finite());
        curves.push((finite.fold(0.0, f64::max), Curve::new(name, points)));
    }
    let count = curves.len();
    curves.retain(|(most, _)| *most > 0.0);
    let untouched = count - curves.len();
    curves.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hidden = curves.len().saturating_sub(MOST_WALLS);
    curves.truncate(MOST_WALLS);
    let mut plot = plot(
        "Force of the bodies on each wall [N]",
        curves.into_iter().map(|(_, curve)| curve).collect(),
    );
    plot.from_zero = true;
    if untouched > 0 {
        plot.note = format!("{untouched} of {count} walls have never been touched. ");
    }
    if hidden > 0 {
        let more = format!("{hidden} more walls, with smaller forces, are in walls.csv.");
        plot.note.push_str(&more);
    }
    plot
}

/// Stresses and strains of a cell that deforms.
pub(super) fn cell(cell: &Table) -> [Plot; 2] {
    let curves = |columns: &[[&str; 2]]| {
        let curve = |[name, column]: &[&str; 2]| {
            let curve = Curve::new(name, cell.points("time", column)?);
            is_something(&curve).then_some(curve)
        };
        columns.iter().filter_map(curve).collect()
    };
    let stresses = ["xx", "yy", "zz", "yz", "zx", "xy"].map(|name| format!("stress_{name}"));
    let stresses: Vec<[&str; 2]> = (stresses.iter())
        .map(|column| [column.trim_start_matches("stress_"), column])
        .collect();
    let strains = [
        ["x", "strain_x"],
        ["y", "strain_y"],
        ["z", "strain_z"],
        ["simple shear", "shear"],
    ];
    [
        plot(
            "Stress of the cell, compression positive [Pa]",
            curves(&stresses),
        ),
        plot("Strain of the cell, extension positive", curves(&strains)),
    ]
}

/// Mass that came in and went out, by region.
pub(super) fn flows(flows: &Table) -> Plot {
    let kinds = flows.kinds().into_iter();
    let curves = kinds.filter_map(|region| {
        let points = flows.points_of(region, "time", "mass")?;
        Some(Curve::new(region, points))
    });
    let mut plot = plot(
        "Mass in by inlets and out by outlets so far [kg]",
        curves.collect(),
    );
    plot.from_zero = true;
    plot
}

/// The last distribution of forces that a measure wrote: density of `f/<f>`.
pub(super) fn forces(name: &str, table: &Table) -> Option<Curve> {
    let steps = table.column("step")?;
    let last = *steps.last()?;
    let [low, high, normal] = ["low", "high", "normal"].map(|c| table.column(c));
    let (low, high, normal) = (low?, high?, normal?);
    let rows = (0..steps.len()).filter(|k| steps[*k] == last);
    let total: f64 = rows.clone().map(|k| normal[k]).sum();
    let inner = rows.filter(|k| low[*k].is_finite() && high[*k].is_finite());
    let points = inner.map(|k| {
        let width = high[k] - low[k];
        [0.5 * (low[k] + high[k]), normal[k] / (total * width)]
    });
    let mut curve = Curve::new(&format!("measure {name}, step {last}"), points.collect());
    curve.marks = true;
    (total > 0.0).then_some(curve)
}
