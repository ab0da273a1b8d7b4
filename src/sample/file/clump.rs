//! The balls of a clump from a file: CSV, or a LAMMPS molecule file.
//!
//! A CSV file has the columns `x`, `y`, `z` and `r`, `radius`, `d` or `diameter`. Of a molecule
//! file these are read: in the header the count of `atoms`, and `mass`, `com` and `inertia` if
//! they are there; the sections `Coords` (`id x y z`) and `Diameters` (`id diameter`). Parts come
//! in the order of the file's ids. LAMMPS' `inertia` is that of its `mass`; a clump's mass
//! follows from its volume and its material.

use super::lines::{Cell, Input, Lines};
use super::{Format, format, table};
use crate::math::Vector3;
use crate::sample::{Error, Ids};
use crate::shape::clump::{Given, Part};
use std::path::Path;

/// A clump as a file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Its balls, in the file's frame [m].
    pub parts: Vec<Part>,
    /// Mass properties that the file gives.
    pub given: Given,
    /// Columns, keywords and sections passed over.
    pub ignored: Vec<String>,
}

/// Reads the balls of a clump from the contents of the file at `path`.
///
/// # Errors
/// With file, line, value and accepted values.
pub fn clump(path: &Path, contents: &[u8]) -> Result<Described, Error> {
    let contents = Some(contents);
    let input = Input { path, contents };
    let described = match format(input)? {
        Format::Table => of_table(input)?,
        Format::Data => Molecule::read(input)?,
        Format::Dump => {
            let message = "a dump; accepted: CSV with x,y,z,r, or a LAMMPS molecule file";
            return Err(Error::line(path, 1, message));
        }
    };
    if described.parts.is_empty() {
        return Err(Error::line(
            path,
            1,
            "a clump must have at least one part; found none",
        ));
    }
    Ok(described)
}

fn of_table(input: Input) -> Result<Described, Error> {
    let (mut parts, mut dense, mut moving) = (Vec::new(), false, false);
    let mut ignored = table::read(input, (&[], Ids::New, false), &mut |row| {
        dense |= row.density.is_some();
        moving |= row.velocity != [0.0; 3] || row.angular_velocity != [0.0; 3];
        parts.push(Part {
            centre: row.position.into(),
            radius: row.radius,
        });
    })?;
    let known = [(dense, "column density"), (moving, "columns of velocities")];
    ignored.extend(
        known
            .iter()
            .filter(|(any, _)| *any)
            .map(|(_, name)| (*name).to_owned()),
    );
    Ok(Described {
        parts,
        given: Given::default(),
        ignored,
    })
}

/// Sections of molecule files, of which two are read.
const COORDS: [&str; 4] = ["id", "x", "y", "z"];
const DIAMETERS: [&str; 2] = ["id", "diameter"];

struct Molecule<'a> {
    path: &'a Path,
    lines: Lines<'a>,
    /// Each atom's centre and diameter, as far as read; `None` before the header has promised any.
    atoms: Option<Vec<(Option<Vector3>, Option<f64>)>>,
    mass: Option<f64>,
    centre: Option<Vector3>,
    inertia: Option<[f64; 6]>,
    ignored: Vec<String>,
}

impl<'a> Molecule<'a> {
    fn read(input: Input<'a>) -> Result<Described, Error> {
        let mut file = Self {
            path: input.path,
            lines: Lines::of(input)?,
            atoms: None,
            mass: None,
            centre: None,
            inertia: None,
            ignored: Vec::new(),
        };
        file.lines.next()?; // The first line is a title, whatever it holds.
        let mut section = String::new();
        while let Some(text) = file.next()? {
            let words: Vec<&str> = text.split_whitespace().collect();
            let heading = words[0].starts_with(char::is_alphabetic);
            match (heading, section.as_str()) {
                (true, _) => {
                    if !["Coords", "Diameters"].contains(&words[0]) {
                        file.ignored.push(format!("section {text}"));
                    }
                    section = words[0].to_owned();
                }
                (_, "") => file.keyword(&words)?,
                (_, "Coords") => file.coords(&words)?,
                (_, "Diameters") => file.diameter(&words)?,
                _ => {}
            }
        }
        file.finish()
    }

