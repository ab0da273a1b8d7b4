//! Quasi-static schemes where bodies are loose: they fall, rattle, or have nothing that holds them.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;
mod harness;
mod scene;

use experiment::config;
use harness::{mpi_available, on, run};
use moreau::body::{BodyId, BodyRow};
use moreau::comm::threads::Serial;
use moreau::io::checkpoint;
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::quasistatic::Statics;
use scene::Scene;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Weight of a disc of mean size.
const W: f64 = 1e-4;

fn springs(friction: f64) -> Pair {
    Pair {
        compliance: 1.0,
        tangential_ratio: 0.5,
        ..Pair::coulomb(friction)
    }
}

/// Discs apart from each other in a box that is open above.
fn apart(count: usize) -> Scene {
    let mut s = Scene::new([-1.0, -1.0, -1.5], [16.0, 40.0, 1.5], 1.0);
    s.pair = Some(springs(0.5));
    s.gravity = Vector3::new(0.0, -W, 0.0);
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.plane([0.0; 3], [1.0, 0.0, 0.0]);
    s.plane([15.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    let mut draw = Stream::new(Purpose::Trial, 60, [0; 3]);
    for k in 0..count {
        let site = [k % 6, k / 6].map(|n| 1.25 + 2.5 * n as f64);
        let [x, y] = site.map(|x| x + draw.between(-0.05, 0.05));
        let radius: f64 = draw.between(0.8, 1.15);
        s.sphere([x, y + 0.1, 0.0], radius, radius * radius);
    }
    s.statics = Some(Statics {
        planar: true,
        tolerance: 1e-7,
        max_iterations: 5000,
        ..Statics::default()
    });
    s
}

/// 60 discs fall and come to rest: floor and side walls carry their weight.
#[test]
fn discs_fall_and_settle() {
    let s = apart(60);
    let end = s.run(1);
    let of_wall = |wall: usize| {
        let on = end
            .contacts
            .iter()
            .filter(|c| c.key.b == BodyId::wall(wall));
        on.map(|c| Vector3::from(c.impulse)).sum::<Vector3>() / end.clock.1
    };
    let all: Vector3 = (0..3).map(of_wall).sum();
    let weight: f64 = s.bodies.iter().map(|row| row.mass * W).sum();
    assert!(
        (all.y / weight + 1.0).abs() < 1e-6,
        "{all}, weight {weight}"
    );
    assert!(all.x.abs() < 1e-6 * weight, "{all}");
    // They lie on each other: nine or more on the floor, and none above the third part of its start.
    let top = (0..60).map(|i| end.position(i).y).fold(0.0, f64::max);
    assert!(top < 19.0, "{top}");
    let fallen = (0..60).filter(|&i| end.position(i).y < s.bodies[i].position[1] - 1e-3);
    assert!(fallen.count() >= 55);
}

/// A packing with rattlers and without gravity converges. A disc that touches nothing stays where it
/// is.
#[test]
fn rattlers_stay_where_they_are() {
    let of = config("quasistatic-biaxial");
    let set = ["output.every=0", "time.until=3"].map(str::to_owned);
    let run = experiment::run(&of, &set, 2);
    let end = run.state();
    let file = std::fs::read_to_string(of.with_file_name("quasistatic-oedometer.csv")).unwrap();
    let numbers = |line: &str| {
        line.split(',')
            .map(|x| x.parse().unwrap())
            .collect::<Vec<f64>>()
    };
    let first: Vec<Vec<f64>> = file.lines().skip(1).map(numbers).collect();
    let touches = |id: BodyId| end.contacts.iter().any(|c| c.key.a == id || c.key.b == id);
    let loose = end.bodies.iter().filter(|row| !touches(row.id));
    let stays = |row: &&BodyRow| row.position == first[row.id.0 as usize][..3];
    let (stayed, moved): (Vec<&BodyRow>, Vec<&BodyRow>) = loose.partition(stays);
    assert!(
        stayed.len() >= 3,
        "{} of {}",
        stayed.len(),
        stayed.len() + moved.len()
    );
    // Others were pushed, and let go.
    assert!(moved.len() <= stayed.len(), "{}", moved.len());
    let residuals = run.column("increments.csv", "residual");
    assert!(residuals.len() == 3 && residuals.iter().all(|r| *r <= 1e-4));
}

/// Two balls on a floor; the second is over a hole and has nothing below it.
const UNHELD: &str = r#"
gravity = [0.0, 0.0, -9.81]
scheme = "bagi_bojtar"
time = { dt = 1.0, steps = 4 }
domain = { lower = [-1.0, -1.0, -1.0], upper = [4.0, 1.0, 3.0] }
checkpoint = { every = 0 }

[[material]]
name = "m"
density = 1000.0
stiffness = 1.0e6
friction = 0.5

[[wall]]
shape = "sphere"
name = "seat"
material = "m"
centre = [0.0, 0.0, -0.3]
radius = 0.3
side = "outside"

[[region]]
name = "left"
shape = "half-space"
point = [1.0, 0.0, 0.0]
normal = [-1.0, 0.0, 0.0]

[[support]]
region = "left"
stiffness = [10.0, 10.0, 0.0]
rotational_stiffness = [1.0, 1.0, 1.0]

[[bodies]]
sample = "file"
material = "m"
file = "two.csv"
"#;

/// A body without support is named: no NaN, no body is lost, and the status is that of `then`.
#[test]
fn a_body_without_support_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("unheld.toml");
    std::fs::write(&config, UNHELD).unwrap();
    let two = "x,y,z,radius\n0,0,0.1,0.1\n2,0,2,0.1\n";
    std::fs::write(dir.path().join("two.csv"), two).unwrap();
    for (then, status) in [("stop", 0), ("error", 3)] {
        let out = dir.path().join(then);
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.arg("run").arg(&config).arg("--out").arg(&out);
        command.arg("--set").arg(format!("quasistatic.then={then}"));
        let end = run(command, Duration::from_secs(60));
        assert_eq!(end.status, Some(status), "{}{}", end.stdout, end.stderr);
        let named = "no equilibrium beyond the load at 0 s: the unbalanced force stays at";
        assert!(end.stderr.contains(named), "{}", end.stderr);
        assert!(
            end.stderr.contains("and bodies [1] move farthest"),
            "{}",
            end.stderr
        );
        let (_, found, _) = checkpoint::read_newest(&Serial, &out).unwrap();
        assert_eq!((found.header.step, found.bodies.len()), (0, 2));
        assert_eq!(found.bodies[1].position, [2.0, 0.0, 2.0]);
    }
}

/// Iterations that run out while bodies still come to rest are reported as such, and fail: they are
/// neither a collapse nor, before the loads are in balance, a tolerance below rounding.
#[test]
fn iterations_that_run_out_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("glued-beam", "kishino", 2, "2, 200 sweeps:"),
        ("glued-beam", "kishino", 5, "5, 500 sweeps:"),
        ("settling-support", "kishino", 20, "20, 2000 sweeps:"),
        (
            "quasistatic-biaxial",
            "bagi_bojtar",
            1,
            "1, fewer than the 20 that show a collapse:",
        ),
    ];
    for (name, scheme, allowed, found) in cases {
        let out = dir.path().join(format!("{name}-{allowed}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.arg("run").arg(config(name));
        command.arg("--out").arg(&out);
        command.arg("--set").arg(format!("scheme={scheme}"));
        command.arg("--set");
        command.arg(format!("quasistatic.max_iterations={allowed}"));
        let end = run(command, Duration::from_secs(300));
        assert_eq!(end.status, Some(3), "{}{}", end.stdout, end.stderr);
        let named = format!("quasistatic.max_iterations must be larger; found {found}");
        assert!(end.stderr.contains(&named), "{}", end.stderr);
        for wrong in ["tolerance must be at least", "no equilibrium"] {
            assert!(!end.stderr.contains(wrong), "{}", end.stderr);
        }
        assert!(
            end.stdout.contains("without balance at step"),
            "{}",
            end.stdout
        );
        assert!(!end.stdout.contains("state "), "{}", end.stdout);
    }
    // With more iterations it goes on as if it had had them from the start.
    let state = |verb: &str, from: &Path, out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.arg(verb).arg(from).args(["--until", "2", "--out"]);
        command.arg(dir.path().join(out));
        command.arg("--set").arg("quasistatic.max_iterations=60");
        let end = run(command, Duration::from_secs(300));
        assert_eq!(end.status, Some(0), "{}{}", end.stdout, end.stderr);
        let state = end.stdout.lines().find(|line| line.starts_with("state "));
        state.unwrap().to_owned()
    };
    let stopped = dir.path().join("quasistatic-biaxial-1");
    assert_eq!(
        state("resume", &stopped, "on"),
        state("run", &config("quasistatic-biaxial"), "whole")
    );
}

