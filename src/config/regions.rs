//! The `[[region]]` entries: parts of space that other entries name.

use super::document::Node;
use super::domain::{Domain, LOWER, UPPER, corners};
use super::fault::Fault;
use super::key::{Key, List, Names, Needed, TEXT, Text, Three};
use super::reader::{Number, Range, Section, must, refuse, twice};
use super::table::Table;
use super::walls::{CENTRE, FROM, POINT, RADIUS, TO, ends, unit};
use crate::math::Vector3;
use crate::shape::{HalfSpace, Region};
use std::collections::HashSet;

const KINDS: [&str; 4] = ["box", "cylinder", "sphere", "half-space"];

/// The key under which entries name a region.
pub(super) const KEY: &str = "region";

const NAME: Key<Text, Needed> = Key::new("name", TEXT, Needed, "name by which others refer to it");
const SHAPE: Key<Names, Needed> = Key::new(
    "shape",
    Names(&KINDS),
    Needed,
    "see the keys of each shape below",
);
const NORMAL: Key<Three, Needed> = Key::new(
    "normal",
    List(Number(Range::Finite, "")),
    Needed,
    "vector from the plane into the region",
);

/// `[[region]]`.
pub(super) const TABLE: Table = Table::new("region", &[&NAME, &SHAPE]).kind(
    "[[region]]",
    "a part of space that other entries refer to; it is not solid",
);
/// Keys of a box.
pub(super) const BOX: Table =
    Table::new("region:box", &[&LOWER, &UPPER]).kind("shape = \"box\"", "a box along the axes");
/// Keys of a cylinder.
pub(super) const CYLINDER: Table = Table::new("region:cylinder", &[&FROM, &TO, &RADIUS])
    .kind("shape = \"cylinder\"", "a cylinder with flat ends");
/// Keys of a sphere.
pub(super) const SPHERE: Table =
    Table::new("region:sphere", &[&CENTRE, &RADIUS]).kind("shape = \"sphere\"", "a ball");
/// Keys of a half-space.
pub(super) const HALF_SPACE: Table = Table::new("region:half-space", &[&POINT, &NORMAL])
    .kind("shape = \"half-space\"", "all space on one side of a plane");

/// A region and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRegion {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub region: Region,
}

/// Reads all regions.
pub(super) fn read(root: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Vec<NamedRegion> {
    let accepted = "tables headed [[region]] with name and shape";
    let mut regions: Vec<NamedRegion> = Vec::new();
    let mut names = HashSet::new();
    for node in root.tables("region", accepted, faults) {
        let Some(read) = read_entry(node, domain, faults) else {
            continue;
        };
        if !names.insert(read.name.clone()) {
            twice(node, &format!("\"{}\"", read.name), faults);
        }
        regions.push(read);
    }
    regions
}

/// The region that an entry names under `region`.
pub(super) fn named<'a>(
    section: &Section,
    regions: &'a [NamedRegion],
    faults: &mut Vec<Fault>,
) -> Option<&'a NamedRegion> {
    if let (true, Some(node)) = (regions.is_empty(), section.get(KEY)) {
        refuse(node, "the name of a [[region]]", faults);
        return None;
    }
    let names: Vec<&str> = regions.iter().map(|r| r.name.as_str()).collect();
    let found = section.name_of(KEY, &names, faults)?;
    regions.get(found)
}

/// Refuses a region that crosses an end of a periodic axis, except a box that holds the whole
/// period.
///
/// A region in which bodies are made, held, pushed or deleted has no images; only measures use
/// images.
pub(super) fn no_images(
    section: &Section,
    found: &NamedRegion,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) {
    if matches!(found.region, Region::HalfSpace(_)) {
        return;
    }
    let (lower, upper) = found.region.bounds();
    for (a, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let (low, high) = (domain.lower[a], domain.upper[a]);
        let whole =
            matches!(found.region, Region::Box { .. }) && lower[a] <= low && upper[a] >= high;
        let beyond = lower[a] < low || upper[a] > high;
        if let (true, true, false, Some(node)) =
            (domain.periodic[a], beyond, whole, section.get(KEY))
        {
            let accepted = format!(
                "within {low} to {high} [m] along {axis}, which is periodic, or a box that holds all of it"
            );
            let found = format!("{}: {} to {}", node.shown, lower[a], upper[a]);
            must(node, &accepted, &found, faults);
        }
    }
}

fn read_entry(node: &Node, domain: &Domain, faults: &mut Vec<Fault>) -> Option<NamedRegion> {
    let shape = node.child("shape");
    let is = |kind: &str| shape.is_some_and(|node| node.is_text(kind));
    let of_shape = match KINDS.iter().find(|kind| is(kind)) {
        Some(&"cylinder") => &CYLINDER,
        Some(&"sphere") => &SPHERE,
        Some(&"half-space") => &HALF_SPACE,
        _ => &BOX,
    };
    let section = Section::of(node, &[&TABLE, of_shape], faults);
    let name = section.read(&NAME, faults);
    let before = faults.len();
    let region = match section.read(&SHAPE, faults)? {
        "cylinder" => {
            let (from, axis, length) = ends(&section, faults);
            let radius = section.read(&RADIUS, faults);
            Region::Cylinder {
                from,
                axis,
                length,
                radius,
            }
        }
        "sphere" => Region::Sphere {
            centre: Vector3::from(section.read(&CENTRE, faults)),
            radius: section.read(&RADIUS, faults),
        },
        "half-space" => {
            let point = Vector3::from(section.read(&POINT, faults));
            let normal = section.read(&NORMAL, faults);
            let accepted = "a vector from the plane into the region";
            let normal = unit(&section, "normal", normal, accepted, faults);
            Region::HalfSpace(HalfSpace { point, normal })
        }
        _ => {
            let lower = section.read(&LOWER, faults);
            let upper = section.read(&UPPER, faults);
            if let Some(node) = section.get("upper") {
                corners(node, lower, upper, faults);
            }
            Region::Box {
                lower: Vector3::from(lower),
                upper: Vector3::from(upper),
            }
        }
    };
    let (lower, upper) = region.bounds();
    let apart = (0..3).any(|a| upper[a] < domain.lower[a] || lower[a] > domain.upper[a]);
    if apart && faults.len() == before {
        let accepted = format!(
            "partly in the domain, {:?} to {:?} [m]",
            domain.lower, domain.upper
        );
        let bounds = [lower, upper].map(<[f64; 3]>::from);
        let found = format!("{:?} to {:?}", bounds[0], bounds[1]);
        must(node, &accepted, &found, faults);
    }
    Some(NamedRegion {
        name: name?,
        region,
    })
}
