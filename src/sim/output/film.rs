//! The frames of a run, and their failures.

use crate::comm::Comm;
use crate::config::Scenario;
use crate::io::vtkhdf::{Frames, Space};
use crate::sim::error::RunError;
use std::path::Path;
use std::time::Duration;

/// The frames of a run.
pub(super) struct Film {
    pub(super) frames: Frames,
    pub(super) written: u64,
    pub(super) failed: u64,
    pub(super) time: Duration,
    /// The error of the last frame that could not be written.
    pub(super) fault: String,
}

/// The numbers of frames for the run's summary.
pub(in crate::sim) struct Told {
    /// Frames written since the program started, time spent on them, and the number of failures.
    pub(in crate::sim) written: u64,
    pub(in crate::sim) time: Duration,
    pub(in crate::sim) failed: u64,
}

impl Film {
    /// Begins the frames, or continues them after a step. Collective.
    ///
    /// Frames of later steps are dropped, even if no more frames are wanted.
    pub(super) fn open(
        comm: &dyn Comm,
        out: &Path,
        scenario: &Scenario,
        go_on: Option<u64>,
    ) -> Result<Self, RunError> {
        let space = Space {
            lower: scenario.lower,
            upper: scenario.upper,
            periodic: scenario.periodic,
            shear: scenario.shear,
        };
        let opened = Frames::open(
            comm,
            out,
            &scenario.output.frames,
            (space, &scenario.templates, &scenario.walls),
            go_on,
        );
        let (frames, damaged) = opened.map_err(|e| RunError::Input(e.to_string()))?;
        if comm.rank() == 0 {
            for fault in damaged {
                tell!("moreau: WARNING: frame left out: {fault}");
            }
        }
        Ok(Self {
            frames,
            written: 0,
            failed: 0,
            time: Duration::ZERO,
            fault: String::new(),
        })
    }
}
