//! Laws, moving walls and periodic axes through the program: configuration, several processes, restart, files.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{mpi_available, on, state};
use std::path::Path;

fn config() -> String {
    format!("{}/configs/shaken.toml", env!("CARGO_MANIFEST_DIR"))
}

fn text(folder: &str, name: &str) -> String {
    std::fs::read_to_string(Path::new(folder).join(name)).unwrap()
}

/// The shipped example (springs, rolling, torsion, cohesion, a shaken floor, a free piston, periodic axes): the same state on 1, 2 and
/// 3 processes, and in two parts with other numbers of them; `walls.csv` and `series.csv` without a seam.
#[test]
fn the_shaken_layer_is_the_same_on_any_ranks_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (whole, parts) = (folder("whole"), folder("parts"));
    let config = config();
    let expected = state(&on(1, &["run", &config, "--out", &whole, "--steps", "240"]));
    let first = if mpi_available() { 3 } else { 1 };
    state(&on(
        first,
        &["run", &config, "--out", &parts, "--steps", "110"],
    ));
    assert_eq!(
        state(&on(1, &["resume", &parts, "--steps", "240"])),
        expected
    );
    assert_eq!(text(&parts, "walls.csv"), text(&whole, "walls.csv"));
    if mpi_available() {
        let two = folder("two");
        let args = ["run", &config, "--out", &two, "--steps", "240"];
        assert_eq!(state(&on(2, &args)), expected);
        assert_eq!(text(&two, "walls.csv"), text(&whole, "walls.csv"));
    }

    let walls = text(&whole, "walls.csv");
    let mut lines = csv::Reader::from_reader(walls.as_bytes());
    let rows: Vec<csv::StringRecord> = lines.records().map(|r| r.unwrap()).collect();
    assert_eq!(rows.len(), 24 * 2);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    let piston = rows.iter().rposition(|row| &row[2] == "piston").unwrap();
    assert!(
        number(piston, 5) > 0.0,
        "the bodies push the piston up: {}",
        number(piston, 5)
    );
    assert!(
        number(piston, 11) < 0.065,
        "it has come down: {}",
        number(piston, 11)
    );
    let info = on(1, &["info", &format!("{whole}/checkpoint-00000240.h5")]);
    for word in ["wall torque", "rolling", "elastic", "driven"] {
        assert!(info.stdout.contains(word), "{word}: {}", info.stdout);
    }
}

/// The same with a rule of the steps' length, which the shaken floor makes longer and shorter all the time: on other numbers of
/// processes, and in two parts.
#[test]
fn the_shaken_layer_by_a_rule_is_the_same_on_any_ranks_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (whole, parts) = (folder("whole"), folder("parts"));
    let config = config();
    let rule = "time.dt={ at_most = 1e-3, at_least = 1e-6, travel = 0.1 }";
    let run = |ranks: usize, out: &str, steps: &str| {
        let args = ["run", &config, "--set", rule, "--set", "output.series=1"];
        let end = ["--out", out, "--steps", steps];
        state(&on(ranks, &[&args[..], &end].concat()))
    };
    let expected = run(1, &whole, "240");
    let series = text(&whole, "series.csv");
    let mut lines = csv::Reader::from_reader(series.as_bytes());
    let column = lines
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "dt")
        .unwrap();
    let dt: Vec<f64> = (lines
        .records()
        .map(|row| row.unwrap()[column].parse().unwrap()))
    .collect();
    let grows = dt.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let shrinks = dt.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(grows > 20 && shrinks > 20, "{dt:?}");
    let ranks = if mpi_available() { [3, 2] } else { [1, 1] };
    run(ranks[0], &parts, "110");
    let resumed = on(ranks[1], &["resume", &parts, "--steps", "240"]);
    assert_eq!(state(&resumed), expected);
    assert_eq!(text(&parts, "walls.csv"), text(&whole, "walls.csv"));
}

/// Bodies that leave an open domain: an error that names one, or deleted and listed, also across a restart, the smallest and the
/// largest among them, by whose sizes the run was laid out.
#[test]
fn bodies_that_leave_are_deleted_and_listed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let file = folder("fountain.toml");
    let text_of = r#"
        gravity = [4.0, 0.0, -8.0]
        time = { dt = 1e-3, steps = 400 }
        domain = { lower = [0.0, 0.0, 0.0], upper = [0.08, 0.04, 0.12], outside = "delete" }
        material = [{ name = "m", density = 1000.0, friction = 0.3 }]
        wall = [{ shape = "box", faces = ["z-", "x-", "y-", "y+"], material = "m" }]
        bodies = [{ sample = "lattice", material = "m", count = 200, radius = { uniform = [0.003, 0.005] } }]
        output = { series = 50 }
    "#;
    std::fs::write(&file, text_of).unwrap();
    let (whole, parts) = (folder("whole"), folder("parts"));
    let expected = state(&on(1, &["run", &file, "--out", &whole]));
    state(&on(1, &["run", &file, "--out", &parts, "--steps", "250"]));
    let ranks = if mpi_available() { 2 } else { 1 };
    assert_eq!(
        state(&on(ranks, &["resume", &parts, "--steps", "400"])),
        expected
    );
    assert_eq!(text(&parts, "deleted.csv"), text(&whole, "deleted.csv"));
    let deleted = text(&whole, "deleted.csv").lines().count() - 1;
    let series = text(&whole, "series.csv");
    let last: Vec<&str> = series.lines().last().unwrap().split(',').collect();
    assert!(deleted > 50, "{deleted}");
    let mut names = series.lines().next().unwrap().split(',');
    let column = names.position(|name| name == "deleted").unwrap();
    assert_eq!(last[column].parse(), Ok(deleted));
    assert_eq!(last[2].parse(), Ok(200 - deleted));
    let refused = on(
        1,
        &[
            "run",
            &file,
            "--out",
            &folder("error"),
            "--set",
            "domain.outside=\"error\"",
        ],
    );
    assert_eq!(refused.status, Some(3));
    assert!(
        refused.stderr.contains("left the domain"),
        "{}",
        refused.stderr
    );
}

