//! Every shipped configuration, shortened: it runs, ends in the same state and the same figures on 1, 2 and 4 ranks, and after a stop on other
//! ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;

use experiment::{config, run, run_in_parts};

/// What makes a configuration small enough: its name, steps, and keys set.
const SHORT: [(&str, u64, &[&str]); 14] = [
    (
        "settle",
        100,
        &["bodies.0.count=1200", "domain.upper=[0.15, 0.15, 0.3]"],
    ),
    (
        "biaxial-2d",
        150,
        &[
            "bodies.0.count=160",
            "bodies.0.upper=[0.22, 0.13, 0.05]",
            "domain.upper=[0.3, 0.2, 0.05]",
            "wall.1.point=[0.22, 0.0, 0.0]",
            "wall.1.free.mass=20.0",
            "wall.1.free.load=[-6.5e3, 0.0, 0.0]",
            "wall.3.point=[0.0, 0.13, 0.0]",
            "region.0.lower=[0.02, 0.02, -0.05]",
            "region.0.upper=[0.1, 0.1, 0.05]",
        ],
    ),
    (
        "force-indeterminacy",
        150,
        &[
            "bodies.0.count=400",
            "bodies.0.upper=[0.1, 0.1, 0.08]",
            "wall.3.point=[0.1, 0.0, 0.0]",
            "wall.4.point=[0.0, 0.1, 0.0]",
            "wall.5.point=[0.0, 0.0, 0.08]",
            "region.0.lower=[0.0, 0.0, 0.0]",
            "region.0.upper=[0.1, 0.1, 0.04]",
            "solver.start_spread=0.5",
        ],
    ),
    (
        "shear-cell",
        150,
        &[
            "bodies.0.count=400",
            "bodies.0.upper=[0.15, 0.15, 0.04]",
            "wall.1.point=[0.075, 0.075, 0.04]",
            "region.0.lower=[0.0, 0.0, 0.0]",
            "region.0.upper=[0.15, 0.15, 0.02]",
        ],
    ),
    ("settle-file", 100, &[]),
    ("shaken", 100, &[]),
    // Long steps, so that what is to happen happens: the plug drops at 0.3 s and the tube is lifted at 0.5 s.
    (
        "silo-discharge",
        100,
        &[
            "time.dt=4e-3",
            "bodies.0.count=700",
            "measure.0.every=10",
            "measure.1.from=0.2",
        ],
    ),
    (
        "column-collapse",
        230,
        &["time.dt=2.5e-3", "bodies.0.count=800", "measure.1.every=10"],
    ),
    (
        "angle-of-repose",
        80,
        &["time.dt=4e-3", "inlet.0.rate=4000", "measure.0.every=10"],
    ),
    ("rotating-drum", 80, &["bodies.0.fraction=0.04"]),
    (
        "chute",
        100,
        &[
            "bodies.1.count=700",
            "measure.0.every=10",
            "measure.1.every=10",
        ],
    ),
    ("janssen", 80, &["bodies.0.count=700"]),
    (
        "uniaxial-cohesive-compaction",
        150,
        &[
            "bodies.0.count=400",
            "bodies.0.upper=[0.16, 0.16, 0.05]",
            "wall.1.point=[0.08, 0.08, 0.05]",
            "region.0.lower=[0.0, 0.0, 0.0]",
            "region.0.upper=[0.16, 0.16, 0.02]",
        ],
    ),
    (
        "vibrated-box",
        150,
        &[
            "bodies.0.count=400",
            "bodies.0.upper=[0.15, 0.15, 0.045]",
            "region.0.upper=[0.13, 0.13, 0.04]",
            "measure.1.from=0.05",
        ],
    ),
];

/// Those that other tests run: what they need is a large memory, or a file.
const ELSEWHERE: [&str; 1] = ["million"];

fn set(steps: u64, keys: &[&str]) -> Vec<String> {
    let every = "checkpoint.every=0".to_owned();
    let keys = keys.iter().map(|key| (*key).to_owned());
    keys.chain([every, format!("time.steps={steps}")]).collect()
}

#[test]
fn every_configuration_is_looked_at() {
    let folder = config("x");
    let names = std::fs::read_dir(folder.parent().unwrap()).unwrap();
    for entry in names {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let known = SHORT.iter().any(|(n, ..)| *n == name) || ELSEWHERE.contains(&name.as_str());
        assert!(known, "configs/{name}.toml is run by no test");
    }
}

/// The figures of all tables but those that clocks make.
fn figures(run: &experiment::Run) -> Vec<(String, String)> {
    let tables = run.tables().into_iter();
    tables
        .filter(|name| name != "series.csv")
        .map(|name| {
            let text = run.text(&name);
            (name, text)
        })
        .collect()
}

#[test]
fn the_same_on_any_ranks_and_after_a_stop() {
    for (name, steps, keys) in SHORT {
        let (path, keys) = (config(name), set(steps, keys));
        let serial = run(&path, &keys, 1);
        let (state, tables) = (serial.state(), figures(&serial));
        assert!(!state.bodies.is_empty(), "{name}");
        for parts in [
            vec![(2, None)],
            vec![(4, None)],
            vec![(1, Some(steps / 2)), (3, None)],
            vec![(2, Some(steps / 3)), (1, None)],
        ] {
            let other = run_in_parts(&path, &keys, &parts);
            assert!(other.state() == state, "{name}: another state, {parts:?}");
            assert_eq!(figures(&other), tables, "{name}, {parts:?}");
        }
    }
}
