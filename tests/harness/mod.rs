//! Runs programs under mpirun for the tests: many ranks on few cores, as any user including root, with a time limit.

#![allow(
    dead_code,
    reason = "compiled into each test file, which uses what it needs"
)]

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Overrides that make `configs/biaxial-2d.toml` small.
pub(crate) const FEW_DISCS: [&str; 9] = [
    "bodies.0.count=160",
    "bodies.0.upper=[0.22, 0.13, 0.05]",
    "domain.upper=[0.3, 0.2, 0.05]",
    "wall.1.point=[0.22, 0.0, 0.0]",
    "wall.1.free.mass=20.0",
    "wall.1.free.load=[-6.5e3, 0.0, 0.0]",
    "wall.3.point=[0.0, 0.13, 0.0]",
    "region.0.lower=[0.02, 0.02, -0.05]",
    "region.0.upper=[0.1, 0.1, 0.05]",
];

/// What a job left behind.
#[derive(Debug)]
pub(crate) struct Output {
    /// Exit status of mpirun, that of the ranks as a rule; none if a signal ended it, as happens beyond the time limit.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// For Open MPI on a test machine; other MPI libraries ignore all of it.
const ENVIRONMENT: [(&str, &str); 13] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    // More ranks than cores, which then must not sit on one core each, nor spin while they wait.
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    // One host: shared memory, without the system call that containers forbid; no search for networks, no ssh.
    ("OMPI_MCA_btl", "self,vader,tcp"),
    ("OMPI_MCA_pml", "ob1"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_plm_rsh_agent", "sh"),
    ("RAYON_NUM_THREADS", "1"),
    ("HDF5_USE_FILE_LOCKING", "FALSE"),
    // Who ends mpirun waits so many seconds before ranks are told, and they have as many to write a checkpoint (jobs/mpi-env.sh: 5).
    ("OMPI_MCA_odls_base_sigkill_timeout", "1"),
];

/// How long mpirun gets to end its ranks after it was asked to.
const GRACE: Duration = Duration::from_secs(10);

/// Runs `exe` on so many ranks, and ends the job after `limit`.
pub(crate) fn mpirun(
    ranks: usize,
    exe: impl AsRef<OsStr>,
    args: &[&str],
    limit: Duration,
) -> Output {
    let mut command = Command::new("mpirun");
    command.arg("-n").arg(ranks.to_string()).arg(exe).args(args);
    run(command, limit)
}

/// Runs a program in the environment of the test jobs, and ends it after `limit`.
pub(crate) fn run(mut command: Command, limit: Duration) -> Output {
    let mut child = command
        .envs(ENVIRONMENT)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());

    let start = Instant::now();
    let mut asked = false;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        if !asked && start.elapsed() > limit {
            // Asked, not killed, because mpirun then ends its ranks.
            asked = true;
            let id = child.id().to_string();
            let _ = Command::new("sh")
                .args(["-c", &format!("kill -TERM {id}")])
                .status();
        }
        if start.elapsed() > limit + GRACE {
            let _ = child.kill();
        }
        thread::sleep(Duration::from_millis(10));
    };
    let mut stderr = stderr.join().expect("a reader of a pipe");
    if asked {
        stderr.push_str(&format!("\n[ended at the time limit of {limit:?}]\n"));
    }
    Output {
        status: status.code().filter(|_| !asked),
        stdout: stdout.join().expect("a reader of a pipe"),
        stderr,
    }
}

/// Reads a pipe to its end, beside all else, so that the program never waits for a full pipe.
fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether jobs can be run here. If not, says so where it is seen even though the test passes, or fails if the environment
/// variable `MOREAU_REQUIRE_MPI` is 1.
pub(crate) fn mpi_available() -> bool {
    let probe = Command::new("mpirun")
        .arg("--version")
        .envs(ENVIRONMENT)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if probe.is_ok_and(|status| status.success()) {
        return true;
    }
    let required = std::env::var("MOREAU_REQUIRE_MPI").is_ok_and(|v| v == "1");
    assert!(!required, "MOREAU_REQUIRE_MPI=1, but mpirun does not run");
    let name = thread::current().name().unwrap_or("a test").to_owned();
    skipped(&format!("{name}: mpirun does not run here"));
    false
}

/// Says what is not tried on this machine, past the capture of the test harness, which hides the output of passing tests.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "\n*** SKIPPED: {what} ***\n");
}

