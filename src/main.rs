//! The program `moreau`: command line to exit status, and nothing else.

use clap::{Args, Parser, Subcommand};
use moreau::bench;
use moreau::comm::{Comm, launch, threads::Serial};
use moreau::report::convert::{Format, convert};
use moreau::sim::{self, Options};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Contact dynamics (NSCD) of dense packings: rigid bodies, dry friction, any number of MPI ranks, the same bits.
///
/// Exit status: 0 finished; 2 bad input, nothing written; 3 a step failed; 4 finished, but not all results could be written;
/// 75 ended early in order, by a signal or a time limit, and can go on (moreau resume); 101 a fault of the program.
#[derive(Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a configuration to its end (under mpirun: on all ranks)
    Run {
        /// The configuration, a TOML file
        config: PathBuf,
        #[command(flatten)]
        run: RunArgs,
        /// Goes on from the newest valid checkpoint of the folder for results, if it holds any; --set and --seed are then those of the checkpoint
        #[arg(long, conflicts_with = "overwrite")]
        or_resume: bool,
    },
    /// Goes on from a checkpoint, or from the newest valid one of a folder, on any number of ranks
    Resume {
        /// A checkpoint, or the folder of a run
        from: PathBuf,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Validates a configuration and says what a run would be like; runs and writes nothing
    Check {
        /// The configuration, a TOML file
        config: PathBuf,
        /// Overrides a key of the configuration
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Measures what the sweep and the detection reach on this machine
    Bench {
        /// A table in CSV
        #[arg(long)]
        csv: bool,
        /// Bodies on a side of the cubic packings, one packing each
        #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [20, 46, 100], value_parser = clap::value_parser!(u16).range(2..=200))]
        sides: Vec<u16>,
        /// Threads of the last sweep of each packing
        #[arg(long, value_name = "T", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: u16,
    },
    /// Writes checkpoints or frames in the formats of other programs
    Convert {
        /// A checkpoint, bodies.vtkhdf or contacts.vtkhdf, or the folder of a run: its frames or, if there are none, its checkpoints
        from: PathBuf,
        /// The format
        #[arg(long, value_enum)]
        to: To,
        /// Folder for the results [default: that of the source]
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
    /// Says what a checkpoint holds
    Info {
        /// The checkpoint, or the folder of a run: its newest
        file: PathBuf,
    },
}

/// A format of other programs.
#[derive(Clone, Copy, clap::ValueEnum)]
enum To {
    /// Text dumps for LAMMPS and OVITO: bodies.dump, contacts.dump
    Lammps,
    /// checkpoints.xmf, which describes checkpoints to ParaView and VisIt
    Xdmf,
    /// bodies.vtkhdf and contacts.vtkhdf, each of one file
    Vtk,
}

impl From<To> for Format {
    fn from(to: To) -> Self {
        match to {
            To::Lammps => Self::Lammps,
            To::Xdmf => Self::Xdmf,
            To::Vtk => Self::Vtk,
        }
    }
}

#[derive(Args)]
struct RunArgs {
    /// Folder for results [default: out in the working directory, or the checkpoint's folder]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Ends at this step, counted from time zero, or at rest if the configuration says so and that comes first
    #[arg(long, value_name = "N", conflicts_with = "until")]
    steps: Option<u64>,
    /// Ends at this time [s], counted from time zero, or at rest likewise
    #[arg(long, value_name = "T", value_parser = time, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Overrides a key of the configuration
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Seed of the random streams
    #[arg(long)]
    seed: Option<u64>,
    /// Threads per rank
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Ends in time for this wall time, from the start of the program, with a checkpoint and exit status 75
    #[arg(long, value_name = "[D-]HH:MM:SS", value_parser = wall_time)]
    wall_limit: Option<Duration>,
    /// Deletes a run that the folder already holds
    #[arg(long)]
    overwrite: bool,
}

/// A time that a run can end at.
fn time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(t) if f64::is_finite(t) && t >= 0.0 => Ok(t),
        _ => Err("accepted: a time in seconds, 0 or more".to_owned()),
    }
}

/// A wall time as batch systems write it.
fn wall_time(text: &str) -> Result<Duration, String> {
    let seconds = || {
        let (days, clock) = text.split_once('-').unwrap_or(("0", text));
        let mut parts = clock.split(':');
        let part = |text: &str| {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<u64>().ok().filter(|_| digits)
        };
        let [hours, minutes, seconds] = [parts.next()?, parts.next()?, parts.next()?].map(part);
        let (hours, minutes, seconds) = (hours?, minutes?, seconds?);
        if parts.next().is_some() || minutes > 59 || seconds > 59 {
            return None;
        }
        let hours = part(days)?.checked_mul(24)?.checked_add(hours)?;
        hours.checked_mul(3600)?.checked_add(60 * minutes + seconds)
    };
    seconds()
        .map(Duration::from_secs)
        .ok_or_else(|| "accepted: HH:MM:SS or D-HH:MM:SS".to_owned())
}

impl RunArgs {
    fn options(self) -> Options {
        let mut set = self.set;
        set.extend(self.seed.map(|s| format!("solver.seed={s}")));
        let (steps, until) = (self.steps, self.until);
        Options {
            out: self.out,
            set,
            steps,
            until,
            threads: usize::from(self.threads),
            wall_limit: self.wall_limit,
            overwrite: self.overwrite,
            or_resume: false,
            nan_before: None,
        }
    }
}

/// Signals end a run in order from here on. A system that refuses is no reason not to run.
fn listen() {
    if let Err(error) = sim::listen() {
        eprintln!("moreau: signals will end the run at once: {error}");
    }
}

fn main() {
    std::process::exit(status());
}

fn status() -> i32 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) if !told.use_stderr() => {
            let _ = told.print(); // Help or version; a closed pipe is no error.
            return 0;
        }
        Err(error) => {
            return launch(|comm: &dyn Comm| {
                if comm.rank() == 0 {
                    let _ = error.print();
                }
                2
            });
        }
    };
    match cli.command {
        Command::Run {
            config,
            run,
            or_resume,
        } => {
            let mut options = run.options();
            options.or_resume = or_resume;
            listen();
            launch(|comm| sim::run(comm, &config, &options))
        }
        Command::Resume { from, run } => {
            let options = run.options();
            listen();
            launch(|comm| sim::resume(comm, &from, &options))
        }
        Command::Check { config, set } => {
            let options = Options {
                set,
                ..Options::default()
            };
            told(sim::check(&Serial, &config, &options).map_err(|e| (e.to_string(), e.status())))
        }
        Command::Bench {
            csv,
            sides,
            threads,
        } => {
            let sides: Vec<usize> = sides.into_iter().map(usize::from).collect();
            let figures = bench::figures(&sides, usize::from(threads));
            told(bench::told(&figures, csv).map_err(|e| (e.to_string(), 101)))
        }
        Command::Convert { from, to, out } => {
            told(convert(&from, to.into(), out.as_deref()).map_err(|e| (e.to_string(), e.status())))
        }
        Command::Info { file } => told(moreau::report::info(&file).map_err(|e| (e, 2))),
    }
}

fn told(result: Result<String, (String, i32)>) -> i32 {
    match result {
        Ok(text) => {
            let _ = writeln!(std::io::stdout().lock(), "{text}"); // A closed pipe is no error.
            0
        }
        Err((error, status)) => {
            let _ = writeln!(std::io::stderr().lock(), "moreau: {error}");
            status
        }
    }
}
