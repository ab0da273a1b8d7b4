//! `moreau fclib`.

use super::time::time;
use crate::fclib;
use crate::problem::{self, Method};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What is done with files of FCLib.
#[derive(Subcommand)]
pub enum Fclib {
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

/// What `fclib solve` takes.
#[derive(Args)]
pub struct SolveArgs {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Siconos' error that counts as converged
    #[arg(long, value_name = "E", default_value_t = 1e-8, value_parser = tolerance, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Sweeps after which a problem is given up
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_sweeps: u64,
    /// Time after which a problem is given up [s]
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = time, allow_negative_numbers = true)]
    pub max_seconds: f64,
    /// By what they are solved: auto, nsgs, proximal, smoothing, interior (without friction only)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = method)]
    pub solver: Method,
    /// Seed of the orders of sweeps
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
    /// A table in CSV
    #[arg(long)]
    pub csv: bool,
}

impl SolveArgs {
    /// The files, and how they are to be solved.
    ///
    /// # Errors
    /// If the solutions of several files would go into one.
    pub fn options(self) -> Result<(Vec<PathBuf>, fclib::Options), String> {
        if self.out.is_some() && self.files.len() > 1 {
            let text = "--out takes one solution; accepted: --write-solution for several files";
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
