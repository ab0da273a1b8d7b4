//! The `[[bodies]]` entries: lattices, random samples, files.

use super::document::Node;
use super::domain::{Domain, corners};
use super::fault::Fault;
use super::materials::Material;
use super::radii::{RADII, radii};
use super::reader::{METRES, Number, Range, Section, both, must, refuse, report};
use super::regions::{NamedRegion, named, no_images};
use super::templates::Forms;
use crate::body::BodyKind;
use crate::sample::{
    Amount, Arrangement, Ids, Lattice, Named, Radius, Random, Sample, Source, Space,
};
use crate::scheme::acts::Growth;
use crate::shape::{HalfSpace, Region};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const KINDS: [&str; 3] = ["lattice", "random", "file"];

/// Reads all entries.
pub(super) fn read(
    root: &Section,
    materials: &[Material],
    forms: &Forms,
    domain: &Domain,
    regions: &[NamedRegion],
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Vec<Sample> {
    let accepted = "one or more tables headed [[bodies]] with sample and material";
    let entries = match root.get("inlet") {
        // Bodies may also enter by an inlet.
        Some(_) => root.tables("bodies", accepted, faults),
        None => root.need_tables("bodies", accepted, faults),
    };
    entries
        .iter()
        .filter_map(|node| read_entry(node, materials, forms, domain, regions, growth, faults))
        .collect()
}

fn read_entry(
    node: &Node,
    materials: &[Material],
    forms: &Forms,
    domain: &Domain,
    regions: &[NamedRegion],
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Option<Sample> {
    let sample = node.child("sample");
    let is = |kind: &str| sample.is_some_and(|node| node.is_text(kind));
    let mut known = vec![
        "sample",
        "material",
        "template",
        "velocity",
        "angular_velocity",
        "motion",
    ];
    known.extend_from_slice(match KINDS.iter().find(|kind| is(kind)) {
        Some(&"file") => &["file", "materials", "ids"],
        Some(&"random") => &["count", "fraction", "radius", "lower", "upper", "region"],
        _ => &[
            "count", "radius", "jitter", "lower", "upper", "region", "lattice",
        ],
    });
    let section = Section::new(node, &known, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let material = section.name_of("material", &names, faults);
    let form = forms.of(&section, faults);
    let velocity = section.vector_if("velocity", Number(Range::Finite, "m/s"), faults);
    let spin = section.vector_if("angular_velocity", Number(Range::Finite, "rad/s"), faults);
    let motion = section.choice_if("motion", &["free", "fixed", "driven"], faults);
    if let (Some("fixed"), Some(node)) = (
        motion,
        section.get("velocity").or(section.get("angular_velocity")),
    ) {
        let accepted = "left out, or come with motion = \"driven\"";
        let found = format!("{} of a fixed body", node.shown);
        must(node, accepted, &found, faults);
    }
    if domain.two_dimensional {
        let out = |v: Option<[f64; 3]>, axes: &[usize]| {
            v.is_some_and(|v| axes.iter().any(|&a| v[a] != 0.0))
        };
        if let (true, Some(node)) = (out(velocity, &[2]), section.get("velocity")) {
            refuse(node, "z = 0 in two dimensions", faults);
        }
        if let (true, Some(node)) = (out(spin, &[0, 1]), section.get("angular_velocity")) {
            refuse(node, "x = y = 0 in two dimensions", faults);
        }
    }
    let good_so_far = faults.len();
    let source = match section.choice("sample", &KINDS, faults)? {
        "file" => {
            let accepted = "the path of a CSV file, a LAMMPS data file or dump, or a checkpoint";
            let path = PathBuf::from(section.text("file", accepted, faults)?);
            let ids = match section.choice_if("ids", &["file", "new"], faults) {
                Some("new") => Ids::New,
                _ => Ids::OfFile,
            };
            match is_hdf5(&path) {
                true => Source::Checkpoint {
                    path,
                    as_there: motion.is_none(),
                    ids,
                },
                false => Source::File { path, ids },
            }
        }
        "random" => Source::Random(random(&section, domain, regions, faults)),
        _ => Source::Lattice(lattice(&section, domain, regions, faults)),
    };
    let mut sample = Sample {
        source,
        material: material.unwrap_or_default() as u32,
        density: material.map_or(f64::NAN, |k| materials[k].density),
        named: words(&section, materials, faults),
        velocity: velocity.unwrap_or_default(),
        angular_velocity: spin.unwrap_or_default(),
        kind: match motion {
            Some("fixed") => BodyKind::Fixed,
            Some("driven") => BodyKind::Driven,
            _ => BodyKind::Free,
        },
        discs: domain.two_dimensional,
        form,
        size: 1.0,
    };
    if let Source::Checkpoint { .. } = &sample.source {
        let keys = ["template", "materials"].into_iter();
        for node in keys.filter_map(|key| section.get(key)) {
            let accepted = "left out of bodies from a checkpoint";
            must(node, accepted, &node.shown, faults);
        }
    }
    sample.count_solid_volume();
    // Bodies are not shrunk to an initial size that is itself at fault.
    let growth = growth.filter(|growth| growth.from.is_finite());
    if let (Some(growth), BodyKind::Free) = (growth, sample.kind) {
        sample.shrink(growth.from);
    }
    // In a domain that is itself at fault no bodies fit; that would only repeat its fault.
    if faults.len() == good_so_far {
        fits(&section, &mut sample, faults);
    }
    Some(sample)
}

/// The materials by the words of a file: `materials = { WORD = "NAME" }`.
fn words(section: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> Vec<Named> {
    let Some(node) = section.get("materials") else {
        return Vec::new();
    };
    if node.entries().is_empty() {
        let accepted = "a table of words of the file, each with the name of a [[material]]";
        refuse(node, accepted, faults);
    }
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let found = node.entries().iter().filter_map(|(word, node)| {
        let Some(number) = names.iter().position(|name| node.is_text(name)) else {
            refuse(node, &format!("one of {}", names.join(", ")), faults);
            return None;
        };
        Some(Named {
            word: word.clone(),
            material: number as u32,
            density: materials[number].density,
        })
    });
    found.collect()
}

/// Whether a file begins with HDF5's signature; `false` for a missing file.
///
/// A resumed run does not need the file, so it may be missing.
fn is_hdf5(path: &Path) -> bool {
    let mut begin = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"\x89HDF\r\n\x1a\n"
}

/// Checks that the bodies fit; a lattice without a count gets as many bodies as fit.
fn fits(section: &Section, sample: &mut Sample, faults: &mut Vec<Fault>) {
    let is_box = |space: &Space| (0..3).all(|k| space.upper[k] > space.lower[k]);
    let (found, keys) = match &mut sample.source {
        Source::Lattice(lattice) if is_box(&lattice.space) => {
            let found = match section.get("count") {
                Some(_) => lattice.check(sample.discs),
                None => lattice.fit(sample.discs).and_then(|fit| {
                    lattice.count = fit;
                    // The count becomes the number that fits, unless none does.
                    if fit > 0 {
                        Ok(())
                    } else {
                        lattice.check(sample.discs)
                    }
                }),
            };
            (found.err(), ["count", "region"])
        }
        Source::Random(random) if is_box(&random.space) => {
            (random.count(sample.discs).err(), ["count", "fraction"])
        }
        _ => return,
    };
    let node = keys.iter().find_map(|key| section.get(key));
    if let (Some(error), Some(node)) = (found, node) {
        report(node, error.to_string(), faults);
    }
}

fn radius(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Radius {
    let radius = section.need("radius", RADII, faults);
    radius.map_or(Radius::Constant(f64::NAN), |node| {
        radii(node, domain.two_dimensional, faults)
    })
}

fn lattice(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Lattice {
    if section.get("region").is_none() {
        section.need("count", "a whole number >= 1", faults);
    }
    let count = section.whole_if("count", 1, faults).unwrap_or(1);
    let radius = radius(section, domain, faults);
    let share = Number(Range::Between(0.0, 1.0), "of a diameter");
    let jitter = section.number_if("jitter", share, faults);
    let arrangement = match section.choice_if("lattice", &["sc", "fcc", "hcp"], faults) {
        Some("fcc") => Arrangement::FaceCentredCubic,
        Some("hcp") => Arrangement::HexagonalClosePacked,
        _ => Arrangement::SimpleCubic,
    };
    if let (Arrangement::FaceCentredCubic, true, Some(node)) =
        (arrangement, domain.two_dimensional, section.get("lattice"))
    {
        refuse(node, "sc or hcp in two dimensions", faults);
    }
    Lattice {
        count,
        radius,
        arrangement,
        space: space(section, domain, regions, faults),
        jitter: jitter.unwrap_or(Lattice::JITTER),
    }
}

fn random(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Random {
    let count = section.whole_if("count", 1, faults);
    let solid = Number(Range::Inside(0.0, 1.0), "of the region");
    let fraction = section.number_if("fraction", solid, faults);
    let amount = match (count, fraction) {
        (Some(count), None) => Amount::Count(count),
        (None, Some(fraction)) => Amount::Fraction(fraction),
        (None, None) => {
            section.missing(
                "count",
                "a whole number >= 1, or fraction in its place",
                faults,
            );
            Amount::Count(1)
        }
        (Some(count), Some(_)) => {
            if let Some(node) = section.get("fraction") {
                both(node, ["count", "fraction"], faults);
            }
            Amount::Count(count)
        }
    };
    Random {
        amount,
        radius: radius(section, domain, faults),
        space: space(section, domain, regions, faults),
    }
}

/// The place of a sample's bodies: the domain, a box in it, or a region.
fn space(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Space {
    let corner = section.vector_if("lower", METRES, faults);
    let mut lower = corner.unwrap_or(domain.lower);
    let corner = section.vector_if("upper", METRES, faults);
    let mut upper = corner.unwrap_or(domain.upper);
    if let Some(node) = section.get("upper").or(section.get("lower")) {
        corners(node, lower, upper, faults);
    }
    for (key, corner) in [("lower", lower), ("upper", upper)] {
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let (low, x, high) = (domain.lower[axis], corner[axis], domain.upper[axis]);
            if let (true, Some(node)) = (x < low || x > high, section.get(key)) {
                let accepted = format!("in the domain, {low} to {high} [m] along {name}");
                must(node, &accepted, &x.to_string(), faults);
            }
        }
    }
    let mut region = None;
    if let Some(node) = section.get("region") {
        if section.get("lower").or(section.get("upper")).is_some() {
            both(node, ["region", "the corners lower and upper"], faults);
        }
        if let Some(named) = named(section, regions, faults) {
            no_images(section, named, domain, faults);
            region = Some(named.region);
        }
    }
    if let Some(part) = region {
        let (low, high) = part.bounds();
        for a in 0..3 {
            lower[a] = lower[a].max(low[a]);
            upper[a] = upper[a].min(high[a]);
        }
        // A box has been checked already.
        let across = |plane: &HalfSpace| plane.normal.iter().any(|n| n.abs() == 1.0);
        match &part {
            Region::Box { .. } => region = None,
            Region::HalfSpace(plane) if across(plane) => region = None,
            _ => {}
        }
    }
    let whole = |a: usize| lower[a] == domain.lower[a] && upper[a] == domain.upper[a];
    Space {
        lower,
        upper,
        periodic: [0, 1, 2].map(|a| domain.periodic[a] && whole(a)),
        region,
    }
}
