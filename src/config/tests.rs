//! Valid configurations, overrides, and several faults at once.
//!
//! Each single fault has a file in `tests/configs/bad`.

mod coefficients;
mod derived;
mod documented;
mod files;
mod samples;

use super::{End, Faults, Interval, Limits, Place, Scenario, load, parse};
use crate::sample::{Ids, Radius, Source};
use crate::scheme::pace::{Pace, Rule};
use crate::solver::{Order, Settings};
use std::path::{Path, PathBuf};

/// Every key, each with a value other than its default.
const FULL: &str = r#"# comment
title = "all keys"
gravity = [0, 1.5, -9.81]

[time]
dt = 1e-3 # a comment that stays
until = 2
steps = 100
rest = 1e-6

[domain]
lower = [-1.0, 0.0, 0.0]
upper = [1.0, 1.0, 2.0]
periodic = [false, false, false]
max_overlap = 0.02

[solver]
tolerance = 1e-4
max_sweeps = 50
order = "step"
exchange = "phase"
seed = 7
block_edge = 0.3
skin = 0.001

[[material]]
name = "glass"
density = 2500
friction = 0.5

[[material]]
name = "smooth"
density = 1000.0
friction = 0.0

[[wall]]
shape = "box"
material = "smooth"
faces = ["z-", "x+"]

[[wall]]
shape = "plane"
name = "ramp"
point = [0.0, 0.0, 0.1]
normal = [0.0, 3.0, 4.0]
material = "glass"

[[wall]]
shape = "plane"
point = [0.0, 0.0, 0.1]
normal = [0.0, 0.0, 1e-200]
material = "glass"

[[bodies]]
sample = "lattice"
material = "smooth"
count = 20
radius = { uniform = [0.04, 0.05] }
jitter = 0.1
lower = [0.0, 0.0, 0.5]
upper = [1.0, 1.0, 2.0]
velocity = [0, 0, -1]

[[bodies]]
sample = "file"
material = "glass"
file = "data/few.csv"

[output]
series = 10

[checkpoint]
every = 0
keep = 3

[limits]
capped = { above = 10, then = "stop" }
overlap = { above = 0.5 }
energy = { then = "warn" }
"#;

fn good(text: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    parse("full.toml", text, Path::new("/base"), &overrides).unwrap_or_else(|f| panic!("{f}"))
}

fn of_file(path: impl Into<PathBuf>) -> Source {
    Source::File {
        path: path.into(),
        ids: Ids::OfFile,
    }
}

fn bad(text: &str, overrides: &[&str]) -> Faults {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    parse("full.toml", text, Path::new("/base"), &overrides).expect_err("it is at fault")
}

#[test]
fn every_key_arrives() {
    let s = good(FULL, &[]);
    assert_eq!(s.title, "all keys");
    assert_eq!(s.gravity.as_slice(), [0.0, 1.5, -9.81]);
    assert_eq!(s.pace, Pace::Even(1e-3));
    let end = End {
        steps: Some(100),
        until: Some(2.0),
        rest: Some(1e-6),
        rest_after: 0.0,
    };
    assert_eq!(s.end, end);
    assert_eq!(
        (s.lower.as_slice(), s.upper.as_slice()),
        ([-1.0, 0.0, 0.0].as_slice(), [1.0, 1.0, 2.0].as_slice())
    );
    assert_eq!(
        (s.solver.tolerance, s.solver.max_sweeps, s.solver.seed),
        (1e-4, 50, 7)
    );
    assert_eq!(s.solver.order, Order::Step);
    assert_eq!(
        (s.solver.block_edge, s.solver.skin),
        (Some(0.3), Some(0.001))
    );
    let materials: Vec<_> = s
        .materials
        .iter()
        .map(|m| (m.name.as_str(), m.density, m.own.get("friction").unwrap()))
        .collect();
    assert_eq!(materials, [("glass", 2500.0, 0.5), ("smooth", 1000.0, 0.0)]);
    let walls: Vec<_> = s
        .walls
        .iter()
        .map(|w| (w.name.as_str(), w.material))
        .collect();
    assert_eq!(
        walls,
        [("box.z-", 1), ("box.x+", 1), ("ramp", 0), ("plane-2", 0)]
    );
    let normals: Vec<_> = s
        .walls
        .iter()
        .map(|w| w.plane().normal.as_slice().to_vec())
        .collect();
    let expected = [
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, 0.6, 0.8],
        [0.0, 0.0, 1.0],
    ];
    for (n, e) in normals.iter().zip(expected) {
        assert!(n.iter().zip(e).all(|(a, b)| (a - b).abs() < 1e-15), "{n:?}");
    }
    assert_eq!(s.walls[0].plane().point.z, 0.0);
    assert_eq!(s.walls[1].plane().point.x, 1.0);
    let Source::Lattice(lattice) = &s.samples[0].source else {
        panic!("a lattice")
    };
    assert_eq!((lattice.count, lattice.jitter), (20, 0.1));
    assert_eq!(lattice.radius, Radius::Uniform(0.04, 0.05));
    assert_eq!(
        (lattice.space.lower, lattice.space.upper),
        ([0.0, 0.0, 0.5], [1.0, 1.0, 2.0])
    );
    assert_eq!((s.samples[0].material, s.samples[0].density), (1, 1000.0));
    assert_eq!(s.samples[0].velocity, [0.0, 0.0, -1.0]);
    assert_eq!(s.samples[1].source, of_file("/base/data/few.csv"));
    assert_eq!(s.max_initial_overlap, 0.02);
    assert_eq!(
        (s.output.series, s.checkpoints.every, s.checkpoints.keep),
        (10, 0, 3)
    );
    let bounds = |l: Limits| [l.capped, l.overlap, l.energy].map(|l| (l.above, l.stop));
    assert_eq!(
        bounds(s.limits),
        [(10.0, true), (0.5, false), (0.05, false)]
    );
    assert_eq!(s.checkpoints.interval, None);
    let timed = |set: &[&str]| good(FULL, set).checkpoints;
    let auto = timed(&["checkpoint.interval='auto'", "checkpoint.failures=3600"]);
    assert_eq!(auto.interval, Some(Interval::Auto { failures: 3600.0 }));
    let seconds = timed(&["checkpoint.interval=90"]).interval;
    assert_eq!(seconds, Some(Interval::Seconds(90.0)));
}

