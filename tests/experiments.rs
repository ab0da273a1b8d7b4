//! Every shipped configuration, shortened: it runs, what it is about happens, and it ends in the same state and the same figures on 1, 2 and 4
//! ranks, and after a stop on other ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;

use experiment::{Run, config, run, run_in_parts};
use moreau::config::load;
use moreau::sample;
use std::f64::consts::PI;

/// The bodies have come down.
fn fell(run: &Run) {
    let energy = run.column("series.csv", "potential_energy");
    let (first, last) = (energy[0], energy[energy.len() - 1]);
    assert!(last < first, "{first} J, then {last} J");
    at_least(run, "active", 20.0);
}

/// The last figure of a column of the series.
fn at_least(run: &Run, column: &str, least: f64) {
    let found = run.last("series.csv", column);
    assert!(found >= least, "{column}: {found}");
}

/// A column of one wall over time.
fn wall(run: &Run, name: &str, column: &str) -> Vec<f64> {
    let text = run.text("walls.csv");
    let mut lines = text.lines().map(|line| line.split(','));
    let place = lines.next().unwrap().position(|c| c == column).unwrap();
    let mine = lines.filter(|line| line.clone().nth(2) == Some(name));
    mine.map(|mut line| line.nth(place).unwrap().parse().unwrap())
        .collect()
}

/// A wall has been in places this far apart [m].
fn moved(run: &Run, name: &str, axis: &str, least: f64) {
    let way = wall(run, name, axis);
    let ends = |of: fn(f64, f64) -> f64| way.iter().copied().reduce(of).unwrap();
    let far = ends(f64::max) - ends(f64::min);
    assert!(far >= least, "{name} went {far} m along {axis}");
}

/// Bodies have pushed a wall.
fn pushes(run: &Run, name: &str, force: &str) {
    let forces = wall(run, name, force);
    assert!(forces.iter().any(|f| *f != 0.0), "nothing touches {name}");
}

