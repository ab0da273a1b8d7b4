//! The files that a configuration names, whose contents are part of the run.
//!
//! One rank finds and reads them ([`find`]); every rank sees the contents at the nodes of the tree
//! ([`attach`]). `kept` stores them in the text of the configuration, and so in checkpoints. A run
//! that continues takes the stored contents, and refuses a file that was edited since.

use super::document::{Contents, Node, Source, Value};
use super::fault::{Fault, OF_STAGE, Place};
use super::past;
use super::stages::is_path;
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Contents up to this size [bytes] are stored in checkpoints; of others the size and the hash are.
pub(super) const MOST_KEPT: u64 = 1 << 20;

/// A file, as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    /// Its absolute path.
    pub(super) path: String,
    /// Its size.
    pub(super) bytes: u64,
    /// XXH64 of its contents, seed 0, in 16 hex digits.
    pub(super) hash: String,
    /// Its contents; they travel to other ranks separately.
    #[serde(skip)]
    pub(super) contents: Option<Arc<[u8]>>,
}

impl File {
    /// A description for messages.
    pub(super) fn shown(&self) -> String {
        format!("{} of {} bytes, hash {}", self.path, self.bytes, self.hash)
    }

    /// The contents as a checkpoint stores them, of a file of at most [`MOST_KEPT`] bytes.
    pub(super) fn stored(&self) -> Option<&[u8]> {
        self.contents.as_deref().filter(|_| self.bytes <= MOST_KEPT)
    }

    fn is_as(&self, other: &Self) -> bool {
        (self.bytes, &self.hash) == (other.bytes, &other.hash)
    }
}

/// The hash of contents, as in checkpoints.
pub(super) fn hash_of(contents: &[u8]) -> String {
    format!("{:016x}", XxHash64::oneshot(0, contents))
}

/// A key of the configuration that names a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) key: String,
    /// The absolute path.
    pub(super) path: String,
    /// Whether the run has used the file and does not need it again.
    #[serde(default)]
    is_over: bool,
    /// The file; `None` if it could not be read or was not needed.
    pub(super) file: Option<File>,
    /// The error of reading it.
    missing: Option<String>,
    /// The fault of the key.
    refused: Option<String>,
}

/// The way of treating files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// The time at which the run continues [s]; `None`: it begins.
    pub(super) from: Option<f64>,
    /// Whether to look at files that the run has used, and does not need again.
    pub(super) all: bool,
    /// Whether stored contents count, whatever the files are now.
    pub(super) trust: bool,
    /// Whether the configuration is only looked at: files that were edited are then left out.
    pub(super) shown: bool,
    /// Whether files of bodies must exist.
    pub(super) bodies: bool,
}

/// The use of a file by the run.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Files of bodies, which the run reads at its start.
    Bodies,
    /// Sieve curves of first bodies, which are needed at the start only.
    Start,
    /// Changes by a stage that has begun: the files are at their keys now.
    Begun,
    /// Pairs that are bonded at this time [s].
    Bond(f64),
    /// At all times.
    Always,
}

impl Use {
    fn is_over(self, from: Option<f64>) -> bool {
        from.is_some_and(|time| match self {
            Self::Bodies | Self::Start | Self::Begun => true,
            Self::Bond(at) => at < time,
            Self::Always => false,
        })
    }
}