/// After a collapse the last rows of the tables are those of the last equilibrium.
#[test]
fn tables_of_a_collapse_end_with_the_last_equilibrium() {
    let dir = tempfile::tempdir().unwrap();
    let beam = std::fs::read_to_string(config("glued-beam")).unwrap();
    let (walls, rest) = beam.split_once("name = \"floor\"\nmaterial").unwrap();
    let (_, bodies) = rest.split_once("[[bodies]]").unwrap();
    let walls = walls.trim_end().strip_suffix("shape = \"plane\"").unwrap();
    let walls = walls.trim_end().strip_suffix("[[wall]]").unwrap();
    let unheld = dir.path().join("no-floor.toml");
    std::fs::write(&unheld, format!("{walls}[[bodies]]{bodies}")).unwrap();
    let out = dir.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    command.arg("run").arg(&unheld).arg("--out").arg(&out);
    command.arg("--set").arg("time.dt=0.7");
    let end = run(command, Duration::from_secs(300));
    assert_eq!(end.status, Some(0), "{}{}", end.stdout, end.stderr);
    assert!(
        end.stderr
            .contains("no equilibrium beyond the load at 33.5"),
        "{}",
        end.stderr
    );
    for name in ["increments.csv", "series.csv"] {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        let mut lines = text.lines();
        let names = lines.next().unwrap().split(',');
        let last = lines.next_back().unwrap().split(',');
        let mut row = names.zip(last);
        let (_, residual) = row.find(|(name, _)| *name == "residual").unwrap();
        let residual: f64 = residual.parse().unwrap();
        assert!(residual <= 1e-6, "{name}: {residual}");
    }
}