/// A configuration, how many steps of it, keys set, and what is to be seen in the result.
type Short = (&'static str, u64, &'static [&'static str], fn(&Run));

/// What makes a configuration small enough: its name, steps, keys set, and what must have happened in it.
const SHORT: [Short; 28] = [
    (
        "settle",
        100,
        &["bodies.0.count=1200", "domain.upper=[0.15, 0.15, 0.3]"],
        fell,
    ),
    ("conveyor", 400, &["time.dt=1e-3"], |run| {
        at_least(run, "bodies", 60.0);
        at_least(run, "driven", 1e-3);
    }),
    (
        "constant-volume-shear",
        120,
        &[
            "bodies.0.count=150",
            "output.series=10",
            "time.rest=0",
            "time.until=0.012",
            "stage.0.duration=0.004",
            "stage.1.duration=0.004",
            "stage.2.duration=0.004",
        ],
        |run| {
            moved(run, "lid", "z", 1.59e-3);
            moved(run, "lid", "x", 1.19e-4);
            assert_eq!(run.last("series.csv", "step"), 120.0);
        },
    ),
    (
        "bonded-column",
        150,
        &["force.0.from=0.0", "force.0.force=[4.0, 0.0, 0.0]"],
        |run| {
            at_least(run, "elastic_energy", 1e-6);
            at_least(run, "fracture", 1e-6);
        },
    ),
    (
        "clumps",
        220,
        &[
            "time.dt=1e-3",
            "domain.upper=[0.1, 0.1, 0.12]",
            "region.0.lower=[0.0, 0.0, 0.06]",
            "region.0.upper=[0.05, 0.1, 0.12]",
            "region.1.lower=[0.05, 0.0, 0.06]",
            "region.1.upper=[0.1, 0.1, 0.12]",
            "inlet.0.count=40",
            "inlet.1.count=40",
        ],
        |run| at_least(run, "active", 60.0),
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
        |run| {
            moved(run, "right", "x", 0.01);
            moved(run, "top", "y", 3.9e-3);
            pushes(run, "top", "fy");
        },
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
        |run| moved(run, "z-piston", "z", 0.01),
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
        |run| {
            let vx = run.last("measure-flow.csv", "vx");
            assert!(vx > 0.01, "the plate takes nothing along: {vx}");
        },
    ),
    ("settle-file", 100, &[], fell),
    (
        "ball-mill",
        150,
        &[
            "bodies.1.count=800",
            "bodies.1.upper=[0.034, 0.029, 0.012]",
            "time.dt=8e-4",
            "solver.tolerance=1e-2",
        ],
        |run| {
            at_least(run, "active", 20.0);
            pushes(run, "mill.drum", "fz");
        },
    ),
    (
        "intruder",
        150,
        &["bodies.1.count=1200", "bodies.1.upper=[0.08, 0.08, 0.09]"],
        |run| {
            fell(run);
            moved(run, "floor", "z", 1e-3);
        },
    ),
    ("shaken", 100, &[], |run| {
        moved(run, "floor", "x", 1e-3);
        moved(run, "piston", "z", 1e-3);
    }),
    // Long steps, so that what is to happen happens: the plug drops at 0.3 s and the tube is lifted at 0.5 s.
    (
        "silo-discharge",
        110,
        &[
            "time.dt=4e-3",
            "bodies.0.count=700",
            "measure.0.every=10",
            "measure.1.from=0.2",
        ],
        |run| at_least(run, "drained", 20.0),
    ),
    (
        "column-collapse",
        230,
        &["time.dt=2.5e-3", "bodies.0.count=800", "measure.1.every=10"],
        |run| moved(run, "tube", "z", 0.1),
    ),
    (
        "angle-of-repose",
        80,
        &["time.dt=4e-3", "inlet.0.rate=4000", "measure.0.every=10"],
        |run| {
            at_least(run, "came", 500.0);
            at_least(run, "active", 100.0);
        },
    ),
    (
        "hopper-stl",
        150,
        &[
            "region.0.from=[0.0, 0.0, 0.04]",
            "region.0.to=[0.0, 0.0, 0.07]",
            "region.0.radius=0.055",
        ],
        |run| {
            fell(run);
            pushes(run, "hopper", "fz");
        },
    ),
    (
        "mixer-stl",
        300,
        &["inlet.0.rate=8000.0", "inlet.0.count=600"],
        |run| {
            at_least(run, "active", 20.0);
            pushes(run, "rotor.shaft", "fz");
            for paddle in 1..=4 {
                pushes(run, &format!("rotor.paddle-{paddle}"), "ty");
            }
        },
    ),
    (
        "rotating-drum",
        80,
        &["time.dt=2.5e-3", "bodies.0.fraction=0.04"],
        |run| {
            // The drum takes what lies in it along, below towards −x.
            let vx = run.last("measure-drum.csv", "vx");
            assert!(vx < -0.01, "{vx}");
        },
    ),
    (
        "chute",
        100,
        &[
            "bodies.1.count=700",
            "measure.0.every=10",
            "measure.1.every=10",
        ],
        |run| {
            let vx = run.last("measure-flow.csv", "vx");
            assert!(vx > 0.05, "{vx}");
            at_least(run, "active", 50.0);
        },
    ),
    ("janssen", 80, &["bodies.0.count=700"], |run| {
        moved(run, "tube", "z", 0.69e-3);
        pushes(run, "bottom", "fz");
    }),
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
        |run| moved(run, "piston", "z", 0.01),
    ),
    (
        "vibrated-box",
        150,
        &[
            "bodies.0.count=400",
            "bodies.0.upper=[0.15, 0.15, 0.045]",
            "region.0.upper=[0.13, 0.13, 0.04]",
            "measure.1.from=0.05",
            "time.dt=5e-3",
            "output.series=1",
        ],
        |run| {
            moved(run, "floor", "z", 1.9e-3);
            pushes(run, "floor", "fz");
        },
    ),
    ("quasistatic-oedometer", 6, &[], |run| {
        pushes(run, "lid", "fy")
    }),
    ("quasistatic-biaxial", 6, &[], |run| {
        moved(run, "right", "x", 1e-6)
    }),
    ("quasistatic-triaxial", 6, &[], |run| {
        moved(run, "right", "x", 1e-6)
    }),
    (
        "periodic-triaxial",
        300,
        &[
            "bodies.0.count=200",
            "domain.upper=[0.14, 0.14, 0.14]",
            "output.series=1",
        ],
        |run| {
            for axis in ["xx", "yy", "zz"] {
                let stress = run.last("cell.csv", &format!("stress_{axis}"));
                assert!((stress / 1e3 - 1.0).abs() < 0.02, "{axis}: {stress} Pa");
            }
            assert!(run.last("cell.csv", "x") < 0.13);
        },
    ),
    ("settling-support", 12, &[], |run| {
        assert_eq!(run.text("bonds.csv").lines().count(), 3);
        at_least(run, "fracture", 1e-4);
    }),
    ("glued-beam", 36, &[], |run| {
        // The load of an increment is its number over ten; the root's edge breaks at 3.351 N.
        let increments = run.column("increments.csv", "step");
        let broken = run.column("increments.csv", "broken");
        let breaks = increments.iter().zip(broken).filter(|of| of.1 > 0.0);
        assert_eq!(breaks.map(|of| *of.0).collect::<Vec<_>>(), [34.0]);
        let second_moment = PI * 4e-3_f64.powi(4) / 4.0;
        let strength = 5e6 * second_moment / (4e-3 * 15.0 * 5e-3);
        assert!((3.3..3.4).contains(&strength), "{strength} N");
        let moment = run.last("bonds.csv", "cy");
        assert!(
            (moment / (15.0 * 5e-3 * 3.4) - 1.0).abs() < 1e-4,
            "{moment} N m"
        );
    }),
];

/// The glued beam sinks as the discrete sum of its parallel bonds says: `F (n/k_t + Σ (k r)²/k_b)`
/// over odd k, `k_t = k̄_s A`, `k_b = k̄_n I`.
#[test]
fn the_glued_beam_sinks_by_its_formula() {
    let run = run(&config("glued-beam"), &set(10, &[]), 1);
    let (radius, section) = (5e-3, 4e-3_f64);
    let (area, second_moment) = (PI * section.powi(2), PI * section.powi(4) / 4.0);
    let odd = (0..8).map(|k| f64::from(2 * k + 1) * radius);
    let expected =
        8.0 / (4e11 * area) + odd.map(|arm| arm * arm).sum::<f64>() / (1e12 * second_moment);
    // 1 N turns the tip by 1.6 mrad: its square is 3e-6.
    let found = -run.state().bodies[7].position[2];
    assert!((found / expected - 1.0).abs() < 3e-6, "{found} {expected}");
}

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
    for (name, steps, keys, witness) in SHORT {
        let (path, keys) = (config(name), set(steps, keys));
        let serial = run(&path, &keys, 1);
        let (state, tables) = (serial.state(), figures(&serial));
        witness(&serial);
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

/// What a configuration's last comment says of a whole run is said of the bodies that it has.
#[test]
fn comments_tell_how_many_bodies_there_are() {
    let mut told = 0;
    for (name, ..) in SHORT {
        let path = config(name);
        let text = std::fs::read_to_string(&path).unwrap();
        // Comments as one line, wherever theirs end.
        let text: String = text.lines().filter_map(|l| l.strip_prefix('#')).collect();
        let Some((_, run)) = text.split_once("hole run") else {
            continue;
        };
        let (number, _) = run.split_once("bodies").unwrap();
        let digits = number.replace("glued", "");
        let digits = digits.trim_end().chars().rev();
        // Thousands may stand apart.
        let digits: Vec<char> = digits
            .take_while(|c| c.is_ascii_digit() || *c == ' ')
            .filter(|c| *c != ' ')
            .collect();
        let number: String = digits.into_iter().rev().collect();
        let number: f64 = number.parse().unwrap();
        let scenario = load(&path, &[]).unwrap();
        let counts = scenario
            .samples
            .iter()
            .map(|s| sample::count(s).unwrap().bodies);
        let made = counts.sum::<u64>() as f64;
        assert!(
            (number / made - 1.0).abs() < 0.01,
            "{name} tells of {number} bodies and has {made}"
        );
        told += 1;
    }
    assert!(told >= 6, "{told}");
}