/// Bodies squeezed between walls that leave them no room, rigid or soft: the run ends with status 3 and says what holds them.
#[test]
fn a_squeeze_ends_the_run_with_its_names() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let file = folder("press.toml");
    let text_of = r#"
        gravity = [0.0, 0.0, -9.81]
        time = { dt = 1e-3, until = 2.0 }
        domain = { lower = [0.0, 0.0, -0.02], upper = [0.06, 0.06, 0.1] }
        solver = { max_sweeps = 100 }
        material = [{ name = "m", density = 1000.0, friction = 0.3 }]
        wall = [
            { shape = "box", faces = ["x-", "x+", "y-", "y+"], material = "m" },
            { name = "floor", shape = "plane", point = [0, 0, 0], normal = [0, 0, 1], material = "m" },
            { name = "press", shape = "plane", point = [0, 0, 0.06], normal = [0, 0, -1], material = "m", velocity = [0, 0, -0.2] },
        ]
        bodies = [{ sample = "lattice", material = "m", count = 60, radius = 0.006, lower = [0, 0, 0], upper = [0.06, 0.06, 0.055] }]
        output = { series = 50 }
    "#;
    std::fs::write(&file, text_of).unwrap();
    let rigid = on(1, &["run", &file, "--out", &folder("rigid")]);
    assert_eq!(rigid.status, Some(3), "{}", rigid.stderr);
    assert!(rigid.stderr.contains("wall press"), "{}", rigid.stderr);
    let set = "material.0.stiffness=1e5";
    let soft = on(1, &["run", &file, "--out", &folder("soft"), "--set", set]);
    assert_eq!(soft.status, Some(3), "{}", soft.stderr);
    assert!(
        soft.stderr.contains("of the smaller radius") && soft.stderr.contains("wall press"),
        "{}",
        soft.stderr
    );
}

/// A period that is too short for the bodies is refused before anything is written.
#[test]
fn a_period_too_short_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("short.toml").to_str().unwrap().to_owned();
    let out = dir.path().join("out").to_str().unwrap().to_owned();
    let text_of = r#"
        gravity = [0.0, 0.0, 0.0]
        time = { dt = 1e-3, until = 0.1 }
        domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.02], periodic = [true, true, true] }
        material = [{ name = "m", density = 1000.0, friction = 0.3 }]
        bodies = [{ sample = "lattice", material = "m", count = 1, radius = 0.009 }]
    "#;
    std::fs::write(&file, text_of).unwrap();
    for args in [&["check", &file][..], &["run", &file, "--out", &out]] {
        let told = on(1, args);
        assert_eq!(told.status, Some(2), "{}", told.stderr);
        assert!(
            told.stderr.contains("too short for bodies of radius 0.009"),
            "{}",
            told.stderr
        );
    }
    assert!(!std::path::Path::new(&out).exists());
}

/// `check` says how a pair with springs gets its restitution: by a dashpot where a collision lasts ten steps, else by Newton's law.
#[test]
fn check_shows_how_springs_give_restitution() {
    let with = |dt: &str| {
        let set = ["material.0.restitution=0.5", dt];
        let config = config();
        let mut args = vec!["check", &config];
        set.iter().for_each(|word| args.extend(["--set", word]));
        let done = on(1, &args);
        assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
        let found = done.stdout.lines().find(|line| line.starts_with("impact"));
        found.unwrap().to_owned()
    };
    let short = with("time.dt=1e-6");
    assert!(
        short.contains("by a dashpot of damping ratio 0.25"),
        "{short}"
    );
    let long = with("time.dt=2e-3");
    assert!(long.contains("by Newton's law"), "{long}");
}

/// `check` gives the speed up to which a pair with Hertz's law has a dashpot: 13 steps of the collision of the lightest balls.
#[test]
fn check_shows_how_hertzian_contacts_give_restitution() {
    let set =
        ["young=1e7", "poisson=0.25", "restitution=0.5"].map(|key| format!("material.0.{key}"));
    let config = format!("{}/configs/intruder.toml", env!("CARGO_MANIFEST_DIR"));
    let mut args = vec!["check", &config];
    set.iter().for_each(|word| args.extend(["--set", word]));
    let done = on(1, &args);
    assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
    let line = done
        .stdout
        .lines()
        .find(|line| line.starts_with("impact"))
        .unwrap();
    assert!(
        line.contains("by a dashpot of damping ratio 0.25"),
        "{line}"
    );
    assert!(line.contains("m/s, by Newton's law"), "{line}");
}
