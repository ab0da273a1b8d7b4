//! The `[[wall]]` entries: shapes (`shapes`) and motions (`motion`).

mod mesh;
mod motion;
mod part;
mod shapes;
mod thin;
mod turning;

pub(super) use part::{ends, unit};

use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::reader::{Number, Range, Section, must, refuse, twice};
use crate::body::Wall;
use crate::math::Vector3;
use std::collections::HashSet;

/// Reads all walls; `materials` are the names of the materials.
pub(super) fn read(
    root: &Section,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Wall> {
    let accepted = "tables headed [[wall]] with shape and material";
    let mut walls: Vec<Wall> = Vec::new();
    let mut names = HashSet::new();
    for (entry, node) in root.tables("wall", accepted, faults).iter().enumerate() {
        for wall in read_entry(entry, node, materials, domain, faults) {
            if !names.insert(wall.name.clone()) {
                twice(node, &format!("wall \"{}\"", wall.name), faults);
            }
            walls.push(wall);
        }
    }
    walls
}

/// The keys that all walls accept.
const COMMON: [&str; 11] = [
    "shape",
    "material",
    "name",
    "centre",
    "surface_velocity",
    "velocity",
    "sine",
    "table",
    "rotation",
    "free",
    "servo",
];

fn read_entry(
    entry: usize,
    node: &Node,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Wall> {
    let kind = shapes::kind(node);
    let mut known = COMMON.to_vec();
    known.extend(shapes::keys(kind));
    let section = Section::new(node, &known, faults);
    let material = section.name_of("material", materials, faults);
    let material = material.unwrap_or_default() as u32;
    let name = section.text_if("name", faults);
    let Some(shape) = section.choice("shape", &shapes::KINDS, faults) else {
        return Vec::new();
    };
    let name = match (name, shape) {
        (Some(name), _) => name.to_owned(),
        (None, "box") => "box".to_owned(),
        (None, _) => format!("{shape}-{entry}"),
    };
    let before = faults.len();
    let parts = shapes::read(shape, &name, &section, domain, faults);
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
    let centre = section.vector_if("centre", Number(Range::Finite, "m"), faults);
    if let (Some(centre), Some(node)) = (centre, section.get("centre")) {
        mesh::near_centre(node, &parts, (&Vector3::from(centre), domain), faults);
    }
    let motion = motion::read(&section, &parts, faults);
    if domain.two_dimensional && !motion::in_plane(&motion) {
        let accepted = "moved in the plane z = 0 or about z in two dimensions";
        must(node, accepted, "a motion out of the plane", faults);
    }
    let runs = section.vector_if("surface_velocity", Number(Range::Finite, "m/s"), faults);
    let runs = Vector3::from(runs.unwrap_or_default());
    if let (true, Some(node)) = (
        domain.two_dimensional && runs.z != 0.0,
        section.get("surface_velocity"),
    ) {
        refuse(
            node,
            "a velocity in the plane z = 0 in two dimensions",
            faults,
        );
    }
    let centre = turning::pivot(&section).or(centre.map(Vector3::from));
    let wall = |part: part::Part| Wall {
        centre: centre.unwrap_or(part.centre),
        name: part.name,
        surface: part.surface,
        material,
        motion: motion.clone(),
        surface_velocity: runs,
        origin: None,
    };
    parts.into_iter().map(wall).collect()
}
