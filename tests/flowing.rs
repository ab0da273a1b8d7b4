//! Flows with a free surface, through the shipped configurations: silos, columns, heaps, drums, against published laws. Five seeds each.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "flowing/balance.rs"]
mod balance;
mod experiment;
#[allow(unreachable_pub)] // Most tests have it in a folder.
#[path = "scene/record.rs"]
mod record;

use balance::{Drum, flux};
use experiment::{Run, config, line, mean, plot, run, run_all};
use record::{record, record_fact};
use std::f64::consts::PI;

const SEEDS: u64 = 5;
const G: f64 = 9.81;

/// Runs a configuration with each list of keys set and each seed, many beside each other; what is made of them, by list and by seed.
fn over_seeds<T: Send>(
    name: &str,
    cases: &[Vec<String>],
    of: impl Fn(usize, &Run) -> T + Sync,
) -> Vec<Vec<T>> {
    let seeds = SEEDS as usize;
    // The long ones, which are last, first.
    let all = run_all(cases.len() * seeds, |k| {
        let (case, seed) = (cases.len() - 1 - k / seeds, k % seeds + 1);
        let mut keys = cases[case].clone();
        keys.push(format!("solver.seed={seed}"));
        of(case, &run(&config(name), &keys, 1))
    });
    let mut all = all.into_iter();
    let mut by_case: Vec<Vec<T>> = (cases.iter())
        .map(|_| all.by_ref().take(seeds).collect())
        .collect();
    by_case.reverse();
    by_case
}

fn keys(of: &[&str]) -> Vec<String> {
    of.iter().map(|key| (*key).to_owned()).collect()
}

/// Rows of a table at or after a time [s]: values of a column.
fn since(run: &Run, table: &str, column: &str, from: f64) -> Vec<f64> {
    let times = run.column(table, "time");
    let values = run.column(table, column);
    let rows = times.iter().zip(values).filter(|(t, _)| **t >= from);
    rows.map(|(_, value)| value).collect()
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether each figure is larger than the one before by more than two standard errors of their difference.
fn grows(figures: &[(f64, f64)]) -> bool {
    figures.windows(2).all(|pair| {
        let (low, high) = (pair[0], pair[1]);
        high.0 - low.0 > 2.0 * high.1.hypot(low.1)
    })
}

/// Mass flow [kg/s] out of the silo, of the line of least squares from a time [s] to the end.
fn mass_flow(run: &Run, from: f64) -> f64 {
    let times = since(run, "flows.csv", "time", from);
    let masses = since(run, "flows.csv", "mass", from);
    let points: Vec<(f64, f64)> = times.into_iter().zip(masses).collect();
    line(&points).1
}

/// C7, Beverloo: the mass flow goes with `(D_o − 1.4 d)^(5/2)`, and does not depend on the height of the filling.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c7_mass_flow_of_a_silo() {
    let d = 0.006;
    // Hole in diameters, bodies (0: all that the configuration has), end [s]: a thousand bodies go out at least. The stream has reached the outlet
    // by 0.4 s.
    let holes = [
        (6.0, 6600, 1.45),
        (6.0, 0, 1.45),
        (8.0, 0, 0.85),
        (11.0, 0, 0.65),
        (14.0, 0, 0.55),
    ];
    let cases = holes.map(|(hole, count, until)| {
        let radius = 0.5 * hole * d;
        let mut set = vec![
            format!("wall.1.hole={radius}"),
            format!("wall.2.radius={radius}"),
            format!("region.2.radius={radius}"),
            format!("time.until={until}"),
        ];
        if count > 0 {
            set.push(format!("bodies.0.count={count}"));
        }
        set
    });
    let flows = over_seeds("silo-discharge", &cases, |_, run| {
        let density = 2500.0 * run.column("measure-fill.csv", "solid_fraction")[14];
        (mass_flow(run, 0.42), density)
    });
    let width = |hole: f64| (hole - 1.4) * d;
    let exponents: Vec<f64> = (0..SEEDS as usize)
        .map(|seed| {
            let points = (1..holes.len()).map(|k| (width(holes[k].0).ln(), flows[k][seed].0.ln()));
            line(&points.collect::<Vec<_>>()).1
        })
        .collect();
    let rows = (0..holes.len()).map(|k| {
        let (w, error) = mean(&flows[k].iter().map(|f| f.0).collect::<Vec<_>>());
        let density = average(&flows[k].iter().map(|f| f.1).collect::<Vec<_>>());
        let scale = density * G.sqrt() * width(holes[k].0).powf(2.5);
        vec![holes[k].0, w, error, w / scale, error / scale]
    });
    let rows: Vec<Vec<f64>> = rows.collect();
    println!("hole, flow, its error, C, its error: {rows:?}");
    plot("silo", "hole,flow,error,c,c_error", &rows[1..]);
    let (exponent, error) = mean(&exponents);
    let ratios: Vec<f64> = (0..SEEDS as usize)
        .map(|seed| flows[1][seed].0 / flows[0][seed].0)
        .collect();
    let (ratio, ratio_error) = mean(&ratios);
    println!("exponent {exponent} ± {error}, high over low {ratio} ± {ratio_error}");
    record(
        "C7",
        "mass flow of a silo over a filling 14 d high, filling 22 d",
        ratio,
        1.0,
        0.05,
    );
    record(
        "C7",
        "exponent of the mass flow in D_o − 1.4 d",
        exponent,
        2.5,
        0.15,
    );
}