    /// The next line that is not blank, without its comment.
    fn next(&mut self) -> Result<Option<String>, Error> {
        while let Some(line) = self.lines.next()? {
            let text = line.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
        Ok(None)
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::line(self.path, self.lines.number.max(1), message)
    }

    fn cell<'b>(&'b self, column: &'b str, text: &'b str) -> Cell<'b> {
        Cell {
            path: self.path,
            line: self.lines.number,
            column,
            text,
        }
    }

    fn numbers<const N: usize>(&self, name: &str, words: &[&str]) -> Result<[f64; N], Error> {
        let mut numbers = [0.0; N];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = self.cell(name, word).number()?;
        }
        Ok(numbers)
    }

    /// A line of the header: numbers and a keyword.
    fn keyword(&mut self, words: &[&str]) -> Result<(), Error> {
        match words {
            [n, "atoms"] => {
                let atoms = self.cell("atoms", n).whole()?;
                // The header may promise anything.
                let most = crate::shape::clump::MOST_PARTS as u64;
                if atoms > most {
                    let message = format!("a clump must have at most {most} parts; found {atoms}");
                    return Err(self.wrong(message));
                }
                self.atoms = Some(vec![(None, None); atoms as usize]);
            }
            [m, "mass"] => self.mass = Some(self.cell("mass", m).positive()?),
            [_, _, _, "com"] => self.centre = Some(self.numbers::<3>("com", words)?.into()),
            [_, _, _, _, _, _, "inertia"] => {
                self.inertia = Some(self.numbers("inertia", words)?);
            }
            _ => self
                .ignored
                .push(format!("keyword {}", words[words.len() - 1])),
        }
        Ok(())
    }

    /// The atom that a line of a section is about.
    fn atom(&self, words: &[&str], columns: &[&str]) -> Result<usize, Error> {
        let Some(atoms) = &self.atoms else {
            return Err(self.wrong("the header must hold NUMBER atoms; found none"));
        };
        if words.len() != columns.len() {
            let (n, found) = (columns.len(), words.len());
            let names = columns.join(" ");
            return Err(self.wrong(format!(
                "a line must have {n} fields ({names}); found {found}"
            )));
        }
        let cell = self.cell("id", words[0]);
        let id = cell.whole()?;
        match id <= atoms.len() as u64 {
            true => Ok(id as usize - 1),
            false => Err(cell.refuse(&format!("1 to {}, as many as the header has", atoms.len()))),
        }
    }

    fn coords(&mut self, words: &[&str]) -> Result<(), Error> {
        let k = self.atom(words, &COORDS)?;
        let number = |k: usize| self.cell(COORDS[k], words[k]).number();
        let centre = Vector3::new(number(1)?, number(2)?, number(3)?);
        let atoms = self.atoms.as_mut().map(|atoms| &mut atoms[k].0);
        match atoms.and_then(|place| place.replace(centre)) {
            None => Ok(()),
            Some(_) => Err(self.cell("id", words[0]).refuse("each id once")),
        }
    }

    fn diameter(&mut self, words: &[&str]) -> Result<(), Error> {
        let k = self.atom(words, &DIAMETERS)?;
        let diameter = self.cell(DIAMETERS[1], words[1]).positive()?;
        let atoms = self.atoms.as_mut().map(|atoms| &mut atoms[k].1);
        match atoms.and_then(|place| place.replace(diameter)) {
            None => Ok(()),
            Some(_) => Err(self.cell("id", words[0]).refuse("each id once")),
        }
    }

    fn finish(mut self) -> Result<Described, Error> {
        let mut parts = Vec::new();
        for (k, atom) in (1..).zip(self.atoms.iter().flatten()) {
            let (Some(centre), Some(diameter)) = *atom else {
                let section = if atom.0.is_none() {
                    "Coords"
                } else {
                    "Diameters"
                };
                let message = format!(
                    "section {section} must have a line for each atom; found none for atom {k}"
                );
                return Err(self.wrong(message));
            };
            parts.push(Part {
                centre,
                radius: 0.5 * diameter,
            });
        }
        let mut given = Given::default();
        match (self.inertia, self.mass) {
            (Some(inertia), Some(mass)) => {
                given.inertia = Some(inertia.map(|moment| moment / mass));
                given.centre = self.centre;
            }
            (Some(_), None) => {
                return Err(self.wrong("the keyword inertia must come with mass; found none"));
            }
            (None, _) => {
                let unused = [
                    (self.mass.is_some(), "mass"),
                    (self.centre.is_some(), "com"),
                ];
                let unused = unused.iter().filter(|(any, _)| *any);
                self.ignored
                    .extend(unused.map(|(_, name)| format!("keyword {name}")));
            }
        }
        Ok(Described {
            parts,
            given,
            ignored: self.ignored,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Template;

    fn read(text: &str) -> Result<Described, String> {
        clump(Path::new("/f"), text.as_bytes()).map_err(|e| {
            let text = e.to_string();
            let (_, fault) = text.split_once("/f:").unwrap_or(("", &text));
            fault.to_owned()
        })
    }

    const MOLECULE: &str = "a dumbbell\n\n2 atoms # balls\n1 bonds\n3.0 mass\n0.5 0 0 com\n3 4.5 4.5 0 0 0 inertia\n\n\
        Coords\n\n2 1.0 0 0\n1 0 0 0 # the first\n\nTypes\n\n1 1\n2 1\n\nDiameters\n\n1 2.0\n2 2.0\n";

    #[test]
    fn both_forms_hold_the_same_clump() {
        let table = read("# two balls\nx,y,z,r,colour\n0,0,0,1,red\n1,0,0,1,blue\n").unwrap();
        assert_eq!(table.ignored, ["column colour"]);
        assert_eq!(table.given, Given::default());
        let molecule = read(MOLECULE).unwrap();
        assert_eq!(molecule.parts, table.parts);
        assert_eq!(molecule.ignored, ["keyword bonds", "section Types"]);
        assert_eq!(molecule.given.inertia, Some([1.0, 1.5, 1.5, 0.0, 0.0, 0.0]));
        let clump = Template::new("pair", &molecule.parts, false, &molecule.given).unwrap();
        let moments = clump.moments(1.0, 1.5);
        assert!((moments[0] - 1.0).abs() < 1e-14 && (clump.size() - 1.5).abs() < 1e-15);
        let without = MOLECULE.replace("3 4.5 4.5 0 0 0 inertia\n", "");
        let ignored = read(&without).unwrap().ignored;
        assert_eq!(
            ignored,
            [
                "keyword bonds",
                "section Types",
                "keyword mass",
                "keyword com"
            ]
        );
    }

    #[test]
    fn faults_name_line_and_value() {
        for (from, to, fault) in [
            (
                "2 2.0\n",
                "",
                "21: section Diameters must have a line for each atom; found none for atom 2",
            ),
            (
                "2 2.0\n",
                "2 0.0\n",
                "22: column diameter: \"0.0\" is not accepted; accepted: a finite number > 0",
            ),
            (
                "2 2.0\n",
                "3 2.0\n",
                "22: column id: \"3\" is not accepted; accepted: 1 to 2, as many as the header has",
            ),
            (
                "2 2.0\n",
                "1 2.0\n",
                "22: column id: \"1\" is not accepted; accepted: each id once",
            ),
            (
                "1.0 0 0\n",
                "1.0 nan 0\n",
                "11: column y: \"nan\" is not accepted; accepted: a finite number",
            ),
            (
                "1.0 0 0\n",
                "1.0 0\n",
                "11: a line must have 4 fields (id x y z); found 3",
            ),
            (
                "2 atoms",
                "5000 atoms",
                "3: a clump must have at most 256 parts; found 5000",
            ),
            (
                "3.0 mass\n",
                "",
                "21: the keyword inertia must come with mass; found none",
            ),
        ] {
            let text = MOLECULE.replace(from, to);
            assert_ne!(text, MOLECULE);
            assert_eq!(read(&text).unwrap_err().trim(), fault);
        }
        assert!(
            read("x,y,z,r\n")
                .unwrap_err()
                .contains("a clump must have at least one part; found none")
        );
        assert!(
            read("x,y,z,r\n0,0,0,-1\n")
                .unwrap_err()
                .contains("2: column r: \"-1\" is not accepted")
        );
        assert!(
            read("ITEM: TIMESTEP\n0\n")
                .unwrap_err()
                .contains("1: a dump")
        );
    }
}
