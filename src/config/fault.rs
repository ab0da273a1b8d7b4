//! Faults of a configuration, each with place, key, accepted and found values.
//!
//! Faults are collected, so that a user can correct all of them at once.

use std::fmt;

/// The sign before an override that removes a key.
pub(super) const UNSET: char = '-';

/// The same of a key that may be missing.
pub(super) const UNSET_IF_THERE: char = '~';

/// The sign before an override by a stage. Its files are those that the run has read.
pub(super) const OF_STAGE: char = '+';

/// The place of a value in the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The file as a whole: a missing key has no line.
    File,
    /// This line of the file, counted from 1.
    Line(usize),
    /// A `--set` with this text, or an `--unset` with this one and a minus sign before it.
    Set(String),
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The place of the value.
    pub place: Place,
    /// The key, written as `--set` takes it: `bodies.0.radius`.
    pub key: String,
    /// Accepted and found values, or another message.
    pub message: String,
}

/// All faults of one configuration, at least one.
///
/// They print one per line, in the order of the file's lines.
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
                Place::Set(text) if text.starts_with(OF_STAGE) => {
                    write!(f, "{}: set by a stage: ", self.file)?;
                }
                Place::Set(text) => match text.strip_prefix(UNSET) {
                    Some(key) => write!(f, "--unset {key}: ")?,
                    None => write!(f, "--set {text}: ")?,
                },
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
