//! Series: `series.csv`, a line of figures every few steps, and its companions.
//! One rank writes them, and their companions `walls.csv`, `flows.csv`, `deleted.csv` and files of
//! measures. `docs/formats.md` describes the columns.
//!
//! A run that continues from a checkpoint first drops the lines that a killed run had written
//! beyond it, so that each step has one line.

mod events;
mod measures;
mod row;
#[cfg(test)]
mod tests;

pub use events::{BondLine, CellLine, DeletedLine, IncrementLine};
pub use measures::{Figure, Figures, ForceLine, ProfileLine, TrackLine};
pub use row::Row;

use crate::comm::Failure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// A line of a file; the first column is the step.
pub trait Line: Serialize + DeserializeOwned {
    /// The step that the line belongs to.
    fn step(&self) -> u64;
}

/// A line with fixed columns.
pub trait Columns: Line {
    /// The columns, in the order of the fields.
    const HEADER: &'static str;
}

/// Lines with fixed columns, whose first is the field `step`.
macro_rules! lines {
    ($($line:ty: $header:literal;)*) => {$(
        impl Columns for $line {
            const HEADER: &'static str = $header;
        }

        impl Line for $line {
            fn step(&self) -> u64 {
                self.step
            }
        }
    )*};
}

lines! {
    Row: "step,time,bodies,contacts,active,sweeps,residual,converged,max_overlap,kinetic_energy,\
        potential_energy,dissipated,wall_s,detect_s,sweep_s,exchange_s,imbalance,elastic_energy,normal,cohesion,\
        friction,rolling,torsion,driven,integrator,projected,deleted,dt,rushed,entered,came,drained,fracture,prestress,plastic";
    WallLine: "step,time,wall,fx,fy,fz,tx,ty,tz,x,y,z,vx,vy,vz,wx,wy,wz,power";
    CellLine: "step,time,x,y,z,strain_x,strain_y,strain_z,shear,shift,stress_xx,stress_yy,stress_zz,stress_yz,stress_zx,\
        stress_xy,volume,work";
    FlowLine: "step,time,region,way,bodies,mass,waiting";
    DeletedLine: "step,time,id,x,y,z,vx,vy,vz,radius,mass,outlet";
    BondLine: "step,time,wave,a,b,bond,x,y,z,nx,ny,nz,fx,fy,fz,cx,cy,cz,energy";
    IncrementLine: "step,time,parts,iterations,products,jumps,contacts,sliding,opened,closed,broken,residual,\
        elastic,forced,load_factor";
}

/// A line of `walls.csv`: a wall after a step, and the load of the bodies in the step. Global
/// frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// The wall's name.
    pub wall: String,
    /// Force of the bodies on it [N].
    pub fx: f64,
    /// The same along y.
    pub fy: f64,
    /// The same along z.
    pub fz: f64,
    /// Their torque about its centre [N m].
    pub tx: f64,
    /// The same about y.
    pub ty: f64,
    /// The same about z.
    pub tz: f64,
    /// Position of its centre [m].
    pub x: f64,
    /// The same along y.
    pub y: f64,
    /// The same along z.
    pub z: f64,
    /// Its centre's velocity [m/s].
    pub vx: f64,
    /// The same along y.
    pub vy: f64,
    /// The same along z.
    pub vz: f64,
    /// Its angular velocity [rad/s].
    pub wx: f64,
    /// The same about y.
    pub wy: f64,
    /// The same about z.
    pub wz: f64,
    /// The power that it gives the bodies [W].
    pub power: f64,
}

/// A line of `flows.csv`: the bodies that came in by an inlet, or went out by an outlet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// The region.
    pub region: String,
    /// `in` or `out`.
    pub way: String,
    /// Bodies so far.
    pub bodies: u64,
    /// Their mass [kg].
    pub mass: f64,
    /// Bodies that were due at the last insertion and found no place.
    pub waiting: u64,
}

/// The reason why the series cannot be written or resumed.
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

