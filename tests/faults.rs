//! Faults from outside: ranks killed at any moment, files with anything in them. Nothing is lost, nothing panics, nothing hangs.
//!
//! Here each in a small number; `bash jobs/test-faults.sh` asks for many by the variables MOREAU_KILLS and MOREAU_MUTATIONS.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.
#![cfg(target_os = "linux")] // Processes are looked for in /proc.

mod harness;
#[path = "faults/problems.rs"]
mod problems;

use harness::{mpi_available, mpirun, on, ranks_of, run, signal, state};
use moreau::comm::threads::Serial;
use moreau::rng::{Purpose, Stream};
use moreau::sim::{self, Options};
use moreau::{config, sample};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const EXE: &str = env!("CARGO_BIN_EXE_moreau");
const LIMIT: Duration = Duration::from_secs(120);

/// How often, by an environment variable.
fn times(name: &str, default: u64) -> u64 {
    let told = std::env::var(name);
    told.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number"))
    })
}

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The step of the newest checkpoint, and whether one is being written.
fn checkpoints(out: &str) -> (u64, bool) {
    let Ok(entries) = std::fs::read_dir(out) else {
        return (0, false);
    };
    let names = entries
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned());
    let (mut newest, mut writing) = (0, false);
    for name in names {
        if let Some(step) = name
            .strip_prefix("checkpoint-")
            .and_then(|n| n.strip_suffix(".h5"))
        {
            newest = newest.max(step.parse().unwrap());
        }
        writing |= name.ends_with(".h5.tmp");
    }
    (newest, writing)
}

/// How often the program has started in this folder.
fn starts(out: &str) -> usize {
    let text = std::fs::read_to_string(Path::new(out).join("provenance.toml"));
    text.map_or(0, |text| text.matches("[[start]]").count())
}

