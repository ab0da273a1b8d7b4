//! What a run writes: a row of the series after so many steps, a checkpoint after so many steps and at the end.

use super::RunError;
use crate::body::{BodyRow, Wall, WallState};
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::domain::Domain;
use crate::domain::migration::Parcel;
use crate::io::checkpoint;
use crate::io::series::{self, DeletedLine, Row, Series, WallLine};
use crate::io::{Header, Snapshot, WallRow};
use crate::math::Vector3;
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
    /// Energies since step 0.
    pub energies: measure::Ledger,
    /// Bodies deleted since step 0.
    pub deleted: u64,
    /// Steps since step 0 that ended at the sweep cap.
    pub capped_steps: u64,
    /// Steps since step 0 that were longer than the rule of their length asks for.
    pub rushed_steps: u64,
    /// How many steps took so many sweeps, since this program started.
    pub sweeps: BTreeMap<u64, u64>,
    /// Steps since this program started in which a body ended faster than detection had looked ahead.
    pub outran_steps: u64,
    /// Whether the last step converged, and how well.
    pub last: Verdict,
}

impl Ledger {
    pub(super) fn add(&mut self, done: &Done) {
        let (work, sum) = (&done.outcome.work, &mut self.energies);
        sum.dissipated += done.dissipated;
        sum.normal += work.normal;
        sum.cohesion += work.cohesion;
        sum.friction += work.friction;
        sum.rolling += work.rolling;
        sum.torsion += work.torsion;
        sum.driven += work.driven;
        sum.integrator += done.integrator;
        sum.projected += done.projected;
        sum.elastic = done.elastic;
        self.deleted += done.deleted;
        *self.sweeps.entry(done.outcome.sweeps).or_default() += 1;
        self.outran_steps += u64::from(done.outran > 0);
        self.last = done.outcome.verdict;
        self.rushed_steps += u64::from(done.rushed);
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
    files: Option<Files>,
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
        let (files, lock) = if comm.rank() == 0 {
            let (files, lock) = prepare(out, &folder, step)?;
            (Some(files), lock)
        } else {
            (None, None)
        };
        let last_checkpoint = match folder {
            Folder::GoOn(path) => Some((step, path)),
            _ => None,
        };
        Ok(Self {
            folder: out.to_owned(),
            files,
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
        if done.deleted > 0 {
            self.deleted(comm, domain, system)?;
        }
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
            measure::potential_energy(
                bodies,
                &scenario.gravity,
                domain.partition().grid().period(),
            ),
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
            dissipated: ledger.energies.dissipated,
            wall_s: wall_s - last_wall,
            detect_s: slowest(spent(Verb::Detect)),
            sweep_s: slowest(spent(Verb::Sweep)),
            exchange_s: slowest(spent(Verb::Exchange)),
            imbalance: slowest(work) * comm.size() as f64 / whole_work,
            elastic_energy: ledger.energies.elastic,
            normal: ledger.energies.normal,
            cohesion: ledger.energies.cohesion,
            friction: ledger.energies.friction,
            rolling: ledger.energies.rolling,
            torsion: ledger.energies.torsion,
            driven: ledger.energies.driven,
            integrator: ledger.energies.integrator,
            projected: ledger.energies.projected,
            deleted: ledger.deleted,
            dt: done.dt,
            rushed: ledger.rushed_steps,
        };
        self.last_row = (system.timers, wall_s);
        let walls = walls(domain, system);
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            files.series.write(&row)?;
            let each = system.physics().walls.iter().zip(&walls);
            each.into_iter()
                .try_for_each(|(wall, row)| files.walls.write(&wall_line(system, wall, row)))
        });
        agree(comm, written.map_err(|e| RunError::Failed(e.to_string())))
    }

    /// Writes down the bodies that a step has deleted, by id. Collective.
    fn deleted(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        system: &System,
    ) -> Result<(), RunError> {
        let (step, time) = (system.steps(), system.time());
        let line = |row: &BodyRow| DeletedLine {
            step,
            time,
            id: row.id.0,
            x: row.position[0],
            y: row.position[1],
            z: row.position[2],
            vx: row.velocity[0],
            vy: row.velocity[1],
            vz: row.velocity[2],
            radius: row.radius,
            mass: row.mass,
        };
        let words = size_of::<BodyRow>() / size_of::<u64>();
        let all = domain.gather(bytemuck::cast_slice(system.deleted()));
        let mut rows: Vec<BodyRow> = (all.chunks(words))
            .map(|row| bytemuck::pod_read_unaligned(bytemuck::cast_slice(row)))
            .collect();
        rows.sort_unstable_by_key(|row| row.id);
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            let mut lines = rows.iter().map(line);
            lines.try_for_each(|line| files.deleted.write(&line))
        });
        agree(comm, written.map_err(|e| RunError::Failed(e.to_string())))
    }

    fn checkpoint(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        system: &mut System,
        ledger: &Ledger,
    ) -> Result<(), RunError> {
        let last = self.last_checkpoint().map_or_else(String::new, |p| {
            format!("; the last good one is {}", p.display())
        });
        let step = system.steps();
        let failed =
            |e: &dyn std::fmt::Display| RunError::Failed(format!("step {step}: {e}{last}"));
        // The series must hold every row up to a checkpoint, for a resumed run goes on after it.
        let flushed = self.files.as_mut().map_or(Ok(()), Files::flush);
        agree(comm, flushed.map_err(|e| failed(&e)))?;
        let walls = walls(domain, system);
        let rows = system.lend();
        let snapshot = Snapshot {
            header: Header {
                step,
                time: system.time(),
                dt: system.dt(),
                seed: scenario.solver.seed,
                config: scenario.text.clone(),
                ranks: comm.size() as u64,
                capped_steps: ledger.capped_steps,
                rushed_steps: ledger.rushed_steps,
                deleted: ledger.deleted,
                ledger: ledger.energies,
            },
            walls,
            bodies: rows.bodies,
            contacts: rows.contacts,
        };
        let written = checkpoint::write(comm, &self.folder, &snapshot);
        system.give_back(Parcel {
            bodies: snapshot.bodies,
            contacts: snapshot.contacts,
        });
        let path = written.map_err(|e| failed(&e))?;
        let pruned = match comm.rank() {
            0 => checkpoint::prune(&self.folder, scenario.checkpoint_keep.max(1)),
            _ => Ok(()),
        };
        agree(comm, pruned.map_err(|e| failed(&e)))?;
        self.last_checkpoint = Some((step, path));
        Ok(())
    }
}

