//! Runs that continue: a configuration that is given again, files that were edited or deleted since, domains that the first bodies would
//! not fit, folders in which another run is.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "restart/files.rs"]
mod files;
#[path = "restart/folders.rs"]
mod folders;
mod harness;

use harness::{Output, Place, mpi_available, on, state};
use std::path::Path;

/// A few balls in a box under a lid, which stands in a wall of its own.
const BALLS: &str = "gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, steps = 40 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3] }
material = [
  { name = \"m\", density = 2500.0, friction = 0.5 },
  { name = \"smooth\", density = 2500.0, friction = 0.1 },
]
checkpoint = { every = 10, keep = 100 }
bodies = [{ sample = \"lattice\", material = \"m\", count = 60, radius = { uniform = [0.006, 0.008] } }]
wall = [
  { shape = \"box\", material = \"m\" },
  { shape = \"plane\", name = \"lid\", point = [0.0, 0.0, 0.25], normal = [0.0, 0.0, -1.0], material = \"smooth\" },
]
";

impl Place {
    /// `run CONFIG --out OUT --steps STEPS` and more.
    fn run(&self, config: &str, out: &str, steps: u32, more: &[&str]) -> Output {
        let (config, out) = (self.path(config), self.path(out));
        let steps = steps.to_string();
        on(
            1,
            &[&["run", &config, "--out", &out, "--steps", &steps], more].concat(),
        )
    }

    fn resume(&self, out: &str, steps: u32, more: &[&str]) -> Output {
        let (out, steps) = (self.path(out), steps.to_string());
        on(1, &[&["resume", &out, "--steps", &steps], more].concat())
    }

    /// A copy of the results in a folder.
    fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.path(from), self.path(to));
        let _ = std::fs::remove_dir_all(&to);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            std::fs::copy(entry.path(), Path::new(&to).join(entry.file_name())).unwrap();
        }
    }
}

/// What a refused run says, which must be bad input.
#[track_caller]
fn refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status, Some(2), "{}{}", output.stdout, output.stderr);
    for part in parts {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    // The stored contents of a file are not missed where a file is refused for another reason.
    assert!(!output.stderr.contains("not stored"), "{}", output.stderr);
}

/// The names and sizes of a folder's files.
fn listing(folder: &str) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let each = entries.map(|e| {
        let name = e.file_name().into_string().unwrap();
        (name, e.metadata().unwrap().len())
    });
    let mut all: Vec<_> = each.collect();
    all.sort();
    all
}

const AGAIN: &[&str] = &["--or-resume"];

/// Another configuration is not taken for that of the run in the folder: it is refused with all differences, both values of each, and the
/// ways out. Nothing is written.
#[test]
fn another_configuration_does_not_continue_the_run() {
    let place = Place::new();
    place.write("first.toml", BALLS);
    state(&place.run("first.toml", "out", 10, &[]));
    let before = listing(&place.path("out"));
    let other = BALLS
        .replace("count = 60", "count = 50")
        .replace("-9.81", "-1.62");
    place.write("other.toml", &other);
    let ran = place.run("other.toml", "out", 20, AGAIN);
    refused(
        &ran,
        &[
            "bodies.0.count: 50; in the checkpoint 60",
            "gravity: [0.0, 0.0, -1.62]; in the checkpoint [0.0, 0.0, -9.81]",
            "other.toml",
            "checkpoint-00000010.h5",
            "moreau resume",
            "--set",
            "--out",
        ],
    );
    assert_eq!(listing(&place.path("out")), before);
    // So is an override of a key that makes bodies.
    let set = ["--or-resume", "--set", "bodies.0.radius=0.007"];
    refused(
        &place.run("first.toml", "out", 20, &set),
        &["bodies.0.radius", "0.007", "uniform"],
    );
    if mpi_available() {
        let [config, out] = ["other.toml", "out"].map(|name| place.path(name));
        let ran = on(2, &["run", &config, "--out", &out, "--or-resume"]);
        refused(&ran, &["bodies.0.count: 50; in the checkpoint 60"]);
        assert_eq!(ran.stderr.matches("bodies.0.count").count(), 1);
    }
}

/// Keys that `resume --set` may change are changed, and listed. The run is then that of `resume --set`.
#[test]
fn an_edited_configuration_continues_with_its_changes() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "out", 10, &[]));
    place.copy("out", "set");
    place.copy("out", "by override");
    let set = ["--set", "gravity=[0.0, 0.0, -1.62]"];
    let set = [&set[..], &["--set", "solver.tolerance=1e-4"]].concat();
    let expected = state(&place.resume("set", 30, &set));
    let changed = BALLS.replace("-9.81", "-1.62") + "solver = { tolerance = 1e-4 }\n";
    place.write("run.toml", &changed);
    let again = place.run("run.toml", "out", 30, AGAIN);
    assert_eq!(state(&again), expected);
    for line in [
        "gravity: [0.0, 0.0, -1.62]; in the checkpoint [0.0, 0.0, -9.81]",
        "solver.tolerance: 1e-4; in the checkpoint none",
        "continues with the values of",
    ] {
        assert!(again.stderr.contains(line), "{line}: {}", again.stderr);
    }
    // By then the checkpoint has them.
    let quiet = place.run("run.toml", "out", 40, AGAIN);
    state(&quiet);
    assert!(!quiet.stderr.contains("differs"), "{}", quiet.stderr);
    // Overrides of the command count as well.
    place.write("run.toml", BALLS);
    let again = [AGAIN, &set].concat();
    assert_eq!(
        state(&place.run("run.toml", "by override", 30, &again)),
        expected
    );
    if mpi_available() {
        place.copy("set", "two");
        let [config, two] = ["run.toml", "two"].map(|name| place.path(name));
        let words = [
            "run",
            &config,
            "--out",
            &two,
            "--or-resume",
            "--steps",
            "50",
        ];
        let ran = on(2, &words);
        assert_eq!(ran.stderr.matches("gravity: ").count(), 1, "{}", ran.stderr);
        let expected = state(&place.resume(
            "set",
            50,
            &[
                "--set",
                "gravity=[0.0, 0.0, -9.81]",
                "--set",
                "solver.tolerance=0.01",
            ],
        ));
        assert_eq!(state(&ran), expected);
    }
}

