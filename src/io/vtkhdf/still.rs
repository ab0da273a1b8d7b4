//! Reads one frame with its surroundings from the file of the frame.

use super::folder;
use super::frame::{self, CONFIG, CONFIG_SINCE, FORMAT, WALLS};
use super::kind::{DOMAIN, Kind, Space};
use super::layout::{Form, Listed};
use super::{Error, told};
use crate::io::hdf::Reader;
use hdf5::H5Type;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The place of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Displacement of its centre since time zero [m].
    pub displacement: [f64; 3],
    /// The quaternion of its rotation since time zero.
    pub orientation: [f64; 4],
}

/// A frame of bodies, and those of contacts and surfaces of the same step.
#[derive(Debug)]
pub struct Still {
    path: PathBuf,
    out: PathBuf,
    /// The configuration as run (TOML text).
    pub config: String,
    /// The walls by number.
    pub walls: Vec<Placed>,
    bodies: Listed,
    contacts: Option<Listed>,
    surfaces: Option<Listed>,
}

/// Whether a file says that it is a frame; of one that cannot be read its name decides.
#[must_use]
pub fn is_frame(path: &Path) -> bool {
    let format = Reader::open(path).and_then(|file| file.text("format"));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = |kind: Kind| name.starts_with(&format!("{}-", kind.name()));
    format.map_or_else(
        |_| Kind::ALL.into_iter().any(named),
        |format| format == FORMAT,
    )
}

/// The frames of bodies at a path, in the order of their steps.
///
/// The path is a table of contents, the folder of a run, or the folder `frames` in it.
///
/// # Errors
/// If a folder or the table cannot be read.
pub fn stills(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let kind = Kind::Bodies;
    if path.is_dir() {
        let listed = |out: &Path| {
            let steps = folder::frames(out, kind).map_err(|e| told(path)(e.to_string()))?;
            let paths = steps.iter().map(|&step| folder::frame(out, kind, step));
            Ok(paths.collect::<Vec<_>>())
        };
        let whole = std::fs::canonicalize(path).map_err(|e| told(path)(e.to_string()))?;
        let own = whole.file_name().is_some_and(|name| name == folder::FRAMES);
        return match (own, whole.parent()) {
            (true, Some(out)) => listed(out),
            _ => listed(path),
        };
    }
    let movie = super::Movie::open(path, kind)?;
    let out = path.parent().unwrap_or(Path::new(""));
    let paths = movie.steps.iter();
    let paths: Vec<PathBuf> = paths.map(|&step| folder::frame(out, kind, step)).collect();
    match paths.iter().all(|path| path.is_file()) {
        true => Ok(paths),
        // The table opens without them only if it holds the data itself.
        false => Err(told(path)(
            "must be the table of contents that a run writes, with its folder `frames`; found one \
             file made by convert, which has neither configuration nor walls"
                .to_owned(),
        )),
    }
}

