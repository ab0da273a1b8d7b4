//! The program `moreau`: command line to exit status, and nothing else.

use clap::{Args, Parser, Subcommand};
use moreau::bench;
use moreau::comm::{Comm, launch, threads::Serial};
use moreau::fclib;
use moreau::math::Vector3;
use moreau::render::{self, Clip, Colour, Fit, Map, View};
use moreau::report::convert::{Format, convert};
use moreau::report::{self, Request};
use moreau::sim::{self, Options};
use moreau::solver::delassus::{self, Method};
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
    /// Draws a checkpoint, or each of a folder, as PNG
    Render(RenderArgs),
    /// Makes one HTML page of what a run has written: figures, plots, pictures, in DIR/report.html
    Report {
        /// The folder of the run
        dir: PathBuf,
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
    /// Frictional contact problems in files of FCLib
    Fclib {
        #[command(subcommand)]
        command: Fclib,
    },
}

#[derive(Subcommand)]
enum Fclib {
    /// Says what a file holds
    Info {
        /// The file
        file: PathBuf,
    },
    /// Solves the problems of files; status 3 if one does not converge
    Solve(SolveArgs),
    /// Writes a problem as one of its contacts alone: global ones, and ties, by u = W r + q
    Reduce {
        /// The file
        file: PathBuf,
        /// The file to be made
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Writes the contact problem of the step that would follow a checkpoint
    Export {
        /// The checkpoint, or the folder of a run: its newest
        checkpoint: PathBuf,
        /// The file to be made
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Args)]
struct SolveArgs {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Siconos' error that counts as converged
    #[arg(long, value_name = "E", default_value_t = 1e-8, value_parser = tolerance, allow_negative_numbers = true)]
    tolerance: f64,
    /// Sweeps after which a problem is given up
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_sweeps: u64,
    /// Time after which a problem is given up [s]
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = time, allow_negative_numbers = true)]
    max_seconds: f64,
    /// By what they are solved
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = method)]
    solver: Method,
    /// Seed of the orders of sweeps
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Starts with the first guess of a file, if it has one
    #[arg(long)]
    guess: bool,
    /// Writes the solution into the file
    #[arg(long)]
    write_solution: bool,
    /// Writes the solution into a copy of the file
    #[arg(short, long, value_name = "FILE", conflicts_with = "write_solution")]
    out: Option<PathBuf>,
    /// A table in CSV
    #[arg(long)]
    csv: bool,
}

impl SolveArgs {
    fn solve(self) -> i32 {
        if self.out.is_some() && self.files.len() > 1 {
            let text = "--out takes one solution; accepted: --write-solution for several files";
            return told(Err((text.to_owned(), 2)));
        }
        let settings = delassus::Settings {
            tolerance: self.tolerance,
            max_sweeps: self.max_sweeps,
            max_seconds: self.max_seconds,
            seed: self.seed,
            method: self.solver,
        };
        let options = fclib::Options {
            settings,
            write: self.write_solution,
            out: self.out,
            csv: self.csv,
            guess: self.guess,
        };
        fclib::solve(&self.files, &options)
    }
}

/// An error that can be asked for.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(e) if f64::is_finite(e) && e > 0.0 => Ok(e),
        _ => Err("accepted: a number above 0".to_owned()),
    }
}

/// A method by its name.
fn method(text: &str) -> Result<Method, String> {
    let found = fclib::METHODS.iter().find(|(name, _)| *name == text);
    let names = fclib::METHODS.map(|(name, _)| name).join(", ");
    found
        .map(|(_, method)| *method)
        .ok_or_else(|| format!("accepted: {names}"))
}

