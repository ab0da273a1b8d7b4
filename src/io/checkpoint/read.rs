//! Reads a checkpoint on any number of ranks, and takes nothing for granted.

use super::layout::{Column, Layout, Record, assemble};
use super::numbered::{NumberedFlow, NumberedWall};
use super::{Counts, Error, FORMAT, FORMAT_VERSION, Loaded, OLDEST_VERSION};
use super::{attribute, folder, hash};
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::contact::ContactRow;
use crate::io::Header;
use crate::io::hdf::{Reader, read_rows};
use crate::io::order::{Keyed, decode, runs};
use crate::law::Status;
use crate::measure::Ledger;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Reads a checkpoint: each rank gets an equal share of the bodies, in the order of ids, and the contacts whose body `a`
/// is among them. Collective, and all ranks get the same error.
///
/// # Errors
/// Names the file, the dataset, what is wrong, and what is expected.
pub fn read(comm: &dyn Comm, path: &Path) -> Result<Loaded, Error> {
    let loaded = read_parts(comm, path).map_err(|fault| told(path, &fault))?;
    let step = loaded.header.step;
    match folder::step_of(path) {
        // What follows goes by names: which is newest, which may go.
        Some(named) if named != step => {
            let fault = format!("its name says step {named}, it holds step {step}");
            Err(told(path, &fault))
        }
        _ => Ok(loaded),
    }
}

/// Reads the newest checkpoint of a folder that can be read: its path, what it holds, and those that were skipped, each
/// with the reason. Collective.
///
/// # Errors
/// If there is none.
pub fn read_newest(comm: &dyn Comm, dir: &Path) -> Result<Found, Error> {
    // The list of one rank goes for all: on a network's file system two may see different files.
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

/// A checkpoint's path, what it holds, and the newer ones that could not be read with the reasons.
pub type Found = (PathBuf, Loaded, Vec<(PathBuf, String)>);

/// What a checkpoint says of itself, and how much it holds. On one rank; datasets are looked at but not read.
///
/// # Errors
/// Names the file, the dataset, what is wrong, and what is expected.
pub fn header(path: &Path) -> Result<(Header, Counts), Error> {
    let opened = Opened::new(path).map_err(|fault| told(path, &fault))?;
    Ok((opened.header, opened.counts))
}

fn told(path: &Path, fault: &str) -> Error {
    Error::Read(format!("checkpoint {}: {fault}", path.display()))
}

/// An open checkpoint whose header has been read and whose datasets have the form they should have.
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
            .map_err(|e| format!("not a checkpoint of this program: {e}"))?;
        if format != FORMAT {
            return Err(format!("format `{format}`, expected `{FORMAT}`"));
        }
        let version: u32 = file.number("format_version")?;
        if !(OLDEST_VERSION..=FORMAT_VERSION).contains(&version) {
            let writer = file
                .text("moreau_version")
                .unwrap_or_else(|_| "of unknown version".into());
            return Err(format!(
                "format version {version}, written by moreau {writer}; this program (moreau {}) reads versions {OLDEST_VERSION} to {FORMAT_VERSION}",
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
            ledger: Ledger::from_array(energies),
        };
        let named = Ledger::NAMES.map(attribute);
        let energies = named.iter().map(String::as_str).zip(energies);
        for (name, value) in [("time", header.time), ("dt", header.dt)]
            .into_iter()
            .chain(energies)
        {
            if !value.is_finite() {
                return Err(format!(
                    "attribute `{name}`: {value}, expected a finite number"
                ));
            }
        }
        let shapes = BodyRow::OF_CLUMPS[0].path.trim_start_matches('/');
        let layout = Layout {
            version,
            clumps: file.holds(shapes),
        };
        let counts = Counts {
            bodies: rows_of::<BodyRow>(&file, layout)?,
            contacts: rows_of::<ContactRow>(&file, layout)?,
            walls: rows_of::<NumberedWall>(&file, layout)?,
            flows: rows_of::<NumberedFlow>(&file, layout)?,
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

    /// Compares the hashes of all datasets, and that of the whole, with those that were written.
    fn verify(&self, hashes: &[i64]) -> Result<(), String> {
        let counts = self.counts;
        let layout = self.layout;
        let datasets: Vec<(&str, u64, u64)> = paths::<BodyRow>(layout, counts.bodies)
            .chain(paths::<ContactRow>(layout, counts.contacts))
            .chain(paths::<NumberedWall>(layout, counts.walls))
            .chain(paths::<NumberedFlow>(layout, counts.flows))
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
                    "{path}: not what was written (hash {found}, expected {expected})"
                ));
            }
        }
        let found = hash::of_content(layout.version, &self.header, datasets.into_iter());
        let found = hash::to_text(found);
        if found != self.content_hash {
            let expected = &self.content_hash;
            return Err(format!(
                "attributes: not what was written (hash {found}, expected {expected})"
            ));
        }
        Ok(())
    }
}

