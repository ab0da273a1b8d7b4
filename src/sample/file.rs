//! Bodies from a file of another code: CSV, a LAMMPS/LIGGGHTS data file or dump.
//!
//! The content decides the format. Nothing is guessed: a value that is not a number, a size that is
//! not positive, a file that ends too early is an error with file, line, column, value and accepted
//! values. Unused contents are listed.

mod clump;
mod dump;
mod lammps;
mod lines;
mod row;
mod table;

pub use clump::{Described, clump};

use super::Error;
use super::source::{Count, Ids, Sample};
use crate::body::BodyRow;
use lines::{Input, Lines};
use row::Row;
use std::path::Path;

/// The contents of a file other than the bodies given to the caller.
pub(super) struct Read {
    /// The bodies.
    pub(super) count: Count,
    /// Unused columns and sections.
    pub(super) ignored: Vec<String>,
}

/// Reads a file from end to end; gives its bodies to `keep`, each with its place from 0.
///
/// Bodies that do not keep the file's ids have ids that count up from `first_id`. `whole`: it is
/// asked whether ids differ, too.
pub(super) fn read(
    path: &Path,
    sample: &Sample,
    (ids, whole): (Ids, bool),
    first_id: u64,
    keep: &mut dyn FnMut(u64, BodyRow),
) -> Result<Read, Error> {
    let mut count = Count {
        bodies: 0,
        kept_below: None,
    };
    let mut take = |row: Row| {
        let id = match (ids, row.id) {
            (Ids::OfFile, Some(id)) => {
                count.kept_below = count.kept_below.max(Some(id + 1));
                id
            }
            _ => first_id + count.bodies,
        };
        keep(count.bodies, row.body(sample, id));
        count.bodies += 1;
    };
    let ignored = match format(Input::at(path))? {
        Format::Dump => dump::read(path, &sample.named, &mut take)?,
        Format::Data => lammps::read(path, &sample.named, &mut take)?,
        Format::Table => table::read(Input::at(path), (&sample.named, ids, whole), &mut take)?,
    };
    if count.bodies == 0 {
        let message = "the file holds no bodies; accepted: at least one";
        return Err(Error::line(path, 1, message));
    }
    Ok(Read { count, ignored })
}

enum Format {
    Dump,
    Data,
    Table,
}

/// The format of a file, from its first lines.
///
/// A dump begins with a frame; one of the first lines of a data file mentions atoms, as its header
/// always does.
fn format(input: Input) -> Result<Format, Error> {
    let mut lines = Lines::of(input)?;
    for n in 0..50 {
        let Some(line) = lines.next()? else { break };
        if n == 0 && line.starts_with("ITEM:") {
            return Ok(Format::Dump);
        }
        let text = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        if matches!(words.as_slice(), [_, "atoms", ..] | ["Atoms", ..]) {
            return Ok(Format::Data);
        }
    }
    Ok(Format::Table)
}

#[cfg(test)]
mod tests;
