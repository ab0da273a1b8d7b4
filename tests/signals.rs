//! Runs that end early and lose nothing: signals to a rank, to all, to mpirun; limits of wall time; a disk without room.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.
#![cfg(target_os = "linux")] // Processes are looked for in /proc.

mod harness;
#[path = "signals/increments.rs"]
mod increments;

use harness::{
    Output, hangups_are_ignored, mpi_available, mpirun_of, on, ranks_of, run, signal, state,
    statuses_of_mpirun_asked_to_end,
};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(120);
const STEPS: &str = "1500";
/// So many that the run does not end before rows are seen, which are written once a second.
const LONG: &str = "4000";

fn settle() -> String {
    format!("{}/configs/settle.toml", env!("CARGO_MANIFEST_DIR"))
}

fn path(dir: &tempfile::TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

/// 500 bodies in a narrow box, with no checkpoint before the end.
fn args<'a>(config: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    of(STEPS, config, out, more)
}

fn of<'a>(steps: &'a str, config: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["run", config, "--out", out, "--steps", steps];
    let small = [
        "--set",
        "bodies.0.count=500",
        "--set",
        "domain.upper=[0.1, 0.1, 0.3]",
    ];
    let rare = ["--set", "checkpoint.every=0", "--set", "time.rest=0"];
    [&fixed[..], &small, &rare, more].concat()
}

fn rows(out: &str) -> usize {
    let series = std::fs::read_to_string(Path::new(out).join("series.csv"));
    series.map_or(0, |text| text.lines().count().saturating_sub(1))
}

fn checkpoints(out: &str) -> Vec<String> {
    let all = std::fs::read_dir(out).unwrap().flatten();
    let mut names: Vec<String> = all
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("checkpoint-"))
        .collect();
    names.sort();
    names
}

/// Waits for something to become true.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "{what}: not after {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs on so many ranks and does something as soon as there are rows of the series.
fn disturbed(ranks: usize, args: &[&str], out: &str, disturb: impl FnOnce()) -> Output {
    std::thread::scope(|scope| {
        let job = scope.spawn(|| on(ranks, args));
        until("rows of the series", || rows(out) > 10);
        disturb();
        job.join().unwrap()
    })
}

/// A signal to one rank, to all of them, or to mpirun ends the run after a step, with a checkpoint and status 75, and it goes on to
/// the state it would have reached, with the same series.
#[test]
fn a_signal_ends_a_run_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let straight = path(&dir, "straight");
    let undisturbed = state(&on(1, &of(LONG, &config, &straight, &[])));
    let bare = |out: &str| {
        let text = std::fs::read_to_string(Path::new(out).join("series.csv")).unwrap();
        // Step to dissipated energy: what follows are times.
        let row = |line: &str| line.split(',').take(12).collect::<Vec<_>>().join(",");
        text.lines().map(row).collect::<Vec<_>>()
    };
    let mut cases = vec![(1, "TERM", "one"), (1, "USR1", "one"), (1, "INT", "one")];
    // Whoever started it with nohup wants it to go on, and tests hand that on to what they start.
    if hangups_are_ignored() {
        harness::skipped("SIGHUP, which is ignored here");
    } else {
        cases.push((1, "HUP", "one"));
    }
    if mpi_available() {
        let more = [
            (3, "USR1", "one"),
            (2, "TERM", "all"),
            (3, "USR1", "mpirun"),
            (2, "TERM", "mpirun"),
        ];
        cases.extend(more);
    }
    for (ranks, name, to) in cases {
        let case = format!("SIG{name} to {to} of {ranks}");
        let out = path(&dir, &case);
        let output = disturbed(ranks, &of(LONG, &config, &out, &[]), &out, || {
            let ids = match to {
                "mpirun" => mpirun_of(&out),
                "one" => vec![ranks_of(&out).pop().unwrap()],
                _ => ranks_of(&out),
            };
            assert!(!ids.is_empty(), "{case}");
            ids.iter().for_each(|id| signal(name, id));
        });
        let expected = match (name, to) {
            ("TERM", "mpirun") => statuses_of_mpirun_asked_to_end(),
            _ => &[75],
        };
        assert!(
            output.status.is_some_and(|s| expected.contains(&s)),
            "{case}: {:?}, not {expected:?}: {}{}",
            output.status,
            output.stdout,
            output.stderr
        );
        assert!(
            !output.stdout.contains("\nstate "),
            "{case}: {}",
            output.stdout
        );
        assert_eq!(checkpoints(&out).len(), 1, "{case}");
        if to != "mpirun" {
            let told = format!("stopped by SIG{name} after step");
            assert_eq!(
                output.stderr.matches(&told).count(),
                1,
                "{case}: {}",
                output.stderr
            );
        }
        let resumed = on(2.min(ranks), &["resume", &out, "--steps", LONG]);
        assert_eq!(state(&resumed), undisturbed, "{case}");
        assert_eq!(bare(&out), bare(&straight), "{case}");
    }
}