/// Cross-section of the narrow silo [m²], its diameter [m], friction of its wall.
const SECTION: f64 = PI * 0.036 * 0.036;
const DIAMETER: f64 = 0.072;
const WALL_FRICTION: f64 = 0.5;

fn load_on_the_bottom(run: &Run, from: f64) -> f64 {
    // Two walls; the bottom is the first.
    let all = since(run, "walls.csv", "fz", from);
    -average(&all.into_iter().step_by(2).collect::<Vec<_>>())
}

/// The silo of `janssen` filled loosely up to a height: 5280 spheres at 0.6 m.
fn filled(to: f64, others: &[&str]) -> Vec<String> {
    let top = to + 0.02;
    let mut set = keys(others);
    set.extend([
        format!("region.0.to=[0.0, 0.0, {to}]"),
        format!("wall.1.to=[0.0, 0.0, {top}]"),
        format!("domain.upper=[0.04, 0.04, {top}]"),
    ]);
    set
}

/// C6: without friction at the wall the bottom carries the weight.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c6_a_smooth_silo_is_hydrostatic() {
    let set = [filled(0.6, &["material.1.friction=0.0", "time.until=1.5"])];
    let loads = over_seeds("janssen", &set, |_, run| {
        let mass: f64 = run.state().bodies.iter().map(|b| b.mass).sum();
        load_on_the_bottom(run, 1.4) / (mass * G)
    });
    let (load, error) = mean(&loads[0]);
    println!("load over weight {load} ± {error}");
    record("C6", "load of a smooth silo over weight", load, 1.0, 1e-3);
}