/// All nodes that name files.
fn nodes(root: &mut Node) -> Vec<(&mut Node, Use)> {
    let mut found = Vec::new();
    let Value::Table(sections) = &mut root.value else {
        return found;
    };
    for (section, list) in sections {
        let of = section.as_str();
        if of == "cell" {
            files_within(list, &mut found);
            continue;
        }
        for entry in list.items_mut() {
            let at_time = match of {
                "bond" => bonded_at(entry),
                _ => None,
            };
            let used = match entry.child("begun") {
                Some(_) => Use::Begun,
                None => Use::Always,
            };
            let Value::Table(keys) = &mut entry.value else {
                continue;
            };
            for (key, node) in keys {
                if (of, key.as_str()) == ("wall", "table") {
                    for table in one_or_several(node) {
                        found.extend(table.child_mut("file").map(|file| (file, Use::Always)));
                    }
                    continue;
                }
                if (of, key.as_str()) == ("wall", "part") {
                    for part in node.items_mut() {
                        found.extend(part.child_mut("file").map(|file| (file, Use::Always)));
                    }
                    continue;
                }
                if (of, key.as_str()) == ("stage", "set") {
                    files_of_changes(node, used, &mut found);
                    continue;
                }
                let named = match (of, key.as_str()) {
                    ("bodies", "file") => Some((node, Use::Bodies)),
                    ("template" | "wall", "file") => Some((node, Use::Always)),
                    ("bond", "pairs") => Some((node, at_time.map_or(Use::Always, Use::Bond))),
                    ("force", "factor") => node.child_mut("file").map(|file| (file, Use::Always)),
                    ("wall", "free") => {
                        let factor = node.child_mut("factor");
                        let file = factor.and_then(|factor| factor.child_mut("file"));
                        file.map(|file| (file, Use::Always))
                    }
                    ("bodies", "radius") => node.child_mut("table").map(|file| (file, Use::Start)),
                    ("inlet", "radius") => node.child_mut("table").map(|file| (file, Use::Always)),
                    _ => None,
                };
                found.extend(named);
            }
        }
    }
    found.retain(|(node, _)| matches!(node.value, Value::Text(_)));
    found
}

/// All nodes within the changes of a stage that name files.
fn files_of_changes<'n>(node: &'n mut Node, used: Use, found: &mut Vec<(&'n mut Node, Use)>) {
    match &mut node.value {
        Value::List(items) => {
            for item in items {
                files_of_changes(item, used, found);
            }
        }
        Value::Table(keys) => {
            for (key, node) in keys {
                match is_path(key, &node.value) {
                    true => found.push((node, used)),
                    false => files_of_changes(node, used, found),
                }
            }
        }
        _ => {}
    }
}

/// The items of a list, or the one value that stands for them.
fn one_or_several(node: &mut Node) -> &mut [Node] {
    match node.value {
        Value::List(_) => node.items_mut(),
        _ => std::slice::from_mut(node),
    }
}

/// All nodes called `file` within a table.
fn files_within<'n>(table: &'n mut Node, found: &mut Vec<(&'n mut Node, Use)>) {
    let Value::Table(keys) = &mut table.value else {
        return;
    };
    for (key, node) in keys {
        match (key.as_str(), &node.value) {
            ("file", Value::Text(_)) => found.push((node, Use::Always)),
            _ => files_within(node, found),
        }
    }
}

/// The time of a bond that is made at a time, not at contact.
fn bonded_at(entry: &mut Node) -> Option<f64> {
    let on_contact = entry.child_mut("on_contact").map(|node| &node.value);
    if matches!(on_contact, Some(Value::Boolean(true))) {
        return None;
    }
    match entry.child_mut("at").map(|node| &node.value) {
        None => Some(0.0),
        Some(Value::Float(at)) => Some(*at),
        Some(Value::Integer(at)) => Some(*at as f64),
        Some(_) => None,
    }
}

