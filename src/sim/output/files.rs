//! The folder of a run, and the files that grow with the run.

use super::lock::Lock;
use super::measures::files::MeasureFiles;
use crate::config::{Measure, Scenario};
use crate::io::series::{
    self, BondLine, CellLine, DeletedLine, FlowLine, IncrementLine, Row, Series, WallLine,
};
use crate::io::vtkhdf;
use crate::io::{checkpoint, make_folder};
use crate::sim::error::RunError;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The treatment of the contents of the folder for results.
#[derive(Clone, Debug)]
pub(in crate::sim) enum Folder {
    /// It must not hold a run.
    Fresh,
    /// The same for a run that continues from another folder.
    Other,
    /// A run in the folder is deleted.
    Clear,
    /// It must not hold checkpoints; a run without a checkpoint starts again.
    Begun,
    /// The run in the folder continues from this checkpoint.
    GoOn(PathBuf),
}

const SERIES: &str = "series.csv";
const WALLS: &str = "walls.csv";
const FLOWS: &str = "flows.csv";
const DELETED: &str = "deleted.csv";
const CELL: &str = "cell.csv";
const BONDS: &str = "bonds.csv";
const INCREMENTS: &str = "increments.csv";
const PROVENANCE: &str = "provenance.toml";

/// The files that grow with the run.
pub(super) struct Files {
    pub(super) series: Series<Row>,
    pub(super) walls: Series<WallLine>,
    pub(super) flows: Series<FlowLine>,
    pub(super) deleted: Series<DeletedLine>,
    /// Bonds that broke, in runs with bonds.
    pub(super) bonds: Option<Series<BondLine>>,
    /// The increments of a quasi-static scheme.
    pub(super) increments: Option<Series<IncrementLine>>,
    /// The periodic cell, in runs in which it deforms.
    pub(super) cell: Option<Series<CellLine>>,
    /// The files of each measure, in order.
    pub(super) measures: Vec<MeasureFiles>,
}

impl Files {
    fn create(out: &Path, scenario: &Scenario) -> Result<Self, series::Error> {
        let [bonds, increments, cell] = events(scenario);
        let measures = &scenario.measures;
        Ok(Self {
            series: Series::create(&out.join(SERIES))?,
            walls: Series::create(&out.join(WALLS))?,
            flows: Series::create(&out.join(FLOWS))?,
            deleted: Series::create(&out.join(DELETED))?,
            bonds: wanted(bonds, || Series::create(&out.join(BONDS)))?,
            increments: wanted(increments, || Series::create(&out.join(INCREMENTS)))?,
            cell: wanted(cell, || Series::create(&out.join(CELL)))?,
            measures: open(measures, |m| MeasureFiles::create(out, m))?,
        })
    }

    fn resume(out: &Path, scenario: &Scenario, step: u64) -> Result<Self, series::Error> {
        let [bonds, increments, cell] = events(scenario);
        let measures = &scenario.measures;
        Ok(Self {
            series: Series::resume(&out.join(SERIES), step)?,
            walls: Series::resume(&out.join(WALLS), step)?,
            flows: Series::resume(&out.join(FLOWS), step)?,
            deleted: Series::resume(&out.join(DELETED), step)?,
            bonds: resumed(bonds, &out.join(BONDS), step)?,
            increments: resumed(increments, &out.join(INCREMENTS), step)?,
            cell: resumed(cell, &out.join(CELL), step)?,
            measures: open(measures, |m| MeasureFiles::resume(out, m, step))?,
        })
    }

    /// Writes buffers that have become long; a failure does not skip the others.
    pub(super) fn flush_what_waits(&mut self) -> Result<(), series::Error> {
        let all = [
            self.series.flush_what_waits(),
            self.walls.flush_what_waits(),
            self.flows.flush_what_waits(),
            self.deleted.flush_what_waits(),
            (self.bonds.as_mut()).map_or(Ok(()), Series::flush_what_waits),
            (self.increments.as_mut()).map_or(Ok(()), Series::flush_what_waits),
            (self.cell.as_mut()).map_or(Ok(()), Series::flush_what_waits),
        ];
        let measures = self.measures.iter_mut();
        let measures: Vec<_> = measures.map(MeasureFiles::flush_what_waits).collect();
        all.into_iter().chain(measures).collect()
    }

