//! The datasets of a checkpoint: name, meaning, and place of the numbers in a row in memory.
//!
//! One list per group serves writing, reading and checking; a new quantity is one entry here and a
//! line in `docs/formats.md`.

use super::FORMAT_VERSION;
use crate::io::hdf::{CHUNK_ROWS, Element, Table};
use crate::law::{self, Dataset, State};
use std::ops::Range;

/// A row in memory that is stored as one row of each dataset of a group.
pub(super) trait Record: Copy + 'static {
    /// The group.
    const GROUP: &'static str;
    /// Its datasets. The first holds the key.
    const COLUMNS: &'static [Column<Self>];
    /// The datasets of the laws' states, in addition to these.
    const STATE: &'static [Dataset<State>] = &[];
    /// The datasets of runs with clumps, after the others.
    const OF_CLUMPS: &'static [Column<Self>] = &[];
    /// The laws' states, in rows that have them.
    fn state(&mut self) -> Option<&mut State> {
        None
    }
    /// All datasets of the group in a file of this layout.
    fn columns(layout: Layout) -> Vec<Column<Self>> {
        if !Self::is_in(layout) {
            return Vec::new();
        }
        // Version 6 has only the first dataset of the laws' states.
        let known = match layout.version {
            ..7 => 1,
            _ => Self::STATE.len(),
        };
        let state = Self::STATE.iter().take(known).map(|dataset| Column {
            path: dataset.path,
            unit: dataset.unit,
            description: dataset.description,
            values: Values::State(&dataset.values),
        });
        // The order enters the hash of a file: version 6 had the laws' states before the last
        // column.
        let before = Self::COLUMNS.len() - usize::from(layout.version < 7);
        let (first, last) = Self::COLUMNS.split_at(before);
        let own = first
            .iter()
            .copied()
            .chain(state)
            .chain(last.iter().copied());
        let clumps = if layout.clumps { Self::OF_CLUMPS } else { &[] };
        let newer = |column: &Column<Self>| {
            let mut parts = NEWER.iter();
            parts.any(|(part, since)| layout.version < *since && column.path.contains(part))
        };
        let all = own.chain(clumps.iter().copied());
        all.filter(|column| !newer(column)).collect()
    }
    /// Whether a file of this layout has the group.
    fn is_in(_: Layout) -> bool {
        true
    }
    /// A row to be filled.
    fn blank() -> Self;
    /// The name of this row in messages.
    fn name(&self) -> String;
}

/// The properties of a file that determine its datasets.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Version of the format.
    pub(super) version: u32,
    /// Whether some bodies are clumps.
    pub(super) clumps: bool,
    /// Whether supports hold some bodies.
    pub(super) supports: bool,
    /// Whether the wear of triangles is recorded.
    pub(super) wear: bool,
}

/// Datasets whose numbers were narrower before a version: path, that version, the earlier element.
const NARROWER: [(&str, u32, Element); 1] = [("/contacts/feature", 7, Element::U32)];

/// Parts of the paths of datasets that came with a version: references of plans, starts of motions,
/// and those of hinges.
const NEWER: [(&str, u32); 4] = [
    ("/reference_", 9),
    ("/allowance", 9),
    ("/motion_", 10),
    ("/axis_", 12),
];

/// One dataset.
#[derive(Clone, Copy)]
pub(super) struct Column<R: 'static> {
    pub(super) path: &'static str,
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
    pub(super) values: Values<R>,
}

/// The place of a dataset's numbers in a row.
#[derive(Clone, Copy)]
pub(super) enum Values<R: 'static> {
    /// Numbers stored unchanged: how many, and access to them.
    Real(usize, fn(&mut R) -> &mut [f64]),
    /// Whole numbers, stored as the given element: how many, the getter and the setter of one.
    Whole(Element, usize, fn(&R, usize) -> u64, fn(&mut R, usize, u64)),
    /// A part of the laws' states.
    State(&'static law::Values<State>),
}

