//! Packs a table of contents and its frames into one file, to be carried elsewhere.

use super::{Error, told};
use crate::io::hdf::{CHUNK_ROWS, Element, Slab, Table, create_dataset, read_text, write_text};
use crate::io::whole::{own_temporary, publish};
use hdf5::file::LibraryVersion;
use hdf5::types::{FixedAscii, TypeDescriptor};
use hdf5::{Dataset, File, Group, Location};
use std::path::Path;

/// Rows that are copied at a time.
const ROWS_AT_A_TIME: u64 = 32 * CHUNK_ROWS;

/// Bytes of a text, at most.
const LONGEST_TEXT: u64 = 1 << 20;

/// Copies a table of contents with its frames into one file. On one rank.
///
/// `compression` is from 0 (none) to 9.
///
/// # Errors
/// If the files cannot be read or written. [`Movie::open`](super::Movie::open) must have checked
/// before that all frames exist: HDF5 reads rows of missing files as fill values.
pub fn pack(from: &Path, to: &Path, compression: u8) -> Result<(), Error> {
    let source = File::open(from).map_err(|e| told(from)(format!("cannot read it: {e}")))?;
    if !source.link_exists("VTKHDF") {
        return Err(told(from)("has no group VTKHDF".to_owned()));
    }
    let deflate = match hdf5::filters::deflate_available() {
        true => compression,
        false => 0,
    };
    let temporary = own_temporary(to);
    let written = copy(&source, &temporary, deflate)
        .and_then(|()| publish(&temporary, to).map_err(|e| e.to_string()));
    if written.is_err() {
        // The file may not exist. The error that is returned is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(told(to))
}

fn copy(source: &File, to: &Path, deflate: u8) -> Result<(), String> {
    let mut builder = File::with_options();
    builder
        .fapl()
        .libver_bounds(LibraryVersion::V110, LibraryVersion::V110);
    let target = builder.create(to).map_err(|e| e.to_string())?;
    copy_group(source, "", &target, deflate)?;
    target.close().map_err(|e| e.to_string())
}

fn copy_group(from: &Group, path: &str, file: &File, deflate: u8) -> Result<(), String> {
    let fault = |e: hdf5::Error| format!("{path}: {e}");
    for name in from.member_names().map_err(fault)? {
        let path = format!("{path}/{name}");
        let fault = |e: hdf5::Error| format!("{path}: {e}");
        if let Ok(dataset) = from.dataset(&name) {
            copy_dataset(&dataset, &path, file, deflate).map_err(|e| format!("{path}: {e}"))?;
            continue;
        }
        let group = from.group(&name).map_err(fault)?;
        let made = file.create_group(&path).map_err(fault)?;
        copy_attributes(&group, &made).map_err(fault)?;
        copy_group(&group, &path, file, deflate)?;
    }
    Ok(())
}

fn copy_dataset(from: &Dataset, name: &str, file: &File, deflate: u8) -> Result<(), String> {
    let text = |e: hdf5::Error| e.to_string();
    let kind = from.dtype().and_then(|kind| kind.to_descriptor());
    let kind = kind.map_err(text)?;
    let element = Element::of(&kind).ok_or_else(|| format!("must be numbers; found {kind}"))?;
    let shape = from.shape();
    let (rows, width) = match shape.as_slice() {
        &[rows] => (rows as u64, 1),
        &[rows, width] => (rows as u64, width),
        other => return Err(format!("must be a list or a table; found shape {other:?}")),
    };
    let form = Table {
        path: name,
        element,
        width,
        rows,
        chunk: CHUNK_ROWS,
        deflate,
    };
    let to = create_dataset(file, &form).map_err(text)?;
    copy_attributes(from, &to).map_err(text)?;
    let mut first = 0;
    while first < rows {
        let bytes = ROWS_AT_A_TIME.min(rows - first) as usize * form.row_bytes();
        let read = Slab::new(from, &form, first, bytes).and_then(|slab| slab.read());
        let read = read.map_err(text)?;
        let place = Slab::new(&to, &form, first, bytes);
        place
            .and_then(|slab| slab.write(&read, None))
            .map_err(text)?;
        first += ROWS_AT_A_TIME;
    }
    Ok(())
}

/// Copies the attributes: numbers, the name of the type of data, and texts.
fn copy_attributes(from: &Location, to: &Location) -> hdf5::Result<()> {
    for name in from.attr_names()? {
        let attribute = from.attr(&name)?;
        let kind = attribute.dtype()?.to_descriptor()?;
        match kind {
            TypeDescriptor::FixedUnicode(_) => {
                let bytes = read_text(&attribute, LONGEST_TEXT)?;
                let text = String::from_utf8_lossy(&bytes);
                write_text(to, &name, text.trim_end_matches('\0'))?;
            }
            TypeDescriptor::FixedAscii(8) => {
                let text: FixedAscii<8> = attribute.read_scalar()?;
                let made = to.new_attr::<FixedAscii<8>>().create(name.as_str())?;
                made.write_scalar(&text)?;
            }
            _ if attribute.is_scalar()
                && kind == TypeDescriptor::Integer(hdf5::types::IntSize::U8) =>
            {
                let number: i64 = attribute.read_scalar()?;
                to.new_attr::<i64>()
                    .create(name.as_str())?
                    .write_scalar(&number)?;
            }
            TypeDescriptor::Integer(_) => {
                let numbers = attribute.read_raw::<i64>()?;
                let made = to.new_attr::<i64>().shape(numbers.len());
                made.create(name.as_str())?.write_raw(&numbers)?;
            }
            TypeDescriptor::Unsigned(_) => {
                let numbers = attribute.read_raw::<u8>()?;
                let made = to.new_attr::<u8>().shape(numbers.len());
                made.create(name.as_str())?.write_raw(&numbers)?;
            }
            TypeDescriptor::Float(_) => {
                let numbers = attribute.read_raw::<f64>()?;
                let made = to.new_attr::<f64>().shape(numbers.len());
                made.create(name.as_str())?.write_raw(&numbers)?;
            }
            // The tables have no other attributes.
            _ => {}
        }
    }
    Ok(())
}
