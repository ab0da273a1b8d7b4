//! Lines and values of a file, with their places for messages.

use crate::sample::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A file: its path, and its contents if they have been read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) path: &'a Path,
    pub(super) contents: Option<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// A file that is read from the disk.
    pub(super) fn at(path: &'a Path) -> Self {
        Self {
            path,
            contents: None,
        }
    }

    pub(super) fn open(&self) -> Result<Box<dyn Read + 'a>, Error> {
        let path = self.path;
        Ok(match self.contents {
            Some(contents) => Box::new(contents),
            None => Box::new(File::open(path).map_err(|e| Error::unreadable(path, e))?),
        })
    }
}

/// The lines of a file, numbered.
pub(super) struct Lines<'a> {
    pub(super) path: &'a Path,
    reader: BufReader<Box<dyn Read + 'a>>,
    pub(super) line: Vec<u8>,
    /// The number of the line last returned, counted from 1.
    pub(super) number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, Error> {
        Self::of(Input::at(path))
    }

    pub(super) fn of(input: Input<'a>) -> Result<Self, Error> {
        Ok(Self {
            path: input.path,
            reader: BufReader::with_capacity(1 << 16, input.open()?),
            line: Vec::new(),
            number: 0,
        })
    }

    /// The next line, with invalid Unicode (as in an old title) replaced.
    pub(super) fn next(&mut self) -> Result<Option<String>, Error> {
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
pub(super) struct Cell<'a> {
    pub(super) path: &'a Path,
    pub(super) line: u64,
    pub(super) column: &'a str,
    pub(super) text: &'a str,
}

impl Cell<'_> {
    pub(super) fn refuse(&self, accepted: &str) -> Error {
        let (column, text) = (self.column, self.text);
        let message = format!("column {column}: {text:?} is not accepted; accepted: {accepted}");
        Error::line(self.path, self.line, message)
    }

    /// A finite number.
    pub(super) fn number(&self) -> Result<f64, Error> {
        let x = self.text.parse().ok().filter(|x: &f64| x.is_finite());
        x.ok_or_else(|| self.refuse("a finite number"))
    }

    /// A number greater than zero.
    pub(super) fn positive(&self) -> Result<f64, Error> {
        let x = self
            .text
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite() && *x > 0.0);
        x.ok_or_else(|| self.refuse("a finite number > 0"))
    }

    /// The id of a body, at least `least`, in LAMMPS' files 1.
    pub(super) fn id(&self, least: u64) -> Result<u64, Error> {
        // Larger ones are kept for walls, and the next id must have a place, too.
        let ids = least..(1 << 62) - 1;
        let id = self.text.parse().ok().filter(|id| ids.contains(id));
        let new = if least == 0 { ", or ids = \"new\"" } else { "" };
        id.ok_or_else(|| self.refuse(&format!("a whole number from {least} to 2^62 - 2{new}")))
    }

    /// An integer, at least 1.
    pub(super) fn whole(&self) -> Result<u64, Error> {
        let n = self.text.parse().ok().filter(|n: &u64| *n > 0);
        n.ok_or_else(|| self.refuse("a whole number >= 1"))
    }
}