#[test]
fn what_is_not_given_has_a_default() {
    let s = good(
        "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 5 }\n\
         domain = { lower = [0, 0, 0], upper = [1, 1, 1] }\n\
         material = [{ name = \"m\", density = 1, friction = 0 }]\n\
         wall = [{ shape = \"box\", material = \"m\" }]\n\
         bodies = [{ sample = \"lattice\", material = \"m\", count = 1, radius = 0.1 }]\n",
        &[],
    );
    assert_eq!(s.title, "full");
    assert_eq!(s.solver, Settings::default());
    assert_eq!(
        (s.output.series, s.checkpoints.every, s.checkpoints.keep),
        (1, 500, 2)
    );
    let limits = [s.limits.capped, s.limits.overlap, s.limits.energy];
    assert_eq!(limits.map(|l| l.above), [0.0, 0.1, 0.05]);
    assert!(limits.iter().all(|l| !l.stop));
    assert_eq!(s.max_initial_overlap, 0.01);
    let names: Vec<_> = s.walls.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(
        names,
        ["box.x-", "box.x+", "box.y-", "box.y+", "box.z-", "box.z+"]
    );
    let Source::Lattice(lattice) = &s.samples[0].source else {
        panic!("a lattice")
    };
    assert_eq!(
        (lattice.space.lower, lattice.space.upper, lattice.jitter),
        ([0.0; 3], [1.0; 3], 0.04)
    );
}

/// A user gets the default of the library.
///
/// The three cases: a missing section, an empty one, and every key at its documented default.
#[test]
fn the_solver_of_a_configuration_without_settings_is_the_default() {
    let of = |solver: &str| {
        let text = format!(
            "gravity = [0, 0, -9.81]\ntime = {{ dt = 1e-3, steps = 5 }}\n\
             domain = {{ lower = [0, 0, 0], upper = [1, 1, 1] }}\n\
             material = [{{ name = \"m\", density = 1, friction = 0 }}]\n\
             bodies = [{{ sample = \"lattice\", material = \"m\", count = 1, radius = 0.1 }}]\n{solver}"
        );
        good(&text, &[]).solver
    };
    let written = "[solver]\ntolerance = 1e-2\nmax_sweeps = 500\norder = \"step\"\nacceleration = \"momentum\"\n\
                   momentum = 0.7\nwarm_start = true\nstart_spread = 0.0\nexchange = \"phase\"\ninner_passes = 1\n\
                   seed = 1\ngap = \"positive\"\nprojection = 2\nprojection_fraction = 1.0\n";
    for solver in ["", "[solver]\n", written] {
        assert_eq!(of(solver), Settings::default(), "{solver}");
    }
    let plain = of("[solver]\norder = \"sweep\"\n");
    assert_eq!(plain, Settings::plain_sweeps());
    assert_ne!(plain, Settings::default());
}

