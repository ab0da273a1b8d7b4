//! The table of contents of the frames in XDMF, for readers without VTKHDF.
//!
//! It names the files of frames by paths from its own folder. It is written after the frame that it
//! names last, and before frames are removed, so it never names a missing file.

use super::folder;
use super::kind::Kind;
use super::layout::Listed;
use crate::io::hdf::Element;
use crate::io::whole::{publish, temporary};
use crate::io::xdmf::{Column, Number, Still, document};
use std::path::Path;

/// Writes the description of these frames, in place of a former one. On one rank.
pub(super) fn write(out: &Path, kind: Kind, frames: &[Listed]) -> std::io::Result<()> {
    let path = folder::description(out, kind);
    let stills: Vec<Still> = frames
        .iter()
        .filter_map(|frame| still(kind, frame))
        .collect();
    let temporary = temporary(&path);
    let text = document(&[(kind.name(), &stills)]);
    let written = std::fs::write(&temporary, text).and_then(|()| publish(&temporary, &path));
    if written.is_err() {
        // The file may not exist. The error that is returned is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// A frame; `None`: it has no rows, for which XDMF has no form.
fn still(kind: Kind, frame: &Listed) -> Option<Still> {
    let column = |name: &str, path: &String| {
        let (form, since) = frame.arrays.get(path)?;
        Some(Column {
            name: name.to_owned(),
            file: folder::name(kind, *since),
            path: format!("/{path}"),
            number: match form.element {
                Element::U8 => Number::U8,
                Element::U16 => Number::U16,
                Element::U32 => Number::U32,
                Element::U64 | Element::I64 => Number::I64,
                Element::F32 => Number::F32,
                Element::F64 => Number::F64,
            },
            width: form.width,
        })
    };
    let prefix = format!("{}/", kind.group());
    let columns = frame.arrays.keys();
    let columns = columns.filter_map(|path| column(path.strip_prefix(&prefix)?, path));
    (frame.rows > 0).then_some(Still {
        step: frame.step,
        time: frame.time,
        rows: frame.rows,
        corners: kind.points(),
        points: column("points", &"Points".to_owned())?,
        columns: columns.collect(),
    })
}
