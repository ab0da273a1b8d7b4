//! Forces that positions leave open: one packing solved many times from other forces.

use crate::experiment::{Run, config, go_on, mean, plot, run, run_all};
use crate::networks::{apart, by_key, kolmogorov};
use crate::scene::{record, record_fact};
use crate::{forces, set};
use moreau::io::checkpoint::Loaded;

/// A solve of the step after `steps` of them with friction, in another order of contacts and from forces that are up to their own size off.
pub(crate) fn solve_again(from: &Run, steps: u64, seed: usize, tolerance: f64) -> Run {
    let keys = [
        ("solver.seed", (seed + 1).to_string()),
        ("solver.start_spread", "1.0".to_owned()),
        ("material.0.friction", "0.5".to_owned()),
        ("solver.tolerance", format!("{tolerance:e}")),
        ("solver.max_sweeps", "100000".to_owned()),
        ("measure.0.every", "1".to_owned()),
        ("output.series", "1".to_owned()),
    ];
    let mut keys = set(&keys);
    if from.tables().contains(&"measure-whole.csv".to_owned()) {
        keys.push("measure.1.every=1".to_owned());
    }
    let run = go_on(from, &keys, steps + 1);
    let sweeps = run.last("series.csv", "sweeps");
    let residual = run.last("series.csv", "residual");
    println!("seed {seed}: {sweeps} sweeps to {residual:e}");
    assert!(residual <= tolerance, "not converged: {residual:e}");
    run
}

/// A packing pressed without friction still creeps; with friction it stops within some steps, and only then do forces hold and no inertia.
fn stopped(packing: &Run, steps: u64) -> Run {
    let keys = [
        ("material.0.friction", "0.5".to_owned()),
        ("solver.tolerance", "1e-4".to_owned()),
        ("solver.max_sweeps", "20000".to_owned()),
    ];
    go_on(packing, &set(&keys), steps)
}

/// B12: a rigid packing with friction, pressed without so that it has contacts to spare, is held by other forces if the solve starts elsewhere,
/// under the same stress, and these are spread in the same way. The stress of the whole is what the loads on its pistons fix; that of a part,
/// printed, is as open as its forces.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn b12_forces_are_not_unique_and_stress_is() {
    let steps = 1550;
    let packing = stopped(&run(&config("force-indeterminacy"), &[], 1), steps);
    let runs = run_all(20, |seed| solve_again(&packing, steps, seed, 1e-4));
    let states: Vec<Loaded> = runs.iter().map(Run::state).collect();
    let first = by_key(&states[0]);
    let (mut rows, mut off, mut chance) = (Vec::new(), Vec::new(), 1.0_f64);
    let names = ["sxx", "syy", "szz"];
    let (mut stress, mut part): (Vec<[f64; 3]>, Vec<[f64; 3]>) = Default::default();
    for (run, state) in runs.iter().zip(&states) {
        stress.push(names.map(|name| run.last("measure-whole.csv", name)));
        part.push(names.map(|name| run.last("measure-bulk.csv", name)));
        let p = kolmogorov(forces(&states[0]), forces(state));
        let rms = apart(&by_key(state), &first);
        rows.push([&[rms, p][..], stress.last().unwrap()].concat());
        if rows.len() > 1 {
            off.push(rms);
            chance = chance.min(p);
        }
    }
    plot("b12", "rms,chance,sxx,syy,szz", &rows);
    let [spread, open] = [&stress, &part].map(|of| largest_deviation(of));
    let (rms, error) = mean(&off);
    println!(
        "B12: forces differ by {rms:.4} ± {error:.4}, stress by {spread:.2e}, that of a part by {open:.2e}, least chance {chance}"
    );
    record_fact(
        "B12",
        "forces of 20 solves differ by more than 1e-3",
        off.iter().all(|x| *x > 1e-3),
    );
    record(
        "B12",
        "largest deviation of a principal stress of the whole from its mean",
        spread,
        0.0,
        5e-3,
    );
    record(
        "B12",
        "largest deviation of a principal stress of the whole from its load over its area",
        loaded(&packing, &stress),
        0.0,
        5e-3,
    );
    record_fact(
        "B12",
        "P(f) of all solves are one (Kolmogorov-Smirnov, p > 0.01)",
        chance > 0.01,
    );
}

/// The same from the loads of 25.6 N on the three pistons: `F L / V`, V that of the domain.
fn loaded(packing: &Run, of: &[[f64; 3]]) -> f64 {
    let volume = 0.225_f64.powi(3);
    let mut most = 0.0_f64;
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let ways = packing.column("walls.csv", name);
        let expected = 25.6 * ways[ways.len() - 3 + axis] / volume;
        for s in of {
            let off = (s[axis] / expected - 1.0).abs();
            assert!(off.is_finite(), "{of:?}");
            most = most.max(off);
        }
    }
    most
}

/// The largest deviation of a component from its mean, relative to that.
fn largest_deviation(of: &[[f64; 3]]) -> f64 {
    let mut most = 0.0_f64;
    for axis in 0..3 {
        let mean = of.iter().map(|s| s[axis]).sum::<f64>() / of.len() as f64;
        for s in of {
            let off = (s[axis] / mean - 1.0).abs();
            assert!(off.is_finite(), "{of:?}");
            most = most.max(off);
        }
    }
    most
}
