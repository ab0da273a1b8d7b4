//! The program as a user runs it: alone and under mpirun, resumed on other rank counts, refused bad input, killed.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{Output, counts, mpi_available, mpirun, ranks_of, run};
use moreau::body::BodyId;
use moreau::comm::threads;
use moreau::sim::{self, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const EXE: &str = env!("CARGO_BIN_EXE_moreau");
const LIMIT: Duration = Duration::from_secs(240);

fn settle() -> String {
    format!("{}/configs/settle.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The main job at reduced size: 2000 bodies in a narrower box.
const SMALL: [&str; 4] = [
    "--set",
    "bodies.0.count=2000",
    "--set",
    "domain.upper=[0.15, 0.15, 0.30]",
];

fn alone(args: &[&str]) -> Output {
    let mut command = Command::new(EXE);
    command.args(args);
    run(command, LIMIT)
}

/// Runs the program on so many ranks; on one rank without mpirun.
fn on(ranks: usize, args: &[&str]) -> Output {
    match ranks {
        1 => alone(args),
        _ => mpirun(ranks, EXE, args, LIMIT),
    }
}

/// The last line of a finished run.
fn state(output: &Output) -> String {
    assert_eq!(output.status, Some(0), "{}{}", output.stdout, output.stderr);
    let last = output.stdout.trim_end().lines().last().unwrap().to_owned();
    let words: Vec<&str> = last.split(' ').collect();
    let shaped = matches!(words[..], ["state", hash, "step", _, "time", _] if hash.len() == 16);
    assert!(shaped, "the last line is {last:?}");
    last
}

fn path(dir: &tempfile::TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

/// Acceptance c: the same state line on 1, 2, 3, 4, 8 processes, with 1 and 2 threads, after 300 steps of falling, colliding
/// and settling; and with more ranks than bodies.
#[test]
fn same_state_on_any_number_of_ranks_and_threads() {
    let dir = tempfile::tempdir().unwrap();
    let run = |ranks: usize, threads: &str, more: &[&str]| {
        let out = path(&dir, &format!("{ranks}-{threads}-{}", more.len()));
        let config = settle();
        let fixed = ["run", &config, "--out", &out, "--threads", threads];
        let args = [&fixed[..], &SMALL, more].concat();
        state(&on(ranks, &args))
    };
    let long = ["--steps", "300"];
    let serial = run(1, "1", &long);
    assert!(serial.ends_with("step 300 time 0.3"), "{serial}");
    assert_eq!(run(1, "2", &long), serial, "two threads");
    let few = ["--steps", "60", "--set", "bodies.0.count=5"];
    let serial_few = run(1, "1", &few);
    if mpi_available() {
        let shapes = [(2, "1"), (3, "1"), (4, "1"), (8, "1"), (2, "2")];
        for (ranks, threads) in counts(&shapes, |shape| shape.0) {
            let state = run(ranks, threads, &long);
            assert_eq!(state, serial, "{ranks} ranks of {threads} threads");
        }
        assert_eq!(run(8, "1", &few), serial_few, "more ranks than bodies");
    }
}

/// Acceptance d: 200 steps at once are 100 steps, a checkpoint, and 100 more on another number of ranks.
#[test]
fn a_resumed_run_ends_in_the_same_state() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let begin = |ranks: usize, steps: &str, out: &str| {
        let fixed = ["run", &config, "--out", out, "--steps", steps];
        on(ranks, &[&fixed[..], &SMALL].concat())
    };
    let straight = path(&dir, "straight");
    let expected = state(&begin(1, "200", &straight));
    let counts: &[(usize, usize)] = match mpi_available() {
        true => &[(1, 1), (1, 3), (4, 1), (2, 4)],
        false => &[(1, 1)],
    };
    for (first, second) in counts {
        let out = path(&dir, &format!("{first}-{second}"));
        state(&begin(*first, "100", &out));
        let resumed = on(*second, &["resume", &out, "--steps", "200"]);
        assert_eq!(state(&resumed), expected, "{first} ranks, then {second}");
        let rows = |out: &str| {
            let text = std::fs::read_to_string(Path::new(out).join("series.csv")).unwrap();
            let physical = |line: &str| line.split(',').take(12).collect::<Vec<_>>().join(",");
            text.lines().map(physical).collect::<Vec<_>>()
        };
        assert_eq!(
            rows(&out),
            rows(&straight),
            "the series goes on without a seam"
        );
    }
}

/// The same where a rule makes the steps' lengths: resumed from files on other rank counts in the middle of shrinking; ends by time to
/// the bit; told by check, info and the series.
#[test]
fn a_run_by_a_rule_resumes_in_the_same_state_and_ends_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle();
    let set = "time.dt={ at_most = 2e-3, at_least = 1e-5, travel = 0.05 }";
    let run = |ranks: usize, out: &str, end: [&str; 2]| {
        let fixed = ["run", &config, "--out", out, "--set", set];
        let output = on(ranks, &[&fixed[..], &SMALL, &end].concat());
        state(&output)
    };
    let straight = path(&dir, "straight");
    let expected = run(1, &straight, ["--steps", "90"]);
    let last = |out: &str, column: &str| {
        let text = std::fs::read_to_string(Path::new(out).join("series.csv")).unwrap();
        let mut names = text.lines().next().unwrap().split(',');
        let column = names.position(|name| name == column).unwrap();
        let line = text.lines().last().unwrap().to_owned();
        line.split(',').nth(column).unwrap().parse::<f64>().unwrap()
    };
    let (dt, rushed) = (last(&straight, "dt"), last(&straight, "rushed"));
    assert!(dt < 1.9e-3 && dt > 1e-5 && rushed == 0.0, "{dt} {rushed}");
    let ranks: &[(usize, usize)] = match mpi_available() {
        true => &[(1, 3), (2, 1)],
        false => &[(1, 1)],
    };
    for (first, second) in ranks {
        let out = path(&dir, &format!("{first}-{second}"));
        run(*first, &out, ["--steps", "60"]);
        let half = last(&out, "dt");
        let resumed = on(*second, &["resume", &out, "--steps", "90"]);
        assert_eq!(state(&resumed), expected, "{first} ranks, then {second}");
        assert!(
            last(&out, "dt") < 0.99 * half,
            "steps shrink beyond the restart"
        );
    }
    let timed = path(&dir, "timed");
    let ended = run(1, &timed, ["--until", "0.04321"]);
    assert!(ended.ends_with("time 0.04321"), "{ended}");
    assert_eq!(last(&timed, "time"), 0.04321);
    let over = alone(&["resume", &timed, "--until", "0.04321"]);
    assert!(over.stdout.contains("nothing to do"), "{}", over.stdout);
    let longer = alone(&["resume", &timed, "--until", "0.05"]);
    assert!(state(&longer).ends_with("time 0.05"));
    let told = alone(&["info", &timed]).stdout;
    assert!(told.contains("s in the last step (0 steps were"), "{told}");
    let told = alone(&[&["check", &config, "--set", set][..], &SMALL].concat()).stdout;
    assert!(told.contains("dt         0.00001 to 0.002 s"), "{told}");
    refused(
        &["resume", &timed, "--set", "time.dt=1e-3"],
        &["a run keeps its time step; must be the one it had, or a rule"],
        dir.path(),
    );
    let edge = "solver.block_edge=0.0119";
    let travel = "time.dt.travel=0.5";
    refused(
        &[
            &["run", &config, "--set", set, "--set", travel, "--set", edge][..],
            &SMALL,
        ]
        .concat(),
        &["time.dt.travel"],
        dir.path(),
    );
}

/// Bodies from a file that another code could have written, at rest under two names of the same bodies.
#[test]
fn a_file_of_bodies_settles_the_same_from_both_formats() {
    let dir = tempfile::tempdir().unwrap();
    let config = settle().replace("settle.toml", "settle-file.toml");
    let data = format!("{}/tests/data/settle-1k", env!("CARGO_MANIFEST_DIR"));
    let states = ["data", "csv"].map(|kind| {
        let file = format!("bodies.0.file={data}.{kind}");
        let out = path(&dir, kind);
        state(&alone(&[
            "run", &config, "--out", &out, "--set", &file, "--steps", "150",
        ]))
    });
    assert_eq!(states[0], states[1]);
}

/// Every shipped configuration runs, shortened, and can be checked.
#[test]
fn every_shipped_configuration_runs() {
    let dir = tempfile::tempdir().unwrap();
    let folder = format!("{}/configs", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).unwrap() {
        let config = entry.unwrap().path();
        // Beside them lie tables of walls' motions.
        if config.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let name = config.file_stem().unwrap().to_str().unwrap().to_owned();
        let config = config.to_str().unwrap();
        let checked = alone(&["check", config]);
        assert_eq!(checked.status, Some(0), "{}", checked.stderr);
        assert!(checked.stdout.contains("bodies ") && checked.stdout.trim_end().ends_with("ok"));
        let out = path(&dir, &name);
        let mut args = vec!["run", config, "--out", &out, "--steps", "3"];
        if name == "million" {
            args.extend(["--set", "bodies.0.count=20000"]);
        }
        state(&alone(&args));
    }
}

/// `moreau info` says what the checkpoint of a run holds.
#[test]
fn info_tells_what_a_checkpoint_holds() {
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let args = ["run", &config, "--out", &out, "--steps", "2"];
    state(&alone(&[&args[..], &SMALL].concat()));
    let told = alone(&["info", &format!("{out}/checkpoint-00000002.h5")]);
    assert_eq!(told.status, Some(0), "{}", told.stderr);
    for part in [
        "bodies       2000",
        "step         2 (0 at the sweep cap)",
        "wall force   box.z-",
    ] {
        assert!(
            told.stdout.contains(part),
            "{part:?} is not in {}",
            told.stdout
        );
    }
}

/// Refused: status 2, this text on stderr once, nothing written.
fn refused(args: &[&str], expected: &[&str], untouched: &Path) {
    let before = listing(untouched);
    let mut ways = vec![alone(args)];
    if mpi_available() {
        ways.push(mpirun(3, EXE, args, LIMIT));
    }
    for output in ways {
        assert_eq!(
            output.status,
            Some(2),
            "{args:?}: {}{}",
            output.stdout,
            output.stderr
        );
        for part in expected {
            let times = output.stderr.matches(part).count();
            assert_eq!(times, 1, "{part:?} once in {}", output.stderr);
        }
        assert_eq!(listing(untouched), before, "{args:?} wrote something");
    }
}

fn listing(dir: &Path) -> Vec<(PathBuf, u64)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(listing(&path));
        }
        let size = path.metadata().map_or(0, |m| m.len());
        all.push((path, size));
    }
    all.sort();
    all
}

