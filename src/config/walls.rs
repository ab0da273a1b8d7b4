//! The `[[wall]]` entries: shapes (`shapes`) and motions (`motion`).

mod compound;
mod mesh;
mod motion;
mod part;
mod shapes;
mod thin;
mod turning;

pub(super) use compound::COMPOUND;
pub(super) use part::{CENTRE, FROM, POINT, RADIUS, TO, ends, unit};
pub(super) use shapes::{ARC, BOX, CONE, CYLINDER, DISC, MESH, PLANE, PLATE, SEGMENT, SPHERE};

use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, List, Names, Needed, Or, Preset, TEXT, Text, Three};
use super::reader::{METRES, Number, Range, Section, must, refuse, twice};
use super::table::Table;
use crate::body::Wall;
use crate::math::Vector3;
use std::collections::HashSet;

/// Reads all walls, each with the number of its entry; `materials` are the names of the materials.
pub(super) fn read(
    root: &Section,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> (Vec<Wall>, Vec<usize>) {
    let accepted = "tables headed [[wall]] with shape and material";
    let (mut walls, mut entries): (Vec<Wall>, Vec<usize>) = Default::default();
    let mut names = HashSet::new();
    for (entry, node) in root.tables("wall", accepted, faults).iter().enumerate() {
        for wall in read_entry(entry, node, materials, domain, faults) {
            if !names.insert(wall.name.clone()) {
                twice(node, &format!("wall \"{}\"", wall.name), faults);
            }
            walls.push(wall);
            entries.push(entry);
        }
    }
    (walls, entries)
}

const SHAPE: Key<Names, Needed> = Key::new(
    "shape",
    Names(&shapes::KINDS),
    Needed,
    "see the keys of each shape below",
);
const MATERIAL: Entry = Entry::new(
    "material",
    "the name of a `[[material]]`",
    "—",
    "material of the wall",
);
const NAME: Key<Text, Or> = Key::new(
    "name",
    TEXT,
    Or("`box`, or the shape and the number of the entry"),
    "name in tables and messages",
);
const REFERENCE: Key<Three, Or> = Key::new(
    "centre",
    List(METRES),
    Or("a point of the shape"),
    "point of reference for torques and `rotation`",
);
const SURFACE_VELOCITY: Key<Three, Preset<[f64; 3]>> = Key::new(
    "surface_velocity",
    List(Number(Range::Finite, "m/s")),
    Preset([0.0; 3]),
    "the surface runs in itself with this velocity while the wall stays, as a belt; at a contact \
     its part along the surface counts, and it turns with the wall. Not with quasi-static schemes",
);

/// `[[wall]]`.
pub(super) const TABLE: Table = Table::new(
    "wall",
    &[
        &SHAPE,
        &MATERIAL,
        &NAME,
        &REFERENCE,
        &SURFACE_VELOCITY,
        &motion::VELOCITY,
        &motion::SINE,
        &motion::TABLE,
        &motion::ROTATION,
        &motion::FREE,
        &motion::SERVO,
        &motion::TURNING_SERVO,
    ],
)
.kind("[[wall]]", "a solid surface; without a motion it is fixed");

fn read_entry(
    entry: usize,
    node: &Node,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Wall> {
    let mut tables = vec![&TABLE];
    let kind = shapes::kind(node);
    if kind != Some("compound") {
        tables.extend(shapes::keys(kind));
    }
    if kind.is_none_or(|kind| kind == "compound") {
        tables.push(&COMPOUND);
    }
    let section = Section::of(node, &tables, faults);
    let material = section.name_of(MATERIAL.name, materials, faults);
    let material = material.unwrap_or_default() as u32;
    let name = section.read(&NAME, faults);
    let Some(shape) = section.read(&SHAPE, faults) else {
        return Vec::new();
    };
    let name = match (name, shape) {
        (Some(name), _) => name,
        (None, "box") => "box".to_owned(),
        (None, _) => format!("{shape}-{entry}"),
    };
    let before = faults.len();
    let parts = match shape {
        "compound" => compound::read((node, &name), &section, domain, faults),
        _ => shapes::read(shape, &name, &section, domain, faults),
    };
    if faults.len() > before {
        return Vec::new();
    }
    if let Some(part) = parts
        .iter()
        .find(|part| shapes::crosses_period(&part.surface, domain.periodic))
    {
        let accepted = "parallel to every periodic axis (domain.periodic), which bodies cross";
        let found = format!("wall {} across one", part.name);
        must(node, accepted, &found, faults);
        return Vec::new();
    }
    if domain.two_dimensional {
        shapes::check_plane(node, &parts, faults);
    }
    let centre = section.read(&REFERENCE, faults);
    if let (Some(centre), Some(node)) = (centre, section.get(REFERENCE.name)) {
        mesh::near_centre(node, &parts, (&Vector3::from(centre), domain), faults);
    }
    let (motion, pivot) = motion::read(&section, &parts, faults);
    if domain.two_dimensional && !motion::in_plane(&motion) {
        let accepted = "moved in the plane z = 0 or about z in two dimensions";
        must(node, accepted, "a motion out of the plane", faults);
    }
    let runs = Vector3::from(section.read(&SURFACE_VELOCITY, faults));
    if let (true, Some(node)) = (
        domain.two_dimensional && runs.z != 0.0,
        section.get(SURFACE_VELOCITY.name),
    ) {
        refuse(
            node,
            "a velocity in the plane z = 0 in two dimensions",
            faults,
        );
    }
    let centre = pivot.map(|pivot| pivot.point).or(centre.map(Vector3::from));
    let wall = |part: part::Part| Wall {
        centre: centre.unwrap_or(part.centre),
        name: part.name,
        surface: part.surface,
        material,
        motion: motion.clone(),
        surface_velocity: runs,
        origin: None,
        pivot,
    };
    parts.into_iter().map(wall).collect()
}
