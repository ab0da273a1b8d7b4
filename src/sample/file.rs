//! Bodies from a file of another code: CSV, a LAMMPS/LIGGGHTS data file or dump.
//!
//! The content decides the format. Nothing is guessed: a value that is not a number, a size that is
//! not positive, a file that ends too early is an error with file, line, column, value and accepted
//! values. Unused contents are listed.

mod dump;
mod lammps;
mod table;

use super::{Error, Sample};
use crate::body::{BodyKind, BodyRow};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The contents of a file other than the bodies given to the caller.
pub(super) struct Read {
    /// The number of bodies.
    pub(super) bodies: u64,
    /// Unused columns and sections.
    pub(super) ignored: Vec<String>,
}

/// One body of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    position: [f64; 3],
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    radius: f64,
    /// `None`: that of the sample's material.
    density: Option<f64>,
}

impl Row {
    fn body(&self, sample: &Sample, id: u64) -> BodyRow {
        let density = self.density.unwrap_or(sample.density);
        let mut body = sample.body(id, self.position, self.radius * sample.size, density);
        if sample.kind != BodyKind::Fixed {
            for k in 0..3 {
                body.velocity[k] += self.velocity[k];
                body.angular_velocity[k] += self.angular_velocity[k];
            }
        }
        body
    }
}

/// Reads a file from end to end and gives its bodies to `keep`, ids counting up from `first_id`.
pub(super) fn read(
    path: &Path,
    sample: &Sample,
    first_id: u64,
    keep: &mut dyn FnMut(BodyRow),
) -> Result<Read, Error> {
    let mut next = first_id;
    let mut take = |row: Row| {
        keep(row.body(sample, next));
        next += 1;
    };
    let ignored = match format(path)? {
        Format::Dump => dump::read(path, &mut take)?,
        Format::Data => lammps::read(path, &mut take)?,
        Format::Table => table::read(path, &mut take)?,
    };
    let bodies = next - first_id;
    if bodies == 0 {
        let message = "the file holds no bodies; accepted: at least one";
        return Err(Error::line(path, 1, message));
    }
    Ok(Read { bodies, ignored })
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
fn format(path: &Path) -> Result<Format, Error> {
    let mut lines = Lines::open(path)?;
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

/// The lines of a file, numbered.
struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    line: Vec<u8>,
    /// The number of the line last returned, counted from 1.
    number: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| Error::unreadable(path, e))?;
        Ok(Self {
            path,
            reader: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
        })
    }

    /// The next line, with invalid Unicode (as in an old title) replaced.
    fn next(&mut self) -> Result<Option<String>, Error> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        if read.map_err(|e| Error::unreadable(self.path, e))? == 0 {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(String::from_utf8_lossy(&self.line).into_owned()))
    }
}

/// The place of a value, for messages.
#[derive(Clone, Copy)]
struct Cell<'a> {
    path: &'a Path,
    line: u64,
    column: &'a str,
    text: &'a str,
}

impl Cell<'_> {
    fn refuse(&self, accepted: &str) -> Error {
        let (column, text) = (self.column, self.text);
        let message = format!("column {column}: {text:?} is not accepted; accepted: {accepted}");
        Error::line(self.path, self.line, message)
    }

    /// A finite number.
    fn number(&self) -> Result<f64, Error> {
        let x = self.text.parse().ok().filter(|x: &f64| x.is_finite());
        x.ok_or_else(|| self.refuse("a finite number"))
    }

    /// A number greater than zero.
    fn positive(&self) -> Result<f64, Error> {
        let x = self
            .text
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite() && *x > 0.0);
        x.ok_or_else(|| self.refuse("a finite number > 0"))
    }

    /// An integer, at least 1.
    fn whole(&self) -> Result<u64, Error> {
        let n = self.text.parse().ok().filter(|n: &u64| *n > 0);
        n.ok_or_else(|| self.refuse("a whole number >= 1"))
    }
}

#[cfg(test)]
mod tests;
