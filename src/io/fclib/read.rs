//! Reads a problem, and checks its whole content.

use super::matrix::{Matrix, single};
use super::{Answer, Content, Equations, Error, Kind};
use crate::io::hdf::Reader;
use std::path::Path;

/// Reads a file of FCLib.
///
/// # Errors
/// Names the file, the dataset, the fault, and the accepted values.
pub fn read(path: &Path) -> Result<Content, Error> {
    let content = Reader::open(path).and_then(|file| content(&file));
    content.map_err(|fault| Error::Read(format!("FCLib file {}: {fault}", path.display())))
}

fn content(file: &Reader) -> Result<Content, String> {
    let there: Vec<Kind> = (Kind::ALL.into_iter())
        .filter(|kind| file.holds(kind.root()))
        .collect();
    let all = Kind::ALL.map(Kind::root).join(", ");
    let [kind] = there[..] else {
        return Err(match there.len() {
            0 => format!("must hold one group of {all}; found none"),
            _ => format!("must hold one group of {all}; found several"),
        });
    };
    let root = kind.root();
    let at = |name: &str| format!("{root}/{name}");
    let spacedim = single(file, &at("spacedim"))?;
    let dimension = match (kind.is_rolling(), spacedim) {
        (false, 2) => 2,
        (false, 3) => 3,
        (true, 5) => 5,
        (true, 3) => 3,
        (rolling, _) => {
            let accepted = if rolling { "3 or 5" } else { "2 or 3" };
            return Err(format!(
                "{}: must be {accepted}; found {spacedim}",
                at("spacedim")
            ));
        }
    };
    let friction = coefficients(file, &at("vectors/mu"))?;
    let rolling = if kind.is_rolling() {
        let rolling = coefficients(file, &at("vectors/mu_r"))?;
        fits(
            &at("vectors/mu_r"),
            rolling.len(),
            friction.len(),
            "as mu has",
        )?;
        rolling
    } else {
        Vec::new()
    };
    let rows = friction.len() * dimension;
    let equations = if kind.is_global() {
        global(file, &at, rows)?
    } else {
        local(file, &at, rows)?
    };
    let words = ["title", "description", "math_info"].into_iter();
    let words = words.filter_map(|name| {
        let path = at(&format!("info/{name}"));
        let words = if file.holds(&path) {
            file.words(&path).ok()
        } else {
            None
        };
        words.map(|words| (name.to_owned(), words))
    });
    Ok(Content {
        kind,
        dimension,
        equations,
        friction,
        rolling,
        words: words.collect(),
        solution: file.holds("solution").then(|| answer(file, "solution")),
        guesses: guesses(file),
    })
}

fn local(file: &Reader, at: &dyn Fn(&str) -> String, rows: usize) -> Result<Equations, String> {
    let w = Matrix::read(file, &at("W"), true)?;
    sized(&at("W"), &w, rows, rows)?;
    let q = vector(file, &at("vectors/q"), Some(rows))?;
    let ties = match (file.holds(&at("V")), file.holds(&at("R"))) {
        (false, false) => None,
        (true, true) => {
            let (v, r) = (
                Matrix::read(file, &at("V"), false)?,
                Matrix::read(file, &at("R"), true)?,
            );
            sized(&at("V"), &v, rows, r.sparse.rows)?;
            sized(&at("R"), &r, r.sparse.rows, r.sparse.rows)?;
            let s = optional(file, &at("vectors/s"), r.sparse.rows)?;
            Some((v, r, s))
        }
        (v, _) => {
            let there = if v { "V" } else { "R" };
            return Err(format!(
                "{} and {}: must both exist or neither; found {}",
                at("V"),
                at("R"),
                at(there)
            ));
        }
    };
    Ok(Equations::Local { w, q, ties })
}

fn global(file: &Reader, at: &dyn Fn(&str) -> String, rows: usize) -> Result<Equations, String> {
    let m = Matrix::read(file, &at("M"), true)?;
    let n = m.sparse.rows;
    sized(&at("M"), &m, n, n)?;
    let f = vector(file, &at("vectors/f"), Some(n))?;
    let w = vector(file, &at("vectors/w"), Some(rows))?;
    let h = Matrix::read(file, &at("H"), false)?;
    sized(&at("H"), &h, n, rows)?;
    let ties = if file.holds(&at("G")) {
        let g = Matrix::read(file, &at("G"), false)?;
        sized(&at("G"), &g, n, g.sparse.columns)?;
        let b = optional(file, &at("vectors/b"), g.sparse.columns)?;
        Some((g, b))
    } else {
        None
    };
    Ok(Equations::Global { m, h, f, w, ties })
}

/// A vector of finite numbers, of the given length.
fn vector(file: &Reader, path: &str, length: Option<usize>) -> Result<Vec<f64>, String> {
    let numbers = file.reals(path)?;
    if let Some(length) = length {
        fits(
            path,
            numbers.len(),
            length,
            "as spacedim, mu and the matrices have",
        )?;
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(k) => Err(format!(
            "{path}: must be finite; found {} at index {k}",
            numbers[k]
        )),
        None => Ok(numbers),
    }
}

/// The same for a vector that may be missing where it is zero.
fn optional(file: &Reader, path: &str, length: usize) -> Result<Vec<f64>, String> {
    if file.holds(path) {
        vector(file, path, Some(length))
    } else {
        Ok(vec![0.0; length])
    }
}

fn coefficients(file: &Reader, path: &str) -> Result<Vec<f64>, String> {
    let numbers = vector(file, path, None)?;
    match numbers.iter().position(|x| *x < 0.0) {
        Some(k) => Err(format!(
            "{path}: must be 0 or more; found {} at contact {k}",
            numbers[k]
        )),
        None => Ok(numbers),
    }
}

fn fits(path: &str, has: usize, wants: usize, why: &str) -> Result<(), String> {
    if has == wants {
        Ok(())
    } else {
        Err(format!(
            "{path}: must have {wants} numbers, {why}; found {has}"
        ))
    }
}

fn sized(path: &str, matrix: &Matrix, rows: usize, columns: usize) -> Result<(), String> {
    let of = &matrix.sparse;
    if (of.rows, of.columns) == (rows, columns) {
        Ok(())
    } else {
        Err(format!(
            "{path}: must have {rows} rows and {columns} columns, as spacedim, mu and the other matrices imply; found {} and {}",
            of.rows, of.columns
        ))
    }
}

/// A solution as it is in the file.
///
/// The solutions of the collection are often empty or zero, so an unreadable one counts as missing.
fn answer(file: &Reader, group: &str) -> Answer {
    let list = |name: &str| {
        let path = format!("{group}/{name}");
        let numbers = if file.holds(&path) {
            file.reals(&path).ok()
        } else {
            None
        };
        numbers.unwrap_or_default()
    };
    Answer {
        u: list("u"),
        r: list("r"),
        v: list("v"),
        l: list("l"),
    }
}

/// All guesses in the file, numbered from 1. The number that the file states is not used.
fn guesses(file: &Reader) -> Vec<Answer> {
    let there = file.names("guesses").len();
    (1..=there)
        .map(|k| format!("guesses/{k}"))
        .take_while(|group| file.holds(group))
        .map(|group| answer(file, &group))
        .collect()
}
