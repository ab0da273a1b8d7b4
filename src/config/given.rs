//! A configuration with the files that it names, as one rank has read them.
//!
//! Other ranks get both from that rank, so that all check the same.

use super::document::{Source, Value};
use super::fault::{Fault, Faults, Place};
use super::files::{self, File, Named, Reading};
use super::scenario::Scenario;
use super::stages::{self, earliest};
use super::{kept, read};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// A configuration with the files that it names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Given {
    name: String,
    text: String,
    overrides: Vec<String>,
    /// Whether the run has begun.
    begun: bool,
    /// Files that the run continues without, each with the reason.
    pub notes: Vec<String>,
    files: Vec<Named>,
}

impl Given {
    /// Reads a configuration file with overrides (`key=value`), from which a run begins.
    ///
    /// Paths of files are relative to the folder of the configuration, those in overrides to the
    /// working directory.
    ///
    /// # Errors
    /// If the file cannot be read or is not TOML.
    pub fn begin(path: &Path, overrides: &[String]) -> Result<Self, Faults> {
        let reading = Reading {
            from: None,
            all: true,
            trust: false,
            shown: false,
            bodies: true,
        };
        Self::of_file(path, overrides, &[], reading)
    }

    /// Reads a configuration file that is given again for a run with a checkpoint.
    ///
    /// `stored` is the configuration in the checkpoint, and `time` [s] that of the checkpoint.
    /// Files that were edited since are faults, unless an override names them or `keep` is set.
    ///
    /// # Errors
    /// If the file cannot be read or is not TOML.
    pub fn again(
        path: &Path,
        overrides: &[String],
        stored: &str,
        (time, keep): (f64, bool),
    ) -> Result<Self, Faults> {
        let mut source = Source::read(stored, &[]).map_err(|list| Faults::new("config", list))?;
        let kept = kept::take(&mut source, &mut Vec::new());
        let reading = Reading {
            from: Some(time),
            all: true,
            trust: keep,
            shown: false,
            bodies: false,
        };
        Self::of_file(path, overrides, &kept, reading)
    }

