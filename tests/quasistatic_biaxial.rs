//! F18: the biaxial test of `configs/quasistatic-biaxial.toml` by Bagi and Bojtár [004 §6.2.3].

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;

use experiment::{Run, config, run_all};

/// Strain that an increment of 1 s brings.
const STRAIN: f64 = 1e-4;

fn compress(keys: &[&str]) -> Run {
    let fixed = ["output.every=0", "checkpoint.every=0"];
    let keys: Vec<String> = (keys.iter().chain(&fixed))
        .map(|key| (*key).to_owned())
        .collect();
    experiment::run(&config("quasistatic-biaxial"), &keys, 1)
}

/// Strain and σ₁/σ₃ on the present faces of the walls, after each increment.
fn curve(run: &Run) -> Vec<[f64; 2]> {
    let mut reader = csv::Reader::from_path(run.out().join("walls.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let of = |record: &csv::StringRecord, name: &str| -> f64 {
        let place = headers.iter().position(|header| header == name).unwrap();
        record[place].parse().unwrap()
    };
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let rows = |wall: &str| {
        let of_wall = records.iter().filter(move |record| &record[2] == wall);
        of_wall.collect::<Vec<_>>()
    };
    let (lid, right) = (rows("lid"), rows("right"));
    assert_eq!(lid.len(), right.len());
    let pairs = lid.into_iter().zip(right);
    let ratio = |(lid, right)| {
        let axial = of(lid, "fy") / of(right, "x");
        let lateral = of(right, "fx") / of(lid, "y");
        [of(lid, "time") * STRAIN, axial / lateral]
    };
    pairs.map(ratio).collect()
}

/// The stress does not depend on the size of increments, nor on the resistance ρ.
#[test]
fn f18_increments_and_resistance_give_the_same_stress() {
    // k_n is 10⁶ N/m.
    let cases: [&[&str]; 7] = [
        &[],
        &["time.dt=0.5"],
        &["time.dt=0.25"],
        &["quasistatic.resistance=1.0"],
        &["quasistatic.resistance=1e2"],
        &["quasistatic.resistance=1e4"],
        &[
            "quasistatic.resistance=1e5",
            "quasistatic.max_iterations=600",
        ],
    ];
    let ratios = run_all(cases.len(), |k| {
        let [strain, ratio] = *curve(&compress(cases[k])).last().unwrap();
        assert!((strain - 2e-3).abs() < 1e-12, "{strain}");
        ratio
    });
    let largest = ratios.iter().copied().fold(f64::MIN, f64::max);
    let smallest = ratios.iter().copied().fold(f64::MAX, f64::min);
    println!("σ₁/σ₃ at 2e-3: {ratios:?}");
    assert!(largest / smallest < 1.003, "{ratios:?}");
}

/// The sample is compressed by 2 %, beyond its peak, without collapse.
#[test]
fn f18_a_sample_passes_its_peak() {
    let curve = curve(&compress(&["time.until=200"]));
    let [strain, last] = *curve.last().unwrap();
    assert!((strain - 2e-2).abs() < 1e-12, "{strain}");
    let peak = (curve.iter()).fold(
        [0.0, 0.0],
        |most, now| if now[1] > most[1] { *now } else { most },
    );
    println!("peak {} at {}, last {last}", peak[1], peak[0]);
    assert!(
        peak[0] < 0.9 * strain && last < 0.97 * peak[1],
        "{peak:?}, {last}"
    );
}
