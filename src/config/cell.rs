//! The `[cell]` table: a periodic cell that deforms.

use super::document::Value;
use super::domain::Domain;
use super::fault::Fault;
use super::ramp;
use super::reader::{Number, Range, Section, both, must, needs, refuse};
use crate::body::{Cell, Edge, Signal, Wall};
use crate::math::Vector3;
use crate::scheme::NAMES;
use crate::scheme::quasistatic::{Linear, Statics};
use crate::shape::Surface;

/// The keys that move an edge.
const MOTIONS: [&str; 4] = ["rate", "true_rate", "file", "stress"];

/// Reads `[cell]`; `None`: the domain keeps its size.
pub(super) fn read(
    root: &Section,
    (domain, walls): (&Domain, &[Wall]),
    faults: &mut Vec<Fault>,
) -> Option<Cell> {
    let node = root.get("cell")?;
    let section = root.table("cell", &["x", "y", "z", "mass"], faults);
    let edges = ["x", "y", "z"].map(|name| edge(&section, name, faults));
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let Some(edge) = section.get(name) else {
            continue;
        };
        if !domain.periodic[axis] {
            needs(edge, &format!("domain.periodic along {name}"), faults);
        }
        // A surface that varies along the edge would have to be strained itself.
        let across = |wall: &&Wall| match &wall.surface {
            Surface::Plane(plane) => plane.normal[axis] != 0.0,
            _ => true,
        };
        if let Some(wall) = walls.iter().find(across) {
            let accepted = format!("walls that are planes along {name}, which the cell strains");
            must(edge, &accepted, &format!("wall {}", wall.name), faults);
        }
    }
    if !edges.iter().any(Edge::moves) {
        let accepted =
            "at least one of x, y and z, each with one of rate, true_rate, file and stress";
        refuse(node, accepted, faults);
    }
    // Regions stand where they are while bodies move with the cell.
    for key in ["inlet", "outlet", "freeze", "force", "support"] {
        if let Some(other) = root.get(key) {
            both(other, ["cell", key], faults);
        }
    }
    let stressed = edges.iter().any(|edge| edge.stress(0.0).is_some());
    let mass = section.number_if("mass", Number(Range::Positive, "kg"), faults);
    if let (Some(mass), false) = (section.get("mass"), stressed) {
        needs(mass, "an edge with stress", faults);
    }
    let [lower, upper] = [domain.lower, domain.upper].map(Vector3::from);
    Some(Cell {
        lower,
        lengths: upper - lower,
        planar: domain.two_dimensional,
        edges,
        mass,
    })
}

/// Refuses a cell with keys of the scheme that have no meaning or are not built for it.
pub(super) fn suits(
    root: &Section,
    cell: Option<&Cell>,
    statics: Option<&Statics>,
    faults: &mut Vec<Fault>,
) {
    let (Some(cell), Some(statics)) = (cell, statics) else {
        return;
    };
    let of = |section: &'static str, key: &str| {
        let Value::Table(keys) = &root.get(section)?.value else {
            return None;
        };
        keys.iter()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node)
    };
    if let Some(mass) = of("cell", "mass") {
        needs(mass, &format!("scheme = \"{}\"", NAMES[0]), faults);
    }
    if let (true, Some(node)) = (statics.geometric, of("quasistatic", "geometric")) {
        must(node, "false with a [cell]", "true", faults);
    }
    let stressed = cell.edges.iter().any(|edge| edge.stress(0.0).is_some());
    if let (true, Linear::Direct, Some(node)) =
        (stressed, statics.linear, of("quasistatic", "linear"))
    {
        let accepted = "\"iterative\" with an edge of the [cell] under stress";
        must(node, accepted, "\"direct\"", faults);
    }
}

/// The motion of an edge.
fn edge(section: &Section, name: &'static str, faults: &mut Vec<Fault>) -> Edge {
    let Some(node) = section.get(name) else {
        return Edge::Fixed;
    };
    let edge = section.table(
        name,
        &["rate", "true_rate", "file", "stress", "factor"],
        faults,
    );
    let given = MOTIONS.into_iter().filter(|key| edge.get(key).is_some());
    let given: Vec<&str> = given.collect();
    let &[key] = &given[..] else {
        match (&given[..], given.get(1).and_then(|key| edge.get(key))) {
            (&[first, second, ..], Some(node)) => both(node, [first, second], faults),
            _ => refuse(node, &format!("one of {}", MOTIONS.join(", ")), faults),
        }
        return Edge::Fixed;
    };
    if let (Some(factor), false) = (edge.get("factor"), key == "stress") {
        needs(factor, "stress", faults);
    }
    let per_second = Number(Range::Finite, "1/s");
    match key {
        "rate" => Edge::Strain(Signal::Rate(edge.number(key, per_second, faults))),
        "true_rate" => Edge::Grows(edge.number(key, per_second, faults)),
        "file" => ramp::of_file(&edge, faults).map_or(Edge::Fixed, |points| {
            Edge::Strain(Signal::Table {
                times: points.times,
                values: points.values,
                rates: false,
            })
        }),
        _ => {
            let stress = edge.number(key, Number(Range::Finite, "Pa"), faults);
            Edge::Stress(stress, ramp::factor(&edge, faults))
        }
    }
}
