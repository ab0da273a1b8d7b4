//! FCLib's files with anything in them.

use crate::harness::run;
use crate::{EXE, mutated, times};
use moreau::rng::{Purpose, Stream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A small problem of FCLib in a file, of two contacts and three bodies' worth of numbers.
fn problem(path: &Path, global: bool) {
    let file = hdf5::File::create(path).unwrap();
    let whole = |name: &str, numbers: &[i32]| {
        file.new_dataset_builder()
            .with_data(numbers)
            .create(name)
            .unwrap();
    };
    let real = |name: &str, numbers: &[f64]| {
        file.new_dataset_builder()
            .with_data(numbers)
            .create(name)
            .unwrap();
    };
    let root = if global {
        "fclib_global"
    } else {
        "fclib_local"
    };
    let matrix = |name: &str, nz: i32| {
        let at = |what: &str| format!("{root}/{name}/{what}");
        file.create_group(&format!("{root}/{name}")).unwrap();
        for (what, number) in [("nzmax", 8), ("m", 6), ("n", 6), ("nz", nz)] {
            whole(&at(what), &[number]);
        }
        let (line, other) = ([0, 1, 2, 3, 4, 5, 0, 3], [0, 1, 2, 3, 4, 5, 3, 0]);
        let x = [2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 0.5, 0.5];
        if nz >= 0 {
            whole(&at("p"), &other);
            whole(&at("i"), &line);
            real(&at("x"), &x);
        } else {
            whole(&at("p"), &[0, 2, 3, 4, 6, 7, 8]);
            whole(&at("i"), &[0, 3, 1, 2, 0, 3, 4, 5]);
            real(&at("x"), &[2.0, 0.5, 2.0, 2.0, 0.5, 3.0, 3.0, 3.0]);
        }
    };
    file.create_group(root).unwrap();
    whole(&format!("{root}/spacedim"), &[3]);
    file.create_group(&format!("{root}/vectors")).unwrap();
    let some = [-1.0, 0.5, 0.1, -2.0, 0.3, 3.0];
    real(&format!("{root}/vectors/mu"), &[0.3, 0.6]);
    if global {
        matrix("M", -1);
        matrix("H", 8);
        real(&format!("{root}/vectors/f"), &some);
        real(&format!("{root}/vectors/w"), &some);
    } else {
        matrix("W", -2);
        real(&format!("{root}/vectors/q"), &some);
    }
    file.create_group("guesses/1").unwrap();
    real("guesses/1/r", &[0.1; 6]);
    file.close().unwrap();
}

/// Problems of FCLib with anything in them are solved or refused, by the program, which may take 2 GB and ten seconds.
#[test]
fn any_problem_is_solved_or_refused() {
    let number = times("MOREAU_MUTATIONS", 100);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("problem.hdf5");
    let whole = [false, true].map(|global| {
        problem(&file, global);
        std::fs::read(&file).unwrap()
    });
    let solve = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let mut command = Command::new("sh");
        let limited = "ulimit -v 2000000; exec \"$@\"";
        command.args([
            "-c", limited, "sh", EXE, "fclib", "solve", "--guess", "--csv",
        ]);
        command
            .args(["--max-sweeps", "1000", "--max-seconds", "2"])
            .arg(&file);
        run(command, Duration::from_secs(10))
    };
    for bytes in &whole {
        let good = solve(bytes);
        assert_eq!(good.status, Some(0), "{}{}", good.stdout, good.stderr);
    }
    let mut draw = Stream::new(Purpose::Trial, 13, [0; 3]);
    let (mut refused, mut solved, mut given_up, mut library) = (0, 0, 0, 0);
    for k in 0..number {
        let bytes = mutated(&whole[k as usize % 2], &mut draw, false);
        let output = solve(&bytes);
        match output.status {
            Some(2) => refused += 1,
            Some(0) => solved += 1,
            Some(3) => given_up += 1,
            other => {
                let kept = std::env::temp_dir().join("moreau-bad-problem.hdf5");
                std::fs::write(&kept, &bytes).unwrap();
                panic!(
                    "mutation {k}: status {other:?}, {}{}; the file is {}",
                    output.stdout,
                    output.stderr,
                    kept.display()
                );
            }
        }
        library += u64::from(output.stderr.contains("HDF5"));
    }
    println!(
        "{number} mutations: {refused} refused ({library} by HDF5), {solved} solved, {given_up} not converged"
    );
    assert!(refused > number / 5 && solved > 0);
}