    /// Takes the text of a configuration as stored in a checkpoint at a time [s].
    ///
    /// `name` is its name in messages; paths of files are relative to the folder `base`. Files
    /// that the run still needs and that were edited since are faults, unless an override names
    /// them or `keep` is set.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn stored(
        (name, text): (&str, &str),
        base: &Path,
        overrides: &[String],
        (time, keep): (f64, bool),
    ) -> Result<Self, Faults> {
        let reading = Reading {
            from: Some(time),
            all: false,
            trust: keep,
            shown: false,
            bodies: false,
        };
        Self::new((name, text), base, overrides, &[], reading)
    }

    /// Takes the text of a configuration; stored contents count, whatever its files are now.
    pub(super) fn shown(
        (name, text): (&str, &str),
        base: &Path,
        overrides: &[String],
        begun: bool,
    ) -> Result<Self, Faults> {
        let reading = Reading {
            from: begun.then_some(f64::INFINITY),
            all: false,
            trust: true,
            shown: true,
            bodies: false,
        };
        Self::new((name, text), base, overrides, &[], reading)
    }

    fn of_file(
        path: &Path,
        overrides: &[String],
        kept: &[File],
        reading: Reading,
    ) -> Result<Self, Faults> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| {
            let fault = Fault {
                place: Place::File,
                key: String::new(),
                message: format!("cannot be read: {e}; must be a TOML file"),
            };
            Faults::new(&name, vec![fault])
        })?;
        let base = path.parent().unwrap_or(Path::new(""));
        Self::new((&name, &text), base, overrides, kept, reading)
    }

    fn new(
        (name, text): (&str, &str),
        base: &Path,
        overrides: &[String],
        kept: &[File],
        reading: Reading,
    ) -> Result<Self, Faults> {
        let mut source = Source::read(text, overrides).map_err(|list| Faults::new(name, list))?;
        let own = kept::take(&mut source, &mut Vec::new());
        let kept = [kept, &own].concat();
        let mut notes = Vec::new();
        let files = files::find(&mut source, base, &kept, reading, &mut notes);
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            overrides: overrides.to_vec(),
            begun: reading.from.is_some(),
            notes,
            files,
        })
    }

    /// The checked scenario. It reads no file.
    ///
    /// # Errors
    /// All faults of the configuration.
    pub fn scenario(&self) -> Result<Scenario, Faults> {
        let source = Source::read(&self.text, &self.overrides);
        let mut source = source.map_err(|list| Faults::new(&self.name, list))?;
        let mut faults = std::mem::take(&mut source.faults);
        kept::take(&mut source, &mut faults);
        files::attach(&mut source, &self.files, &mut faults);
        if let Some(entries) = kept::entries(files::to_store(&self.files)) {
            source.document.add("file", entries);
        }
        let mut scenario = read::scenario(source, &self.name, self.begun, &mut faults);
        if faults.is_empty() {
            self.stages_fit(&scenario, &mut faults);
        }
        scenario.files = self.files.clone();
        for named in &mut scenario.files {
            if let Some(file) = &mut named.file {
                file.contents = None;
            }
        }
        if faults.is_empty() {
            Ok(scenario)
        } else {
            Err(Faults::new(&self.name, faults))
        }
    }

    /// Reads the configurations of the stages to come.
    ///
    /// Where the time at which a stage begins is not known, a guess stands for it.
    fn stages_fit(&self, scenario: &Scenario, faults: &mut Vec<Fault>) {
        let mut overrides = self.overrides.clone();
        let mut time = scenario.stage().map_or(0.0, |stage| stage.begun_at().1);
        let (end, dt) = (&scenario.end, scenario.pace.even());
        let steps = end.steps.map(|n| Some(n as f64 * dt?));
        let mut begins = earliest([end.until.map(Some), steps, end.rest.map(|_| None)]);
        let mut before: Option<Scenario> = None;
        let to_come = scenario.stages.iter().enumerate();
        for (number, stage) in to_come.filter(|(_, stage)| stage.begun.is_none()) {
            let was = before.as_ref().unwrap_or(scenario);
            time = was.end.until.unwrap_or(time);
            overrides.extend(stage.overrides(number, (0, time)));
            let Ok(mut source) = Source::read(&self.text, &overrides) else {
                return; // The same text was TOML before.
            };
            let stages = source.root.child("stage");
            let entry = match stages.map(|node| &node.value) {
                Some(Value::List(items)) => items.get(number).cloned(),
                _ => None,
            };
            let place = |of: &Place| {
                let entry = entry.as_ref();
                entry.map_or(Place::File, |entry| stages::place_in(entry, of))
            };
            let mut found = std::mem::take(&mut source.faults);
            kept::take(&mut source, &mut found);
            files::attach(&mut source, &self.files, &mut found);
            let now = read::scenario(source, &self.name, true, &mut found);
            if found.is_empty() {
                found = was.cannot_become(&now);
            }
            if let Some(Err(message)) = begins.map(|begins| stage.lasts(begins)) {
                found.push(Fault {
                    place: Place::File,
                    key: "until".to_owned(),
                    message,
                });
            }
            begins = stage.end(begins, now.pace.even());
            if !found.is_empty() {
                faults.extend(found.into_iter().map(|fault| Fault {
                    place: place(&fault.place),
                    key: format!("stage.{number} \"{}\": {}", stage.name, fault.key),
                    message: fault.message,
                }));
                return;
            }
            before = Some(now);
        }
    }

    /// The bytes for other ranks.
    ///
    /// # Errors
    /// If it cannot be written as text.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let text = toml::to_string(self).map_err(|e| e.to_string())?;
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        for contents in self.files.iter().filter_map(contents) {
            bytes.push(u8::from(contents.is_some()));
            let contents = contents.as_deref().unwrap_or_default();
            bytes.extend_from_slice(&(contents.len() as u64).to_le_bytes());
            bytes.extend_from_slice(contents);
        }
        Ok(bytes)
    }

    /// The configuration from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If they are others.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes;
        let cut_off = || "a configuration from another rank was cut off".to_owned();
        let mut take = |n: usize| {
            let (taken, more) = rest.split_at_checked(n).ok_or_else(cut_off)?;
            rest = more;
            Ok::<_, String>(taken)
        };
        let number = |bytes: &[u8]| bytemuck::pod_read_unaligned::<u64>(bytes) as usize;
        let length = number(take(8)?);
        let text = std::str::from_utf8(take(length)?).map_err(|e| e.to_string())?;
        let mut given: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        for file in given
            .files
            .iter_mut()
            .filter_map(|named| named.file.as_mut())
        {
            let there = take(1)?[0] != 0;
            let length = number(take(8)?);
            let contents = take(length)?;
            file.contents = there.then(|| contents.into());
        }
        Ok(given)
    }
}

/// The contents of a file, if there is a file.
fn contents(named: &Named) -> Option<Option<Arc<[u8]>>> {
    named.file.as_ref().map(|file| file.contents.clone())
}
