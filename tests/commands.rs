//! The command line tells all about itself: help for every argument, completions that a real bash takes, manual pages that `man` reads.

#[path = "commands/elastic.rs"]
mod elastic;
#[path = "harness/mod.rs"]
mod harness;
#[path = "commands/statics.rs"]
mod statics;

use moreau::command::parser;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Every command with all words of its name, the program first.
fn all(command: &clap::Command) -> Vec<&clap::Command> {
    let below = command.get_subcommands().flat_map(all);
    std::iter::once(command).chain(below).collect()
}

/// All words of a command's name.
fn name(command: &clap::Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

/// What a program prints, which has to end well and to complain of nothing.
fn printed(program: &str, args: &[&str]) -> String {
    let mut command = Command::new(program);
    command
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .env("MANWIDTH", "100");
    let output = harness::run(command, LIMIT);
    assert_eq!(
        output.status,
        Some(0),
        "{program} {args:?}: {}",
        output.stderr
    );
    assert_eq!(output.stderr, "", "{program} {args:?}");
    output.stdout
}

fn moreau(args: &[&str]) -> String {
    printed(env!("CARGO_BIN_EXE_moreau"), args)
}

/// Whether a program that only some machines have is here; if not, says what is not tried.
fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        harness::skipped(&format!("{program} is not here"));
    }
    found
}

#[test]
fn every_command_and_every_argument_has_help() {
    let program = parser();
    let mut arguments = 0;
    for command in all(&program) {
        let name = name(command);
        assert!(command.get_about().is_some(), "{name} is not explained");
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string);
            let id = argument.get_id();
            assert!(
                help.is_some_and(|h| h.len() > 3),
                "{name}: {id} has no help"
            );
            arguments += 1;
        }
    }
    assert!(arguments > 60, "{arguments} arguments were found");
    program.debug_assert();
    let solve = moreau(&["fclib", "solve", "--help"]);
    for (method, _) in moreau::fclib::METHODS {
        assert!(
            solve.contains(method),
            "--solver {method} is not told: {solve}"
        );
    }
}

/// Completes a line, the last word being the one at the cursor, as readline has bash do it.
fn completed(line: &[&str]) -> Vec<String> {
    let script = r#"
        eval "$("$1" completions bash)"
        shift
        function=$(complete -p moreau) && [[ $function =~ -F\ ([^ ]+) ]] && function=${BASH_REMATCH[1]}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        "$function" moreau "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut args = vec!["--norc", "-c", script, "bash", env!("CARGO_BIN_EXE_moreau")];
    args.extend(line);
    let mut words: Vec<String> = printed("bash", &args).lines().map(str::to_owned).collect();
    words.sort_unstable();
    words
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert_eq!(completed(&["moreau", "re"]), ["render", "report", "resume"]);
    assert_eq!(
        completed(&["moreau", "fclib", ""]),
        [
            "--help",
            "--version",
            "-V",
            "-h",
            "export",
            "info",
            "reduce",
            "solve"
        ]
    );
    assert_eq!(
        completed(&["moreau", "fclib", "solve", "--max"]),
        ["--max-seconds", "--max-sweeps"]
    );
    assert_eq!(
        completed(&["moreau", "run", "a.toml", "--ov"]),
        ["--overwrite"]
    );
    assert_eq!(
        completed(&["moreau", "convert", "out", "--to", ""]),
        ["lammps", "vtk", "xdmf"]
    );
    // Where it has nothing to say, bash completes names of files.
    assert_eq!(
        completed(&["moreau", "check", "tests/data/settle-1k.d"]),
        [""]
    );
    assert!(moreau(&["completions", "bash"]).contains("-o default"));
}

#[test]
fn scripts_for_all_shells_name_all_commands_and_can_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for (shell, check) in [
        ("bash", Some("-n")),
        ("zsh", Some("-n")),
        ("fish", Some("--no-execute")),
        ("elvish", None),
        ("powershell", None),
    ] {
        let script = moreau(&["completions", shell]);
        for command in all(&parser()) {
            let name = command.get_name();
            assert!(script.contains(name), "{shell}: {name} is missing");
        }
        if let Some(option) = check.filter(|_| is_there(shell)) {
            let file = folder.path().join(shell);
            fs::write(&file, script).expect("a script");
            printed(shell, &[option, file.to_str().expect("a path")]);
        }
    }
}