/// Acceptance g: what the configuration alone does not show. (`tests/bad_config.rs` has the rest.)
#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let (config, out) = (settle(), path(&dir, "out"));
    let run = ["run", &config, "--out", &out];
    let set = |key: &'static str| [&run[..], &SMALL, &["--set", key]].concat();

    refused(
        &["run", "nowhere.toml"],
        &["nowhere.toml: cannot be read"],
        root,
    );
    refused(
        &set("solver.tolerence=1"),
        &["solver.tolerence: unknown key; did you mean tolerance?"],
        root,
    );
    refused(&set("time.dt=0"), &["--set time.dt=0: time.dt"], root);
    refused(
        &set("solver.block_edge=0.011"),
        &[
            "--set solver.block_edge=0.011: solver.block_edge: must be at least 0.0",
            "m; found 0.011 m",
        ],
        root,
    );
    refused(
        &["run", &config, "--steps", "1", "--until", "2"],
        &["cannot be used with"],
        root,
    );
    refused(
        &["run", &config, "--until", "nan"],
        &["must be a time in seconds"],
        root,
    );

    let bodies = path(&dir, "bodies.csv");
    let file = format!("bodies.0.file={bodies}");
    let from_file = settle().replace("settle.toml", "settle-file.toml");
    let args = ["run", &from_file, "--out", &out, "--set", &file];
    let with = |text: &str| std::fs::write(&bodies, text).unwrap();
    with("x,y,z,radius\n0.05,0.05,0.05,0.005\n0.058,0.05,0.05,0.005\n");
    refused(
        &args,
        &["body 0 starts inside body 1, overlapping by 0.400 of the smaller radius"],
        root,
    );
    with("x,y,z,radius\n0.05,0.05,0.05,0.005\n0.05,0.05,0.003,0.005\n");
    refused(
        &args,
        &["body 1 starts inside wall box.z-, overlapping by 0.400"],
        root,
    );
    with("x,y,z,radius\n0.05,0.05,0.05,0.005\n0.05,-0.05,0.05,0.005\n");
    refused(
        &args,
        &["body 1 starts outside the domain, at [0.05, -0.05, 0.05] m"],
        root,
    );
    with("x,y,z,radius\n0.05,0.05,0.05,0.005\n0.05,zero,0.05,0.005\n");
    refused(&args, &["bodies.csv:3"], root);

    // A folder that cannot be made, also by root: below a file.
    let below_a_file = format!("{bodies}/out");
    let args = ["run", &config, "--out", &below_a_file];
    refused(
        &[&args[..], &SMALL].concat(),
        &["output folder", "a folder that can be written to"],
        root,
    );

    let args = ["run", &config, "--out", &out, "--steps", "2"];
    state(&alone(&[&args[..], &SMALL].concat()));
    refused(
        &[&args[..], &SMALL].concat(),
        &["already holds a run", "--overwrite"],
        root,
    );
    state(&alone(&[&args[..], &SMALL, &["--overwrite"]].concat()));

    refused(&["resume", &path(&dir, "none")], &["none"], root);
    let checkpoint = format!("{out}/checkpoint-00000002.h5");
    let whole = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &whole[..whole.len() / 2]).unwrap();
    refused(&["resume", &checkpoint], &["checkpoint-00000002.h5"], root);
    std::fs::write(&checkpoint, "not HDF5").unwrap();
    refused(&["resume", &checkpoint], &["checkpoint-00000002.h5"], root);
    std::fs::write(&checkpoint, &whole).unwrap();
    refused(
        &["resume", &checkpoint, "--set", "time.dt=2e-3"],
        &["a run keeps its time step"],
        root,
    );
}

