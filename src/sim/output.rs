//! The output of a run: rows of the series and checkpoints.
//!
//! A row is written at intervals of steps; a checkpoint at intervals of steps or of wall time, and
//! at the end. A failure to write does not end a run: the disk may have room again at the next
//! attempt. The failure is reported at once, and again at the end; a run whose results are
//! incomplete at the end has an exit status of its own.

mod events;
mod files;
mod film;
mod flows;
mod frames;
mod lock;
mod measures;
mod rows;
mod schedule;
mod walls;

pub(super) use files::Folder;
pub(super) use walls::walls;

use super::error::RunError;
use super::now::Now;
use super::provenance::process;
use crate::body::BodyRow;
use crate::comm::{Comm, agree};
use crate::config::{Interval, Scenario};
use crate::domain::migration::Parcel;
use crate::io::checkpoint;
use crate::io::{Header, Snapshot, merged};
use crate::scheme::{Clock, Report, Timers, Verb};
use files::{Files, note_start, prepare};
use film::Film;
use flows::gone;
use lock::Lock;
use schedule::{between, guessed};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The results of a run and their folder.
pub(super) struct Output {
    folder: PathBuf,
    /// The configuration as run.
    config: String,
    /// The origin of this start.
    provenance: String,
    /// Only on rank 0.
    files: Option<Files>,
    /// Only on rank 0: held during the run, so that no other run writes to the folder.
    lock: Option<Lock>,
    begin: Instant,
    /// Timers and clock at the last row.
    last_row: (Timers, f64),
    last_checkpoint: Option<(u64, PathBuf)>,
    /// The time of the last checkpoint, or of the last attempt.
    tried: Instant,
    /// Duration of the last checkpoint; an estimate before the first.
    saving: Duration,
    /// Checkpoints written by this program, time spent on them, and the number of failures.
    written: (u64, Duration, u64),
    /// Whether the last rows are missing from their files.
    behind: bool,
    /// Whether the last checkpoint is older than the configuration.
    stale: bool,
    film: Film,
}

/// Bytes of rows that may wait for room on the disk.
const MOST_WAITING: usize = 1 << 28;

impl Output {
    /// Prepares the folder for a run after `step` steps with `bodies` bodies. Collective.
    pub(super) fn open(
        comm: &dyn Comm,
        out: &Path,
        folder: Folder,
        scenario: &Scenario,
        (step, bodies): (u64, u64),
        provenance: String,
    ) -> Result<Self, RunError> {
        let prepared = match comm.rank() {
            0 => {
                let owner = process();
                let run = (step, owner.as_str());
                let prepared = prepare(out, &folder, scenario, run);
                prepared.map(|(files, lock)| {
                    note_start(out, &folder, &provenance);
                    (Some(files), Some(lock))
                })
            }
            _ => Ok((None, None)),
        };
        let (files, lock) = agree(comm, prepared)?;
        let go_on = matches!(folder, Folder::GoOn(_)).then_some(step);
        let film = Film::open(comm, out, scenario, go_on)?;
        let last_checkpoint = match folder {
            Folder::GoOn(path) => Some((step, path)),
            _ => None,
        };
        Ok(Self {
            folder: out.to_owned(),
            config: scenario.text(),
            provenance,
            files,
            lock,
            begin: Instant::now(),
            last_row: (Timers::default(), 0.0),
            last_checkpoint,
            tried: Instant::now(),
            saving: Duration::from_secs_f64(guessed(bodies, comm.size())),
            written: (0, Duration::ZERO, 0),
            behind: false,
            stale: false,
            film,
        })
    }

    /// The approximate duration of a checkpoint.
    pub(super) fn saving(&self) -> Duration {
        self.saving
    }

    /// Whether a checkpoint is due by this rank's clock.
    pub(super) fn is_due(&self, interval: Option<Interval>) -> bool {
        interval.is_some_and(|interval| self.tried.elapsed() >= between(interval, self.saving))
    }

