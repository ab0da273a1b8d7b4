//! The table of contents of the frames: a VTKHDF file whose arrays join those of the frames.
//!
//! Two precautions go beyond the letter of the format, for the sake of present readers (VTK 9.3 to
//! 9.7):
//!
//! - All frames have the same number of parts, as the reader takes it from the first: empty ones
//!   come before the others.
//! - To find the start of a frame's `Offsets`, the reader counts parts until they have as many
//!   cells as come before the frame, and so passes over no empty parts just before it. Hence the
//!   last part of a frame is never empty, and the empty parts of a frame without cells are at the
//!   start of the file. They are followed by a part with one cell of no points that is in no frame,
//!   so that some cells come before all others.

use super::folder;
use super::kind::{DOMAIN, Kind, Space};
use super::layout::{Form, Listed, SHAPE, plain, rows_of};
use crate::io::hdf::{Element, write_text};
use crate::io::whole::{publish, temporary};
use hdf5::file::LibraryVersion;
use hdf5::types::FixedAscii;
use hdf5::{File, Group, Hyperslab, Selection, SliceOrIndex};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The topologies of PolyData in the order of `CellOffsets`.
const TOPOLOGIES: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];

/// The number of [`TOPOLOGIES`] that frames of this kind use.
fn topology(kind: Kind) -> usize {
    match kind {
        Kind::Bodies => 0,
        Kind::Contacts => 1,
        Kind::Surfaces => 2,
    }
}

/// An array of the table: its form, its rows, and the frames that they come from.
#[derive(Debug, Default)]
struct Column {
    form: Option<Form>,
    rows: u64,
    /// Pieces: rows, the frame that holds them, rows of the array there.
    pieces: Vec<(u64, u64, u64)>,
    /// The start of the array of the last frame that wrote it, and that frame.
    begun: Option<(u64, u64)>,
}

impl Column {
    /// Places the rows of a frame's file, which may be in place already, and returns their start.
    ///
    /// `blank` rows of zeros come before them.
    fn place(&mut self, since: u64, rows: u64, blank: u64) -> u64 {
        if let Some((_, at)) = self.begun.filter(|(of, _)| *of == since) {
            return at;
        }
        let at = self.rows;
        self.pieces.push((at + blank, since, rows));
        self.rows += blank + rows;
        self.begun = Some((since, at));
        at
    }
}

/// The starts of a frame's arrays.
#[derive(Clone, Copy, Debug, Default)]
struct Offsets {
    part: u64,
    point: u64,
    cell: u64,
    connectivity: u64,
}

/// The content of the table, before it is written.
struct Contents {
    columns: BTreeMap<String, Column>,
    offsets: Vec<Offsets>,
    /// For each array of bodies or contacts the start of each frame's rows.
    of_arrays: BTreeMap<String, Vec<u64>>,
    /// Parts of each frame, and of all frames together.
    parts: u64,
    all_parts: u64,
    /// The part that has one cell of no points.
    spare: Option<u64>,
}

fn contents(kind: Kind, frames: &[Listed]) -> Contents {
    let parts = frames.iter().filter(|f| f.rows > 0).map(|f| f.parts);
    let parts = parts.max().unwrap_or(1);
    let empty = frames.iter().any(|frame| frame.rows == 0);
    let spare = (empty && frames.iter().any(|f| f.rows > 0)).then_some(parts);
    // The parts of empty frames, and the spare one.
    let (head, head_cells) = match (empty, spare) {
        (true, Some(_)) => (parts + 1, 1),
        (true, None) => (parts, 0),
        _ => (0, 0),
    };
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    for (name, rows) in SHAPE.iter().zip([head, head, 0, head + head_cells]) {
        let column = Column {
            form: Some(plain()),
            rows,
            ..Column::default()
        };
        columns.insert((*name).to_owned(), column);
    }
    let mut of_arrays: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for frame in frames {
        for (name, (form, _)) in &frame.arrays {
            let column = columns.entry(name.clone()).or_default();
            column.form.get_or_insert_with(|| form.clone());
            if name.starts_with(kind.group()) {
                of_arrays.entry(name.clone()).or_default();
            }
        }
    }
    let mut cells = head_cells;
    let mut offsets = Vec::new();
    // The shape placed last: the frame that holds it, and its first cell.
    let mut shape: Option<(u64, u64)> = None;
    for frame in frames {
        let blank = parts.saturating_sub(frame.parts);
        let mut place = |name: &str, blank: u64| {
            let rows = rows_of(kind, name, frame.rows, frame.parts);
            let column = columns.entry(name.to_owned()).or_default();
            match frame.arrays.get(name) {
                Some((_, since)) => column.place(*since, rows, blank),
                // These rows are in no file.
                None => {
                    column.rows += rows;
                    column.rows - rows
                }
            }
        };
        let arrays = of_arrays.iter_mut();
        if frame.rows == 0 {
            offsets.push(Offsets::default());
            arrays.for_each(|(_, of_frames)| of_frames.push(0));
            continue;
        }
        arrays.for_each(|(name, of_frames)| of_frames.push(place(name, 0)));
        let part = place("NumberOfPoints", blank);
        place("NumberOfCells", blank);
        place("Offsets", blank);
        let since = frame.arrays.get(SHAPE[0]).map_or(frame.step, |a| a.1);
        let cell = match shape {
            Some((of, cell)) if of == since => cell,
            _ => {
                cells += frame.rows;
                cells - frame.rows
            }
        };
        shape = Some((since, cell));
        offsets.push(Offsets {
            part,
            point: place("Points", 0),
            cell,
            connectivity: place("Connectivity", 0),
        });
    }
    let all_parts = columns.get(SHAPE[0]).map_or(0, |column| column.rows);
    Contents {
        columns,
        offsets,
        of_arrays,
        parts,
        all_parts,
        spare,
    }
}