/// The rank counts of these that are to be tried under mpirun: `MOREAU_MOST_RANKS` leaves out those above it, and says so. Ranks of an MPI
/// that waits by spinning, as MPICH does, hold each other up for a slice of the scheduler at each message where they share cores.
pub(crate) fn counts<T: Copy + std::fmt::Debug>(of: &[T], ranks: impl Fn(T) -> usize) -> Vec<T> {
    let most = std::env::var("MOREAU_MOST_RANKS");
    let most = most.map_or(usize::MAX, |m| m.parse().expect("MOREAU_MOST_RANKS"));
    let (tried, left): (Vec<T>, Vec<T>) = of.iter().partition(|one| ranks(**one) <= most);
    if !left.is_empty() {
        skipped(&format!("these counts of ranks: {left:?}"));
    }
    tried
}

/// The program, under `mpirun` where there is to be more than one rank.
pub(crate) fn on(ranks: usize, args: &[&str]) -> Output {
    let exe = env!("CARGO_BIN_EXE_moreau");
    let limit = Duration::from_secs(240);
    if ranks > 1 {
        return mpirun(ranks, exe, args, limit);
    }
    let mut command = Command::new(exe);
    command.args(args);
    run(command, limit)
}

/// The last line of a run that has ended well.
pub(crate) fn state(output: &Output) -> String {
    assert_eq!(output.status, Some(0), "{}{}", output.stdout, output.stderr);
    let last = output.stdout.trim_end().lines().last();
    last.expect("a run says something").to_owned()
}

/// A folder for files and runs, which goes away with it.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("a path in UTF-8").to_owned()
    }

    /// Writes a file in it, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a file that can be written");
        path
    }
}

/// Process ids of the ranks of the program that write to this folder.
pub(crate) fn ranks_of(out: &str) -> Vec<String> {
    processes(|words| {
        words[0] == env!("CARGO_BIN_EXE_moreau").as_bytes() && words.contains(&out.as_bytes())
    })
}

/// Process ids of the mpirun that runs the program with this folder.
pub(crate) fn mpirun_of(out: &str) -> Vec<String> {
    let is = |name: &[u8]| name.ends_with(b"mpirun") || name.ends_with(b"mpirun.mpich");
    processes(|words| is(words[0]) && words.contains(&out.as_bytes()))
}

/// Whether SIGHUP is ignored here, and so in what is started from here.
pub(crate) fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.expect("a mask").trim(), 16).expect("a mask");
    ignored & 1 != 0 // SIGHUP is the first.
}

/// What an mpirun that was asked to end may end with: Open MPI's with 1 whatever its ranks do, MPICH's with 0 or, where it waits for them, theirs.
pub(crate) fn statuses_of_mpirun_asked_to_end() -> &'static [i32] {
    let told = Command::new("mpirun").arg("--version").output();
    let told = told.expect("mpirun is there").stdout;
    if String::from_utf8_lossy(&told).contains("HYDRA") {
        &[0, 75]
    } else {
        &[1]
    }
}

fn processes(wanted: impl Fn(&[&[u8]]) -> bool) -> Vec<String> {
    let all = std::fs::read_dir("/proc")
        .expect("Linux has /proc")
        .flatten();
    all.filter_map(|entry| {
        let id = entry.file_name().to_string_lossy().into_owned();
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = command.split(|b| *b == 0).collect();
        (id.parse::<u32>().is_ok() && wanted(&words)).then_some(id)
    })
    .collect()
}

/// Sends a signal to a process.
pub(crate) fn signal(name: &str, process: &str) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} {process}")])
        .status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "kill -{name} {process}"
    );
}

/// The walls of a configuration with these entries.
pub(crate) fn walls(dimensions: u32, entries: &str) -> Vec<moreau::body::Wall> {
    let place = Place::new();
    let text = format!(
        "gravity = [0.0, 0.0, 0.0]\n[time]\ndt = 1e-3\nsteps = 1\n[domain]\nlower = [-3.0, -3.0, -3.0]\n\
         upper = [3.0, 3.0, 3.0]\ndimensions = {dimensions}\n[[material]]\nname = \"m\"\ndensity = 1.0\nfriction = 0.5\n\
         {entries}\n[[bodies]]\nsample = \"lattice\"\nlattice = \"sc\"\nmaterial = \"m\"\ncount = 1\nradius = 0.1\n"
    );
    let path = place.write("walls.toml", &text);
    let scenario =
        moreau::config::load(std::path::Path::new(&path), &[]).unwrap_or_else(|e| panic!("{e}"));
    scenario.walls
}
