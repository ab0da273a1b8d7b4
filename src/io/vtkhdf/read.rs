//! Reads frames back, one at a time.

use super::kind::DOMAIN;
use super::{Error, Kind, Space, told};
use crate::io::hdf::{Reader, SMALLEST_SHARE, numbers};
use crate::math::Vector3;
use hdf5::dataset::Layout;
use hdf5::{Dataset, File, H5Type};
use std::path::{Path, PathBuf};

/// The frames of a kind: a table of contents, or the one file made of it by [`pack`](super::pack).
#[derive(Debug)]
pub struct Movie {
    path: PathBuf,
    file: File,
    kind: Kind,
    /// Steps of the frames.
    pub steps: Vec<u64>,
    /// Times [s].
    pub times: Vec<f64>,
    /// Bodies, or contacts, of each frame.
    rows: Vec<u64>,
    points: Vec<u64>,
    /// The domain in each frame.
    pub spaces: Vec<Space>,
    /// Each array has at most this many bytes.
    limit: u64,
}

impl Movie {
    /// Opens a file of frames.
    ///
    /// # Errors
    /// If it is not such a file, or a frame is missing.
    pub fn open(path: &Path, kind: Kind) -> Result<Self, Error> {
        Self::try_open(path, kind).map_err(told(path))
    }

    fn try_open(path: &Path, kind: Kind) -> Result<Self, String> {
        // This reader does not wait for a pipe.
        drop(Reader::open(path)?);
        let file = File::open(path).map_err(|e| e.to_string())?;
        let mut limit = path.metadata().map_err(|e| e.to_string())?.len();
        let folder = path.parent().unwrap_or(Path::new(""));
        let frames = std::fs::read_dir(folder.join(super::folder::FRAMES));
        for entry in frames.into_iter().flatten().flatten() {
            limit += entry.metadata().map_or(0, |about| about.len());
        }
        let mut movie = Self {
            path: path.to_owned(),
            file,
            kind,
            steps: Vec::new(),
            times: Vec::new(),
            rows: Vec::new(),
            points: Vec::new(),
            spaces: Vec::new(),
            limit: limit.saturating_mul(SMALLEST_SHARE),
        };
        let whole = |name: &str| -> Result<Vec<u64>, String> {
            let numbers: Vec<i64> = movie.all(name)?;
            let each = numbers.into_iter().map(u64::try_from);
            let each: Result<Vec<u64>, _> = each.collect();
            each.map_err(|_| format!("{name}: must be 0 or more; found a negative number"))
        };
        let (steps, rows) = (whole("moreau/step")?, whole("moreau/rows")?);
        frames_are_there(&movie.file, folder, kind, &steps)?;
        let points = whole("VTKHDF/Steps/PointOffsets")?;
        let times: Vec<f64> = movie.all("VTKHDF/Steps/Values")?;
        let count = steps.len();
        if [rows.len(), points.len(), times.len()] != [count; 3] {
            return Err(format!(
                "its numbers of steps, rows, offsets and times: must be equal; found {count}, {}, {} and {}",
                rows.len(),
                points.len(),
                times.len()
            ));
        }
        if times.iter().any(|t| !t.is_finite()) {
            return Err("VTKHDF/Steps/Values: must be finite".to_owned());
        }
        let corner = |name: &str| -> Result<Vector3, String> {
            let numbers: Vec<f64> = movie.attribute(name)?;
            match numbers.as_slice() {
                &[x, y, z] if [x, y, z].iter().all(|x| x.is_finite()) => Ok(Vector3::new(x, y, z)),
                other => Err(format!(
                    "attribute `{name}`: must be 3 finite numbers; found {other:?}"
                )),
            }
        };
        let (lower, upper) = (corner("lower")?, corner("upper")?);
        let periodic: Vec<u8> = movie.attribute("periodic")?;
        let &[x, y, z] = periodic.as_slice() else {
            return Err("attribute `periodic`: must be 3 numbers".to_owned());
        };
        let space = Space {
            lower,
            upper,
            periodic: [x, y, z].map(|p| p != 0),
            shear: None,
        };
        // Earlier versions have the domain of the last frame only.
        let domains = match movie.file.link_exists("moreau/domain") {
            true => {
                let domains = movie.dataset("moreau/domain")?;
                movie.read(&domains, DOMAIN.len(), 0, count as u64)?
            }
            false => space.to_array().repeat(count),
        };
        let each = domains.chunks_exact(DOMAIN.len()).map(|domain| {
            let numbers = std::array::from_fn(|k| domain[k]);
            let fault = || format!("moreau/domain: must be corners and a shear; found {domain:?}");
            space.with(numbers).ok_or_else(fault)
        });
        movie.spaces = each.collect::<Result<_, String>>()?;
        (movie.steps, movie.times) = (steps, times);
        (movie.rows, movie.points) = (rows, points);
        Ok(movie)
    }

