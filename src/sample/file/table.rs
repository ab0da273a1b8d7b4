//! Bodies from CSV: a header that names the columns, one body a row, new ids in the order of rows.
//!
//! Columns: `x`, `y`, `z` and `radius` (or `r`) or `diameter` (or `d`); optional `id`, `vx,vy,vz`,
//! `wx,wy,wz` and `density`; `material` or `type` where the entry has `materials`. Capitals and
//! blanks around a name do not count, `#` starts a line of comment. Other columns are not used.

use super::lines::{Cell, Input, Lines};
use super::row::{Row, material, not_once, twice};
use crate::sample::{Error, Ids, Named};
use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// Reads the file; returns the unused columns.
///
/// The flag: whether to ask if ids differ, which takes 16 bytes a body.
pub(super) fn read(
    input: Input,
    of: (&[Named], Ids, bool),
    take: &mut dyn FnMut(Row),
) -> Result<Vec<String>, Error> {
    read_rows(input, of, take).map_err(|error| match error {
        Error::Line { line, message, .. } => {
            Error::line(input.path, line_with_text(input, line), message)
        }
        other => other,
    })
}

/// The first line from `line` on with text other than a comment.
///
/// The csv crate counts blank lines and comments as part of the row below.
fn line_with_text(input: Input, line: u64) -> u64 {
    let Ok(mut lines) = Lines::of(input) else {
        return line;
    };
    while let Ok(Some(text)) = lines.next() {
        if lines.number >= line && !text.trim().is_empty() && !text.starts_with('#') {
            return lines.number;
        }
    }
    line
}

fn read_rows(
    input: Input,
    (named, ids, whole): (&[Named], Ids, bool),
    take: &mut dyn FnMut(Row),
) -> Result<Vec<String>, Error> {
    let path = input.path;
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(input.open()?);
    let header = reader.headers().map_err(|e| told(path, e))?.clone();
    let columns = Columns::find(path, header, (named, ids))?;
    let mut record = StringRecord::new();
    let mut lines = Vec::new();
    while reader.read_record(&mut record).map_err(|e| told(path, e))? {
        let line = record.position().map_or(0, csv::Position::line);
        let row = columns.row(path, line, &record)?;
        lines.extend(row.id.filter(|_| whole).map(|id| (id, line)));
        take(row);
    }
    lines.sort_unstable();
    if let Some((id, [first, line])) = twice(lines.into_iter()) {
        let lines = [line_with_text(input, first), line];
        return Err(not_once(path, ("body", ", or ids = \"new\""), id, lines));
    }
    Ok(columns.ignored)
}

fn told(path: &Path, error: csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(source) => Error::unreadable(path, source),
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            let message = format!("{len} fields; accepted: {expected_len}, as the header has");
            Error::line(path, line, message)
        }
        ErrorKind::Utf8 { .. } => Error::line(path, line, "not text; accepted: UTF-8"),
        other => Error::line(path, line, format!("not CSV: {other:?}")),
    }
}

/// The fields of a record by their meaning.
struct Columns<'n> {
    header: StringRecord,
    id: Option<usize>,
    position: [usize; 3],
    size: usize,
    /// Factor from the size column to a radius.
    to_radius: f64,
    velocity: Option<[usize; 3]>,
    angular_velocity: Option<[usize; 3]>,
    density: Option<usize>,
    /// The column of materials, and their words.
    material: Option<(usize, &'n [Named])>,
    ignored: Vec<String>,
}

impl<'n> Columns<'n> {
    fn find(
        path: &Path,
        header: StringRecord,
        (named, ids): (&'n [Named], Ids),
    ) -> Result<Self, Error> {
        let found = header.iter().collect::<Vec<_>>().join(",");
        let wrong = |what: String| {
            let message = format!(
                "{what} in the header {found:?}; accepted: x,y,z,radius (or r, diameter, d), \
                 and id, vx,vy,vz, wx,wy,wz, density if need be"
            );
            Error::line(path, 1, message)
        };
        let names: Vec<String> = header.iter().map(str::to_lowercase).collect();
        let place = |name: &str| names.iter().position(|n| n == name);
        let mut known = vec![
            "x", "y", "z", "radius", "r", "diameter", "d", "vx", "vy", "vz", "wx", "wy", "wz",
            "density",
        ];
        if ids == Ids::OfFile {
            known.push("id");
        }
        for name in &known {
            if names.iter().filter(|n| n == name).count() > 1 {
                return Err(wrong(format!("column {name} is there twice")));
            }
        }
        let [Some(x), Some(y), Some(z)] = ["x", "y", "z"].map(place) else {
            let missing = ["x", "y", "z"]
                .into_iter()
                .filter(|name| place(name).is_none());
            return Err(wrong(format!(
                "no column {}",
                missing.collect::<Vec<_>>().join(", ")
            )));
        };
        let sizes = [("radius", 1.0), ("r", 1.0), ("diameter", 0.5), ("d", 0.5)];
        let sizes: Vec<_> = sizes
            .iter()
            .filter_map(|&(name, k)| Some((place(name)?, k)))
            .collect();
        let (size, to_radius) = match sizes.as_slice() {
            [] => return Err(wrong("no column radius".to_owned())),
            [one] => *one,
            _ => return Err(wrong("more than one column for the size".to_owned())),
        };
        let of_three = |names: [&str; 3]| match names.map(place) {
            [Some(x), Some(y), Some(z)] => Ok(Some([x, y, z])),
            [None, None, None] => Ok(None),
            _ => Err(wrong(format!("not all of {}", names.join(", ")))),
        };
        let velocity = of_three(["vx", "vy", "vz"])?;
        let angular_velocity = of_three(["wx", "wy", "wz"])?;
        let material = place("material").or(place("type"));
        let material = match (named.is_empty(), material) {
            (true, _) => None,
            (false, Some(k)) => Some((k, named)),
            (false, None) => return Err(wrong("no column material or type".to_owned())),
        };
        let unknown = names.iter().enumerate().filter(|(k, name)| {
            !known.contains(&name.as_str()) && material.is_none_or(|(column, _)| column != *k)
        });
        let ignored = unknown.map(|(_, name)| format!("column {name}")).collect();
        Ok(Self {
            id: place("id").filter(|_| ids == Ids::OfFile),
            position: [x, y, z],
            size,
            to_radius,
            velocity,
            angular_velocity,
            density: place("density"),
            material,
            ignored,
            header,
        })
    }

    fn row(&self, path: &Path, line: u64, record: &StringRecord) -> Result<Row, Error> {
        let cell = |k: usize| Cell {
            path,
            line,
            column: &self.header[k],
            text: &record[k],
        };
        let vector = |columns: [usize; 3]| -> Result<[f64; 3], Error> {
            let [x, y, z] = columns;
            Ok([cell(x).number()?, cell(y).number()?, cell(z).number()?])
        };
        let vector_if = |columns: Option<[usize; 3]>| columns.map_or(Ok([0.0; 3]), vector);
        Ok(Row {
            id: self.id.map(|k| cell(k).id(0)).transpose()?,
            position: vector(self.position)?,
            velocity: vector_if(self.velocity)?,
            angular_velocity: vector_if(self.angular_velocity)?,
            radius: self.to_radius * cell(self.size).positive()?,
            density: self.density.map(|k| cell(k).positive()).transpose()?,
            material: self
                .material
                .map(|(k, named)| material(cell(k), named))
                .transpose()?,
        })
    }
}
