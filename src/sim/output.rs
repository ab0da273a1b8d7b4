//! What a run writes: a row of the series after so many steps, a checkpoint after so many steps and at the end.

use super::RunError;
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::domain::Domain;
use crate::io::checkpoint;
use crate::io::series::{Row, Series};
use crate::io::{Header, Snapshot, WallRow};
use crate::measure;
use crate::scheme::moreau_jean::{Done, System};
use crate::scheme::{Timers, Verb};
use crate::solver::merit::Verdict;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a run adds up.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Energy dissipated at contacts since step 0 [J].
    pub dissipated: f64,
    /// Steps since step 0 that ended at the sweep cap.
    pub capped_steps: u64,
    /// How many steps took so many sweeps, since this program started.
    pub sweeps: BTreeMap<u64, u64>,
    /// Steps since this program started in which a body ended faster than detection had looked ahead.
    pub outran_steps: u64,
    /// Whether the last step converged, and how well.
    pub last: Verdict,
}

impl Ledger {
    pub(super) fn add(&mut self, done: &Done) {
        self.dissipated += done.dissipated;
        *self.sweeps.entry(done.outcome.sweeps).or_default() += 1;
        self.outran_steps += u64::from(done.outran > 0);
        self.last = done.outcome.verdict;
        self.capped_steps += u64::from(!done.outcome.verdict.converged);
    }
}

/// What to do with the folder for results.
#[derive(Clone, Debug)]
pub(super) enum Folder {
    /// It must not hold a run.
    Fresh,
    /// A run that it holds is deleted.
    Clear,
    /// The run that it holds goes on from this checkpoint.
    GoOn(PathBuf),
}

/// Where results go.
pub(super) struct Output {
    folder: PathBuf,
    /// On rank 0.
    series: Option<Series>,
    /// On rank 0: held while the run lives, so that no other run writes to the folder.
    _lock: Option<File>,
    begin: Instant,
    /// Timers and clock at the last row.
    last_row: (Timers, f64),
    last_checkpoint: Option<(u64, PathBuf)>,
}

