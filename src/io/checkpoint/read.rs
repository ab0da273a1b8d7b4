//! Reads a checkpoint on any number of ranks, and checks its whole content.

use super::layout::{Column, Layout, Record, assemble};
use super::numbered::{NumberedFlow, NumberedWall};
use super::{CELL, Counts, Error, FORMAT, FORMAT_VERSION, JUDGED, Loaded, OLDEST_VERSION};
use super::{WEAR_SINCE, attribute, folder, hash};
use crate::body::{Anchor, BodyId, BodyRow, CellState};
use crate::comm::{Comm, agree};
use crate::contact::ContactRow;
use crate::io::Header;
use crate::io::hdf::{Reader, read_rows};
use crate::io::order::{Keyed, decode, runs};
use crate::law::Status;
use crate::measure::{Ledger, WearRow};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Reads a checkpoint. Collective, and all ranks get the same error.
///
/// Each rank gets an equal share of the bodies, in the order of ids, and the contacts whose body
/// `a` is among them.
///
/// # Errors
/// Names the file, the dataset, the fault, and the accepted values.
pub fn read(comm: &dyn Comm, path: &Path) -> Result<Loaded, Error> {
    let loaded = read_parts(comm, path).map_err(|fault| told(path, &fault))?;
    let step = loaded.header.step;
    match folder::step_of(path) {
        // Later code goes by names, to find the newest and those to remove.
        Some(named) if named != step => {
            let fault = format!("step: must be {named}, as in the name of the file; found {step}");
            Err(told(path, &fault))
        }
        _ => Ok(loaded),
    }
}

/// Reads the newest valid checkpoint of a folder. Collective.
///
/// It returns the path, the content, and the checkpoints that were skipped, each with the reason.
///
/// # Errors
/// If the folder holds no valid checkpoint.
pub fn read_newest(comm: &dyn Comm, dir: &Path) -> Result<Found, Error> {
    // The list of one rank serves all: on a network's file system two ranks may see different
    // files.
    let listed = agree(
        comm,
        if comm.rank() == 0 {
            folder::newest(dir)
        } else {
            Ok(Vec::new())
        },
    )?;
    let steps: Vec<u64> = listed
        .iter()
        .filter_map(|path| folder::step_of(path))
        .collect();
    let steps: Vec<u64> = decode(
        comm.all_gather(bytemuck::cast_slice(&steps))
            .into_iter()
            .enumerate(),
    );
    let mut skipped = Vec::new();
    for step in steps {
        let path = dir.join(folder::name(step));
        match read(comm, &path) {
            Ok(loaded) => return Ok((path, loaded, skipped)),
            Err(error) => skipped.push((path, error.to_string())),
        }
    }
    let reasons: String = skipped
        .iter()
        .map(|(_, reason)| format!("\n  {reason}"))
        .collect();
    let what = if skipped.is_empty() {
        "holds no checkpoint (checkpoint-*.h5)"
    } else {
        "none of its checkpoints is valid:"
    };
    Err(Error::Read(format!("{}: {what}{reasons}", dir.display())))
}

/// A checkpoint's path, its content, and the newer ones that could not be read, with the reasons.
pub type Found = (PathBuf, Loaded, Vec<(PathBuf, String)>);

/// The header of a checkpoint and its numbers of rows. On one rank; datasets are checked but not
/// read.
///
/// # Errors
/// Names the file, the dataset, the fault, and the accepted values.
pub fn header(path: &Path) -> Result<(Header, Counts), Error> {
    let opened = Opened::new(path).map_err(|fault| told(path, &fault))?;
    Ok((opened.header, opened.counts))
}

fn told(path: &Path, fault: &str) -> Error {
    Error::Read(format!("checkpoint {}: {fault}", path.display()))
}