/// C6, Janssen: with its wall driven upwards the stress along a silo is `σ = ρ g λ (1 − e^(−z/λ))` with `λ = D/(4 μ K)`, and the load on the bottom saturates.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c6_janssen() {
    let quick = "solver.tolerance=1e-2";
    let set = [filled(0.6, &[quick]), filled(1.2, &[quick])];
    let figures = over_seeds("janssen", &set, |_, run| {
        let mass: f64 = run.state().bodies.iter().map(|b| b.mass).sum();
        let slices = (0..7).map(|k| {
            let table = format!("measure-slice{k}.csv");
            let of = |column| average(&since(run, &table, column, 0.7));
            [of("solid_fraction"), of("szz"), of("sxx"), of("syy")]
        });
        (
            mass,
            load_on_the_bottom(run, 0.7),
            slices.collect::<Vec<_>>(),
        )
    });
    let mut rows = Vec::new();
    let (mut ks, mut lengths) = (Vec::new(), Vec::new());
    for (mass, _, slices) in &figures[0] {
        let density = 2500.0 * average(&slices[1..6].iter().map(|s| s[0]).collect::<Vec<_>>());
        let height = mass / (density * SECTION);
        // Slices that are full, but for the lowest, in which the bottom matters.
        let full = (1..7).filter(|k| 0.03 * (f64::from(*k) + 1.0) < height - 0.006);
        let points: Vec<(f64, f64)> = full
            .map(|k| (height - 0.03 * (f64::from(k) + 0.5), slices[k as usize][1]))
            .collect();
        let length = janssen_length(&points, density);
        lengths.push(length / DIAMETER);
        ks.push(DIAMETER / (4.0 * WALL_FRICTION * length));
        let scale = density * G * DIAMETER;
        rows.extend(
            points
                .iter()
                .map(|(z, s)| vec![z / DIAMETER, s / scale, length / DIAMETER]),
        );
    }
    plot("janssen", "depth,stress,length", &rows);
    let (length, length_error) = mean(&lengths);
    let (k, k_error) = mean(&ks);
    let ratio = |(high, low): (&(f64, f64, _), &(f64, f64, _))| high.1 / low.1;
    let pairs = figures[1].iter().zip(&figures[0]);
    let (growth, growth_error) = mean(&pairs.map(ratio).collect::<Vec<_>>());
    let inner = figures[0].iter().flat_map(|f| &f.2[1..5]);
    let across: Vec<f64> = inner.map(|s| 0.5 * (s[2] + s[3]) / s[1]).collect();
    let depth = figures[0][0].0 / figures[0][0].2[2][0] / 2500.0 / SECTION / DIAMETER;
    println!(
        "λ/D {length} ± {length_error}, K {k} ± {k_error}, filled to {depth} D, doubled {growth} ± {growth_error}, \
         σ_rr/σ_zz {}",
        average(&across)
    );
    record("C6", "K of Janssen's law, wall driven upwards", k, 0.7, 0.3);
    record(
        "C6",
        "load on the bottom, filling doubled beyond 4 λ",
        growth,
        1.0,
        0.05,
    );
}

/// λ [m] of least squares through stresses [Pa] at depths [m], by halving the bracket of the sum's slope: golden sections.
fn janssen_length(points: &[(f64, f64)], density: f64) -> f64 {
    let sum = |length: f64| -> f64 {
        let law = |z: f64| density * G * length * (1.0 - (-z / length).exp());
        points.iter().map(|(z, s)| (s - law(*z)).powi(2)).sum()
    };
    let (mut low, mut high) = (1e-3, 1.0);
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    while high - low > 1e-7 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if sum(a) < sum(b) {
            high = b;
        } else {
            low = a;
        }
    }
    0.5 * (low + high)
}

#[test]
fn the_fit_of_janssens_law_finds_its_length() {
    let law = |z: f64| (z, 1400.0 * G * 0.05 * (1.0 - (-z / 0.05_f64).exp()));
    let points: Vec<_> = [0.02, 0.05, 0.1, 0.15].map(law).to_vec();
    assert!((janssen_length(&points, 1400.0) - 0.05).abs() < 1e-6);
}

/// Distance [m] out to which bodies of mean diameter d [m] cover at least half of the floor at the end.
fn front(run: &Run, d: f64) -> f64 {
    let table = "profile-rings.csv";
    let [time, low, high, bodies] =
        ["time", "low", "high", "bodies"].map(|column| run.column(table, column));
    let end = *time.last().unwrap();
    let covered = |k: &usize| {
        let floor = PI * (high[*k].powi(2) - low[*k].powi(2));
        time[*k] == end && bodies[*k] * PI * d * d / 4.0 >= 0.5 * floor
    };
    (0..time.len())
        .filter(covered)
        .map(|k| high[k])
        .fold(0.0, f64::max)
}

