//! The laws of contacts: `[[pair]]`, and what [`materials`] make of those without an entry.

use super::fault::Fault;
use super::materials::{self, Material};
use super::reader::Section;
use crate::law::Laws;

/// Sections that are read here.
pub(super) const SECTIONS: [&str; 1] = ["pair"];

/// Reads all laws.
pub(super) fn read(root: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> Laws {
    Laws {
        pairs: materials::pairs(root, materials, faults),
    }
}