impl Output {
    /// Prepares the folder, on rank 0.
    pub(super) fn open(
        comm: &dyn Comm,
        out: &Path,
        folder: Folder,
        step: u64,
    ) -> Result<Self, RunError> {
        let (series, lock) = if comm.rank() == 0 {
            let (series, lock) = prepare(out, &folder, step)?;
            (Some(series), lock)
        } else {
            (None, None)
        };
        let last_checkpoint = match folder {
            Folder::GoOn(path) => Some((step, path)),
            _ => None,
        };
        Ok(Self {
            folder: out.to_owned(),
            series,
            _lock: lock,
            begin: Instant::now(),
            last_row: (Timers::default(), 0.0),
            last_checkpoint,
        })
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

    /// What is due after a step. Collective.
    pub(super) fn after_step(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        system: &mut System,
        ledger: &Ledger,
        done: &Done,
    ) -> Result<(), RunError> {
        let begin = Instant::now();
        let step = system.steps();
        if step.is_multiple_of(scenario.series_every) {
            self.row(comm, domain, scenario, system, ledger, done)?;
        }
        if scenario.checkpoint_every > 0 && step.is_multiple_of(scenario.checkpoint_every) {
            self.checkpoint(comm, domain, scenario, system, ledger)?;
        }
        system.timers.add(Verb::Io, begin.elapsed());
        Ok(())
    }

    /// What is due at the end: the last checkpoint, if the last step has none. Collective.
    pub(super) fn finish(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        system: &mut System,
        ledger: &Ledger,
    ) -> Result<(), RunError> {
        let begin = Instant::now();
        if self
            .last_checkpoint
            .as_ref()
            .is_none_or(|(step, _)| *step != system.steps())
        {
            self.checkpoint(comm, domain, scenario, system, ledger)?;
        }
        system.timers.add(Verb::Io, begin.elapsed());
        Ok(())
    }

    fn row(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        system: &System,
        ledger: &Ledger,
        done: &Done,
    ) -> Result<(), RunError> {
        let bodies = system.bodies();
        let energies = [
            measure::kinetic_energy(bodies),
            measure::potential_energy(bodies, &scenario.gravity),
        ];
        let [kinetic_energy, potential_energy] = domain.sums(&energies);
        let contacts = system.contacts();
        let mut counts =
            [bodies.len(), contacts.len(), measure::active(contacts)].map(|n| n as i64);
        comm.sum_i64(&mut counts);
        let max_overlap = domain.max(system.largest_overlap());

        let wall_s = self.wall_seconds();
        let (timers, last_wall) = &self.last_row;
        let spent = |verb: Verb| system.timers.seconds(verb) - timers.seconds(verb);
        let slowest = |seconds: f64| domain.max(seconds);
        let work = spent(Verb::Sweep) + spent(Verb::Detect);
        let [whole_work] = domain.sums(&[[work].into_iter().collect()]);
        let row = Row {
            step: system.steps(),
            time: system.time(),
            bodies: counts[0] as u64,
            contacts: counts[1] as u64,
            active: counts[2] as u64,
            sweeps: done.outcome.sweeps,
            residual: done.outcome.verdict.residual,
            converged: done.outcome.verdict.converged,
            max_overlap,
            kinetic_energy,
            potential_energy,
            dissipated: ledger.dissipated,
            wall_s: wall_s - last_wall,
            detect_s: slowest(spent(Verb::Detect)),
            sweep_s: slowest(spent(Verb::Sweep)),
            exchange_s: slowest(spent(Verb::Exchange)),
            imbalance: slowest(work) * comm.size() as f64 / whole_work,
        };
        self.last_row = (system.timers, wall_s);
        let written = self
            .series
            .as_mut()
            .map_or(Ok(()), |series| series.write(&row));
        agree(comm, written.map_err(|e| RunError::Failed(e.to_string())))
    }

    fn checkpoint(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        system: &System,
        ledger: &Ledger,
    ) -> Result<(), RunError> {
        let last = self.last_checkpoint().map_or_else(String::new, |p| {
            format!("; the last good one is {}", p.display())
        });
        let failed = |e: &dyn std::fmt::Display| {
            RunError::Failed(format!("step {}: {e}{last}", system.steps()))
        };
        // The series must hold every row up to a checkpoint, for a resumed run goes on after it.
        let flushed = self.series.as_mut().map_or(Ok(()), Series::flush);
        agree(comm, flushed.map_err(|e| failed(&e)))?;
        let snapshot = Snapshot {
            header: Header {
                step: system.steps(),
                time: system.time(),
                seed: scenario.solver.seed,
                config: scenario.text.clone(),
                ranks: comm.size() as u64,
                capped_steps: ledger.capped_steps,
                dissipated: ledger.dissipated,
            },
            bodies: system.bodies().to_vec(),
            contacts: system.contacts().to_vec(),
            walls: walls(domain, system),
        };
        let path = checkpoint::write(comm, &self.folder, &snapshot).map_err(|e| failed(&e))?;
        let pruned = match comm.rank() {
            0 => checkpoint::prune(&self.folder, scenario.checkpoint_keep.max(1)),
            _ => Ok(()),
        };
        agree(comm, pruned.map_err(|e| failed(&e)))?;
        self.last_checkpoint = Some((system.steps(), path));
        Ok(())
    }
}

/// Walls with what the bodies gave them in the last step. Collective.
pub(super) fn walls(domain: &Domain, system: &System) -> Vec<WallRow> {
    let walls = &system.physics().walls;
    let impulses = measure::wall_impulses(system.contacts(), walls.len());
    let sums = impulses.into_iter().map(|sum| domain.sums(&sum));
    (walls.iter().zip(sums))
        .map(|(wall, impulse)| WallRow {
            material: wall.material,
            impulse,
            ..WallRow::default()
        })
        .collect()
}

const SERIES: &str = "series.csv";

/// Makes the folder ready to be written to, or says why it cannot be. Nothing is changed if it cannot.
fn prepare(out: &Path, folder: &Folder, step: u64) -> Result<(Series, Option<File>), RunError> {
    let input = |e: &dyn std::fmt::Display| {
        RunError::Input(format!(
            "output folder {}: {e}; accepted: a folder that can be written to",
            out.display()
        ))
    };
    let old = match std::fs::exists(out).map_err(|e| input(&e))? {
        true => checkpoint::newest(out).map_err(|e| input(&e))?,
        false => Vec::new(),
    };
    let series = out.join(SERIES);
    let holds_a_run = !old.is_empty() || series.metadata().is_ok_and(|m| m.len() > 0);
    match folder {
        Folder::Fresh if holds_a_run => {
            return Err(RunError::Input(format!(
                "output folder {} already holds a run; --overwrite deletes it, --out names another folder, \
                 and moreau resume {} goes on with it",
                out.display(),
                out.display()
            )));
        }
        _ => std::fs::create_dir_all(out).map_err(|e| input(&e))?,
    }
    let lock = lock(out).map_err(|e| input(&e))?;
    let series = match folder {
        Folder::Fresh => Series::create(&series).map_err(|e| input(&e)),
        Folder::Clear => {
            // The new series first: where it cannot be written, nothing is deleted.
            let fresh = Series::create(&series).map_err(|e| input(&e))?;
            checkpoint::prune(out, 0).map_err(|e| input(&e))?;
            Ok(fresh)
        }
        Folder::GoOn(_) => {
            for path in checkpoint::set_aside(out, step).map_err(|e| input(&e))? {
                tell!("moreau: beyond the resumed step, now {}", path.display());
            }
            Series::resume(&series, step).map_err(|e| input(&e))
        }
    };
    Ok((series?, lock))
}

/// Locks the folder for this run; nothing where the file system knows no locks.
fn lock(out: &Path) -> std::io::Result<Option<File>> {
    let file = File::create(out.join(".lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(std::io::Error::other("another run is writing to it")),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}
