//! The `[[measure]]` entries: quantities, their region, their interval.

use super::document::{Node, Value};
use super::domain::Domain;
use super::fault::Fault;
use super::reader::{
    METRES, Number, Range, Section, must, needs, refuse, repeated, twice, wrong_type,
};
use super::regions::{NamedRegion, named};
use crate::body::BodyId;
use crate::law::Laws;
use crate::math::Vector3;
use crate::measure::{Axis, Heap, Profile, Window};
use crate::shape::Region;
use std::collections::BTreeSet;

const SECONDS: Number = Number(Range::NotNegative, "s");

/// Quantities that an entry may name in `what`, in the order of the columns.
const WHAT: [&str; 9] = [
    "packing",
    "coordination",
    "stress",
    "fabric",
    "forces",
    "velocity",
    "heap",
    "profile",
    "tracks",
];

/// A measure: quantities of a part of space, written at intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name, which is part of the names of its files.
    pub name: String,
    /// Steps between two rows.
    pub every: u64,
    /// Start of the measure [s].
    pub from: f64,
    /// End of the measure [s].
    pub until: f64,
    /// The region that it covers; with a cell that deforms always the whole domain.
    pub window: Window,
    /// Quantities, in the order of the columns.
    pub what: Vec<What>,
}

/// A measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Number of bodies, and the fraction of the volume that they fill.
    Packing,
    /// Contacts per body, with and without rattlers.
    Coordination {
        /// A body with fewer contacts is a rattler.
        least: u64,
    },
    /// Love-Weber stress, and its kinetic part.
    Stress,
    /// Fabric tensor.
    Fabric,
    /// Distribution of contact forces.
    Forces,
    /// Mean velocity, and fluctuations about it.
    Velocity,
    /// Shape of a heap.
    Heap(Heap),
    /// Profile over slabs or rings.
    Profile(Box<Profile>),
    /// Trajectories of some bodies.
    Tracks(Vec<BodyId>),
}

impl Measure {
    /// Whether a row is due after this number of steps, at this time [s].
    #[must_use]
    pub fn is_due(&self, step: u64, time: f64) -> bool {
        step.is_multiple_of(self.every) && time >= self.from && time <= self.until
    }

    /// Covers the whole of a domain between its present corners, with the bins of its profiles.
    pub(super) fn follow(
        &mut self,
        corners: (&Vector3, &Vector3),
        periodic: [bool; 3],
        flat: bool,
    ) {
        self.window = Window::new(None, corners, periodic, flat);
        for what in &mut self.what {
            if let What::Profile(profile) = what {
                profile.follow(&self.window);
            }
        }
    }
}

/// Reads all measures.
///
/// `friction`: whether there is friction between bodies.
pub(super) fn read(
    root: &Section,
    domain: &Domain,
    gravity: [f64; 3],
    regions: &[NamedRegion],
    friction: bool,
    faults: &mut Vec<Fault>,
) -> Vec<Measure> {
    let accepted = "tables headed [[measure]] with name, every and `what`";
    let mut measures: Vec<Measure> = Vec::new();
    for node in root.tables("measure", accepted, faults) {
        let Some(read) = read_entry(node, domain, gravity, regions, friction, faults) else {
            continue;
        };
        // Names of files must differ in more than the case of letters.
        let same = |m: &Measure| m.name.eq_ignore_ascii_case(&read.name);
        if measures.iter().any(same) {
            twice(node, &format!("measure \"{}\"", read.name), faults);
        }
        measures.push(read);
    }
    measures
}

