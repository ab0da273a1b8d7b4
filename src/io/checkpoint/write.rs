//! Writes a checkpoint under a temporary name, and renames it once it is wholly on the disk.

use super::layout::{Layout, Record};
use super::numbered::{NumberedFlow, NumberedWall, numbered, numbered_flows};
use super::{CELL, Error, FORMAT, FORMAT_VERSION, JUDGED, WEAR_SINCE, attribute, folder, hash};
use crate::body::{Anchor, BodyRow};
use crate::comm::{Comm, agree};
use crate::contact::ContactRow;
use crate::io::hdf::{Writer, written_rows};
use crate::io::{Header, Snapshot, order, whole};
use crate::measure::{Ledger, WearRow};
use std::path::{Path, PathBuf};

/// Writes the state of a run to a new file in the folder, and returns its path. Collective.
///
/// The file exists complete or not at all; other checkpoints of the folder are unchanged.
///
/// The attribute `ranks` is the number of ranks that write, not that of the header.
///
/// # Errors
/// If the file cannot be written, or the state cannot be stored: numbers that are not finite or do
/// not fit the format, or two equal ids.
pub fn write(comm: &dyn Comm, dir: &Path, snapshot: &Snapshot) -> Result<PathBuf, Error> {
    let path = dir.join(folder::name(snapshot.header.step));
    let temporary = whole::temporary(&path);
    let written = write_as(comm, &temporary, snapshot).and_then(|()| {
        let published = if comm.rank() == 0 {
            whole::publish(&temporary, &path)
        } else {
            Ok(())
        };
        agree(comm, published.map_err(|e| e.to_string()))
    });
    match written {
        Ok(()) => Ok(path),
        Err(fault) => {
            if comm.rank() == 0 {
                // The file may not exist. The error that is returned is the first one.
                let _ = std::fs::remove_file(&temporary);
            }
            Err(Error::Write(format!(
                "checkpoint {}: {fault}",
                path.display()
            )))
        }
    }
}

fn write_as(comm: &dyn Comm, path: &Path, snapshot: &Snapshot) -> Result<(), String> {
    let share = |rows, rank| written_rows(rows, rank, comm.size());
    let body_count = comm.sum_count(snapshot.bodies.len());
    let contact_count = comm.sum_count(snapshot.contacts.len());
    let walls = numbered(&snapshot.walls);
    let wall_count = walls.len() as u64;
    let own_walls = share(wall_count, comm.rank());
    let flows = numbered_flows(&snapshot.flows);
    let flow_count = flows.len() as u64;
    let own_flows = share(flow_count, comm.rank());

    let anchor_count = snapshot.anchors.len() as u64;
    let own_anchors = share(anchor_count, comm.rank());
    let wear_count = comm.sum_count(snapshot.wear.len());

    let clumps = snapshot.bodies.iter().filter(|row| row.shape != 0).count();
    let layout = Layout {
        version: FORMAT_VERSION,
        clumps: comm.sum_count(clumps) > 0,
        supports: !snapshot.anchors.is_empty(),
        wear: snapshot.header.wear_since.is_some(),
    };
    let size = file_bytes::<BodyRow>(layout, body_count)
        + file_bytes::<ContactRow>(layout, contact_count)
        + file_bytes::<NumberedWall>(layout, wall_count)
        + file_bytes::<NumberedFlow>(layout, flow_count)
        + file_bytes::<Anchor>(layout, anchor_count)
        + file_bytes::<WearRow>(layout, wear_count)
        + 2 * (snapshot.header.config.len() + snapshot.header.provenance.len()) as u64;
    let mut file = Contents {
        comm,
        file: Writer::create(comm, path, size)?,
        datasets: Vec::new(),
        layout,
    };
    // One after the other, so that the two need not be in the memory at once.
    let (bodies, _) = order::in_order(comm, &snapshot.bodies, share, Record::name)?;
    file.group(&bodies, body_count)?;
    drop(bodies);
    let (contacts, _) = order::in_order(comm, &snapshot.contacts, share, Record::name)?;
    file.group(&contacts, contact_count)?;
    drop(contacts);
    file.group::<NumberedWall>(
        &walls[own_walls.start as usize..own_walls.end as usize],
        wall_count,
    )?;
    file.group::<NumberedFlow>(
        &flows[own_flows.start as usize..own_flows.end as usize],
        flow_count,
    )?;
    if layout.supports {
        let own = own_anchors.start as usize..own_anchors.end as usize;
        file.group(&snapshot.anchors[own], anchor_count)?;
    }
    if layout.wear {
        let (wear, _) = order::in_order(comm, &snapshot.wear, share, Record::name)?;
        file.group(&wear, wear_count)?;
    }
    file.header(&snapshot.header)?;
    file.file.close()?;
    if cfg!(debug_assertions) && comm.rank() == 0 {
        let written = std::fs::metadata(path).map_or(0, |m| m.len());
        assert!(
            written <= size,
            "space was reserved for {size} bytes; {written} were written"
        );
    }
    Ok(())
}