/// An open checkpoint whose header has been read and whose datasets have the right form.
struct Opened {
    file: Reader,
    header: Header,
    counts: Counts,
    content_hash: String,
    layout: Layout,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, String> {
        let file = Reader::open(path)?;
        let format = file
            .text("format")
            .map_err(|e| format!("must be a checkpoint of this program: {e}"))?;
        if format != FORMAT {
            return Err(format!("format: must be `{FORMAT}`; found `{format}`"));
        }
        let version: u32 = file.number("format_version")?;
        if !(OLDEST_VERSION..=FORMAT_VERSION).contains(&version) {
            let writer = file
                .text("moreau_version")
                .unwrap_or_else(|_| "of unknown version".into());
            return Err(format!(
                "format version: must be from {OLDEST_VERSION} to {FORMAT_VERSION} (moreau {}); found {version}, written by moreau {writer}",
                env!("CARGO_PKG_VERSION")
            ));
        }
        let mut energies = [0.0; Ledger::NAMES.len()];
        let known = Ledger::NAMES.iter().take(hash::energies_of(version));
        for (value, name) in energies.iter_mut().zip(known) {
            *value = file.number(&attribute(name))?;
        }
        let header = Header {
            step: file.number("step")?,
            time: file.number("time")?,
            dt: file.number("dt")?,
            seed: file.number("seed")?,
            config: file.text("config")?,
            provenance: file.text("provenance")?,
            ranks: file.number("ranks")?,
            capped_steps: file.number("capped_steps")?,
            rushed_steps: file.number("rushed_steps")?,
            deleted: file.number("deleted")?,
            next_id: file.number("next_id")?,
            plastic: match version >= hash::PLASTIC {
                true => file.number("plastic_collisions")?,
                false => 0,
            },
            judged: match file.has(JUDGED) {
                true => Some(file.number::<u64>(JUDGED)? != 0),
                false => None,
            },
            ledger: Ledger::from_array(energies),
            cell: cell(&file)?,
            wear_since: match file.has(WEAR_SINCE) {
                true => Some(file.number(WEAR_SINCE)?),
                false => None,
            },
        };
        let named = Ledger::NAMES.map(attribute);
        let energies = named.iter().map(String::as_str).zip(energies);
        let since = header.wear_since.map(|since| (WEAR_SINCE, since));
        for (name, value) in [("time", header.time), ("dt", header.dt)]
            .into_iter()
            .chain(since)
            .chain(energies)
        {
            if !value.is_finite() {
                return Err(format!(
                    "attribute `{name}`: must be a finite number; found {value}"
                ));
            }
        }
        if let Some(since) = header.wear_since.filter(|since| *since > header.time) {
            return Err(format!(
                "attribute `{WEAR_SINCE}`: must be at most the time, {}; found {since}",
                header.time
            ));
        }
        let shapes = BodyRow::OF_CLUMPS[0].path.trim_start_matches('/');
        let layout = Layout {
            version,
            clumps: file.holds(shapes),
            supports: file.holds(Anchor::GROUP.trim_start_matches('/')),
            wear: header.wear_since.is_some(),
        };
        let counts = Counts {
            bodies: rows_of::<BodyRow>(&file, layout)?,
            contacts: rows_of::<ContactRow>(&file, layout)?,
            walls: rows_of::<NumberedWall>(&file, layout)?,
            flows: rows_of::<NumberedFlow>(&file, layout)?,
            anchors: rows_of::<Anchor>(&file, layout)?,
            wear: rows_of::<WearRow>(&file, layout)?,
        };
        let content_hash = file.text("content_hash")?;
        Ok(Self {
            file,
            header,
            counts,
            content_hash,
            layout,
        })
    }

    /// Reads some rows of a group, and their hash for each dataset.
    fn rows<R: Record>(&self, total: u64, rows: Range<u64>) -> Result<(Vec<R>, Vec<i64>), String> {
        let mut hashes = Vec::new();
        let slab = assemble(self.layout, rows.clone(), |column: &Column<R>| {
            let table = column.table_of(self.layout.version, total);
            let bytes = self.file.read(&table, rows.clone())?;
            hashes.push(hash::of_rows(rows.start, table.row_bytes(), &bytes) as i64);
            Ok(bytes)
        })?;
        Ok((slab, hashes))
    }

    /// Compares the hashes of all datasets, and of the whole, with those in the file.
    fn verify(&self, hashes: &[i64]) -> Result<(), String> {
        let counts = self.counts;
        let layout = self.layout;
        let datasets: Vec<(&str, u64, u64)> = paths::<BodyRow>(layout, counts.bodies)
            .chain(paths::<ContactRow>(layout, counts.contacts))
            .chain(paths::<NumberedWall>(layout, counts.walls))
            .chain(paths::<NumberedFlow>(layout, counts.flows))
            .chain(paths::<Anchor>(layout, counts.anchors))
            .chain(paths::<WearRow>(layout, counts.wear))
            .zip(hashes)
            .map(|((path, rows), &hash)| (path, rows, hash as u64))
            .collect();
        for &(path, _, hash) in &datasets {
            let (found, expected) = (
                hash::to_text(hash),
                self.file.text_of(path, "content_hash")?,
            );
            if found != expected {
                return Err(format!(
                    "{path}: content changed since it was written: its hash must be {expected}; found {found}"
                ));
            }
        }
        let found = hash::of_content(layout.version, &self.header, datasets.into_iter());
        let found = hash::to_text(found);
        if found != self.content_hash {
            let expected = &self.content_hash;
            return Err(format!(
                "attributes: content changed since it was written: its hash must be {expected}; found {found}"
            ));
        }
        Ok(())
    }
}

