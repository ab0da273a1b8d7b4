//! One frame in one file: the arrays that changed since the frame before, and references to the
//! others.

use super::kind::{DOMAIN, Kind};
use super::layout::{Form, Listed, SHAPE, rows_of};
use crate::comm::{Comm, agree};
use crate::io::WallRow;
use crate::io::hdf::{CHUNK_ROWS, Element, Reader, Table, Writer, written_rows};
use crate::io::whole::{publish, temporary};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;
use twox_hash::XxHash64;

/// The attribute `format` of a frame's file.
pub(super) const FORMAT: &str = "moreau-frame";

/// The version of these files.
const FORMAT_VERSION: u32 = 1;

/// The step, the time and the size of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) step: u64,
    /// Time [s].
    pub(super) time: f64,
    /// Bodies, or contacts, of all ranks.
    pub(super) rows: u64,
    pub(super) parts: u64,
    /// The domain.
    pub(super) domain: [f64; DOMAIN.len()],
}

/// The surroundings of the bodies in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    /// The configuration, and the step of the frame whose file holds it.
    pub(super) config: (&'a str, u64),
    /// Displacement and rotation of each wall, on all ranks.
    pub(super) walls: &'a [WallRow],
}

/// The name in a file of the configuration.
pub(super) const CONFIG: &str = "config";

/// The name of the step of the frame that holds it.
pub(super) const CONFIG_SINCE: &str = "config_since";

/// The places of walls: name, numbers in a row, unit, description.
pub(super) const WALLS: [(&str, usize, &str, &str); 2] = [
    (
        "walls/displacement",
        3,
        "m",
        "displacement since time zero of the wall's centre in the configuration",
    ),
    (
        "walls/orientation",
        4,
        "1",
        "unit quaternion w, x, y, z of the rotation of the wall since time zero",
    ),
];

/// An array of a frame, of which this rank has the rows from `first` on.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) path: String,
    pub(super) form: Form,
    /// Rows of all ranks, and of a chunk.
    pub(super) rows: u64,
    pub(super) chunk: u64,
    pub(super) first: u64,
    pub(super) bytes: Vec<u8>,
}

impl Array {
    /// A hash that differs between different contents of an array.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = XxHash64::with_seed(self.first);
        hasher.write(&[self.form.element as u8, self.form.width as u8]);
        hasher.write(&self.bytes);
        hasher.finish()
    }

    fn table(&self, deflate: u8) -> Table<'_> {
        Table {
            path: &self.path,
            element: self.form.element,
            width: self.form.width,
            rows: self.rows,
            chunk: self.chunk,
            deflate,
        }
    }
}

impl Around<'_> {
    /// Bytes in the file of this step.
    fn room(&self, step: u64) -> u64 {
        let (config, since) = self.config;
        let config = if since == step { config.len() } else { 0 };
        let walls = self.places().map(|(table, _)| table.file_bytes());
        2 * config as u64 + walls.iter().sum::<u64>()
    }

    /// The places of walls: the form and the numbers of each array.
    fn places(&self) -> [(Table<'static>, Vec<f64>); 2] {
        let [displacement, orientation] = WALLS.map(|(path, width, _, _)| Table {
            path,
            element: Element::F64,
            width,
            rows: self.walls.len() as u64,
            chunk: CHUNK_ROWS,
            deflate: 0,
        });
        let walls = self.walls.iter();
        [
            (
                displacement,
                walls
                    .clone()
                    .flat_map(WallRow::displacement_as_given)
                    .collect(),
            ),
            (orientation, walls.flat_map(|w| w.orientation).collect()),
        ]
    }

    /// Writes them to the file of a step. Collective.
    fn write(&self, comm: &dyn Comm, file: &Writer, step: u64) -> Result<(), String> {
        file.group("walls")?;
        for ((table, numbers), (_, width, unit, about)) in self.places().iter().zip(WALLS) {
            let own = written_rows(table.rows, comm.rank(), comm.size());
            let here = &numbers[own.start as usize * width..own.end as usize * width];
            let texts = [("unit", unit), ("description", about)];
            let bytes: Vec<u8> = here.iter().flat_map(|x| x.to_le_bytes()).collect();
            file.dataset(table, &texts, own.start, &bytes)?;
        }
        let (config, since) = self.config;
        if since == step {
            file.text(CONFIG, config)?;
        }
        file.number(CONFIG_SINCE, since)
    }
}

