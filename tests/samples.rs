//! Initial bodies through the program: the same on any number of ranks, told by `moreau check`, refused before anything is written.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{Output, mpi_available, mpirun, run};
use std::process::Command;
use std::time::Duration;

const EXE: &str = env!("CARGO_BIN_EXE_moreau");
const LIMIT: Duration = Duration::from_secs(240);

/// Spheres at random with the radii of a sieve curve in the lower part, a closest packing in a ball above.
const CONFIG: &str = r#"
gravity = [0.0, 0.0, -9.81]
time = { dt = 1e-3, steps = 20 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.2, 0.2, 0.4], periodic = [true, true, false] }
material = [{ name = "glass", density = 2500.0, friction = 0.5 }]
wall = [{ shape = "box", material = "glass", faces = ["z-", "z+"] }]

[[region]]
name = "low"
shape = "half-space"
point = [0.0, 0.0, 0.24]
normal = [0.0, 0.0, -1.0]

[[region]]
name = "ball"
shape = "sphere"
centre = [0.1, 0.1, 0.31]
radius = 0.06

[[bodies]]
sample = "random"
material = "glass"
fraction = 0.2
radius = { table = "sieve.csv" }
region = "low"

[[bodies]]
sample = "lattice"
lattice = "fcc"
material = "glass"
radius = { normal = { mean = 0.006, deviation = 0.001, lower = 0.004, upper = 0.007 } }
region = "ball"
"#;

fn on(ranks: usize, args: &[&str]) -> Output {
    if ranks > 1 {
        return mpirun(ranks, EXE, args, LIMIT);
    }
    let mut command = Command::new(EXE);
    command.args(args);
    run(command, LIMIT)
}

#[test]
fn samples_are_the_same_on_any_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let config = path("a.toml");
    std::fs::write(&config, CONFIG).unwrap();
    std::fs::write(
        path("sieve.csv"),
        "radius,share\n0.004,0\n0.006,0.3\n0.009,1\n",
    )
    .unwrap();

    let told = on(1, &["check", &config]);
    assert_eq!(told.status, Some(0), "{}{}", told.stdout, told.stderr);
    let line = |number: u32| {
        let start = format!("sample {number} ");
        let found = told.stdout.lines().find(|line| line.starts_with(&start));
        found
            .unwrap_or_else(|| panic!("{}", told.stdout))
            .to_owned()
    };
    // 0.2 x 0.2 x 0.24 m³; the fraction is that of the draws, with some 2 % of chance.
    let random = line(0);
    assert!(
        random.contains("region's 9.6000e-3 m³ is solid"),
        "{random}"
    );
    let solid: f64 = random
        .split("; ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((solid - 0.2).abs() < 0.02, "{random}");
    // 4/3 π (0.06 m)³.
    assert!(
        line(1).contains("region's 9.0478e-4 m³ is solid"),
        "{}",
        line(1)
    );

    let state = |ranks: usize| {
        let out = path(&format!("out-{ranks}"));
        let done = on(ranks, &["run", &config, "--out", &out]);
        assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
        done.stdout.trim_end().lines().last().unwrap().to_owned()
    };
    let serial = state(1);
    assert!(serial.starts_with("state "), "{serial}");
    if mpi_available() {
        for ranks in [2, 3] {
            assert_eq!(state(ranks), serial, "{ranks} ranks");
        }
    }

    // Bodies that find no place end the run before anything is written.
    let out = path("out-full");
    let set = "bodies.0.fraction=0.6";
    let refused = on(1, &["run", &config, "--out", &out, "--set", set]);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("finds no place"),
        "{}",
        refused.stderr
    );
    assert!(!std::path::Path::new(&out).exists());
}

/// Discs fill a share of the area: what `moreau check` tells of the domain does not depend on its thickness.
#[test]
fn discs_fill_an_area() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("discs.toml");
    let thickness = "[0.0, 0.0, -0.1], upper = [0.2, 0.4, 0.1], dimensions = 2";
    let text = CONFIG.split("[[region]]").next().unwrap().replace(
        "[0.0, 0.0, 0.0], upper = [0.2, 0.2, 0.4], periodic = [true, true, false]",
        thickness,
    );
    let text = text
        .replace("-9.81]", "0.0]")
        .replace("\"z-\", \"z+\"", "\"x-\"");
    let discs =
        "[[bodies]]\nsample = \"random\"\nmaterial = \"glass\"\ncount = 100\nradius = 0.005\n";
    std::fs::write(&config, text + discs).unwrap();
    let told = on(1, &["check", config.to_str().unwrap()]);
    assert_eq!(told.status, Some(0), "{}{}", told.stdout, told.stderr);
    // 100 π 0.005² m² of 0.2 × 0.4 m².
    let filling = "filling    0.098 of the domain's 8.000e-2 m² is solid";
    assert!(told.stdout.contains(filling), "{}", told.stdout);
}
