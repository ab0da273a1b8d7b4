//! Quasi-static schemes have the same bits on any ranks and threads, and after a stop in any
//! increment: shipped configurations with bonds that break, free and driven walls, in two and three
//! dimensions; a drum that turns, across whose period bodies go.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;
mod harness;

use experiment::{Run, config, run_in_parts};
use harness::{counts, mpi_available, on, state};
use moreau::comm::threads;
use moreau::io::checkpoint::Loaded;
use moreau::sim::{self, Options};
use std::path::{Path, PathBuf};

/// A configuration, the keys that are set, and the number of increments.
struct Case {
    config: PathBuf,
    set: Vec<String>,
    increments: u64,
}

fn case(name: &str, scheme: &str, set: &[&str], increments: u64) -> Case {
    let mut all = vec![
        format!("scheme={scheme}"),
        format!("time.until={increments}"),
        "output.every=0".to_owned(),
    ];
    all.extend(set.iter().map(|key| (*key).to_owned()));
    Case {
        config: config(name),
        set: all,
        increments,
    }
}

/// Bonds between discs that break within the first increments.
const GLUED_DISCS: &str = "bond=[{materials=[\"disc\",\"disc\"], gap=1e-6, \
    stiffness={normal=1e6, tangential=5e5, bending=50.0, twisting=50.0}, \
    strength={tension=1e-3, shear=2.0, bending=0.02}}]";

/// Each scheme that has increments, in two and three dimensions, with bonds that break and without.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for scheme in ["bagi_bojtar", "kishino"] {
        // The motion of ten increments in one breaks bonds soon. One body after the other, a beam
        // bends slowly to its last digits.
        let fast = ["wall.1.velocity=[0.0, 0.0, -1.0e-3]"];
        let few = match scheme {
            "kishino" => "quasistatic.tolerance=1e-3",
            _ => "quasistatic.tolerance=1e-4",
        };
        let fast = [&fast[..], &[few]].concat();
        all.push(case("settling-support", scheme, &fast, 3));
        all.push(case("quasistatic-biaxial", scheme, &[GLUED_DISCS, few], 3));
        all.push(case("quasistatic-triaxial", scheme, &[few], 3));
    }
    all
}

/// A run to its end on thread ranks.
fn run(case: &Case, ranks: usize, of_each: usize) -> Run {
    let run = Run::empty();
    let options = Options {
        out: Some(run.out()),
        set: case.set.clone(),
        threads: of_each,
        ..Options::default()
    };
    threads::run(ranks, |comm| {
        sim::try_run(comm, &case.config, &options)
            .unwrap_or_else(|e| panic!("{}: {e}", case.config.display()));
    });
    run
}

/// The same state and the same tables.
fn same(a: &Run, b: &Run, of: &str) {
    let [first, second]: [Loaded; 2] = [a, b].map(Run::state);
    assert!(first == second, "{of}: the states differ");
    for table in ["bonds.csv", "increments.csv", "walls.csv"] {
        let has = |run: &Run| run.out().join(table).exists();
        assert_eq!(has(a), has(b), "{of}: {table}");
        if has(a) {
            assert!(a.text(table) == b.text(table), "{of}: {table} differs");
        }
    }
}

/// The same bits on 1, 2, 3, 4, 8 ranks, of one and two threads.
#[test]
fn increments_have_the_same_bits_on_any_ranks_and_threads() {
    for case in cases() {
        let alone = run(&case, 1, 1);
        let parts = alone.column("increments.csv", "parts");
        assert_eq!(parts.len() as u64, case.increments, "{:?}", case.config);
        if alone.out().join("bonds.csv").exists() {
            assert!(!alone.column("bonds.csv", "a").is_empty(), "{:?}", case.set);
        }
        for (ranks, of_each) in [(1, 2), (2, 2), (3, 1), (4, 1), (8, 1)] {
            let other = run(&case, ranks, of_each);
            let of = format!("{:?} {:?}: {ranks} × {of_each}", case.config, case.set);
            same(&alone, &other, &of);
        }
    }
}

/// A run that stops after any increment, and goes on on other ranks, has the bits of one that does
/// not stop.
#[test]
fn increments_go_on_after_any_stop() {
    for case in cases() {
        let whole = run(&case, 1, 1);
        for stop in 1..case.increments {
            let parts = [(2, Some(stop)), (3, Some(case.increments))];
            let parted = run_in_parts(&case.config, &case.set, &parts);
            let of = format!("{:?} {:?}: stopped after {stop}", case.config, case.set);
            same(&whole, &parted, &of);
        }
    }
}

/// The largest error of all bodies, on whichever rank, moves first: the same bits on any ranks.
#[test]
fn the_largest_error_first_has_the_same_bits_on_any_ranks() {
    let set = [
        GLUED_DISCS,
        "quasistatic.select=\"largest\"",
        "quasistatic.tolerance=1e-3",
    ];
    let case = case("quasistatic-biaxial", "kishino", &set, 2);
    let alone = run(&case, 1, 1);
    let by_blocks = case.set.iter().filter(|key| !key.contains("select"));
    let by_blocks = Case {
        config: case.config.clone(),
        set: by_blocks.cloned().collect(),
        increments: 2,
    };
    let by_blocks = run(&by_blocks, 1, 1);
    assert!(by_blocks.state() != alone.state(), "the order counts");
    for (ranks, of_each) in [(2, 2), (3, 1), (4, 1), (8, 1)] {
        let of = format!("largest: {ranks} × {of_each}");
        same(&alone, &run(&case, ranks, of_each), &of);
    }
}