/// The same configuration in other words is the same: spelling of numbers, order, comments, lengths that the run derived.
#[test]
fn the_same_configuration_continues_without_a_word() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "straight", 30, &[]));
    state(&place.run("run.toml", "out", 10, &[]));
    let expected = state(&place.resume("straight", 40, &[]));
    let other = BALLS
        .replace("gravity = [0.0, 0.0, -9.81]", "gravity = [0, 0, -981e-2]")
        .replace("time = { dt = 1.0e-3, steps = 40 }", "[time]\nsteps = 40 # at most\ndt = 0.001\n[domain]\nupper = [0.1, 0.1, 0.3]\nlower = [0, 0, 0]\n[root]")
        .replace("domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3] }\n", "");
    let (head, tail) = other.split_once("[root]").unwrap();
    let (gravity, tables) = head.split_once('\n').unwrap();
    place.write("run.toml", &format!("{gravity}\n{tail}\n{tables}"));
    let again = place.run("run.toml", "out", 40, AGAIN);
    assert_eq!(state(&again), expected);
    assert!(!again.stderr.contains("differs"), "{}", again.stderr);
}

/// A checkpoint knows materials and walls by their numbers: entries that change places are refused, also where each key could change.
#[test]
fn entries_that_change_places_are_refused() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "out", 10, &[]));
    let lines: Vec<&str> = BALLS.lines().collect();
    for (first, key) in [(4, "material.0"), (10, "wall.0")] {
        let mut swapped = lines.clone();
        swapped.swap(first, first + 1);
        let text = swapped.join("\n") + "\n";
        place.write("swapped.toml", &text);
        let ran = place.run("swapped.toml", "out", 20, AGAIN);
        refused(&ran, &[key, "by their numbers", "moreau resume"]);
    }
    // One more wall is refused as well, with the ways out.
    let more = BALLS.replace("wall = [\n", "wall = [\n  { shape = \"plane\", name = \"more\", point = [0.0, 0.0, 0.29], normal = [0.0, 0.0, -1.0], material = \"m\" },\n");
    place.write("more.toml", &more);
    refused(
        &place.run("more.toml", "out", 20, AGAIN),
        &["wall.0", "moreau resume"],
    );
    let last = BALLS.replace("material = \"smooth\" },\n]", "material = \"smooth\" },\n  { shape = \"plane\", name = \"more\", point = [0.0, 0.0, 0.29], normal = [0.0, 0.0, -1.0], material = \"m\" },\n]");
    assert_ne!(last, BALLS);
    place.write("last.toml", &last);
    let ran = place.run("last.toml", "out", 20, AGAIN);
    refused(
        &ran,
        &[
            "wall.2: ",
            "in the checkpoint none",
            "must have 8 walls",
            "moreau resume",
        ],
    );
}

