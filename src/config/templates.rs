//! The `[[template]]` entries: shapes of clumps.

use super::document::{Node, Value};
use super::fault::Fault;
use super::files::contents;
use super::key::{Entry, Key, List, Needed, Or, Text, Three};
use super::reader::{METRES, Number, Range, Section, both, refuse, report, twice, wrong_type};
use super::table::Table;
use crate::law::Laws;
use crate::math::Vector3;
use crate::sample::{Form, clump};
use crate::shape::Template;
use crate::shape::clump::{Given, Part};
use std::path::Path;

const NAME: Key<Text, Needed> = Key::new(
    "name",
    Text("a name for the form"),
    Needed,
    "name by which bodies and inlets refer to it",
);
const FILE: Key<Text, Needed> = Key::new(
    "file",
    Text("the path of a CSV file with x,y,z,r or of a LAMMPS molecule file"),
    Needed,
    "the balls of the clump. They overlap or touch; lengths have any unit, as bodies are scaled to \
     their `radius`",
);
const PARTS: Entry = Entry::new(
    "parts",
    "a list of [x, y, z, r] [m]",
    "—",
    "the same, in place of `file`",
);
/// In two dimensions [m²].
const VOLUME: Key<Number, Or> = Key::new(
    "volume",
    Number(Range::Positive, "m3"),
    Or("integrated"),
    "volume; in two dimensions an area",
);
const CENTRE: Key<Three, Or> = Key::new(
    "centre",
    List(METRES),
    Or("integrated"),
    "centre of mass; needs `inertia`",
);
const INERTIA: Key<List<6>, Or> = Key::new(
    "inertia",
    List(Number(Range::Finite, "m2")),
    Or("integrated"),
    "moments of inertia of a unit mass about the centre: xx, yy, zz, xy, xz, yz",
);

/// `[[template]]`.
pub(super) const TABLE: Table = Table::new(
    "template",
    &[&NAME, &FILE, &PARTS, &VOLUME, &CENTRE, &INERTIA],
)
.kind(
    "[[template]]",
    "the form of clumps, rigid bodies made of balls",
);

/// The key of an entry whose bodies are clumps.
pub(super) const OF_BODIES: Entry = Entry::new(
    "template",
    "the name of a `[[template]]`",
    "balls",
    "the bodies, but not those of a checkpoint, are clumps; `radius` is that of the bounding sphere about the centre of mass, and \
     the orientation is drawn by the body's id and `solver.seed`",
);

/// Reads all entries; `None` stands for a faulty one.
pub(super) fn read(
    root: &Section,
    discs: bool,
    faults: &mut Vec<Fault>,
) -> Vec<(String, Option<Template>)> {
    let accepted = "tables headed [[template]] with name, and file or parts";
    let mut all: Vec<(String, Option<Template>)> = Vec::new();
    for node in root.tables("template", accepted, faults) {
        let section = Section::of(node, &[&TABLE], faults);
        let name = section.read(&NAME, faults).unwrap_or_default();
        if let (true, Some(node)) = (
            all.iter().any(|(other, _)| *other == name),
            section.get("name"),
        ) {
            twice(node, &name, faults);
        }
        let template = template(&section, &name, discs, faults);
        all.push((name, template));
    }
    all
}