/// Acceptance h: a velocity that becomes NaN ends the run in that step, on any number of ranks, with the body, the step and
/// the last good checkpoint; status 3.
#[test]
fn a_nan_ends_the_run_in_its_step() {
    for ranks in [1, 3] {
        let dir = tempfile::tempdir().unwrap();
        let set = [
            "bodies.0.count=300",
            "domain.upper=[0.1, 0.1, 0.3]",
            "checkpoint.every=5",
        ];
        let options = Options {
            out: Some(dir.path().join("out")),
            set: set.map(str::to_owned).to_vec(),
            steps: Some(20),
            nan_before: Some((13, BodyId(42))),
            ..Options::default()
        };
        let results = threads::run(ranks, |comm| {
            sim::try_run(comm, Path::new(&settle()), &options).unwrap_err()
        });
        for error in results {
            assert_eq!(error.status(), 3);
            let text = error.to_string();
            for part in ["step 13: body 42 ", "not finite", "checkpoint-00000010.h5"] {
                assert!(text.contains(part), "{part:?} is not in {text:?}");
            }
        }
        // The last good checkpoint is good.
        let options = Options {
            steps: Some(20),
            ..Options::default()
        };
        let from = dir.path().join("out");
        threads::run(ranks, |comm| {
            sim::try_resume(comm, &from, &options).unwrap()
        });
    }
}

