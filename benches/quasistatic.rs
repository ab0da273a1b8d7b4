//! Quasi-static schemes against each other: `cargo bench --bench quasistatic`.
//!
//! Each line is a ratio of two runs of the program, one after the other, or a count. Core-seconds
//! are medians of three runs in turns, start and end of the program included.

use moreau::rng::{Purpose, Stream};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Radius of balls [m].
const RADIUS: f64 = 0.01;

/// The results of a run.
#[derive(Clone, Copy)]
struct Done {
    seconds: f64,
    iterations: f64,
    products: f64,
    /// Largest memory [bytes].
    memory: f64,
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
    let start = Instant::now();
    let ended = command.output().expect("the program starts");
    let seconds = start.elapsed().as_secs_f64();
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
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
    let printed = printed + &errors;
    let memory = printed.lines().find(|line| line.starts_with("memory"));
    let words = memory.and_then(|line| line.split_whitespace().nth(1));
    Done {
        seconds,
        iterations: sum("iterations"),
        products: sum("products"),
        memory: words.and_then(|x| x.parse().ok()).unwrap_or(f64::NAN) * 1e6,
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

/// A cubic lattice of n³ balls under weight, which a lid presses: all touch, none slides.
fn lattice(folder: &Path, n: usize) -> PathBuf {
    let spacing = 2.0 * RADIUS * (1.0 - 1e-3);
    let edge = n as f64 * spacing;
    let mut draw = Stream::new(Purpose::Trial, 1, [n as u64, 0, 0]);
    let mut rows = String::from("x,y,z,radius\n");
    for k in 0..n.pow(3) {
        let [x, y, z] = [k % n, k / n % n, k / n / n].map(|i| (i as f64 + 0.5) * spacing);
        let radius = RADIUS * draw.between(0.9997, 1.0003);
        writeln!(rows, "{x},{y},{z},{radius}").expect("a string");
    }
    std::fs::write(folder.join(format!("{n}.csv")), rows).expect("a file");
    let config = folder.join(format!("{n}.toml"));
    let top = edge + RADIUS;
    let text = format!(
        r#"
gravity = [0, 0, -9.81]
scheme = "bagi_bojtar"
quasistatic = {{ tolerance = 1e-6, linear_tolerance = 1e-8 }}
time = {{ dt = 1.0, steps = 1 }}
domain = {{ lower = [0, 0, -0.01], upper = [{edge}, {edge}, {top}], periodic = [true, true, false] }}
bodies = [{{ sample = "file", material = "m", file = "{n}.csv" }}]
material = [{{ name = "m", density = 2500, friction = 0.5, stiffness = 1e5, tangential_stiffness_ratio = 0.5 }}]
checkpoint = {{ every = 0 }}
output = {{ series = 1 }}
[[wall]]
shape = "plane"
name = "floor"
material = "m"
point = [0, 0, 0]
normal = [0, 0, 1]
[[wall]]
shape = "plane"
name = "lid"
material = "m"
point = [0, 0, {edge}]
normal = [0, 0, -1]
velocity = [0, 0, -1e-6]
"#
    );
    std::fs::write(&config, text).expect("a file");
    config
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

    let folder = tempfile::tempdir().expect("a folder");
    let mut counts = Vec::new();
    for n in [10, 20, 40] {
        let config = lattice(folder.path(), n);
        let done = run(&config, &[]);
        let each = done.products / done.iterations;
        println!("{} balls: {each:.0} products a solve", n.pow(3));
        counts.push((n, each, done.memory));
    }
    let (first, last) = (counts[0], counts[2]);
    let bodies = [first.0, last.0].map(|n: usize| n.pow(3) as f64);
    let power = (last.1 / first.1).ln() / (bodies[1] / bodies[0]).ln();
    println!("products of a solve grow as N^{power:.2}");
    let each = (last.2 - first.2) / (bodies[1] - bodies[0]);
    println!("memory: {each:.0} bytes a ball");

    let config = lattice(folder.path(), 16);
    let [iterative, direct] = paired(
        || run(&config, &[]),
        || run(&config, &["quasistatic.linear=direct"]),
    );
    let times = direct.seconds / iterative.seconds;
    println!("direct / iterative, 4096 balls: {times:.1} core-seconds");
}