    /// Bytes that wait to be written.
    pub(super) fn pending(&self) -> usize {
        let measures: usize = self.measures.iter().map(MeasureFiles::pending).sum();
        self.series.pending()
            + self.walls.pending()
            + self.flows.pending()
            + self.deleted.pending()
            + self.bonds.as_ref().map_or(0, Series::pending)
            + self.increments.as_ref().map_or(0, Series::pending)
            + self.cell.as_ref().map_or(0, Series::pending)
            + measures
    }

    pub(super) fn flush(&mut self) -> Result<(), series::Error> {
        let all = [
            self.series.flush(),
            self.walls.flush(),
            self.flows.flush(),
            self.deleted.flush(),
            self.bonds.as_mut().map_or(Ok(()), Series::flush),
            self.increments.as_mut().map_or(Ok(()), Series::flush),
            self.cell.as_mut().map_or(Ok(()), Series::flush),
        ];
        let measures: Vec<_> = self.measures.iter_mut().map(MeasureFiles::flush).collect();
        all.into_iter().chain(measures).collect()
    }
}

/// Whether a run has bonds that may break, increments, and a cell that deforms.
fn events(scenario: &Scenario) -> [bool; 3] {
    [
        !scenario.laws.bonds.is_empty(),
        scenario.statics.is_some(),
        scenario.cell.is_some(),
    ]
}

fn wanted<T>(
    wanted: bool,
    open: impl FnOnce() -> Result<T, series::Error>,
) -> Result<Option<T>, series::Error> {
    wanted.then(open).transpose()
}

/// A file of events; one that is there from another scheme loses its lines after the step as well.
fn resumed<L: series::Columns>(
    is_wanted: bool,
    path: &Path,
    step: u64,
) -> Result<Option<Series<L>>, series::Error> {
    wanted(is_wanted || path.exists(), || Series::resume(path, step))
}

/// Opens the files of all measures.
fn open(
    measures: &[Measure],
    each: impl Fn(&Measure) -> Result<MeasureFiles, series::Error>,
) -> Result<Vec<MeasureFiles>, series::Error> {
    measures.iter().map(each).collect()
}

