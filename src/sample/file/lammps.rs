//! Bodies from a LAMMPS or LIGGGHTS data file, atom style `sphere`.
//!
//! The parts used are the count of atoms in the header, the section `Atoms`
//! (`id type diameter density x y z`, image flags allowed) and, if present, `Velocities`
//! (`id vx vy vz wx wy wz`). Bodies come in the order of the file's ids, whatever the order of its
//! rows. The box of the header is not used: the configuration's domain is.

use super::lines::{Cell, Lines};
use super::row::{Row, material, not_once, twice};
use crate::sample::{Error, Named};
use std::path::Path;

const ATOMS: [&str; 10] = [
    "id", "type", "diameter", "density", "x", "y", "z", "ix", "iy", "iz",
];
const VELOCITIES: [&str; 7] = ["id", "vx", "vy", "vz", "wx", "wy", "wz"];

/// Reads the file; returns unused parts.
///
/// Sorting by id needs all atoms at once: some 100 bytes each during the reading.
pub(super) fn read(
    path: &Path,
    named: &[Named],
    take: &mut dyn FnMut(Row),
) -> Result<Vec<String>, Error> {
    let mut file = DataFile {
        path,
        named,
        lines: Lines::open(path)?,
        atoms: 0,
        rows: Vec::new(),
        types: Vec::new(),
        ignored: Vec::new(),
    };
    let mut section = file.header()?;
    while let Some(words) = section {
        section = match words.split_whitespace().next() {
            Some("Atoms") => file.atoms(&words)?,
            Some("Velocities") => file.velocities()?,
            _ => file.skip(&words)?,
        };
    }
    file.finish(take)
}

struct DataFile<'a> {
    path: &'a Path,
    /// The materials of atom types.
    named: &'a [Named],
    lines: Lines<'a>,
    /// Number of atoms in the header.
    atoms: usize,
    /// Id in the file, line, body.
    rows: Vec<(u64, u64, Row)>,
    types: Vec<u64>,
    ignored: Vec<String>,
}

