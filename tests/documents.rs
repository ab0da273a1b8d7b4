//! What the documents say to type works: commands of the program run in a small case, options of commands and scripts are
//! there, TOML can be read, examples in Python run where Python has what they import.

#[path = "harness/mod.rs"]
mod harness;
#[path = "documents/workshop.rs"]
mod workshop;

use moreau::command::parser;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::cell::LazyCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use workshop::Workshop;

const LIMIT: Duration = Duration::from_secs(60);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A block of code, or code within the text.
struct Code {
    /// File and line.
    at: String,
    /// `None`: within the text.
    language: Option<String>,
    text: String,
}

/// All code of a document.
fn code_of(document: &str, text: &str) -> Vec<Code> {
    let (mut found, mut block) = (Vec::new(), None);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let at = format!("{document}:{}", text[..range.start].lines().count() + 1);
        let code = |language, text: &str| Code {
            at,
            language,
            text: text.to_owned(),
        };
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => "text".to_owned(),
                };
                block = Some(code(Some(language), ""));
            }
            Event::End(TagEnd::CodeBlock) => found.extend(block.take()),
            Event::Text(text) => block.iter_mut().for_each(|b| b.text.push_str(&text)),
            Event::Code(text) => found.push(code(None, &text)),
            _ => {}
        }
    }
    found
}

/// All documents: their paths and their code.
fn documents() -> Vec<(String, Vec<Code>)> {
    let docs = fs::read_dir(root().join("docs")).expect("docs");
    let docs = docs.map(|f| format!("docs/{}", f.expect("a file").file_name().to_string_lossy()));
    let mut paths: Vec<String> = docs.filter(|p| p.ends_with(".md")).collect();
    paths.extend(["README.md".to_owned(), "CONTRIBUTING.md".to_owned()]);
    paths.sort_unstable();
    let code = |path: &String| {
        code_of(
            path,
            &fs::read_to_string(root().join(path)).expect("a document"),
        )
    };
    paths
        .iter()
        .map(|path| (path.clone(), code(path)))
        .collect()
}

/// The commands of a block of shell, one a line, in words and without what they are written to or handed on to; of code within the text the
/// one. None of other languages.
fn commands(code: &Code) -> Vec<Vec<String>> {
    let whole = code.text.replace("\\\n", " ");
    let lines: Vec<&str> = match code.language.as_deref() {
        None | Some("sh") => whole.lines().collect(),
        Some("console") => whole.lines().filter_map(|l| l.strip_prefix("$ ")).collect(),
        _ => Vec::new(),
    };
    let ends = ["|", ">", ">>", "&&", ";", "&", "<"];
    let words = lines.iter().map(|line| match shlex::split(line) {
        Some(words) => words,
        None if code.language.is_none() => Vec::new(), // Code that is no command may hold an apostrophe.
        None => panic!("{}: {line}: a quotation without end", code.at),
    });
    let words = words.map(|all| all.into_iter().take_while(|w| !ends.contains(&w.as_str())));
    let words = words.map(Iterator::collect::<Vec<_>>);
    words.filter(|words| !words.is_empty()).collect()
}

/// The words behind `moreau`, and those before it, where the program is called: by itself or by mpirun.
fn of_program(words: &[String]) -> Option<(&[String], &[String])> {
    let place = match words[0].as_str() {
        "moreau" => 0,
        "mpirun" | "srun" => words.iter().position(|w| w == "moreau")?,
        _ => return None,
    };
    Some((&words[..place], &words[place + 1..]))
}

/// Why the program's own command line does not take these words.
fn refused(words: &[String]) -> Option<String> {
    let all = std::iter::once("moreau").chain(words.iter().map(String::as_str));
    let read = parser().try_get_matches_from(all);
    read.err().map(|e| e.to_string())
}

