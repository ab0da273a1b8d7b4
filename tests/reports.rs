//! The reports of a run are true: alarms, refusals, warnings, and figures that are absent for a reason.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{Output, on, state};
use std::path::Path;

/// A box of 1 m with balls of a file.
fn balls(dir: &Path, rows: &[[f64; 4]], keys: &str) -> String {
    let lines = rows.iter().map(|[x, y, z, r]| format!("{x},{y},{z},{r}\n"));
    let table: String = lines.collect();
    std::fs::write(dir.join("balls.csv"), format!("x,y,z,radius\n{table}")).unwrap();
    let text = format!(
        "gravity = [0.0, 0.0, -9.81]
[time]
dt = 1e-4
steps = 400
[domain]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 1.0, 1.0]
max_overlap = 0.2
[[material]]
name = \"glass\"
density = 2500.0
friction = 0.5
[[wall]]
shape = \"box\"
material = \"glass\"
[[bodies]]
sample = \"file\"
material = \"glass\"
file = \"balls.csv\"
{keys}"
    );
    let config = dir.join("run.toml");
    std::fs::write(&config, text).unwrap();
    config.to_str().unwrap().to_owned()
}

fn run(dir: &Path, config: &str, more: &[&str]) -> Output {
    let out = dir.join("out");
    let args = ["run", config, "--overwrite", "--out", out.to_str().unwrap()];
    on(1, &[&args[..], more].concat())
}

fn last_row(dir: &Path, file: &str) -> std::collections::BTreeMap<String, f64> {
    let text = std::fs::read_to_string(dir.join("out").join(file)).unwrap();
    let (header, line) = (text.lines().next().unwrap(), text.lines().last().unwrap());
    let numbers = line.split(',').map(|x| x.parse().unwrap_or(f64::NAN));
    header.split(',').map(str::to_owned).zip(numbers).collect()
}

const STOP: &str = "[limits]\nenergy = { then = \"stop\" }\noverlap = { above = 0.5 }\n";

/// A ball that starts in an overlap has the energy of that spring, `k g²/2`, and leaves with it; one at rest, or swinging under
/// gravity, gets nothing. None of it is an alarm.
#[test]
fn springs_give_back_what_they_hold_without_an_alarm() {
    let dir = tempfile::tempdir().unwrap();
    let sets: &[(f64, &str, &str)] = &[
        (0.099, "gravity=[0,0,0]", "time.dt=1e-4"),
        (0.099, "gravity=[0,0,-9.81]", "time.dt=1e-3"),
        (0.0999, "gravity=[0,0,-9.81]", "time.dt=1e-4"),
        (0.1, "gravity=[0,0,-9.81]", "time.dt=1e-3"),
        (0.3, "gravity=[0,0,-9.81]", "time.dt=1e-2"),
    ];
    for (z, gravity, dt) in sets {
        let config = balls(dir.path(), &[[0.5, 0.5, *z, 0.1]], STOP);
        let more = [
            "--set",
            gravity,
            "--set",
            dt,
            "--set",
            "material.0.stiffness=1e5",
        ];
        let done = run(dir.path(), &config, &more);
        assert_eq!(done.status, Some(0), "{z} {gravity} {dt}: {}", done.stderr);
        assert!(!done.stdout.contains("limits.energy"), "{}", done.stdout);
        let row = last_row(dir.path(), "series.csv");
        let deep: f64 = (0.1 - z).max(0.0);
        assert!(
            (row["prestress"] - 0.5e5 * deep * deep).abs() < 1e-9,
            "{row:?}"
        );
        let taken = row["normal"] + row["cohesion"] + row["friction"];
        let kept = row["dissipated"] + row["elastic_energy"] - row["prestress"];
        assert!((taken - kept).abs() < 1e-9, "the ledger closes: {row:?}");
    }
}

