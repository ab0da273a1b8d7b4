//! Actions of regions: `[[inlet]]`, `[[outlet]]`, `[[freeze]]`, `[[force]]`, `[[support]]`; and
//! `[growth]`.

use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::materials::Material;
use super::radii::{RADII, radii};
use super::ramp;
use super::reader::{Number, Range, Section, both, must, refuse, report};
use super::regions::{NamedRegion, named, no_images};
use super::templates::Forms;
use crate::math::Vector3;
use crate::sample::inlet::{Inlet, Rate};
use crate::scheme::acts::{Acts, Field, Growth, Hold, Outlet, Pull, Support};
use crate::shape::{Region, Spell};
use crate::solver::GapRule;

/// Steps between two insertions at an inlet, unless an entry sets them.
const EVERY: u64 = 10;

/// Reads all of these tables except inlets.
pub(super) fn read(
    root: &Section,
    regions: &[NamedRegion],
    domain: &Domain,
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Acts {
    let outlets = root.tables("outlet", "tables headed [[outlet]] with region", faults);
    let outlets = outlets.iter().filter_map(|node| {
        let section = Section::new(node, &["region", "from", "until"], faults);
        let spell = spell(&section, faults);
        let found = named(&section, regions, faults)?;
        no_images(&section, found, domain, faults);
        Some(Outlet {
            name: found.name.clone(),
            region: found.region,
            spell,
        })
    });
    let outlets = outlets.collect();
    let holds = root.tables("freeze", "tables headed [[freeze]] with region", faults);
    let holds = holds.iter().filter_map(|node| {
        let section = Section::new(node, &["region", "from", "until"], faults);
        let spell = spell(&section, faults);
        let found = named(&section, regions, faults)?;
        no_images(&section, found, domain, faults);
        let region = found.region;
        Some(Hold { region, spell })
    });
    let holds = holds.collect();
    let accepted = "tables headed [[force]] with acceleration or force";
    let fields = root.tables("force", accepted, faults);
    let fields = fields
        .iter()
        .filter_map(|node| field(node, regions, domain, faults));
    let fields = fields.collect();
    let accepted = "tables headed [[support]] with stiffness or rotational_stiffness";
    let supports = root.tables("support", accepted, faults);
    let supports = supports
        .iter()
        .filter_map(|node| support(node, regions, domain, faults));
    Acts {
        outlets,
        holds,
        supports: supports.collect(),
        fields,
        growth,
    }
}

/// The start and the end of an action; by default the whole run.
fn spell(section: &Section, faults: &mut Vec<Fault>) -> Spell {
    let seconds = Number(Range::NotNegative, "s");
    let from = section.number_if("from", seconds, faults);
    let until = section.number_if("until", seconds, faults);
    if let (Some(from), Some(until), Some(node)) = (from, until, section.get("until"))
        && until <= from
    {
        refuse(node, &format!("more than from = {from} [s]"), faults);
    }
    Spell {
        from: from.unwrap_or(Spell::ALWAYS.from),
        until: until.unwrap_or(Spell::ALWAYS.until),
    }
}

/// The one key of two that an entry gives, and its node. It must give exactly one.
fn one_of<'a>(
    section: &Section<'a>,
    node: &Node,
    keys: [&'static str; 2],
    faults: &mut Vec<Fault>,
) -> Option<&'static str> {
    let [a, b] = keys;
    match (section.get(a), section.get(b)) {
        (Some(_), None) => Some(a),
        (None, Some(_)) => Some(b),
        (Some(second), Some(_)) => {
            both(second, keys, faults);
            None
        }
        (None, None) => {
            must(node, &format!("given {a} or {b}"), "neither", faults);
            None
        }
    }
}