fn paths<R: Record>(layout: Layout, rows: u64) -> impl Iterator<Item = (&'static str, u64)> {
    let columns = R::columns(layout).into_iter();
    columns.map(move |column| (column.path, rows))
}

/// The number of rows of a group, after a check of the forms of all its datasets.
fn rows_of<R: Record>(file: &Reader, layout: Layout) -> Result<u64, String> {
    if !R::is_in(layout) {
        return Ok(0);
    }
    let rows = file.rows(R::COLUMNS[0].path)?;
    R::columns(layout)
        .iter()
        .try_for_each(|column| file.check(&column.table_of(layout.version, rows)))?;
    Ok(rows)
}

fn read_parts(comm: &dyn Comm, path: &Path) -> Result<Loaded, String> {
    let (rank, size) = (comm.rank(), comm.size());
    let opened = agree(comm, Opened::new(path))?;
    let counts = opened.counts;
    let (own_bodies, own_contacts) = (
        read_rows(counts.bodies, rank, size),
        read_rows(counts.contacts, rank, size),
    );

    let bodies = opened.rows::<BodyRow>(counts.bodies, own_bodies.clone());
    let contacts = opened.rows::<ContactRow>(counts.contacts, own_contacts.clone());
    let walls = opened.rows::<NumberedWall>(counts.walls, 0..counts.walls);
    let flows = opened.rows::<NumberedFlow>(counts.flows, 0..counts.flows);
    let anchors = opened.rows::<Anchor>(counts.anchors, 0..counts.anchors);
    let own_wear = read_rows(counts.wear, rank, size);
    let wear = opened.rows::<WearRow>(counts.wear, own_wear.clone());
    let parts = bodies.and_then(|bodies| {
        let few = (walls?, flows?, anchors?);
        Ok((bodies, contacts?, few, wear?))
    });
    let (bodies, contacts, (walls, flows, anchors), wear) = agree(comm, parts)?;
    let ((bodies, mut hashes), (contacts, contact_hashes)) = (bodies, contacts);
    let ((walls, wall_hashes), (flows, flow_hashes)) = (walls, flows);
    let ((anchors, anchor_hashes), (wear, wear_hashes)) = (anchors, wear);
    hashes.extend(contact_hashes);
    // Every rank has read all walls, flows and supports; they count once.
    let once = |hash: &i64| if rank == 0 { *hash } else { 0 };
    hashes.extend(
        (wall_hashes.iter().chain(&flow_hashes))
            .chain(&anchor_hashes)
            .map(once),
    );
    hashes.extend(wear_hashes);
    comm.sum_i64(&mut hashes);
    agree(comm, opened.verify(&hashes))?;

    ascending(comm, "/bodies/id", own_bodies.start, &bodies)?;
    ascending(comm, "/contacts/body", own_contacts.start, &contacts)?;
    ascending(comm, "/wear/triangle", own_wear.start, &wear)?;
    agree(comm, ids_are_of_their_kind(&bodies, &contacts, &walls))?;
    agree(comm, are_new(opened.header.next_id, &bodies))?;
    let numbered = flows.iter().zip(0..).all(|(flow, n)| flow.number == n);
    if !numbered {
        return Err("/flows/number: must be 0, 1, 2 and so on".to_owned());
    }
    if !anchors.windows(2).all(|two| two[0].key() < two[1].key()) {
        return Err("/supports/body: must ascend, and in each body /supports/support".to_owned());
    }
    let contacts = to_their_bodies(comm, &bodies, &contacts)?;
    let walls = walls.into_iter().map(|numbered| numbered.wall).collect();
    let flows = flows.into_iter().map(|numbered| numbered.flow).collect();
    Ok(Loaded {
        flows,
        header: opened.header,
        bodies,
        contacts,
        walls,
        anchors,
        wear,
    })
}

