//! Frames over time in VTKHDF files for ParaView and VTK: bodies as points, contacts as lines, and
//! mesh walls as triangles.
//!
//! `OUT/bodies.vtkhdf`, `OUT/contacts.vtkhdf` and `OUT/surfaces.vtkhdf` are of the type PolyData,
//! version 2.0, temporal, with one part for each rank (VTK's File Formats, "VTKHDF File Format").
//! They are tables of contents and hold no data: each frame is a file of its own in `OUT/frames/`,
//! written by all ranks together, and the arrays of the tables are virtual datasets of HDF5 that
//! map the arrays of the frames. Each of these files is written under a temporary name and renamed
//! once it is on the disk.
//!
//! So the files of a killed run are valid up to the last frame without repair; a return to an
//! earlier step only leaves out later frames; and a frame costs the same at the end of a run as at
//! its start, except for the table. An array that equals that of the frame before is not written
//! again: its offset (`Steps/PointDataOffsets`) points to the earlier one.
//!
//! Bodies come in the order of ids, each ball of a clump as a point, contacts in the order of their
//! keys, as in checkpoints. So data that do not change in time keep their place, and only the sizes
//! of the parts and the array `rank` depend on the number of ranks.

mod arrays;
mod describe;
mod field;
mod folder;
mod frame;
mod gather;
mod index;
mod kind;
mod layout;
mod lines;
mod pack;
mod read;
mod settings;
mod still;
mod surfaces;
mod topology;

pub use field::Field;
pub use folder::{any, clear};
pub use kind::{Kind, Space};
pub use pack::pack;
pub use read::Movie;
pub use settings::{Precision, Settings};
pub use still::{Placed, Still, is_frame, stills};

use super::{Snapshot, whole};
use crate::body::Wall;
use crate::comm::{Comm, Failure, agree};
use crate::shape::Template;
use frame::{Around, Frame};
use layout::Listed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use surfaces::Meshes;

/// A failure to write or read frames: the file, and the fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Failure for Error {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self(String::from_bytes(bytes))
    }
}

fn told(path: &Path) -> impl Fn(String) -> Error + '_ {
    move |fault| Error(format!("{}: {fault}", path.display()))
}

/// Writes the frames of a run.
#[derive(Debug)]
pub struct Frames {
    out: PathBuf,
    settings: Settings,
    space: Space,
    templates: Vec<Template>,
    meshes: Meshes,
    films: Vec<Film>,
    /// The configuration that was written last, and the step of the frame that holds it.
    config: Option<(String, u64)>,
}

/// The frames of one kind.
#[derive(Debug)]
struct Film {
    kind: Kind,
    /// The frames in the table. On rank 0.
    listed: Vec<Listed>,
    /// The last step that has its frame or gets none, on all ranks.
    last: Option<u64>,
    /// The last write of each array: its hash on this rank, the rows of all ranks, and the step.
    seen: BTreeMap<String, (u64, u64, u64)>,
}

impl Frames {
    /// Begins the frames of a run, or continues them after a step. Collective.
    ///
    /// Frames of later steps, and incomplete files that a crash left, are removed. On rank 0 it
    /// returns a message for each damaged frame.
    ///
    /// # Errors
    /// If files cannot be read, written or removed.
    pub fn open(
        comm: &dyn Comm,
        out: &Path,
        settings: &Settings,
        (space, templates, walls): (Space, &[Template], &[Wall]),
        go_on: Option<u64>,
    ) -> Result<(Self, Vec<String>), Error> {
        let mut damaged = Vec::new();
        let mut films = Vec::new();
        for kind in Kind::ALL {
            let listed = match (go_on, comm.rank()) {
                (Some(step), 0) => keep_until((out, settings.xdmf), kind, &space, step),
                _ => Ok((Vec::new(), Vec::new())),
            };
            let (listed, faults) = agree(comm, listed)?;
            damaged.extend(faults);
            let last = listed.last().map(|frame| frame.step as i64);
            let mut last = [last.unwrap_or(-1)];
            comm.max_i64(&mut last);
            films.push(Film {
                kind,
                listed,
                last: u64::try_from(last[0]).ok(),
                seen: BTreeMap::new(),
            });
        }
        let mut settings = settings.clone();
        if !hdf5::filters::deflate_available() {
            settings.compression = 0;
        }
        let frames = Self {
            out: out.to_owned(),
            settings,
            space,
            templates: templates.to_vec(),
            meshes: Meshes::of(walls),
            films,
            config: None,
        };
        Ok((frames, damaged))
    }

