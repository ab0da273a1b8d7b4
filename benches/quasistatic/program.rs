//! Runs of the program, their time and memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The results of a run.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    /// Of all its cores; of the clock where the system does not report them.
    pub core_seconds: f64,
    /// Of the clock.
    pub seconds: f64,
    pub iterations: f64,
    /// Products with the stiffness, or relaxations.
    pub products: f64,
    /// The largest memory of its processes together [B]; NaN where the system does not report it.
    pub memory: f64,
}

/// Runs a configuration with one thread a rank.
pub(crate) fn run<K: AsRef<str>>(config: &Path, keys: &[K], ranks: usize) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let moreau = env!("CARGO_BIN_EXE_moreau");
    let mut command = match ranks {
        1 => Command::new(moreau),
        _ => {
            let mut command = Command::new("mpirun");
            command.args(["-n", &ranks.to_string(), moreau]);
            command
        }
    };
    command.arg("run").arg(config).arg("--out").arg(&out);
    for key in keys {
        command.args(["--set", key.as_ref()]);
    }
    // A collapse must not pass for a result.
    command.args(["--set", "quasistatic.then=error", "--threads", "1"]);
    let errors = folder.path().join("errors");
    let file = std::fs::File::create(&errors).expect("a file");
    command.stdout(Stdio::null()).stderr(file);
    let (start, before) = (Instant::now(), of_children());
    let mut child = command.spawn().expect("the program starts");
    let mut memory = Memory::default();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program") {
            break status;
        }
        memory.look(child.id());
        std::thread::sleep(Duration::from_millis(5));
    };
    let seconds = start.elapsed().as_secs_f64();
    let core_seconds = match (before, of_children()) {
        (Some(before), Some(after)) => after - before,
        _ => seconds,
    };
    let errors = std::fs::read_to_string(errors).unwrap_or_default();
    assert!(status.success(), "{}: {errors}", config.display());
    let mut table = csv::Reader::from_path(out.join("increments.csv")).expect("increments.csv");
    let names = table.headers().expect("a header").clone();
    let records: Vec<csv::StringRecord> = table.records().map_while(Result::ok).collect();
    let sum = |name: &str| -> f64 {
        let place = names.iter().position(|found| found == name).expect(name);
        let numbers = records.iter().map(|record| record[place].parse::<f64>());
        numbers.map_while(Result::ok).sum()
    };
    Done {
        core_seconds,
        seconds,
        iterations: sum("iterations"),
        products: sum("products"),
        memory: memory.sum(),
    }
}

/// Core-seconds of all children of this process that have ended.
fn of_children() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may have spaces.
    let (_, after) = text.rsplit_once(')')?;
    let mut numbers = after.split_whitespace().skip(13);
    let mut ticks = || numbers.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// The largest memory of each process of a run.
#[derive(Default)]
struct Memory(std::collections::BTreeMap<u32, f64>);

impl Memory {
    /// Looks at a process and at its children.
    fn look(&mut self, process: u32) {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        if let Some(number) = number {
            self.0.insert(process, 1024.0 * number);
        }
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        for child in children.unwrap_or_default().split_whitespace() {
            if let Ok(child) = child.parse() {
                self.look(child);
            }
        }
    }

    fn sum(&self) -> f64 {
        match self.0.is_empty() {
            true => f64::NAN,
            false => self.0.values().sum(),
        }
    }
}