impl DataFile<'_> {
    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::line(self.path, self.lines.number.max(1), message)
    }

    /// The next line that is not blank, as (text, comment).
    fn next(&mut self) -> Result<Option<(String, String)>, Error> {
        while let Some(line) = self.lines.next()? {
            let (text, comment) = line.split_once('#').unwrap_or((&line, ""));
            if !text.trim().is_empty() {
                return Ok(Some((text.trim().to_owned(), comment.trim().to_owned())));
            }
        }
        Ok(None)
    }

    /// Reads up to the first section and returns its heading.
    fn header(&mut self) -> Result<Option<String>, Error> {
        let mut count = None;
        self.lines.next()?; // The first line is a title, whatever it holds.
        while let Some((text, comment)) = self.next()? {
            if is_heading(&text) {
                let Some(n) = count else {
                    return Err(
                        self.wrong("no count of atoms in the header; accepted: NUMBER atoms")
                    );
                };
                self.atoms = n;
                return Ok(Some(format!("{text} {comment}")));
            }
            if let [n, "atoms"] = text.split_whitespace().collect::<Vec<_>>().as_slice() {
                count = Some(self.cell("atoms", n).whole()? as usize);
            }
        }
        Err(self.wrong("the file ends in its header; accepted: a section Atoms"))
    }

    fn cell<'b>(&'b self, column: &'b str, text: &'b str) -> Cell<'b> {
        Cell {
            path: self.path,
            line: self.lines.number,
            column,
            text,
        }
    }

    /// Reads the atoms and returns the next heading.
    fn atoms(&mut self, heading: &str) -> Result<Option<String>, Error> {
        if let Some(style) = heading.split_whitespace().nth(1) {
            // LIGGGHTS calls the same style granular.
            if !["sphere", "granular"].contains(&style) {
                let message = format!("atom style {style:?}; accepted: sphere (or granular)");
                return Err(self.wrong(message));
            }
        }
        if !self.rows.is_empty() {
            return Err(self.wrong("a second section Atoms; accepted: one"));
        }
        // The header may give any number: a line of an atom has at least seven fields of a letter
        // each.
        let length = std::fs::metadata(self.path).map_or(0, |file| file.len());
        self.rows.reserve(self.atoms.min((length / 14) as usize));
        let next = loop {
            let Some((text, comment)) = self.next()? else {
                break None;
            };
            if is_heading(&text) {
                break Some(format!("{text} {comment}"));
            }
            if self.rows.len() == self.atoms {
                let message = format!(
                    "more atoms than the header's {}; accepted: as many",
                    self.atoms
                );
                return Err(self.wrong(message));
            }
            let words: Vec<&str> = text.split_whitespace().collect();
            if ![7, 10].contains(&words.len()) {
                let message = format!(
                    "{} fields; accepted: 7 ({}), or 10 with image flags",
                    words.len(),
                    ATOMS[..7].join(" ")
                );
                return Err(self.wrong(message));
            }
            let cell = |k: usize| self.cell(ATOMS[k], words[k]);
            let id = cell(0).id(1)?;
            let kind = cell(1).whole()?;
            let row = Row {
                // LAMMPS counts atoms from 1.
                id: Some(id - 1),
                position: [cell(4).number()?, cell(5).number()?, cell(6).number()?],
                velocity: [0.0; 3],
                angular_velocity: [0.0; 3],
                radius: 0.5 * cell(2).positive()?,
                density: Some(cell(3).positive()?),
                material: match self.named.is_empty() {
                    true => None,
                    false => Some(material(cell(1), self.named)?),
                },
            };
            self.rows.push((id, self.lines.number, row));
            if !self.types.contains(&kind) {
                self.types.push(kind);
            }
        };
        self.complete("Atoms", self.rows.len(), next.is_none())?;
        self.rows.sort_unstable_by_key(|&(id, line, _)| (id, line));
        let lines = self.rows.iter().map(|&(id, line, _)| (id, line));
        if let Some((id, lines)) = twice(lines) {
            return Err(not_once(self.path, ("atom", ""), id, lines));
        }
        Ok(next)
    }

    /// Reads the velocities and returns the next heading.
    fn velocities(&mut self) -> Result<Option<String>, Error> {
        if self.rows.is_empty() {
            return Err(self.wrong("Velocities before Atoms; accepted: Atoms first"));
        }
        let mut given = vec![false; self.rows.len()];
        let mut found = 0;
        let next = loop {
            let Some((text, comment)) = self.next()? else {
                break None;
            };
            if is_heading(&text) {
                break Some(format!("{text} {comment}"));
            }
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.len() != VELOCITIES.len() {
                let (n, names) = (words.len(), VELOCITIES.join(" "));
                return Err(self.wrong(format!("{n} fields; accepted: 7 ({names})")));
            }
            let id = self.cell(VELOCITIES[0], words[0]);
            let Ok(k) = self.rows.binary_search_by_key(&id.whole()?, |row| row.0) else {
                return Err(id.refuse("an id of section Atoms"));
            };
            if std::mem::replace(&mut given[k], true) {
                return Err(id.refuse("each id once"));
            }
            let number = |k: usize| self.cell(VELOCITIES[k], words[k]).number();
            let velocity = [number(1)?, number(2)?, number(3)?];
            let angular_velocity = [number(4)?, number(5)?, number(6)?];
            let row = &mut self.rows[k].2;
            (row.velocity, row.angular_velocity) = (velocity, angular_velocity);
            found += 1;
        };
        self.complete("Velocities", found, next.is_none())?;
        Ok(next)
    }

    /// Skips an unused section and returns the next heading.
    fn skip(&mut self, heading: &str) -> Result<Option<String>, Error> {
        self.ignored.push(format!("section {}", heading.trim()));
        while let Some((text, comment)) = self.next()? {
            if is_heading(&text) {
                return Ok(Some(format!("{text} {comment}")));
            }
        }
        Ok(None)
    }

    /// Refuses a section with fewer lines than atoms.
    fn complete(&self, section: &str, found: usize, at_end: bool) -> Result<(), Error> {
        if found >= self.atoms {
            return Ok(());
        }
        let ends = if at_end {
            "the file ends"
        } else {
            "the next section starts"
        };
        let message = format!(
            "{ends} after {found} of the {} lines of section {section} that the header promises: cut off?",
            self.atoms
        );
        Err(self.wrong(message))
    }

    fn finish(mut self, take: &mut dyn FnMut(Row)) -> Result<Vec<String>, Error> {
        if self.rows.is_empty() {
            return Err(self.wrong("no section Atoms; accepted: a section Atoms"));
        }
        if self.types.len() > 1 && self.named.is_empty() {
            self.types.sort_unstable();
            let types: Vec<String> = self.types.iter().map(u64::to_string).collect();
            self.ignored
                .push(format!("atom types {}", types.join(", ")));
        }
        self.rows.into_iter().for_each(|(_, _, row)| take(row));
        Ok(self.ignored)
    }
}

/// Headings of sections start with a letter and hold no numbers, which every other line does.
fn is_heading(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic()) && !text.contains(|c: char| c.is_ascii_digit())
}