fn field(
    node: &Node,
    regions: &[NamedRegion],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Option<Field> {
    let known = ["region", "acceleration", "force", "factor", "from", "until"];
    let section = Section::new(node, &known, faults);
    let spell = spell(&section, faults);
    let region = region(&section, regions, domain, faults)?;
    let factor = ramp::factor(&section, faults);
    let key = one_of(&section, node, ["acceleration", "force"], faults)?;
    let unit = if key == "force" { "N" } else { "m/s2" };
    let vector = section.vector(key, Number(Range::Finite, unit), faults);
    in_plane(&section, domain, &[(key, vector, [2].as_slice())], faults);
    let vector = Vector3::from(vector);
    Some(Field {
        region,
        spell,
        factor,
        pull: match key {
            "force" => Pull::Force(vector),
            _ => Pull::Acceleration(vector),
        },
    })
}

/// A `[[support]]`.
fn support(
    node: &Node,
    regions: &[NamedRegion],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Option<Support> {
    let [along, about] = ["stiffness", "rotational_stiffness"];
    let section = Section::new(node, &["region", along, about], faults);
    let region = region(&section, regions, domain, faults)?;
    let mut stiffness = |key: &'static str, unit: &'static str| {
        let number = Number(Range::NotNegative, unit);
        section.vector_if(key, number, faults).unwrap_or_default()
    };
    let both = [stiffness(along, "N/m"), stiffness(about, "N m/rad")];
    if both.concat().iter().all(|k| *k == 0.0) {
        let accepted = format!("given {along} or {about}, not all of them 0");
        must(node, &accepted, "no stiffness", faults);
    }
    let [k, turning] = both;
    let vectors: [(&str, _, &[usize]); 2] = [(along, k, &[2]), (about, turning, &[0, 1])];
    in_plane(&section, domain, &vectors, faults);
    Some(Support {
        region,
        stiffness: Vector3::from(k),
        rotational: Vector3::from(turning),
    })
}

/// The optional region of an action: `None` without the key.
///
/// Without a valid region the action is left out.
#[allow(clippy::option_option)] // The key may be absent, or wrong.
fn region(
    section: &Section,
    regions: &[NamedRegion],
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> Option<Option<Region>> {
    if section.get("region").is_none() {
        return Some(None);
    }
    let found = named(section, regions, faults)?;
    no_images(section, found, domain, faults);
    Some(Some(found.region))
}

/// Refuses a vector that leads out of the plane of motion.
///
/// It gets the key, its value, and the components that must be 0.
fn in_plane(
    section: &Section,
    domain: &Domain,
    vectors: &[(&str, [f64; 3], &[usize])],
    faults: &mut Vec<Fault>,
) {
    for (key, vector, axes) in vectors {
        let out = axes.iter().any(|&a| vector[a] != 0.0);
        if let (true, true, Some(node)) = (domain.two_dimensional, out, section.get(key)) {
            let names: Vec<&str> = axes.iter().map(|&a| ["x", "y", "z"][a]).collect();
            let accepted = format!("{} = 0 in two dimensions", names.join(" = "));
            refuse(node, &accepted, faults);
        }
    }
}

/// `[growth]`.
pub(super) fn growth(root: &Section, gap: GapRule, faults: &mut Vec<Fault>) -> Option<Growth> {
    let node = root.get("growth")?;
    let section = Section::new(node, &["from", "until"], faults);
    let share = Number(Range::Inside(0.0, 1.0), "of the final radius");
    let from = section.number("from", share, faults);
    let until = section.number("until", Number(Range::Positive, "s"), faults);
    if gap == GapRule::Positive {
        let why = "must come with solver.gap = \"full\" or \"recover\", without which bodies that grow overlap; found \"positive\"";
        report(node, why, faults);
    }
    if let Some(inlet) = root.get("inlet") {
        let why = "must be left out where bodies grow, as bodies from an inlet have their final size; found [growth]";
        report(inlet, why, faults);
    }
    Some(Growth { from, until })
}

/// Reads all inlets.
pub(super) fn inlets(
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
    let known = [
        "region",
        "material",
        "template",
        "radius",
        "rate",
        "mass_rate",
        "count",
        "every",
        "from",
        "until",
        "velocity",
        "angular_velocity",
    ];
    let section = Section::new(node, &known, faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let material = section.name_of("material", &names, faults);
    let form = forms.of(&section, faults);
    let spell = spell(&section, faults);
    let before = faults.len();
    let radius = section
        .need("radius", RADII, faults)
        .map(|node| radii(node, domain.two_dimensional, faults));
    let velocity = section.vector_if("velocity", Number(Range::Finite, "m/s"), faults);
    let spin = section.vector_if("angular_velocity", Number(Range::Finite, "rad/s"), faults);
    let (velocity, spin) = (velocity.unwrap_or_default(), spin.unwrap_or_default());
    let vectors: [(&str, [f64; 3], &[usize]); 2] = [
        ("velocity", velocity, &[2]),
        ("angular_velocity", spin, &[0, 1]),
    ];
    in_plane(&section, domain, &vectors, faults);
    let rate = one_of(&section, node, ["rate", "mass_rate"], faults);
    let rate = rate.map(|key| match key {
        "rate" => Rate::Number(section.number(key, Number(Range::Positive, "1/s"), faults)),
        _ => Rate::Mass(section.number(key, Number(Range::Positive, "kg/s"), faults)),
    });
    let count = section.whole_if("count", 1, faults);
    let every = section.whole_if("every", 1, faults);
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
        every: every.unwrap_or(EVERY),
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
    let Some(node) = section.get("region") else {
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