/// C8 (Lube et al. 2004): how far a round column runs out, by its aspect ratio a.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c8_column_collapse() {
    let (r0, d) = (0.08, 0.005);
    // Heights of the loose filling, for a of about 0.6, 1 and 2.
    let cases = [0.093, 0.155, 0.31].map(|height| {
        let mut set = keys(&[
            "time.until=1.25",
            "domain.upper=[0.45, 0.45, 0.35]",
            "wall.1.to=[0.0, 0.0, 0.35]",
        ]);
        set.push(format!("region.0.to=[0.0, 0.0, {height}]"));
        set
    });
    let runs = over_seeds("column-collapse", &cases, |_, run| {
        let [time, z] = ["time", "z"].map(|column| run.column("measure-heap.csv", column));
        let before = time.iter().rposition(|t| *t < 0.5).unwrap();
        (2.0 * z[before] / r0, front(run, d) / r0)
    });
    let mut rows = Vec::new();
    for seeds in &runs {
        let (a, _) = mean(&seeds.iter().map(|s| s.0).collect::<Vec<_>>());
        let (reach, error) = mean(&seeds.iter().map(|s| s.1).collect::<Vec<_>>());
        let law = if a < 1.7 {
            1.0 + 1.24 * a
        } else {
            1.0 + 1.6 * a.sqrt()
        };
        println!("a {a}: r/r0 {reach} ± {error}, law {law}");
        rows.push(vec![a, reach, error, law]);
    }
    plot("column", "a,reach,error,law", &rows);
    let reaches: Vec<(f64, f64)> = rows.iter().map(|row| (row[1], row[2])).collect();
    record_fact(
        "C8",
        "the runout of a column grows with its height",
        grows(&reaches),
    );
    for row in rows {
        let what = format!("runout r/r0 of a column, a = {:.1}", row[0]);
        record("C8", &what, row[1], row[3], 0.1 * row[3]);
    }
}

/// Radius of the round table of the angle of repose [m].
const TABLE: f64 = 0.1;

/// C9: the angle of repose grows with friction and with rolling friction.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c9_angle_of_repose() {
    let settings = [(0.1, 0.1), (0.3, 0.1), (0.6, 0.0), (0.6, 0.1), (0.6, 0.3)];
    let cases = settings.map(|(friction, rolling)| {
        let mut set = keys(&["inlet.0.rate=5000", "inlet.0.until=1.1", "time.until=1.7"]);
        set.push(format!("material.0.friction={friction}"));
        set.push(format!("material.0.rolling_ratio={rolling}"));
        set
    });
    let angles = over_seeds("angle-of-repose", &cases, |_, run| {
        let state = run.state();
        // A cone's centre of mass is at a quarter of its height; its foot is the table's rim. (The slope through the highest bodies of each ring, as the
        // measure has it, hangs on a few single bodies: its standard error over five seeds is 2 degrees.)
        let poured = state.bodies.iter().filter(|b| b.kind == 0);
        let heap =
            poured.filter(|b| b.position[0].hypot(b.position[1]) < TABLE && b.position[2] > 0.0);
        let (height, mass) = heap.fold((0.0, 0.0), |(h, m), b| {
            (h + b.mass * b.position[2], m + b.mass)
        });
        (4.0 * height / mass / TABLE).atan().to_degrees()
    });
    let angles: Vec<(f64, f64)> = angles.iter().map(|a| mean(a)).collect();
    let rows = settings.iter().zip(&angles);
    let rows: Vec<Vec<f64>> = rows.map(|(s, a)| vec![s.0, s.1, a.0, a.1]).collect();
    println!("friction, rolling friction, degrees, error: {rows:?}");
    plot("repose", "friction,rolling,degrees,error", &rows);
    let by_friction = [angles[0], angles[1], angles[3]];
    let by_rolling = [angles[2], angles[3], angles[4]];
    record_fact(
        "C9",
        "the angle of repose grows with friction",
        grows(&by_friction),
    );
    record_fact(
        "C9",
        "the angle of repose grows with rolling friction",
        grows(&by_rolling),
    );
}

/// C9 [001 §1.7]: without rolling friction a heap on a smooth plane spreads to a single layer. With more friction than 0.3178 a pyramid of four
/// balls would stand (A13), and after heaps with 0.5 some do.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c9_a_heap_without_rolling_friction_is_a_single_layer() {
    let set = [keys(&[
        "material.0.rolling_ratio=0.0",
        "material.0.friction=0.3",
        "region.0.radius=0.06",
        "region.0.to=[0.0, 0.0, 0.13]",
        "wall.1.radius=0.06",
        "time.until=6.0",
        "domain.lower=[-2.5, -2.5, 0.0]",
        "domain.upper=[2.5, 2.5, 0.25]",
    ])];
    let shares = over_seeds("column-collapse", &set, |_, run| {
        let bodies = run.state().bodies;
        // A body on others is at least half a radius higher than one on the floor.
        let up = bodies.iter().filter(|b| b.position[2] > 1.5 * b.radius);
        up.count() as f64 / bodies.len() as f64
    });
    let (share, error) = mean(&shares[0]);
    println!("share of bodies above the first layer {share} ± {error}");
    record(
        "C9",
        "share of bodies above the first layer, no rolling friction",
        share,
        0.0,
        0.0,
    );
}

