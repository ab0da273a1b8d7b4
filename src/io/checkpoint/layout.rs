//! The datasets of a checkpoint: what each is called, what it means, and where its numbers stand in a row in memory.
//!
//! One list for each group serves writing, reading and checking; a new quantity is one entry here and a line in
//! `docs/formats.md`.

use crate::body::{BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::io::WallRow;
use crate::io::hdf::{CHUNK_ROWS, Element, Table};
use crate::law::{self, Dataset, State};
use crate::measure::Flow;
use std::ops::Range;

/// A row in memory that is stored as one row of each dataset of a group.
pub(super) trait Record: Copy + 'static {
    /// The group.
    const GROUP: &'static str;
    /// Its datasets. The first holds the key.
    const COLUMNS: &'static [Column<Self>];
    /// Those of the laws' memory, beyond these.
    const STATE: &'static [Dataset<State>] = &[];
    /// The laws' memory, of rows that have one.
    fn state(&mut self) -> Option<&mut State> {
        None
    }
    /// All of them.
    fn columns() -> Vec<Column<Self>> {
        let state = Self::STATE.iter().map(|dataset| Column {
            path: dataset.path,
            unit: dataset.unit,
            description: dataset.description,
            values: Values::State(&dataset.values),
        });
        Self::COLUMNS.iter().copied().chain(state).collect()
    }
    /// A row to be filled.
    fn blank() -> Self;
    /// How messages call this row.
    fn name(&self) -> String;
}

/// One dataset.
#[derive(Clone, Copy)]
pub(super) struct Column<R: 'static> {
    pub(super) path: &'static str,
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
    values: Values<R>,
}

#[derive(Clone, Copy)]
enum Values<R: 'static> {
    /// Numbers stored as they are: how many, and where.
    Real(usize, fn(&mut R) -> &mut [f64]),
    /// Whole numbers, stored as the element named: how many, how to get and how to set one.
    Whole(Element, usize, fn(&R, usize) -> u64, fn(&mut R, usize, u64)),
    /// A part of the laws' memory.
    State(&'static law::Values<State>),
}