fn read_entry(
    node: &Node,
    domain: &Domain,
    gravity: [f64; 3],
    regions: &[NamedRegion],
    friction: bool,
    faults: &mut Vec<Fault>,
) -> Option<Measure> {
    let known = [
        "name",
        "every",
        "region",
        "from",
        "until",
        "what",
        "rattlers_below",
        "axis",
        "bins",
        "centre",
        "rings",
        "ids",
    ];
    let section = Section::new(node, &known, faults);
    let name = file_name(&section, faults);
    section.need("every", "a whole number >= 1, of steps", faults);
    let every = section.whole_if("every", 1, faults).unwrap_or(1);
    let from = section.number_if("from", SECONDS, faults);
    let until = section.number_if("until", SECONDS, faults);
    if let (Some(from), Some(until), Some(node)) = (from, until, section.get("until"))
        && until < from
    {
        refuse(node, &format!("at least from = {from} [s]"), faults);
    }
    let what = words(&section, faults);
    let asked = |word: &str| what.contains(&word);
    let axis = section.choice_if("axis", &["x", "y", "z", "r"], faults);
    let before = faults.len();
    useless(
        &section,
        "rattlers_below",
        asked("coordination"),
        "\"coordination\"",
        faults,
    );
    useless(&section, "axis", asked("profile"), "\"profile\"", faults);
    useless(&section, "bins", asked("profile"), "\"profile\"", faults);
    useless(&section, "rings", asked("heap"), "\"heap\"", faults);
    useless(&section, "ids", asked("tracks"), "\"tracks\"", faults);
    let centred = asked("heap") || asked("profile") && axis == Some("r");
    useless(
        &section,
        "centre",
        centred,
        "\"heap\", or \"profile\" with axis = \"r\"",
        faults,
    );
    let region = match section.get("region") {
        Some(_) => Some(named(&section, regions, faults)?.region),
        None => None,
    };
    let sound = faults.len() == before;
    let place = section.get("region").unwrap_or(node);
    let fits = region.is_none_or(|region| measurable(place, &region, domain, faults));
    if only_tracks(&what) {
        useless(&section, "region", false, "more than \"tracks\"", faults);
    }
    if !fits || !sound {
        return None;
    }
    let corners = (Vector3::from(domain.lower), Vector3::from(domain.upper));
    let flat = domain.two_dimensional;
    let window = Window::new(
        region.as_ref(),
        (&corners.0, &corners.1),
        domain.periodic,
        flat,
    );
    let up = match Vector3::from(gravity) {
        g if g.norm() > 0.0 => -g.normalize(),
        _ => Vector3::z(),
    };
    let centre = centred.then(|| Vector3::from(section.vector("centre", METRES, faults)));
    let mut list = Vec::new();
    for word in WHAT.into_iter().filter(|word| asked(word)) {
        list.push(match word {
            "packing" => What::Packing,
            "coordination" => What::Coordination {
                least: (section.whole_if("rattlers_below", 1, faults))
                    .unwrap_or_else(|| holding(friction, flat)),
            },
            "stress" => What::Stress,
            "fabric" => What::Fabric,
            "forces" => What::Forces,
            "velocity" => What::Velocity,
            "heap" => What::Heap(Heap {
                centre: centre?,
                up,
                rings: up_to_most(&section, "rings", 4, faults).unwrap_or(10),
            }),
            "profile" => {
                let axis = profile_axis(
                    &section,
                    axis,
                    &window,
                    region.as_ref(),
                    domain,
                    (centre, up),
                    faults,
                );
                section.need("bins", "a whole number >= 1", faults);
                let bins = up_to_most(&section, "bins", 1, faults).unwrap_or(1);
                What::Profile(Box::new(Profile::new(window.clone(), axis?, bins)))
            }
            _ => What::Tracks(tracked(&section, faults)),
        });
    }
    Some(Measure {
        name: name?,
        every,
        from: from.unwrap_or(f64::NEG_INFINITY),
        until: until.unwrap_or(f64::INFINITY),
        window,
        what: list,
    })
}

/// Whether there is friction between bodies of these materials, the first of `known` materials.
pub(super) fn friction(laws: &Laws, used: &BTreeSet<u32>, known: usize) -> bool {
    let used = used.iter().filter(|&&material| (material as usize) < known);
    let pairs = |a: &u32| {
        used.clone()
            .any(|b| laws.pairs.between(*a, *b).friction > 0.0)
    };
    used.clone().any(pairs)
}