/// C11: the slope of the surface in a drum grows with its rate while the bodies roll down, as many as the drum carries up; far above Fr = 1 they go
/// round with it.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c11_rotating_drum() {
    let radius: f64 = 0.1;
    // Froude numbers Ω²R/g, time step [s].
    let settings = [
        (0.003, "1e-3", 2.0),
        // The bed swings, and in 0.6 s as much as 5 % more or less comes down than goes up.
        (0.02, "1e-3", 4.0),
        (0.1, "1e-3", 1.6),
        // The free surface of the ring is at 0.7 R: with Fr = 3 gravity there tilts against it by asin(1/2.1) = 28 degrees, and it flows. The last two
        // fifths of this time are two turns.
        (6.0, "5e-4", 1.2925),
    ];
    let rate = |froude: f64| (froude * G / radius).sqrt();
    let cases = settings.map(|(froude, dt, until)| {
        vec![
            format!("wall.0.rotation.rate={}", rate(froude)),
            format!("time.dt={dt}"),
            format!("time.until={until}"),
            // 32 states over the last two fifths of the time.
            format!(
                "checkpoint.every={}",
                (until / dt.parse::<f64>().unwrap() / 80.0) as u64
            ),
            "checkpoint.keep=33".to_owned(),
        ]
    });
    let found = over_seeds("rotating-drum", &cases, |case, run| {
        // The last two fifths of the time: the start, up to the first slope, has passed.
        let of = |column| {
            average(&since(
                run,
                "measure-drum.csv",
                column,
                0.6 * settings[case].2,
            ))
        };
        let (x, z) = (of("x"), of("z"));
        let drum = Drum {
            radius,
            length: 0.06,
            rate: rate(settings[case].0),
            half: 0.015,
        };
        let mut states = run.states();
        states.retain(|state| state.header.time > 0.6 * settings[case].2);
        let [flows, carried] = flux(&states, &drum);
        // The line from the axis to the centre of mass stands square on a flat surface.
        let degrees = x.abs().atan2(-z).to_degrees();
        (degrees, x.hypot(z) / radius, flows / carried)
    });
    let of = |k: usize, f: fn(&(f64, f64, f64)) -> f64| {
        mean(&found[k].iter().map(f).collect::<Vec<_>>())
    };
    let balance: Vec<(f64, f64)> = (0..3).map(|k| of(k, |s| s.2)).collect();
    println!("flows down over carried up {balance:?}");
    let angles: Vec<(f64, f64)> = (0..3).map(|k| of(k, |s| s.0)).collect();
    let ways: Vec<(f64, f64)> = (0..4).map(|k| of(k, |s| s.1)).collect();
    println!("degrees {angles:?}, centre of mass over R {ways:?}");
    let rows = (0..4).map(|k| {
        let (angle, error) = of(k, |s| s.0);
        vec![settings[k].0, angle, error, ways[k].0, ways[k].1]
    });
    plot(
        "drum",
        "froude,degrees,error,way,way_error",
        &rows.collect::<Vec<_>>(),
    );
    record_fact(
        "C11",
        "the slope in a drum grows with its rate",
        grows(&angles),
    );
    for (setting, (ratio, _)) in settings.iter().zip(&balance) {
        let what = format!(
            "what flows down over what the drum carries up, Fr = {}",
            setting.0
        );
        record("C11", &what, *ratio, 1.0, 0.05);
    }
    // Rolling, the segment's centre of mass is some 0.45 R below the axis; a ring's is in it, but for a body's diameter.
    record(
        "C11",
        "centre of mass off the axis over R, centrifuging",
        ways[3].0,
        0.0,
        0.05,
    );
}