/// A second SIGTERM ends the program within the step, and what was written before stays.
#[test]
fn a_second_signal_ends_a_run_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let every = ["--set", "checkpoint.every=50"];
    let first = on(1, &of("400", &config, &out, &every));
    assert_eq!(first.status, Some(0), "{}", first.stderr);
    // A step that takes minutes.
    let endless = [
        "--set",
        "solver.tolerance=1e-300",
        "--set",
        "solver.max_sweeps=100000000",
    ];
    let endless = [&["resume", &out, "--steps", "500"][..], &endless].concat();
    let output = std::thread::scope(|scope| {
        let job = scope.spawn(|| on(1, &endless));
        until("a rank", || !ranks_of(&out).is_empty());
        std::thread::sleep(Duration::from_secs(1));
        let rank = ranks_of(&out).pop().unwrap();
        signal("TERM", &rank);
        std::thread::sleep(Duration::from_millis(300));
        assert!(!ranks_of(&out).is_empty(), "the first one ended it");
        signal("TERM", &rank);
        job.join().unwrap()
    });
    assert_eq!(output.status, Some(143), "{}", output.stderr);
    assert_eq!(
        checkpoints(&out),
        ["checkpoint-00000350.h5", "checkpoint-00000400.h5"]
    );
    let resumed = on(1, &["resume", &out, "--steps", "420"]);
    assert!(state(&resumed).ends_with("step 420 time 0.42"));
}

/// SIGUSR2 asks for a checkpoint, and the run goes on.
#[test]
fn a_checkpoint_on_demand() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let output = disturbed(1, &args(&config, &out, &[]), &out, || {
        signal("USR2", &ranks_of(&out).pop().unwrap());
    });
    state(&output);
    assert_eq!(checkpoints(&out).len(), 2, "{:?}", checkpoints(&out));
}

/// A limit of wall time, by option or by the batch system, ends the run in time. Limits that are none are refused.
#[test]
fn limits_of_wall_time() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    for by in ["--wall-limit", "SLURM_JOB_END_TIME"] {
        let out = path(&dir, by);
        let mut all = of("100000000", &config, &out, &[]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        if by == "--wall-limit" {
            all.extend([by, "00:00:04"]);
        } else {
            command.env(by, (now.as_secs() + 14).to_string());
        }
        command.args(&all);
        let begin = Instant::now();
        let output = run(command, LIMIT);
        assert_eq!(
            output.status,
            Some(75),
            "{}{}",
            output.stdout,
            output.stderr
        );
        let limit = if by == "--wall-limit" { 4 } else { 14 };
        assert!(begin.elapsed() < Duration::from_secs(limit), "{by}");
        assert_eq!(checkpoints(&out).len(), 1);
        let why = if by == "--wall-limit" {
            "limit of wall time"
        } else {
            "end of the batch job"
        };
        assert!(output.stderr.contains(why), "{}", output.stderr);
    }
    for bad in [
        "",
        "10",
        "1:00",
        "00:60:00",
        "00:00:-1",
        "-1-00:00:00",
        "1-2-00:00:00",
        "x",
        "00:00:01.5",
        "9999999999999999999-00:00:00",
    ] {
        let out = path(&dir, "refused");
        let limit = format!("--wall-limit={bad}");
        let output = on(1, &args(&config, &out, &[&limit]));
        assert_eq!(output.status, Some(2), "{bad}: {}", output.stderr);
        assert!(
            output.stderr.contains("HH:MM:SS") && !Path::new(&out).exists(),
            "{bad}"
        );
    }
}