/// The periodic cell of a file, if it deforms.
fn cell(file: &Reader) -> Result<Option<CellState>, String> {
    if !file.has(CELL[0]) {
        return Ok(None);
    }
    let mut numbers = [0.0; CellState::NUMBERS];
    for (number, name) in numbers.iter_mut().zip(CELL) {
        *number = file.number::<f64>(name)?;
        if !number.is_finite() {
            let fault = format!("attribute `{name}`: must be a finite number; found {number}");
            return Err(fault);
        }
    }
    Ok(Some(CellState::from_array(numbers)))
}

/// Checks that keys ascend, within this rank's rows and from the rank before.
fn ascending<R: Keyed + Record>(
    comm: &dyn Comm,
    path: &str,
    first: u64,
    rows: &[R],
) -> Result<(), String> {
    let last: Vec<R::Key> = rows.last().map(R::key).into_iter().collect();
    let lasts = comm.all_gather(bytemuck::cast_slice(&last));
    let mut before = lasts[..comm.rank()]
        .iter()
        .rev()
        .find(|bytes| !bytes.is_empty())
        .map(|b| bytemuck::pod_read_unaligned(b));
    let mut result = Ok(());
    for (k, row) in rows.iter().enumerate() {
        if before.is_some_and(|before| before >= row.key()) {
            let row_number = first + k as u64;
            result = Err(format!(
                "{path}: row {row_number}: must come after the row before it; found {}",
                row.name()
            ));
            break;
        }
        before = Some(row.key());
    }
    agree(comm, result)
}

/// Checks that the ids of bodies are below `next_id`, the id of the next body that enters.
fn are_new(next_id: u64, bodies: &[BodyRow]) -> Result<(), String> {
    match bodies.iter().find(|body| body.id.0 >= next_id) {
        Some(body) => Err(format!(
            "attribute `next_id`: must be greater than the id of body {}; found {next_id}",
            body.id
        )),
        None => Ok(()),
    }
}

/// Checks ids: bodies below those of walls, walls in order, contacts of a body and a later body or
/// wall.
fn ids_are_of_their_kind(
    bodies: &[BodyRow],
    contacts: &[ContactRow],
    walls: &[NumberedWall],
) -> Result<(), String> {
    if let Some(body) = bodies.iter().find(|body| body.id >= BodyId::FIRST_WALL) {
        return Err(format!(
            "/bodies/id: must be below 2^63, the first id of a wall; found {}",
            body.id.0
        ));
    }
    for (index, wall) in walls.iter().enumerate() {
        let expected = BodyId::wall(index).0;
        if wall.id != expected {
            return Err(format!(
                "/walls/id: row {index}: must be {expected}; found {}",
                wall.id
            ));
        }
    }
    for contact in contacts {
        let (a, b) = (contact.key.a, contact.key.b);
        let known = b.wall_index().is_none_or(|wall| wall < walls.len());
        if a >= b || a >= BodyId::FIRST_WALL || !known {
            return Err(format!(
                "/contacts/body: must be a body and, after it, a body or a wall; found {}",
                contact.name()
            ));
        }
        if contact.status > Status::Sliding as u64 {
            return Err(format!(
                "/contacts/status: must be 0, 1 or 2; found {} of {}",
                contact.status,
                contact.name()
            ));
        }
    }
    Ok(())
}

/// Sends contacts, which come in the order of keys, to the ranks that hold their first bodies.
fn to_their_bodies(
    comm: &dyn Comm,
    bodies: &[BodyRow],
    contacts: &[ContactRow],
) -> Result<Vec<ContactRow>, String> {
    let first: Vec<BodyId> = bodies.first().map(|body| body.id).into_iter().collect();
    let firsts = comm.all_gather(bytemuck::cast_slice(&first));
    let starts: Vec<(usize, BodyId)> = (0..)
        .zip(&firsts)
        .filter(|(_, b)| !b.is_empty())
        .map(|(rank, bytes)| (rank, bytemuck::pod_read_unaligned(bytes)))
        .collect();
    let messages = runs(contacts, |contact| {
        let after = starts.partition_point(|(_, start)| *start <= contact.key.a);
        starts
            .get(after.saturating_sub(1))
            .map_or(0, |(rank, _)| *rank)
    });
    let contacts: Vec<ContactRow> = decode(comm.exchange(messages));
    let stray = contacts.iter().find(|contact| {
        bodies
            .binary_search_by_key(&contact.key.a, |body| body.id)
            .is_err()
    });
    let fault = |contact: &ContactRow| {
        format!(
            "/contacts/body: {}: must be bodies in /bodies/id; found body {}",
            contact.name(),
            contact.key.a
        )
    };
    agree(comm, stray.map_or(Ok(()), |contact| Err(fault(contact))))?;
    Ok(contacts)
}
