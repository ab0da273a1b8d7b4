//! A folder in which commands of documents are tried in a small case: with the repository's `configs`, a run in `out`, and a problem.

use crate::harness;
use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// What every run gets: few steps, with frames and checkpoints.
const SMALL: &str =
    "--set checkpoint.every=40 --set checkpoint.keep=9 --set output.every=40 --steps 80";

/// What a run with one sample gets: `configs/settle.toml` in two layers of bodies.
const FEW: &str = "--set bodies.0.count=600";

/// The name of a small run's last checkpoint, and the step up to which such runs are gone on with.
const LAST: &str = "checkpoint-00000080.h5";
const ON: &str = "--steps 100";

/// What words in capitals stand for here.
const STAND_FOR: [(&str, &str); 4] = [
    ("FILE", "problem.hdf5"),
    ("FILE...", "problem.hdf5"),
    ("FILE.hdf5", "problem.hdf5"),
    ("CHECKPOINT.h5", "out/checkpoint-00000080.h5"),
];

pub(crate) struct Workshop {
    folder: tempfile::TempDir,
    made: Cell<usize>,
}

/// The text with all checkpoints that it names by their steps replaced by the last of a small run.
pub(crate) fn with_last(text: &str) -> String {
    let step = "00000000.h5".len();
    let is_name = |part: &str| {
        part.get(..step)
            .is_some_and(|s| s.ends_with(".h5") && s.starts_with(char::is_numeric))
    };
    let mut parts = text.split("checkpoint-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| match is_name(part) {
        true => whole + LAST + &part[step..],
        false => whole + "checkpoint-" + part,
    })
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

impl Workshop {
    pub(crate) fn new() -> Self {
        // In memory where there is such a place: every frame waits for the disk, which is not what is tried here.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        std::os::unix::fs::symlink(configs, folder.path().join("configs")).expect("a link");
        let workshop = Self {
            folder,
            made: Cell::new(0),
        };
        workshop.try_small("a small run", 1, &words("run configs/settle.toml"));
        workshop.try_small("its problem", 1, &words("fclib export out -o problem.hdf5"));
        workshop
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the program with these words, made small, on so many ranks.
    pub(crate) fn try_small(&self, at: &str, ranks: usize, words: &[String]) {
        let small = self.small(words);
        let program = env!("CARGO_BIN_EXE_moreau");
        let mut command = Command::new(program);
        if ranks > 1 && harness::mpi_available() {
            command = Command::new("mpirun");
            command.args(["-n", &ranks.to_string(), program]);
        }
        command.args(&small).current_dir(self.path());
        let output = harness::run(command, LIMIT);
        let printed = output.stdout + &output.stderr;
        assert_eq!(output.status, Some(0), "{at}: {small:?}\n{printed}");
    }

    /// The number of samples of a configuration that have a count.
    fn samples(&self, config: &str) -> usize {
        let text = std::fs::read_to_string(self.path().join(config)).unwrap_or_default();
        text.matches("\ncount = ").count()
    }

    /// The words of a command as they are tried here: runs are short and of few bodies, words in capitals are what there is.
    fn small(&self, all: &[String]) -> Vec<String> {
        let mut small: Vec<String> = Vec::new();
        let mut rest = all.iter();
        while let Some(word) = rest.next() {
            let known = STAND_FOR.iter().find(|(name, _)| name == word);
            match word.as_str() {
                "--steps" | "--until" => drop(rest.next()),
                "-o" => {
                    // Names in capitals stand for any that is not there yet.
                    let name = rest.next().expect("a name");
                    self.made.set(self.made.get() + 1);
                    let new = !name.contains(char::is_lowercase);
                    let name = if new {
                        format!("made-{}", self.made.get())
                    } else {
                        name.clone()
                    };
                    small.extend([word.clone(), name]);
                }
                _ => small
                    .push(known.map_or_else(|| with_last(word), |(_, file)| (*file).to_owned())),
            }
        }
        match all[0].as_str() {
            "run" => {
                small.extend(words(SMALL));
                if self.samples(&all[1]) == 1 {
                    small.extend(words(FEW));
                }
                if !all.iter().any(|w| w == "--or-resume" || w == "--overwrite") {
                    small.push("--overwrite".to_owned());
                }
            }
            "resume" => small.extend(words(ON)),
            "bench" => small.extend(words("--sides 6")),
            _ => {}
        }
        small
    }
}