    /// Whether the frames of this step exist already.
    #[must_use]
    pub fn has(&self, step: u64) -> bool {
        let mut wanted = self.films.iter().filter(|film| self.wants(film.kind));
        wanted.all(|film| film.last.is_some_and(|last| last >= step))
    }

    /// The step of the last frame of a kind.
    #[must_use]
    pub fn last(&self, kind: Kind) -> Option<u64> {
        let film = self.films.iter().find(|film| film.kind == kind);
        film.and_then(|film| film.last)
    }

    /// Whether frames have this kind.
    #[must_use]
    pub fn wants(&self, kind: Kind) -> bool {
        match kind {
            Kind::Bodies => true,
            Kind::Contacts => self.settings.contacts,
            Kind::Surfaces => self.settings.surfaces && !self.meshes.is_empty(),
        }
    }

    /// Lets the frames of the last step be written once more, as it goes on.
    pub fn renew(&mut self, step: u64) {
        for film in &mut self.films {
            if film.last == Some(step) {
                film.listed.retain(|frame| frame.step < step);
                film.seen.retain(|_, (.., since)| *since < step);
                film.last = step.checked_sub(1);
            }
        }
        self.config.take_if(|(_, since)| *since == step);
    }

    /// Gives the walls other motions, or the meshes of another configuration, from now on.
    pub fn set_walls(&mut self, walls: &[Wall]) {
        self.meshes = Meshes::of(walls);
    }

    /// Writes the frames of a step. Collective.
    ///
    /// # Errors
    /// If they cannot be written; earlier frames are unchanged.
    pub fn write(&mut self, comm: &dyn Comm, snapshot: &Snapshot) -> Result<(), Error> {
        let header = &snapshot.header;
        let (step, time) = (header.step, header.time);
        if let Some(cell) = &header.cell {
            self.space.upper = cell.upper;
            self.space.shear = cell.shear;
        }
        let folder = self.out.join(folder::FRAMES);
        let made = match comm.rank() {
            0 => super::whole::make_folder(&folder).map_err(|e| told(&folder)(e.to_string())),
            _ => Ok(()),
        };
        agree(comm, made)?;
        let bad = |e: String| Error(format!("frame of step {step}: {e}"));
        let ordered = gather::in_order(comm, snapshot, &self.templates).map_err(bad)?;
        let known = self.config.clone();
        let known = known.filter(|(text, _)| *text == header.config);
        let config = known.unwrap_or_else(|| (header.config.clone(), step));
        let wanted = Kind::ALL.map(|kind| self.wants(kind));
        for (film, wanted) in self.films.iter_mut().zip(wanted) {
            if !wanted || film.last.is_some_and(|last| last >= step) {
                continue;
            }
            let (rows, chunk) = match film.kind {
                Kind::Surfaces => self.meshes.rows(comm.size()),
                kind => ordered.rows(kind),
            };
            let arrays = match film.kind {
                Kind::Bodies => arrays::of_bodies(comm, &ordered, &self.settings, &self.templates),
                Kind::Contacts => {
                    let at = (&self.space, &self.templates[..]);
                    lines::of_contacts(comm, &ordered, header.dt, at, &self.settings)
                }
                Kind::Surfaces => self.meshes.arrays(comm, snapshot, &self.settings),
            };
            let mut arrays = agree(comm, arrays).map_err(bad)?;
            arrays.extend(topology::of_parts(comm, film.kind, rows, chunk));
            let frame = Frame {
                kind: film.kind,
                step,
                time,
                rows,
                parts: comm.size() as u64,
                domain: self.space.to_array(),
            };
            let around = (film.kind == Kind::Bodies && !config.0.is_empty()).then_some(Around {
                config: (&config.0, config.1),
                walls: &snapshot.walls,
            });
            film.add(
                comm,
                (&self.out, &self.space),
                frame,
                arrays,
                (around, &self.settings),
            )?;
            if film.kind == Kind::Bodies {
                self.config = Some(config.clone());
            }
        }
        Ok(())
    }
}