/// An open series.
#[derive(Debug)]
pub struct Series<L = Row> {
    path: PathBuf,
    file: File,
    columns: PhantomData<L>,
    /// Whole lines that are not in the file yet; a part of the first may be.
    pending: Vec<u8>,
    /// Steps of the last two lines of a resumed series; `None` for a new file.
    last: Option<[u64; 2]>,
}

/// Bytes that are collected before they are written.
const WAITING: usize = 1 << 13;

impl<L: Columns> Series<L> {
    /// Starts a series, replacing any file under this path.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::create_with(path, L::HEADER)
    }

    /// Resumes a series after `step`, as [`resume_with`](Self::resume_with).
    ///
    /// # Errors
    /// If the file cannot be read or written, or has other contents.
    pub fn resume(path: &Path, step: u64) -> Result<Self, Error> {
        Self::resume_with(path, L::HEADER, step)
    }
}

impl<L: Line> Series<L> {
    /// Starts a series of these columns, replacing any file under this path.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create_with(path: &Path, header: &str) -> Result<Self, Error> {
        let started =
            File::create(path).and_then(|mut file| writeln!(file, "{header}").map(|()| file));
        Ok(Self::to(path, started.map_err(told(path))?))
    }

    /// Resumes a series of these columns after `step`.
    ///
    /// Later lines, and an incomplete last line, are dropped. Until that is done the old file stays
    /// as it is. A missing series is started.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has other contents.
    pub fn resume_with(path: &Path, header: &str, step: u64) -> Result<Self, Error> {
        let old = match File::open(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Self::create_with(path, header);
            }
            opened => opened.map_err(told(path))?,
        };
        let mut name = path.as_os_str().to_owned();
        name.push(".tmp");
        let temporary = PathBuf::from(name);
        let kept = keep_until::<L>(header, step, old, &temporary)
            .and_then(|last| std::fs::rename(&temporary, path).map(|()| last));
        if kept.is_err() {
            // The file may not exist; the first error is the one reported.
            let _ = std::fs::remove_file(&temporary);
        }
        let last = kept.map_err(told(path))?;
        let file = File::options().append(true).open(path);
        let mut series = Self::to(path, file.map_err(told(path))?);
        series.last = Some(last);
        Ok(series)
    }

    fn to(path: &Path, file: File) -> Self {
        Self {
            path: path.to_owned(),
            file,
            pending: Vec::new(),
            last: None,
            columns: PhantomData,
        }
    }

    /// Adds a line. It is in the file after the next [`flush`](Self::flush), if not before.
    ///
    /// # Errors
    /// If it cannot be a line of CSV.
    pub fn add(&mut self, row: &L) -> Result<(), Error> {
        let mut line = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(&mut self.pending);
        let added = line.serialize(row).and_then(|()| Ok(line.flush()?));
        drop(line);
        added.map_err(|e| told(&self.path)(e.into()))
    }

    /// Writes the pending lines, if they are many.
    ///
    /// # Errors
    /// If the file cannot be written; the lines are kept.
    pub fn flush_what_waits(&mut self) -> Result<(), Error> {
        if self.pending.len() < WAITING {
            return Ok(());
        }
        self.put()
    }

    /// Writes all lines to the file, and syncs the file to the disk.
    ///
    /// To be called at the end, and before a checkpoint is written: only then does the series hold
    /// every step up to it.
    ///
    /// # Errors
    /// If the file cannot be written. Pending lines are kept, and written by the next flush.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.put()?;
        self.file.sync_data().map_err(told(&self.path))?;
        self.is_there()
    }

    /// Lines in a removed or replaced file would be lost.
    fn is_there(&self) -> Result<(), Error> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
            let open = self.file.metadata().map(id).ok();
            let there = std::fs::metadata(&self.path).map(id).ok();
            if open != there {
                let gone = "it was removed or replaced while the run wrote to it";
                return Err(told(&self.path)(std::io::Error::other(gone)));
            }
        }
        Ok(())
    }

    /// The last step of a resumed series, if by its interval lines up to `step` are missing.
    #[must_use]
    pub fn ends_before(&self, step: u64) -> Option<u64> {
        match self.last {
            None => (step > 0).then_some(0),
            // The distance of very few lines is unknown.
            Some([before, last]) => (before > 0 && step >= 2 * last - before).then_some(last),
        }
    }

    fn put(&mut self) -> Result<(), Error> {
        let mut done = 0;
        let result = loop {
            if done == self.pending.len() {
                break Ok(());
            }
            match self.file.write(&self.pending[done..]) {
                Ok(0) => break Err(std::io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => break Err(e),
            }
        };
        self.pending.drain(..done);
        result.map_err(told(&self.path))
    }

    /// Bytes that are not in the file yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }
}

