//! Runs shipped configurations with other settings and reads what they write.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "a module of tests, each of which uses some of it"
)]

use moreau::comm::threads;
use moreau::io::checkpoint::{self, Loaded};
use moreau::sim::{self, Options};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A shipped configuration.
pub fn config(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("configs")
        .join(format!("{name}.toml"))
}

/// The results of a run, in a folder of its own that goes with it.
pub struct Run {
    dir: tempfile::TempDir,
}

/// Runs a configuration with keys set (`key=value`) on thread ranks of one thread each, to its own end.
pub fn run(config: &Path, set: &[String], ranks: usize) -> Run {
    run_in_parts(config, set, &[(ranks, None)])
}

/// The same in parts: each on so many ranks up to a step, the last to the configuration's end.
pub fn run_in_parts(config: &Path, set: &[String], parts: &[(usize, Option<u64>)]) -> Run {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    for (k, &(ranks, steps)) in parts.iter().enumerate() {
        let options = Options {
            out: (k == 0).then(|| out.clone()),
            set: if k == 0 { set.to_vec() } else { Vec::new() },
            steps,
            threads: 1,
            ..Options::default()
        };
        threads::run(ranks, |comm| {
            match k {
                0 => sim::try_run(comm, config, &options),
                _ => sim::try_resume(comm, &out, &options),
            }
            .unwrap_or_else(|e| panic!("{}: {e}", config.display()));
        });
    }
    Run { dir }
}

/// Runs many at once, on as many threads as the machine has, one rank each; results in order.
pub fn run_all<T: Send>(count: usize, one: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = Mutex::new(0..count);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            scope.spawn(|| {
                loop {
                    let Some(k) = next.lock().unwrap().next() else {
                        break;
                    };
                    let result = one(k);
                    results.lock().unwrap()[k] = Some(result);
                }
            });
        }
    });
    let all = results.into_inner().unwrap();
    all.into_iter().map(|result| result.unwrap()).collect()
}

impl Run {
    /// A folder of its own, without results.
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    pub fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// A file of results.
    pub fn text(&self, name: &str) -> String {
        let path = self.out().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// A column of a CSV file, as numbers.
    pub fn column(&self, name: &str, column: &str) -> Vec<f64> {
        let mut reader = csv::Reader::from_path(self.out().join(name)).unwrap();
        let headers = reader.headers().unwrap().clone();
        let place = headers.iter().position(|header| header == column);
        let place = place.unwrap_or_else(|| panic!("{name} has no column {column}: {headers:?}"));
        let records = reader.records().map(|record| record.unwrap());
        records
            .map(|record| record[place].parse().unwrap())
            .collect()
    }

    /// The last figure of a column.
    pub fn last(&self, name: &str, column: &str) -> f64 {
        *self.column(name, column).last().unwrap()
    }

    /// The names of the files of results that grow with the run.
    pub fn tables(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.out()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".csv")).collect();
        names.sort();
        names
    }

    /// The states of all its checkpoints, in order.
    pub fn states(&self) -> Vec<Loaded> {
        let mut paths = checkpoint::newest(&self.out()).unwrap();
        paths.reverse();
        let read = |path: &PathBuf| {
            let mut found = threads::run(1, |comm| checkpoint::read(comm, path).unwrap());
            found.remove(0)
        };
        paths.iter().map(read).collect()
    }

    /// The state at the end, without what tells of ranks and starts.
    pub fn state(&self) -> Loaded {
        let found = threads::run(1, |comm| {
            checkpoint::read_newest(comm, &self.out()).unwrap()
        });
        let (_, mut loaded, _) = found.into_iter().next().unwrap();
        loaded.header.ranks = 0;
        loaded.header.provenance.clear();
        loaded
    }
}

/// Mean and standard error of the mean.
pub fn mean(of: &[f64]) -> (f64, f64) {
    let n = of.len() as f64;
    let mean = of.iter().sum::<f64>() / n;
    let square: f64 = of.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (square / (n - 1.0) / n).sqrt())
}

/// The line of least squares `y = a + b x`: a, b, and the share R² of the variance that it explains.
pub fn line(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(x, y)| f(x - mx, y - my)).sum()
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let slope = xy / xx;
    (my - slope * mx, slope, xy * xy / (xx * yy))
}

/// Writes points for a plot to target/laboratory.
pub fn plot(name: &str, header: &str, rows: &[Vec<f64>]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/laboratory");
    std::fs::create_dir_all(&folder).unwrap();
    let row = |row: &Vec<f64>| {
        let numbers: Vec<String> = row.iter().map(f64::to_string).collect();
        numbers.join(",") + "\n"
    };
    let text: String = rows.iter().map(row).collect();
    std::fs::write(
        folder.join(format!("{name}.csv")),
        format!("{header}\n{text}"),
    )
    .unwrap();
}

/// Goes on from the end of a run, in a folder of its own, to a step, with keys set, on one rank.
pub fn go_on(from: &Run, set: &[String], steps: u64) -> Run {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        out: Some(dir.path().join("out")),
        set: set.to_vec(),
        steps: Some(steps),
        threads: 1,
        ..Options::default()
    };
    threads::run(1, |comm| {
        sim::try_resume(comm, &from.out(), &options).unwrap_or_else(|e| panic!("{e}"));
    });
    Run { dir }
}
