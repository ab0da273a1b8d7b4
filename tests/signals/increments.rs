//! Signals within a long increment of a quasi-static run.

use super::{checkpoints, path, until};
use crate::harness::{mpi_available, on, ranks_of, signal, state};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time from a signal to the end of the run.
const SOON: Duration = Duration::from_secs(5);

/// A biaxial test by Kishino's relaxations, so exact that the first increment takes many seconds.
fn args<'a>(config: &'a str, out: &'a str) -> Vec<&'a str> {
    let keys = [
        "scheme=kishino",
        "quasistatic.tolerance=1e-9",
        "quasistatic.max_iterations=100000",
        "time.until=1.0",
    ];
    let mut args = vec!["run", config, "--out", out];
    for key in keys {
        args.extend(["--set", key]);
    }
    args
}

/// A signal does not wait for the end of an increment: the run goes back to the equilibrium before
/// it, and repeats the increment when it continues, with the same bits.
#[test]
fn a_signal_gives_an_increment_up() {
    let dir = tempfile::tempdir().unwrap();
    let config = format!(
        "{}/configs/quasistatic-biaxial.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let straight = path(&dir, "straight");
    let begin = Instant::now();
    let undisturbed = state(&on(1, &args(&config, &straight)));
    println!("{:?} without a signal", begin.elapsed());
    let mut cases = vec![(1, "TERM"), (1, "USR1")];
    if mpi_available() {
        cases.push((2, "TERM"));
    }
    for (ranks, name) in cases {
        let case = format!("SIG{name} to one of {ranks}");
        let out = path(&dir, &case);
        let begin = Instant::now();
        let (output, took) = std::thread::scope(|scope| {
            let job = scope.spawn(|| on(ranks, &args(&config, &out)));
            until("the folder of the run", || {
                Path::new(&out).join("series.csv").exists()
            });
            std::thread::sleep(Duration::from_millis(700));
            let asked = Instant::now();
            signal(name, &ranks_of(&out).pop().unwrap());
            (job.join().unwrap(), asked.elapsed())
        });
        println!("{case}: {took:?} of {:?}", begin.elapsed());
        assert_eq!(output.status, Some(75), "{case}: {}", output.stderr);
        assert!(took < SOON, "{case}: {took:?}");
        let stopped = format!("stopped by SIG{name} after step 0");
        assert!(
            output.stderr.contains(&stopped),
            "{case}: {}",
            output.stderr
        );
        assert_eq!(checkpoints(&out), ["checkpoint-00000000.h5"], "{case}");
        let resumed = on(3 - ranks.min(2), &["resume", &out]);
        assert_eq!(state(&resumed), undisturbed, "{case}");
    }
}
