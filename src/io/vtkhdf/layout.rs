//! The layout of frames: their arrays, and the numbers of rows.

use super::kind::{DOMAIN, Kind};
use crate::io::hdf::Element;
use std::collections::BTreeMap;

/// The type of the numbers of an array, and its description.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) element: Element,
    /// Numbers in a row.
    pub(super) width: usize,
    pub(super) unit: String,
    pub(super) description: String,
}

/// A frame in the table of contents.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) step: u64,
    /// Time [s].
    pub(super) time: f64,
    /// Bodies or contacts.
    pub(super) rows: u64,
    pub(super) parts: u64,
    /// The domain.
    pub(super) domain: [f64; DOMAIN.len()],
    /// Its arrays: the form, and the step of the frame whose file holds the array.
    pub(super) arrays: BTreeMap<String, (Form, u64)>,
}

/// Rows of an array, in a frame of this many cells in this many parts.
pub(super) fn rows_of(kind: Kind, name: &str, cells: u64, parts: u64) -> u64 {
    match name {
        "NumberOfPoints" | "NumberOfCells" => parts,
        "Points" | "Connectivity" => cells * kind.points(),
        "Offsets" => cells + parts,
        _ => cells,
    }
}

/// The names of the arrays that make up the lines or points of a frame.
pub(super) const SHAPE: [&str; 4] = ["NumberOfPoints", "NumberOfCells", "Connectivity", "Offsets"];

/// The form of an array of whole numbers that the format itself requires.
pub(super) fn plain() -> Form {
    Form {
        element: Element::I64,
        width: 1,
        unit: "1".to_owned(),
        description: String::new(),
    }
}
