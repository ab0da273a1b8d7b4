//! The layout of frames: their arrays, and how many rows these have.

use super::kind::Kind;
use crate::io::hdf::Element;
use std::collections::BTreeMap;

/// What an array is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) element: Element,
    /// Numbers in a row.
    pub(super) width: usize,
    pub(super) unit: String,
    pub(super) description: String,
}

/// A frame that is there.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) step: u64,
    /// [s].
    pub(super) time: f64,
    /// Bodies or contacts.
    pub(super) rows: u64,
    pub(super) parts: u64,
    /// Its arrays: what they are, and the step of the frame whose file holds them.
    pub(super) arrays: BTreeMap<String, (Form, u64)>,
}

/// Rows of an array of a frame of so many cells in so many parts.
pub(super) fn rows_of(kind: Kind, name: &str, cells: u64, parts: u64) -> u64 {
    match name {
        "NumberOfPoints" | "NumberOfCells" => parts,
        "Points" | "Connectivity" => cells * kind.points(),
        "Offsets" => cells + parts,
        _ => cells,
    }
}

/// What the arrays of a frame are called that make up its lines or points.
pub(super) const SHAPE: [&str; 4] = ["NumberOfPoints", "NumberOfCells", "Connectivity", "Offsets"];

/// The form of an array of whole numbers that the format is made of.
pub(super) fn plain() -> Form {
    Form {
        element: Element::I64,
        width: 1,
        unit: "1".to_owned(),
        description: String::new(),
    }
}