/// A settled packing may get a smaller domain: what counts are the bodies that are there, not those of the first lattice.
#[test]
fn a_domain_shrinks_to_the_bodies_that_are_there() {
    let place = Place::new();
    let boxed = BALLS.replace(
        "  { shape = \"plane\", name = \"lid\", point = [0.0, 0.0, 0.25], normal = [0.0, 0.0, -1.0], material = \"smooth\" },\n",
        "",
    );
    // The lattice begins at mid-height.
    let high = boxed.replace("count = 60,", "count = 60, lower = [0.0, 0.0, 0.15],");
    place.write("run.toml", &high);
    let settled = state(&place.run("run.toml", "out", 400, &[]));
    assert!(settled.contains("step 400"), "{settled}");
    let shrink = ["--set", "domain.upper=[0.1, 0.1, 0.1]"];
    state(&place.resume("out", 420, &shrink));
    // The tools read its checkpoints.
    let out = place.path("out");
    let ran = on(1, &["info", &out]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let ran = on(1, &["report", &out]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    state(&place.resume("out", 430, &[]));
    // A domain that the bodies themselves do not fit is refused, by a body.
    let ran = place.resume("out", 440, &["--set", "domain.upper=[0.1, 0.1, 0.01]"]);
    refused(&ran, &["body ", "is outside the domain"]);
    // So is one whose face cuts into them, by the face and a body; the bodies lie at the floor.
    let ran = place.resume("out", 440, &["--set", "domain.lower=[0.0, 0.0, 0.004]"]);
    refused(&ran, &["wall ", "cut into bodies", "with body "]);
    place.write(
        "run.toml",
        &high.replace(
            "lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3]",
            "lower = [0.0, 0.0, 0.004], upper = [0.1, 0.1, 0.1]",
        ),
    );
    let ran = place.run("run.toml", "out", 440, AGAIN);
    refused(
        &ran,
        &["wall ", "cut into bodies", "with body ", "moreau resume"],
    );
}

/// A wall whose motion is changed does not jump: a motion that leads elsewhere begins at its place; without its motion the wall stays
/// where it is. Periodic axes stay as they are.
#[test]
fn a_changed_motion_does_not_move_a_wall_at_once() {
    let place = Place::new();
    let lid = "point = [0.0, 0.0, 0.25],";
    let driven = BALLS.replace(lid, &format!("{lid} velocity = [0.0, 0.0, -0.5],"));
    place.write("run.toml", &driven);
    state(&place.run("run.toml", "out", 20, &[]));
    let height = |out: &str| {
        let walls = std::fs::read_to_string(Path::new(&place.path(out)).join("walls.csv")).unwrap();
        let header: Vec<&str> = walls.lines().next().unwrap().split(',').collect();
        let z = header.iter().position(|name| *name == "z").unwrap();
        let last = walls.lines().rfind(|line| line.contains(",lid,")).unwrap();
        last.split(',').nth(z).unwrap().parse::<f64>().unwrap()
    };
    // The same motion goes on.
    place.copy("out", "straight");
    state(&place.resume("straight", 40, &[]));
    assert!((height("straight") - 0.23).abs() < 1e-12);
    // Another one begins at 0.24 m, twice, also across a stop.
    place.copy("out", "slower");
    let set = ["--set", "wall.1.velocity=[0.0, 0.0, -0.3]"];
    let ran = place.resume("slower", 40, &set);
    assert!(
        ran.stderr
            .contains("wall lid: its motion has changed and begins where it is"),
        "{}",
        ran.stderr
    );
    let whole = state(&ran);
    assert!((height("slower") - 0.234).abs() < 1e-12);
    place.copy("out", "stopped");
    state(&place.resume("stopped", 30, &set));
    assert_eq!(state(&place.resume("stopped", 40, &[])), whole);
    state(&place.resume("stopped", 60, &["--set", "wall.1.velocity=[0.0, 0.0, 0.1]"]));
    assert!((height("stopped") - 0.236).abs() < 1e-12);
    // Without its motion the lid stays at 0.24 m.
    let fixed = driven.replace(" velocity = [0.0, 0.0, -0.5],", "");
    place.write("run.toml", &fixed);
    state(&place.run("run.toml", "out", 40, AGAIN));
    let walls = std::fs::read_to_string(Path::new(&place.path("out")).join("walls.csv")).unwrap();
    let header: Vec<&str> = walls.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|n| *n == name).unwrap();
    let last = walls.lines().rfind(|line| line.contains(",lid,")).unwrap();
    let number = |name: &str| {
        last.split(',')
            .nth(column(name))
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    assert!((number("z") - 0.24).abs() < 1e-12, "{last}");
    assert_eq!(number("vz"), 0.0, "{last}");
    let floor = "{ shape = \"plane\", name = \"floor\", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0], material = \"m\" },";
    let open = BALLS.replace("{ shape = \"box\", material = \"m\" },", floor);
    place.write("open.toml", &open);
    state(&place.run("open.toml", "open", 20, &[]));
    let axes = "domain.periodic=[true, true, false]";
    let ran = place.resume("open", 40, &["--set", axes]);
    refused(&ran, &["domain.periodic", "must keep"]);
}