/// A wall that pushes discs ahead of it, out of an open end of the domain.
const PUSHED: &str = r#"
gravity = [0.0, 0.0, 0.0]
scheme = "bagi_bojtar"

[time]
dt = 1.0
until = 40.0

[domain]
lower = [-0.4, -0.4, -0.4]
upper = [3.0, 0.4, 0.4]
dimensions = 2

[[material]]
name = "disc"
density = 2500.0
friction = 0.0
stiffness = 1.0e6

[[wall]]
shape = "plane"
name = "piston"
material = "disc"
point = [0.0, 0.0, 0.0]
normal = [1.0, 0.0, 0.0]
velocity = [0.1, 0.0, 0.0]

[[bodies]]
sample = "file"
material = "disc"
file = "two.csv"

[checkpoint]
every = 0
"#;

/// A body that leaves the domain ends the run at the last equilibrium before, which is written.
#[test]
fn a_body_that_leaves_ends_the_run_at_the_last_equilibrium() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("pushed.toml");
    std::fs::write(&config, PUSHED).unwrap();
    let two = "x,y,z,radius\n0.1,0,0,0.1\n0.8,0,0,0.1\n";
    std::fs::write(dir.path().join("two.csv"), two).unwrap();
    let mut before = None;
    for ranks in [1, 2] {
        let out = dir.path().join(format!("{ranks}"));
        let args = [
            "run",
            config.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        if ranks > 1 && !mpi_available() {
            continue;
        }
        let end = on(ranks, &args);
        assert_eq!(end.status, Some(3), "{}{}", end.stdout, end.stderr);
        assert!(
            end.stderr.contains("body 1 has left the domain at"),
            "{}",
            end.stderr
        );
        let (_, found, _) = checkpoint::read_newest(&Serial, &out).unwrap();
        // The second disc is carried along from 0.3 m on; its centre leaves 3 m beyond 27 s.
        let time = found.header.time;
        assert!((27.0 - 1.0 / 64.0..=27.0).contains(&time), "{time}");
        assert_eq!(found.bodies.len(), 2);
        let series = std::fs::read_to_string(out.join("series.csv")).unwrap();
        let last: Vec<&str> = series.lines().next_back().unwrap().split(',').collect();
        assert_eq!((last[0], last[1].parse()), ("27", Ok(time)));
        let places = found.bodies.iter().map(|body| body.position);
        let places: Vec<[f64; 3]> = places.collect();
        assert_eq!(*before.get_or_insert(places.clone()), places);
    }
}

