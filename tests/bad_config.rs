//! Every file in `tests/configs/bad` is at fault in the ways that its first lines say: `# expect:` lines hold a part of one
//! message each, `# set:` lines an override. All that is expected must be told, and nothing else.

use moreau::comm::threads::Serial;
use moreau::sim::Options;
use moreau::{config, sample, sim};
use std::path::Path;

/// What a user is told about a configuration, one fault a line; nothing if it is good.
fn told(path: &Path, overrides: &[String]) -> String {
    let scenario = match config::load(path, overrides) {
        Ok(scenario) => scenario,
        Err(faults) => return faults.to_string(),
    };
    let bodies = scenario.samples.iter().map(sample::count);
    let faults = bodies.filter_map(|counted| counted.err().map(|e| e.to_string()));
    let faults = faults.collect::<Vec<_>>();
    if !faults.is_empty() {
        return faults.join("\n");
    }
    // Then what is wrong with the bodies once they are made.
    let options = Options {
        set: overrides.to_vec(),
        ..Options::default()
    };
    let checked = sim::check(&Serial, path, &options);
    checked.err().map_or_else(String::new, |e| e.to_string())
}

fn marked(text: &str, mark: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
    lines.map(|rest| rest.trim().to_owned()).collect()
}

#[test]
fn every_bad_configuration_is_refused_with_the_expected_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs/bad");
    let entries = std::fs::read_dir(&folder).expect("the folder is shipped");
    let mut files: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    files.sort();
    assert!(
        files.len() >= 189,
        "only {} files in {}",
        files.len(),
        folder.display()
    );
    let mut wrong = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("readable");
        let expected = marked(&text, "# expect:");
        let told = told(file, &marked(&text, "# set:"));
        let all = !expected.is_empty() && expected.iter().all(|part| told.contains(part.as_str()));
        if !all || told.lines().count() != expected.len() {
            let name = file.display();
            wrong.push(format!(
                "{name}\nexpected:\n{}\ntold:\n{told}\n",
                expected.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_configuration_is_named() {
    let faults = config::load(Path::new("no/such.toml"), &[]).expect_err("there is none");
    let text = faults.to_string();
    assert!(text.starts_with("no/such.toml: cannot be read: "), "{text}");
}
