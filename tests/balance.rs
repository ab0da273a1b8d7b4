//! Load balance: who owns which blocks changes no bit, and evens out what ranks have to do.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod scene;

use harness::{Output, mpi_available, on, state};
use scene::Scene;
use std::path::Path;

/// Spheres that fall, hit and pack in a box of small blocks, which is periodic along x where asked for.
fn falling(side: usize, layers: usize, seed: u64, periodic: bool) -> Scene {
    let mut s = Scene::poured(side, layers, seed);
    s.solver.max_sweeps = 40;
    s.solver.block_edge = Some(0.016);
    let each = s.bodies.iter_mut();
    each.for_each(|body| body.angular_velocity = [0.0; 3]);
    s.periodic[0] = periodic;
    if periodic {
        s.walls.drain(..2); // Those across x.
    }
    s
}

/// Blocks shared out at random before every step, for 100 steps, contacts with their impulses on
/// their way with the bodies each time: the same bits.
#[test]
fn same_bits_however_blocks_are_shared_out_in_each_step() {
    for periodic in [false, true] {
        let mut s = falling(4, 5, 3, periodic);
        let serial = s.run(100);
        let touching = serial.contacts.iter().filter(|c| c.status != 0).count();
        assert!(touching > 60, "{touching} contacts carry a force");
        for ranks in [1, 2, 3, 4, 8] {
            s.recut = Some(10 + ranks as u64);
            let state = s.run_on(ranks, 1, 100);
            assert!(
                state.same_bits(&serial),
                "{ranks} ranks, periodic {periodic}"
            );
        }
    }
}

/// Validation H11: 200 random decompositions of 50 bodies, one step each from a state with forces, bit for bit as on one rank.
#[test]
fn h11_random_decompositions_of_fifty_bodies() {
    let mut s = falling(5, 2, 7, false);
    let before = s.run(60);
    s.start = Some((
        60,
        before.walls.clone(),
        before.done.last().unwrap().elastic,
    ));
    s.bodies.clone_from(&before.bodies);
    s.contacts.clone_from(&before.contacts);
    let serial = s.run(1);
    let touching = serial.contacts.iter().filter(|c| c.status != 0).count();
    assert!(
        serial.bodies.len() == 50 && touching > 25,
        "{touching} contacts carry a force"
    );
    for case in 0..200 {
        s.recut = Some(1000 + case);
        let ranks = 2 + (case % 7) as usize;
        let state = s.run_on(ranks, 1, 1);
        assert!(state.same_bits(&serial), "case {case} on {ranks} ranks");
    }
}

/// How often blocks were shared out, and the last imbalance, as the summary tells.
fn told(output: &Output) -> (u64, f64) {
    let line = output.stdout.lines().find(|l| l.starts_with("balance"));
    let words: Vec<&str> = line
        .expect("a line about balance")
        .split_whitespace()
        .collect();
    let after = |word: &str| words[1 + words.iter().position(|w| *w == word).unwrap()];
    (
        after("distributed").parse().unwrap(),
        after("has").parse().unwrap(),
    )
}

/// A column that stands in one corner of a wide box and collapses: all bodies on one rank by equal bricks. Shared out by what there
/// is to do, they end in the same state, and no rank has half more than the mean.
#[test]
fn a_collapsing_column_is_evened_out() {
    if !mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("column.toml");
    std::fs::write(&config, COLUMN).unwrap();
    let config = config.to_str().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let expected = state(&on(1, &["run", config, "--out", &folder("one")]));
    for ranks in [2, 4] {
        let even = on(
            ranks,
            &["run", config, "--out", &folder(&format!("even{ranks}"))],
        );
        assert_eq!(state(&even), expected);
        let (times, imbalance) = told(&even);
        assert!(
            times >= 1 && imbalance < 1.5,
            "{ranks}: {times} times, {imbalance}"
        );
    }
    let args = [
        "run",
        config,
        "--out",
        &folder("bricks"),
        "--set",
        "balance.every=0",
    ];
    let bricks = on(2, &args);
    assert_eq!(state(&bricks), expected);
    assert!(!bricks.stdout.contains("\nbalance"));
    // In two parts, with other numbers of ranks.
    let parts = folder("parts");
    state(&on(3, &["run", config, "--out", &parts, "--steps", "65"]));
    assert_eq!(state(&on(2, &["resume", &parts])), expected);
    assert!(Path::new(&parts).join("series.csv").is_file());
}

/// With one exchange a sweep too all steps converge, and the same cut gives the same bits, on threads as well.
#[test]
fn sweep_mode_under_mpirun() {
    if !mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("column.toml");
    std::fs::write(&config, COLUMN).unwrap();
    let run = |name: &str, threads: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        let args = [
            "run",
            config.to_str().unwrap(),
            "--out",
            &out,
            "--threads",
            threads,
        ];
        let mode = ["--set", "solver.exchange='sweep'"];
        let output = on(3, &[&args[..], &mode].concat());
        assert!(
            output.stdout.contains("\ncapped     0 of 120"),
            "{}",
            output.stdout
        );
        state(&output)
    };
    let first = run("first", "1");
    assert_eq!(run("again", "1"), first);
    assert_eq!(run("threads", "2"), first);
}

const COLUMN: &str = r#"
gravity = [0.0, 0.0, -9.81]
[time]
dt = 5.0e-4
steps = 120
[domain]
lower = [0.0, 0.0, 0.0]
upper = [0.6, 0.1, 0.2]
[balance]
every = 5
[[material]]
name = "glass"
density = 2500.0
friction = 0.3
[[wall]]
shape = "box"
material = "glass"
[[bodies]]
sample = "lattice"
material = "glass"
count = 400
radius = { uniform = [0.0045, 0.0055] }
lower = [0.0, 0.0, 0.0]
upper = [0.1, 0.1, 0.16]
[solver]
tolerance = 1.0e-2
"#;
