//! The `[[template]]` entries: shapes of clumps.

use super::document::{Node, Value};
use super::fault::Fault;
use super::files::contents;
use super::reader::{METRES, Number, Range, Section, both, refuse, report, twice, wrong_type};
use crate::law::Laws;
use crate::math::Vector3;
use crate::sample::{Form, clump};
use crate::shape::Template;
use crate::shape::clump::{Given, Part};
use std::path::Path;

const KEYS: [&str; 6] = ["name", "file", "parts", "volume", "centre", "inertia"];

/// Reads all entries; `None` stands for a faulty one.
pub(super) fn read(
    root: &Section,
    discs: bool,
    faults: &mut Vec<Fault>,
) -> Vec<(String, Option<Template>)> {
    let accepted = "tables headed [[template]] with name, and file or parts";
    let mut all: Vec<(String, Option<Template>)> = Vec::new();
    for node in root.tables("template", accepted, faults) {
        let section = Section::new(node, &KEYS, faults);
        let name = section.text("name", "a name for the form", faults);
        let name = name.unwrap_or_default().to_owned();
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
            let accepted = "the path of a CSV file with x,y,z,r or of a LAMMPS molecule file";
            let path = section.text("file", accepted, faults)?;
            let read = contents(file).and_then(|contents| {
                clump(Path::new(path), &contents).map_err(|error| error.to_string())
            });
            match read {
                Ok(described) => (described.parts, described.given, file),
                Err(error) => {
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
    if section.get("volume").is_some() {
        let unit = if discs { "m2" } else { "m3" };
        given.volume = Some(section.number("volume", Number(Range::Positive, unit), faults));
    }
    if let Some(centre) = section.vector_if("centre", METRES, faults) {
        given.centre = Some(centre.into());
    }
    if let Some(node) = section.get("inertia") {
        given.inertia = Some(Number(Range::Finite, "m2").read_list(node, faults));
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
        wrong_type(node, "a list of [x, y, z, r] [m]", faults);
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
        let node = section.get("template")?;
        if self.templates.is_empty() {
            refuse(node, "the name of a [[template]]", faults);
            return None;
        }
        let names: Vec<&str> = self
            .templates
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let number = section.name_of("template", &names, faults)?;
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