/// Where there is no room the run goes on and says so; rows and checkpoints are written when there is room again. Where there is none at
/// the end the run has a status of its own.
#[test]
fn no_room_is_no_end() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let exe = env!("CARGO_BIN_EXE_moreau");
    let every = [
        "--set",
        "checkpoint.every=20",
        "--set",
        "checkpoint.keep=100",
    ];
    let wall_lines = |out: &str| {
        let text = std::fs::read_to_string(Path::new(out).join("walls.csv")).unwrap();
        text.lines().count() - 1
    };
    for comes_back in [true, false] {
        let out = path(
            &dir,
            if comes_back {
                "for a while"
            } else {
                "for ever"
            },
        );
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", exe]);
        command.args(of(LONG, &config, &out, &every));
        let output = std::thread::scope(|scope| {
            let job = scope.spawn(|| run(command, LIMIT));
            until("a checkpoint", || rows(&out) > 150);
            let rank = ranks_of(&out).pop().unwrap();
            // No file may become longer than a tenth of a checkpoint, and the series already is.
            let limit = |bytes: &str| {
                let set = Command::new("prlimit")
                    .args(["--pid", &rank, bytes])
                    .status();
                assert!(set.unwrap().success());
            };
            limit("--fsize=20000:unlimited");
            let before = rows(&out);
            if comes_back {
                std::thread::sleep(Duration::from_millis(700));
                assert!(
                    rows(&out) <= before + 60,
                    "{} rows beyond the limit",
                    rows(&out)
                );
                limit("--fsize=unlimited:unlimited");
            }
            job.join().unwrap()
        });
        let errors = &output.stderr;
        assert!(
            errors.contains("WARNING: series ") && errors.contains(".csv"),
            "{errors}"
        );
        if comes_back {
            state(&output);
            assert!(output.stdout.contains("NOT SAVED"), "{}", output.stdout);
            assert_eq!((rows(&out), wall_lines(&out)), (4000, 6 * 4000));
            assert!(checkpoints(&out).contains(&"checkpoint-00004000.h5".to_owned()));
        } else {
            assert_eq!(output.status, Some(4), "{}{errors}", output.stdout);
            assert!(!output.stdout.contains("\nstate "), "{}", output.stdout);
            let kept = checkpoints(&out);
            assert!(
                !kept.is_empty() && kept.iter().all(|name| name.ends_with(".h5")),
                "{kept:?}"
            );
            // What was lost is made again.
            let resumed = on(1, &["resume", &out, "--steps", LONG]);
            assert!(state(&resumed).ends_with("step 4000 time 4"));
            assert_eq!(rows(&out), 4000);
        }
    }
}

/// The folder and its checkpoints say where they come from, start by start.
#[test]
fn results_say_where_they_come_from() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    state(&on(1, &of("20", &config, &out, &[])));
    let ranks = if mpi_available() { 2 } else { 1 };
    state(&on(ranks, &["resume", &out, "--steps", "30"]));
    let text = std::fs::read_to_string(Path::new(&out).join("provenance.toml")).unwrap();
    let file: toml::Table = toml::from_str(&text).unwrap();
    let starts = file["start"].as_array().unwrap();
    let steps: Vec<_> = starts
        .iter()
        .map(|s| s["step"].as_integer().unwrap())
        .collect();
    assert_eq!(steps, [0, 20]);
    assert_eq!(starts[1]["ranks"].as_integer(), Some(ranks as i64));
    let words = starts[1]["command"].as_array().unwrap();
    assert_eq!(words[1].as_str(), Some("resume"));
    for key in ["version", "revision", "cpu", "mpi", "hdf5"] {
        assert!(!starts[0][key].as_str().unwrap().is_empty(), "{key}");
    }
    let told = on(1, &["info", &out]);
    assert_eq!(told.status, Some(0), "{}", told.stderr);
    assert!(told.stdout.contains("\"resume\""), "{}", told.stdout);
}

