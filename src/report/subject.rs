//! The subject of a picture: a checkpoint or a frame.

use super::state::State;
use super::still::Framed;
use crate::io::{checkpoint, vtkhdf};
use crate::render::{Colour, Scene, View};
use std::path::{Path, PathBuf};

/// A state of a run, read for a picture.
pub(super) enum Subject {
    /// Of a checkpoint.
    Checkpoint(Box<State>),
    /// Of a frame.
    Frame(Box<Framed>),
}

impl Subject {
    /// Reads a checkpoint or a frame, with the data that a view shows.
    pub(super) fn read(path: &Path, view: &View) -> Result<Self, String> {
        match vtkhdf::is_frame(path) {
            true => Framed::read(path, view).map(|frame| Self::Frame(Box::new(frame))),
            false => {
                let state = State::read(path)?;
                if view.colour.is_of_walls() && !view.contacts && !state.has_wear() {
                    return Err(format!(
                        "{}: --colour {} needs the loads of mesh walls, which a run with frames records \
                         (output.every, output.surfaces); found none",
                        path.display(),
                        view.colour.name().0
                    ));
                }
                if let (Colour::Wall(of), Some(since)) =
                    (view.colour, state.loaded.header.wear_since)
                    && of.is_mean()
                    && !view.contacts
                    && since >= state.loaded.header.time
                {
                    return Err(format!(
                        "{}: --colour {} is a mean over the time since the last frame, and must have some; \
                         found the step of that frame, which shows it",
                        path.display(),
                        view.colour.name().0
                    ));
                }
                Ok(Self::Checkpoint(Box::new(state)))
            }
        }
    }

    /// The scene of a view.
    pub(super) fn scene(&self, view: &View) -> Scene<'_> {
        match self {
            Self::Checkpoint(state) => state.scene_for(view),
            Self::Frame(frame) => frame.scene(),
        }
    }

    /// Whether the bodies are discs.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Self::Checkpoint(state) => state.scenario.two_dimensional,
            Self::Frame(frame) => frame.is_flat(),
        }
    }

    /// The number of bodies.
    pub(super) fn bodies(&self) -> usize {
        match self {
            Self::Checkpoint(state) => state.loaded.bodies.len(),
            Self::Frame(frame) => frame.count(),
        }
    }
}

/// Whether a path has several states: a folder, or the table of contents of frames.
pub(super) fn is_series(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|end| end == "vtkhdf")
}

/// The files of states at a path, in the order of their steps.
///
/// They are the checkpoints of a folder; if it has none its frames; the frames in a folder
/// `frames`, or those of a table of contents; or the file itself.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !is_series(path) {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    if path.is_dir() {
        found = checkpoint::newest(path).map_err(|e| e.to_string())?;
        found.reverse();
    }
    if found.is_empty() {
        found = vtkhdf::stills(path).map_err(|e| e.to_string())?;
    }
    match found.is_empty() {
        true => Err(format!(
            "{}: holds no checkpoint (checkpoint-*.h5) and no frame (frames/bodies-*.h5)",
            path.display()
        )),
        false => Ok(found),
    }
}