    /// Bodies, or contacts, of a frame.
    #[must_use]
    pub fn rows(&self, frame: usize) -> usize {
        self.rows[frame] as usize
    }

    /// The points of a frame [m].
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn places(&self, frame: usize) -> Result<Vec<[f64; 3]>, Error> {
        let rows = self.rows[frame].saturating_mul(self.kind.points());
        let first = self.points[frame];
        let read = self.dataset("VTKHDF/Points").and_then(|dataset| {
            let numbers = self.read(&dataset, 3, first, rows)?;
            Ok(numbers
                .chunks_exact(3)
                .map(|x| [x[0], x[1], x[2]])
                .collect())
        });
        read.map_err(told(&self.path))
    }

    /// Whether the frames have an array of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let group = format!("VTKHDF/{}", self.kind.group());
        self.file.link_exists(&group) && self.file.link_exists(&format!("{group}/{name}"))
    }

    /// An array of a frame, `N` numbers for each row, if the array exists.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn array<T: H5Type + Copy, const N: usize>(
        &self,
        name: &str,
        frame: usize,
    ) -> Result<Option<Vec<[T; N]>>, Error> {
        let group = self.kind.group();
        let path = format!("VTKHDF/{group}/{name}");
        if !self.has(name) {
            return Ok(None);
        }
        let read = || -> Result<Vec<[T; N]>, String> {
            let offsets: Vec<i64> = self.all(&format!("VTKHDF/Steps/{group}Offsets/{name}"))?;
            let first = offsets.get(frame).and_then(|&at| u64::try_from(at).ok());
            let first = first.ok_or_else(|| format!("{path}: has no offset of frame {frame}"))?;
            let numbers: Vec<T> = self.read(&self.dataset(&path)?, N, first, self.rows[frame])?;
            let row = |row: &[T]| std::array::from_fn(|k| row[k]);
            Ok(numbers.chunks_exact(N).map(row).collect())
        };
        read().map(Some).map_err(told(&self.path))
    }

    fn dataset(&self, path: &str) -> Result<Dataset, String> {
        self.file.dataset(path).map_err(|e| format!("{path}: {e}"))
    }

    /// All numbers of a list.
    fn all<T: H5Type>(&self, path: &str) -> Result<Vec<T>, String> {
        let dataset = self.dataset(path)?;
        let rows = dataset.shape().first().copied().unwrap_or(0) as u64;
        self.read(&dataset, 1, 0, rows)
    }

    fn attribute<T: H5Type>(&self, name: &str) -> Result<Vec<T>, String> {
        let group = self.file.group("moreau").map_err(|e| e.to_string())?;
        let attribute = group
            .attr(name)
            .map_err(|e| format!("attribute `{name}`: {e}"))?;
        match attribute.shape().as_slice() {
            [3] => attribute
                .read_raw()
                .map_err(|e| format!("attribute `{name}`: {e}")),
            _ => Err(format!("attribute `{name}`: must be 3 numbers")),
        }
    }

    /// Reads some rows, after a check that the files can hold them.
    fn read<T: H5Type>(
        &self,
        dataset: &Dataset,
        width: usize,
        first: u64,
        rows: u64,
    ) -> Result<Vec<T>, String> {
        numbers(dataset, width, (first, rows), self.limit)
    }
}

/// Checks that each frame can be opened, if frames are files of their own.
///
/// HDF5 would read rows of missing files as fill values.
fn frames_are_there(file: &File, folder: &Path, kind: Kind, steps: &[u64]) -> Result<(), String> {
    let points = file.dataset("VTKHDF/Points").map_err(|e| e.to_string())?;
    if points.layout() != Layout::Virtual {
        return Ok(());
    }
    for &step in steps {
        let path = folder.join(super::folder::name(kind, step));
        drop(Reader::open(&path).map_err(|e| format!("its frame {}: {e}", path.display()))?);
    }
    Ok(())
}
