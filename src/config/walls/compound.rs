//! Walls of the shape `compound`: several surfaces as one wall.

use super::part::Part;
use super::shapes;
use crate::config::document::Node;
use crate::config::domain::Domain;
use crate::config::fault::Fault;
use crate::config::key::{Key, Names, Needed};
use crate::config::reader::{Section, must};
use crate::config::table::Table;
use crate::shape::Surface;

const SHAPE: Key<Names, Needed> = Key::new(
    "shape",
    Names(shapes::SIMPLE),
    Needed,
    "with the keys of this shape",
);
const PARTS: Table = Table::new("part", &[&SHAPE]).kind("[[wall.part]]", "one of its surfaces");

/// Keys of a compound.
pub(in crate::config) const COMPOUND: Table = Table::new("wall:compound", &[&PARTS]).kind(
    "shape = \"compound\"",
    "several surfaces as one wall: one line in `walls.csv`, one mass, one motion",
);

/// The one part of a compound.
pub(super) fn read(
    (entry, name): (&Node, &str),
    section: &Section,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Part> {
    let before = faults.len();
    let accepted = "tables headed [[wall.part]], each with shape and its keys";
    let mut parts = Vec::new();
    for node in section.need_tables(PARTS.name, accepted, faults) {
        let mut tables = vec![&PARTS];
        tables.extend(shapes::keys(shapes::kind(node)));
        let part = Section::of(node, &tables, faults);
        if let Some(shape) = part.read(&SHAPE, faults) {
            parts.extend(shapes::read(shape, name, &part, domain, faults));
        }
    }
    if faults.len() > before {
        return Vec::new();
    }
    let centre = parts.first().map(|part| part.centre).unwrap_or_default();
    let surfaces: Vec<Surface> = parts.into_iter().map(|part| part.surface).collect();
    match Surface::united(&surfaces) {
        Ok(Surface::Mesh(mesh)) => vec![Part::of_mesh(name.to_owned(), mesh)],
        Ok(surface) => vec![Part {
            name: name.to_owned(),
            surface,
            centre,
        }],
        Err(why) => {
            let node = section.get(PARTS.name).unwrap_or(entry);
            must(node, "surfaces of one wall", &why.to_string(), faults);
            Vec::new()
        }
    }
}