/// Finds the files that a configuration names, and reads them. `kept` are those of a checkpoint.
///
/// Paths are relative to `base`, those of overrides to the working directory. Files that are gone
/// are noted if the run can continue without them.
pub(super) fn find(
    source: &mut Source,
    base: &Path,
    kept: &[File],
    reading: Reading,
    notes: &mut Vec<String>,
) -> Vec<Named> {
    let mut all = Vec::new();
    for (node, used) in nodes(&mut source.root) {
        let Value::Text(path) = &node.value else {
            continue;
        };
        let of_stage = is_of_stage(&node.place);
        let asked = matches!(node.place, Place::Set(_)) && !of_stage;
        let joined = match asked {
            true => Path::new(path).to_owned(),
            false => base.join(path),
        };
        let absolute = std::path::absolute(&joined).unwrap_or(joined);
        let mut named = Named {
            key: node.path.clone(),
            path: absolute.to_string_lossy().into_owned(),
            ..Named::default()
        };
        let folder = match asked {
            true => "working directory",
            false => "configuration's folder",
        };
        let refuse = |why: &str| {
            format!(
                "must be the path of a file, absolute or from the {folder}; found {}, which {why}",
                node.shown
            )
        };
        if absolute.to_str().is_none() {
            named.refused = Some(refuse("lies in a folder whose name is not Unicode"));
        } else {
            let known = kept.iter().find(|file| file.path == named.path);
            named.is_over = !asked && used.is_over(reading.from);
            named.take(known.filter(|_| !asked), (used, of_stage), reading, notes);
            if let (Some(why), Use::Bodies, true) = (&named.missing, used, reading.bodies) {
                named.refused = Some(refuse(&format!("cannot be opened ({}: {why})", named.path)));
            }
        }
        all.push(named);
    }
    one_content(&mut all);
    all
}

/// Whether a value is one that a stage has set.
fn is_of_stage(place: &Place) -> bool {
    matches!(place, Place::Set(text) if text.starts_with(OF_STAGE))
}

/// Refuses a path under which the run has read other contents that it needs as well.
///
/// A checkpoint holds each path once.
fn one_content(all: &mut [Named]) {
    for k in 0..all.len() {
        let (before, rest) = all.split_at_mut(k);
        let named = &mut rest[0];
        let Some(file) = named.file.as_ref().filter(|_| !named.is_over) else {
            continue;
        };
        let differs = |other: &&Named| {
            let other_file = other.file.as_ref().filter(|_| !other.is_over);
            other_file.is_some_and(|one| one.path == file.path && !one.is_as(file))
        };
        if let (Some(other), None) = (before.iter().find(differs), &named.refused) {
            named.refused = Some(format!(
                "must be the path of a file with the contents that {} has; found others in {}: \
                 copy it to another path",
                other.key, named.path
            ));
        }
    }
}

/// The files that a checkpoint stores; of those with one path the one that is still needed first.
pub(super) fn to_store(all: &[Named]) -> impl Iterator<Item = &File> {
    let needed = |is_over: bool| move |named: &&Named| named.is_over == is_over;
    let each = all.iter().filter(needed(false));
    each.chain(all.iter().filter(needed(true)))
        .filter_map(|named| named.file.as_ref())
}

impl Named {
    /// Takes the file from the disk, or as a checkpoint holds it.
    ///
    /// `of_stage`: a stage has set the key.
    fn take(
        &mut self,
        kept: Option<&File>,
        (used, of_stage): (Use, bool),
        reading: Reading,
        notes: &mut Vec<String>,
    ) {
        let is_over = self.is_over;
        let whole = used != Use::Bodies && !is_over;
        let stored = kept.is_some_and(|file| file.contents.is_some());
        let is_looked_at = reading.all && used != Use::Begun;
        if is_over && !is_looked_at || reading.trust && stored {
            self.file = kept.cloned();
            return;
        }
        let read = read(&self.path, whole);
        let Some(kept) = kept else {
            match read {
                Ok(file) => self.file = Some(file),
                // A run that has used it continues without it.
                Err(_) if is_over => {}
                Err(why) => self.missing = Some(why.to_string()),
            }
            return;
        };
        match read {
            Ok(file) if file.is_as(kept) => self.file = Some(file),
            Ok(_) | Err(_) if reading.shown => self.file = Some(kept.clone()),
            Ok(file) => {
                self.refused = Some(self.edited(&file, kept, of_stage && reading.all));
                // This is the only fault of the file: its stored contents are without one.
                self.file = Some(if stored { kept.clone() } else { file });
            }
            Err(why) if stored || is_over => {
                self.file = Some(kept.clone());
                if !is_over {
                    notes.push(format!(
                        "{}: {} cannot be read ({why}); the run continues with its contents in the \
                         checkpoint",
                        self.key, self.path
                    ));
                }
            }
            Err(why) => {
                self.missing = Some(format!(
                    "{why}; the checkpoint has only its size and hash, as it has more than \
                     {MOST_KEPT} bytes"
                ));
            }
        }
    }

