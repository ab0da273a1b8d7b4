//! `moreau fclib info`: describes the contents of a file.

use super::reduce::reduce;
use crate::io::fclib::{self, Answer, Content, Equations, Form};
use crate::problem::merit;
use std::fmt::Write;
use std::path::Path;

/// Describes a file of FCLib: kind, sizes, matrices and their storage, coefficients, texts,
/// solution and guesses.
///
/// # Errors
/// The reason why the file cannot be read.
pub fn info(path: &Path) -> Result<String, String> {
    let content = fclib::read(path).map_err(|e| e.to_string())?;
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key:<12} {value}"); // Writing to a string does not fail.
    };
    line("file", path.display().to_string());
    line("kind", content.kind.name().to_owned());
    for (name, words) in &content.words {
        let mut parts = words.lines().map(plain).filter(|part| !part.is_empty());
        let first = parts.next().unwrap_or_default();
        line(name, first);
        parts.for_each(|part| line("", part));
    }
    let (n, d) = (content.contacts(), content.dimension);
    line("contacts", format!("{n}, {d} numbers each"));
    for (name, matrix) in content.matrices() {
        let of = &matrix.sparse;
        let form = match matrix.form {
            Form::Triplets => "triplets",
            Form::Columns => "compressed columns",
            Form::Rows => "compressed rows",
        };
        let half = if matrix.half { ", stored by half" } else { "" };
        let skew = if of.rows == of.columns {
            format!(", asymmetry {:.1e}", of.asymmetry())
        } else {
            String::new()
        };
        let (rows, columns, entries) = (of.rows, of.columns, of.values.len());
        line(
            name,
            format!("{rows} × {columns}, {entries} entries, {form}{half}{skew}"),
        );
    }
    let vectors = match &content.equations {
        Equations::Local { q, .. } => vec![("q", q)],
        Equations::Global { f, w, .. } => vec![("f", f), ("w", w)],
    };
    for (name, vector) in vectors {
        // The sum of no numbers is −0.
        let norm = (0.0 + vector.iter().map(|x| x * x).sum::<f64>()).sqrt();
        line(name, format!("norm {norm:.6e}"));
    }
    for (name, of) in [("mu", &content.friction), ("mu_r", &content.rolling)] {
        if !of.is_empty() {
            let (low, high) = of.iter().fold((f64::INFINITY, 0.0f64), |(low, high), x| {
                (low.min(*x), high.max(*x))
            });
            line(name, format!("{low} to {high}"));
        }
    }
    let answers = content.solution.iter().map(|s| ("solution", s));
    let answers: Vec<_> = answers
        .chain(content.guesses.iter().map(|g| ("guess", g)))
        .collect();
    match reduce(&content) {
        Err(fault) => line("REFUSED", fault),
        Ok(reduced) => {
            let w = &reduced.problem.matrix;
            line("W in all", format!("{} blocks", w.columns.len()));
            for (name, answer) in &answers {
                let error = reduced.guess(answer);
                let error = error.map(|r| merit::siconos_error(&reduced.problem, &r));
                line(name, judged(&content, answer, error));
            }
        }
    }
    Ok(text.trim_end().to_owned())
}

/// The quality of a solution or guess.
fn judged(content: &Content, answer: &Answer, error: Option<f64>) -> String {
    let wanted = content.contacts() * content.dimension;
    match error {
        Some(error) if answer.r.iter().all(|x| *x == 0.0) => {
            format!("all impulses zero, error {error:.3e} (Siconos)")
        }
        Some(error) => format!("error {error:.3e} (Siconos)"),
        None => format!(
            "unusable: r must have {wanted} finite numbers; found {}",
            answer.r.len()
        ),
    }
}

/// A line without characters that control a terminal.
fn plain(line: &str) -> String {
    let shown = line.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.collect::<String>().trim().to_owned()
}