#[test]
fn manual_pages_hold_every_command_and_option_and_man_reads_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("share/man1");
    let told = moreau(&["man", "--out", pages.to_str().expect("a path")]);
    assert!(told.contains("wrote") && told.contains("man1"), "{told}");
    let page = pages.join("moreau.1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    let upon = command.args(["man", "--out"]).arg(page).output();
    assert_eq!(upon.expect("moreau runs").status.code(), Some(2));
    let program = parser();
    let expected: BTreeSet<String> = all(&program)
        .iter()
        .map(|c| format!("{}.1", name(c).replace(' ', "-")))
        .collect();
    let found = fs::read_dir(&pages).expect("the folder").map(|f| {
        f.expect("a file")
            .file_name()
            .into_string()
            .expect("a name")
    });
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);

    let man = is_there("man") && is_there("groff");
    for command in all(&program) {
        let name = name(command);
        let words: Vec<&str> = name.split(' ').skip(1).collect();
        let file = pages.join(format!("{}.1", name.replace(' ', "-")));
        let page = fs::read_to_string(&file).expect("a page");
        assert_eq!(
            moreau(&[&["man"], words.as_slice()].concat()).trim_end(),
            page.trim_end(),
            "{name}"
        );
        for argument in command.get_arguments() {
            let long = argument
                .get_long()
                .map(|l| format!("\\-\\-{}", l.replace('-', "\\-")));
            let help = argument.get_help().expect("help").to_string();
            let begin = help.split(['-', '\'', '.']).next().unwrap_or_default();
            let own = !matches!(argument.get_id().as_str(), "help" | "version");
            assert!(!begin.is_empty(), "{name}: {argument}: {help}");
            assert!(!own || page.contains(begin), "{name}: {begin}");
            assert!(long.is_none_or(|l| page.contains(&l)), "{name}: {argument}");
        }
        for below in command.get_subcommands() {
            let reference = format!("{}(1)", self::name(below).replace([' ', '-'], "\\-"));
            assert!(page.contains(&reference), "{name}: {reference} is missing");
        }
        if man {
            let text = printed(
                "man",
                &[
                    "--warnings=w",
                    "-l",
                    "-Tutf8",
                    file.to_str().expect("a path"),
                ],
            );
            // On paper bold letters are struck twice: letter, step back, letter.
            let struck: Vec<char> = text.chars().collect();
            let text: String = (0..struck.len())
                .filter(|&i| struck[i] != '\u{8}' && struck.get(i + 1) != Some(&'\u{8}'))
                .map(|i| struck[i])
                .collect();
            for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
                assert!(text.contains(heading), "{name}: {heading}: {text}");
            }
        }
    }
}

/// What cannot be written to stdout is told, and is no success.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_stdout_is_told() {
    for args in [vec!["man", "run"], vec!["completions", "bash"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.args(&args).stdout(full.expect("/dev/full"));
        let output = command.output().expect("moreau runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{args:?}: {said}");
        assert!(said.contains("stdout"), "{args:?}: {said}");
    }
}

#[test]
fn what_cannot_be_told_is_refused() {
    let refused = |args: &[&str], status: i32, said: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
        command.args(args);
        let output = harness::run(command, LIMIT);
        assert_eq!(output.status, Some(status), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(said), "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{args:?}");
    };
    refused(
        &["man", "walk"],
        2,
        "command of moreau: must be one of run, resume",
    );
    refused(
        &["man", "fclib", "walk"],
        2,
        "command of moreau fclib: must be one of info, solve, reduce, export; found walk",
    );
    refused(
        &["man", "run", "x"],
        2,
        "command of moreau run: must be left out; found x",
    );
    refused(&["man", "run", "--out", "x"], 2, "cannot be used with");
    refused(&["completions", "tcsh"], 2, "possible values: bash");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let below: &Path = &file.join("pages");
    refused(
        &["man", "--out", below.to_str().expect("a path")],
        2,
        "file/pages: must be a folder that can be made and written to; found Not a directory",
    );
}

/// The keys of a configuration and their values, as `check` accepts them.
#[test]
fn keys_are_told() {
    let all = moreau(&["keys"]);
    assert!(all.contains("\nsolver: tolerance, max_sweeps, "), "{all}");
    let one = moreau(&["keys", "checkpoint.keep"]);
    let told = "checkpoint.keep\n    default: 2\n    accepted: a whole number >= 1\n    number of files kept\n";
    assert_eq!(one, told);
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    command.args(["keys", "checkpiont"]);
    let output = harness::run(command, LIMIT);
    assert_eq!(output.status, Some(2));
    assert!(
        output
            .stderr
            .starts_with("moreau: must be TABLE or TABLE.KEY of ")
    );
    assert!(
        output.stderr.ends_with("; found checkpiont\n"),
        "{}",
        output.stderr
    );
}
