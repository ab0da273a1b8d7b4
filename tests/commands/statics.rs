//! `moreau check` and `moreau run` of quasi-static configurations.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use super::{LIMIT, moreau};
use crate::harness;
use std::path::Path;
use std::process::Command;

/// The lines of `moreau check` on the biaxial test, with keys set.
fn checked(keys: &[&str]) -> Vec<String> {
    let config = format!(
        "{}/configs/quasistatic-biaxial.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut args = vec!["check", &config];
    args.extend(keys.iter().flat_map(|key| ["--set", key]));
    moreau(&args).lines().map(str::to_owned).collect()
}

/// 300 N on a face of 0.279 m² press discs of 1 cm: `σ 2 r/k_n` = 2.2e-3 r. The lid moves by 2.79e-5 m.
#[test]
fn check_compares_walls_with_overlaps() {
    let lines = checked(&[]);
    let begins = |lines: &[String], with: &str| lines.iter().any(|line| line.starts_with(with));
    assert!(
        begins(&lines, "unknowns   601: 3 of each free body, 1 of"),
        "{lines:#?}"
    );
    assert!(begins(&lines, "springs    disc on disc: k_n 1.000e6 N/m;"));
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("an overlap of about 2.2e-3 r"))
    );
    assert!(begins(
        &lines,
        "motion     wall lid: at most 2.790e-5 m in an increment, 2.78e-3 r, 1.29e0 of"
    ));
    assert!(begins(&lines, "advice     wall lid moves further"));
    assert!(!begins(&lines, "soft "), "{lines:#?}");
    // An increment of half the length moves it less than bodies overlap.
    let lines = checked(&["time.dt=0.5"]);
    assert!(begins(
        &lines,
        "motion     wall lid: at most 1.395e-5 m in an increment"
    ));
    assert!(!begins(&lines, "advice"), "{lines:#?}");
    // A load that grows to three times its value.
    let factor = "wall.1.free.factor={ times = [0.0, 20.0], values = [0.0, 3.0] }";
    let lines = checked(&[factor]);
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("an overlap of about 6.5e-3 r")),
        "{lines:#?}"
    );
}

/// Runs a configuration that must be refused; returns the message. No folder may be left.
#[track_caller]
fn refused(config: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    command.arg("run").arg(config).arg("--out").arg(&out);
    let ended = harness::run(command, LIMIT);
    let shown = config.display();
    assert_eq!(ended.status, Some(2), "{shown}: {}", ended.stderr);
    assert!(!out.exists(), "{shown} has left a folder");
    ended.stderr
}

/// Input that is refused when it is read, when bodies are counted, or when they are made leaves no
/// folder of results.
#[test]
fn a_refused_input_leaves_no_folder() {
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs/bad");
    for name in [
        "bond-without-stiffness",
        "bond-zero-strength",
        "quasistatic-cohesion",
        "quasistatic-direct-large",
        "quasistatic-growth",
        "quasistatic-inlet",
        "quasistatic-largest",
        "quasistatic-restitution",
        "quasistatic-rule",
        "quasistatic-tolerance-weight",
    ] {
        let config = bad.join(format!("{name}.toml"));
        let text = std::fs::read_to_string(&config).unwrap();
        let expected = text.lines().next().unwrap();
        let expected = expected.strip_prefix("# expect:").unwrap().trim();
        let message = refused(&config);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

/// Contacts cannot begin with the forces of a checkpoint where there is none. `check` accepts the
/// file, which `resume` may use.
#[test]
fn a_first_run_cannot_begin_with_the_forces_of_a_checkpoint() {
    const CONFIG: &str = r#"
scheme = "bagi_bojtar"
quasistatic = { start = "forces" }
gravity = [0, 0, -9.81]
time = { dt = 1.0, steps = 1 }
domain = { lower = [0, 0, 0], upper = [1, 1, 1] }
bodies = [{ sample = "lattice", material = "m", count = 8, radius = 0.01 }]
wall = [{ shape = "box", material = "m" }]
material = [{ name = "m", density = 1, friction = 0.5, stiffness = 1e3 }]
"#;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("forces.toml");
    std::fs::write(&config, CONFIG).unwrap();
    moreau(&["check", config.to_str().unwrap()]);
    let message = refused(&config);
    let expected = "quasistatic.start = \"forces\" must come with a checkpoint, by moreau resume";
    assert!(message.contains(expected), "{message}");
}