impl<R: Record> Column<R> {
    /// The form of the dataset when it holds this many rows.
    pub(super) fn table(&self, rows: u64) -> Table<'static> {
        let (element, width) = match self.values {
            Values::Real(width, _) => (Element::F64, width),
            Values::Whole(element, width, ..) => (element, width),
            Values::State(law::Values::Real(width, _)) => (Element::F64, *width),
            Values::State(law::Values::Small(_)) => (Element::U8, 1),
        };
        Table {
            path: self.path,
            element,
            width,
            rows,
            chunk: CHUNK_ROWS,
            deflate: 0,
        }
    }

    /// The bytes of the dataset for these rows.
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
                return Err(format!("{}: {number} of {name}", self.path));
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
                "{path}: {number} of {name} does not fit the format"
            ));
        }
        bytes.extend_from_slice(kept);
        Ok(())
    }

    /// Puts the bytes of the dataset into these rows, which are those from `first` on.
    ///
    /// # Errors
    /// If a number is not finite.
    pub(super) fn decode(&self, bytes: &[u8], first: u64, rows: &mut [R]) -> Result<(), String> {
        let table = self.table(0);
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
                        return Err(format!("{path}: row {row}: {to}, expected finite numbers"));
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

/// The rows of a slab, from the bytes that `read` returns for each dataset.
pub(super) fn assemble<R: Record>(
    rows: Range<u64>,
    mut read: impl FnMut(&Column<R>) -> Result<Vec<u8>, String>,
) -> Result<Vec<R>, String> {
    let mut slab = vec![R::blank(); (rows.end - rows.start) as usize];
    for column in &R::columns() {
        column.decode(&read(column)?, rows.start, &mut slab)?;
    }
    Ok(slab)
}

impl Record for BodyRow {
    const GROUP: &'static str = "/bodies";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/bodies/id",
            unit: "1",
            description: "number of the body, for ever; ascending",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.id.0,
                |row, _, id| row.id.0 = id,
            ),
        },
        Column {
            path: "/bodies/position",
            unit: "m",
            description: "centre of mass, global frame",
            values: Values::Real(3, |row| &mut row.position),
        },
        Column {
            path: "/bodies/velocity",
            unit: "m/s",
            description: "velocity of the centre of mass, global frame",
            values: Values::Real(3, |row| &mut row.velocity),
        },
        Column {
            path: "/bodies/orientation",
            unit: "1",
            description: "unit quaternion w, x, y, z that turns the body frame into the global frame",
            values: Values::Real(4, |row| &mut row.orientation),
        },
        Column {
            path: "/bodies/angular_velocity",
            unit: "rad/s",
            description: "angular velocity, global frame",
            values: Values::Real(3, |row| &mut row.angular_velocity),
        },
        Column {
            path: "/bodies/radius",
            unit: "m",
            description: "radius",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.radius)),
        },
        Column {
            path: "/bodies/mass",
            unit: "kg",
            description: "mass",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.mass)),
        },
        Column {
            path: "/bodies/inertia",
            unit: "kg m2",
            description: "moment of inertia about any axis through the centre",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.inertia)),
        },
        Column {
            path: "/bodies/image",
            unit: "1",
            description: "how often the body has gone round the periodic axes: its way is that of position + image * period",
            values: Values::Whole(
                Element::I64,
                3,
                |row, k| row.image[k] as u64,
                |row, k, of| row.image[k] = of as i64,
            ),
        },
        Column {
            path: "/bodies/material",
            unit: "1",
            description: "number of the material in the configuration, from 0",
            values: Values::Whole(
                Element::U16,
                1,
                |row, _| row.material.into(),
                |row, _, of| row.material = of as u32,
            ),
        },
        Column {
            path: "/bodies/kind",
            unit: "1",
            description: "0: free, 1: fixed, 2: moves with its velocity whatever pushes, 3: free, but held by a region",
            values: Values::Whole(
                Element::U8,
                1,
                |row, _| row.kind.into(),
                |row, _, kind| row.kind = kind as u32,
            ),
        },
    ];

    fn blank() -> Self {
        bytemuck::Zeroable::zeroed()
    }

    fn name(&self) -> String {
        format!("body {}", self.id)
    }
}

impl Record for ContactRow {
    const GROUP: &'static str = "/contacts";
    const STATE: &'static [Dataset<State>] = State::DATASETS;
    fn state(&mut self) -> Option<&mut State> {
        Some(&mut self.state)
    }
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/contacts/body",
            unit: "1",
            description: "ids of the two bodies (the second may be a wall), the smaller first; ascending",
            values: Values::Whole(
                Element::U64,
                2,
                |row, which| if which == 0 { row.key.a.0 } else { row.key.b.0 },
                |row, which, id| {
                    *(if which == 0 {
                        &mut row.key.a.0
                    } else {
                        &mut row.key.b.0
                    }) = id
                },
            ),
        },
        Column {
            path: "/contacts/feature",
            unit: "1",
            description: "which of several contacts of the same two bodies, from 0",
            values: Values::Whole(
                Element::U32,
                1,
                |row, _| row.key.feature,
                |row, _, of| row.key.feature = of,
            ),
        },
        Column {
            path: "/contacts/point",
            unit: "m",
            description: "contact point, midway between the two surfaces, global frame",
            values: Values::Real(3, |row| &mut row.point),
        },
        Column {
            path: "/contacts/normal",
            unit: "1",
            description: "unit normal from the first body to the second, global frame",
            values: Values::Real(3, |row| &mut row.normal),
        },
        Column {
            path: "/contacts/gap",
            unit: "m",
            description: "distance between the surfaces at the start of the step, negative if they overlap",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.gap)),
        },
        Column {
            path: "/contacts/impulse",
            unit: "N s",
            description: "impulse on the second body in the last step, global frame",
            values: Values::Real(3, |row| &mut row.impulse),
        },
        Column {
            path: "/contacts/couple_impulse",
            unit: "N m s",
            description: "couple impulse on the second body in the last step, global frame",
            values: Values::Real(3, |row| &mut row.couple_impulse),
        },
        Column {
            path: "/contacts/status",
            unit: "1",
            description: "0: open, 1: sticking, 2: sliding",
            values: Values::Whole(
                Element::U8,
                1,
                |row, _| row.status,
                |row, _, status| row.status = status,
            ),
        },
    ];

    fn blank() -> Self {
        bytemuck::Zeroable::zeroed()
    }

    fn name(&self) -> String {
        format!("the contact of {} and {}", self.key.a, self.key.b)
    }
}

