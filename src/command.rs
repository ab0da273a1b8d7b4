//! The command line: commands and arguments, their help, shell completions and manual pages.

mod fclib;
mod manual;
mod pictures;
mod time;

pub use fclib::{Fclib, SolveArgs};
pub use manual::{completions, page, pages};
pub use pictures::RenderArgs;

use crate::report::convert::Format;
use crate::sim::Options;
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use std::time::Duration;
use time::time;

/// Contact dynamics (NSCD) of dense packings: rigid bodies, dry friction, the same bits on any
/// number of MPI ranks.
///
/// Exit status: 0 finished; 2 bad input, nothing written; 3 a step failed; 4 finished, but not all
/// results could be written; 75 ended early by a signal or a time limit, can be resumed (moreau
/// resume); 101 an error in the program.
#[derive(Parser)]
#[command(version, propagate_version = true)]
pub struct Cli {
    /// The command
    #[command(subcommand)]
    pub command: Command,
}

/// The command line as clap sees it, with the full names of all commands.
pub fn parser() -> clap::Command {
    let mut parser = Cli::command().disable_help_subcommand(true);
    parser.build();
    parser
}

/// The commands of the program.
#[derive(Subcommand)]
pub enum Command {
    /// Runs a configuration to its end (under mpirun: on all ranks)
    Run {
        /// The configuration, a TOML file
        config: PathBuf,
        /// Options of the run
        #[command(flatten)]
        run: RunArgs,
        /// Resumes from the newest valid checkpoint of the results folder, if it holds one. Keys
        /// that differ from the checkpoint's are listed, and changed or refused as by resume --set
        #[arg(long, conflicts_with = "overwrite")]
        or_resume: bool,
        /// Resumes with tables and other files as the checkpoint holds them, also where they were
        /// edited since
        #[arg(long, requires = "or_resume")]
        kept_files: bool,
    },
    /// Resumes from a checkpoint, or from the newest valid one of a folder, on any number of ranks
    Resume {
        /// A checkpoint, or the folder of a run
        from: PathBuf,
        /// Options of the run
        #[command(flatten)]
        run: RunArgs,
        /// Resumes with tables and other files as the checkpoint holds them, also where they were
        /// edited since
        #[arg(long)]
        kept_files: bool,
    },
    /// Validates a configuration and prints the size of the run; runs and writes nothing
    Check {
        /// The configuration, a TOML file
        config: PathBuf,
        /// Overrides a key of the configuration
        #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
        set: Vec<String>,
        /// Removes a key of the configuration, before any --set
        #[arg(long, value_name = "KEY")]
        unset: Vec<String>,
    },
    /// Measures the speed of the sweep and of contact detection on this machine
    Bench {
        /// Prints CSV
        #[arg(long)]
        csv: bool,
        /// Bodies along an edge of the cubic packings; one packing for each number
        #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [20, 46, 100], value_parser = clap::value_parser!(u16).range(2..=200))]
        sides: Vec<u16>,
        /// Threads of the last measurement of each packing
        #[arg(long, value_name = "T", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: u16,
    },
    /// Draws a checkpoint, or each of a folder, as PNG
    Render(RenderArgs),
    /// Writes one HTML page about a run, DIR/report.html: figures, plots, pictures
    Report {
        /// The folder of the run
        dir: PathBuf,
    },
    /// Writes checkpoints or frames in the formats of other programs
    Convert {
        /// A checkpoint, bodies.vtkhdf or contacts.vtkhdf, or the folder of a run: its frames
        /// or, without frames, its checkpoints
        from: PathBuf,
        /// The format
        #[arg(long, value_enum)]
        to: To,
        /// Folder for the results [default: that of the source]
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
    /// Prints the keys of a configuration: accepted values, unit, default, meaning
    Keys {
        /// A table, such as solver, or the beginning of a key in it, such as wall.free [default:
        /// the names of all]
        name: Option<String>,
    },
    /// Prints the contents of a checkpoint
    Info {
        /// The checkpoint, or the folder of a run for its newest one
        file: PathBuf,
    },
    /// Prints the elastic moduli of a checkpoint: its stiffness tensor, all contacts sticking
    ///
    /// The cell is periodic along each axis, or ends there at two planes, which follow the strain.
    /// With --modes it prints the softest modes instead, of any cell, walls at rest.
    Elastic {
        /// The checkpoint, or the folder of a run for its newest one
        from: PathBuf,
        /// As CSV
        #[arg(long)]
        csv: bool,
        /// The K softest modes of the packing and their frequencies, at most 3000 unknowns
        #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
        modes: Option<u16>,
        /// Folder for frames of the modes: their displacements stand as velocity
        #[arg(short, long, value_name = "DIR", requires = "modes")]
        out: Option<PathBuf>,
        /// Overrides a key of the configuration in the checkpoint: KEY=VALUE
        #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
        set: Vec<String>,
    },
    /// Handles frictional contact problems in files of FCLib
    Fclib {
        /// The command for these files
        #[command(subcommand)]
        command: Fclib,
    },
    /// Writes a shell's completion script to stdout
    ///
    /// For bash: moreau completions bash > ~/.local/share/bash-completion/completions/moreau
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Writes manual pages: one to stdout, or all into a folder
    ///
    /// To read one: moreau man run | man -l -
    Man {
        /// The command, such as run, or fclib solve [default: the program]
        command: Vec<String>,
        /// Folder for the pages of all commands: moreau.1, moreau-run.1 and so on
        #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

/// A format of another program.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum To {
    /// Text dumps for LAMMPS and OVITO: bodies.dump, contacts.dump
    Lammps,
    /// checkpoints.xmf, which describes checkpoints to ParaView and VisIt
    Xdmf,
    /// bodies.vtkhdf and contacts.vtkhdf, each packed into one file
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

/// The options of `run` and `resume`.
#[derive(Args)]
pub struct RunArgs {
    /// Folder for results [default: out in the working directory, or the checkpoint's folder]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Ends at this step, counted from time zero, or at rest if the configuration has time.rest and
    /// that comes first
    #[arg(long, value_name = "N", conflicts_with = "until")]
    pub steps: Option<u64>,
    /// Ends at this time [s], counted from time zero, or at rest likewise
    #[arg(long, value_name = "T", value_parser = time, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Overrides a key of the configuration
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<String>,
    /// Removes a key of the configuration, before any --set
    #[arg(long, value_name = "KEY")]
    pub unset: Vec<String>,
    /// Seed of the random streams
    #[arg(long)]
    pub seed: Option<u64>,
    /// Threads per rank
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Ends before this wall time, counted from the start of the program, with a checkpoint and
    /// exit status 75
    #[arg(long, value_name = "[D-]HH:MM:SS", value_parser = wall_time)]
    pub wall_limit: Option<Duration>,
    /// Deletes a run that the folder already holds
    #[arg(long)]
    pub overwrite: bool,
}

/// A wall time in the notation of batch systems.
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
        .ok_or_else(|| "must be HH:MM:SS or D-HH:MM:SS".to_owned())
}

/// A key with its value. Signs before a key are of other overrides, as that of `--unset`.
fn setting(text: &str) -> Result<String, String> {
    match text.trim_start().starts_with(['-', '+', '~']) {
        true => Err("must be KEY=VALUE, as in time.dt=1e-3".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// The overrides of a configuration: keys to remove, then keys to set.
pub fn overrides(unset: Vec<String>, set: Vec<String>) -> Vec<String> {
    let removed = unset.into_iter().map(|key| format!("-{key}"));
    removed.chain(set).collect()
}

impl RunArgs {
    /// The options of the run.
    pub fn options(self) -> Options {
        let mut set = overrides(self.unset, self.set);
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
            kept_files: false,
            nan_before: None,
        }
    }
}