/// Acceptance i: one of four ranks is killed: the job ends in seconds with a status that is not 0, and the run goes on from
/// its newest checkpoint to the state of an undisturbed run.
#[test]
fn a_killed_rank_ends_the_job_and_the_run_goes_on() {
    if !mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (config, out) = (settle(), path(&dir, "out"));
    let every = ["--set", "checkpoint.every=20"];
    let args = ["run", &config, "--out", &out, "--steps", "100000"];
    let args = [&args[..], &SMALL, &every].concat();
    let job = std::thread::scope(|scope| {
        let job = scope.spawn(|| {
            let output = mpirun(4, EXE, &args, LIMIT);
            (output, Instant::now())
        });
        let checkpoint = Path::new(&out).join("checkpoint-00000040.h5");
        let begin = Instant::now();
        while !checkpoint.exists() {
            assert!(begin.elapsed() < LIMIT, "no checkpoint after {LIMIT:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        let second = alone(&["resume", &out]);
        assert_eq!(second.status, Some(2), "{}", second.stderr);
        assert!(second.stderr.contains("another run is writing to it"));
        let victim = ranks_of(&out)[2].clone();
        assert!(
            Command::new("sh")
                .args(["-c", &format!("kill -KILL {victim}")])
                .status()
                .unwrap()
                .success()
        );
        let killed = Instant::now();
        let (output, ended) = job.join().unwrap();
        (output, ended - killed)
    });
    assert_ne!(job.0.status, Some(0), "{}", job.0.stdout);
    assert!(
        job.1 < Duration::from_secs(30),
        "the job lived on for {:?}",
        job.1
    );
    // Where mpirun itself crashes on the way, the ranks notice it and end by themselves.
    let begin = Instant::now();
    while !ranks_of(&out).is_empty() {
        let waited = job.1 + begin.elapsed();
        assert!(waited < Duration::from_secs(30), "a rank lives on");
        std::thread::sleep(Duration::from_millis(20));
    }

    let resumed = state(&on(2, &["resume", &out, "--steps", "120"]));
    let straight = path(&dir, "straight");
    let args = ["run", &config, "--out", &straight, "--steps", "120"];
    assert_eq!(
        resumed,
        state(&alone(&[&args[..], &SMALL, &every].concat()))
    );
}