/// A wall with its id, which in memory is its place in the list of walls.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberedWall {
    pub(super) id: u64,
    pub(super) wall: WallRow,
}

/// The walls with their ids.
pub(super) fn numbered(walls: &[WallRow]) -> Vec<NumberedWall> {
    let id = |index| BodyId::wall(index).0;
    walls
        .iter()
        .enumerate()
        .map(|(index, &wall)| NumberedWall {
            id: id(index),
            wall,
        })
        .collect()
}

impl Record for NumberedWall {
    const GROUP: &'static str = "/walls";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/walls/id",
            unit: "1",
            description: "id of the wall, shared with no body: 2^63 + its number in the configuration",
            values: Values::Whole(Element::U64, 1, |row, _| row.id, |row, _, id| row.id = id),
        },
        Column {
            path: "/walls/displacement",
            unit: "m",
            description: "way of the wall's centre since time zero, global frame",
            values: Values::Real(3, |row| &mut row.wall.displacement),
        },
        Column {
            path: "/walls/orientation",
            unit: "1",
            description: "unit quaternion w, x, y, z by which the wall has turned since time zero",
            values: Values::Real(4, |row| &mut row.wall.orientation),
        },
        Column {
            path: "/walls/velocity",
            unit: "m/s",
            description: "velocity of the wall's centre in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.velocity),
        },
        Column {
            path: "/walls/angular_velocity",
            unit: "rad/s",
            description: "angular velocity of the wall in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.angular_velocity),
        },
        Column {
            path: "/walls/material",
            unit: "1",
            description: "number of the material in the configuration, from 0",
            values: Values::Whole(
                Element::U16,
                1,
                |row, _| row.wall.material.into(),
                |row, _, of| row.wall.material = of as u32,
            ),
        },
        Column {
            path: "/walls/impulse",
            unit: "N s",
            description: "impulse that the bodies gave the wall in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.impulse),
        },
        Column {
            path: "/walls/couple_impulse",
            unit: "N m s",
            description: "couple impulse that the bodies gave the wall in the last step about its centre, global frame",
            values: Values::Real(3, |row| &mut row.wall.couple_impulse),
        },
    ];

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        BodyId(self.id).to_string()
    }
}

/// What has come in or gone out, with its number.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberedFlow {
    pub(super) number: u64,
    pub(super) flow: Flow,
}

/// The flows with their numbers.
pub(super) fn numbered_flows(flows: &[Flow]) -> Vec<NumberedFlow> {
    let each = flows.iter().zip(0..);
    each.map(|(&flow, number)| NumberedFlow { number, flow })
        .collect()
}

impl Record for NumberedFlow {
    const GROUP: &'static str = "/flows";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/flows/number",
            unit: "1",
            description: "inlets in the order of the configuration, then outlets, from 0",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.number,
                |row, _, number| row.number = number,
            ),
        },
        Column {
            path: "/flows/bodies",
            unit: "1",
            description: "bodies that have come in, or gone out",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.flow.bodies,
                |row, _, bodies| row.flow.bodies = bodies,
            ),
        },
        Column {
            path: "/flows/mass",
            unit: "kg",
            description: "their mass",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.flow.mass)),
        },
        Column {
            path: "/flows/waiting",
            unit: "1",
            description: "bodies that were due when it was last looked for some and found no place",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.flow.waiting,
                |row, _, waiting| row.flow.waiting = waiting,
            ),
        },
    ];

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        format!("flow {}", self.number)
    }
}
