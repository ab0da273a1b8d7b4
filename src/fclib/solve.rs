//! `moreau fclib solve`: solves problems and reports the quality of the solutions.

use super::reduce::{Reduced, reduce};
use crate::io::fclib::{self, Answer, Content, Error};
use crate::problem::{self, Settings, Solution, merit};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The options of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// The settings of the solver.
    pub settings: Settings,
    /// Whether to write the solution into the file.
    pub write: bool,
    /// A copy of the file that receives the solution instead.
    pub out: Option<PathBuf>,
    /// Whether to print a table.
    pub csv: bool,
    /// Whether to start with the file's first guess.
    pub guess: bool,
}

/// The outcome of a problem.
struct Row {
    kind: &'static str,
    contacts: usize,
    solution: Solution,
    /// For global problems: the error of motion and contacts together.
    global_error: Option<f64>,
    /// The file that now contains the solution.
    written: Option<PathBuf>,
    converged: bool,
}

/// Solves the problems of files, and prints the results to stdout. Returns the exit status.
///
/// 0 if all have converged, 2 if a file could not be read, 4 if a solution could not be written, 3
/// if one has not converged.
pub fn solve(files: &[PathBuf], options: &Options) -> i32 {
    let mut status = 0;
    let mut worst = |new: i32| {
        // The most severe status wins: bad input, then a lost solution, then one that has not
        // converged.
        let rank = |s: i32| [0, 3, 4, 2].iter().position(|&x| x == s);
        if rank(new) > rank(status) {
            status = new;
        }
    };
    if options.csv {
        worst(say(&[
            "file",
            "kind",
            "contacts",
            "sweeps",
            "seconds",
            "error_siconos",
            "merit_fclib",
            "residual",
            "converged",
            "method",
        ]));
    }
    for file in files {
        match one(file, options) {
            Ok(row) => {
                worst(if row.converged { 0 } else { 3 });
                worst(if options.csv {
                    say(&row.cells(file))
                } else {
                    printed(format!("{}\n", row.told(file, options)).as_bytes())
                });
            }
            Err(error) => {
                worst(if matches!(error, Error::Read(_)) {
                    2
                } else {
                    4
                });
                let _ = writeln!(std::io::stderr().lock(), "moreau: {error}");
            }
        }
    }
    status
}

/// Prints a row of the table; returns the exit status.
fn say<T: AsRef<[u8]>>(cells: &[T]) -> i32 {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Writing a row to memory does not fail.
    let written = table.write_record(cells).is_ok();
    match table.into_inner() {
        Ok(row) if written => printed(&row),
        _ => 4,
    }
}

/// Prints to stdout. Returns the exit status: 4 if that fails; a closed pipe is not an error.
#[must_use]
pub fn printed(bytes: &[u8]) -> i32 {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr().lock(), "moreau: stdout: {error}");
            4
        }
        _ => 0,
    }
}

/// Solves the problem of a file.
fn one(file: &Path, options: &Options) -> Result<Row, Error> {
    if let Some(out) = &options.out {
        fclib::must_be_new(out)?;
    }
    let content = fclib::read(file)?;
    let fault = |what: String| Error::Read(format!("FCLib file {}: {what}", file.display()));
    let reduced = reduce(&content).map_err(fault)?;
    let guess = match content.guesses.first() {
        Some(guess) if options.guess => reduced.guess(guess),
        _ => None,
    };
    let solution = problem::solve(&reduced.problem, guess.as_deref(), &options.settings);
    let back = |solution: &Solution| reduced.answer(&solution.impulse, &solution.velocity);
    let answer = back(&solution).map_err(fault)?;
    let written = match (&options.out, options.write) {
        (Some(out), _) => Some(out.as_path()),
        (None, true) => Some(file),
        (None, false) => None,
    };
    // The error of the values as other programs will read them.
    let written = written.filter(|_| solution.finite);
    let judged = match written {
        Some(to) => {
            fclib::write_solution(file, to, &answer)?;
            let read = fclib::read(to)?.solution.unwrap_or_default();
            reduced.guess(&read)
        }
        None => Some(solution.impulse.clone()),
    };
    let mut row = row(&content, &reduced, solution, &answer, judged, options);
    row.written = written.map(Path::to_owned);
    Ok(row)
}

fn row(
    content: &Content,
    reduced: &Reduced,
    mut solution: Solution,
    answer: &Answer,
    judged: Option<Vec<f64>>,
    options: &Options,
) -> Row {
    let problem = &reduced.problem;
    let judged = judged.unwrap_or_else(|| vec![f64::NAN; problem.q.len()]);
    solution.error = merit::siconos_error(problem, &judged);
    solution.merit = merit::fclib_merit(problem, &judged);
    solution.residual = merit::residual(problem, &judged);
    let norm = |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = norm(&problem.q)
        .max(norm(&judged))
        .max(norm(&solution.velocity));
    let abs = if scale > f64::EPSILON {
        solution.error * scale
    } else {
        solution.error
    };
    Row {
        kind: content.kind.name(),
        contacts: content.contacts(),
        global_error: reduced.global_error(answer, abs),
        // A NaN fails the comparison.
        converged: solution.finite
            && solution.error <= options.settings.tolerance
            && !merit::is_unanswered(problem, &judged),
        written: None,
        solution,
    }
}

impl Row {
    fn cells(&self, file: &Path) -> Vec<String> {
        let Solution {
            sweeps,
            seconds,
            error,
            merit,
            residual,
            method,
            ..
        } = &self.solution;
        vec![
            file.display().to_string(),
            self.kind.to_owned(),
            self.contacts.to_string(),
            sweeps.to_string(),
            format!("{seconds:.7}"),
            format!("{error:.6e}"),
            format!("{merit:.6e}"),
            format!("{residual:.6e}"),
            self.converged.to_string(),
            method.clone(),
        ]
    }

    fn told(&self, file: &Path, options: &Options) -> String {
        let Solution {
            sweeps,
            error,
            merit,
            residual,
            method,
            log,
            ..
        } = &self.solution;
        let mut lines = vec![
            format!(
                "{}: {}, {} contacts",
                file.display(),
                self.kind,
                self.contacts
            ),
            format!(
                "  {} to {:e}: error {error:.3e} (Siconos), merit {merit:.3e} (FCLib), residual {residual:.3e}",
                if self.converged {
                    "converged"
                } else {
                    "NOT CONVERGED"
                },
                options.settings.tolerance
            ),
        ];
        if let Some(error) = self.global_error {
            lines.push(format!(
                "  error {error:.3e} (Siconos, motion and contacts)"
            ));
        }
        lines.push(format!(
            "  {sweeps} sweeps, {:.6} s, {method}",
            self.solution.seconds
        ));
        lines.extend(log.iter().map(|line| format!("  {line}")));
        match &self.written {
            Some(to) => lines.push(format!("  wrote the solution to {}", to.display())),
            None if options.write || options.out.is_some() => {
                lines.push("  wrote NO solution, because it is not finite".to_owned());
            }
            None => {}
        }
        lines.join("\n")
    }
}