/// Pending lines are written at the end, if possible, as with ordinary files.
impl<L> Drop for Series<L> {
    fn drop(&mut self) {
        let _ = self.file.write_all(&self.pending);
    }
}

fn told(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |e| Error(format!("series {}: {e}", path.display()))
}

/// Copies the header and the lines up to `step` to the disk.
///
/// Lines of an earlier version without the last columns get `NaN` there; others stay unchanged.
/// Returns the steps of the last two.
fn keep_until<L: Line>(header: &str, step: u64, old: File, to: &Path) -> std::io::Result<[u64; 2]> {
    let mut old = BufReader::new(old);
    let mut new = BufWriter::new(File::create(to)?);
    writeln!(new, "{header}")?;
    let columns = header.split(',').count();
    let mut bad = None;
    let mut more = String::new();
    let mut last = [0; 2];
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        // A line without an end was cut off, even if the rest can be read: digits are missing.
        if old.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
            break;
        }
        if number == 1 {
            let found = String::from_utf8_lossy(&line);
            let lacks = header.strip_prefix(found.trim_end());
            if let Some(lacks) = lacks.filter(|lacks| lacks.starts_with(',')) {
                more = format!("{}\n", ",NaN".repeat(lacks.matches(',').count()));
            } else if found.trim_end() != header {
                return Err(invalid(format!(
                    "line 1: must be `{header}`; found `{}`",
                    found.trim_end()
                )));
            }
            continue;
        }
        // Only the last line may be damaged, by the crash.
        if let Some(fault) = bad {
            return Err(invalid(fault));
        }
        if !more.is_empty() {
            line.truncate(line.trim_ascii_end().len());
            line.extend_from_slice(more.as_bytes());
        }
        match parse::<L>(&line, columns) {
            Ok(row) if row.step() <= step => {
                if row.step() != last[1] {
                    last = [last[1], row.step()];
                }
                new.write_all(&line)?;
            }
            Ok(_) => {}
            Err(e) if !more.is_empty() => return Err(invalid(format!("line {number}: {e}"))),
            Err(e) => bad = Some(format!("line {number}: {e}")),
        }
    }
    new.into_inner()
        .map_err(std::io::IntoInnerError::into_error)?
        .sync_all()?;
    Ok(last)
}

/// The fields of a line.
///
/// A reader of CSV takes far longer to make than a line without quotes to split.
fn fields(line: &[u8]) -> Result<csv::StringRecord, csv::Error> {
    if let (false, Ok(text)) = (line.contains(&b'"'), std::str::from_utf8(line)) {
        let text = text.trim_end_matches(['\n', '\r']);
        let fields = text.split(',').filter(|_| !text.is_empty());
        return Ok(fields.collect());
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(line);
    let mut fields = csv::StringRecord::new();
    reader.read_record(&mut fields).map(|_| fields)
}

fn parse<L: Line>(line: &[u8], columns: usize) -> Result<L, String> {
    let told = |e: csv::Error| match e.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        _ => e.to_string(),
    };
    let fields = fields(line).map_err(told)?;
    if fields.is_empty() {
        return Err("must be figures; found an empty line".to_owned());
    }
    let row = fields.deserialize(None).map_err(told)?;
    match fields.len() == columns {
        true => Ok(row),
        false => Err(format!("must be {columns} fields; found {}", fields.len())),
    }
}

fn invalid(fault: String) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, fault)
}
