//! The `[[measure]]` entries: quantities, their region, their interval.

mod spaces;

use super::document::{Node, Value};
use super::domain::Domain;
use super::fault::Fault;
use super::key::{Entry, Key, Needed, Or, Preset, Text, Whole};
use super::reader::{Number, Range, Section, must, needs, refuse, repeated, twice, wrong_type};
use super::regions::{KEY, NamedRegion, named};
use super::table::Table;
use crate::body::BodyId;
use crate::law::Laws;
use crate::math::Vector3;
use crate::measure::{Heap, Profile, Window};
use spaces::{AXIS, CENTRE, measurable, profile_axis};
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

const NAME: Key<Text, Needed> = Key::new(
    "name",
    Text("letters, digits, - and _, in quotes"),
    Needed,
    "part of the names of its files",
);
const EVERY: Key<Whole, Needed> =
    Key::new("every", Whole::from(1), Needed, "steps between two rows");
const REGION: Entry = Entry::new(
    KEY,
    "the name of a `[[region]]`",
    "the whole domain",
    "part of space that it covers",
);
const FROM: Key<Number, Or> = Key::new(
    "from",
    SECONDS,
    Or("start of the run"),
    "start of the measure",
);
const UNTIL: Key<Number, Or> =
    Key::new("until", SECONDS, Or("end of the run"), "end of the measure");
const OF_WHAT: Entry = Entry::new(
    "what",
    "a list of \"packing\", \"coordination\", \"stress\", \"fabric\", \"forces\", \"velocity\", \
     \"heap\", \"profile\", \"tracks\"",
    "—",
    "quantities, see [docs/formats.md](formats.md)",
);
const RATTLERS_BELOW: Key<Whole, Or> = Key::new(
    "rattlers_below",
    Whole::from(1),
    Or("2 with friction between bodies; 4 without, 3 in two dimensions"),
    "of `\"coordination\"`: bodies with fewer force-carrying contacts are rattlers",
);
const BINS: Key<Whole, Needed> = Key::new(
    "bins",
    Whole(1, MOST_BINS),
    Needed,
    "of `\"profile\"`: number of bins",
);
const RINGS: Key<Whole, Preset<u64>> = Key::new(
    "rings",
    Whole(4, MOST_BINS),
    Preset(10),
    "of `\"heap\"`, about the vertical through `centre`: number of rings",
);
const IDS: Entry = Entry::new(
    "ids",
    "a list of ids of bodies, whole numbers >= 0",
    "—",
    "of `\"tracks\"`: bodies that exist or may come by an inlet",
);

/// The largest number of bins of a profile, and of rings of a heap.
const MOST_BINS: u64 = 10_000;

/// `[[measure]]`.
pub(super) const TABLE: Table = Table::new(
    "measure",
    &[
        &NAME,
        &EVERY,
        &REGION,
        &FROM,
        &UNTIL,
        &OF_WHAT,
        &RATTLERS_BELOW,
        &AXIS,
        &BINS,
        &CENTRE,
        &RINGS,
        &IDS,
    ],
)
.kind("[[measure]]", "figures of a part of space");

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
    let section = Section::of(node, &[&TABLE], faults);
    let name = file_name(&section, faults);
    let every = section.read(&EVERY, faults).unwrap_or(1);
    let from = section.read(&FROM, faults);
    let until = section.read(&UNTIL, faults);
    if let (Some(from), Some(until), Some(node)) = (from, until, section.get(UNTIL.name))
        && until < from
    {
        refuse(node, &format!("at least from = {from} [s]"), faults);
    }
    let what = words(&section, faults);
    let asked = |word: &str| what.contains(&word);
    let axis = section.read(&AXIS, faults);
    let before = faults.len();
    let centred = asked("heap") || asked("profile") && axis == Some("r");
    let of_centre = "\"heap\", or \"profile\" with axis = \"r\"";
    for (key, used, with) in [
        (
            RATTLERS_BELOW.name,
            asked("coordination"),
            "\"coordination\"",
        ),
        (AXIS.name, asked("profile"), "\"profile\""),
        (BINS.name, asked("profile"), "\"profile\""),
        (RINGS.name, asked("heap"), "\"heap\""),
        (IDS.name, asked("tracks"), "\"tracks\""),
        (CENTRE.name, centred, of_centre),
    ] {
        useless(&section, key, used, with, faults);
    }
    let region = match section.get(KEY) {
        Some(_) => Some(named(&section, regions, faults)?.region),
        None => None,
    };
    let sound = faults.len() == before;
    let place = section.get(KEY).unwrap_or(node);
    let fits = region.is_none_or(|region| measurable(place, &region, domain, faults));
    if only_tracks(&what) {
        useless(&section, KEY, false, "more than \"tracks\"", faults);
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
    let centre = centred.then(|| Vector3::from(section.read(&CENTRE, faults)));
    let mut list = Vec::new();
    for word in WHAT.into_iter().filter(|word| asked(word)) {
        list.push(match word {
            "packing" => What::Packing,
            "coordination" => What::Coordination {
                least: (section.read(&RATTLERS_BELOW, faults))
                    .unwrap_or_else(|| holding(friction, flat)),
            },
            "stress" => What::Stress,
            "fabric" => What::Fabric,
            "forces" => What::Forces,
            "velocity" => What::Velocity,
            "heap" => What::Heap(Heap {
                centre: centre?,
                up,
                rings: section.read(&RINGS, faults) as usize,
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
                let bins = section.read(&BINS, faults).unwrap_or(1) as usize;
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
    let name = section.read(&NAME, faults)?;
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let (false, Some(node)) = (name.chars().all(good), section.get(NAME.name)) {
        refuse(
            node,
            &format!("{}, as in names of files", NAME.says()),
            faults,
        );
    }
    Some(name)
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
    for item in items(section, OF_WHAT.name, &accepted, faults) {
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
    let mut ids = Vec::new();
    for item in items(section, IDS.name, IDS.accepts, faults) {
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
