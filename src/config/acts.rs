//! Actions of regions: `[[outlet]]`, `[[freeze]]`, `[[force]]`, `[[support]]`; and `[growth]`.

use super::document::Node;
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, List, Needed, Or, Preset, Three};
use super::ramp::{self, FACTOR};
use super::reader::{Number, Range, Section, both, must, refuse, report};
use super::regions::{KEY as REGION_KEY, NamedRegion, named, no_images};
use super::table::Table;
use crate::math::Vector3;
use crate::scheme::acts::{Acts, Field, Growth, Hold, Outlet, Pull, Support};
use crate::shape::{Region, Spell};
use crate::solver::GapRule;

const SECONDS: Number = Number(Range::NotNegative, "s");

/// Start of an action.
pub(super) const FROM: Key<Number, Or> = Key::new(
    "from",
    SECONDS,
    Or("start of the run"),
    "start of the action",
);
/// End of an action.
pub(super) const UNTIL: Key<Number, Or> =
    Key::new("until", SECONDS, Or("end of the run"), "end of the action");
const REGION: Entry = Entry::new(
    REGION_KEY,
    "the name of a `[[region]]`",
    "—",
    "region in which it acts",
);
const REGION_OR_ALL: Entry = Entry::new(
    REGION_KEY,
    "the name of a `[[region]]`",
    "the whole domain",
    "region in which it acts",
);
const ACCELERATION: Key<Three, Needed> = Key::new(
    "acceleration",
    List(Number(Range::Finite, "m/s2")),
    Needed,
    "acceleration of each free body whose centre lies in the region",
);
const FORCE: Key<Three, Needed> = Key::new(
    "force",
    List(Number(Range::Finite, "N")),
    Needed,
    "force on each such body, in place of `acceleration`",
);
const STIFFNESS: Key<Three, Preset<[f64; 3]>> = Key::new(
    "stiffness",
    List(Number(Range::NotNegative, "N/m")),
    Preset([0.0; 3]),
    "stiffness of the springs along x, y, z",
);
const ROTATIONAL: Key<Three, Preset<[f64; 3]>> = Key::new(
    "rotational_stiffness",
    List(Number(Range::NotNegative, "N m/rad")),
    Preset([0.0; 3]),
    "stiffness of the springs about x, y, z; at least one of the six must be above 0",
);

/// `[[outlet]]`.
pub(super) const OUTLET: Table = Table::new("outlet", &[&REGION, &FROM, &UNTIL]).kind(
    "[[outlet]]",
    "free bodies whose centre lies in the region at the end of a step are taken out",
);
/// `[[freeze]]`.
pub(super) const FREEZE: Table = Table::new("freeze", &[&REGION, &FROM, &UNTIL]).kind(
    "[[freeze]]",
    "free bodies whose centre lies in the region stand still, and are free again once they lie in \
     no such region",
);
/// `[[force]]`.
pub(super) const FIELD: Table = Table::new(
    "force",
    &[
        &REGION_OR_ALL,
        &ACCELERATION,
        &FORCE,
        &FACTOR,
        &FROM,
        &UNTIL,
    ],
)
.kind("[[force]]", "an acceleration or a force on free bodies");
/// `[[support]]`.
pub(super) const SUPPORT: Table = Table::new(
    "support",
    &[&REGION_OR_ALL, &STIFFNESS, &ROTATIONAL],
)
.kind(
    "[[support]]",
    "with quasi-static schemes: springs that hold each free body whose centre lies in the region",
);

const START: Key<Number, Needed> = Key::new(
    "from",
    Number(Range::Inside(0.0, 1.0), "of the final radius"),
    Needed,
    "radius at the start of the run",
);
const FULL: Key<Number, Needed> = Key::new(
    "until",
    Number(Range::Positive, "s"),
    Needed,
    "time of the full radius",
);
/// `growth`.
pub(super) const GROWTH: Table = Table::new("growth", &[&START, &FULL]).optional([
    "bodies have their full size",
    "a table",
    "free bodies grow; their mass is the final one from the start. Needs `solver.gap` = `\"full\"` \
     or `\"recover\"`",
]);

/// Reads all of these tables.
pub(super) fn read(
    root: &Section,
    regions: &[NamedRegion],
    domain: &Domain,
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Acts {
    let outlets = root.tables("outlet", "tables headed [[outlet]] with region", faults);
    let outlets = outlets.iter().filter_map(|node| {
        let section = Section::of(node, &[&OUTLET], faults);
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
        let section = Section::of(node, &[&FREEZE], faults);
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
pub(super) fn spell(section: &Section, faults: &mut Vec<Fault>) -> Spell {
    let from = section.read(&FROM, faults);
    let until = section.read(&UNTIL, faults);
    if let (Some(from), Some(until), Some(node)) = (from, until, section.get(UNTIL.name))
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
pub(super) fn one_of<'a>(
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
    let section = Section::of(node, &[&FIELD], faults);
    let spell = spell(&section, faults);
    let region = region(&section, regions, domain, faults)?;
    let factor = ramp::factor(&section, faults);
    let key = one_of(&section, node, [ACCELERATION.name, FORCE.name], faults)?;
    let of = if key == FORCE.name {
        &FORCE
    } else {
        &ACCELERATION
    };
    let vector = section.read(of, faults);
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
    let [along, about] = [STIFFNESS.name, ROTATIONAL.name];
    let section = Section::of(node, &[&SUPPORT], faults);
    let region = region(&section, regions, domain, faults)?;
    let both = [&STIFFNESS, &ROTATIONAL].map(|key| section.read(key, faults));
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
pub(super) fn in_plane(
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
    let node = root.get(GROWTH.name)?;
    let section = Section::of(node, &[&GROWTH], faults);
    let from = section.read(&START, faults);
    let until = section.read(&FULL, faults);
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
