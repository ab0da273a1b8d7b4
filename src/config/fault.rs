//! Faults of a configuration, each with its place, key, found value and accepted values.
//!
//! Faults are gathered, not thrown: a user mends a file once, not once per fault.

use std::fmt;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the file as a whole: a missing key has no line.
    File,
    /// On this line of the file, counted from 1.
    Line(usize),
    /// By `--set` with this text.
    Set(String),
}

/// One thing wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Where it was given.
    pub place: Place,
    /// The key, written as `--set` takes it: `bodies.0.radius`.
    pub key: String,
    /// Accepted and found values, or another reason.
    pub message: String,
}

/// All that is wrong with one configuration, at least one fault. Prints one fault a line, in the
/// order of the file's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The name of the file.
    pub file: String,
    /// The faults, in the order in which they print.
    pub list: Vec<Fault>,
}

impl Faults {
    /// Faults of the file called `file`, sorted by place.
    pub(super) fn new(file: &str, mut list: Vec<Fault>) -> Self {
        list.sort();
        Self {
            file: file.to_owned(),
            list,
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.list.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            match &fault.place {
                Place::File => write!(f, "{}: ", self.file)?,
                Place::Line(line) => write!(f, "{}:{line}: ", self.file)?,
                Place::Set(text) => write!(f, "--set {text}: ")?,
            }
            if !fault.key.is_empty() {
                write!(f, "{}: ", fault.key)?;
            }
            write!(f, "{}", fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