/// A ball that was held in an overlap and is released takes the energy of the spring with it, too.
#[test]
fn a_released_ball_may_take_the_energy_of_its_spring() {
    let dir = tempfile::tempdir().unwrap();
    let keys = format!(
        "[[region]]\nname = \"all\"\nshape = \"box\"\nlower = [0.0, 0.0, 0.0]\nupper = [1.0, 1.0, 1.0]\n\
         [[freeze]]\nregion = \"all\"\nuntil = 0.01\n{STOP}"
    );
    let config = balls(dir.path(), &[[0.5, 0.5, 0.095, 0.1]], &keys);
    let set = "material.0.stiffness=1e5";
    let done = run(dir.path(), &config, &["--set", set]);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    let row = last_row(dir.path(), "series.csv");
    assert!((row["prestress"] - 1.25).abs() < 1e-9, "{row:?}");
    let lifted =
        row["potential_energy"] - 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 9.81 * 0.095;
    assert!(row["kinetic_energy"] + lifted > 1.2, "it flies: {row:?}");
}

/// A box whose faces are those of the domain cannot shake with its bodies: it is refused at once. A box with room does, and keeps its
/// balls.
#[test]
fn a_shaken_box_is_refused_or_shakes() {
    let dir = tempfile::tempdir().unwrap();
    let lattice = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9].map(|i| 0.3 + 0.2 * f64::from(i)));
    let rows: Vec<[f64; 4]> = lattice.map(|[x, y, z]| [x, y, z, 0.05]).collect();
    let config = balls(dir.path(), &rows, "");
    let shakes = "wall.0.sine={ direction = [0.6, 0.0, 0.8], amplitude = 0.1, frequency = 5.0 }";
    let time = ["--set", "time.dt=1e-3", "--set", "time.steps=1000"];
    let check = |set: &str| on(1, &[&["check", &config, "--set", set][..], &time].concat());
    let refused = check(shakes);
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    let text = "wall box.x-: must stay less than the smallest radius, 0.05 m, beyond the face of the domain at domain.lower";
    assert!(refused.stderr.contains(text), "{}", refused.stderr);
    let refused = run(
        dir.path(),
        &config,
        &[&["--set", shakes][..], &time].concat(),
    );
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    // Within a radius it may.
    let little = shakes.replace("0.1,", "0.04,");
    assert_eq!(check(&little).status, Some(0));
    let room = [
        "--set",
        "wall.0.lower=[0.2, 0.2, 0.2]",
        "--set",
        "wall.0.upper=[0.8, 0.8, 0.8]",
        "--set",
        shakes,
    ];
    let shaken = run(dir.path(), &config, &[&room[..], &time[..]].concat());
    state(&shaken);
    let row = last_row(dir.path(), "series.csv");
    assert_eq!(row["bodies"], 27.0);
    assert!(row["driven"] > 0.0, "{row:?}");
    let outside = run(
        dir.path(),
        &config,
        &["--set", "wall.0.lower=[-0.2, 0.2, 0.2]"],
    );
    let text = "wall.0.lower: must be a corner in the domain";
    assert!(outside.stderr.contains(text), "{}", outside.stderr);
}

