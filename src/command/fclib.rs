//! `moreau fclib`.

use super::time::time;
use crate::fclib;
use crate::problem::{self, Method};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The commands for files of FCLib.
#[derive(Subcommand)]
pub enum Fclib {
    /// Prints the contents of a file
    Info {
        /// The file
        file: PathBuf,
    },
    /// Solves the problems of files; status 3 if one does not converge
    Solve(SolveArgs),
    /// Writes a problem as a local one, u = W r + q, without bodies and bilateral constraints
    Reduce {
        /// The file
        file: PathBuf,
        /// The new file
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Writes the contact problem of the step that would follow a checkpoint
    Export {
        /// The checkpoint, or the folder of a run for its newest one
        checkpoint: PathBuf,
        /// The new file
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// The options of `fclib solve`.
#[derive(Args)]
pub struct SolveArgs {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Siconos' error at which a problem counts as converged
    #[arg(long, value_name = "E", default_value_t = 1e-8, value_parser = tolerance, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Sweeps after which the solution of a problem is abandoned
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_sweeps: u64,
    /// Time after which the solution of a problem is abandoned [s]
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = time, allow_negative_numbers = true)]
    pub max_seconds: f64,
    /// The method: auto, nsgs, proximal, smoothing, interior (without friction only)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = method)]
    pub solver: Method,
    /// Seed of the random orders of sweeps
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Starts with the first guess of a file, if it has one
    #[arg(long)]
    pub guess: bool,
    /// Writes the solution into the file
    #[arg(long)]
    pub write_solution: bool,
    /// Writes the solution into a copy of the file
    #[arg(short, long, value_name = "FILE", conflicts_with = "write_solution")]
    pub out: Option<PathBuf>,
    /// Prints CSV
    #[arg(long)]
    pub csv: bool,
}

impl SolveArgs {
    /// The files, and the options of their solution.
    ///
    /// # Errors
    /// If the solutions of several files would be written to one.
    pub fn options(self) -> Result<(Vec<PathBuf>, fclib::Options), String> {
        if self.out.is_some() && self.files.len() > 1 {
            let text = "--out must come with one file; found several, for which --write-solution is accepted";
            return Err(text.to_owned());
        }
        let settings = problem::Settings {
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
        Ok((self.files, options))
    }
}

/// A tolerance of Siconos' error.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(e) if f64::is_finite(e) && e > 0.0 => Ok(e),
        _ => Err("must be a number > 0".to_owned()),
    }
}

/// A method by its name.
fn method(text: &str) -> Result<Method, String> {
    let found = fclib::METHODS.iter().find(|(name, _)| *name == text);
    let names = fclib::METHODS.map(|(name, _)| name).join(", ");
    found
        .map(|(_, method)| *method)
        .ok_or_else(|| format!("must be one of {names}"))
}