/// A point in the middle of the domain is on the free side of every wall of the box.
#[test]
fn a_boxes_normals_point_inwards() {
    let s = good(
        FULL,
        &["wall.0.faces=[\"x-\",\"x+\",\"y-\",\"y+\",\"z-\",\"z+\"]"],
    );
    let middle = 0.5 * (s.lower + s.upper);
    let distances: Vec<f64> = s.walls[..6]
        .iter()
        .map(|w| w.plane().distance(&middle))
        .collect();
    assert_eq!(distances, [1.0, 1.0, 0.5, 0.5, 1.0, 1.0]);
}

#[test]
fn overrides_set_replace_and_add() {
    let s = good(
        FULL,
        &[
            "time.dt = 2e-3",
            "bodies.0.count=30",
            "bodies.0.radius=0.03",
            "bodies.1.file=/else/where.csv",
            "solver.order=sweep",
            "domain.upper.2=3.0",
            "material.1.friction=0.25",
            "solver.seed=8",
            "solver.seed=9",
            "wall.0.name=cup",
        ],
    );
    assert_eq!(s.pace, Pace::Even(2e-3));
    let Source::Lattice(lattice) = &s.samples[0].source else {
        panic!("a lattice")
    };
    assert_eq!(
        (lattice.count, lattice.radius.clone()),
        (30, Radius::Constant(0.03))
    );
    assert_eq!(s.samples[1].source, of_file("/else/where.csv"));
    assert_eq!((s.solver.order, s.solver.seed), (Order::Sweep, 9));
    assert_eq!(
        (s.upper.z, s.materials[1].own.get("friction").unwrap()),
        (3.0, 0.25)
    );
    assert_eq!(s.walls[0].name, "cup.z-");
    assert!(
        s.text().contains("dt = 2e-3 # a comment that stays"),
        "{}",
        s.text()
    );
    let added = good(
        &FULL.replace("[checkpoint]\nevery = 0\nkeep = 3\n", ""),
        &["checkpoint.keep=5"],
    );
    assert_eq!((added.checkpoints.every, added.checkpoints.keep), (500, 5));
}

/// The text of a checkpoint gives the same scenario, in any folder.
#[test]
fn the_text_as_run_gives_the_same_scenario() {
    for overrides in [
        &[][..],
        &[
            "bodies.0.count=30",
            "solver={ seed = 3 }",
            "output.series=4",
            "bodies.1.file=there.csv",
        ],
    ] {
        let first = good(FULL, overrides);
        let again = parse("full.toml", &first.text(), Path::new("/elsewhere"), &[]);
        assert_eq!(again.as_ref(), Ok(&first));
    }
    assert!(good(FULL, &[]).text().starts_with("# comment\ntitle"));
}

