//! Paths of files in a configuration.

use super::document::{Node, Source, Value};
use super::fault::{Fault, Place};
use std::path::Path;

/// Makes the paths of all files absolute, in the tree and in the document.
///
/// These are files of bodies, tables of walls, sieve curves and files of templates. Files of bodies
/// that cannot be opened are refused if `files_needed`.
pub(super) fn make_absolute(
    source: &mut Source,
    base: &Path,
    files_needed: bool,
    faults: &mut Vec<Fault>,
) {
    let mut paths = Vec::new();
    // Tables of walls, sieve curves, files of templates and of bonds are opened, and refused, with
    // their entries.
    let mut files: Vec<(&mut Node, bool)> = Vec::new();
    if let Value::Table(entries) = &mut source.root.value {
        for (name, list) in entries {
            let (of_bodies, of_templates) = (name == "bodies", name == "template");
            let of_bonds = name == "bond";
            for node in list.items_mut() {
                let Value::Table(keys) = &mut node.value else {
                    continue;
                };
                files.extend(
                    keys.iter_mut()
                        .filter_map(|(key, node)| match key.as_str() {
                            "file" if of_bodies => Some((node, files_needed)),
                            "file" if of_templates => Some((node, false)),
                            "pairs" if of_bonds => Some((node, false)),
                            "table" => Some((node.child_mut("file")?, false)),
                            "radius" => Some((node.child_mut("table")?, false)),
                            _ => None,
                        }),
                );
            }
        }
    }
    for (file, needed) in files {
        let Value::Text(path) = &mut file.value else {
            continue;
        };
        let from_shell = matches!(file.place, Place::Set(_));
        let joined = if from_shell {
            Path::new(path).to_owned()
        } else {
            base.join(&*path)
        };
        let absolute = std::path::absolute(&joined).unwrap_or(joined);
        let mut refuse = |why: String| {
            let folder = if from_shell {
                "working directory"
            } else {
                "configuration's folder"
            };
            let message = format!(
                "must be the path of a file, absolute or from the {folder}; found {}, which {why}",
                file.shown
            );
            let (place, key) = (file.place.clone(), file.path.clone());
            faults.push(Fault {
                place,
                key,
                message,
            });
        };
        if let (true, Err(e)) = (needed, std::fs::File::open(&absolute)) {
            refuse(format!("cannot be opened ({}: {e})", absolute.display()));
        }
        match absolute.to_str() {
            Some(text) => *path = text.to_owned(),
            None => refuse("lies in a folder whose name is not Unicode".to_owned()),
        }
        paths.push((file.path.clone(), path.clone()));
    }
    for (key, path) in paths {
        let replaced = source.document.set(&key, path);
        debug_assert!(replaced.is_ok(), "{key} was just read");
    }
}