/// The smallest number of contacts that hold a body.
///
/// Contacts without friction push along their normals only, so d + 1 of them hold a body in d
/// dimensions. With friction two opposite ones do.
fn holding(friction: bool, flat: bool) -> u64 {
    match (friction, flat) {
        (true, _) => 2,
        (false, true) => 3,
        (false, false) => 4,
    }
}

/// The largest number of bins of a profile, and of rings of a heap.
const MOST_BINS: u64 = 10_000;

/// A number of bins or rings, from `least` to [`MOST_BINS`].
fn up_to_most(section: &Section, key: &str, least: u64, faults: &mut Vec<Fault>) -> Option<usize> {
    let number = section.whole_if(key, least, faults)?;
    if let (true, Some(node)) = (number > MOST_BINS, section.get(key)) {
        refuse(node, &format!("{least} to {MOST_BINS}"), faults);
    }
    Some(number.min(MOST_BINS) as usize)
}

fn only_tracks(what: &[&str]) -> bool {
    !what.is_empty() && what.iter().all(|word| *word == "tracks")
}

/// Refuses a key that has no effect unless another is given.
fn useless(section: &Section, key: &str, used: bool, with: &str, faults: &mut Vec<Fault>) {
    if let (false, Some(node)) = (used, section.get(key)) {
        needs(node, &format!("{with} in `what`"), faults);
    }
}

/// The name of a measure, which becomes part of the names of its files.
fn file_name(section: &Section, faults: &mut Vec<Fault>) -> Option<String> {
    let accepted = "letters, digits, - and _, in quotes";
    let name = section.text("name", accepted, faults)?;
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let (false, Some(node)) = (name.chars().all(good), section.get("name")) {
        refuse(node, &format!("{accepted}, as in names of files"), faults);
    }
    Some(name.to_owned())
}

/// The items of a list, at least one.
fn items<'a>(
    section: &Section<'a>,
    key: &str,
    accepted: &str,
    faults: &mut Vec<Fault>,
) -> &'a [Node] {
    let Some(node) = section.need(key, accepted, faults) else {
        return &[];
    };
    match &node.value {
        Value::List(items) if !items.is_empty() => items,
        Value::List(_) => {
            must(node, accepted, "an empty list", faults);
            &[]
        }
        _ => {
            wrong_type(node, accepted, faults);
            &[]
        }
    }
}

fn words(section: &Section, faults: &mut Vec<Fault>) -> Vec<&'static str> {
    let accepted = format!("a list of {}", WHAT.map(|w| format!("\"{w}\"")).join(", "));
    let mut found = Vec::new();
    for item in items(section, "what", &accepted, faults) {
        let word = match &item.value {
            Value::Text(text) => WHAT.into_iter().find(|w| w == text),
            _ => None,
        };
        match word {
            None => refuse(item, &format!("one of {}", WHAT.join(", ")), faults),
            Some(word) if found.contains(&word) => {
                repeated(item, faults);
            }
            Some(word) => found.push(word),
        }
    }
    found
}

fn tracked(section: &Section, faults: &mut Vec<Fault>) -> Vec<BodyId> {
    let accepted = "a list of ids of bodies, whole numbers >= 0";
    let mut ids = Vec::new();
    for item in items(section, "ids", accepted, faults) {
        let id = match item.value {
            Value::Integer(n) => u64::try_from(n).ok().map(BodyId),
            _ => None,
        };
        match id {
            None => refuse(item, "the id of a body, a whole number >= 0", faults),
            Some(id) if ids.contains(&id) => {
                repeated(item, faults);
            }
            Some(id) => ids.push(id),
        }
    }
    ids.sort_unstable();
    ids
}