fn template(
    section: &Section,
    name: &str,
    discs: bool,
    faults: &mut Vec<Fault>,
) -> Option<Template> {
    let before = faults.len();
    let (parts, mut given, source) = match (section.get("file"), section.get("parts")) {
        (Some(file), None) => {
            let path = section.read(&FILE, faults)?;
            let read = contents(file).and_then(|contents| {
                clump(Path::new(&path), &contents).map_err(|error| error.to_string())
            });
            match read {
                Ok(described) => (described.parts, described.given, file),
                Err(error) => {
                    let accepted = FILE.says();
                    report(file, format!("must be {accepted}; found {error}"), faults);
                    return None;
                }
            }
        }
        (None, Some(list)) => (parts(list, faults), Given::default(), list),
        (Some(file), Some(_)) => {
            both(file, ["file", "parts"], faults);
            return None;
        }
        (None, None) => {
            section.missing(
                "parts",
                "a list of [x, y, z, r] [m], or file in its place",
                faults,
            );
            return None;
        }
    };
    if let Some(node) = section.get(VOLUME.name) {
        given.volume = match discs {
            true => Some(Number(Range::Positive, "m2").read(node, faults)),
            false => section.read(&VOLUME, faults),
        };
    }
    if let Some(centre) = section.read(&CENTRE, faults) {
        given.centre = Some(centre.into());
    }
    if let Some(inertia) = section.read(&INERTIA, faults) {
        given.inertia = Some(inertia);
    }
    if faults.len() > before {
        return None;
    }
    match Template::new(name, &parts, discs, &given) {
        Ok(template) => Some(template),
        Err(fault) => {
            use crate::shape::clump::Fault as Of;
            let keys: &[&str] = match fault {
                Of::Volume(..) => &["volume"],
                Of::CentreOfMass(..) | Of::CentreAlone => &["centre"],
                Of::Moments(..) | Of::Triangle(..) | Of::Wide(..) => &["inertia", "centre"],
                _ => &[],
            };
            let at = keys.iter().find_map(|key| section.get(key));
            report(at.unwrap_or(source), fault.to_string(), faults);
            None
        }
    }
}

fn parts(node: &Node, faults: &mut Vec<Fault>) -> Vec<Part> {
    let Value::List(items) = &node.value else {
        wrong_type(node, PARTS.accepts, faults);
        return Vec::new();
    };
    let part = |item: &Node| {
        let [x, y, z, radius] = Number(Range::Finite, "m").read_list(item, faults);
        Part {
            centre: Vector3::new(x, y, z),
            radius,
        }
    };
    items.iter().map(part).collect()
}

/// The templates that entries of bodies and inlets may name.
pub(super) struct Forms<'a> {
    /// Names, and the templates without faults.
    pub(super) templates: &'a [(String, Option<Template>)],
    /// The run's seed.
    pub(super) seed: u64,
}

impl Forms<'_> {
    /// The template that an entry of bodies or an inlet names.
    pub(super) fn of(&self, section: &Section, faults: &mut Vec<Fault>) -> Option<Form> {
        let node = section.get(OF_BODIES.name)?;
        if self.templates.is_empty() {
            refuse(node, "the name of a [[template]]", faults);
            return None;
        }
        let names: Vec<&str> = self
            .templates
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let number = section.name_of(OF_BODIES.name, &names, faults)?;
        Some(Form {
            number: number as u32,
            template: self.templates[number].1.clone()?,
            seed: self.seed,
        })
    }
}

/// Refuses clumps together with bonds, and clumps and discs together with Hertz's law: laws of
/// balls. A template alone is not a clump.
pub(super) fn of_balls_only(
    root: &Section,
    laws: &Laws,
    (any, planar): (bool, bool),
    faults: &mut Vec<Fault>,
) {
    // A checkpoint may hold clumps.
    let clumps = |entry: &Node| {
        let of_file = |node: &Node| node.is_text("file");
        entry.child("template").is_some() || entry.child("sample").is_some_and(of_file)
    };
    let lists = ["bodies", "inlet"]
        .into_iter()
        .filter_map(|key| root.get(key));
    let any = any
        && lists.into_iter().any(|list| match &list.value {
            Value::List(entries) => entries.iter().any(clumps),
            _ => false,
        });
    let hertz = laws.pairs.all().any(|pair| pair.hertz.is_some());
    if let (true, true, Some(node)) = (any || planar, hertz, root.get("material")) {
        let place = match planar {
            true => "in two dimensions",
            false => "where bodies have a template",
        };
        let message = format!("must be without poisson {place}; found poisson");
        report(node, message, faults);
    }
    if let (true, true, Some(node)) = (any, laws.join(), root.get("bond")) {
        report(
            node,
            "must be left out where bodies have a template; found [[bond]]",
            faults,
        );
    }
}
