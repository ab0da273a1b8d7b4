//! The schema: reads all sections of the tree into a [`Scenario`].
//!
//! A key without effect is refused, as its author expects an effect.

use super::document::Source;
use super::fault::Fault;
use super::key::{Key, List, Needed, Or, TEXT, Text, Three};
use super::reader::{Number, Range, Section};
use super::scenario::{Places, Scenario};
use super::table::Declared;
use super::templates::Forms;
use super::{
    acts, balance, bodies, cell, domain, inlets, kept, laws, materials, measures, output,
    quasistatic, radii, regions, safety, solver, stages, table, templates, time, walls,
};
use crate::math::Vector3;
use crate::shape::Period;
use std::collections::BTreeSet;
use std::path::Path;

const TITLE: Key<Text, Or> = Key::new("title", TEXT, Or("name of the file"), "name of the run");
const GRAVITY: Key<Three, Needed> = Key::new(
    "gravity",
    List(Number(Range::Finite, "m/s2")),
    Needed,
    "acceleration of all bodies",
);

/// All keys and tables of a configuration.
const ROOT: [&dyn Declared; 27] = [
    &TITLE,
    &GRAVITY,
    &time::TABLE,
    &stages::TABLE,
    &domain::TABLE,
    &cell::TABLE,
    &solver::TABLE,
    &materials::MATERIAL,
    &materials::PAIR,
    &laws::BOND,
    &walls::TABLE,
    &regions::TABLE,
    &measures::TABLE,
    &templates::TABLE,
    &bodies::TABLE,
    &inlets::TABLE,
    &acts::OUTLET,
    &acts::FREEZE,
    &acts::FIELD,
    &acts::SUPPORT,
    &acts::GROWTH,
    &quasistatic::SCHEME,
    &quasistatic::TABLE,
    &balance::TABLE,
    &output::TABLE,
    &safety::CHECKPOINT,
    &safety::LIMITS,
];

/// Keys that entries have in addition: of a shape, of a sample, of a contact.
const OF_ENTRIES: [&dyn Declared; 21] = [
    &materials::OF_CONTACTS,
    &walls::BOX,
    &walls::PLANE,
    &walls::CYLINDER,
    &walls::SPHERE,
    &walls::DISC,
    &walls::CONE,
    &walls::MESH,
    &walls::PLATE,
    &walls::SEGMENT,
    &walls::ARC,
    &walls::COMPOUND,
    &regions::BOX,
    &regions::CYLINDER,
    &regions::SPHERE,
    &regions::HALF_SPACE,
    &bodies::OF_LATTICE,
    &bodies::OF_RANDOM,
    &bodies::OF_FILE,
    &radii::TABLE,
    &kept::TABLE,
];

/// The names of all tables and of the keys outside of tables, and those of kinds of entries.
#[cfg(test)]
pub(super) fn names() -> [Vec<&'static str>; 2] {
    [&ROOT[..], &OF_ENTRIES].map(|all| all.iter().map(|one| one.name()).collect())
}

/// A document with its lists of keys as they are declared, between lines `<!-- keys: TABLES -->`
/// and `<!-- end of keys -->`.
///
/// # Errors
/// A list of tables that are not known, or without an end.
pub fn with_keys(document: &str) -> Result<String, String> {
    table::document(document, &[&ROOT[..], &OF_ENTRIES].concat())
}

/// The keys of a table as text, or those that begin with `TABLE.KEY`; without a name all tables.
///
/// # Errors
/// A name of no table or key.
pub fn keys(name: Option<&str>) -> Result<String, String> {
    let Some(name) = name else {
        return Ok(table::listed(&ROOT, &OF_ENTRIES).trim_end().to_owned());
    };
    let found = table::named(name, &[&ROOT[..], &OF_ENTRIES].concat());
    let found = found.map(|text| text.trim_end().to_owned());
    found.ok_or_else(|| {
        let tables = ROOT.map(Declared::name).join(", ");
        format!("must be TABLE or TABLE.KEY of {tables}, radius, file; found {name}")
    })
}