/// Bytes in the file of a group with this many rows.
fn file_bytes<R: Record>(layout: Layout, rows: u64) -> u64 {
    R::columns(layout)
        .iter()
        .map(|c| c.table(rows).file_bytes())
        .sum()
}

/// A file being written, and its datasets so far.
struct Contents<'c> {
    comm: &'c dyn Comm,
    file: Writer<'c>,
    /// Path, rows, and hash.
    datasets: Vec<(&'static str, u64, u64)>,
    layout: Layout,
}

impl Contents<'_> {
    /// Writes the datasets of a group, of which this rank writes the given rows.
    fn group<R: Record>(&mut self, rows: &[R], total: u64) -> Result<(), String> {
        let first = written_rows(total, self.comm.rank(), self.comm.size()).start;
        self.file.group(R::GROUP)?;
        for column in &R::columns(self.layout) {
            let table = column.table(total);
            let bytes = agree(self.comm, column.encode(rows))?;
            let mut hash = [hash::of_rows(first, table.row_bytes(), &bytes) as i64];
            self.comm.sum_i64(&mut hash);
            let hash = hash[0] as u64;
            let shown = hash::to_text(hash);
            let texts = [
                ("unit", column.unit),
                ("description", column.description),
                ("content_hash", &shown),
            ];
            self.file.dataset(&table, &texts, first, &bytes)?;
            self.datasets.push((column.path, total, hash));
        }
        Ok(())
    }

    /// Writes the attributes, which are equal on all ranks.
    fn header(&self, header: &Header) -> Result<(), String> {
        self.file.text("format", FORMAT)?;
        self.file.number("format_version", FORMAT_VERSION)?;
        self.file
            .text("moreau_version", env!("CARGO_PKG_VERSION"))?;
        self.file.number("step", header.step)?;
        self.file.number("time", header.time)?;
        self.file.number("dt", header.dt)?;
        self.file.number("seed", header.seed)?;
        self.file.text("config", &header.config)?;
        self.file.text("provenance", &header.provenance)?;
        self.file.number("ranks", self.comm.size() as u64)?;
        self.file.number("capped_steps", header.capped_steps)?;
        self.file.number("rushed_steps", header.rushed_steps)?;
        self.file.number("deleted", header.deleted)?;
        self.file.number("next_id", header.next_id)?;
        self.file.number("plastic_collisions", header.plastic)?;
        if let Some(judged) = header.judged {
            self.file.number(JUDGED, u64::from(judged))?;
        }
        if let Some(since) = header.wear_since {
            self.file.number(WEAR_SINCE, since)?;
        }
        for (name, value) in Ledger::NAMES.iter().zip(header.ledger.to_array()) {
            self.file.number(&attribute(name), value)?;
        }
        if let Some(cell) = &header.cell {
            for (name, number) in CELL.iter().zip(cell.to_array()) {
                self.file.number(name, number)?;
            }
        }
        let hash = hash::of_content(FORMAT_VERSION, header, self.datasets.iter().copied());
        self.file.text("content_hash", &hash::to_text(hash))
    }
}
