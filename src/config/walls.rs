//! The `[[wall]]` entries: faces of the domain's box, and planes.

use super::document::{Node, Value};
use super::fault::Fault;
use super::read::Domain;
use super::reader::{Number, Range, Section, nearest, tell};
use crate::body::Wall;
use crate::math::Vector3;
use crate::shape::{HalfSpace, Surface};

const FACES: [&str; 6] = ["x-", "x+", "y-", "y+", "z-", "z+"];

/// Reads all walls; `materials` are the names of the materials.
pub(super) fn read(
    root: &Section,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Wall> {
    let accepted = "tables headed [[wall]] with shape and material";
    let mut walls: Vec<Wall> = Vec::new();
    for (entry, node) in root.tables("wall", accepted, faults).iter().enumerate() {
        for wall in read_entry(entry, node, materials, domain, faults) {
            if walls.iter().any(|w| w.name == wall.name) {
                let message = format!(
                    "wall \"{}\" is there twice; accepted: a new name",
                    wall.name
                );
                tell(node, message, faults);
            }
            walls.push(wall);
        }
    }
    walls
}

fn read_entry(
    entry: usize,
    node: &Node,
    materials: &[&str],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Wall> {
    let is_box = match &node.value {
        Value::Table(keys) => !keys
            .iter()
            .any(|(k, n)| k == "shape" && is_text(n, "plane")),
        _ => true,
    };
    let known: &[&str] = if is_box {
        &["shape", "material", "name", "faces"]
    } else {
        &["shape", "material", "name", "point", "normal"]
    };
    let section = Section::new(node, known, faults);
    let material = section.name_of("material", materials, faults);
    let material = material.unwrap_or_default() as u32;
    let name = section.text_if("name", faults);
    match section.choice("shape", &["box", "plane"], faults) {
        Some("plane") => {
            let name = name.map_or_else(|| format!("plane-{entry}"), str::to_owned);
            let shape = plane(&section, faults);
            vec![Wall::fixed(name, Surface::Plane(shape), material)]
        }
        Some(_) => {
            let faces = section
                .get("faces")
                .map_or(FACES.to_vec(), |node| faces(node, faults));
            let name = name.unwrap_or("box");
            let wall = |face: &str| {
                let surface = Surface::Plane(domain_face(domain, face));
                Wall::fixed(format!("{name}.{face}"), surface, material)
            };
            faces.into_iter().map(wall).collect()
        }
        None => Vec::new(),
    }
}

fn is_text(node: &Node, text: &str) -> bool {
    matches!(&node.value, Value::Text(found) if found == text)
}

fn plane(section: &Section, faults: &mut Vec<Fault>) -> HalfSpace {
    let point = section.vector("point", Number(Range::Finite, "m"), faults);
    let normal = Vector3::from(section.vector("normal", Number(Range::Finite, ""), faults));
    // Scaled before it is squared, so that no length over- or underflows.
    let largest = normal.amax();
    if let (true, Some(node)) = (largest == 0.0, section.get("normal")) {
        let message =
            "is zero and has no direction; accepted: a vector from the wall into the free side";
        tell(node, message, faults);
    }
    HalfSpace {
        point: Vector3::from(point),
        normal: (normal / largest).normalize(),
    }
}

fn faces(node: &Node, faults: &mut Vec<Fault>) -> Vec<&'static str> {
    let accepted = "a list of some of \"x-\", \"x+\", \"y-\", \"y+\", \"z-\", \"z+\"";
    let Value::List(items) = &node.value else {
        tell(
            node,
            format!("{} is not a list; accepted: {accepted}", node.shown),
            faults,
        );
        return Vec::new();
    };
    if items.is_empty() {
        tell(
            node,
            format!("is an empty list; accepted: {accepted}"),
            faults,
        );
    }
    let mut found = Vec::new();
    for item in items {
        let face = FACES.iter().find(|face| is_text(item, face));
        match face {
            Some(face) => found.push(*face),
            None => {
                let written = item.shown.trim_matches('"');
                let hint = nearest(written, &FACES).map(|f| format!("did you mean \"{f}\"? "));
                let hint = hint.unwrap_or_default();
                tell(
                    item,
                    format!("{} is no face; {hint}accepted: {accepted}", item.shown),
                    faults,
                );
            }
        }
    }
    found
}

/// The half-space outside one face of the domain.
fn domain_face(domain: &Domain, face: &str) -> HalfSpace {
    let axis = match face.as_bytes()[0] {
        b'x' => 0,
        b'y' => 1,
        _ => 2,
    };
    let lower = face.ends_with('-');
    let mut normal = Vector3::zeros();
    normal[axis] = if lower { 1.0 } else { -1.0 };
    let corner = if lower { domain.lower } else { domain.upper };
    HalfSpace {
        point: Vector3::from(corner),
        normal,
    }
}