/// Which command or option of these words, a part of a command line, the program does not have.
fn unknown(words: &[String]) -> Option<String> {
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

/// What a script prints when it is asked for help.
fn help(script: &str) -> String {
    let mut command = Command::new("bash");
    command.args([script, "--help"]).current_dir(root());
    let output = harness::run(command, LIMIT);
    assert_eq!(output.status, Some(0), "{script}: {}", output.stderr);
    output.stdout
}

/// Why the call of a script of the repository does not hold: the script is there, its help knows the options, and a job's arguments are those of
/// `moreau run`.
fn script_fault(words: &[String]) -> Option<String> {
    let is_script = |w: &String| w.starts_with("jobs/") || w.starts_with(".ci/");
    let called = ["bash", "sbatch", "."].contains(&words[0].as_str());
    let place = words.iter().position(is_script).filter(|_| called)?;
    let (script, arguments) = (&words[place], &words[place + 1..]);
    if !root().join(script).is_file() {
        return Some(format!("{script} is not there"));
    }
    if let ("sbatch", [config, _out, rest @ ..]) = (words[0].as_str(), arguments) {
        let run = [&["run".to_owned(), config.clone()], rest].concat();
        return refused(&run);
    }
    let mut options = arguments.iter().filter(|a| a.starts_with("--")).peekable();
    let known = options.peek().map(|_| help(script)).unwrap_or_default();
    options
        .find(|option| !known.contains(option.as_str()))
        .map(|option| format!("{script} does not know {option}"))
}

/// Why a command does not hold: by the program's own command line, of which code within the text may be a part, or by the script's.
fn fault(words: &[String], part: bool) -> Option<String> {
    match of_program(words) {
        Some((_, words)) if part => unknown(words),
        Some((_, words)) => refused(words),
        None => script_fault(words),
    }
}

#[test]
fn every_command_and_option_is_there() {
    let (mut faults, mut counted) = (Vec::new(), 0);
    for code in documents().iter().flat_map(|(_, code)| code) {
        let part = code.language.is_none();
        for words in commands(code) {
            counted += usize::from(of_program(&words).is_some());
            faults.extend(fault(&words, part).map(|why| format!("{}: {why}", code.at)));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(counted > 60, "only {counted} commands were found");
}

#[test]
fn commands_and_options_that_are_not_there_are_found() {
    let why = |line: &str, part| fault(&shlex::split(line).expect("words"), part);
    for bad in [
        "moreau walk out",
        "moreau run configs/settle.toml --step 3",
        "mpirun -n 2 moreau resume",
        "bash jobs/nothing.sh",
        "bash jobs/compare.sh --quickly",
        "sbatch --ntasks=2 jobs/run.sbatch configs/settle.toml out --untli 3",
    ] {
        assert!(why(bad, false).is_some(), "{bad}");
    }
    assert!(why("moreau run --resume", true).is_some() && why("moreau fclib draw", true).is_some());
    for good in [
        "moreau run a.toml --set b=1",
        "bash jobs/compare.sh --quick",
    ] {
        assert_eq!(why(good, false), None, "{good}");
    }
    assert_eq!(why("moreau run --or-resume", true), None);
    let text = "`moreau a` and\n```sh\n# only a comment\nmoreau b \"x y\"  # says\nmpirun -n 2 \\\n  moreau c | less\n```\n\
                ```console\n$ moreau d > file\nprinted\n```\n```python\nmoreau\n```\n";
    let found = code_of("x.md", text);
    let lines: Vec<String> = found
        .iter()
        .flat_map(commands)
        .map(|w| w.join("·"))
        .collect();
    let expected = [
        "moreau·a",
        "moreau·b·x y",
        "mpirun·-n·2·moreau·c",
        "moreau·d",
    ];
    assert_eq!(lines, expected);
    assert_eq!(found[2].at, "x.md:8");
}

#[test]
fn scripts_explain_themselves() {
    // These are sourced by others.
    let sourced = ["in-slurm.sh", "liggghts.sh", "mpi-env.sh", "siconos.sh"];
    for script in fs::read_dir(root().join("jobs")).expect("jobs") {
        let name = script.expect("a file").file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".sh") && !sourced.contains(&&*name) {
            let (script, call) = (format!("jobs/{name}"), format!("bash jobs/{name}"));
            assert!(help(&script).contains(&call), "{script}");
        }
    }
}

/// The Python of `MOREAU_PYTHON`, or `python3`, where it has these modules; if not, says so.
fn python(imports: &str) -> Option<String> {
    let python = std::env::var("MOREAU_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut tried = Command::new(&python);
    let tried = tried.args(["-c", &format!("import {imports}")]).output();
    if tried.is_ok_and(|o| o.status.success()) {
        return Some(python);
    }
    harness::skipped(&format!(
        "examples with {imports}: {python} has none; see MOREAU_PYTHON"
    ));
    None
}

/// Goes through each document in a folder of its own that holds a small run: TOML with a name in its first line is saved under it, commands
/// that call the program are run, and so are examples in Python.
#[test]
fn commands_and_examples_do_what_they_say() {
    let with_arrays = python("h5py, numpy, pandas");
    let with_vtk = with_arrays.clone().filter(|_| python("vtk").is_some());
    let (mut run, mut examples) = (0, 0);
    for (_, all) in documents() {
        let workshop = LazyCell::new(Workshop::new);
        for code in all.iter().filter(|code| code.language.is_some()) {
            let (at, text) = (&code.at, &code.text);
            match code.language.as_deref().unwrap_or_default() {
                "toml" => {
                    let read = text.parse::<toml::Table>();
                    assert!(read.is_ok(), "{at}: {read:?}");
                    let name = text.lines().next().and_then(|l| l.strip_prefix("# "));
                    if let Some(name) = name.filter(|n| n.ends_with(".toml")) {
                        fs::write(workshop.path().join(name), text).expect("a configuration");
                    }
                }
                "python" => {
                    let python = if text.contains("import vtk") {
                        &with_vtk
                    } else {
                        &with_arrays
                    };
                    let Some(python) = python else { continue };
                    let mut command = Command::new(python);
                    command.args(["-c", &workshop::with_last(text)]);
                    command.current_dir(workshop.path());
                    let output = harness::run(command, LIMIT);
                    assert_eq!(output.status, Some(0), "{at}: {}", output.stderr);
                    assert_ne!(output.stdout.trim(), "", "{at}: it prints nothing");
                    examples += 1;
                }
                "sh" | "console" => {
                    for words in commands(code) {
                        let Some((before, words)) = of_program(&words) else {
                            continue;
                        };
                        let ranks = if before.is_empty() { 1 } else { 2 };
                        workshop.try_small(at, ranks, words);
                        run += 1;
                    }
                }
                "text" => {}
                other => panic!("{at}: a block of code in {other:?}, which nothing tries"),
            }
        }
    }
    assert!(run > 25, "only {run} commands were run");
    let all = with_arrays.is_none() || examples >= if with_vtk.is_some() { 7 } else { 6 };
    assert!(all, "only {examples} examples were run");
}

/// Names in an entry of a list that are in none of the files of the entry.
fn missing_names(text: &str) -> Vec<String> {
    let mut entries: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Item) => {
                entries.push(Vec::new());
                inside = true;
            }
            Event::End(TagEnd::Item) => inside = false,
            Event::Code(code) if inside => entries
                .iter_mut()
                .last()
                .expect("an entry")
                .push(code.to_string()),
            _ => {}
        }
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut missing = Vec::new();
    for entry in entries {
        let (files, rest): (Vec<_>, Vec<_>) = entry.into_iter().partition(|s| s.ends_with(".rs"));
        let text = files
            .iter()
            .map(|f| fs::read_to_string(root().join(f)).unwrap_or_default());
        let text = text.collect::<Vec<_>>().join("\n");
        let there: Vec<&str> = text.split(|c| !is_name(c)).collect();
        let names = rest.iter().filter(|name| name.chars().all(is_name));
        let names = names.filter(|name| !there.contains(&name.as_str()));
        missing.extend(names.map(|name| format!("{name} is not in {files:?}")));
    }
    missing
}

#[test]
fn names_in_the_guide_to_the_source_are_there() {
    let guide = root().join(Path::new("docs/extending.md"));
    let missing = missing_names(&fs::read_to_string(guide).expect("the guide"));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let text = "1. `src/law.rs`: `Status` and\n   `Nothing`.\n\n`Other`\n";
    assert_eq!(missing_names(text).len(), 1);
}

/// The commit that brought bonds, the guide's example of a law of its own.
const BONDS: &str = "c59723e93ea236fa9c9752606cd9eaad457609cc";

/// A law of its own changes the files of `src` that the guide lists, and no others: those that the
/// commit of bonds changed. Needs the history; SKIPPED in a copy without it (a shallow clone, an
/// archive).
#[test]
fn a_law_of_its_own_changes_the_files_that_the_guide_lists() {
    let guide = fs::read_to_string(root().join("docs/extending.md")).expect("the guide");
    let from = guide.find("## A law of its own").expect("the section");
    let section = guide[from..].split("\n## ").next().expect("its text");
    let mut listed: Vec<&str> = section
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(|line| line.split('`').nth(1))
        .collect();
    listed.sort_unstable();
    assert!(listed.len() <= 4, "{listed:?}");
    let git = |args: &[&str]| {
        let done = Command::new("git").current_dir(root()).args(args).output();
        done.ok().filter(|done| done.status.success())
    };
    let args = ["show", "--format=", "--name-only", BONDS, "--", "src"];
    let Some(changed) = git(&args) else {
        let shallow = git(&["rev-parse", "--is-shallow-repository"]);
        let shallow = shallow.is_none_or(|done| done.stdout.starts_with(b"true"));
        assert!(
            shallow,
            "commit {BONDS} must be in the history of a full clone"
        );
        eprintln!("\n*** SKIPPED: commit {BONDS} is not in this copy's history ***\n");
        return;
    };
    let changed = String::from_utf8(changed.stdout).expect("paths");
    let mut changed: Vec<&str> = changed.lines().collect();
    changed.sort_unstable();
    assert_eq!(changed, listed);
}
