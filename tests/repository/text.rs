//! Rules on single files: length, names, MPI and `unsafe` in their places, nothing left over, documents that name real files.

use crate::code::Source;

/// Lines that a Rust file may have.
const LONGEST: usize = 500;

/// Words in file and module names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "common", "helper", "helpers", "misc", "manager", "managers",
];

/// The only file that may name the MPI crate.
const MPI_HOME: &str = "src/comm/mpi.rs";

/// The file whose child module is called `mpi`.
const MPI_PARENT: &str = "src/comm.rs";

/// Files that may hold `unsafe`: those that call C libraries, and those by which threads share the bodies of a rank and processors are
/// asked for memory ahead.
fn may_be_unsafe(path: &str) -> bool {
    let solver = [
        "src/solver/shared.rs",
        "src/solver/blocks.rs",
        "src/solver/lanes.rs",
    ];
    path == MPI_HOME
        || path == "src/io/hdf.rs"
        || path.starts_with("src/io/hdf/")
        || solver.contains(&path)
}

/// A file of too many lines.
pub(crate) fn too_long(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    (lines > LONGEST).then(|| {
        format!(
            "{}: {lines} lines, {LONGEST} are allowed; split it by what it does",
            source.path
        )
    })
}

/// Names of files, folders and modules that say nothing.
pub(crate) fn empty_names(source: &Source) -> Vec<String> {
    let says_nothing = |name: &str| name.split('_').any(|word| EMPTY_NAMES.contains(&word));
    let stem = source.path.strip_suffix(".rs").unwrap_or(&source.path);
    let mut faults = Vec::new();
    for part in stem.split('/').filter(|part| says_nothing(part)) {
        faults.push(format!(
            "{}: `{part}` says nothing about what is inside",
            source.path
        ));
    }
    for (i, module) in source.modules().filter(|(_, module)| says_nothing(module)) {
        let line = source.tokens[i].line;
        faults.push(format!(
            "{}:{line}: `mod {module}` says nothing about what is inside",
            source.path
        ));
    }
    faults
}

/// Places outside [`MPI_HOME`] that name the MPI crate.
pub(crate) fn foreign_mpi(source: &Source) -> Vec<String> {
    if source.path == MPI_HOME {
        return Vec::new();
    }
    let names_crate = |i: usize| {
        let word = source.word(i);
        if word == "mpi_sys" {
            return true;
        }
        if word != "mpi" || source.continues_path(i) {
            return false;
        }
        let from_root = i >= 2 && source.is_path_separator(i - 2);
        let starts_path = source.is_path_separator(i + 1)
            && (source.path != MPI_PARENT || source.word(i + 3) == "ffi");
        let whole =
            i >= 1 && matches!(source.word(i - 1), "use" | "crate") && source.path != MPI_PARENT;
        from_root || starts_path || whole
    };
    (0..source.tokens.len())
        .filter(|&i| names_crate(i))
        .map(|i| {
            format!(
                "{}:{}: only {MPI_HOME} names the MPI crate",
                source.path, source.tokens[i].line
            )
        })
        .collect()
}

/// `unsafe` where it may not be, or without a reason above it.
pub(crate) fn unsafe_faults(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut faults = Vec::new();
    for (i, token) in source
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| t.text == "unsafe")
    {
        let at = format!("{}:{}", source.path, token.line);
        let needs_reason = matches!(source.word(i + 1), "{" | "impl" | "extern");
        if !may_be_unsafe(&source.path) {
            faults.push(format!(
                "{at}: `unsafe` belongs into {MPI_HOME}, src/io/hdf.rs and a few files of the solver only"
            ));
        } else if needs_reason && !has_reason(&lines, token.line - 1) {
            faults.push(format!(
                "{at}: `unsafe` without a `// SAFETY:` comment right above it"
            ));
        }
    }
    faults
}

/// Whether a comment that begins with `SAFETY:` stands in the three lines above line `at` (from 0), or reaches into them.
fn has_reason(lines: &[&str], at: usize) -> bool {
    let is_comment = |i: usize| lines[i].trim_start().starts_with("//");
    let mut i = at;
    while i > 0 && (at - i < 3 || (is_comment(i) && is_comment(i - 1))) {
        i -= 1;
        if is_comment(i) && lines[i].contains("// SAFETY:") {
            return true;
        }
    }
    false
}

