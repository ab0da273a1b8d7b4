//! The `[[bodies]]` entries: lattices and files.

use super::Material;
use super::document::{Node, Value};
use super::fault::Fault;
use super::read::{Domain, corners};
use super::reader::{Number, Range, Section, tell};
use crate::body::BodyKind;
use crate::sample::{Lattice, Radius, Sample, Source};
use std::path::PathBuf;

const METRES: Number = Number(Range::Finite, "m");
const SIZE: Number = Number(Range::Positive, "m");

/// Reads all entries.
pub(super) fn read(
    root: &Section,
    materials: &[Material],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Sample> {
    let accepted = "one or more tables headed [[bodies]] with sample and material";
    let entries = match root.get("inlet") {
        // Bodies may come in by it.
        Some(_) => root.tables("bodies", accepted, faults),
        None => root.need_tables("bodies", accepted, faults),
    };
    entries
        .iter()
        .filter_map(|node| read_entry(node, materials, domain, faults))
        .collect()
}

fn read_entry(
    node: &Node,
    materials: &[Material],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Option<Sample> {
    let sample = match &node.value {
        Value::Table(keys) => keys.iter().find(|(key, _)| key == "sample"),
        _ => None,
    };
    let is_file = sample.is_some_and(|(_, n)| matches!(&n.value, Value::Text(t) if t == "file"));
    let known: &[&str] = if is_file {
        &[
            "sample",
            "material",
            "velocity",
            "angular_velocity",
            "motion",
            "file",
        ]
    } else {
        &[
            "sample",
            "material",
            "velocity",
            "angular_velocity",
            "motion",
            "count",
            "radius",
            "jitter",
            "lower",
            "upper",
        ]
    };
    let section = Section::new(node, known, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let material = section.name_of("material", &names, faults);
    let velocity = section.vector_if("velocity", Number(Range::Finite, "m/s"), faults);
    let spin = section.vector_if("angular_velocity", Number(Range::Finite, "rad/s"), faults);
    let motion = section.choice_if("motion", &["free", "fixed", "driven"], faults);
    if let (Some("fixed"), Some(node)) = (
        motion,
        section.get("velocity").or(section.get("angular_velocity")),
    ) {
        tell(
            node,
            "a fixed body does not move; accepted: motion = \"driven\", or no velocity",
            faults,
        );
    }
    if domain.two_dimensional {
        let out = |v: Option<[f64; 3]>, axes: &[usize]| {
            v.is_some_and(|v| axes.iter().any(|&a| v[a] != 0.0))
        };
        if let (true, Some(node)) = (out(velocity, &[2]), section.get("velocity")) {
            tell(
                node,
                "points out of the plane z = 0; accepted: z = 0",
                faults,
            );
        }
        if let (true, Some(node)) = (out(spin, &[0, 1]), section.get("angular_velocity")) {
            tell(
                node,
                "turns out of the plane z = 0; accepted: x = y = 0",
                faults,
            );
        }
    }
    let good_so_far = faults.len();
    let source = match section.choice("sample", &["lattice", "file"], faults)? {
        "file" => {
            let file = section.text("file", "the path of a CSV or LAMMPS data file", faults)?;
            Source::File(PathBuf::from(file))
        }
        _ => Source::Lattice(lattice(&section, domain, faults)),
    };
    let sample = Sample {
        source,
        material: material.unwrap_or_default() as u32,
        density: material.map_or(f64::NAN, |k| materials[k].density),
        velocity: velocity.unwrap_or_default(),
        angular_velocity: spin.unwrap_or_default(),
        kind: match motion {
            Some("fixed") => BodyKind::Fixed,
            Some("driven") => BodyKind::Driven,
            _ => BodyKind::Free,
        },
        discs: domain.two_dimensional,
    };
    if let (Source::Lattice(lattice), true) = (&sample.source, faults.len() == good_so_far) {
        // In a domain that is itself at fault nothing fits, which is only the echo of that fault.
        let is_box = (0..3).all(|k| lattice.upper[k] > lattice.lower[k]);
        if let (true, Err(error), Some(count)) =
            (is_box, lattice.check(sample.discs), section.get("count"))
        {
            tell(count, error.to_string(), faults);
        }
    }
    Some(sample)
}

fn lattice(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Lattice {
    section.need("count", "a whole number >= 1", faults);
    let count = section.whole_if("count", 1, faults).unwrap_or(1);
    let says = "a number > 0 [m], or { uniform = [LOW, HIGH] }";
    let radius = section.need("radius", says, faults);
    let radius = radius.map_or(Radius::Constant(f64::NAN), |node| radii(node, faults));
    let jitter = section.number_if(
        "jitter",
        Number(Range::Between(0.0, 1.0), "of a diameter"),
        faults,
    );
    let lower = section
        .vector_if("lower", METRES, faults)
        .unwrap_or(domain.lower);
    let upper = section
        .vector_if("upper", METRES, faults)
        .unwrap_or(domain.upper);
    if let Some(node) = section.get("upper").or(section.get("lower")) {
        corners(node, lower, upper, faults);
    }
    for (key, corner) in [("lower", lower), ("upper", upper)] {
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let (low, x, high) = (domain.lower[axis], corner[axis], domain.upper[axis]);
            if let (true, Some(node)) = (x < low || x > high, section.get(key)) {
                let message =
                    format!("{name} = {x} lies outside the domain; accepted: {low} to {high} [m]");
                tell(node, message, faults);
            }
        }
    }
    Lattice {
        count,
        radius,
        lower,
        upper,
        jitter: jitter.unwrap_or(Lattice::JITTER),
    }
}

/// A radius, or how radii are distributed.
pub(super) fn radii(node: &Node, faults: &mut Vec<Fault>) -> Radius {
    if !matches!(node.value, Value::Table(_)) {
        return Radius::Constant(SIZE.read(node, faults));
    }
    let section = Section::new(node, &["uniform"], faults);
    let accepted = "uniform = [LOW, HIGH]";
    let Some(bounds) = section.need("uniform", accepted, faults) else {
        return Radius::Constant(f64::NAN);
    };
    let [low, high] = SIZE.read_list(bounds, faults);
    if high < low {
        let message = format!("{} falls; accepted: the smaller radius first", bounds.shown);
        tell(bounds, message, faults);
    }
    Radius::Uniform(low, high)
}
