//! `[[stage]]`: parts of a run with other keys, and motions that begin where walls are.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod movie;

#[path = "stages/axes.rs"]
mod axes;
#[path = "stages/files.rs"]
mod files;

use harness::{Output, Place, mpi_available, on, state};
use std::path::Path;

/// Balls that are pressed by a servo, then sheared by a lid that moves on from its place, then shaken.
const STAGED: &str = "gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, steps = 30 }
domain = { lower = [-0.05, 0.0, 0.0], upper = [0.15, 0.1, 0.3] }
material = [{ name = \"m\", density = 2500.0, friction = 0.5 }]
checkpoint = { every = 10, keep = 100 }
output = { series = 1 }
bodies = [{ sample = \"lattice\", material = \"m\", count = 60, radius = { uniform = [0.006, 0.008] }, lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3] }]
wall = [
  { shape = \"box\", material = \"m\", lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3], surface_velocity = [0.3, 0.1, 0.0] },
  { shape = \"plane\", name = \"lid\", point = [0.0, 0.0, 0.2], normal = [0.0, 0.0, -1.0], material = \"m\", servo = { direction = [0.0, 0.0, -1.0], force = 5.0, gain = 0.05, top_speed = 2.0 } },
]
[[stage]]
name = \"lift\"
duration = 0.02
unset = [\"wall.1.servo\"]
set = { \"wall.1.velocity\" = [0.0, 0.0, 0.5], \"solver.tolerance\" = 1e-3 }
[[stage]]
name = \"shake\"
steps = 25
unset = [\"wall.1.velocity\"]
set = { gravity = [0.0, 0.0, -5.0], \"wall.1.sine\" = { direction = [0.0, 0.0, 1.0], amplitude = 0.002, frequency = 25.0 }, \"wall.0.velocity\" = [0.1, 0.0, 0.0] }
";

/// The same by hand: the keys of the first part, and those of each stage.
const LIFT: [&str; 8] = [
    "--unset",
    "wall.1.servo",
    "--set",
    "wall.1.velocity=[0.0, 0.0, 0.5]",
    "--set",
    "solver.tolerance=1e-3",
    "--steps",
    "50",
];
const SHAKE: [&str; 10] = [
    "--unset",
    "wall.1.velocity",
    "--set",
    "gravity=[0.0, 0.0, -5.0]",
    "--set",
    "wall.1.sine={direction=[0.0, 0.0, 1.0], amplitude=0.002, frequency=25.0}",
    "--set",
    "wall.0.velocity=[0.1, 0.0, 0.0]",
    "--steps",
    "75",
];

fn run(place: &Place, ranks: usize, out: &str, more: &[&str]) -> Output {
    let (config, out) = (place.path("run.toml"), place.path(out));
    on(ranks, &[&["run", &config, "--out", &out], more].concat())
}

fn resume(place: &Place, ranks: usize, out: &str, more: &[&str]) -> Output {
    on(ranks, &[&["resume", &place.path(out)], more].concat())
}

/// A column of `walls.csv` for a wall, by step.
fn of_wall(place: &Place, out: &str, wall: &str, column: &str) -> Vec<(u64, f64)> {
    let path = Path::new(&place.path(out)).join("walls.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|n| n == name).unwrap();
    let (step, name, value) = (at("step"), at("wall"), at(column));
    let rows = reader.records().map(Result::unwrap);
    let of_this = rows.filter(|row| &row[name] == wall);
    of_this
        .map(|row| (row[step].parse().unwrap(), row[value].parse().unwrap()))
        .collect()
}

/// A run in stages is the run that is continued by hand, on any ranks, and after a stop anywhere.
#[test]
fn stages_are_runs_that_continue() {
    let place = Place::new();
    place.write("run.toml", STAGED.split("[[stage]]").next().unwrap());
    state(&run(&place, 1, "hand", &[]));
    state(&resume(&place, 1, "hand", &LIFT));
    let by_hand = state(&resume(&place, 1, "hand", &SHAKE));
    assert!(by_hand.contains("step 75"), "{by_hand}");

    place.write("run.toml", STAGED);
    for ranks in if mpi_available() {
        vec![1, 2, 3, 8]
    } else {
        vec![1]
    } {
        let out = format!("staged-{ranks}");
        let ran = run(&place, ranks, &out, &[]);
        assert_eq!(state(&ran), by_hand, "{ranks} ranks: {}", ran.stderr);
        let begun = [
            "stage 0 \"lift\" begins after step 30",
            "stage 1 \"shake\" begins after step 50",
        ];
        assert!(
            begun.iter().all(|text| ran.stderr.contains(text)),
            "{}",
            ran.stderr
        );
    }
    // Rows of all stages, each once, with walls that go on from their places.
    let z = of_wall(&place, "staged-1", "lid", "z");
    assert_eq!(
        z.iter().map(|row| row.0).collect::<Vec<_>>(),
        (1..=75).collect::<Vec<_>>()
    );
    let height = |step: usize| z[step - 1].1;
    assert!(
        height(30) < 0.195,
        "the servo has lowered the lid to {}",
        height(30)
    );
    for step in 31..=50 {
        let expected = height(30) + 0.5e-3 * (step - 30) as f64;
        assert!((height(step) - expected).abs() < 1e-15, "step {step}");
    }
    for step in 51..=75 {
        let angle = std::f64::consts::TAU * 25.0 * 1e-3 * (step - 50) as f64;
        let expected = height(50) + 0.002 * angle.sin();
        assert!(
            (height(step) - expected).abs() < 1e-14,
            "step {step}: {} {expected}",
            height(step)
        );
    }

    // All faces of the box move together in the last stage.
    for face in ["box.x-", "box.y+", "box.z-"] {
        let x = of_wall(&place, "staged-1", face, "x");
        for step in 51..=75 {
            let way = x[step - 1].1 - x[49].1;
            let expected = 0.1e-3 * (step - 50) as f64;
            assert!((way - expected).abs() < 1e-14, "{face}, step {step}: {way}");
        }
    }
    // The powers of walls, servo, driven, and belt, are the driven energy of the ledger.
    let powers = [
        "box.x-", "box.x+", "box.y-", "box.y+", "box.z-", "box.z+", "lid",
    ]
    .map(|wall| of_wall(&place, "staged-1", wall, "power"));
    let path = Path::new(&place.path("staged-1")).join("series.csv");
    let mut series = csv::Reader::from_path(path).unwrap();
    let at = series
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "driven")
        .unwrap();
    let rows = series.records().map(Result::unwrap);
    let driven: Vec<f64> = rows.map(|row| row[at].parse().unwrap()).collect();
    let largest = driven.iter().fold(0.0, |most, x| f64::max(most, x.abs()));
    let mut sum = 0.0;
    for (step, driven) in driven.iter().enumerate() {
        sum += powers.iter().map(|of| of[step].1 * 1e-3).sum::<f64>();
        assert!(
            (sum - driven).abs() < 1e-12 * largest,
            "step {}: {sum} {driven}",
            step + 1
        );
    }
    let belt = powers[4].iter().filter(|row| row.1 != 0.0).count();
    assert!(belt > 50 && largest > 1e-4, "{belt} {largest}");

    // Stops within the first part, within stages and at their ends; the rest by resume or by the same configuration.
    for (steps, again) in [
        (7, true),
        (30, true),
        (30, false),
        (41, false),
        (50, true),
        (63, true),
        (63, false),
    ] {
        let out = format!("stopped-{steps}-{again}");
        let last = steps.to_string();
        let ran = run(&place, 1, &out, &["--steps", &last]);
        assert!(
            state(&ran).contains(&format!("step {steps} ")),
            "{}",
            ran.stderr
        );
        let ran = match again {
            true => run(&place, 1, &out, &["--or-resume"]),
            false => resume(&place, 1, &out, &[]),
        };
        assert_eq!(state(&ran), by_hand, "stopped at {steps}: {}", ran.stderr);
    }
    // A run that is over stays over.
    let ran = resume(&place, 1, "staged-1", &[]);
    assert_eq!(state(&ran), by_hand, "{}", ran.stderr);
    // The last stage can go on beyond its end.
    let ran = resume(&place, 1, "staged-1", &["--steps", "80"]);
    assert!(state(&ran).contains("step 80 "), "{}", ran.stderr);
}

/// Stages to come may be edited, those that have begun may not.
#[test]
fn stages_to_come_may_change() {
    let place = Place::new();
    place.write("run.toml", STAGED);
    state(&run(&place, 1, "out", &["--steps", "41"]));
    let tolerance = STAGED.replace("tolerance\" = 1e-3", "tolerance\" = 2e-3");
    assert_ne!(tolerance, STAGED);
    place.write("run.toml", &tolerance);
    let ran = run(&place, 1, "out", &["--or-resume"]);
    let words = ["stage.0.set.solver.tolerance", "the stage has begun"];
    assert!(
        words.iter().all(|text| ran.stderr.contains(text)),
        "{}",
        ran.stderr
    );
    let ran = resume(&place, 1, "out", &["--set", "stage.0.duration=0.5"]);
    assert!(
        ran.status == Some(2) && ran.stderr.contains("the stage has begun"),
        "{}",
        ran.stderr
    );
    place.write(
        "run.toml",
        &STAGED.replace("duration = 0.02", "duration = 0.03"),
    );
    let ran = run(&place, 1, "out", &["--or-resume"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    let words = ["stage.0.duration", "the stage has begun"];
    assert!(
        words.iter().all(|text| ran.stderr.contains(text)),
        "{}",
        ran.stderr
    );
    place.write("run.toml", &STAGED.replace("steps = 25", "steps = 10"));
    let ran = run(&place, 1, "out", &["--or-resume"]);
    assert!(state(&ran).contains("step 60 "), "{}", ran.stderr);
}

/// Rest ends a stage after its first step, and not before `rest_after`.
#[test]
fn a_stage_at_rest_lasts_as_long_as_it_must() {
    let place = Place::new();
    let balls = "gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, rest = 1e-6, until = 5.0 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3] }
material = [{ name = \"m\", density = 2500.0, friction = 0.5 }]
bodies = [{ sample = \"lattice\", material = \"m\", count = 20, radius = 0.008 }]
wall = [{ shape = \"box\", material = \"m\" }]
stage = [{ rest = 1e-6 }, { rest = 1e-6, rest_after = 0.05 }, { rest = 1e-6, steps = 10, rest_after = 0.5 }]
";
    place.write("run.toml", balls);
    let ranks = if mpi_available() { 2 } else { 1 };
    let ran = run(&place, ranks, "out", &[]);
    let end = state(&ran);
    let begun: Vec<u64> = (0..3)
        .map(|k| {
            let words = format!("stage {k} \"stage {k}\" begins after step ");
            let at = ran.stderr.find(&words).unwrap() + words.len();
            let digits: String = ran.stderr[at..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            digits.parse().unwrap()
        })
        .collect();
    assert!(begun[0] > 5, "{begun:?}");
    assert_eq!(begun[1], begun[0] + 1, "{begun:?}");
    assert_eq!(begun[2], begun[1] + 50, "{begun:?}");
    assert!(end.contains(&format!("step {} ", begun[2] + 10)), "{end}");
}

/// A stage whose changes do not fit the state ends the run, with the checkpoint of the stage before; it can be mended.
#[test]
fn a_stage_that_does_not_fit_leaves_its_checkpoint() {
    let place = Place::new();
    let cut = "[[stage]]\nsteps = 5\nset = { \"wall.0.lower\" = [0.0, 0.0, 0.01] }\n";
    place.write(
        "run.toml",
        &format!("{}{cut}", STAGED.split("[[stage]]").next().unwrap()),
    );
    let ran = run(&place, 1, "out", &[]);
    assert_eq!(ran.status, Some(3), "{}", ran.stderr);
    let words = [
        "stage 0 \"stage 0\" begins after step 30",
        "is behind wall box.z-",
        "moreau resume",
    ];
    assert!(
        words.iter().all(|text| ran.stderr.contains(text)),
        "{}",
        ran.stderr
    );
    let ran = resume(
        &place,
        1,
        "out",
        &["--set", "stage.0.set={ gravity = [0.0, 0.0, 0.0] }"],
    );
    assert!(state(&ran).contains("step 35 "), "{}", ran.stderr);
}

/// A part that is over at once keeps the changes with which it was resumed, also the start of a motion.
#[test]
fn a_part_without_steps_keeps_its_changes() {
    let place = Place::new();
    let stage = "[[stage]]\nsteps = 5\nset = { \"wall.0.lower\" = [0.0, 0.0, 0.01] }\n";
    place.write(
        "run.toml",
        &format!("{}{stage}", STAGED.split("[[stage]]").next().unwrap()),
    );
    assert_eq!(run(&place, 1, "out", &[]).status, Some(3));
    let z = of_wall(&place, "out", "lid", "z").pop().unwrap();
    let change = [
        "--unset",
        "wall.1.servo",
        "--set",
        "wall.1.velocity=[0.0, 0.0, 0.5]",
        "--set",
        "stage.0.set={ gravity = [0.0, 0.0, 0.0] }",
    ];
    let ran = resume(&place, 1, "out", &change);
    assert!(state(&ran).contains("step 35 "), "{}", ran.stderr);
    let rows = of_wall(&place, "out", "lid", "z");
    for (step, height) in &rows[30..] {
        let expected = z.1 + 0.5e-3 * (step - 30) as f64;
        assert!((height - expected).abs() < 1e-14, "step {step}: {height}");
    }
    assert_eq!(rows.len(), 35);
}

/// A wall loses the velocities that its new motion does not have; a stage that is over before it begins is refused.
#[test]
fn walls_lose_velocities_that_their_motion_does_not_have() {
    let place = Place::new();
    let lid = "servo = { direction = [0.0, 0.0, -1.0], force = 5.0, gain = 0.05, top_speed = 2.0 }";
    let moved = "velocity = [0.3, 0.0, -0.5], rotation = { axis = [0.0, 0.0, 1.0], rate = 3.0, point = [0.0, 0.0, 0.2] }";
    let first = STAGED
        .split("[[stage]]")
        .next()
        .unwrap()
        .replace(lid, moved);
    let unset = "unset = [\"wall.1.velocity\", \"wall.1.rotation\"]";
    let stages = format!(
        "[[stage]]\nsteps = 10\n{unset}\nset.\"wall.1.servo\" = {{ direction = [0, 0, -1], force = 5.0, gain = 1e-3, top_speed = 0.1 }}\n"
    );
    place.write("run.toml", &format!("{first}{stages}"));
    state(&run(&place, 1, "servo", &[]));
    let column = |out: &str, name: &str| of_wall(&place, out, "lid", name);
    let x = column("servo", "x");
    assert!(
        x[29].1 > 8e-3 && x[30..].iter().all(|row| row.1 == x[29].1),
        "{x:?}"
    );
    let z = column("servo", "z");
    assert!(
        z.windows(2)
            .skip(29)
            .all(|pair| (pair[0].1 - pair[1].1).abs() < 0.1001e-3),
        "{z:?}"
    );
    assert!(column("servo", "wz")[30..].iter().all(|row| row.1 == 0.0));

    let free = format!(
        "[[stage]]\nsteps = 10\n{unset}\nset.\"wall.1.free\" = {{ mass = 1.0, direction = [0, 0, 1] }}\n"
    );
    place.write("run.toml", &format!("{first}{free}"));
    state(&run(&place, 1, "free", &[]));
    let [x, z] = ["x", "z"].map(|name| column("free", name));
    assert!(x[30..].iter().all(|row| row.1 == x[29].1), "{x:?}");
    // It falls on with the speed that it had along its direction.
    let fell = z[29].1 - z[39].1;
    let expected = 0.5 * 0.01 + 9.81 * 1e-6 * 55.0;
    assert!((fell - expected).abs() < 1e-9, "{fell} {expected}");

    place.write("run.toml", &format!("{first}[[stage]]\nuntil = 0.02\n"));
    let ran = run(&place, 1, "late", &[]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    let known = "must be later than the end of the part before, 0.03 s; found 0.02";
    assert!(ran.stderr.contains(known), "{}", ran.stderr);
    // With `rest`, the end of the first part is not known before the run.
    let ran = run(&place, 1, "late", &["--set", "time.rest=1e-15"]);
    assert_eq!(ran.status, Some(3), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("must end later than it begins, at 0.03 s"),
        "{}",
        ran.stderr
    );
}

/// A stage that would end before it begins is refused where its begin is known beforehand.
#[test]
fn stages_end_after_they_begin() {
    let place = Place::new();
    let body = STAGED.split("[[stage]]").next().unwrap();
    let rule = "{ at_most = 1e-3, at_least = 1e-5, travel = 0.1 }";
    let first = |time: &str| body.replace("{ dt = 1.0e-3, steps = 30 }", time);
    let even = first("{ dt = 1.0e-3, steps = 30 }");
    let stage = |keys: &str| format!("[[stage]]\n{keys}\n");
    for (text, refused) in [
        // 0.03 s, then 0.05 s.
        (even.clone() + &stage("until = 0.04"), false),
        (even.clone() + &stage("until = 0.03"), true),
        (
            even.clone() + &stage("steps = 20") + &stage("until = 0.05"),
            true,
        ),
        (
            even.clone() + &stage("duration = 0.02\nsteps = 5") + &stage("until = 0.04"),
            false,
        ),
        // Rest, or steps by a rule, may come earlier.
        (
            even.clone() + &stage("rest = 1e-3\nuntil = 0.1") + &stage("until = 0.05"),
            false,
        ),
        (
            first(&format!("{{ dt = {rule}, steps = 30, until = 0.1 }}")) + &stage("until = 0.05"),
            false,
        ),
        (
            first(&format!("{{ dt = {rule}, until = 0.1 }}")) + &stage("until = 0.05"),
            true,
        ),
        // Known again.
        (
            even.clone() + &stage("rest = 1e-3") + &stage("until = 0.2") + &stage("until = 0.1"),
            true,
        ),
    ] {
        place.write("run.toml", &text);
        let ran = on(1, &["check", &place.path("run.toml")]);
        let has = ran
            .stderr
            .contains("must be later than the end of the part before");
        let expected = (if refused { Some(2) } else { Some(0) }, refused);
        assert_eq!((ran.status, has), expected, "{text}\n{}", ran.stderr);
    }
}

/// `moreau check` lists the stages.
#[test]
fn check_lists_stages() {
    let place = Place::new();
    place.write("run.toml", STAGED);
    let ran = on(1, &["check", &place.path("run.toml")]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for line in [
        "stage      lift: for 0.02 s, without wall.1.servo, wall.1.velocity=[0.0, 0.0, 0.5], solver.tolerance=0.001",
        "stage      shake: for 25 steps, without wall.1.velocity, gravity=[0.0, 0.0, -5.0]",
    ] {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    // The signs of stages and of --unset are not keys of --set.
    for set in ["+gravity=[0.0, 0.0, 0.0]", "~gravity", "-gravity"] {
        let set = format!("--set={set}");
        let ran = on(1, &["check", &place.path("run.toml"), &set]);
        assert_eq!(ran.status, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("must be KEY=VALUE"), "{}", ran.stderr);
    }
}
