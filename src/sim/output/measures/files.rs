//! The files of a measure.

use super::absent::Absent;
use super::record::Record;
use crate::config::{Measure, What};
use crate::io::series::{Columns, Error, Figures, ForceLine, ProfileLine, Series, TrackLine};
use std::path::Path;

/// The files of a measure; only those that it needs.
pub(in crate::sim::output) struct MeasureFiles {
    figures: Option<Series<Figures>>,
    forces: Option<Series<ForceLine>>,
    profile: Option<Series<ProfileLine>>,
    tracks: Option<Series<TrackLine>>,
    absent: Absent,
}

/// The columns of `measure-NAME.csv` that a figure adds.
fn columns(what: &What) -> &'static [&'static str] {
    match what {
        What::Packing => &["bodies", "solid_fraction"],
        What::Coordination { .. } => &["coordination", "coordination_without_rattlers", "rattlers"],
        What::Stress => &[
            "sxx", "sxy", "sxz", "syx", "syy", "syz", "szx", "szy", "szz", "kxx", "kyy", "kzz",
            "kxy", "kxz", "kyz",
        ],
        What::Fabric => &[
            "fabric_contacts",
            "fabric_xx",
            "fabric_yy",
            "fabric_zz",
            "fabric_xy",
            "fabric_xz",
            "fabric_yz",
        ],
        What::Forces => &[
            "force_contacts",
            "normal_mean",
            "normal_deviation",
            "tangential_mean",
            "tangential_deviation",
            "sliding",
            "weak",
        ],
        What::Velocity => &[
            "mass",
            "vx",
            "vy",
            "vz",
            "wx",
            "wy",
            "wz",
            "temperature",
            "kinetic_energy",
            "x",
            "y",
            "z",
        ],
        What::Heap(_) => &["top", "r50", "r90", "r95", "r99", "repose"],
        What::Profile(_) | What::Tracks(_) => &[],
    }
}

/// The beginnings of the names of the files.
const KINDS: [&str; 4] = ["measure-", "forces-", "profile-", "tracks-"];

impl MeasureFiles {
    /// Whether a file name is that of a measure.
    pub(in crate::sim::output) fn is_name(name: &str) -> bool {
        name.ends_with(".csv") && KINDS.iter().any(|kind| name.starts_with(kind))
    }

    /// The names of this measure's files.
    pub(in crate::sim::output) fn names(&self, measure: &Measure) -> Vec<String> {
        let there = [
            self.figures.is_some(),
            self.forces.is_some(),
            self.profile.is_some(),
            self.tracks.is_some(),
        ];
        let kinds = KINDS.iter().zip(there).filter(|(_, there)| *there);
        kinds
            .map(|(kind, _)| format!("{kind}{}.csv", measure.name))
            .collect()
    }

    /// Starts the files.
    pub(in crate::sim::output) fn create(out: &Path, measure: &Measure) -> Result<Self, Error> {
        Self::open(out, measure, None)
    }

    /// Continues the files after a step.
    pub(in crate::sim::output) fn resume(
        out: &Path,
        measure: &Measure,
        step: u64,
    ) -> Result<Self, Error> {
        Self::open(out, measure, Some(step))
    }

    fn open(out: &Path, measure: &Measure, step: Option<u64>) -> Result<Self, Error> {
        let path = |kind: &str| out.join(format!("{kind}-{}.csv", measure.name));
        let mut header = "step,time".to_owned();
        for column in measure.what.iter().flat_map(columns) {
            header.push(',');
            header.push_str(column);
        }
        let asked = |is: fn(&What) -> bool| measure.what.iter().any(is);
        let mut files = Self {
            figures: None,
            forces: None,
            profile: None,
            tracks: None,
            absent: Absent::default(),
        };
        if measure.what.iter().any(|what| !columns(what).is_empty()) {
            let path = path("measure");
            files.figures = Some(match step {
                None => Series::create_with(&path, &header)?,
                Some(step) => Series::resume_with(&path, &header, step)?,
            });
        }
        if asked(|w| matches!(w, What::Forces)) {
            let path = path("forces");
            files.forces = Some(match step {
                None => Series::create(&path)?,
                Some(step) => Series::resume(&path, step)?,
            });
        }
        let profile = measure.what.iter().find_map(|what| match what {
            What::Profile(profile) => Some(profile),
            _ => None,
        });
        if let Some(profile) = profile {
            let path = path("profile");
            let header = match profile.is_of_rings() {
                true => ProfileLine::RINGS,
                false => ProfileLine::HEADER,
            };
            files.profile = Some(match step {
                None => Series::create_with(&path, header)?,
                Some(step) => Series::resume_with(&path, header, step)?,
            });
        }
        if asked(|w| matches!(w, What::Tracks(_))) {
            let path = path("tracks");
            files.tracks = Some(match step {
                None => Series::create(&path)?,
                Some(step) => Series::resume(&path, step)?,
            });
        }
        Ok(files)
    }

    /// Adds the record of a step's end, at a time [s].
    pub(super) fn add(
        &mut self,
        measure: &Measure,
        (step, time): (u64, f64),
        record: &Record,
    ) -> Result<(), Error> {
        self.absent.count(measure, columns, (step, record));
        if let Some(file) = &mut self.figures {
            file.add(&Figures(step, time, record.figures.clone()))?;
        }
        if let Some(file) = &mut self.forces {
            record.forces.iter().try_for_each(|line| file.add(line))?;
        }
        if let Some(file) = &mut self.profile {
            record.profile.iter().try_for_each(|line| file.add(line))?;
        }
        if let Some(file) = &mut self.tracks {
            record.tracks.iter().try_for_each(|line| file.add(line))?;
        }
        Ok(())
    }

    /// Writes buffers that have become long; a failure does not skip the others.
    pub(in crate::sim::output) fn flush_what_waits(&mut self) -> Result<(), Error> {
        let all = [
            (self.figures.as_mut()).map_or(Ok(()), Series::flush_what_waits),
            (self.forces.as_mut()).map_or(Ok(()), Series::flush_what_waits),
            (self.profile.as_mut()).map_or(Ok(()), Series::flush_what_waits),
            (self.tracks.as_mut()).map_or(Ok(()), Series::flush_what_waits),
        ];
        all.into_iter().collect()
    }

    /// Writes all buffers to the disk; a failure does not skip the others.
    pub(in crate::sim::output) fn flush(&mut self) -> Result<(), Error> {
        let all = [
            self.figures.as_mut().map_or(Ok(()), Series::flush),
            self.forces.as_mut().map_or(Ok(()), Series::flush),
            self.profile.as_mut().map_or(Ok(()), Series::flush),
            self.tracks.as_mut().map_or(Ok(()), Series::flush),
        ];
        all.into_iter().collect()
    }

    /// The lines of the summary about figures that are NaN.
    pub(in crate::sim::output) fn absent<'a>(
        &'a self,
        measure: &'a Measure,
    ) -> impl Iterator<Item = String> + 'a {
        self.absent.lines(&measure.name)
    }

    /// Bytes that wait to be written.
    pub(in crate::sim::output) fn pending(&self) -> usize {
        self.figures.as_ref().map_or(0, Series::pending)
            + self.forces.as_ref().map_or(0, Series::pending)
            + self.profile.as_ref().map_or(0, Series::pending)
            + self.tracks.as_ref().map_or(0, Series::pending)
    }
}
