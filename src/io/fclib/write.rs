//! Writes problems and solutions.
//!
//! A file exists complete or not at all; a former file of the same name stays until then.

use super::{Answer, Error, Kind};
use crate::io::hdf::Plain;
use crate::io::own_temporary;
use crate::problem::Problem;
use std::fs::{self, File};
use std::path::Path;

/// Checks, before any work that would be lost, that a file to be made does not exist yet.
///
/// # Errors
/// If it exists, or its folder does not.
pub fn must_be_new(path: &Path) -> Result<(), Error> {
    let fault = |fault: &str| {
        Err(Error::Read(format!(
            "FCLib file {}: {fault}",
            path.display()
        )))
    };
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if fs::symlink_metadata(path).is_ok() {
        fault("must not exist yet; found a file of this name")
    } else if path.file_name().is_none() || folder.is_some_and(|folder| !folder.is_dir()) {
        fault("must be in an existing folder; found none")
    } else {
        Ok(())
    }
}

/// Writes a local problem with a guess of its solution and texts (name, text).
///
/// W is stored by compressed columns, the one form that FCLib's own merit function computes with.
/// An existing file is never overwritten.
///
/// # Errors
/// Names the file and the obstacle.
pub fn write_problem(
    path: &Path,
    problem: &Problem,
    guess: Option<&Answer>,
    words: &[(&str, &str)],
) -> Result<(), Error> {
    publish(path, false, |temporary| {
        let file = Plain::create(temporary)?;
        fill(&file, problem, guess, words)?;
        file.close()
    })
}

fn fill(
    file: &Plain,
    problem: &Problem,
    guess: Option<&Answer>,
    words: &[(&str, &str)],
) -> Result<(), String> {
    let dimension = problem.matrix.dimension;
    let kind = if dimension == 5 {
        Kind::LocalRolling
    } else {
        Kind::Local
    };
    let root = kind.root();
    let at = |name: &str| format!("{root}/{name}");
    file.group(root)?;
    file.list(&at("spacedim"), &[dimension as i32])?;
    let columns = by_columns(problem)?;
    file.group(&at("W"))?;
    let rows = problem.q.len() as i32;
    for (name, number) in [
        ("nzmax", columns.values.len() as i32),
        ("m", rows),
        ("n", rows),
        ("nz", -1),
    ] {
        file.list(&at(&format!("W/{name}")), &[number])?;
    }
    file.list(&at("W/p"), &columns.starts)?;
    file.list(&at("W/i"), &columns.rows)?;
    file.list(&at("W/x"), &columns.values)?;
    file.group(&at("vectors"))?;
    file.list(&at("vectors/q"), &problem.q)?;
    file.list(&at("vectors/mu"), &problem.friction)?;
    if kind.is_rolling() {
        file.list(&at("vectors/mu_r"), &problem.rolling)?;
    }
    file.group(&at("info"))?;
    for (name, text) in words {
        file.words(&at("info"), name, text)?;
    }
    if let Some(guess) = guess {
        file.group("guesses")?;
        file.list("guesses/number_of_guesses", &[1i32])?;
        put(file, "guesses/1", guess)?;
    }
    Ok(())
}

/// W by compressed columns, with FCLib's types of numbers.
struct Columns {
    starts: Vec<i32>,
    rows: Vec<i32>,
    values: Vec<f64>,
}

fn by_columns(problem: &Problem) -> Result<Columns, String> {
    let w = &problem.matrix;
    let (d, n) = (w.dimension, problem.q.len());
    let entries = w.blocks.len();
    if i32::try_from(entries).is_err() {
        return Err(format!(
            "W must have at most {} entries; found {entries}",
            i32::MAX
        ));
    }
    let mut starts = vec![0i32; n + 1];
    for &column in &w.columns {
        for k in 0..d {
            starts[column as usize * d + k + 1] += d as i32;
        }
    }
    for k in 0..n {
        starts[k + 1] += starts[k];
    }
    let mut next = starts.clone();
    let mut columns = Columns {
        starts,
        rows: vec![0; entries],
        values: vec![0.0; entries],
    };
    // Rows come in order, so they ascend in each column.
    for (contact, range) in w.starts.windows(2).enumerate() {
        for row in 0..d {
            for k in range[0]..range[1] {
                for column in 0..d {
                    let to = &mut next[w.columns[k] as usize * d + column];
                    columns.rows[*to as usize] = (contact * d + row) as i32;
                    columns.values[*to as usize] = w.blocks[(k * d + row) * d + column];
                    *to += 1;
                }
            }
        }
    }
    Ok(columns)
}

/// Writes the group `solution` into a copy `to` of the file `from`, in place of the present one.
///
/// `to` may equal `from`; any other file must not exist yet.
///
/// # Errors
/// Names the file and the obstacle.
pub fn write_solution(from: &Path, to: &Path, answer: &Answer) -> Result<(), Error> {
    publish(to, from == to, |temporary| {
        fs::copy(from, temporary).map_err(|e| format!("cannot copy {}: {e}", from.display()))?;
        let file = Plain::open(temporary)?;
        file.remove("solution")?;
        put(&file, "solution", answer)?;
        file.close()
    })
}

fn put(file: &Plain, group: &str, answer: &Answer) -> Result<(), String> {
    file.group(group)?;
    let Answer { u, r, v, l } = answer;
    file.list(&format!("{group}/u"), u)?;
    file.list(&format!("{group}/r"), r)?;
    for (name, numbers) in [("v", v), ("l", l)] {
        if !numbers.is_empty() {
            file.list(&format!("{group}/{name}"), numbers)?;
        }
    }
    Ok(())
}

/// Lets a file be written under another name, syncs it to the disk, then renames it.
fn publish(
    path: &Path,
    replace: bool,
    write: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), Error> {
    let error = |fault: String| Error::Write(format!("FCLib file {}: {fault}", path.display()));
    if !replace {
        must_be_new(path)?;
    }
    // A link stays a link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = own_temporary(&target);
    let written = write(&temporary).and_then(|()| {
        let file = File::options().write(true).open(&temporary);
        let synced = file.and_then(|file| file.sync_all());
        let named = synced.and_then(|()| fs::rename(&temporary, &target));
        named.map_err(|e| format!("cannot write it: {e}"))
    });
    written.map_err(|fault| {
        // The file may not exist. The error that is returned is the first one.
        let _ = fs::remove_file(&temporary);
        error(fault)
    })
}
