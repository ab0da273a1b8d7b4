//! The folder of a run, and the files that grow with the run.

use super::lock::Lock;
use super::measures::files::MeasureFiles;
use crate::config::Measure;
use crate::io::series::{self, DeletedLine, FlowLine, Row, Series, WallLine};
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
const PROVENANCE: &str = "provenance.toml";

/// The files that grow with the run.
pub(super) struct Files {
    pub(super) series: Series<Row>,
    pub(super) walls: Series<WallLine>,
    pub(super) flows: Series<FlowLine>,
    pub(super) deleted: Series<DeletedLine>,
    /// The files of each measure, in order.
    pub(super) measures: Vec<MeasureFiles>,
}

impl Files {
    fn create(out: &Path, measures: &[Measure]) -> Result<Self, series::Error> {
        Ok(Self {
            series: Series::create(&out.join(SERIES))?,
            walls: Series::create(&out.join(WALLS))?,
            flows: Series::create(&out.join(FLOWS))?,
            deleted: Series::create(&out.join(DELETED))?,
            measures: open(measures, |m| MeasureFiles::create(out, m))?,
        })
    }

    fn resume(out: &Path, measures: &[Measure], step: u64) -> Result<Self, series::Error> {
        Ok(Self {
            series: Series::resume(&out.join(SERIES), step)?,
            walls: Series::resume(&out.join(WALLS), step)?,
            flows: Series::resume(&out.join(FLOWS), step)?,
            deleted: Series::resume(&out.join(DELETED), step)?,
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
            + measures
    }

    pub(super) fn flush(&mut self) -> Result<(), series::Error> {
        let all = [
            self.series.flush(),
            self.walls.flush(),
            self.flows.flush(),
            self.deleted.flush(),
        ];
        let measures: Vec<_> = self.measures.iter_mut().map(MeasureFiles::flush).collect();
        all.into_iter().chain(measures).collect()
    }
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
    measures: &[Measure],
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
            let fresh = Files::create(out, measures).map_err(|e| input(&e))?;
            vtkhdf::clear(out).map_err(|e| input(&e))?;
            Ok(fresh)
        }
        Folder::Clear => {
            // Create the new series first: if that fails, nothing is deleted.
            let fresh = Files::create(out, measures).map_err(|e| input(&e))?;
            checkpoint::prune(out, 0, u64::MAX).map_err(|e| input(&e))?;
            vtkhdf::clear(out).map_err(|e| input(&e))?;
            remove_old_measures(out, measures, &fresh).map_err(|e| input(&e))?;
            Ok(fresh)
        }
        Folder::GoOn(_) => {
            let files = Files::resume(out, measures, step).map_err(|e| input(&e))?;
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

/// Removes files of measures of the run before, which would seem to be this run's own.
///
/// Files that this run writes anew stay.
fn remove_old_measures(out: &Path, measures: &[Measure], fresh: &Files) -> std::io::Result<()> {
    let each = fresh.measures.iter().zip(measures);
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