/// Writes the arrays that are new in this frame. Collective.
///
/// `since` gives for each array the step of the frame whose file holds it.
pub(super) fn write(
    comm: &dyn Comm,
    path: &Path,
    frame: &Frame,
    arrays: &[Array],
    since: &[u64],
    (around, deflate): (Option<Around>, u8),
) -> Result<(), String> {
    let temporary = temporary(path);
    let written =
        write_as(comm, &temporary, frame, arrays, since, (around, deflate)).and_then(|()| {
            let published = match comm.rank() {
                0 => publish(&temporary, path).map_err(|e| e.to_string()),
                _ => Ok(()),
            };
            agree(comm, published)
        });
    if written.is_err() && comm.rank() == 0 {
        // The file may not exist. The error that is returned is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn write_as(
    comm: &dyn Comm,
    path: &Path,
    frame: &Frame,
    arrays: &[Array],
    since: &[u64],
    (around, deflate): (Option<Around>, u8),
) -> Result<(), String> {
    let is_new = |(array, since): (_, &u64)| (*since == frame.step).then_some(array);
    let new: Vec<&Array> = arrays.iter().zip(since).filter_map(is_new).collect();
    let room: u64 = new.iter().map(|a| a.table(deflate).file_bytes()).sum();
    let names: usize = arrays.iter().map(|array| array.path.len() + 32).sum();
    let more = around.map_or(0, |around| around.room(frame.step));
    let file = Writer::create(comm, path, room + more + names as u64 + 65_536)?;
    if frame.rows > 0 {
        file.group(frame.kind.group())?;
    }
    for array in new {
        let texts = [
            ("unit", array.form.unit.as_str()),
            ("description", array.form.description.as_str()),
        ];
        // Arrays that the format itself requires have no description.
        let texts = match array.form.description.is_empty() {
            true => &[][..],
            false => &texts[..],
        };
        file.dataset(&array.table(deflate), texts, array.first, &array.bytes)?;
    }
    if let Some(around) = around {
        around.write(comm, &file, frame.step)?;
    }
    let each = arrays.iter().zip(since);
    let lines = each.map(|(array, since)| format!("{} {since}\n", array.path));
    file.text("since", &lines.collect::<String>())?;
    file.text("format", FORMAT)?;
    file.number("format_version", FORMAT_VERSION)?;
    file.number("step", frame.step)?;
    file.number("time", frame.time)?;
    file.number("rows", frame.rows)?;
    file.number("parts", frame.parts)?;
    for (name, number) in DOMAIN.iter().zip(frame.domain) {
        file.number(name, number)?;
    }
    file.close()
}

/// The header of a frame's file. `held` gives the forms of arrays in earlier frames, if these
/// exist, `domain` the domain where the frame has none.
pub(super) fn read(
    path: &Path,
    kind: Kind,
    step: u64,
    held: &dyn Fn(u64, &str) -> Option<Form>,
    mut domain: [f64; DOMAIN.len()],
) -> Result<Listed, String> {
    let file = Reader::open(path)?;
    let format = file.text("format")?;
    let version: u32 = file.number("format_version")?;
    if (format.as_str(), version) != (FORMAT, FORMAT_VERSION) {
        return Err(format!(
            "format: must be `{FORMAT}` {FORMAT_VERSION}; found `{format}` {version}"
        ));
    }
    let named: u64 = file.number("step")?;
    if named != step {
        return Err(format!(
            "step: must be {step}, as in the name of the file; found {named}"
        ));
    }
    let (rows, parts): (u64, u64) = (file.number("rows")?, file.number("parts")?);
    let time: f64 = file.number("time")?;
    if !time.is_finite() || rows >= 1 << 60 || parts >= 1 << 31 || parts == 0 {
        return Err(format!(
            "rows, parts and time: must be finite, with at least one part; found {rows} rows in {parts} parts at {time} s"
        ));
    }
    // Earlier versions wrote none.
    if file.has(DOMAIN[0]) {
        for (number, name) in domain.iter_mut().zip(DOMAIN) {
            *number = file.number(name)?;
        }
    }
    let mut arrays = BTreeMap::new();
    for line in file.text("since")?.lines() {
        let bad = || format!("attribute `since`: must be an array and a step; found `{line}`");
        let (name, at) = line.split_once(' ').ok_or_else(bad)?;
        let since: u64 = at.parse().map_err(|_| bad())?;
        let form = match since == step {
            true => form(&file, name, rows_of(kind, name, rows, parts))?,
            false => held(since, name).ok_or_else(|| {
                format!("{name}: must be in the frame of step {since}, which is missing")
            })?,
        };
        arrays.insert(name.to_owned(), (form, since));
    }
    let lacks = SHAPE.iter().chain(&["Points"]);
    let mut lacks = lacks.filter(|name| rows > 0 && !arrays.contains_key(**name));
    if let Some(name) = lacks.next() {
        return Err(format!("{name} is missing"));
    }
    Ok(Listed {
        step,
        time,
        rows,
        parts,
        domain,
        arrays,
    })
}

/// The form of an array in a file, which must have the given number of rows.
fn form(file: &Reader, name: &str, rows: u64) -> Result<Form, String> {
    let (element, width, found) = file.form(name)?;
    if found != rows {
        return Err(format!("{name}: must have {rows} rows; found {found}"));
    }
    Ok(Form {
        element,
        width,
        unit: file.text_of(name, "unit").unwrap_or_default(),
        description: file.text_of(name, "description").unwrap_or_default(),
    })
}
