//! The `[[inlet]]` entries: sources of bodies.

use super::acts::{FROM, UNTIL, in_plane, one_of, spell};
use super::bodies::{MATERIAL, RADIUS};
use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, List, Needed, Or, Preset, Three, Whole};
use super::materials::Material;
use super::radii::{RADII, radii};
use super::reader::{Number, Range, Section, must};
use super::regions::{KEY, NamedRegion, named};
use super::table::Table;
use super::templates::{Forms, OF_BODIES};
use crate::sample::inlet::{Inlet, Rate};
use crate::shape::Region;

const REGION: Entry = Entry::new(
    KEY,
    "the name of a `[[region]]`: a box, cylinder or sphere in the domain",
    "—",
    "region in which bodies appear",
);
const RATE: Key<Number, Needed> = Key::new(
    "rate",
    Number(Range::Positive, "1/s"),
    Needed,
    "bodies per time",
);
const MASS_RATE: Key<Number, Needed> = Key::new(
    "mass_rate",
    Number(Range::Positive, "kg/s"),
    Needed,
    "mass per time, in place of `rate`",
);
const COUNT: Key<Whole, Or> = Key::new(
    "count",
    Whole::from(1),
    Or("unlimited"),
    "number of bodies in all",
);
const EVERY: Key<Whole, Preset<u64>> = Key::new(
    "every",
    Whole::from(1),
    Preset(10),
    "steps between two insertions of the bodies that are due",
);

const VELOCITY: Key<Three, Preset<[f64; 3]>> = Key::new(
    "velocity",
    List(Number(Range::Finite, "m/s")),
    Preset([0.0; 3]),
    "velocity of a body when it comes in",
);
const SPIN: Key<Three, Preset<[f64; 3]>> = Key::new(
    "angular_velocity",
    List(Number(Range::Finite, "rad/s")),
    Preset([0.0; 3]),
    "angular velocity of a body when it comes in",
);

/// `[[inlet]]`.
pub(super) const TABLE: Table = Table::new(
    "inlet",
    &[
        &REGION, &MATERIAL, &OF_BODIES, &RADIUS, &RATE, &MASS_RATE, &COUNT, &EVERY, &FROM, &UNTIL,
        &VELOCITY, &SPIN,
    ],
)
.kind(
    "[[inlet]]",
    "a source of bodies; a configuration with an inlet needs no `[[bodies]]`",
);

/// Reads all inlets.
pub(super) fn read(
    root: &Section,
    materials: &[Material],
    forms: &Forms,
    regions: &[NamedRegion],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Vec<Inlet> {
    let accepted = "tables headed [[inlet]] with region, material, radius, and rate or mass_rate";
    let inlets = root.tables("inlet", accepted, faults);
    let each = inlets.iter();
    each.filter_map(|node| inlet(node, materials, forms, regions, domain, faults))
        .collect()
}

fn inlet(
    node: &Node,
    materials: &[Material],
    forms: &Forms,
    regions: &[NamedRegion],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Option<Inlet> {
    let section = Section::of(node, &[&TABLE], faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let material = section.name_of(MATERIAL.name, &names, faults);
    let form = forms.of(&section, faults);
    let spell = spell(&section, faults);
    let before = faults.len();
    let radius = section
        .need(RADIUS.name, RADII, faults)
        .map(|node| radii(node, domain.two_dimensional, faults));
    let velocity = section.read(&VELOCITY, faults);
    let spin = section.read(&SPIN, faults);
    let vectors: [(&str, [f64; 3], &[usize]); 2] =
        [(VELOCITY.name, velocity, &[2]), (SPIN.name, spin, &[0, 1])];
    in_plane(&section, domain, &vectors, faults);
    let rate = one_of(&section, node, [RATE.name, MASS_RATE.name], faults);
    let rate = rate.map(|key| match key == RATE.name {
        true => Rate::Number(section.read(&RATE, faults)),
        false => Rate::Mass(section.read(&MASS_RATE, faults)),
    });
    let count = section.read(&COUNT, faults);
    let every = section.read(&EVERY, faults);
    let found = named(&section, regions, faults);
    let (found, radius, rate) = (found?, radius?, rate?);
    if faults.len() == before {
        has_room(&section, found, 2.0 * radius.largest(), domain, faults);
    }
    Some(Inlet {
        name: found.name.clone(),
        region: found.region,
        spell,
        rate,
        count: count.unwrap_or(u64::MAX),
        every,
        radius,
        material: material? as u32,
        density: materials[material?].density,
        velocity,
        angular_velocity: spin,
        discs: domain.two_dimensional,
        form,
    })
}

/// Checks that an inlet's region is bounded, lies in the domain, and has room for the largest body.
///
/// `diameter` [m] is that of the largest body.
fn has_room(
    section: &Section,
    found: &NamedRegion,
    diameter: f64,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) {
    let Some(node) = section.get(REGION.name) else {
        return;
    };
    let (lower, upper) = found.region.bounds();
    if matches!(found.region, Region::HalfSpace(_)) {
        let found = format!("{}, which is unbounded", node.shown);
        must(node, "a box, a cylinder or a sphere", &found, faults);
        return;
    }
    if domain.two_dimensional && !(lower.z <= 0.0 && upper.z > 0.0) {
        let (low, high) = (lower.z, upper.z);
        let accepted = "a region with z = 0 inside, the plane in which discs lie";
        let found = format!("{}: z = {low} to {high} [m]", node.shown);
        must(node, accepted, &found, faults);
        return;
    }
    // A region as wide as the body, except for rounding, has room.
    let least = diameter * (1.0 - 1e-9);
    if let (Region::Cylinder { length, radius, .. }, false) =
        (&found.region, domain.two_dimensional)
        && length.min(2.0 * radius) < least
    {
        let accepted = format!("at least {diameter} m long and wide, as the largest body is");
        let wide = 2.0 * radius;
        let found = format!("{}: {length} m long, {wide} m wide", node.shown);
        must(node, &accepted, &found, faults);
        return;
    }
    let axes = if domain.two_dimensional { 2 } else { 3 };
    for (a, axis) in ["x", "y", "z"].into_iter().enumerate().take(axes) {
        let (low, high) = (domain.lower[a], domain.upper[a]);
        if lower[a] < low || upper[a] > high {
            let accepted = format!("within the domain, {low} to {high} [m] along {axis}");
            let found = format!("{}: {} to {}", node.shown, lower[a], upper[a]);
            must(node, &accepted, &found, faults);
        } else if upper[a] - lower[a] < least {
            let accepted =
                format!("at least {diameter} m wide along {axis}, as the largest body is");
            let found = format!("{}: {} m", node.shown, upper[a] - lower[a]);
            must(node, &accepted, &found, faults);
        }
    }
}