/// A drum that turns, periodic along its axis: arcs of seven balls lie in it, and gravity has a part
/// along the axis.
fn drum(dir: &Path, scheme: &str) -> Case {
    const RADIUS: f64 = 0.01;
    const DRUM: f64 = 0.1;
    let between = 2.0 * RADIUS * (1.0 - 1e-4);
    let turn = 2.0 * (RADIUS / (DRUM - RADIUS)).asin() * (1.0 - 1e-4);
    let mut balls = "x,y,z,radius\n".to_owned();
    for k in 0..7 * 8 {
        let (sin, cos) = (turn * f64::from(k % 7 - 3)).sin_cos();
        // The last arc is 1 nm before the end of the period.
        let y = f64::from(k / 7 + 1) * between - 1e-9;
        let [x, z] = [sin, -cos].map(|of| (DRUM - RADIUS) * of);
        balls += &format!("{x:e},{y:e},{z:e},{RADIUS}\n");
    }
    std::fs::write(dir.join("balls.csv"), balls).unwrap();
    let length = 8.0 * between;
    let text = format!(
        "gravity = [0.0, 0.5, -9.81]
scheme = \"{scheme}\"
[time]
dt = 1.0
until = 3.0
[domain]
lower = [-0.11, 0.0, -0.11]
upper = [0.11, {length}, 0.11]
periodic = [false, true, false]
[[material]]
name = \"ball\"
density = 2500.0
friction = 0.5
stiffness = 1.0e5
tangential_stiffness_ratio = 0.5
[[wall]]
shape = \"cylinder\"
name = \"drum\"
material = \"ball\"
from = [0.0, 0.0, 0.0]
to = [0.0, {length}, 0.0]
radius = {DRUM}
side = \"inside\"
caps = false
rotation = {{ axis = [0.0, 1.0, 0.0], rate = 1e-4 }}
[[bodies]]
sample = \"file\"
material = \"ball\"
file = \"balls.csv\"
[output]
series = 1
every = 0
"
    );
    let config = dir.join("drum.toml");
    std::fs::write(&config, text).unwrap();
    Case {
        config,
        set: Vec::new(),
        increments: 3,
    }
}

/// Bodies cross a period within an increment, on a wall that turns: the same bits on any ranks, and
/// after any stop.
#[test]
fn bodies_cross_a_period_in_a_drum_with_the_same_bits() {
    for (scheme, tolerance) in [("bagi_bojtar", 1e-4), ("kishino", 1e-3)] {
        let dir = tempfile::tempdir().unwrap();
        let mut case = drum(dir.path(), scheme);
        case.set.push(format!("quasistatic.tolerance={tolerance}"));
        let alone = run(&case, 1, 1);
        let parts = alone.column("increments.csv", "parts");
        assert_eq!(parts.len() as u64, case.increments, "{scheme}");
        let last = alone.state();
        let crossed = last.bodies[49..]
            .iter()
            .filter(|row| row.position[1] < 0.01);
        assert_eq!(crossed.count(), 7, "{scheme}");
        // The drum turns by 3e-4 and takes them along, if the tolerance is fine enough.
        let x = last.bodies.iter().map(|row| row.position[0]).sum::<f64>() / 56.0;
        let with_drum = -0.09 * 3e-4;
        assert!(x < 0.5 * with_drum || tolerance > 1e-4, "{scheme}: {x}");
        for (ranks, of_each) in [(2, 2), (3, 1), (4, 1), (8, 1)] {
            let of = format!("{scheme}, drum: {ranks} × {of_each}");
            same(&alone, &run(&case, ranks, of_each), &of);
        }
        for stop in 1..case.increments {
            let parts = [(2, Some(stop)), (3, Some(case.increments))];
            let parted = run_in_parts(&case.config, &case.set, &parts);
            let of = format!("{scheme}, drum: stopped after {stop}");
            same(&alone, &parted, &of);
        }
    }
}

/// The linear method has one increment; it has the same bits on any ranks.
#[test]
fn the_linear_method_has_the_same_bits_on_any_ranks() {
    let glued = GLUED_DISCS.replace(", strength={tension=1e-3, shear=2.0, bending=0.02}", "");
    for (config, set) in [
        ("quasistatic-biaxial", vec![&glued[..]]),
        ("quasistatic-triaxial", vec![]),
    ] {
        // Rattlers would be free to move.
        let held = "support=[{stiffness=[1.0, 1.0, 0.0], rotational_stiffness=[0.0, 0.0, 1e-4]}]";
        let in_space =
            "support=[{stiffness=[1.0, 1.0, 1.0], rotational_stiffness=[1e-4, 1e-4, 1e-4]}]";
        let held = if config == "quasistatic-biaxial" {
            held
        } else {
            in_space
        };
        let set = [&set[..], &[held]].concat();
        let case = case(config, "serrano_rodriguez", &set, 1);
        let alone = run(&case, 1, 1);
        for (ranks, of_each) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let of = format!("{config}: {ranks} × {of_each}");
            same(&alone, &run(&case, ranks, of_each), &of);
        }
    }
}

/// The same line of state under mpirun.
#[test]
fn increments_have_the_same_bits_under_mpirun() {
    if !mpi_available() {
        return;
    }
    let folder = Run::empty();
    for (number, case) in cases().iter().enumerate().filter(|(k, _)| k % 3 != 1) {
        let file = &case.config;
        let line = |ranks: usize| {
            let out = folder.out().join(format!("{number}-{ranks}"));
            let mut args = vec![
                "run",
                file.to_str().unwrap(),
                "--out",
                out.to_str().unwrap(),
            ];
            case.set.iter().for_each(|key| args.extend(["--set", key]));
            state(&on(ranks, &args))
        };
        let alone = line(1);
        for ranks in counts(&[2, 3], |n| n) {
            assert_eq!(
                line(ranks),
                alone,
                "{:?} {:?}: {ranks}",
                case.config,
                case.set
            );
        }
    }
}