/// With friction two contacts hold a ball, so a chain of balls between two walls that press holds; without friction nothing in it does.
/// The summary has the reason of a figure that is NaN.
#[test]
fn rattlers_follow_friction_and_absent_figures_have_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let rows: Vec<[f64; 4]> = (0..5)
        .map(|k| [0.1 + 0.2 * f64::from(k), 0.5, 0.5, 0.1001])
        .collect();
    let measure = "[[measure]]\nname = \"all\"\nevery = 1\nwhat = [\"coordination\", \"forces\"]\n";
    let config = balls(dir.path(), &rows, measure);
    let set = |friction: &str| {
        let friction = format!("material.0.friction={friction}");
        let more = [
            "--set",
            &friction,
            "--set",
            "gravity=[0,0,0]",
            "--set",
            "time.steps=5",
            "--set",
            "material.0.stiffness=1e4",
        ];
        run(dir.path(), &config, &more)
    };
    let rough = set("0.5");
    state(&rough);
    let row = last_row(dir.path(), "measure-all.csv");
    assert_eq!(
        (row["rattlers"], row["coordination_without_rattlers"]),
        (0.0, 2.0)
    );
    assert!(!rough.stdout.contains("NaN"), "{}", rough.stdout);
    let smooth = set("0");
    state(&smooth);
    let row = last_row(dir.path(), "measure-all.csv");
    assert!(row["coordination_without_rattlers"].is_nan() && row["rattlers"] == 1.0);
    let reason = "NaN        measure all: coordination_without_rattlers in 5 of 5 rows, last after step 5: all free bodies in the \
                  region were rattlers (rattlers_below = 4)";
    assert!(smooth.stdout.contains(reason), "{}", smooth.stdout);
    // Nothing touches: there are no forces either.
    let config = balls(dir.path(), &[[0.5, 0.5, 0.5, 0.1]], measure);
    let alone = run(dir.path(), &config, &["--set", "time.steps=3"]);
    let reason = "NaN        measure all: normal_deviation, normal_mean, sliding, tangential_deviation, tangential_mean, weak in 3 of 3 \
                  rows, last after step 3: no contact in the region carried a force";
    assert!(alone.stdout.contains(reason), "{}", alone.stdout);
}

/// A thin disc that is driven through a ball, which another disc holds, leaves no overlap behind: the warning names the two, and the
/// summary counts. On any ranks the same.
#[test]
fn a_wall_that_passes_through_a_ball_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let discs = "[[wall]]\nname = \"anvil\"\nshape = \"disc\"\nmaterial = \"glass\"\ncentre = [0.5, 0.5, 0.3]\naxis = [0.0, 0.0, 1.0]\n\
                 radius = 0.2\n[[wall]]\nname = \"hammer\"\nshape = \"disc\"\nmaterial = \"glass\"\ncentre = [0.5, 0.5, 0.413]\n\
                 axis = [0.0, 0.0, 1.0]\nradius = 0.2\nvelocity = [0.0, 0.0, -10.0]\n";
    let config = balls(dir.path(), &[[0.5, 0.5, 0.35, 0.05]], discs);
    let out = dir.path().join("out");
    let driven = |ranks: usize| {
        let args = [
            "run",
            &config,
            "--overwrite",
            "--out",
            out.to_str().unwrap(),
        ];
        let time = ["--set", "time.dt=1e-3", "--set", "time.steps=14"];
        on(ranks, &[&args[..], &time[..]].concat())
    };
    let one = driven(1);
    state(&one);
    let warned = |of: &Output| -> Vec<String> {
        let lines = of.stderr.lines().chain(of.stdout.lines());
        let lines = lines.filter(|line| line.contains("passed through each other"));
        lines.map(str::to_owned).collect()
    };
    let lines = warned(&one);
    assert_eq!(lines.len(), 2, "{}{}", one.stderr, one.stdout);
    assert!(lines[0].contains("body 0 against wall "), "{lines:?}");
    assert!(lines[1].starts_with("PASSED     1 times"), "{lines:?}");
    if harness::mpi_available() {
        assert_eq!(warned(&driven(2)), lines);
    }
    // A driven ball pushes the other through its disc.
    std::fs::write(
        dir.path().join("ram.csv"),
        "x,y,z,radius\n0.5,0.503,0.463,0.06\n",
    )
    .unwrap();
    let anvil = discs.split("[[wall]]\nname = \"hammer\"").next().unwrap();
    let ram = "[[bodies]]\nsample = \"file\"\nmaterial = \"glass\"\nfile = \"ram.csv\"\nmotion = \"driven\"\n\
               velocity = [0.0, 0.0, -40.0]\n";
    let config = balls(
        dir.path(),
        &[[0.5, 0.5, 0.35, 0.05]],
        &format!("{anvil}{ram}"),
    );
    let pushed = run(
        dir.path(),
        &config,
        &["--set", "time.dt=1e-3", "--set", "time.steps=5"],
    );
    assert!(
        warned(&pushed)[0].contains("body 0 against wall anvil"),
        "{}",
        pushed.stderr
    );
    // Neither a ball that stays on its disc nor one that the disc lifts is reported.
    let up = discs.replace("0.413", "0.29").replace("-10.0", "1.0");
    let config = balls(dir.path(), &[[0.5, 0.5, 0.35, 0.05]], &up);
    let lifted = run(
        dir.path(),
        &config,
        &["--set", "time.dt=1e-3", "--set", "time.steps=100"],
    );
    state(&lifted);
    assert_eq!(warned(&lifted), Vec::<String>::new());
}