/// Prepares the folder for writing. Changes nothing if it fails.
pub(super) fn prepare(
    out: &Path,
    folder: &Folder,
    scenario: &Scenario,
    (step, owner): (u64, &str),
) -> Result<(Files, Lock), RunError> {
    let input = |e: &dyn std::fmt::Display| {
        RunError::Input(format!(
            "output folder {}: {e}; must be a folder that can be written to",
            out.display()
        ))
    };
    let live = |holder: &str| {
        RunError::Input(format!(
            "output folder {}: another run is writing to it, {}; must be a folder without a live run: wait for its end, or \
             name another folder with --out",
            out.display(),
            if holder.is_empty() { "unnamed" } else { holder }
        ))
    };
    // Advice on its results would be wrong while the run goes on.
    if let Some(holder) = Lock::holder(out) {
        return Err(live(&holder));
    }
    let old = match std::fs::exists(out).map_err(|e| input(&e))? {
        true => checkpoint::newest(out).map_err(|e| input(&e))?,
        false => Vec::new(),
    };
    let series = out.join(SERIES);
    let holds_a_run = !old.is_empty()
        || series.metadata().is_ok_and(|m| m.len() > 0)
        || vtkhdf::any(out).map_err(|e| input(&e))?;
    match folder {
        Folder::Fresh if holds_a_run && old.is_empty() => {
            return Err(RunError::Input(format!(
                "output folder {} holds a run without a checkpoint; --overwrite deletes it, --or-resume starts it again, --out names \
                 another folder",
                out.display()
            )));
        }
        Folder::Other if holds_a_run => {
            let (with, way) = match old.is_empty() {
                true => ("a run without a checkpoint", String::new()),
                false => {
                    let way = format!(", moreau resume {} continues that run", out.display());
                    ("another run", way)
                }
            };
            return Err(RunError::Input(format!(
                "output folder {}: must be without a run, as a run from another folder continues there; found {with}; \
                 --overwrite deletes it, --out names another folder{way}",
                out.display()
            )));
        }
        Folder::Begun if !old.is_empty() => {
            return Err(RunError::Input(format!(
                "output folder {} holds checkpoints by now; moreau resume {} continues the run",
                out.display(),
                out.display()
            )));
        }
        Folder::Fresh if holds_a_run => {
            return Err(RunError::Input(format!(
                "output folder {} already holds a run; --overwrite deletes it, --out names another folder, \
                 and moreau resume {} continues it",
                out.display(),
                out.display()
            )));
        }
        _ => make_folder(out).map_err(|e| input(&e))?,
    }
    let lock = Lock::take(out, owner).map_err(|e| input(&e))?;
    let lock = lock.map_err(|holder| live(&holder))?;
    if matches!(folder, Folder::Begun) && holds_a_run {
        tell!(
            "moreau: {} holds a run without a checkpoint: the run starts again and replaces its files",
            out.display()
        );
    }
    let files = match folder {
        Folder::Fresh | Folder::Other | Folder::Begun => {
            let fresh = Files::create(out, scenario).map_err(|e| input(&e))?;
            vtkhdf::clear(out).map_err(|e| input(&e))?;
            // A folder without a run may hold files of the user.
            if holds_a_run {
                remove_old(out, scenario, &fresh).map_err(|e| input(&e))?;
            }
            Ok(fresh)
        }
        Folder::Clear => {
            // Create the new series first: if that fails, nothing is deleted.
            let fresh = Files::create(out, scenario).map_err(|e| input(&e))?;
            checkpoint::prune(out, 0, u64::MAX).map_err(|e| input(&e))?;
            vtkhdf::clear(out).map_err(|e| input(&e))?;
            remove_old(out, scenario, &fresh).map_err(|e| input(&e))?;
            Ok(fresh)
        }
        Folder::GoOn(_) => {
            let files = Files::resume(out, scenario, step).map_err(|e| input(&e))?;
            for path in checkpoint::set_aside(out, step).map_err(|e| input(&e))? {
                tell!(
                    "moreau: a checkpoint beyond the resumed step is now {}",
                    path.display()
                );
            }
            if let Some(last) = files.series.ends_before(step) {
                tell!(
                    "moreau: WARNING: series.csv ends at step {last}: rows until step {step} are missing"
                );
            }
            Ok(files)
        }
    };
    Ok((files?, lock))
}

/// Removes files of the run before, which would seem to be this run's own: those of measures and of
/// events.
///
/// Files that this run writes anew stay.
fn remove_old(out: &Path, scenario: &Scenario, fresh: &Files) -> std::io::Result<()> {
    for (name, mine) in [BONDS, INCREMENTS].into_iter().zip(events(scenario)) {
        let path = out.join(name);
        if !mine && std::fs::exists(&path)? {
            std::fs::remove_file(path)?;
        }
    }
    let each = fresh.measures.iter().zip(&scenario.measures);
    let own: Vec<String> = each
        .flat_map(|(files, measure)| files.names(measure))
        .collect();
    for entry in std::fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let old = MeasureFiles::is_name(&name) && !own.contains(&name);
        if old && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Adds to the folder's list of starts; nothing depends on this list.
pub(super) fn note_start(out: &Path, folder: &Folder, provenance: &str) {
    let path = out.join(PROVENANCE);
    let mut how = File::options();
    match folder {
        Folder::GoOn(_) => how.append(true).create(true),
        _ => how.write(true).create(true).truncate(true),
    };
    let written = how.open(&path).and_then(|mut file| {
        // An empty line separates the starts.
        file.write_all(format!("{provenance}\n").as_bytes())
    });
    if let Err(error) = written {
        tell!("moreau: WARNING: {}: {error}", path.display());
    }
}