    /// The fault of a file that was edited since the run has read it.
    ///
    /// `set_again`: a stage sets the key after all overrides.
    fn edited(&self, now: &File, kept: &File, set_again: bool) -> String {
        let (key, is_over) = (&self.key, self.is_over);
        let mut ways = vec!["restore it".to_owned()];
        if is_over {
            ways.push("moreau resume continues the run without it".to_owned());
        }
        if kept.contents.is_some() && !is_over {
            ways.push("--kept-files continues with its contents in the checkpoint".to_owned());
        }
        if past::of(key).is_none() && !set_again {
            ways.push(format!("--set {key}={} takes it as it is now", self.path));
        }
        format!(
            "must be as the run has read it, {}; found {} bytes, hash {}: edited since; {}",
            kept.shown(),
            now.bytes,
            now.hash,
            ways.join(", ")
        )
    }
}

/// Reads a file; its contents only if they are wanted `whole`, or are few enough to be stored.
fn read(path: &str, whole: bool) -> io::Result<File> {
    let mut file = fs::File::open(path)?;
    let mut hash = XxHash64::with_seed(0);
    let (mut contents, mut bytes) = (Vec::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        let n = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        bytes += n as u64;
        hash.write(&piece[..n]);
        if whole || bytes <= MOST_KEPT {
            contents.extend_from_slice(&piece[..n]);
        } else {
            contents = Vec::new();
        }
    }
    Ok(File {
        path: path.to_owned(),
        bytes,
        hash: format!("{:016x}", hash.finish()),
        contents: (whole || bytes <= MOST_KEPT).then(|| contents.into()),
    })
}

/// Puts absolute paths and contents into the tree, and the paths into the document.
pub(super) fn attach(source: &mut Source, all: &[Named], faults: &mut Vec<Fault>) {
    for (node, _) in nodes(&mut source.root) {
        let mut named = all.iter().find(|named| named.key == node.path);
        // Until it begins, the files of a stage are known by its own keys.
        if is_of_stage(&node.place) && !named.is_some_and(|named| node.is_text(&named.path)) {
            named = all
                .iter()
                .find(|named| !named.is_over && node.is_text(&named.path));
        }
        let Some(named) = named else {
            continue;
        };
        if let Some(message) = &named.refused {
            let (place, key) = (node.place.clone(), node.path.clone());
            let message = message.clone();
            faults.push(Fault {
                place,
                key,
                message,
            });
        }
        node.value = Value::Text(named.path.clone());
        let contents = |file: &File| file.contents.clone().map(Contents::Whole);
        node.contents = Some(match (&named.missing, &named.file) {
            (Some(why), _) => Contents::Missing(why.clone()),
            (None, file) => file.as_ref().and_then(contents).unwrap_or(Contents::Used),
        });
        let replaced = source.document.set(&node.path, named.path.clone());
        debug_assert!(replaced.is_ok(), "{} was just read", node.path);
    }
}

/// The contents of the file that a node names.
///
/// # Errors
/// The reason why they lack, with the path.
pub(super) fn contents(node: &Node) -> Result<Arc<[u8]>, String> {
    let path = match &node.value {
        Value::Text(path) => path.as_str(),
        _ => "",
    };
    match &node.contents {
        Some(Contents::Whole(contents)) => Ok(contents.clone()),
        Some(Contents::Missing(why)) => Err(format!("{path} cannot be read ({why})")),
        Some(Contents::Used) | None => Err(format!("{path} was used before and is not stored")),
    }
}