/// Whether a region can be measured; otherwise the reason is reported.
fn measurable(node: &Node, region: &Region, domain: &Domain, faults: &mut Vec<Fault>) -> bool {
    let (lower, upper) = region.bounds();
    let mut refuse = |accepted: &str, found: &str| {
        let found = format!("{}, {found}", node.shown);
        must(node, accepted, &found, faults);
    };
    let period = |a: usize| domain.upper[a] - domain.lower[a];
    let wide = |a: usize| upper[a] - lower[a] > period(a) * (1.0 + 1e-9);
    let before = if let Region::HalfSpace(plane) = region {
        if (0..3).any(|a| domain.periodic[a] && plane.normal[a] != 0.0) {
            refuse("a box", "a half-space that ends on a periodic axis");
            return false;
        }
        plane.normal.z == 0.0
    } else {
        if let Some(a) = (0..3).find(|&a| domain.periodic[a] && wide(a)) {
            let length = period(a);
            let accepted = format!("at most as wide as the period, {length} [m] on axis {a}");
            refuse(&accepted, &format!("{} [m]", upper[a] - lower[a]));
            return false;
        }
        let along_z = match region {
            Region::Cylinder { axis, .. } => axis.z.abs() == 1.0,
            _ => true,
        };
        along_z && lower.z <= 0.0 && upper.z > 0.0
    };
    if domain.two_dimensional && !before {
        let accepted = "a rectangle, a circle or a half-plane where it meets the plane z = 0";
        refuse(accepted, "another shape");
        return false;
    }
    true
}

/// The axis of a profile, with bins of known volume.
fn profile_axis(
    section: &Section,
    word: Option<&str>,
    window: &Window,
    region: Option<&Region>,
    domain: &Domain,
    (centre, up): (Option<Vector3>, Vector3),
    faults: &mut Vec<Fault>,
) -> Option<Axis> {
    section.need("axis", "\"x\", \"y\", \"z\", or \"r\"", faults);
    let node = section.get("axis")?;
    let flat = domain.two_dimensional;
    let upright = (0..3).find(|&a| up[a].abs() == 1.0);
    let (lower, upper) = window.bounds();
    let along = |axis: &Vector3, a: usize| axis[a].abs() == 1.0;
    let refuse = |accepted: &str, faults: &mut Vec<Fault>| {
        let found = format!(
            "{}, whose bins in this region have an unknown volume",
            node.shown
        );
        must(node, accepted, &found, faults);
        None
    };
    if let Some(a) = ["x", "y", "z"].iter().position(|w| Some(*w) == word) {
        return match region {
            _ if flat && a == 2 => refuse("x or y, in two dimensions", faults),
            None | Some(Region::Box { .. }) => Some(Axis::Along(a)),
            Some(Region::Cylinder { axis, .. }) if !flat && along(axis, a) => Some(Axis::Along(a)),
            Some(_) => refuse(
                "an axis of a box, of the domain, or of a cylinder along it",
                faults,
            ),
        };
    }
    let centre = centre?;
    let whole = "used in three dimensions, in a box or the domain with gravity along a coordinate axis, or in a cylinder about the vertical through centre";
    match region {
        _ if flat => refuse(whole, faults),
        Some(Region::Cylinder {
            from,
            axis,
            length,
            radius,
        }) => {
            let off = from - centre;
            let across = (off - up * off.dot(&up)).norm();
            if axis.cross(&up).norm() > 1e-12 || across > 1e-12 * radius {
                return refuse(whole, faults);
            }
            Some(Axis::From {
                centre,
                up,
                radius: *radius,
                length: *length,
            })
        }
        None | Some(Region::Box { .. }) => {
            let Some(vertical) = upright else {
                return refuse(whole, faults);
            };
            let room = |a: usize| (centre[a] - lower[a]).min(upper[a] - centre[a]);
            let radius = (0..3)
                .filter(|&a| a != vertical)
                .map(room)
                .fold(f64::INFINITY, f64::min);
            if radius <= 0.0 {
                let node = section.get("centre")?;
                let accepted = "a point whose vertical passes through the region [m]";
                must(node, accepted, &node.shown, faults);
                return None;
            }
            let length = upper[vertical] - lower[vertical];
            Some(Axis::From {
                centre,
                up,
                radius,
                length,
            })
        }
        Some(_) => refuse(whole, faults),
    }
}
