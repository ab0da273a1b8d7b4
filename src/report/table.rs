//! Columns of the CSV files of a run, as far as they can be read.

use csv::{ByteRecord, ReaderBuilder};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Columns of a file, all of the same length; `true` is 1, `false` 0, other words NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// A column of words.
    pub(super) words: Vec<String>,
    /// Errors of the file.
    pub(super) faults: Vec<String>,
}

impl Table {
    /// Reads all columns of a file; `word` is kept as text. `None`: the file does not exist.
    pub(super) fn read(path: &Path, word: &str) -> Option<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
            Err(e) => return Some(Self::faulty(format!("{name} cannot be read: {e}"))),
        };
        let whole = ends_with_line(&file);
        let mut table = Self::default();
        let mut bad: Vec<(u64, String)> = Vec::new();
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            // A stray quote would swallow the rest of the file.
            .quoting(false)
            .from_reader(BufReader::new(file));
        let mut record = ByteRecord::new();
        let (mut text, mut last_is_bad) = (None, false);
        loop {
            match reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    let fault = format!("{name} can be read in part only: {e}");
                    table.faults.push(fault);
                    break;
                }
            }
            if table.names.is_empty() {
                table.names = record.iter().map(|f| lossy(f).into_owned()).collect();
                table.columns = vec![Vec::new(); table.names.len()];
                text = table.names.iter().position(|n| n == word);
                continue;
            }
            let line = record.position().map_or(0, csv::Position::line);
            match numbers(&record, &table.names, text) {
                Ok(values) => {
                    last_is_bad = false;
                    let each = table.columns.iter_mut().zip(values);
                    each.for_each(|(column, value)| column.push(value));
                    if let Some(at) = text {
                        table.words.push(lossy(&record[at]).into_owned());
                    }
                }
                Err(fault) => {
                    bad.push((line, fault));
                    last_is_bad = true;
                }
            }
        }
        if !whole {
            // Its last digits may be missing, even if it can be read.
            match last_is_bad {
                true => drop(bad.pop()),
                false => {
                    let rows = table.len().saturating_sub(1);
                    table.columns.iter_mut().for_each(|c| c.truncate(rows));
                    table.words.truncate(rows);
                }
            }
            let fault = format!("{name}: the last line was cut off and is left out");
            table.faults.push(fault);
        }
        if let Some((line, fault)) = bad.first() {
            let count = bad.len();
            table.faults.push(format!(
                "{name}: {count} of its lines cannot be read and are left out, the first of them line {line}: {fault}"
            ));
        }
        Some(table)
    }

    fn faulty(fault: String) -> Self {
        Self {
            faults: vec![fault],
            ..Self::default()
        }
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether it has this column, or is readable and still empty.
    pub(super) fn may_be_of(&self, name: &str) -> bool {
        let begun = self.names.is_empty() && self.faults.is_empty();
        begun || self.column(name).is_some()
    }

    /// A column; `None` if the file lacks it.
    pub(super) fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.names.iter().position(|n| n == name)?;
        self.columns.get(at).map(Vec::as_slice)
    }

    /// One column against another.
    pub(super) fn points(&self, x: &str, y: &str) -> Option<Vec<[f64; 2]>> {
        let (x, y) = (self.column(x)?, self.column(y)?);
        Some(x.iter().zip(y).map(|(x, y)| [*x, *y]).collect())
    }

    /// One column against another, of the rows with this word; of all rows without a column of
    /// words.
    pub(super) fn points_of(&self, word: &str, x: &str, y: &str) -> Option<Vec<[f64; 2]>> {
        let all = self.points(x, y)?;
        let mine = all.into_iter().zip(&self.words);
        Some(mine.filter(|(_, w)| *w == word).map(|(p, _)| p).collect())
    }

    /// The words of the column, each once, in order of appearance.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for word in &self.words {
            if !kinds.contains(&word.as_str()) {
                kinds.push(word);
            }
        }
        kinds
    }
}

fn lossy(field: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(field)
}

/// The numbers of a line; NaN for words.
fn numbers(record: &ByteRecord, names: &[String], text: Option<usize>) -> Result<Vec<f64>, String> {
    if record.len() != names.len() {
        let (found, expected) = (record.len(), names.len());
        return Err(format!("{found} fields, expected {expected}"));
    }
    let number = |(k, field): (usize, &[u8])| {
        let field = lossy(field);
        match field.as_ref() {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            _ if text.is_some() && (Some(k) == text || names[k] == "way") => Ok(f64::NAN),
            other => other.parse().map_err(|_| {
                format!(
                    "{} is `{}`, expected a number",
                    names[k],
                    other.escape_debug()
                )
            }),
        }
    };
    record.iter().enumerate().map(number).collect()
}

/// Whether a file ends with a complete line. An empty file does.
fn ends_with_line(mut file: &File) -> bool {
    let mut last = [b'\n'];
    let found = file
        .seek(SeekFrom::End(-1))
        .and_then(|_| file.read_exact(&mut last));
    let back = file.seek(SeekFrom::Start(0));
    drop((found, back)); // Too short, or no file of bytes: reading it will tell.
    last[0] == b'\n'
}
