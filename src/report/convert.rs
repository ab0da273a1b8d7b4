//! `moreau convert`: checkpoints and frames in the formats of other programs.

mod lammps;
mod output;
mod states;
mod xdmf;

pub use output::Fault;

use crate::comm::threads::Serial;
use crate::io::vtkhdf::{self, Field, Frames, Kind, Precision, Settings};
use states::{Source, States, checkpoints, space};
use std::path::{Path, PathBuf};

/// A format of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text dumps of LAMMPS: `bodies.dump` (dump custom), `contacts.dump` (dump local).
    Lammps,
    /// A description of checkpoints for ParaView and VisIt: `checkpoints.xmf`.
    Xdmf,
    /// VTKHDF, each of one file: `bodies.vtkhdf`, `contacts.vtkhdf`, `surfaces.vtkhdf`.
    Vtk,
}

/// Converts a checkpoint, a file of frames, or the contents of a folder.
///
/// The contents are its frames or, if it has none, its checkpoints. The results go to the folder
/// `out`, by default that of the source. Returns a line for each file that was written or replaced.
///
/// # Errors
/// If the source is neither, or the results cannot be written.
pub fn convert(from: &Path, to: Format, out: Option<&Path>) -> Result<String, Fault> {
    let source = Source::find(from, to == Format::Xdmf).map_err(Fault::Input)?;
    let out = out.map_or_else(|| source.folder().to_owned(), Path::to_owned);
    if out.exists() && !out.is_dir() {
        return Err(Fault::Input(format!(
            "--out {}: a file; accepted: a folder",
            out.display()
        )));
    }
    let made = std::fs::create_dir_all(&out);
    made.map_err(|e| {
        let accepted = "must be a folder that can be made and written to";
        Fault::Input(format!("--out {}: {accepted}; found {e}", out.display()))
    })?;
    let before: Vec<PathBuf> = std::fs::read_dir(&out)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    let written = match to {
        Format::Lammps => lammps::write(&States::open(source)?, &out)?,
        Format::Xdmf => xdmf::write(source, &out)?,
        Format::Vtk => vtk(source, &out)?,
    };
    let lines = written.iter().map(|path| {
        let what = match before.contains(path) {
            true => "replaced",
            false => "wrote",
        };
        format!("{what} {}", path.display())
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Compression level of the results.
const COMPRESSION: u8 = 4;

fn vtk(source: Source, out: &Path) -> Result<Vec<PathBuf>, Fault> {
    let output = |e: vtkhdf::Error| Fault::Output(e.to_string());
    let target = |kind: Kind| out.join(format!("{}.vtkhdf", kind.name()));
    if vtkhdf::any(out).map_err(|e| Fault::Input(format!("{}: {e}", out.display())))? {
        return Err(Fault::Input(format!(
            "{} holds frames; accepted: another folder, by --out",
            out.display()
        )));
    }
    match source {
        Source::Frames(tables) => {
            let mut written = Vec::new();
            for (kind, table) in tables {
                // Before anything is written.
                vtkhdf::Movie::open(&table, kind).map_err(|e| Fault::Input(e.to_string()))?;
                vtkhdf::pack(&table, &target(kind), COMPRESSION).map_err(output)?;
                written.push(target(kind));
            }
            Ok(written)
        }
        Source::Checkpoints(paths) => {
            let work = out.join(format!(".convert-{}", std::process::id()));
            let packed = frames_of(&paths, &work).and_then(|()| {
                let mut written = Vec::new();
                for kind in Kind::ALL {
                    let table = work.join(format!("{}.vtkhdf", kind.name()));
                    if table.is_file() {
                        vtkhdf::pack(&table, &target(kind), COMPRESSION).map_err(output)?;
                        written.push(target(kind));
                    }
                }
                Ok(written)
            });
            // The first error is the one reported.
            let _ = vtkhdf::clear(&work);
            let _ = std::fs::remove_dir(&work);
            packed
        }
    }
}

/// Makes frames of checkpoints, in a folder of their own.
fn frames_of(paths: &[PathBuf], work: &Path) -> Result<(), Fault> {
    let output = |e: vtkhdf::Error| Fault::Output(e.to_string());
    let fields = Field::ALL.into_iter().filter(|f| *f != Field::Rank);
    let settings = Settings {
        fields: fields.collect(),
        precision: Precision::Double,
        compression: 0,
        contacts: true,
        surfaces: true,
        xdmf: false,
    };
    let mut film = None;
    for state in checkpoints(paths) {
        let (snapshot, scenario) = state?;
        let frames = match &mut film {
            Some(frames) => frames,
            None => {
                std::fs::create_dir_all(work)
                    .map_err(|e| Fault::Output(format!("{}: {e}", work.display())))?;
                let around = (
                    space(&scenario),
                    &scenario.templates[..],
                    &scenario.walls[..],
                );
                let opened = Frames::open(&Serial, work, &settings, around, None);
                film.insert(opened.map_err(output)?.0)
            }
        };
        // A stage may have given walls other motions.
        frames.set_walls(&scenario.walls);
        frames.write(&Serial, &snapshot).map_err(output)?;
    }
    Ok(())
}