impl Still {
    /// Reads the header of a frame of bodies, and of the contacts of its step if these have one.
    ///
    /// # Errors
    /// If the file is not a frame of bodies, is damaged, or lacks its surroundings.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::try_open(path).map_err(told(path))
    }

    fn try_open(path: &Path) -> Result<Self, String> {
        let file = Reader::open(path)?;
        let step: u64 = file.number("step")?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let others = [Kind::Contacts, Kind::Surfaces];
        if let Some(kind) = others
            .into_iter()
            .find(|kind| name.starts_with(kind.name()))
        {
            return Err(format!(
                "a frame of {0}; accepted: a frame of bodies (bodies-*.h5), which finds its {0} itself",
                kind.name()
            ));
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        // The folder above, by whatever name this one is given.
        let out = match std::fs::canonicalize(or_here(parent)) {
            Ok(whole) => whole.parent().map_or_else(PathBuf::new, Path::to_owned),
            Err(e) => return Err(format!("its folder cannot be read: {e}")),
        };
        let bodies = listed(path, &out, Kind::Bodies, step)?;
        if !file.has(CONFIG_SINCE) {
            return Err(
                "has neither configuration nor walls, as an earlier version wrote it; accepted: a \
                 checkpoint, or frames of this version"
                    .to_owned(),
            );
        }
        let since: u64 = file.number(CONFIG_SINCE)?;
        let config = match since == step {
            true => file.text(CONFIG)?,
            false => {
                let path = folder::frame(&out, Kind::Bodies, since);
                let other = Reader::open(&path).and_then(|file| file.text(CONFIG));
                let lacks = |e| format!("its configuration, in {}: {e}", path.display());
                other.map_err(lacks)?
            }
        };
        let rows = file.rows(WALLS[0].0)?;
        let [displacement, orientation] =
            WALLS.map(|(path, width, _, _)| file.numbers::<f64>(path, width, rows));
        let (displacement, orientation) = (displacement?, orientation?);
        if let Some(x) = displacement
            .iter()
            .chain(&orientation)
            .find(|x| !x.is_finite())
        {
            return Err(format!("walls: must have finite places; found {x}"));
        }
        let each = displacement
            .chunks_exact(3)
            .zip(orientation.chunks_exact(4));
        let walls = each.map(|(x, q)| Placed {
            displacement: [x[0], x[1], x[2]],
            orientation: [q[0], q[1], q[2], q[3]],
        });
        let other = |kind: Kind| -> Result<Option<Listed>, String> {
            let path = folder::frame(&out, kind, step);
            if !path.exists() {
                return Ok(None);
            }
            let fault = |e| format!("its {}, in {}: {e}", kind.name(), path.display());
            listed(&path, &out, kind, step).map(Some).map_err(fault)
        };
        let (contacts, surfaces) = (other(Kind::Contacts)?, other(Kind::Surfaces)?);
        Ok(Self {
            path: path.to_owned(),
            out,
            config,
            walls: walls.collect(),
            bodies,
            contacts,
            surfaces,
        })
    }

    /// The step.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.bodies.step
    }

    /// The time [s].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.bodies.time
    }

    /// The domain in this frame, where `space` is the one that the configuration begins with.
    ///
    /// # Errors
    /// If its numbers are not those of a domain.
    pub fn space(&self, space: &Space) -> Result<Space, Error> {
        let domain = self.bodies.domain;
        let fault =
            || told(&self.path)(format!("{}: must be a domain; found {domain:?}", DOMAIN[0]));
        space.with(domain).ok_or_else(fault)
    }

    /// Whether there is a frame of this kind.
    #[must_use]
    pub fn has(&self, kind: Kind) -> bool {
        self.of(kind).is_some()
    }

    /// The names of the arrays of a kind.
    #[must_use]
    pub fn fields(&self, kind: Kind) -> Vec<&str> {
        let arrays = self.of(kind).into_iter().flat_map(|of| of.arrays.keys());
        let prefix = format!("{}/", kind.group());
        arrays
            .filter_map(|name| name.strip_prefix(&prefix))
            .collect()
    }

    /// The number of rows of a kind.
    #[must_use]
    pub fn rows(&self, kind: Kind) -> usize {
        self.of(kind).map_or(0, |of| of.rows as usize)
    }

    fn of(&self, kind: Kind) -> Option<&Listed> {
        match kind {
            Kind::Bodies => Some(&self.bodies),
            Kind::Contacts => self.contacts.as_ref(),
            Kind::Surfaces => self.surfaces.as_ref(),
        }
    }

    /// The points of bodies, or the two ends of the line of each contact, one after the other [m].
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn points(&self, kind: Kind) -> Result<Vec<[f64; 3]>, Error> {
        Ok(self.array(kind, "Points")?.unwrap_or_default())
    }

    /// An array of a kind, `N` numbers in a row; `None`: the frame lacks it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn field<T: H5Type + Copy, const N: usize>(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Vec<[T; N]>>, Error> {
        self.array(kind, &format!("{}/{name}", kind.group()))
    }

    fn array<T: H5Type + Copy, const N: usize>(
        &self,
        kind: Kind,
        path: &str,
    ) -> Result<Option<Vec<[T; N]>>, Error> {
        let Some(of) = self.of(kind) else {
            return Ok(None);
        };
        let Some((_, since)) = of.arrays.get(path) else {
            // A frame without rows may lack all arrays.
            return Ok((of.rows == 0).then(Vec::new));
        };
        let file = match (kind, *since == of.step) {
            (Kind::Bodies, true) => self.path.clone(),
            _ => folder::frame(&self.out, kind, *since),
        };
        let rows = super::layout::rows_of(kind, path, of.rows, of.parts);
        let read = Reader::open(&file).and_then(|open| open.numbers::<T>(path, N, rows));
        let numbers = read.map_err(told(&file))?;
        let row = |row: &[T]| std::array::from_fn(|k| row[k]);
        Ok(Some(numbers.chunks_exact(N).map(row).collect()))
    }
}

fn or_here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

/// The header of a frame, whose arrays may be in earlier frames.
fn listed(path: &Path, out: &Path, kind: Kind, step: u64) -> Result<Listed, String> {
    // Each earlier frame is opened once.
    let files: RefCell<BTreeMap<u64, Option<Reader>>> = RefCell::default();
    let held = |since: u64, name: &str| -> Option<Form> {
        let mut files = files.borrow_mut();
        let file = files.entry(since).or_insert_with(|| {
            let path = folder::frame(out, kind, since);
            Reader::open(&path).ok()
        });
        let (element, width, _) = file.as_ref()?.form(name).ok()?;
        Some(Form {
            element,
            width,
            unit: String::new(),
            description: String::new(),
        })
    };
    frame::read(path, kind, step, &held, [0.0; DOMAIN.len()])
}
