//! `moreau elastic`: the moduli of a checkpoint, as text and as CSV.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use super::{LIMIT, moreau};
use crate::harness;
use moreau::io::vtkhdf::{Kind, Movie};
use std::process::Command;

/// A simple cubic lattice of 512 touching balls in a periodic cell: it carries nothing, and is in
/// balance.
const LATTICE: &str = r#"
gravity = [0, 0, 0]
scheme = "bagi_bojtar"
time = { dt = 1.0, steps = 1 }
domain = { lower = [0, 0, 0], upper = [0.16, 0.16, 0.16], periodic = [true, true, true] }
bodies = [{ sample = "lattice", material = "m", lattice = "sc", jitter = 0.0, count = 512, radius = 0.01 }]
material = [{ name = "m", density = 2500, friction = 0.5, stiffness = 1e5, tangential_stiffness_ratio = 0.5 }]
checkpoint = { every = 1 }
"#;

fn ended(args: &[&str]) -> harness::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    command.args(args);
    harness::run(command, LIMIT)
}

/// Runs a configuration; returns the folder of its results.
fn run(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("lattice.toml");
    std::fs::write(&config, text).unwrap();
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    let ran = ended(&["run", config.to_str().unwrap(), "--out", &out]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    (folder, out)
}

/// F6: `C11 = k_n/d`, `C44 = k_t/(2 d)`, in Pa.
#[test]
fn moduli_of_a_cubic_lattice() {
    let (_folder, out) = run(LATTICE);
    let out = out.as_str();
    let table = moreau(&["elastic", out, "--csv"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0], ["stress", "xx", "yy", "zz", "yz", "zx", "xy"]);
    for (i, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[0], rows[0][i + 1]);
        for (j, number) in row[1..].iter().enumerate() {
            let expected = match (i == j, i < 3) {
                (true, true) => 1e5 / 0.02,
                (true, false) => 0.5e5 / 0.04,
                (false, _) => 0.0,
            };
            let found: f64 = number.parse().unwrap();
            assert!(
                (found - expected).abs() < 1e-3,
                "{i} {j}: {found} {expected}"
            );
        }
    }
    let page = moreau(&["elastic", out]);
    assert!(page.contains("512, of which 0 without a contact"), "{page}");
    assert!(page.contains("1536 that act"), "{page}");
    let softer = moreau(&["elastic", out, "--csv", "--set", "material.0.stiffness=1e4"]);
    assert!(
        softer.lines().nth(1).unwrap().starts_with("xx,5e5"),
        "{softer}"
    );
}

/// A cell that is open along an axis has no volume.
#[test]
fn an_open_cell_is_refused() {
    let open = LATTICE.replace("[true, true, true]", "[true, true, false]");
    let (_folder, out) = run(&open);
    let refused = ended(&["elastic", &out]);
    assert_eq!(refused.status, Some(2));
    let told = "axis z must be periodic, or end at one plane at each end; found neither";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

/// `--modes`: a table, CSV, and a frame for each mode whose velocities are its displacements.
///
/// The longest wave along the axis of 8 planes has `ω = 2 √(k_n/m) sin(π/8)`.
#[test]
fn modes_of_a_cubic_lattice() {
    let small = LATTICE.replace("0.16, 0.16, 0.16", "0.16, 0.1, 0.1");
    let (folder, out) = run(&small.replace("512", "200"));
    let out = out.as_str();
    let table = moreau(&["elastic", out, "--modes", "1200", "--csv"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0], ["mode", "angular_frequency", "frequency"]);
    let numbers = |at: usize| {
        rows[1..]
            .iter()
            .map(move |row| row[at].parse::<f64>().unwrap())
    };
    assert!(numbers(1).zip(numbers(1).skip(1)).all(|(a, b)| a <= b));
    let ratio = |(omega, f): (f64, f64)| (omega / f - std::f64::consts::TAU).abs() < 1e-12;
    assert!(numbers(1).zip(numbers(2)).all(ratio));
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    let wave = 2.0 * (1e5_f64 / mass).sqrt() * (std::f64::consts::PI / 8.0).sin();
    let nearest = numbers(1).map(|omega| (omega / wave - 1.0).abs());
    assert!(nearest.fold(1.0, f64::min) < 1e-9, "{wave}");
    let frames = folder.path().join("modes");
    let frames = frames.to_str().unwrap();
    let page = moreau(&["elastic", out, "--modes", "3", "--out", frames]);
    assert!(page.contains("200, of which 0 without a contact"), "{page}");
    assert!(page.contains("zero modes"), "{page}");
    let path = std::path::Path::new(frames).join("bodies.vtkhdf");
    let movie = Movie::open(&path, Kind::Bodies).unwrap();
    assert_eq!((movie.times.len(), movie.rows(2)), (3, 200));
    for frame in 0..3 {
        let ways = movie.array::<f64, 3>("velocity", frame).unwrap().unwrap();
        let size = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let most = ways.iter().map(size).fold(0.0, f64::max);
        assert!((most / 0.01 - 1.0).abs() < 1e-9, "{most}");
    }
    let again = ended(&["elastic", out, "--modes", "3", "--out", frames]);
    assert_eq!(again.status, Some(2));
    let told = "--out must be a folder without frames; found some in";
    assert!(again.stderr.contains(told), "{}", again.stderr);
}
