//! The run of which frames are looked at.

use super::Movie;
use moreau::comm::threads;
use moreau::sim::{self, Options, RunError};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A box in which some balls fall and settle, periodic along x.
pub(crate) const BALLS: &str = r#"
gravity = [0.0, 0.0, -9.81]
time = { dt = 2e-3, steps = 120 }
domain = { lower = [0, 0, 0], upper = [0.08, 0.08, 0.2], periodic = [true, false, false] }
material = [{ name = "glass", density = 2500, friction = 0.5 }]
wall = [{ shape = "box", material = "glass", faces = ["y-", "y+", "z-", "z+"] }]
bodies = [{ sample = "lattice", material = "glass", count = 400, radius = { uniform = [0.003, 0.004] } }]
output = { every = 20, precision = "f64" }
checkpoint = { every = 20, keep = 100 }
"#;

/// One test at a time. Who starts a process while HDF5 writes in another thread hands it the file, open and locked, and the library then takes what is
/// in it for missing.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn options(out: &Path, set: &[&str]) -> Options {
    Options {
        out: Some(out.to_owned()),
        set: set.iter().map(|s| (*s).to_owned()).collect(),
        threads: 1,
        ..Options::default()
    }
}

/// Runs the balls on so many ranks (threads of this process).
pub(crate) fn run(ranks: usize, out: &Path, set: &[&str]) -> Result<(), RunError> {
    let config = out.with_extension("toml");
    std::fs::write(&config, BALLS).unwrap();
    let options = options(out, set);
    let results = threads::run(ranks, |comm| sim::try_run(comm, &config, &options));
    assert!(results.windows(2).all(|w| w[0] == w[1]));
    results.into_iter().next().unwrap()
}

pub(crate) fn bodies(out: &Path) -> Movie {
    Movie::open(&out.join("bodies.vtkhdf"), "PointData")
}

pub(crate) fn contacts(out: &Path) -> Movie {
    Movie::open(&out.join("contacts.vtkhdf"), "CellData")
}
