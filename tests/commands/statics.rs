//! `moreau check` of a quasi-static configuration.

use super::moreau;

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
