//! Frictional contact problems in FCLib's files: contents, solutions, and problems of a run's next
//! step.
//!
//! [`reduce`] brings every kind of problem into the form of the solver, `u = W r + q`, and its
//! solution back.

pub mod reduce;
mod solve;
mod told;

pub use solve::{Options, printed, solve};
pub use told::info;

use crate::io::fclib::{self, Answer};
use crate::problem::Method;
use crate::sim::{self, Exported, RunError};
use std::path::Path;

/// The names of methods on the command line.
pub const METHODS: [(&str, Method); 5] = [
    ("auto", Method::Auto),
    ("nsgs", Method::Nsgs),
    ("proximal", Method::Proximal),
    ("smoothing", Method::Smoothing),
    ("interior", Method::Interior),
];

/// `moreau fclib reduce`: writes a file's problem in the form of the solver, `u = W r + q`.
///
/// Only contacts remain in it. Returns the text to be printed.
///
/// # Errors
/// If the file cannot be read or reduced, or the other cannot be written; the exit status with the
/// reason.
pub fn reduced(from: &Path, out: &Path) -> Result<String, (String, i32)> {
    let input = |e: fclib::Error| (e.to_string(), 2);
    fclib::must_be_new(out).map_err(input)?;
    let content = fclib::read(from).map_err(input)?;
    let fault = |e: String| (format!("FCLib file {}: {e}", from.display()), 2);
    let problem = reduce::reduce(&content).map_err(fault)?.problem;
    let description = format!(
        "The problem in {}, reduced to its contacts",
        from.file_name().unwrap_or_default().display()
    );
    fclib::write_problem(out, &problem, None, &[("description", &description)])
        .map_err(|e| (e.to_string(), 4))?;
    Ok(format!(
        "{}: {} contacts of {} numbers, {} blocks of W",
        out.display(),
        problem.contacts(),
        problem.matrix.dimension,
        problem.matrix.columns.len()
    ))
}

/// `moreau fclib export`: writes the contact problem of the step that would follow a checkpoint.
///
/// The initial impulses of that step are a guess in the file. Returns the text to be printed.
///
/// # Errors
/// If the checkpoint cannot be read, or the file cannot be written.
/// Also if the format cannot represent the laws of the contacts.
pub fn export(checkpoint: &Path, out: &Path) -> Result<String, RunError> {
    fclib::must_be_new(out).map_err(|e| RunError::Input(e.to_string()))?;
    let Exported {
        problem,
        impulse,
        step,
        time,
        dt,
        title,
        ..
    } = sim::export(checkpoint, &[])?;
    let mut velocity = vec![0.0; impulse.len()];
    problem.matrix.apply(&impulse, &problem.q, &mut velocity);
    let description = format!(
        "The contact problem of step {step} (from {time} s, {dt} s long) of the run in {}: impulses in N s, velocities at the end of the \
         step in m/s. Gaps, restitution, springs and cohesion are in W and q; guess 1 has the initial impulses of that step.",
        checkpoint.file_name().unwrap_or_default().display()
    );
    let math = "u = W r + q, Signorini's condition and Coulomb's law between u and r, normal first";
    let words = [
        ("title", &title[..]),
        ("description", &description),
        ("math_info", math),
    ];
    let guess = Answer {
        u: velocity,
        r: impulse,
        ..Answer::default()
    };
    fclib::write_problem(out, &problem, Some(&guess), &words)
        .map_err(|e| RunError::Incomplete(e.to_string()))?;
    Ok(format!(
        "{}: {} contacts, {} blocks of W, step {step} from {time} s",
        out.display(),
        problem.contacts(),
        problem.matrix.columns.len()
    ))
}
