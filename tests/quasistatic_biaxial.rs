//! F18: the biaxial test of `configs/quasistatic-biaxial.toml` by Bagi and Bojtár [004 §6.2.3].

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;

use experiment::{Run, config, run_all};
use moreau::comm::threads::Serial;
use moreau::sim::{self, Options};

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

/// σ₁/σ₃ at the ends of increments of 1e-4 to 2e-3 of strain, by other settings.
fn ratios(cases: &[&[&str]]) -> Vec<Vec<f64>> {
    run_all(cases.len(), |k| {
        let curve = curve(&compress(cases[k]));
        let [strain, _] = *curve.last().unwrap();
        assert!((strain - 2e-3).abs() < 1e-12, "{strain}");
        assert_eq!(curve.len() % 20, 0);
        let each = curve.len() / 20;
        (curve.iter().skip(each - 1).step_by(each))
            .map(|[_, ratio]| *ratio)
            .collect()
    })
}

/// The largest ratio over the smallest of all curves, less one, after each increment of 1e-4.
fn spread(curves: &[Vec<f64>]) -> Vec<f64> {
    // The largest and the smallest pass over NaN.
    assert!(curves.iter().flatten().all(|x| x.is_finite()));
    let of = |k: usize| {
        let at = || curves.iter().map(move |curve| curve[k]);
        at().fold(f64::MIN, f64::max) / at().fold(f64::MAX, f64::min) - 1.0
    };
    let spread: Vec<f64> = (0..20).map(of).collect();
    println!("σ₁/σ₃ differ by {spread:.5?}");
    spread
}

/// The stress does not depend on the size of increments, nor on the resistance ρ before bodies
/// rearrange.
///
/// At 7e-4 of strain the first do. From there on the sample has several equilibria, and ρ chooses
/// among them. If contacts closed without friction, increments alone would give 1 %.
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
    let curves = ratios(&cases);
    for of_increments in spread(&curves[..3]) {
        assert!(of_increments < 0.003, "{of_increments}");
    }
    let of_all = spread(&curves);
    let (before, after) = of_all.split_at(6);
    assert!(before.iter().all(|x| *x < 0.001), "{before:?}");
    assert!(after.iter().all(|x| *x < 0.02), "{after:?}");
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

/// A pressure on the right wall in place of its load, as TOML.
const PRESSED: &str =
    "wall.1.free={ mass = 1.0, direction = [1, 0, 0], pressure = 1e3, gravity = false }";

/// The same pressure on the present face of the side, by contact dynamics on the same springs: the
/// stress on the lid is that of Bagi and Bojtár.
#[test]
fn a_pressure_gives_the_same_stress_by_contact_dynamics() {
    let dynamics = [
        PRESSED,
        "scheme=moreau_jean",
        "time.dt=0.0033333333333333335",
        "solver.tolerance=1e-6",
        "solver.max_sweeps=5000",
    ];
    let cases: [&[&str]; 2] = [&[PRESSED], &dynamics];
    let found = run_all(2, |k| {
        let run = compress(cases[k]);
        let curve = curve(&run);
        let lateral = lateral(&run);
        let at = |strain: f64| {
            let near = curve.iter().min_by(|a, b| {
                let far = |x: &[f64; 2]| (x[0] - strain).abs();
                far(a).total_cmp(&far(b))
            });
            near.unwrap()[1]
        };
        ([at(5e-4), at(1e-3), at(2e-3)], lateral)
    });
    println!("σ₁/σ₃ and σ₃ by Bagi and Bojtár, and by contact dynamics: {found:?}");
    let [(statics, held), (dynamics, held_too)] = &found[..] else {
        unreachable!()
    };
    for (a, b) in statics.iter().zip(dynamics) {
        assert!((a / b - 1.0).abs() < 0.01, "{found:?}");
    }
    assert!((held / 1e3 - 1.0).abs() < 1e-4, "{held}");
    assert!((held_too / 1e3 - 1.0).abs() < 1e-3, "{held_too}");
}

/// The stress on the right wall at the end [Pa].
fn lateral(run: &Run) -> f64 {
    let mut reader = csv::Reader::from_path(run.out().join("walls.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let place = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let last = |wall: &str, name: &str| -> f64 {
        let row = records.iter().rfind(|record| &record[2] == wall);
        row.unwrap()[place(name)].parse().unwrap()
    };
    last("right", "fx") / last("lid", "y")
}

/// A tolerance below what rounding of positions allows is refused: from the loads before the run, from
/// the forces of a checkpoint, or from those of the first increment.
#[test]
fn a_tolerance_below_rounding_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [out, other] = ["out", "other"].map(|name| dir.path().join(name));
    let fine = || vec!["quasistatic.tolerance=1e-12".to_owned()];
    let with = |set: Vec<String>, out: &std::path::Path| Options {
        out: Some(out.to_owned()),
        set,
        threads: 1,
        ..Options::default()
    };
    let names = |text: &str| text.contains("quasistatic.tolerance must be at least ");
    let biaxial = config("quasistatic-biaxial");
    let refused = sim::try_run(&Serial, &biaxial, &with(fine(), &out)).unwrap_err();
    assert!(
        names(&refused.to_string()) && refused.status() == 2,
        "{refused}"
    );
    let refused = sim::check(&Serial, &biaxial, &with(fine(), &out)).unwrap_err();
    assert!(
        names(&refused.to_string()) && refused.status() == 2,
        "{refused}"
    );
    assert!(!out.exists());

    sim::try_run(
        &Serial,
        &biaxial,
        &with(vec!["time.until=1.0".to_owned()], &out),
    )
    .unwrap();
    let set = [fine(), vec!["time.until=2.0".to_owned()]].concat();
    let refused = sim::try_resume(&Serial, &out, &with(set, &other)).unwrap_err();
    assert!(
        names(&refused.to_string()) && refused.status() == 2,
        "{refused}"
    );
    assert!(!other.exists());

    // Walls that are driven have no load that is known.
    let oedometer = config("quasistatic-oedometer");
    let refused = sim::try_run(&Serial, &oedometer, &with(fine(), &other)).unwrap_err();
    assert!(refused.to_string().starts_with("step 1: "), "{refused}");
    assert!(
        names(&refused.to_string()) && refused.status() == 3,
        "{refused}"
    );
}