/// Walls with what the bodies gave them in the last step. Collective.
pub(super) fn walls(domain: &Domain, system: &System) -> Vec<WallRow> {
    let (walls, states) = (&system.physics().walls, system.walls());
    let impulses = measure::wall_impulses(system.contacts(), walls.len());
    // Where the centres were when the impulses acted.
    let centre = |(wall, state): (&Wall, &WallState)| wall.place_now(state);
    let before = walls.iter().zip(system.walls_before());
    let centres: Vec<Vector3> = before.map(centre).collect();
    let couples = measure::wall_couples(system.contacts(), &centres);
    // All in one reduction.
    let six = impulses.into_iter().zip(couples);
    let sums = six.flat_map(|(impulse, couple)| impulse.into_iter().chain(couple));
    let sums = domain.many_sums(sums.collect());
    (walls.iter().zip(states).zip(sums.chunks_exact(6)))
        .map(|((wall, state), six)| WallRow {
            displacement: state.displacement.into(),
            orientation: state.orientation,
            velocity: state.velocity.into(),
            angular_velocity: state.angular_velocity.into(),
            material: wall.material,
            impulse: [six[0], six[1], six[2]],
            couple_impulse: [six[3], six[4], six[5]],
        })
        .collect()
}

/// What `walls.csv` says of a wall.
fn wall_line(system: &System, wall: &Wall, row: &WallRow) -> WallLine {
    let dt = system.dt();
    let [force, torque] = [row.impulse, row.couple_impulse].map(|sum| Vector3::from(sum) / dt);
    let centre = wall.centre + Vector3::from(row.displacement);
    let [vx, vy, vz] = row.velocity;
    WallLine {
        step: system.steps(),
        time: system.time(),
        wall: wall.name.clone(),
        fx: force.x,
        fy: force.y,
        fz: force.z,
        tx: torque.x,
        ty: torque.y,
        tz: torque.z,
        x: centre.x,
        y: centre.y,
        z: centre.z,
        vx,
        vy,
        vz,
    }
}

const SERIES: &str = "series.csv";
const WALLS: &str = "walls.csv";
const DELETED: &str = "deleted.csv";

/// The files that grow with the run.
struct Files {
    series: Series<Row>,
    walls: Series<WallLine>,
    deleted: Series<DeletedLine>,
}

impl Files {
    fn create(out: &Path) -> Result<Self, series::Error> {
        Ok(Self {
            series: Series::create(&out.join(SERIES))?,
            walls: Series::create(&out.join(WALLS))?,
            deleted: Series::create(&out.join(DELETED))?,
        })
    }

    fn resume(out: &Path, step: u64) -> Result<Self, series::Error> {
        Ok(Self {
            series: Series::resume(&out.join(SERIES), step)?,
            walls: Series::resume(&out.join(WALLS), step)?,
            deleted: Series::resume(&out.join(DELETED), step)?,
        })
    }

    fn flush(&mut self) -> Result<(), series::Error> {
        self.series.flush()?;
        self.walls.flush()?;
        self.deleted.flush()
    }
}

/// Makes the folder ready to be written to, or says why it cannot be. Nothing is changed if it cannot.
fn prepare(out: &Path, folder: &Folder, step: u64) -> Result<(Files, Option<File>), RunError> {
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
    let files = match folder {
        Folder::Fresh => Files::create(out).map_err(|e| input(&e)),
        Folder::Clear => {
            // The new series first: where it cannot be written, nothing is deleted.
            let fresh = Files::create(out).map_err(|e| input(&e))?;
            checkpoint::prune(out, 0).map_err(|e| input(&e))?;
            Ok(fresh)
        }
        Folder::GoOn(_) => {
            for path in checkpoint::set_aside(out, step).map_err(|e| input(&e))? {
                tell!("moreau: beyond the resumed step, now {}", path.display());
            }
            Files::resume(out, step).map_err(|e| input(&e))
        }
    };
    Ok((files?, lock))
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