impl<R: Record> Column<R> {
    /// The form of the dataset with this many rows.
    pub(super) fn table(&self, rows: u64) -> Table<'static> {
        self.table_of(FORMAT_VERSION, rows)
    }

    /// The same in a file of a version.
    pub(super) fn table_of(&self, version: u32, rows: u64) -> Table<'static> {
        let (element, width) = match self.values {
            Values::Real(width, _) => (Element::F64, width),
            Values::Whole(element, width, ..) => (element, width),
            Values::State(law::Values::Real(width, _)) => (Element::F64, *width),
            Values::State(law::Values::Small(_)) => (Element::U8, 1),
        };
        let narrower =
            |&&(path, since, _): &&(&str, u32, Element)| path == self.path && version < since;
        let element = NARROWER.iter().find(narrower).map_or(element, |old| old.2);
        Table {
            path: self.path,
            element,
            width,
            rows,
            chunk: CHUNK_ROWS,
            deflate: 0,
        }
    }

    /// Encodes the dataset for these rows.
    ///
    /// # Errors
    /// If a number is not finite, or too large for its element.
    pub(super) fn encode(&self, rows: &[R]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(rows.len() * self.table(0).row_bytes());
        for row in rows {
            let mut row = *row;
            let name = row.name();
            match self.values {
                Values::Real(_, of) => self.encode_real(of(&mut row), &name, &mut bytes)?,
                Values::Whole(element, width, get, _) => {
                    for k in 0..width {
                        self.encode_whole(get(&row, k), element, &name, &mut bytes)?;
                    }
                }
                Values::State(of) => match (of, row.state()) {
                    (law::Values::Real(_, of), Some(state)) => {
                        self.encode_real(of(state), &name, &mut bytes)?;
                    }
                    (law::Values::Small(of), Some(state)) => {
                        self.encode_whole(*of(state), Element::U8, &name, &mut bytes)?;
                    }
                    (_, None) => {}
                },
            }
        }
        Ok(bytes)
    }

    fn encode_real(&self, of: &[f64], name: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        for number in of {
            if !number.is_finite() {
                return Err(format!(
                    "{}: must be finite; found {number} of {name}",
                    self.path
                ));
            }
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    fn encode_whole(
        &self,
        number: u64,
        element: Element,
        name: &str,
        bytes: &mut Vec<u8>,
    ) -> Result<(), String> {
        let all = number.to_le_bytes();
        let (kept, cut) = all.split_at(element.bytes());
        if cut.iter().any(|&b| b != 0) {
            let path = self.path;
            return Err(format!(
                "{path}: must fit {} bytes; found {number} of {name}",
                element.bytes()
            ));
        }
        bytes.extend_from_slice(kept);
        Ok(())
    }

    /// Stores the bytes of a dataset, read from a file of a version, in the rows from `first` on.
    ///
    /// # Errors
    /// If a number is not finite.
    pub(super) fn decode(
        &self,
        version: u32,
        bytes: &[u8],
        first: u64,
        rows: &mut [R],
    ) -> Result<(), String> {
        let table = self.table_of(version, 0);
        let numbers_of_rows = bytes.chunks_exact(table.row_bytes());
        for ((k, row), numbers) in rows.iter_mut().enumerate().zip(numbers_of_rows) {
            let numbers = numbers
                .chunks_exact(table.element.bytes())
                .map(|number: &[u8]| {
                    let mut wide = [0; 8];
                    wide[..number.len()].copy_from_slice(number);
                    u64::from_le_bytes(wide)
                });
            let reals = |to: &mut [f64]| {
                for (to, number) in to.iter_mut().zip(numbers.clone()) {
                    *to = f64::from_bits(number);
                    if !to.is_finite() {
                        let (path, row) = (self.path, first + k as u64);
                        return Err(format!("{path}: row {row}: must be finite; found {to}"));
                    }
                }
                Ok(())
            };
            match self.values {
                Values::Real(_, of) => reals(of(row))?,
                Values::Whole(_, _, _, set) => numbers
                    .enumerate()
                    .for_each(|(at, number)| set(row, at, number)),
                Values::State(of) => match (of, row.state()) {
                    (law::Values::Real(_, of), Some(state)) => reals(of(state))?,
                    (law::Values::Small(of), Some(state)) => {
                        numbers.for_each(|number| *of(state) = number);
                    }
                    (_, None) => {}
                },
            }
        }
        Ok(())
    }
}

/// The rows of a slab of a file, from the bytes that `read` returns for each dataset.
pub(super) fn assemble<R: Record>(
    layout: Layout,
    rows: Range<u64>,
    mut read: impl FnMut(&Column<R>) -> Result<Vec<u8>, String>,
) -> Result<Vec<R>, String> {
    let mut slab = vec![R::blank(); (rows.end - rows.start) as usize];
    for column in &R::columns(layout) {
        column.decode(layout.version, &read(column)?, rows.start, &mut slab)?;
    }
    Ok(slab)
}
