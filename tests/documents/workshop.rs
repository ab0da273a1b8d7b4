//! A folder in which commands of documents are tried in a small case: with the repository's `configs`, and a run in `out`.

use crate::harness::{self, Output};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// What every run gets: `configs/settle.toml` in two layers of bodies, with frames and checkpoints.
const SMALL: [&str; 10] = [
    "--set",
    "bodies.0.count=600",
    "--set",
    "checkpoint.every=40",
    "--set",
    "checkpoint.keep=9",
    "--set",
    "output.every=40",
    "--steps",
    "80",
];

/// Steps by which a run goes on.
const ON: u64 = 20;

pub(crate) struct Workshop {
    folder: tempfile::TempDir,
    made: usize,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        // In memory where there is such a place: every frame waits for the disk, which is not what is tried here.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        std::os::unix::fs::symlink(configs, folder.path().join("configs")).expect("a link");
        let workshop = Self { folder, made: 0 };
        let run = ["run", "configs/settle.toml"].iter().chain(&SMALL);
        let run: Vec<String> = run.map(|word| (*word).to_owned()).collect();
        workshop.must(&run);
        workshop.must(&["fclib", "export", "out", "-o", "problem.hdf5"].map(str::to_owned));
        workshop
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn run(&self, ranks: usize, words: &[String]) -> Output {
        let program = env!("CARGO_BIN_EXE_moreau");
        let mut command = match ranks {
            2.. if harness::mpi_available() => {
                let mut mpirun = Command::new("mpirun");
                mpirun.args(["-n", &ranks.to_string(), program]);
                mpirun
            }
            _ => Command::new(program),
        };
        command.args(words).current_dir(self.path());
        harness::run(command, LIMIT)
    }

    fn must(&self, words: &[String]) {
        let output = self.run(1, words);
        assert_eq!(output.status, Some(0), "{words:?}: {}", output.stderr);
    }

    /// The newest checkpoint of a folder, as seen from here.
    fn newest(&self, folder: &str) -> Option<String> {
        let files = fs::read_dir(self.path().join(folder)).ok()?.flatten();
        let names = files.map(|f| f.file_name().to_string_lossy().into_owned());
        let newest = names
            .filter(|n| n.starts_with("checkpoint-") && n.ends_with(".h5"))
            .max();
        newest.map(|name| format!("{folder}/{name}"))
    }

    /// The text with every checkpoint of `out` that it names replaced by the newest.
    pub(crate) fn with_newest(&self, text: &str) -> String {
        let newest = self.newest("out").expect("a checkpoint");
        let mut parts = text.split("out/checkpoint-");
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            whole.push_str(&newest);
            whole.push_str(
                part.trim_start_matches(|c: char| c.is_ascii_digit())
                    .trim_start_matches(".h5"),
            );
        }
        whole
    }

    /// The words of a command as they are tried here: runs are short and of few bodies, names in capitals and steps of checkpoints are those of what
    /// there is, and what would be in the way is gone.
    pub(crate) fn small(&mut self, words: &[String]) -> Vec<String> {
        let mut small: Vec<String> = Vec::new();
        let runs = matches!(words.first().map(String::as_str), Some("run" | "resume"));
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--steps" | "--until" if runs => drop(words.next()),
                "-o" | "--out" | "--output" => {
                    small.push(word.clone());
                    small.extend(words.next().map(|name| self.made(name)));
                }
                other => small.push(self.there(other)),
            }
        }
        match small.first().map(String::as_str) {
            Some("run") => {
                let folder = out(&small).unwrap_or("out").to_owned();
                if !small
                    .iter()
                    .any(|w| w == "--or-resume" || w == "--overwrite")
                {
                    let _ = fs::remove_dir_all(self.path().join(folder));
                }
                small.extend(SMALL.map(str::to_owned));
            }
            Some("resume") => {
                let from = Path::new(&small[1]);
                let folder = if from.extension().is_some() {
                    from.parent()
                } else {
                    Some(from)
                };
                let folder = folder.and_then(Path::to_str).expect("a folder");
                let newest = self
                    .newest(folder)
                    .unwrap_or_else(|| panic!("{folder} holds no checkpoint"));
                let step = newest.trim_end_matches(".h5").rsplit('-').next();
                let step: u64 = step.and_then(|s| s.parse().ok()).expect("a step");
                small.extend(["--steps".to_owned(), (step + ON).to_string()]);
            }
            Some("bench") => small.extend(["--sides", "6"].map(str::to_owned)),
            _ => {}
        }
        small
    }

    /// A file or folder to be made: names in capitals stand for any that is not there yet.
    fn made(&mut self, name: &str) -> String {
        if name.chars().any(|c| c.is_ascii_lowercase()) {
            return name.to_owned();
        }
        self.made += 1;
        format!("made-{}", self.made)
    }

    /// What a word of a command stands for here.
    fn there(&self, word: &str) -> String {
        match word {
            "FILE" | "FILE..." | "FILE.hdf5" => "problem.hdf5".to_owned(),
            "CHECKPOINT.h5" => self.newest("out").expect("a checkpoint"),
            "DIR" | "OUT" => "out".to_owned(),
            "CONFIG.toml" => "configs/settle.toml".to_owned(),
            other if other.contains("/checkpoint-") && !self.path().join(other).exists() => {
                let folder = other.split("/checkpoint-").next().unwrap_or_default();
                self.newest(folder).unwrap_or_else(|| other.to_owned())
            }
            other => other.to_owned(),
        }
    }
}

/// The folder that a command names for its results.
fn out(words: &[String]) -> Option<&str> {
    let place = words.iter().position(|w| w == "--out")?;
    words.get(place + 1).map(String::as_str)
}