/// Marks of unfinished work.
pub(crate) fn leftovers(source: &Source) -> Vec<String> {
    // Put together here, so that this file holds none of them.
    let words = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["X"; 3].concat(),
    ];
    let calls = [
        ["to", "do!("].concat(),
        ["unimplem", "ented!("].concat(),
        ["db", "g!("].concat(),
    ];
    let mut faults = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        let bare_words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let word = bare_words
            .into_iter()
            .find(|w| words.iter().any(|x| x == w));
        let call = calls.iter().find(|call| line.contains(call.as_str()));
        if let Some(mark) = word.or(call.map(String::as_str)) {
            faults.push(format!(
                "{}:{}: `{mark}` is left over",
                source.path,
                number + 1
            ));
        }
    }
    faults
}

/// Links and paths in a Markdown document that lead nowhere. `exists` tells whether a path from the root is there.
pub(crate) fn dead_paths(document: &Source, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let folder = document
        .path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut faults = Vec::new();
    let mut in_fence = false;
    for (number, line) in document.text.lines().enumerate() {
        let mut missing = |what: &str| {
            faults.push(format!(
                "{}:{}: {what} is not there",
                document.path,
                number + 1
            ))
        };
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            continue;
        }
        // What stands in backticks, or the whole line in a block of code.
        let code: Vec<&str> = if in_fence {
            vec![line]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for word in code
            .iter()
            .flat_map(|c| c.split_whitespace())
            .filter_map(repository_path)
        {
            if !exists(&word) && !exists(&join(folder, &word)) {
                missing(&word);
            }
        }
        if in_fence {
            continue;
        }
        for target in line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ']).next())
        {
            let path = target.split('#').next().unwrap_or(target);
            let elsewhere = path.is_empty() || path.contains("://") || path.starts_with("mailto:");
            if !elsewhere && !exists(&join(folder, path)) {
                missing(path);
            }
        }
    }
    faults
}