/// Values that no run can do anything with are refused, with the accepted ones.
#[test]
fn impossible_values_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let tracks = "[[measure]]\nname = \"way\"\nevery = 1\nwhat = [\"tracks\"]\nids = [0, 7]\n";
    let config = balls(dir.path(), &[[0.5, 0.5, 0.5, 0.1]], tracks);
    let set = |set: &str| on(1, &["check", &config, "--set", set]);
    let unknown = set("title=\"x\"");
    let text = "measure way: ids must be those of bodies; found 7, which no body has";
    assert!(unknown.stderr.contains(text), "{}", unknown.stderr);
    assert_eq!(unknown.status, Some(2));
    assert_eq!(set("measure.0.ids=[0]").status, Some(0));
    let light = on(
        1,
        &[
            "check",
            &config,
            "--set",
            "measure.0.ids=[0]",
            "--set",
            "material.0.density=1e-300",
        ],
    );
    let text = "material.0.density: must be a number from 1e-9 to 1e12 [kg/m3]; found 1e-300";
    assert!(light.stderr.contains(text), "{}", light.stderr);
    let run = run(
        dir.path(),
        &config,
        &["--set", "measure.0.ids=[0]", "--set", "time.steps=1"],
    );
    state(&run);
    let picture = |name: &str| {
        let from = dir.path().join("out/checkpoint-00000001.h5");
        let to = dir.path().join(name);
        let drawn = on(
            1,
            &[
                "render",
                from.to_str().unwrap(),
                "-o",
                to.to_str().unwrap(),
                "--size",
                "40x30",
            ],
        );
        (drawn.status, drawn.stderr, to.exists())
    };
    let (status, message, there) = picture("x.jpg");
    assert_eq!((status, there), (Some(2), false), "{message}");
    assert!(
        message.contains("must be a name that ends in .png, the format of pictures; found .jpg")
    );
    assert_eq!(picture("x.PNG").0, Some(0));
    assert_eq!(picture("plain").0, Some(0));
}

/// A file of 30 000 regions, half a megabyte, is checked in seconds: the time of places and names grows with their number only.
#[test]
fn many_regions_are_checked_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let region = |k: usize| {
        format!(
            "[[region]]\nname = \"r{k}\"\nshape = \"sphere\"\ncentre = [0.5, 0.5, 0.5]\nradius = 0.1\n"
        )
    };
    let regions: String = (0..30_000).map(region).collect();
    let config = balls(dir.path(), &[[0.5, 0.5, 0.5, 0.1]], &regions);
    let begin = std::time::Instant::now();
    assert_eq!(on(1, &["check", &config]).status, Some(0));
    let seconds = begin.elapsed().as_secs();
    assert!(seconds < 20, "{seconds} s");
    // Lines are still right, at the end of the file and in a list within it.
    let wrong = on(1, &["check", &config, "--set", "region.7.radius=-1"]);
    assert!(wrong.stderr.contains("region.7.radius"), "{}", wrong.stderr);
    let config = balls(
        dir.path(),
        &[[0.5, 0.5, 0.5, 0.1]],
        &(regions + "colour = \"red\"\n"),
    );
    let wrong = on(1, &["check", &config]);
    let line = 20 + 5 * 30_000;
    assert!(
        wrong.stderr.contains(&format!("run.toml:{line}: ")),
        "{}",
        wrong.stderr
    );
}

