//! Folders for results in which another run is.

use super::{BALLS, Place, refused};
use crate::harness::{self, on, state};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run in a folder whose live run has no checkpoint yet is refused because of that run, whatever its flags, and gets no advice that would be
/// refused.
#[test]
fn a_live_run_keeps_others_out() {
    let place = Place::new();
    place.write("run.toml", &BALLS.replace("every = 10", "every = 0"));
    let [config, out] = ["run.toml", "out"].map(|name| place.path(name));
    let words = ["run", &config, "--out", &out];
    let mut live = Command::new(env!("CARGO_BIN_EXE_moreau"))
        .args(words)
        .args(["--steps", "100000000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let rows = || std::fs::metadata(place.path("out/series.csv")).map_or(0, |m| m.len());
    while rows() == 0 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let seen = rows() > 0;
    let ran: Vec<_> = [&[][..], &["--overwrite"], &["--or-resume"]]
        .into_iter()
        .map(|more| on(1, &[&words[..], more].concat()))
        .collect();
    live.kill().unwrap();
    live.wait().unwrap();
    assert!(seen, "no rows");
    for ran in ran {
        refused(
            &ran,
            &[
                "another run is writing to it",
                &format!("process {}", live.id()),
                "--out",
            ],
        );
        for advice in ["--overwrite", "--or-resume", "moreau resume"] {
            assert!(!ran.stderr.contains(advice), "{}", ran.stderr);
        }
    }
    // The killed run is not a live one.
    refused(&on(1, &words), &["without a checkpoint", "--or-resume"]);
    state(&place.run("run.toml", "out", 5, &["--or-resume"]));
}

/// A live run with a checkpoint keeps out an edited configuration, too, which then is not said to continue it.
#[test]
fn a_live_run_is_not_continued() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "out", 5, &[]));
    let out = place.path("out");
    let mut live = Command::new(env!("CARGO_BIN_EXE_moreau"))
        .args(["resume", &out, "--steps", "100000000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let goes_on = || std::path::Path::new(&place.path("out/checkpoint-00000010.h5")).exists();
    while !goes_on() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let set = ["--or-resume", "--set", "gravity=[0, 0, -1]"];
    let ran = place.run("run.toml", "out", 10, &set);
    live.kill().unwrap();
    live.wait().unwrap();
    refused(&ran, &["another run is writing to it"]);
    assert!(!ran.stderr.contains("the run continues"), "{}", ran.stderr);
}

/// `resume X --out Y` speaks of its own flags.
#[test]
fn a_run_that_continues_elsewhere_gets_advice_of_its_own() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "x", 10, &[]));
    let straight = state(&place.run("run.toml", "y", 30, &[]));
    let y = place.path("y");
    let ran = place.resume("x", 30, &["--out", &y]);
    refused(
        &ran,
        &["another run", "--overwrite", "--out", "moreau resume"],
    );
    for name in std::fs::read_dir(&y).unwrap().flatten() {
        if name.path().extension().is_some_and(|end| end == "h5") {
            std::fs::remove_file(name.path()).unwrap();
        }
    }
    let ran = place.resume("x", 30, &["--out", &y]);
    refused(
        &ran,
        &["a run without a checkpoint", "--overwrite", "--out"],
    );
    assert!(!ran.stderr.contains("--or-resume"), "{}", ran.stderr);
    // To delete the run's own folder, and then continue it, makes no sense.
    let x = place.path("x");
    for more in [&["--overwrite"][..], &["--overwrite", "--out", &x]] {
        refused(
            &place.resume("x", 30, more),
            &["--overwrite", "the folder of the run itself"],
        );
    }
    let ran = place.resume("x", 30, &["--out", &y, "--overwrite"]);
    assert_eq!(state(&ran), straight);
    // A folder that is not there is made.
    let z = place.path("not/yet");
    assert_eq!(state(&place.resume("x", 30, &["--out", &z])), straight);
}

/// A missing source is bad input by name, a missing folder for results is made or bad input: never a failure to write.
#[test]
fn missing_folders_are_bad_input() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    state(&place.run("run.toml", "out", 10, &[]));
    let (out, none) = (place.path("out"), place.path("none"));
    let [picture, file, problem] =
        ["none/a.png", "none/deep/a.h5", "p.h5"].map(|name| place.path(name));
    for (words, named) in [
        (&["resume", &none][..], "none"),
        (&["info", &none], "none"),
        (&["report", &none], "none"),
        (&["convert", &none, "--to", "xdmf"], "none"),
        (&["render", &none, "-o", &picture], "none"),
        (&["fclib", "export", &none, "-o", &problem], "none"),
        (&["run", &none], "none"),
        (&["check", &none], "none"),
        (&["render", &out, "-o", "/proc/none"], "/proc/none"),
        (&["man", "--out", "/proc/none"], "/proc/none"),
        (
            &["convert", &out, "--to", "xdmf", "-o", "/proc/none"],
            "/proc/none",
        ),
        (
            &["run", &place.path("run.toml"), "--out", "/proc/none"],
            "/proc/none",
        ),
        (
            &["resume", &out, "--out", "/proc/none", "--steps", "11"],
            "/proc/none",
        ),
        (
            &[
                "render",
                &format!("{out}/checkpoint-00000010.h5"),
                "-o",
                &picture,
            ],
            "none",
        ),
        (&["fclib", "export", &out, "-o", &file], "none"),
    ] {
        let ran = on(1, words);
        assert_eq!(
            ran.status,
            Some(2),
            "{words:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stderr.contains(named), "{words:?}: {}", ran.stderr);
    }
}

/// Where the file system refuses locks, a run says so, and how to read its results; with that they are read.
#[test]
#[cfg(target_os = "linux")] // A library in place of the system's calls.
fn a_file_system_without_locks_is_reported() {
    let place = Place::new();
    place.write("run.toml", BALLS);
    let code = place.write(
        "flock.c",
        "#include <errno.h>\nint flock(int f, int how) { errno = ENOLCK; return -1; }\n",
    );
    let library = place.path("flock.so");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", &library, &code])
        .status();
    if !made.is_ok_and(|status| status.success()) {
        harness::skipped("cc is not here: a file system without locks");
        return;
    }
    let [config, out] = ["run.toml", "out"].map(|name| place.path(name));
    let go = |args: &[&str], locking: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.args(args).env("LD_PRELOAD", &library);
        match locking {
            Some(how) => command.env("HDF5_USE_FILE_LOCKING", how),
            None => command.env_remove("HDF5_USE_FILE_LOCKING"),
        };
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        harness::Output {
            status: done.status.code(),
            stdout: text(done.stdout),
            stderr: text(done.stderr),
        }
    };
    let run = ["run", &config, "--out", &out, "--steps"];
    let straight = state(&place.run("run.toml", "straight", 20, &[]));
    let ran = go(&[&run[..], &["10"]].concat(), None);
    state(&ran);
    for part in ["WARNING", "has no locks", "HDF5_USE_FILE_LOCKING=FALSE"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let resume = ["resume", &out, "--steps", "20"];
    refused(
        &go(&resume, None),
        &["cannot be locked", "HDF5_USE_FILE_LOCKING=FALSE"],
    );
    let ran = go(&resume, Some("FALSE"));
    assert_eq!(state(&ran), straight);
    assert!(
        ran.stderr.contains("the last run there was process"),
        "{}",
        ran.stderr
    );
}