/// What submits the same again always means: a run begins, goes on from its newest checkpoint, or, having come to none, begins again. No
/// checkpoint is ever deleted for it, also where the folder is a link.
#[test]
fn the_same_command_again_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let straight = path(&dir, "straight");
    let undisturbed = state(&on(1, &of("60", &config, &straight, &[])));
    let out = path(&dir, "link");
    std::fs::create_dir(dir.path().join("there")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("there"), &out).unwrap();
    let again = |steps: &str, more: &[&str]| {
        let more = [&["--or-resume"][..], more].concat();
        on(1, &of(steps, &config, &out, &more))
    };
    // Killed before its first checkpoint: a series, and nothing else.
    std::fs::write(dir.path().join("there/series.csv"), "step").unwrap();
    assert!(
        on(1, &of("60", &config, &out, &[]))
            .stderr
            .contains("--or-resume starts it again")
    );
    state(&again("20", &[]));
    let second = again("40", &[]);
    assert!(
        second.stderr.contains("resuming from") && !second.stderr.contains("differs"),
        "{}",
        second.stderr
    );
    state(&second);
    assert_eq!(state(&again("60", &[])), undisturbed);
    assert_eq!(rows(&out), 60);
    // All damaged: told, and not begun again.
    for name in checkpoints(&out) {
        std::fs::write(Path::new(&out).join(name), "no checkpoint").unwrap();
    }
    let damaged = again("80", &[]);
    assert_eq!(damaged.status, Some(2), "{}", damaged.stderr);
    assert_eq!((checkpoints(&out).len(), rows(&out)), (2, 60));
}

/// A folder that was taken away, with another in its place, is not written to, nor are files that were removed thought to be written.
#[test]
fn a_run_notices_that_its_folder_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    for what in ["folder", "series"] {
        let out = path(&dir, what);
        let moved = path(&dir, &format!("{what} moved"));
        let every = ["--set", "checkpoint.every=20"];
        let output = disturbed(1, &args(&config, &out, &every), &out, || {
            if what == "folder" {
                std::fs::rename(&out, &moved).unwrap();
                std::fs::create_dir(&out).unwrap();
                std::fs::write(Path::new(&out).join(".lock"), "").unwrap();
            } else {
                std::fs::remove_file(Path::new(&out).join("series.csv")).unwrap();
            }
        });
        assert_eq!(
            output.status,
            Some(4),
            "{what}: {}{}",
            output.stdout,
            output.stderr
        );
        let why = if what == "folder" {
            "no longer the folder"
        } else {
            "removed or replaced"
        };
        assert!(output.stderr.contains(why), "{what}: {}", output.stderr);
        let last = "checkpoint-00001500.h5".to_owned();
        assert_eq!(checkpoints(&out).contains(&last), what == "series");
        if what == "series" {
            // The state is there; that rows are missing is told.
            let resumed = on(1, &["resume", &out, "--steps", "1510"]);
            state(&resumed);
            assert!(resumed.stderr.contains("are missing"), "{}", resumed.stderr);
        }
    }
}

/// Limits with `then = "stop"` end the run with status 3, the row and a checkpoint of that step being there to be looked at.
#[test]
fn limits_stop_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let set = [
        "--set",
        "limits.capped={above=3, then='stop'}",
        "--set",
        "solver.max_sweeps=4",
    ];
    let output = on(1, &args(&config, &out, &set));
    assert_eq!(output.status, Some(3), "{}{}", output.stdout, output.stderr);
    assert!(
        output
            .stderr
            .contains("4 steps in a row ended at the sweep cap (limits.capped = 3)"),
        "{}",
        output.stderr
    );
    let series = std::fs::read_to_string(Path::new(&out).join("series.csv")).unwrap();
    let step = series
        .lines()
        .last()
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(checkpoints(&out), [format!("checkpoint-{:0>8}.h5", step)]);
}

/// Checkpoints by the clock.
#[test]
fn checkpoints_by_the_clock() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let set = [
        "--set",
        "checkpoint.interval=0.3",
        "--set",
        "checkpoint.keep=1000",
    ];
    let output = on(1, &args(&config, &out, &set));
    state(&output);
    let number = checkpoints(&out).len();
    assert!((3..100).contains(&number), "{number} checkpoints");
}