/// An increment that was done in part goes on to its own end, also after a second stop within it,
/// with the same bits on any ranks.
#[test]
fn an_increment_done_in_part_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = config("quasistatic-biaxial");
    let mut ends = Vec::new();
    for ranks in [1, 2, 3] {
        if ranks > 1 && !mpi_available() {
            continue;
        }
        let out = dir.path().join(format!("{ranks}"));
        let folder = out.to_str().unwrap();
        let few = ["--until", "1", "--set", "quasistatic.max_iterations=2"];
        let file = file.to_str().unwrap();
        let first = ["run", file, "--out", folder, "--set", "output.every=1"];
        let end = on(1, &[&first[..], &few].concat());
        assert_eq!(end.status, Some(3), "{}{}", end.stdout, end.stderr);
        let rows = || {
            let text = std::fs::read_to_string(out.join("increments.csv")).unwrap();
            let rows = text.lines().skip(1).map(|line| {
                let mut cells = line.split(',');
                let mut next = || cells.next().unwrap().parse::<f64>().unwrap();
                [next(), next()]
            });
            rows.collect::<Vec<[f64; 2]>>()
        };
        let one = rows();
        assert_eq!((one.len(), one[0][0]), (1, 1.0));
        assert!(one[0][1] > 0.0 && one[0][1] < 1.0, "{one:?}");
        let end = on(ranks, &["resume", folder, "--until", "1"]);
        assert_eq!(end.status, Some(3), "{}{}", end.stdout, end.stderr);
        let two = rows();
        assert_eq!((two.len(), two[0], two[1][0]), (2, one[0], 1.0));
        assert!(two[1][1] > one[0][1] && two[1][1] < 1.0, "{two:?}");
        let more = ["--until", "2", "--set", "quasistatic.max_iterations=60"];
        let end = on(ranks, &[&["resume", folder][..], &more].concat());
        assert_eq!(end.status, Some(0), "{}{}", end.stdout, end.stderr);
        assert_eq!(rows(), [&two[..], &[[1.0, 1.0], [2.0, 2.0]]].concat());
        let (_, found, _) = checkpoint::read_newest(&Serial, &out).unwrap();
        assert_eq!((found.header.step, found.header.time), (2, 2.0));
        let frames = hdf5::File::open(out.join("bodies.vtkhdf")).unwrap();
        let times = frames.dataset("VTKHDF/Steps/Values").unwrap();
        assert_eq!(times.read_raw::<f64>().unwrap(), [0.0, 1.0, 2.0]);
        ends.push((rows(), found.bodies));
    }
    assert!(ends.iter().all(|end| *end == ends[0]));
}

/// The first increment after the time step of contact dynamics leaves no checkpoint if it fails: one
/// would hold contacts of that scheme under the name of another.
#[test]
fn a_failed_first_increment_of_another_scheme_leaves_no_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let [before, after] = ["before", "after"].map(|name| dir.path().join(name));
    let [before, after] = [&before, &after].map(|path| path.to_str().unwrap());
    let file = config("quasistatic-biaxial");
    let of_before = [
        "run",
        file.to_str().unwrap(),
        "--out",
        before,
        "--steps",
        "2",
        "--set",
        "scheme=moreau_jean",
        "--unset",
        "quasistatic",
        "--set",
        "time.dt=1e-4",
    ];
    assert_eq!(on(1, &of_before).status, Some(0));
    let of_after = [
        "resume",
        before,
        "--out",
        after,
        "--steps",
        "4",
        "--set",
        "scheme=bagi_bojtar",
        "--set",
        "quasistatic.max_iterations=1",
        "--set",
        "quasistatic.tolerance=1e-9",
    ];
    let end = on(1, &of_after);
    assert_eq!(end.status, Some(3), "{}{}", end.stdout, end.stderr);
    let named = "it is the first increment of another scheme, so no checkpoint is written";
    assert!(end.stderr.contains(named), "{}", end.stderr);
    assert!(checkpoint::newest(Path::new(after)).unwrap().is_empty());
}