/// A rank is killed at a moment drawn at random, every other time while a checkpoint is being written; the run goes on from what it finds,
/// again and again. In the end it is where it would have been, with every row of its series.
#[test]
fn kills_at_any_moment_lose_nothing() {
    let kills = times("MOREAU_KILLS", 6);
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (config, out) = (root("configs/settle.toml"), path("out"));
    let config = config.to_str().unwrap();
    let keys = [
        "bodies.0.count=300",
        "domain.upper=[0.08, 0.08, 0.3]",
        "checkpoint.every=5",
        "time.rest=0",
        "time.until=1e9",
    ];
    let set: Vec<&str> = keys.iter().flat_map(|key| ["--set", key]).collect();
    let mut draw = Stream::new(Purpose::Trial, 9, [0; 3]);
    let (mut while_writing, mut empty) = (0, 0);
    for kill in 0..kills {
        let ranks = if mpi_available() {
            1 + draw.below(3) as usize
        } else {
            1
        };
        let (before, _) = checkpoints(&out);
        let args = if before > 0 {
            vec!["resume", &out]
        } else {
            [&["run", config, "--out", &out, "--or-resume"][..], &set].concat()
        };
        if before == 0 {
            let _ = std::fs::remove_file(Path::new(&out).join("provenance.toml")); // It may not be there yet.
        }
        let seen = starts(&out);
        let output = std::thread::scope(|scope| {
            let job = scope.spawn(|| on(ranks, &args));
            let begin = Instant::now();
            // Not before there is a checkpoint of this run, but for every eighth kill; and not while MPI begins, as Open MPI's mpirun may then
            // wait for ever.
            let early = draw.below(8) == 0;
            while ranks_of(&out).len() < ranks
                || starts(&out) <= seen
                || !early && checkpoints(&out).0 <= before
            {
                assert!(
                    begin.elapsed() < LIMIT && !job.is_finished(),
                    "no checkpoint after {before}"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(u64::from(draw.below(300_000))));
            if kill % 2 == 1 {
                while !checkpoints(&out).1 && begin.elapsed() < LIMIT {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
            let all = ranks_of(&out);
            let victim = &all[draw.below(all.len() as u32) as usize];
            signal("KILL", victim);
            job.join().unwrap()
        });
        assert_ne!(output.status, Some(0), "{}", output.stdout);
        assert!(ranks_of(&out).is_empty(), "a rank lives on");
        let (after, cut_off) = checkpoints(&out);
        empty += u64::from(after == before);
        while_writing += u64::from(cut_off);
    }
    let target = (checkpoints(&out).0 + 10).to_string();
    let resumed = on(2, &["resume", &out, "--steps", &target]);
    let straight = path("straight");
    let args = ["run", config, "--out", &straight, "--steps", &target];
    let undisturbed = on(1, &[&args[..], &set].concat());
    assert_eq!(state(&resumed), state(&undisturbed));
    let rows = |out: &str| std::fs::read_to_string(Path::new(out).join("series.csv")).unwrap();
    let steps = |out: &str| -> Vec<String> {
        rows(out)
            .lines()
            .map(|line| line.split(',').take(12).collect::<Vec<_>>().join(","))
            .collect()
    };
    assert_eq!(steps(&out), steps(&straight));
    println!(
        "{kills} kills, {while_writing} of them during a checkpoint, {empty} before there was a new one; step {target}"
    );
}

/// Changes some bytes: a bit, a byte, a cut, bytes taken out, twice, or put in; in texts numbers become extreme.
fn mutated(whole: &[u8], draw: &mut Stream, is_text: bool) -> Vec<u8> {
    const EXTREMES: [&str; 16] = [
        "0",
        "-1",
        "1e308",
        "-1e308",
        "1e-308",
        "nan",
        "inf",
        "-inf",
        "18446744073709551615",
        "-9223372036854775808",
        "1e999",
        "\"\"",
        "[]",
        "{}",
        "true",
        "9223372036854775807",
    ];
    let mut bytes = whole.to_vec();
    for _ in 0..=draw.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = draw.below(bytes.len() as u32) as usize;
        let length = (1 + draw.below(40) as usize).min(bytes.len() - at);
        match draw.below(if is_text { 10 } else { 6 }) {
            0 => bytes[at] ^= 1 << draw.below(8),
            1 => bytes[at] = draw.below(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            5 => drop(bytes.splice(at..at, (0..length).map(|_| draw.below(256) as u8))),
            _ => {
                // The number that comes next.
                let is_digit = |b: &u8| b.is_ascii_digit() || b".-+".contains(b);
                let Some(from) = bytes[at..].iter().position(is_digit).map(|k| at + k) else {
                    continue;
                };
                let to = bytes[from..]
                    .iter()
                    .position(|b| !is_digit(b) && *b != b'e')
                    .map_or(bytes.len(), |k| from + k);
                let extreme = EXTREMES[draw.below(EXTREMES.len() as u32) as usize];
                bytes.splice(from..to, extreme.bytes());
            }
        }
    }
    bytes
}

/// Configurations with anything in them are read or refused; those that are read and are small can be checked.
#[test]
fn any_configuration_is_read_or_refused() {
    let number = times("MOREAU_MUTATIONS", 400);
    let mut files: Vec<PathBuf> = ["configs"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root(folder)).unwrap().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let texts: Vec<Vec<u8>> = files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let mut draw = Stream::new(Purpose::Trial, 10, [0; 3]);
    let (mut good, mut refused, mut checked) = (0, 0, 0);
    for _ in 0..number {
        let k = draw.below(files.len() as u32) as usize;
        let bytes = mutated(&texts[k], &mut draw, true);
        let file = dir.path().join("mutated.toml");
        std::fs::write(&file, &bytes).unwrap();
        match config::load(&file, &[]) {
            Err(faults) => {
                refused += 1;
                assert!(!faults.to_string().is_empty());
            }
            Ok(scenario) => {
                good += 1;
                let counts = scenario
                    .samples
                    .iter()
                    .map(|s| sample::count(s).map_or(u64::MAX, |count| count.bodies));
                if counts.fold(0, u64::saturating_add) <= 2000 {
                    checked += 1;
                    let begin = Instant::now();
                    let text = String::from_utf8_lossy(&bytes);
                    let check = || drop(sim::check(&Serial, &file, &Options::default()));
                    assert!(std::panic::catch_unwind(check).is_ok(), "{text}");
                    assert!(begin.elapsed() < Duration::from_secs(20), "{text}");
                }
            }
        }
    }
    println!("{number} mutations: {refused} refused, {good} good, {checked} of them checked");
    assert!(refused > number / 20 && good > number / 20 && checked > 0);
}

/// Files of bodies with anything in them are read or refused.
#[test]
fn any_file_of_bodies_is_read_or_refused() {
    let number = times("MOREAU_MUTATIONS", 400);
    let head = |name: &str| {
        let text = std::fs::read_to_string(root("tests/data").join(name)).unwrap();
        // Some dozen bodies.
        text.lines()
            .take(40)
            .collect::<Vec<_>>()
            .join("\n")
            .replace("1000 atoms", "20 atoms")
            .into_bytes()
    };
    let files = [
        ("a.csv", head("settle-1k.csv")),
        ("a.data", head("settle-1k.data")),
    ];
    let dir = tempfile::tempdir().unwrap();
    let text = "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 5 }\ndomain = { lower = [-10, -10, -10], upper = [10, 10, 10] }\n\
                material = [{ name = \"m\", density = 1, friction = 0 }]\nwall = [{ shape = \"box\", material = \"m\" }]\n\
                bodies = [{ sample = \"file\", material = \"m\", file = \"FILE\" }]\n";
    let mut draw = Stream::new(Purpose::Trial, 11, [0; 3]);
    let (mut good, mut refused) = (0, 0);
    for k in 0..number {
        let (name, whole) = &files[k as usize % 2];
        std::fs::write(dir.path().join(name), mutated(whole, &mut draw, true)).unwrap();
        let scenario =
            config::parse("a.toml", &text.replace("FILE", name), dir.path(), &[]).unwrap();
        let sample = &scenario.samples[0];
        let read = sample::count(sample).and_then(|sample::Count { bodies: count, .. }| {
            assert!(count < 1000, "{count} bodies in a file of forty lines");
            sample::bodies(sample, 0..count, 0, 1, &mut |_| {})
        });
        match read {
            Ok(()) => good += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{number} mutations: {refused} refused, {good} good");
    assert!(refused > number / 20 && good > 0);
}

/// Checkpoints with anything in them are read or refused, by the program, which may take 2 GB and ten seconds. What is read is
/// what was written.
#[test]
fn any_checkpoint_is_read_or_refused() {
    let number = times("MOREAU_MUTATIONS", 100);
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (config, out) = (root("configs/settle.toml"), path("out"));
    let keys = ["bodies.0.count=20", "domain.upper=[0.05, 0.05, 0.1]"];
    let set: Vec<&str> = keys.iter().flat_map(|key| ["--set", key]).collect();
    let args = [
        &[
            "run",
            config.to_str().unwrap(),
            "--out",
            &out,
            "--steps",
            "150",
        ][..],
        &set,
    ]
    .concat();
    state(&on(1, &args));
    let whole = std::fs::read(Path::new(&out).join("checkpoint-00000150.h5")).unwrap();
    let info = |file: &str| {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "ulimit -v 2000000; exec \"$@\"",
            "sh",
            EXE,
            "info",
            file,
        ]);
        run(command, Duration::from_secs(10))
    };
    let file = path("checkpoint-00000150.h5");
    std::fs::write(&file, &whole).unwrap();
    let good = info(&file);
    assert_eq!(good.status, Some(0), "{}", good.stderr);
    let mut draw = Stream::new(Purpose::Trial, 12, [0; 3]);
    let (mut refused, mut harmless) = (0, 0);
    for k in 0..number {
        let bytes = mutated(&whole, &mut draw, false);
        std::fs::write(&file, &bytes).unwrap();
        let output = info(&file);
        match output.status {
            Some(2) => refused += 1,
            Some(0) => {
                harmless += 1;
                assert_eq!(output.stdout, good.stdout, "mutation {k}");
            }
            other => {
                let kept = std::env::temp_dir().join("moreau-bad-checkpoint.h5");
                std::fs::write(&kept, &bytes).unwrap();
                panic!(
                    "mutation {k}: status {other:?}, {}; the file is {}",
                    output.stderr,
                    kept.display()
                );
            }
        }
    }
    println!("{number} mutations: {refused} refused, {harmless} harmless");
    assert!(refused > number / 2);
}

/// A run that is under mpirun when its first rank dies tells so by its status.
#[test]
fn a_lost_rank_is_no_success() {
    if !mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out").to_str().unwrap().to_owned();
    let config = root("configs/settle.toml");
    let args = [
        "run",
        config.to_str().unwrap(),
        "--out",
        &out,
        "--set",
        "bodies.0.count=300",
        "--set",
        "time.rest=0",
    ];
    let output = std::thread::scope(|scope| {
        let job = scope.spawn(|| mpirun(2, EXE, &args, LIMIT));
        // Ranks that die while MPI begins are mpirun's affair: Open MPI may wait for them.
        let begun = || std::fs::exists(Path::new(&out).join("series.csv")).unwrap_or(false);
        while !begun() || ranks_of(&out).len() < 2 {
            std::thread::sleep(Duration::from_millis(2));
        }
        signal("KILL", &ranks_of(&out)[0]);
        job.join().unwrap()
    });
    assert!(
        output.status.is_some_and(|status| status != 0),
        "{:?}",
        output.status
    );
}