/// Reads the scenario of the file called `name`, which is valid only if no fault was added.
///
/// The stem of the name is the title of a file without a title. Of a run that has `begun`, the
/// bodies are those of its checkpoint, and the entries that made them have no faults any more.
pub(super) fn scenario(
    source: Source,
    name: &str,
    begun: bool,
    faults: &mut Vec<Fault>,
) -> Scenario {
    let known = ROOT.map(Declared::name);
    let section = Section::new(&source.root, &known, faults);
    let stem = Path::new(name).file_stem().unwrap_or_default();
    let title = section.read(&TITLE, faults);
    let title = title.unwrap_or_else(|| stem.to_string_lossy().into_owned());
    let gravity = section.read(&GRAVITY, faults);
    let (pace, end) = time::read(&section, gravity, faults);
    let stages = stages::read(&section, begun, faults);
    let domain = domain::read(&section, faults);
    let solver = solver::read(&section, faults);
    let materials = materials::read(&section, faults);
    let regions = regions::read(&section, &domain, faults);
    let (laws, listed) = laws::read(&section, (&materials, &regions, &domain), faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let (walls, entries) = walls::read(&section, &names, &domain, faults);
    let cell = cell::read(&section, (&domain, &walls, gravity), faults);
    let others = quasistatic::Others {
        pace: &pace,
        materials: &materials,
        laws: &laws,
        walls: &walls,
        entries: &entries,
        planar: domain.two_dimensional,
        period: Period::of_box(
            &Vector3::from(domain.lower),
            &Vector3::from(domain.upper),
            domain.periodic,
        ),
    };
    let statics = quasistatic::read(&section, &others, faults);
    cell::suits(&section, cell.as_ref(), statics.as_ref(), faults);
    let growth = acts::growth(&section, solver.gap, faults);
    let templates = templates::read(&section, domain.two_dimensional, faults);
    let kinds = (!templates.is_empty(), domain.two_dimensional);
    templates::of_balls_only(&section, &laws, kinds, faults);
    let forms = Forms {
        templates: &templates,
        seed: solver.seed,
    };
    let mut ignored = Vec::new();
    let of_bodies = if begun { &mut ignored } else { &mut *faults };
    let samples = bodies::read(
        &section, &materials, &forms, &domain, &regions, growth, of_bodies,
    );
    let inlets = inlets::read(&section, &materials, &forms, &regions, &domain, faults);
    let acts = acts::read(&section, &regions, &domain, growth, faults);
    let of_samples = samples.iter().map(|sample| sample.material);
    let of_inlets = inlets.iter().map(|inlet| inlet.material);
    let used: BTreeSet<u32> = of_samples.chain(of_inlets).collect();
    let friction = measures::friction(&laws, &used, materials.len());
    let measures = measures::read(&section, &domain, gravity, &regions, friction, faults);
    let balance = balance::read(&section, faults);
    let output = output::read(&section, faults);
    let checkpoints = safety::checkpoints(&section, faults);
    let limits = safety::limits(&section, faults);
    Scenario {
        file: name.to_owned(),
        places: Places::of(&source.root),
        title,
        document: source.document,
        files: Vec::new(),
        gravity: Vector3::from(gravity),
        pace,
        end,
        stages,
        lower: Vector3::from(domain.lower),
        upper: Vector3::from(domain.upper),
        cell,
        shear: None,
        solver,
        statics,
        laws,
        listed,
        periodic: domain.periodic,
        delete_outside: domain.delete_outside,
        two_dimensional: domain.two_dimensional,
        materials,
        walls,
        regions,
        measures,
        templates: templates.into_iter().filter_map(|(_, t)| t).collect(),
        samples,
        inlets,
        acts,
        max_initial_overlap: domain.max_overlap,
        balance,
        output,
        checkpoints,
        limits,
    }
}