fn paths<R: Record>(layout: Layout, rows: u64) -> impl Iterator<Item = (&'static str, u64)> {
    let columns = R::columns(layout).into_iter();
    columns.map(move |column| (column.path, rows))
}

/// The rows of a group, all of whose datasets have the form they should have.
fn rows_of<R: Record>(file: &Reader, layout: Layout) -> Result<u64, String> {
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
    let parts = bodies.and_then(|bodies| Ok((bodies, contacts?, walls?, flows?)));
    let (bodies, contacts, walls, flows) = agree(comm, parts)?;
    let ((bodies, mut hashes), (contacts, contact_hashes)) = (bodies, contacts);
    let ((walls, wall_hashes), (flows, flow_hashes)) = (walls, flows);
    hashes.extend(contact_hashes);
    // Every rank has read all walls and flows; they count once.
    let once = |hash: &i64| if rank == 0 { *hash } else { 0 };
    hashes.extend(wall_hashes.iter().chain(&flow_hashes).map(once));
    comm.sum_i64(&mut hashes);
    agree(comm, opened.verify(&hashes))?;

    ascending(comm, "/bodies/id", own_bodies.start, &bodies)?;
    ascending(comm, "/contacts/body", own_contacts.start, &contacts)?;
    agree(comm, ids_are_of_their_kind(&bodies, &contacts, &walls))?;
    agree(comm, are_new(opened.header.next_id, &bodies))?;
    let numbered = flows.iter().zip(0..).all(|(flow, n)| flow.number == n);
    if !numbered {
        return Err("/flows/number: expected 0, 1, 2 and so on".to_owned());
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
    })
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
                "{path}: row {row_number}: {} does not come after the row before it",
                row.name()
            ));
            break;
        }
        before = Some(row.key());
    }
    agree(comm, result)
}

/// Checks that no body has the id of one that is yet to come in.
fn are_new(next_id: u64, bodies: &[BodyRow]) -> Result<(), String> {
    match bodies.iter().find(|body| body.id.0 >= next_id) {
        Some(body) => Err(format!(
            "attribute `next_id`: {next_id}, expected more than the id of body {}",
            body.id
        )),
        None => Ok(()),
    }
}

/// Checks that bodies have ids of bodies, walls theirs, and that contacts are of a body and of a later body or a wall.
fn ids_are_of_their_kind(
    bodies: &[BodyRow],
    contacts: &[ContactRow],
    walls: &[NumberedWall],
) -> Result<(), String> {
    if let Some(body) = bodies.iter().find(|body| body.id >= BodyId::FIRST_WALL) {
        return Err(format!("/bodies/id: {} is the id of a wall", body.id.0));
    }
    for (index, wall) in walls.iter().enumerate() {
        let expected = BodyId::wall(index).0;
        if wall.id != expected {
            return Err(format!(
                "/walls/id: row {index}: {}, expected {expected}",
                wall.id
            ));
        }
    }
    for contact in contacts {
        let (a, b) = (contact.key.a, contact.key.b);
        let known = b.wall_index().is_none_or(|wall| wall < walls.len());
        if a >= b || a >= BodyId::FIRST_WALL || !known {
            return Err(format!(
                "/contacts/body: {}: expected a body and, after it, a body or a wall",
                contact.name()
            ));
        }
        if contact.status > Status::Sliding as u64 {
            return Err(format!(
                "/contacts/status: {} of {}, expected 0, 1 or 2",
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
            "/contacts/body: {}: /bodies/id has no body {}",
            contact.name(),
            contact.key.a
        )
    };
    agree(comm, stray.map_or(Ok(()), |contact| Err(fault(contact))))?;
    Ok(contacts)
}
