//! Quasi-static schemes against each other: `cargo bench --bench quasistatic`.
//!
//! Each line is a ratio of two runs of the program, one after the other, or a count. Core-seconds
//! are medians of three runs in turns, start and end of the program included.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The results of a run.
#[derive(Clone, Copy)]
struct Done {
    seconds: f64,
    iterations: f64,
}

/// Runs a configuration on one rank and one thread.
fn run(config: &Path, keys: &[&str]) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    command.arg("run").arg(config).arg("--out").arg(&out);
    for key in keys {
        command.args(["--set", key]);
    }
    // A collapse must not pass for a result.
    command.args(["--set", "quasistatic.then=error"]);
    let start = Instant::now();
    let ended = command.output().expect("the program starts");
    let seconds = start.elapsed().as_secs_f64();
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{config:?} {keys:?}: {errors}");
    let mut table = csv::Reader::from_path(out.join("increments.csv")).expect("increments.csv");
    let names = table.headers().expect("a header").clone();
    let records: Vec<csv::StringRecord> = table.records().map_while(Result::ok).collect();
    let sum = |name: &str| -> f64 {
        let place = names.iter().position(|found| found == name).expect(name);
        let numbers = records.iter().map(|record| record[place].parse::<f64>());
        numbers.map_while(Result::ok).sum()
    };
    Done {
        seconds,
        iterations: sum("iterations"),
    }
}

/// Core-seconds of two, each the median of three runs in turns, and their last results.
fn paired(one: impl Fn() -> Done, other: impl Fn() -> Done) -> [Done; 2] {
    let runs: Vec<[Done; 2]> = (0..3).map(|_| [one(), other()]).collect();
    [0, 1].map(|k| {
        let mut seconds: Vec<f64> = runs.iter().map(|both| both[k].seconds).collect();
        seconds.sort_by(f64::total_cmp);
        Done {
            seconds: seconds[1],
            ..runs[2][k]
        }
    })
}

fn main() {
    let biaxial = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/quasistatic-biaxial.toml");
    let seed = run(&biaxial, &["quasistatic.tangent=seed"]).iterations;
    let coulomb = run(&biaxial, &[]).iterations;
    println!("seed / coulomb: {:.2} iterations", seed / coulomb);
    let [bagi, kishino] = paired(
        || run(&biaxial, &["time.steps=3"]),
        || run(&biaxial, &["time.steps=3", "scheme=kishino"]),
    );
    let times = kishino.seconds / bagi.seconds;
    println!("kishino / bagi_bojtar, 200 discs: {times:.1} core-seconds");
}