/// Help under mpirun is printed once, not by each rank.
#[test]
fn help_is_printed_once_a_job() {
    if !harness::mpi_available() {
        return;
    }
    for (args, word) in [
        (&["--help"][..], "Usage:"),
        (&["run", "--help"], "Usage:"),
        (&["--version"], "moreau "),
    ] {
        let three = on(3, args);
        assert_eq!(three.status, Some(0), "{}", three.stderr);
        assert_eq!(three.stdout.matches(word).count(), 1, "{}", three.stdout);
    }
}

/// A large rigid packing that is to come to rest gets the advice to use springs, with a stiffness; a small one, and one with springs, do not.
#[test]
fn large_rigid_packings_are_advised_to_use_springs() {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/settle.toml");
    let advice = |more: &[&str]| {
        let out = on(1, &[&["check", config], more].concat());
        assert_eq!(out.status, Some(0), "{}", out.stderr);
        let lines = out.stdout.lines();
        let line = lines.filter(|line| line.contains("come to rest late"));
        line.map(str::to_owned).collect::<Vec<_>>()
    };
    let many = [
        "--set",
        "bodies.0.count=20000",
        "--set",
        "domain.upper=[0.4, 0.4, 0.4]",
    ];
    let [line] = &advice(&many)[..] else {
        panic!("one line of advice");
    };
    assert!(line.contains("a stiffness of 2.2e4 N/m"), "{line}");
    assert!(advice(&[]).is_empty(), "10 000 are not that many");
    let soft = [
        "--set",
        "material.0.stiffness=2e4",
        "--set",
        "material.1.stiffness=2e4",
    ];
    assert!(advice(&[&many[..], &soft].concat()).is_empty());
    let bouncing = ["--set", "material.0.restitution=0.5"];
    assert!(advice(&[&many[..], &bouncing].concat()).is_empty());
}

/// The summary and the series count collisions that end without rebound: a ball with restitution falls on a stack of balls at rest.
#[test]
fn collisions_without_rebound_are_in_the_summary() {
    let dir = tempfile::tempdir().unwrap();
    let stack: Vec<[f64; 4]> = (0..2)
        .map(|k| [0.5, 0.5, 0.05 + 0.1 * f64::from(k), 0.05])
        .collect();
    let mut falling = stack.clone();
    falling.push([0.5, 0.5, 0.6, 0.05]);
    let set = [
        "--set",
        "material.0.restitution=0.8",
        "--set",
        "time.dt=1e-3",
        "--set",
        "time.steps=300",
    ];
    let plastic = |balls_of: &[[f64; 4]]| {
        let config = balls(dir.path(), balls_of, "[output]\nseries = 10\n");
        let out = run(dir.path(), &config, &set);
        assert_eq!(out.status, Some(0), "{}", out.stderr);
        let said = out.stdout.lines().any(|line| line.starts_with("plastic "));
        let counted = last_row(dir.path(), "series.csv")["plastic"];
        assert_eq!(said, counted > 0.0);
        counted
    };
    assert_eq!(plastic(&stack), 0.0);
    assert!(plastic(&falling) > 0.0);
}

/// Collisions that are nearly elastic at a loose tolerance get the advice to solve exactly; others do not.
#[test]
fn elastic_collisions_are_advised_a_tolerance() {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/settle.toml");
    let advised = |restitution: &str, tolerance: &str| {
        let set = [
            format!("material.0.restitution={restitution}"),
            format!("solver.tolerance={tolerance}"),
        ];
        let out = on(1, &["check", config, "--set", &set[0], "--set", &set[1]]);
        assert_eq!(out.status, Some(0), "{}", out.stderr);
        out.stdout.contains("gain energy at a tolerance of")
    };
    assert!(advised("1.0", "1e-2"));
    assert!(!advised("1.0", "1e-9"));
    assert!(!advised("0.9", "1e-2"));
}