    /// Checkpoints written since the program started, time spent on them, and the number of
    /// failures.
    pub(super) fn checkpoints(&self) -> (u64, Duration, u64) {
        self.written
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The newest checkpoint of this run.
    pub(super) fn last_checkpoint(&self) -> Option<&Path> {
        self.last_checkpoint
            .as_ref()
            .map(|(_, path)| path.as_path())
    }

    /// Time since the run began [s].
    pub(super) fn wall_seconds(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Writes the output that is due after a step. Collective.
    pub(super) fn after_step(&mut self, now: &mut Now, report: &Report) -> Result<(), RunError> {
        let begin = Instant::now();
        let step = now.state.clock.step;
        if report.deleted + report.drained > 0 {
            self.deleted(now, &report.here.gone)?;
        }
        self.events(now, report)?;
        if step.is_multiple_of(now.scenario.output.series) {
            self.row(now, report)?;
        }
        self.measure(now)?;
        now.timers.add(Verb::Io, begin.elapsed());
        // Frames before the checkpoint: a run continued from it does not write the frame of this
        // step.
        self.frame(now)?;
        let every = now.scenario.checkpoints.every;
        if every > 0 && step.is_multiple_of(every) {
            self.save(now)?;
        }
        Ok(())
    }

    /// Writes a checkpoint of this step, unless it exists. A failure is reported. Collective.
    pub(super) fn save(&mut self, now: &mut Now) -> Result<(), RunError> {
        match self.finish(now) {
            Err(RunError::Incomplete(fault)) => {
                if now.comm.rank() == 0 {
                    tell!(
                        "moreau: WARNING: {fault}; the run continues, and tries again when the next checkpoint is due"
                    );
                }
                Ok(())
            }
            result => result,
        }
    }

    /// Lets the next checkpoint replace one of the same step, as the configuration has changed.
    pub(super) fn renew(&mut self) {
        self.stale = true;
    }

    /// Lets checkpoint and frames of a step be written once more, as it goes on.
    pub(super) fn renew_all(&mut self, step: u64) {
        self.renew();
        self.film.frames.renew(step);
    }

    /// Writes the output that is due at the end: the last rows, and a checkpoint of the last step,
    /// unless it exists. Collective.
    ///
    /// # Errors
    /// [`RunError::Incomplete`] if they cannot be written.
    pub(super) fn finish(&mut self, now: &mut Now) -> Result<(), RunError> {
        let begin = Instant::now();
        let last = self.last_checkpoint.as_ref();
        if self.stale || last.is_none_or(|(step, _)| *step != now.state.clock.step) {
            self.stale = false;
            let written = self.checkpoint(now);
            let (number, time, failed) = &mut self.written;
            self.tried = Instant::now();
            let took = begin.elapsed();
            *time += took;
            match written {
                Ok(()) => {
                    *number += 1;
                    self.saving = took;
                }
                // Only its rows are missing from their files.
                Err(_)
                    if self
                        .last_checkpoint
                        .as_ref()
                        .is_some_and(|(at, _)| *at == now.state.clock.step) =>
                {
                    *number += 1
                }
                Err(_) => *failed += 1,
            }
            now.timers.add(Verb::Io, took);
            return written;
        }
        let flushed = self.files.as_mut().map_or(Ok(()), Files::flush);
        agree(
            now.comm,
            flushed.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }

    /// Reports once that rows could not be written, until they can be.
    ///
    /// They wait for the next attempt. The same on all ranks.
    fn rows_written(
        &mut self,
        comm: &dyn Comm,
        result: Result<(), RunError>,
    ) -> Result<(), RunError> {
        match agree(comm, result) {
            Err(RunError::Incomplete(fault)) => {
                let waiting = self.files.as_ref().map_or(0, Files::pending);
                if comm.any(waiting > MOST_WAITING) {
                    let much = MOST_WAITING >> 20;
                    return Err(RunError::Failed(format!(
                        "{fault}; more than {much} MB of rows wait for the disk"
                    )));
                }
                if comm.rank() == 0 && !self.behind {
                    tell!(
                        "moreau: WARNING: {fault}; the run continues, and rows wait for room on the disk"
                    );
                }
                self.behind = true;
                Ok(())
            }
            result => {
                self.behind = false;
                result
            }
        }
    }

    /// Records the bodies that left the domain or went out in a step, by id. Collective.
    fn deleted(&mut self, now: &Now, rows: &[BodyRow]) -> Result<(), RunError> {
        let lines = gone(now, rows);
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            let mut each = lines.iter();
            each.try_for_each(|line| files.deleted.add(line))?;
            files.flush_what_waits()
        });
        self.rows_written(
            now.comm,
            written.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }

    /// Whether the folder is still the one that this run has locked. On rank 0.
    ///
    /// Another run may be in a folder that took its name.
    fn is_here(&self) -> Result<(), String> {
        self.lock.as_ref().map_or(Ok(()), Lock::is_here)
    }

    /// The state in the form for writers; its bodies and contacts must be given back afterwards.
    /// Collective.
    fn snapshot(&self, now: &mut Now) -> Snapshot {
        let Now {
            comm,
            domain,
            scenario,
            scheme,
            state,
            ledger,
            ..
        } = now;
        let walls = walls(domain, scheme, state);
        let wear = state.wear.as_ref();
        let wear_since = wear.map(|wear| wear.since);
        let wear = wear.map_or_else(Vec::new, |wear| merged(*comm, wear));
        scheme.bring_contacts(state, domain);
        let Clock { step, time, dt } = state.clock;
        let rows = std::mem::take(&mut state.parcel);
        Snapshot {
            header: Header {
                step,
                time,
                dt,
                seed: scenario.solver.seed,
                config: self.config.clone(),
                ranks: comm.size() as u64,
                capped_steps: ledger.capped_steps,
                rushed_steps: ledger.rushed_steps,
                deleted: ledger.deleted,
                plastic: ledger.plastic,
                judged: scenario.statics.map(|_| ledger.judged),
                next_id: ledger.flows.state().1,
                ledger: ledger.energies,
                cell: state.cell,
                wear_since,
                provenance: self.provenance.clone(),
            },
            walls,
            flows: ledger.flows.state().0.to_vec(),
            bodies: rows.bodies,
            contacts: rows.contacts,
            anchors: state.anchors.to_vec(),
            wear,
        }
    }

    fn checkpoint(&mut self, now: &mut Now) -> Result<(), RunError> {
        let (comm, scenario) = (now.comm, now.scenario);
        let last = self.last_checkpoint().map_or_else(String::new, |p| {
            format!("; the last good one is {}", p.display())
        });
        let step = now.state.clock.step;
        let failed =
            |e: &dyn std::fmt::Display| RunError::Incomplete(format!("step {step}: {e}{last}"));
        // The series must contain every row up to a checkpoint, as a resumed run continues after
        // it.
        let flushed = self.files.as_mut().map_or(Ok(()), Files::flush);
        let flushed = agree(comm, flushed.map_err(|e| failed(&e)));
        agree(comm, self.is_here().map_err(|e| failed(&e)))?;
        let snapshot = self.snapshot(now);
        let written = checkpoint::write(comm, &self.folder, &snapshot);
        now.state.parcel = Parcel {
            bodies: snapshot.bodies,
            contacts: snapshot.contacts,
        };
        let path = written.map_err(|e| failed(&e))?;
        self.last_checkpoint = Some((step, path));
        if comm.rank() == 0 {
            let pruned = checkpoint::prune(&self.folder, scenario.checkpoints.keep.max(1), step);
            if let Err(fault) = pruned {
                tell!("moreau: WARNING: {fault}; more checkpoints than configured remain");
            }
        }
        // The state matters more than its rows: it is saved even without them.
        flushed.map_err(|e| failed(&e))
    }
}