#[derive(Args)]
struct RenderArgs {
    /// The checkpoint, or a folder: a picture of each that it holds
    from: PathBuf,
    /// The picture; of a folder the folder for frame-00000.png and so on
    #[arg(short, long, value_name = "PNG")]
    output: PathBuf,
    /// Looks from +x, from -y (x to the right), from +z, or from a corner [default: iso; of discs z]
    #[arg(long, value_name = "VIEW", value_parser = ["x", "y", "z", "iso"])]
    view: Option<String>,
    /// Looks from this direction
    #[arg(long = "from", value_name = "X,Y,Z", value_parser = vector, conflicts_with = "view", allow_hyphen_values = true)]
    from_direction: Option<Vector3>,
    /// What points up in the picture [default: z, or y where one looks along z]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    up: Option<Vector3>,
    /// Perspective with this opening angle over the smaller side [degrees]; without it, orthographic
    #[arg(long, value_name = "DEGREES", value_parser = opening)]
    perspective: Option<f64>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = render::size)]
    size: Size,
    /// Draws only what lies there, "x<0.1"; more than once: in all of them
    #[arg(long, value_name = "CUT", allow_hyphen_values = true)]
    clip: Vec<Clip>,
    /// What colours stand for: speed, velocity.x, velocity.y, velocity.z, spin, radius, id, material, coordination, pressure, height
    #[arg(
        long,
        alias = "color",
        value_name = "QUANTITY",
        default_value = "speed"
    )]
    colour: Colour,
    /// The colours: viridis, cividis, inferno, magma, plasma, greys
    #[arg(long, value_name = "MAP", default_value = "viridis")]
    map: Map,
    /// Values of the first and the last colour [default: as the bodies have them, of a folder over all pictures]
    #[arg(long, value_name = "LOW,HIGH", value_parser = render::range, allow_hyphen_values = true)]
    range: Option<Range>,
    /// Draws the forces at the contacts in place of the bodies, of discs on top of them
    #[arg(long, conflicts_with = "colour")]
    contacts: bool,
    /// What fills the picture [default: the bodies; of a folder the domain]
    #[arg(long, value_parser = ["bodies", "domain"])]
    fit: Option<String>,
    /// Leaves out the lines of domain and walls
    #[arg(long)]
    no_walls: bool,
    /// Leaves out colour bar and caption
    #[arg(long)]
    no_legend: bool,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Pixels across and down, and values from and to: named, because clap takes two brackets for a list.
type Size = [usize; 2];
type Range = [f64; 2];

/// Three numbers.
fn vector(text: &str) -> Result<Vector3, String> {
    let numbers = text.split(',').map(|word| word.trim().parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|c| c.is_finite()) => Ok(Vector3::new(x, y, z)),
        _ => Err("accepted: X,Y,Z, three finite numbers".to_owned()),
    }
}

/// The opening angle of a perspective camera.
fn opening(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(angle) if (1.0..=120.0).contains(&angle) => Ok(angle),
        _ => Err("accepted: an angle from 1 to 120 degrees".to_owned()),
    }
}

impl RenderArgs {
    /// What is asked for, of discs or of balls.
    fn request(&self) -> Result<Request, String> {
        let mut view = View {
            size: self.size,
            opening: self.perspective,
            clips: self.clip.clone(),
            colour: self.colour,
            map: self.map,
            range: self.range,
            contacts: self.contacts,
            walls: !self.no_walls,
            legend: !self.no_legend,
            ..View::default()
        };
        let named = self.view.as_deref().and_then(render::direction);
        let from = self.from_direction.or(named.map(|(from, _)| from));
        let standard = from.is_none() && self.up.is_none();
        if !standard {
            view.look(from.unwrap_or(view.from), self.up)?;
        }
        let fit = self.fit.as_deref().map(|word| match word {
            "domain" => Fit::Domain,
            _ => Fit::Bodies,
        });
        Ok(Request {
            view,
            standard,
            fit,
            threads: self.threads.map(usize::from),
        })
    }
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
        Command::Render(args) => {
            let request = args.request().map_err(|e| (e, 2));
            told(request.and_then(|request| report::render(&args.from, &args.output, &request)))
        }
        Command::Report { dir } => told(report::page(&dir)),
        Command::Info { file } => told(report::info(&file).map_err(|e| (e, 2))),
        Command::Fclib { command } => match command {
            Fclib::Info { file } => told(fclib::info(&file).map_err(|e| (e, 2))),
            Fclib::Solve(args) => args.solve(),
            Fclib::Reduce { file, out } => told(fclib::reduced(&file, &out)),
            Fclib::Export { checkpoint, out } => {
                let exported = fclib::export(&checkpoint, &out);
                told(exported.map_err(|e| (e.to_string(), e.status())))
            }
        },
        Command::Convert { from, to, out } => {
            told(convert(&from, to.into(), out.as_deref()).map_err(|e| (e.to_string(), e.status())))
        }
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
