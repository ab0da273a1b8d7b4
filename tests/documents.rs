//! What the documents say to type can be typed: every command is taken by the program's own command line and run in a small case, or held
//! against the script that runs it; examples in Python are run where Python has what they need.

#[path = "documents/blocks.rs"]
mod blocks;
#[path = "harness/mod.rs"]
mod harness;
#[path = "documents/workshop.rs"]
mod workshop;

use blocks::{Block, Typed};
use moreau::command::parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use workshop::Workshop;

const LIMIT: Duration = Duration::from_secs(60);

/// What runs a command of another program: a file, by these words; or nothing, for this reason.
enum Runner {
    File(&'static str, &'static str),
    Nobody(&'static str),
}
use Runner::{File, Nobody};

/// Commands of other programs, how they begin, and what runs them.
const OTHERS: [(&str, Runner); 22] = [
    (
        "cargo build --release --no-default-features --features bundled",
        File("jobs/test.sh", "--no-default-features --features bundled"),
    ),
    (
        "cargo build --release",
        File("jobs/demo.sh", "cargo build --release"),
    ),
    (
        "cargo install --path .",
        Nobody("what it builds is what `cargo build --release` builds"),
    ),
    ("cargo test", File("jobs/test.sh", "cargo test")),
    ("cargo fmt", File(".ci/run", "cargo fmt")),
    (
        "cargo clippy --all-targets -- -D warnings",
        File(".ci/run", "clippy --locked --all-targets -- -D warnings"),
    ),
    ("cargo doc", File(".ci/run", "cargo doc")),
    (
        "cargo bench --bench instructions -- --check",
        File(
            ".ci/run",
            "cargo bench --locked --bench instructions -- --check",
        ),
    ),
    (
        "cargo bench --bench instructions -- --write",
        Nobody("it changes the figures that the check holds to"),
    ),
    (
        "cargo bench --bench kernels",
        Nobody("figures of an idle machine; compiled by `cargo clippy --all-targets`"),
    ),
    (
        "bash .ci/run",
        Nobody("it runs the tests, this one among them"),
    ),
    (
        ". jobs/mpi-env.sh",
        File("jobs/test.sh", ". jobs/mpi-env.sh"),
    ),
    (
        "eval $(bash jobs/slurm-local.sh env)",
        File("jobs/test-slurm.sh", "slurm-local.sh env"),
    ),
    ("squeue", File("jobs/slurm-local.sh", "squeue")),
    ("scancel", File("jobs/test-slurm.sh", "scancel")),
    ("mpirun", Nobody("options alone, without a program")),
    ("man", Nobody("tests/commands.rs lets it read all pages")),
    ("ffmpeg", Nobody("another program: frames become a film")),
    ("pip install", File("jobs/test-vtk.sh", "pip -q install")),
    ("git", Nobody("another program")),
    ("mkdir", Nobody("another program")),
    ("tail", Nobody("another program")),
];

/// Scripts that a script runs; the others are begun by hand, and only looked at here.
const RUN_BY: [(&str, &str); 6] = [
    ("jobs/setup.sh", ".ci/run"),
    ("jobs/test.sh", ".ci/run"),
    ("jobs/slurm-local.sh", "jobs/test-slurm.sh"),
    ("jobs/run.sbatch", "jobs/test-slurm.sh"),
    ("jobs/chain.sbatch", "jobs/test-slurm.sh"),
    ("jobs/array.sbatch", "jobs/test-slurm.sh"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// All documents with their texts, in the order of their paths.
fn documents() -> Vec<(String, String)> {
    let docs = fs::read_dir(root().join("docs")).expect("docs");
    let docs = docs.map(|f| format!("docs/{}", f.expect("a file").file_name().to_string_lossy()));
    let mut paths: Vec<String> = docs.filter(|p| p.ends_with(".md")).collect();
    paths.extend(["README.md".to_owned(), "CONTRIBUTING.md".to_owned()]);
    paths.sort_unstable();
    paths
        .into_iter()
        .map(|path| (path.clone(), read(&path)))
        .collect()
}

fn blocks_of(document: &str, text: &str) -> Vec<Block> {
    blocks::blocks(document, text).unwrap_or_else(|e| panic!("{e}"))
}

fn commands_of(document: &str, text: &str) -> Vec<Typed> {
    let found = blocks_of(document, text);
    let typed = found
        .iter()
        .map(|b| blocks::commands(b).unwrap_or_else(|e| panic!("{e}")));
    typed.flatten().collect()
}

/// Why the program's own command line does not take these words.
fn refused(words: &[String]) -> Option<String> {
    let all = std::iter::once("moreau").chain(words.iter().map(String::as_str));
    parser()
        .try_get_matches_from(all)
        .err()
        .map(|e| e.to_string())
}

/// Why a command in the text, which may be a part of one, is none: its commands and options are looked at.
fn not_told(words: &[String]) -> Option<String> {
    let program = parser();
    let mut command = &program;
    for word in words {
        if let Some(found) = command.find_subcommand(word) {
            command = found;
        } else if let Some(option) = word.trim_matches(['[', ']']).strip_prefix("--") {
            let option = option.split('=').next();
            if !command.get_arguments().any(|a| a.get_long() == option) {
                return Some(format!("{} has no option {word}", command.get_name()));
            }
        } else if command.has_subcommands() {
            return Some(format!("{word} is no command of {}", command.get_name()));
        }
    }
    None
}

/// Why a call of one of the repository's scripts does not hold: it is there, some file runs it or it explains itself, and it knows the options.
fn script_fault(script: &str, arguments: &[String]) -> Option<String> {
    let path = root().join(script);
    let Ok(text) = fs::read_to_string(&path) else {
        return Some("is not there".to_owned());
    };
    let runner = RUN_BY.iter().find(|(name, _)| *name == script);
    if let Some((_, by)) = runner {
        let name = script.trim_start_matches("jobs/");
        if !read(by).contains(name) {
            return Some(format!("is not run by {by}"));
        }
    } else if script.ends_with(".sbatch")
        && !read("jobs/scaling.sbatch").contains("jobs/scaling.sh")
    {
        return Some("runs nothing".to_owned());
    }
    let unknown = arguments
        .iter()
        .find(|a| a.starts_with("--") && !text.contains(a.as_str()));
    unknown.map(|option| format!("does not know {option}"))
}

/// Why nothing stands for a command: neither the program's command line, nor a script, nor a file that runs it.
fn fault(typed: &Typed) -> Option<String> {
    if let Some((_, words)) = typed.of_program() {
        return refused(words);
    }
    let line = typed.line();
    if let Some((_, runner)) = OTHERS.iter().find(|(start, _)| line.starts_with(start)) {
        return match runner {
            File(file, words) => {
                (!read(file).contains(words)).then(|| format!("{file} does not run it"))
            }
            Nobody(why) => why.is_empty().then(|| "no reason".to_owned()),
        };
    }
    let is_script = |w: &String| w.starts_with("jobs/") || w.starts_with(".ci/");
    let Some(place) = typed.words.iter().position(is_script) else {
        return Some("nothing is known to run it (OTHERS in tests/documents.rs)".to_owned());
    };
    let (before, script, after) = (
        &typed.words[..place],
        &typed.words[place],
        &typed.words[place + 1..],
    );
    match before.first().map(String::as_str) {
        Some("bash") if before.len() == 1 => script_fault(script, after),
        Some("sbatch") => script_fault(script, &[]).or_else(|| match after {
            [config, _out, rest @ ..] if !script.contains("scaling") => {
                let list = usize::from(script.contains("array"));
                let run = ["run".to_owned(), config.clone()];
                refused(&[run.as_slice(), &rest[list.min(rest.len())..]].concat())
            }
            _ => None,
        }),
        _ => Some("neither bash nor sbatch".to_owned()),
    }
}

#[test]
fn every_command_is_known_to_something_that_runs_it() {
    let mut faults = Vec::new();
    let mut counted = 0;
    for (document, text) in documents() {
        for typed in commands_of(&document, &text) {
            counted += 1;
            faults
                .extend(fault(&typed).map(|why| format!("{}: {}: {why}", typed.at, typed.line())));
        }
        for (at, code) in blocks::spans(&document, &text) {
            let starts = [
                "moreau ",
                "mpirun ",
                "bash jobs/",
                "cargo ",
                "sbatch ",
                ". jobs/",
                "pip ",
            ];
            if !starts.iter().any(|s| code.starts_with(s)) {
                continue;
            }
            counted += 1;
            let typed = Typed::new(&at, &code).unwrap_or_else(|e| panic!("{e}"));
            let typed = typed.expect("a command");
            let why = match typed.of_program() {
                Some((_, words)) => not_told(words),
                None => fault(&typed),
            };
            faults.extend(why.map(|why| format!("{at}: {code}: {why}")));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(counted > 60, "only {counted} commands were found");
}

#[test]
fn commands_that_nobody_runs_are_found() {
    let why = |line: &str| {
        fault(
            &Typed::new("x.md:1", line)
                .expect("a line")
                .expect("a command"),
        )
    };
    for bad in [
        "moreau walk out",
        "moreau run configs/settle.toml --step 3",
        "mpirun -n 2 moreau resume",
        "bash jobs/nothing.sh",
        "bash jobs/compare.sh --quickly",
        "sbatch --ntasks=2 jobs/run.sbatch configs/settle.toml out --untli 3",
        "make",
    ] {
        assert!(why(bad).is_some(), "{bad}");
    }
    for good in [
        "moreau run a.toml --set b=1",
        "mpirun -n 2 moreau resume out",
        "bash jobs/compare.sh --quick",
    ] {
        assert_eq!(why(good), None, "{good}");
    }
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(not_told(&words("run --or-resume")), None);
    assert!(not_told(&words("run --resume")).is_some());
    assert!(not_told(&words("fclib draw")).is_some());
}

#[test]
fn scripts_tell_what_they_are_for() {
    // These are sourced by others.
    let sourced = ["jobs/in-slurm.sh", "jobs/mpi-env.sh", "jobs/siconos.sh"];
    for script in fs::read_dir(root().join("jobs")).expect("jobs") {
        let script = format!(
            "jobs/{}",
            script.expect("a file").file_name().to_string_lossy()
        );
        if !script.ends_with(".sh") || sourced.contains(&script.as_str()) {
            continue;
        }
        let mut command = Command::new("bash");
        command.args([&script, "--help"]).current_dir(root());
        let told = harness::run(command, LIMIT);
        assert_eq!(told.status, Some(0), "{script}: {}", told.stderr);
        assert!(
            told.stdout.contains(&format!("bash {script}")),
            "{script}: {}",
            told.stdout
        );
    }
}

/// The Python with h5py, numpy and pandas: that of `MOREAU_PYTHON`, or `python3`. If there is none, says so.
fn python(imports: &str) -> Option<String> {
    let python = std::env::var("MOREAU_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let tried = Command::new(&python)
        .args(["-c", &format!("import {imports}")])
        .output();
    if tried.is_ok_and(|o| o.status.success()) {
        return Some(python);
    }
    eprintln!(
        "\n*** NOT TRIED: {python} has no {imports}; MOREAU_PYTHON may name one that has ***\n"
    );
    None
}

/// Goes through the documents block by block, each in a folder of its own that holds a small run: commands that call the program are run, TOML
/// with a name in its first line is saved under it, and examples in Python are run where Python has what they import.
#[test]
fn commands_and_examples_of_the_documents_do_what_they_say() {
    let with_arrays = python("h5py, numpy, pandas");
    let with_vtk = with_arrays.clone().filter(|_| python("vtk").is_some());
    let (mut commands, mut examples) = (0, 0);
    for (document, text) in documents() {
        let blocks = blocks_of(&document, &text);
        let typed = |b: &Block| blocks::commands(b).unwrap_or_else(|e| panic!("{e}"));
        let ours = |t: &Typed| t.of_program().is_some();
        if !blocks
            .iter()
            .any(|b| b.language == "python" || typed(b).iter().any(ours))
        {
            continue;
        }
        let mut workshop = Workshop::new();
        for block in &blocks {
            let name = block.text.lines().next().and_then(|l| l.strip_prefix("# "));
            if let Some(name) = name.filter(|n| n.ends_with(".toml") && block.language == "toml") {
                fs::write(workshop.path().join(name), &block.text).expect("a configuration");
            }
            for typed in typed(block).iter().filter(|t| ours(t)) {
                let (_, words) = typed.of_program().expect("the program");
                let ranks = if typed.words[0] == "moreau" { 1 } else { 2 };
                let small = workshop.small(words);
                let output = workshop.run(ranks, &small);
                let (at, line) = (&typed.at, typed.line());
                let told = format!("{}{}", output.stdout, output.stderr);
                assert_eq!(output.status, Some(0), "{at}: {line}\nas {small:?}\n{told}");
                commands += 1;
            }
            let python = match block.text.contains("import vtk") {
                true => &with_vtk,
                false => &with_arrays,
            };
            if let Some(python) = python.as_ref().filter(|_| block.language == "python") {
                let mut command = Command::new(python);
                command
                    .args(["-c", &workshop.with_newest(&block.text)])
                    .current_dir(workshop.path());
                let output = harness::run(command, LIMIT);
                assert_eq!(output.status, Some(0), "{}: {}", block.at, output.stderr);
                assert!(
                    !output.stdout.trim().is_empty(),
                    "{}: it prints nothing",
                    block.at
                );
                examples += 1;
            }
        }
    }
    assert!(commands > 25, "only {commands} commands were run");
    assert!(
        with_arrays.is_none() || examples >= 6,
        "only {examples} examples were run"
    );
}

/// Names in code that stand behind a file in an entry of a list are in that file, or in one of the others of the entry.
fn missing_names(text: &str) -> Vec<String> {
    let mut entries: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let starts = line
            .split_once(". `")
            .is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        inside = starts || (inside && line.starts_with("   "));
        if starts {
            entries.push(Vec::new());
        }
        if let Some(entry) = entries.last_mut().filter(|_| inside) {
            entry.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let is_file = |span: &String| span.starts_with("src/") || span.starts_with("tests/");
    let is_name = |span: &&String| span.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let mut missing = Vec::new();
    for entry in entries {
        let texts: Vec<String> = entry
            .iter()
            .filter(|s| is_file(s) && s.ends_with(".rs"))
            .map(|f| read(f))
            .collect();
        for name in entry.iter().filter(is_name) {
            if !texts.iter().any(|text| {
                text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric())
                    .any(|word| word == name)
            }) {
                missing.push(format!(
                    "{name} is not in {:?}",
                    entry.iter().filter(|s| is_file(s)).collect::<Vec<_>>()
                ));
            }
        }
    }
    missing
}

#[test]
fn names_in_the_guide_to_the_source_are_there() {
    let missing = missing_names(&read("docs/extending.md"));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert_eq!(
        missing_names("1. `src/law.rs`: `Status` and\n   `Nothing`.\n\n`Other`\n").len(),
        1
    );
}

/// Blocks of other languages: TOML is TOML, and there are no languages that nobody looks at.
#[test]
fn blocks_of_other_languages_can_be_read() {
    for (document, text) in documents() {
        for block in blocks_of(&document, &text) {
            match block.language.as_str() {
                "toml" => {
                    let read = block.text.parse::<toml::Table>();
                    assert!(read.is_ok(), "{}: {read:?}", block.at);
                }
                "sh" | "console" | "python" | "text" => {}
                // Parts of this program's source, which have to be there as they stand.
                "rust" => {
                    let at = Path::new(&block.at);
                    panic!("{}: source goes out of date; name the file", at.display());
                }
                other => panic!("{}: a block of {other}", block.at),
            }
        }
    }
}
