//! Bodies from the last frame of a LAMMPS or LIGGGHTS dump (text).
//!
//! The columns used are `id`, `x y z` (or `xu yu zu`), `radius` (or `diameter`) and, if present,
//! `vx vy vz`, `omegax omegay omegaz`, `density`; `type` where the entry has `materials`. Bodies
//! come in the order of the file's ids. The box is not used: the configuration's domain is.

use super::lines::{Cell, Lines};
use super::row::{Row, material, not_once, twice};
use crate::sample::{Error, Named};
use std::path::Path;

/// The mark of a frame's first line.
pub(super) const FRAME: &str = "ITEM: TIMESTEP";

/// Reads the last frame; returns unused columns. Sorting by id needs all its atoms at once.
pub(super) fn read(
    path: &Path,
    named: &[Named],
    take: &mut dyn FnMut(Row),
) -> Result<Vec<String>, Error> {
    let mut lines = Lines::open(path)?;
    let (mut last, mut frames) = (0, 0);
    while let Some(line) = lines.next()? {
        if line.starts_with(FRAME) {
            last = lines.number;
            frames += 1;
        }
    }
    let mut lines = Lines::open(path)?;
    while lines.number < last {
        lines.next()?;
    }
    let mut ignored = Vec::new();
    if frames > 1 {
        ignored.push(format!("all frames but the last of {frames}"));
    }
    let mut atoms = None;
    while let Some(line) = lines.next()? {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ITEM:", "NUMBER", ..] => {
                let text = lines.next()?.unwrap_or_default();
                let cell = Cell {
                    path,
                    line: lines.number,
                    column: "NUMBER OF ATOMS",
                    text: text.trim(),
                };
                atoms = Some(cell.whole()?);
            }
            ["ITEM:", "ATOMS", columns @ ..] => {
                let Some(atoms) = atoms else {
                    let message = "ATOMS before NUMBER OF ATOMS; accepted: the number first";
                    return Err(Error::line(path, lines.number, message));
                };
                let columns = Columns::find((path, lines.number), columns, named)?;
                ignored.extend(columns.ignored.iter().cloned());
                columns.rows(&mut lines, atoms, take)?;
                return Ok(ignored);
            }
            _ => {}
        }
    }
    let message = "the last frame has no atoms; accepted: a section ITEM: ATOMS";
    Err(Error::line(path, lines.number.max(1), message))
}

/// The fields of a row by their meaning.
struct Columns<'n> {
    names: Vec<String>,
    id: usize,
    position: [usize; 3],
    size: usize,
    /// Factor from the size column to a radius.
    to_radius: f64,
    velocity: Option<[usize; 3]>,
    angular_velocity: Option<[usize; 3]>,
    density: Option<usize>,
    /// The column of types, and their materials.
    material: Option<(usize, &'n [Named])>,
    ignored: Vec<String>,
}

impl<'n> Columns<'n> {
    fn find((path, line): (&Path, u64), names: &[&str], named: &'n [Named]) -> Result<Self, Error> {
        let place = |name: &str| names.iter().position(|n| *n == name);
        let three = |names: [&str; 3]| {
            let [x, y, z] = names.map(place);
            Some([x?, y?, z?])
        };
        let wrong = |what: &str| {
            let found = names.join(" ");
            let message = format!(
                "{what} among the columns {found:?}; accepted: id, x y z (or xu yu zu), radius (or diameter), and vx vy vz, omegax omegay omegaz, \
                 density if need be"
            );
            Error::line(path, line, message)
        };
        let position = three(["x", "y", "z"]).or(three(["xu", "yu", "zu"]));
        let size = place("radius").map(|k| (k, 1.0));
        let size = size.or(place("diameter").map(|k| (k, 0.5)));
        let (size, to_radius) = size.ok_or_else(|| wrong("no radius"))?;
        let mut columns = Self {
            names: names.iter().map(|n| (*n).to_owned()).collect(),
            id: place("id").ok_or_else(|| wrong("no id"))?,
            position: position.ok_or_else(|| wrong("no x y z"))?,
            size,
            to_radius,
            velocity: three(["vx", "vy", "vz"]),
            angular_velocity: three(["omegax", "omegay", "omegaz"]),
            density: place("density"),
            material: match named.is_empty() {
                true => None,
                false => Some((place("type").ok_or_else(|| wrong("no type"))?, named)),
            },
            ignored: Vec::new(),
        };
        let mut used = vec![columns.id, columns.size];
        used.extend(columns.position);
        used.extend(columns.velocity.into_iter().flatten());
        used.extend(columns.angular_velocity.into_iter().flatten());
        used.extend(columns.density);
        used.extend(columns.material.map(|(k, _)| k));
        let unused = (0..names.len()).filter(|k| !used.contains(k));
        columns.ignored = unused.map(|k| format!("column {}", names[k])).collect();
        Ok(columns)
    }

    /// Reads this number of rows and passes them on by id.
    fn rows(&self, lines: &mut Lines, atoms: u64, take: &mut dyn FnMut(Row)) -> Result<(), Error> {
        let path = lines.path;
        let mut rows: Vec<(u64, u64, Row)> = Vec::new();
        while (rows.len() as u64) < atoms {
            let Some(text) = lines.next()? else {
                let message = format!(
                    "the file ends after {} of the {atoms} lines of its last frame; accepted: all of them",
                    rows.len()
                );
                return Err(Error::line(path, lines.number, message));
            };
            let line = lines.number;
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.len() != self.names.len() {
                let (found, wanted) = (words.len(), self.names.len());
                let message = format!("{found} fields; accepted: {wanted}, as ITEM: ATOMS names");
                return Err(Error::line(path, line, message));
            }
            let cell = |k: usize| Cell {
                path,
                line,
                column: &self.names[k],
                text: words[k],
            };
            let vector = |[x, y, z]: [usize; 3]| -> Result<[f64; 3], Error> {
                Ok([cell(x).number()?, cell(y).number()?, cell(z).number()?])
            };
            let id = cell(self.id).id(1)?;
            let row = Row {
                // LAMMPS counts atoms from 1.
                id: Some(id - 1),
                position: vector(self.position)?,
                velocity: self.velocity.map_or(Ok([0.0; 3]), vector)?,
                angular_velocity: self.angular_velocity.map_or(Ok([0.0; 3]), vector)?,
                radius: self.to_radius * cell(self.size).positive()?,
                density: self.density.map(|k| cell(k).positive()).transpose()?,
                material: self
                    .material
                    .map(|(k, named)| material(cell(k), named))
                    .transpose()?,
            };
            rows.push((id, line, row));
        }
        rows.sort_unstable_by_key(|&(id, line, _)| (id, line));
        if let Some((id, lines)) = twice(rows.iter().map(|&(id, line, _)| (id, line))) {
            return Err(not_once(path, ("atom", ""), id, lines));
        }
        rows.into_iter().for_each(|(_, _, row)| take(row));
        Ok(())
    }
}
