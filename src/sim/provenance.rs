//! The origin of results: facts about the program, the machine and the run.
//!
//! They are written to the run's folder and to every checkpoint.

use crate::comm::Comm;
use crate::io::hdf5_version;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Beyond this number of ranks only the first one's machine is named.
const MOST_NAMED: usize = 4096;

/// The revision of the program's source, if it was built from a repository.
const REVISION: &str = git_version::git_version!(
    args = ["--always", "--dirty=-modified", "--abbrev=12"],
    fallback = "unknown"
);

/// One `[[start]]` of a TOML file, the same on all ranks. Collective.
pub(super) fn of_this_start(comm: &dyn Comm, step: u64, threads: usize) -> String {
    let own = host();
    let hosts = if comm.size() > MOST_NAMED {
        vec![own.into_bytes()]
    } else {
        comm.all_gather(own.as_bytes())
    };
    // Ranks on each machine.
    let mut counts = BTreeMap::new();
    for host in hosts {
        *counts
            .entry(String::from_utf8_lossy(&host).into_owned())
            .or_insert(0_i64) += 1;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut start = toml::Table::new();
    let mut add = |key: &str, value: toml::Value| drop(start.insert(key.to_owned(), value));
    let whole = |n: u64| toml::Value::Integer(n as i64);
    add("step", whole(step));
    add("unix_time", whole(now.map_or(0, |t| t.as_secs())));
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned().into());
    add("command", toml::Value::Array(words.collect()));
    add("version", env!("CARGO_PKG_VERSION").into());
    add("revision", REVISION.into());
    add("ranks", whole(comm.size() as u64));
    add("threads", whole(threads.max(1) as u64));
    let machines = counts.into_iter().map(|(host, ranks)| (host, ranks.into()));
    add("machines", toml::Value::Table(machines.collect()));
    add("cpu", cpu().into());
    add("mpi", comm.library().into());
    add("hdf5", hdf5_version().into());
    if let Ok(job) = std::env::var("SLURM_JOB_ID") {
        add("slurm_job", job.into());
    }
    let starts = toml::Value::Array(vec![toml::Value::Table(start)]);
    let file: toml::Table = std::iter::once(("start".to_owned(), starts)).collect();
    // Those of rank 0, as words and times may differ between machines.
    let told = if comm.rank() == 0 {
        file.to_string()
    } else {
        String::new()
    };
    let all = comm.all_gather(told.as_bytes());
    String::from_utf8_lossy(&all[0]).into_owned()
}

/// The name of this process for other runs, with its machine and start.
pub(super) fn process() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let (id, host) = (std::process::id(), host());
    let seconds = now.map_or(0, |t| t.as_secs());
    format!("process {id} on {host} since unix time {seconds}")
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = name.ok().or_else(|| std::env::var("HOSTNAME").ok());
    name.map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| Some(rest.split_once(':')?.1.trim().to_owned()));
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!(
        "{}, {cores} cores for this process",
        model.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
    )
}
