//! The command line: closed solutions, the table, written files, exit statuses.

use crate::files::{Entries, Local, Store, alone, place, real};
use crate::harness::on;
use hdf5::File;
use moreau::fclib::reduce::reduce;
use moreau::io::fclib::{self, Answer};
use moreau::problem::merit;
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn solution(path: &Path) -> Answer {
    fclib::read(path).unwrap().solution.unwrap()
}

/// A body of 2 kg on a floor, free velocity −1 m/s into it: `r_N = 2 N s`; sideways it sticks up to `μ r_N` and slides beyond, where `|r_T| =
/// μ r_N` against the motion and `u_T = q_T + r_T/m`. Away from the floor there is no impulse.
#[test]
fn closed_solutions_are_found_and_written() {
    let _alone = alone();
    for (q, expected) in [
        ([-1.0, 0.2, 0.1], [2.0, -0.4, -0.2]),
        ([-1.0, 3.0, -4.0], [2.0, -0.36, 0.48]),
        ([1.0, 3.0, -4.0], [0.0; 3]),
        ([-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
    ] {
        let (dir, path) = place("block.hdf5");
        Local::block(q, 0.3).write(&path, Store::Rows);
        let before = std::fs::read(&path).unwrap();
        let copy = dir.path().join("solved.hdf5");
        let solved = on(1, &["fclib", "solve", text(&path), "-o", text(&copy)]);
        assert_eq!(solved.status, Some(0), "{}{}", solved.stdout, solved.stderr);
        assert!(
            solved.stdout.contains("converged to 1e-8"),
            "{}",
            solved.stdout
        );
        let found = solution(&copy);
        for k in 0..3 {
            assert!((found.r[k] - expected[k]).abs() < 1e-7, "{q:?}: {found:?}");
            assert!(
                (found.u[k] - (q[k] + 0.5 * expected[k])).abs() < 1e-7,
                "{q:?}: {found:?}"
            );
        }
        assert_eq!(
            std::fs::read(&path).unwrap(),
            before,
            "the file itself stays as it was"
        );
        // A second time into the file itself, over what is there.
        for _ in 0..2 {
            let solved = on(1, &["fclib", "solve", "--write-solution", text(&path)]);
            assert_eq!(solved.status, Some(0), "{}", solved.stderr);
            assert!(solved.stdout.contains("wrote the solution to"));
            assert!((solution(&path).r[0] - expected[0]).abs() < 1e-7);
        }
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(names.len(), 2, "nothing is left beside");
    }
}

/// Two blocks on a floor, tied by nothing, one of them beyond every friction; what the table says is what is in the files.
#[test]
fn the_table_says_what_the_files_hold() {
    let _alone = alone();
    let (dir, good) = place("good.hdf5");
    Local::block([-1.0, 3.0, -4.0], 0.3).write(&good, Store::Columns);
    let hard = dir.path().join("hard.hdf5");
    // Coupled, so that one sweep is not enough.
    Local {
        dimension: 3,
        w: Entries::dense(6, 6, |i, j| match (i, j) {
            _ if i == j => 1.0,
            _ if i % 3 == j % 3 => 0.5,
            _ => 0.0,
        }),
        q: vec![-1.0, 0.3, 0.0, -1.0, 0.0, 0.1],
        mu: vec![0.5; 2],
        mu_r: None,
    }
    .write(&hard, Store::Triplets);
    let bad = dir.path().join("bad.hdf5");
    Local::block([f64::NAN, 0.0, 0.0], 0.3).write(&bad, Store::Columns);
    let args = [
        "fclib",
        "solve",
        "--csv",
        "--write-solution",
        "--max-sweeps",
        "1",
        "--solver",
        "nsgs",
    ];
    let some = on(1, &[&args[..], &[text(&good), text(&hard)]].concat());
    assert_eq!(some.status, Some(3), "{}{}", some.stdout, some.stderr);
    let mut lines = some.stdout.lines();
    assert_eq!(
        lines.next(),
        Some(
            "file,kind,contacts,sweeps,seconds,error_siconos,merit_fclib,residual,converged,method"
        )
    );
    for (line, (path, converged)) in lines.zip([(&good, "true"), (&hard, "false")]) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(
            (cells[0], cells[1], cells[8]),
            (text(path), "local", converged),
            "{line}"
        );
        let content = fclib::read(path).unwrap();
        let reduced = reduce(&content).unwrap();
        let r = reduced.guess(&content.solution.clone().unwrap()).unwrap();
        let error = merit::siconos_error(&reduced.problem, &r);
        assert_eq!(cells[5], format!("{error:.6e}"));
        assert_eq!(error <= 1e-8, converged == "true");
        assert_eq!(
            cells[6],
            format!("{:.6e}", merit::fclib_merit(&reduced.problem, &r))
        );
        assert_eq!(
            cells[7],
            format!("{:.6e}", merit::residual(&reduced.problem, &r))
        );
    }
    // One bad file among good ones: it is named, the others are solved, and the status says so.
    let mixed = on(1, &["fclib", "solve", "--csv", text(&bad), text(&good)]);
    assert_eq!(mixed.status, Some(2));
    assert!(
        mixed
            .stderr
            .contains("bad.hdf5: fclib_local/vectors/q: must be finite; found NaN at index 0"),
        "{}",
        mixed.stderr
    );
    assert_eq!(mixed.stdout.lines().count(), 2, "{}", mixed.stdout);
}

#[test]
fn bad_command_lines_and_places_write_nothing() {
    let _alone = alone();
    let (dir, path) = place("block.hdf5");
    Local::block([-1.0, 0.2, 0.1], 0.3).write(&path, Store::Columns);
    let before = std::fs::read(&path).unwrap();
    let there = text(&path).to_owned();
    let nowhere = dir.path().join("no").join("such.hdf5");
    for args in [
        &["--tolerance", "0"][..],
        &["--tolerance", "nan"],
        &["--max-seconds", "-1"],
        &["--solver", "magic"],
        &["-o", &there],
        &["-o", text(&nowhere)],
        &["-o", "x.hdf5", "--write-solution"],
        &["-o", "x.hdf5", &there],
    ] {
        let output = on(1, &[&["fclib", "solve", &there][..], args].concat());
        assert_eq!(output.status, Some(2), "{args:?}: {}", output.stderr);
        assert!(
            !output.stderr.is_empty() && !output.stderr.contains("panicked"),
            "{args:?}"
        );
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// A problem without contacts has a solution, the empty one.
#[test]
fn no_contacts_are_no_problem() {
    let _alone = alone();
    let (_dir, path) = place("empty.hdf5");
    Local {
        dimension: 3,
        w: Entries {
            rows: 0,
            columns: 0,
            all: Vec::new(),
        },
        q: Vec::new(),
        mu: Vec::new(),
        mu_r: None,
    }
    .write(&path, Store::Columns);
    let solved = on(
        1,
        &["fclib", "solve", "--csv", "--write-solution", text(&path)],
    );
    assert_eq!(solved.status, Some(0), "{}{}", solved.stdout, solved.stderr);
    assert!(solved.stdout.contains(",local,0,"), "{}", solved.stdout);
    assert_eq!(on(1, &["fclib", "info", text(&path)]).status, Some(0));
}

#[test]
fn info_tells_what_a_file_holds() {
    let _alone = alone();
    let (_dir, path) = place("block.hdf5");
    let mut local = Local::block([-1.0, 0.2, 0.1], 0.3);
    local.w = Entries::dense(3, 3, |i, j| {
        if i <= j {
            1.0 / (1 + i + j) as f64
        } else {
            0.0
        }
    });
    local.write(&path, Store::Columns);
    let file = File::open_rw(&path).unwrap();
    // Handles that live on would keep the file from being written.
    drop(file.create_group("solution").unwrap());
    drop(file.create_group("guesses/1").unwrap());
    real(&file, "solution/r", &[0.0; 3]);
    real(&file, "guesses/1/r", &[0.0; 2]);
    file.close().unwrap();
    let printed = on(1, &["fclib", "info", text(&path)]);
    assert_eq!(printed.status, Some(0), "{}", printed.stderr);
    for part in [
        "kind         local\n",
        "contacts     1, 3 numbers each\n",
        "W            3 × 3, 9 entries, compressed columns, stored by half, asymmetry 0.0e0\n",
        "mu           0.3 to 0.3\n",
        "solution     all impulses zero, error ",
        "guess        unusable: r must have 3 finite numbers; found 2",
    ] {
        assert!(
            printed.stdout.contains(part),
            "`{part}` is not in\n{}",
            printed.stdout
        );
    }
    let missing = on(1, &["fclib", "info", "no/such.hdf5"]);
    assert_eq!(missing.status, Some(2));
    assert!(
        missing.stderr.contains("no/such.hdf5"),
        "{}",
        missing.stderr
    );
}

/// A body between two walls that close has no answer: impulses grow, and an error relative to them falls as far as one likes. No
/// method calls that converged, with friction or without; a body between walls of which one opens is solved.
#[test]
fn a_squeezed_body_is_not_called_converged() {
    let _alone = alone();
    let (_dir, path) = place("squeezed.hdf5");
    for mu in [0.0, 0.3] {
        for tolerance in ["1e-8", "1e-4"] {
            for (other, status) in [(-0.7, 3), (1.5, 0)] {
                // Two contacts of one body of 2 kg, their normals opposite.
                Local {
                    dimension: 3,
                    w: Entries::dense(6, 6, |i, j| match (i % 3 == j % 3, i == j, i % 3) {
                        (true, true, _) => 0.5,
                        (true, false, 0) => -0.5,
                        (true, false, _) => 0.25,
                        _ => 0.0,
                    }),
                    q: vec![-1.0, 0.2, 0.0, other, 0.0, 0.1],
                    mu: vec![mu; 2],
                    mu_r: None,
                }
                .write(&path, Store::Rows);
                for solver in ["auto", "nsgs", "proximal", "smoothing"] {
                    let args = ["fclib", "solve", text(&path), "--solver", solver];
                    let sweeps = ["--max-sweeps", "100000", "--tolerance", tolerance];
                    let solved = on(1, &[&args[..], &sweeps[..]].concat());
                    let printed = format!("mu {mu}, {solver}, {tolerance}: {}", solved.stdout);
                    assert_eq!(solved.status, Some(status), "{printed}");
                    if solver == "auto" && status == 3 {
                        assert!(
                            solved.stdout.contains("no impulses seem to suffice"),
                            "{printed}"
                        );
                    }
                }
            }
        }
    }
}