#[test]
fn a_file_given_on_the_command_line_is_relative_to_the_working_directory() {
    let s = good(FULL, &["bodies.1.file=there.csv"]);
    let here = std::env::current_dir().expect("a working directory");
    assert_eq!(s.samples[1].source, of_file(here.join("there.csv")));
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_lines() {
    let text = FULL
        .replace("dt = 1e-3", "dt = -1e-3")
        .replace("max_sweeps", "max_sweep")
        .replace("friction = 0.5", "friction = nan")
        .replace("count = 20", "count = 0")
        .replace(
            "upper = [1.0, 1.0, 2.0]\nvel",
            "upper = [1.0, 1.0, 2.5]\nvel",
        );
    let faults = bad(&text, &["checkpoint.keep=0"]);
    let places: Vec<_> = faults
        .list
        .iter()
        .map(|f| (f.place.clone(), f.key.as_str()))
        .collect();
    let expected = [
        (Place::Line(6), "time.dt"),
        (Place::Line(19), "solver.max_sweep"),
        (Place::Line(29), "material.0.friction"),
        (Place::Line(57), "bodies.0.count"),
        (Place::Line(61), "bodies.0.upper"),
        (
            Place::Set("checkpoint.keep=0".to_owned()),
            "checkpoint.keep",
        ),
    ];
    assert_eq!(places, expected);
    let text = faults.to_string();
    assert_eq!(text.lines().count(), 6);
    let first = "full.toml:6: time.dt: must be a finite number > 0 [s]; found -1e-3";
    assert_eq!(text.lines().next(), Some(first));
    assert!(text.contains("full.toml:19: solver.max_sweep: unknown key; did you mean max_sweeps?"));
    assert!(text.ends_with(
        "--set checkpoint.keep=0: checkpoint.keep: must be a whole number >= 1; found 0"
    ));
}

#[test]
fn overrides_that_cannot_be_applied_are_told_together() {
    let overrides = [
        "dt",
        "=3",
        "time.dt=",
        "bodies.2.count=3",
        "time.dt.x=1",
        "wall.a.name=b",
        "bodies.0=3",
    ];
    let faults = bad(&FULL.replace("seed = 7", "seed = -7"), &overrides);
    assert_eq!(
        faults.list.len(),
        overrides.len() + 1,
        "with the seed's: {faults}"
    );
    let text = faults.to_string();
    assert!(
        text.contains("--set bodies.2.count=3: bodies.2.count: must be one of 2 entries, counted from 0; found \"2\""),
        "{text}"
    );
}

/// `-KEY`, as of `--unset`, removes a key of a table, of an entry, and of a table in one line.
#[test]
fn overrides_remove_keys() {
    let rule = "dt = { at_most = 1e-3, at_least = 1e-5, growth = 1.5 }";
    let text = FULL.replace("dt = 1e-3", rule);
    let keys = ["-title", "-time.steps", "-time.dt.growth", "-wall.1.name"];
    let left = good(&text, &keys);
    assert_eq!(left.title, "full");
    assert_eq!((left.end.steps, left.end.until), (None, Some(2.0)));
    let Pace::Rule(rule) = left.pace else {
        panic!("{:?}", left.pace);
    };
    assert_eq!(rule.growth, 1.1);
    assert_eq!(left.walls[2].name, "plane-1");
    let there = "must be a key that is there; found none";
    let whole = "must be a key of the entry, such as name; found the whole entry";
    for (key, accepted) in [
        ("-time.stop", there),
        ("-bodies.1", whole),
        ("-bodies.7.radius", there),
        ("-wall.x.name", there),
        ("-title.long", there),
    ] {
        let faults = bad(FULL, &[key]).to_string();
        let option = format!("--unset {}: ", &key[1..]);
        assert!(faults.starts_with(&option), "{faults}");
        assert!(faults.ends_with(accepted), "{faults}");
    }
}

#[test]
fn the_shipped_configurations_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    for name in ["settle.toml", "settle-file.toml"] {
        let s = load(&folder.join(name), &[]).unwrap_or_else(|f| panic!("{f}"));
        let bodies: u64 = s
            .samples
            .iter()
            .map(|s| crate::sample::count(s).expect("good").bodies)
            .sum();
        assert_eq!(bodies, if name == "settle.toml" { 10_000 } else { 1000 });
        let friction = |wall: &str| {
            let wall = s.walls.iter().find(|w| w.name == wall).expect(wall);
            s.materials[wall.material as usize]
                .own
                .get("friction")
                .unwrap()
        };
        assert_eq!(
            ["box.z-", "box.z+", "box.x-", "box.y+"].map(friction),
            [0.5, 0.5, 0.0, 0.0]
        );
    }
}

/// `time.dt` as a rule: its keys are read, and the others get their defaults.
///
/// The run ends at the given time and not at a step; any key of the rule can be set.
#[test]
fn a_rule_of_the_steps_arrives() {
    let text = FULL.replace("dt = 1e-3", "dt = { at_most = 1e-3, at_least = 1e-5 }");
    let rule = Rule {
        at_most: 1e-3,
        at_least: 1e-5,
        travel: 0.1,
        growth: 1.1,
        length: None,
    };
    let s = good(&text, &[]);
    assert_eq!(s.pace, Pace::Rule(rule));
    assert_eq!(s.last_step(), Some(100));
    assert!(!s.is_over(99, 1.999) && s.is_over(100, 0.0) && s.is_over(0, 2.0));
    let set = [
        "time.dt.travel=0.2",
        "time.dt.growth=2",
        "time.dt.length=0.01",
    ];
    let rule = Rule {
        travel: 0.2,
        growth: 2.0,
        length: Some(0.01),
        ..rule
    };
    assert_eq!(good(&text, &set).pace, Pace::Rule(rule));
    assert_eq!(good(&text, &["time.dt=2e-3"]).pace, Pace::Even(2e-3));
    let table = "time.dt={ at_most = 1e-3, at_least = 1e-3 }";
    assert!(matches!(good(FULL, &[table]).pace, Pace::Rule(_)));
    // Steps of one length end at the step, whatever their sum.
    assert!(!good(FULL, &["time.dt=0.1"]).is_over(19, 2.0));
}