impl Film {
    /// Writes a frame, then the table of contents with it. Collective.
    fn add(
        &mut self,
        comm: &dyn Comm,
        (out, space): (&Path, &Space),
        frame: Frame,
        arrays: Vec<frame::Array>,
        (around, settings): (Option<Around>, &Settings),
    ) -> Result<(), Error> {
        let path = folder::frame(out, self.kind, frame.step);
        let hashes: Vec<u64> = arrays.iter().map(frame::Array::hash).collect();
        // An array that is unchanged on all ranks is not written again.
        let known = |array: &frame::Array, hash: u64| {
            let seen = self.seen.get(&array.path)?;
            (seen.0 == hash && seen.1 == array.rows).then_some(seen.2)
        };
        let each = arrays.iter().zip(&hashes);
        let mut changed: Vec<i64> = each
            .map(|(array, &hash)| i64::from(known(array, hash).is_none()))
            .collect();
        comm.max_i64(&mut changed);
        let since: Vec<u64> = arrays
            .iter()
            .zip(&changed)
            .map(|(array, &changed)| match self.seen.get(&array.path) {
                Some(seen) if changed == 0 => seen.2,
                _ => frame.step,
            })
            .collect();
        frame::write(
            comm,
            &path,
            &frame,
            &arrays,
            &since,
            (around, settings.compression),
        )
        .map_err(told(&path))?;

        let listed = Listed {
            step: frame.step,
            time: frame.time,
            rows: frame.rows,
            parts: frame.parts,
            domain: frame.domain,
            arrays: arrays
                .iter()
                .zip(&since)
                .map(|(array, &since)| (array.path.clone(), (array.form.clone(), since)))
                .collect(),
        };
        let table = folder::table(out, self.kind);
        let written = match comm.rank() {
            0 => {
                self.listed.push(listed);
                index::write(&table, self.kind, space, &self.listed).map_err(told(&table))
            }
            _ => Ok(()),
        };
        if let Err(fault) = agree(comm, written) {
            // A frame that is not in the table does not exist for readers.
            self.listed.pop();
            return Err(fault);
        }
        for ((array, hash), since) in arrays.into_iter().zip(hashes).zip(since) {
            self.seen.insert(array.path, (hash, array.rows, since));
        }
        self.last = Some(frame.step);
        let described = match comm.rank() == 0 && settings.xdmf {
            true => describe::write(out, self.kind, &self.listed),
            false => Ok(()),
        };
        let description = folder::description(out, self.kind);
        agree(
            comm,
            described.map_err(|e| told(&description)(e.to_string())),
        )
    }
}

/// The frames of a kind up to a step, and messages about damaged ones. On one rank.
///
/// All other frames are removed.
fn keep_until(
    (out, xdmf): (&Path, bool),
    kind: Kind,
    space: &Space,
    step: u64,
) -> Result<(Vec<Listed>, Vec<String>), Error> {
    let at = out.join(folder::FRAMES);
    let fault = |e: std::io::Error| told(&at)(e.to_string());
    let found = folder::frames(out, kind).map_err(fault)?;
    let table = folder::table(out, kind);
    let described = folder::description(out, kind).exists();
    if found.is_empty() && !table.exists() && !described {
        return Ok((Vec::new(), Vec::new()));
    }
    let (mut listed, mut damaged) = (Vec::<Listed>::new(), Vec::new());
    for &at in found.iter().filter(|at| **at <= step) {
        let path = folder::frame(out, kind, at);
        let held = |step: u64, name: &str| {
            let frame = listed.iter().rfind(|frame| frame.step == step)?;
            let (form, since) = frame.arrays.get(name)?;
            (*since == step).then(|| form.clone())
        };
        match frame::read(&path, kind, at, &held, space.to_array()) {
            Ok(frame) => listed.push(frame),
            Err(why) => damaged.push(format!("{}: {why}", path.display())),
        }
    }
    // The table comes first: it must never name a frame that is removed.
    match listed.is_empty() {
        true => folder::remove(&table).map_err(|e| told(&table)(e.to_string()))?,
        false => index::write(&table, kind, space, &listed).map_err(told(&table))?,
    }
    let description = folder::description(out, kind);
    let fault_of = |e: std::io::Error| told(&description)(e.to_string());
    // Also one of an earlier part of the run.
    let described = match listed.is_empty() {
        true => folder::remove(&description),
        false if xdmf || description.exists() => describe::write(out, kind, &listed),
        false => Ok(()),
    };
    described.map_err(fault_of)?;
    let later = found.iter().filter(|at| **at > step);
    let later = later.map(|&at| folder::frame(out, kind, at));
    for path in later.chain([&table, &description].map(|of| whole::temporary(of))) {
        folder::remove(&path).map_err(|e| told(&path)(e.to_string()))?;
    }
    folder::remove_cut_off(out, kind).map_err(fault)?;
    Ok((listed, damaged))
}