/// Writes the table of these frames, in place of a former one. On one rank.
pub(super) fn write(
    path: &Path,
    kind: Kind,
    space: &Space,
    frames: &[Listed],
) -> Result<(), String> {
    let temporary = temporary(path);
    let written = write_as(&temporary, kind, space, frames).map_err(|e| e.to_string());
    let written = written.and_then(|()| publish(&temporary, path).map_err(|e| e.to_string()));
    if written.is_err() {
        // The file may not exist. The error that is returned is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn write_as(path: &Path, kind: Kind, space: &Space, frames: &[Listed]) -> hdf5::Result<()> {
    let contents = contents(kind, frames);
    let mut builder = File::with_options();
    builder
        .fapl()
        .libver_bounds(LibraryVersion::V110, LibraryVersion::V110);
    let file = builder.create(path)?;
    head(&file, &contents, space, frames)?;
    let root = file.create_group("VTKHDF")?;
    root.new_attr::<i64>()
        .shape(2)
        .create("Version")?
        .write_raw(&[2i64, 0])?;
    let polydata = FixedAscii::<8>::from_ascii("PolyData").map_err(|e| e.to_string())?;
    root.new_attr::<FixedAscii<8>>()
        .create("Type")?
        .write_scalar(&polydata)?;
    steps(&root, kind, &contents, frames)?;

    let own = root.create_group(TOPOLOGIES[topology(kind)])?;
    root.create_group(kind.group())?;
    for (name, column) in &contents.columns {
        let (group, spare) = match name.as_str() {
            "NumberOfCells" => (&own, contents.spare),
            "Connectivity" | "Offsets" => (&own, None),
            _ => (&root, None),
        };
        virtual_dataset(group, name, kind, column, spare)?;
    }
    // No two cells share a point.
    let ids = format!("{}/NumberOfConnectivityIds", TOPOLOGIES[topology(kind)]);
    root.link_hard("NumberOfPoints", &ids)?;
    // The arrays of the other topologies are empty, and equal.
    let mut others = (0..TOPOLOGIES.len()).filter(|k| *k != topology(kind));
    let first = TOPOLOGIES[others.next().unwrap_or_default()];
    let empty = root.create_group(first)?;
    zeros(&empty, "NumberOfCells", contents.all_parts)?;
    zeros(&empty, "NumberOfConnectivityIds", contents.all_parts)?;
    zeros(&empty, "Offsets", contents.all_parts)?;
    zeros(&empty, "Connectivity", 0)?;
    others.try_for_each(|other| root.link_hard(first, TOPOLOGIES[other]))?;
    file.close()
}

/// Data that the format itself does not define.
fn head(file: &File, contents: &Contents, space: &Space, frames: &[Listed]) -> hdf5::Result<()> {
    let group = file.create_group("moreau")?;
    let steps: Vec<i64> = frames.iter().map(|frame| frame.step as i64).collect();
    numbers(&group, "step", &steps)?;
    let rows: Vec<i64> = frames.iter().map(|frame| frame.rows as i64).collect();
    numbers(&group, "rows", &rows)?;
    for (name, corner) in [("lower", space.lower), ("upper", space.upper)] {
        let attribute = group.new_attr::<f64>().shape(3).create(name)?;
        attribute.write_raw(corner.as_slice())?;
    }
    let periodic = space.periodic.map(u8::from);
    let attribute = group.new_attr::<u8>().shape(3).create("periodic")?;
    attribute.write_raw(&periodic[..])?;
    let domains: Vec<f64> = frames.iter().flat_map(|frame| frame.domain).collect();
    let each = group
        .new_dataset::<f64>()
        .shape([frames.len(), DOMAIN.len()]);
    each.create("domain")?.write_raw(&domains)?;
    if contents.spare.is_some() {
        numbers(&group, "one", &[1])?;
    }
    Ok(())
}

/// The group `Steps`.
fn steps(root: &Group, kind: Kind, contents: &Contents, frames: &[Listed]) -> hdf5::Result<()> {
    let steps = root.create_group("Steps")?;
    let count = frames.len() as i64;
    steps
        .new_attr::<i64>()
        .create("NSteps")?
        .write_scalar(&count)?;
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    steps
        .new_dataset::<f64>()
        .shape(times.len())
        .create("Values")?
        .write_raw(&times)?;
    let of = |get: fn(&Offsets) -> u64| -> Vec<i64> {
        contents.offsets.iter().map(|o| get(o) as i64).collect()
    };
    numbers(&steps, "PartOffsets", &of(|o| o.part))?;
    numbers(
        &steps,
        "NumberOfParts",
        &vec![contents.parts as i64; frames.len()],
    )?;
    numbers(&steps, "PointOffsets", &of(|o| o.point))?;
    for (name, values) in [
        ("CellOffsets", of(|o| o.cell)),
        ("ConnectivityIdOffsets", of(|o| o.connectivity)),
    ] {
        // A column for each topology.
        let mut table = vec![0i64; values.len() * TOPOLOGIES.len()];
        let rows = table.chunks_exact_mut(TOPOLOGIES.len());
        for (row, value) in rows.zip(values) {
            row[topology(kind)] = value;
        }
        steps
            .new_dataset::<i64>()
            .shape([frames.len(), TOPOLOGIES.len()])
            .create(name)?
            .write_raw(&table)?;
    }
    let group = format!("{}Offsets", kind.group());
    let group = steps.create_group(&group)?;
    for (name, of_frames) in &contents.of_arrays {
        let name = name.rsplit('/').next().unwrap_or(name);
        let of_frames: Vec<i64> = of_frames.iter().map(|&at| at as i64).collect();
        numbers(&group, name, &of_frames)?;
    }
    Ok(())
}

fn numbers(group: &Group, name: &str, values: &[i64]) -> hdf5::Result<()> {
    let dataset = group.new_dataset::<i64>().shape(values.len());
    dataset.create(name)?.write_raw(values)
}

/// Rows of zeros, which take no space on the disk.
fn zeros(group: &Group, name: &str, rows: u64) -> hdf5::Result<()> {
    let chunk = rows.clamp(1, 1024) as usize;
    let dataset = group.new_dataset::<i64>().chunk(chunk);
    dataset.shape(rows as usize).create(name)?;
    Ok(())
}

/// An array that joins those of the frames.
///
/// Rows that no frame holds are zero, or NaN in arrays of real numbers.
fn virtual_dataset(
    group: &Group,
    name: &str,
    kind: Kind,
    column: &Column,
    spare: Option<u64>,
) -> hdf5::Result<()> {
    let Some(form) = &column.form else {
        return Ok(());
    };
    let shape = |rows: u64| match form.width {
        1 => vec![rows as usize],
        width => vec![rows as usize, width],
    };
    let rows = |range: Range<u64>| {
        let mut slices = vec![SliceOrIndex::from(range.start as usize..range.end as usize)];
        if form.width > 1 {
            slices.push(SliceOrIndex::from(0..form.width));
        }
        Selection::from(Hyperslab::from(slices))
    };
    let mut builder = group.new_dataset_builder();
    match form.element {
        Element::F32 => builder = builder.fill_value(f32::NAN),
        Element::F64 => builder = builder.fill_value(f64::NAN),
        _ => {}
    }
    let all = column.rows;
    for &(at, since, length) in &column.pieces {
        builder = builder.virtual_map(
            folder::name(kind, since),
            name,
            shape(length),
            rows(0..length),
            shape(all),
            rows(at..at + length),
        );
    }
    if let Some(at) = spare {
        builder = builder.virtual_map(
            ".",
            "moreau/one",
            shape(1),
            rows(0..1),
            shape(all),
            rows(at..at + 1),
        );
    }
    let dataset = builder
        .empty_as(&form.element.descriptor())
        .shape(shape(all))
        .create(name)?;
    if !form.description.is_empty() {
        for (name, text) in [("unit", &form.unit), ("description", &form.description)] {
            write_text(&dataset, name, text)?;
        }
    }
    Ok(())
}