/// The path in a word that looks like one of this repository's, without a line number behind it and signs around it.
fn repository_path(word: &str) -> Option<String> {
    const FOLDERS: [&str; 7] = [
        "configs/", "jobs/", "tests/", "docs/", "src/", "benches/", ".ci/",
    ];
    let word = word
        .trim_matches(['"', '\'', '(', ')', ',', ';', ':'])
        .trim_start_matches("./");
    let path = match word.rsplit_once(':') {
        Some((path, line)) if line.chars().all(|c| c.is_ascii_digit()) => path,
        _ => word,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let named = FOLDERS.iter().any(|f| path.starts_with(f)) && path.chars().all(plain);
    (named && !path.contains("..")).then(|| path.trim_end_matches(['.', '/']).to_owned())
}

/// `path` as seen from `folder`, from the root.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::new(path, text)
    }

    #[test]
    fn five_hundred_lines_are_allowed_and_no_more() {
        assert!(too_long(&source("src/x.rs", &"//\n".repeat(500))).is_none());
        assert!(too_long(&source("src/x.rs", &"//\n".repeat(501))).is_some());
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        assert_eq!(empty_names(&source("src/io/utils.rs", "")).len(), 1);
        assert_eq!(empty_names(&source("tests/common/mod.rs", "")).len(), 1);
        assert_eq!(
            empty_names(&source("src/io.rs", "mod file_helpers { }\nmod hdf;")).len(),
            1
        );
        assert!(empty_names(&source("tests/harness/mod.rs", "mod commonplace;")).is_empty());
    }

    #[test]
    fn the_mpi_crate_is_seen_under_all_its_names() {
        for text in [
            "use ::mpi::traits::*;",
            "use mpi::ffi;",
            "fn f() { ::mpi::x() }",
            "fn f() -> mpi::Rank { 1 }",
            "extern crate mpi;",
            "use mpi as m;",
            "fn f() { mpi_sys::x() }",
        ] {
            assert_eq!(foreign_mpi(&source("src/io.rs", text)).len(), 1, "{text}");
            assert!(foreign_mpi(&source(MPI_HOME, text)).is_empty());
        }
        assert_eq!(
            foreign_mpi(&source(
                MPI_PARENT,
                "use ::mpi::x;\nfn f() { mpi::ffi::y() }"
            ))
            .len(),
            2
        );
        for text in [
            "use crate::comm::mpi::World;",
            "fn f() { let mpi = 1; g(mpi) } // mpi::",
            "#[cfg(feature = \"mpi\")] mod mpi;",
        ] {
            assert!(
                foreign_mpi(&source("src/main.rs", text)).is_empty(),
                "{text}"
            );
        }
        assert!(foreign_mpi(&source(MPI_PARENT, "mod mpi; pub use mpi::World;")).is_empty());
    }

    #[test]
    fn unsafe_needs_its_place_and_its_reason() {
        let bare = "fn f() {\n    unsafe { g() }\n}";
        let reasoned = "fn f() {\n    // SAFETY: g has no conditions,\n    // a,\n    // b,\n    // c.\n    let x =\n        unsafe { g() };\n}";
        let far =
            "// SAFETY: too far up\nfn a() {}\nfn b() {}\nfn c() {}\nfn f() { unsafe { g() } }";
        assert_eq!(
            unsafe_faults(&source("src/law.rs", reasoned)).len(),
            1,
            "not its place"
        );
        assert_eq!(
            unsafe_faults(&source("src/io/hdf.rs", bare)).len(),
            1,
            "no reason"
        );
        assert_eq!(
            unsafe_faults(&source("src/io/hdf.rs", far)).len(),
            1,
            "reason too far"
        );
        assert!(unsafe_faults(&source("src/io/hdf.rs", reasoned)).is_empty());
        assert_eq!(
            unsafe_faults(&source("src/comm/mpi.rs", "unsafe impl Send for X {}")).len(),
            1
        );
        assert!(
            unsafe_faults(&source(
                "src/law.rs",
                "// unsafe\nfn f() -> &str { \"unsafe\" }"
            ))
            .is_empty()
        );
    }

    #[test]
    fn leftovers_are_found_in_comments_and_in_code() {
        let bad = [
            format!("// {}: later", ["TO", "DO"].concat()),
            format!("# {}", ["FIX", "ME"].concat()),
            format!("let a = 1; // {}", ["X"; 3].concat()),
            format!("fn f() {{ {}) }}", ["to", "do!("].concat()),
            format!("fn f() {{ {}\"a\") }}", ["unimplem", "ented!("].concat()),
            format!("fn f() {{ {}1); }}", ["db", "g!("].concat()),
        ];
        for text in bad {
            assert_eq!(leftovers(&source("jobs/x.sh", &text)).len(), 1, "{text}");
        }
        assert!(leftovers(&source("jobs/x.sh", "mktemp /tmp/aXXXXXX # METHODOLOGY")).is_empty());
    }

    #[test]
    fn documents_name_files_that_are_there() {
        let exists =
            |path: &str| ["configs/a.toml", "docs/b.md", "docs", "src/law.rs"].contains(&path);
        let faults = |path: &str, text: &str| dead_paths(&source(path, text), &exists);
        let good = "[b](docs/b.md#part \"title\"), [w](https://x.org/y), [here](#x), `moreau run configs/a.toml`, `src/law.rs:12`,\n\
            `docs/`, `out/settle`, `configs/*.toml`, `src/<room>.rs`\n```sh\nmoreau run configs/a.toml --out out\n```\n";
        assert_eq!(faults("README.md", good), [""; 0]);
        assert!(
            faults(
                "docs/b.md",
                "[up](../configs/a.toml) [self](b.md) `src/law.rs`"
            )
            .is_empty()
        );
        for bad in [
            "[c](docs/c.md)",
            "see `configs/c.toml`",
            "`moreau run configs/c.toml`",
            "```\nmoreau run ./configs/c.toml\n```",
        ] {
            assert_eq!(faults("README.md", bad).len(), 1, "{bad}");
        }
        assert_eq!(
            faults("docs/b.md", "[a](configs/a.toml)").len(),
            1,
            "links go from the document"
        );
    }
}
