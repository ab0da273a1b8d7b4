//! The `[[bodies]]` entries: lattices, random samples, files.

use super::document::Node;
use super::domain::{Domain, corners};
use super::fault::Fault;
use super::key::{Entry, Key, List, Names, Needed, Or, Preset, Text, Three, Whole, Words};
use super::materials::Material;
use super::radii::{RADII, radii};
use super::reader::{METRES, Number, Range, Section, both, must, refuse, report};
use super::regions::{KEY, NamedRegion, named, no_images};
use super::table::Table;
use super::templates::{Forms, OF_BODIES};
use crate::body::BodyKind;
use crate::sample::{
    Amount, Arrangement, Ids, Lattice, Named, Radius, Random, Sample, Source, Space,
};
use crate::scheme::acts::Growth;
use crate::shape::{HalfSpace, Region};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const KINDS: [&str; 3] = ["lattice", "random", "file"];

const SAMPLE: Key<Names, Needed> = Key::new(
    "sample",
    Names(&KINDS),
    Needed,
    "the source of the bodies: see the keys of each below",
);
/// The material of the bodies of an entry.
pub(super) const MATERIAL: Entry = Entry::new(
    "material",
    "the name of a `[[material]]`",
    "—",
    "material of the bodies",
);
const VELOCITY: Key<Three, Preset<[f64; 3]>> = Key::new(
    "velocity",
    List(Number(Range::Finite, "m/s")),
    Preset([0.0; 3]),
    "velocity at the start; it adds to that of a file",
);
const SPIN: Key<Three, Preset<[f64; 3]>> = Key::new(
    "angular_velocity",
    List(Number(Range::Finite, "rad/s")),
    Preset([0.0; 3]),
    "angular velocity at the start; it adds to that of a file",
);
/// Their radii.
pub(super) const RADIUS: Entry = Entry::new(
    "radius",
    "a number > 0 [m], or a distribution",
    "—",
    "radius of the bodies, see [below](#distributions-of-radii)",
);
const MOTION: Key<Words<BodyKind>, Or> = Key::new(
    "motion",
    Words(&[
        ("free", BodyKind::Free),
        ("fixed", BodyKind::Fixed),
        ("driven", BodyKind::Driven),
    ]),
    Or("`\"free\"`; of a checkpoint as they were"),
    "`\"driven\"`: the bodies keep their velocity",
);
const COUNT: Key<Whole, Or> = Key::new(
    "count",
    Whole::from(1),
    Or("as many as fit into a `region`; else —"),
    "number of bodies",
);
const OR_FRACTION: Key<Whole, Or> = Key::new("count", Whole::from(1), Or("—"), "number of bodies");
const FRACTION: Key<Number, Or> = Key::new(
    "fraction",
    Number(Range::Inside(0.0, 1.0), "of the region"),
    Or("—"),
    "solid fraction, the average over draws, in place of `count`",
);
const JITTER: Key<Number, Preset<f64>> = Key::new(
    "jitter",
    Number(Range::Between(0.0, 1.0), "of a diameter"),
    Preset(Lattice::JITTER),
    "largest random displacement of a body, of the largest diameter",
);
const LATTICE: Key<Words<Arrangement>, Preset<Arrangement>> = Key::new(
    "lattice",
    Words(&[
        ("sc", Arrangement::SimpleCubic),
        ("fcc", Arrangement::FaceCentredCubic),
        ("hcp", Arrangement::HexagonalClosePacked),
    ]),
    Preset(Arrangement::SimpleCubic),
    "arrangement of the bodies; `\"fcc\"` and `\"hcp\"` are the closest packings",
);
const LOWER: Key<Three, Or> = Key::new(
    "lower",
    List(METRES),
    Or("that of the domain"),
    "lower corner of a box in the domain",
);
const UPPER: Key<Three, Or> = Key::new(
    "upper",
    List(METRES),
    Or("that of the domain"),
    "upper corner of the box",
);
const REGION: Entry = Entry::new(
    KEY,
    "the name of a `[[region]]`",
    "the box",
    "region of the bodies, in place of `lower` and `upper`",
);
const FILE: Key<Text, Needed> = Key::new(
    "file",
    Text("the path of a CSV file, a LAMMPS data file or dump, or a checkpoint"),
    Needed,
    "of a dump the last frame, with `id`, `x y z`, `radius`, and optionally `vx`…, `omegax`…, \
     `density`; of a checkpoint positions, sizes, masses, velocities and, unless `motion` is given, \
     kinds of its bodies",
);
const MATERIALS: Entry = Entry::new(
    "materials",
    "a table `{ WORD = \"NAME\" }`, as `{ 1 = \"glass\", 2 = \"steel\" }`",
    "all have `material`",
    "the material of each body by the word in the file's column `type`, in CSV also `material`; \
     where the file has no densities, they are those of these materials. Not of a checkpoint",
);
const IDS: Key<Words<Ids>, Preset<Ids>> = Key::new(
    "ids",
    Words(&[("file", Ids::OfFile), ("new", Ids::New)]),
    Preset(Ids::OfFile),
    "bodies keep the ids of a checkpoint, of a LAMMPS file, or of the CSV column `id`",
);

/// `[[bodies]]`.
pub(super) const TABLE: Table = Table::new(
    "bodies",
    &[&SAMPLE, &MATERIAL, &OF_BODIES, &VELOCITY, &SPIN, &MOTION],
)
.kind("[[bodies]]", "bodies that are there when the run begins");
/// Keys of a lattice.
pub(super) const OF_LATTICE: Table = Table::new(
    "bodies:lattice",
    &[&COUNT, &RADIUS, &JITTER, &LOWER, &UPPER, &REGION, &LATTICE],
)
.kind("sample = \"lattice\"", "bodies on the sites of a lattice");
/// Keys of random bodies.
pub(super) const OF_RANDOM: Table = Table::new(
    "bodies:random",
    &[&OR_FRACTION, &FRACTION, &RADIUS, &LOWER, &UPPER, &REGION],
)
.kind(
    "sample = \"random\"",
    "bodies at random places without overlaps",
);
/// Keys of a file.
pub(super) const OF_FILE: Table = Table::new("bodies:file", &[&FILE, &MATERIALS, &IDS])
    .kind("sample = \"file\"", "the bodies of a file");

/// Reads all entries.
pub(super) fn read(
    root: &Section,
    materials: &[Material],
    forms: &Forms,
    domain: &Domain,
    regions: &[NamedRegion],
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Vec<Sample> {
    let accepted = "one or more tables headed [[bodies]] with sample and material";
    let entries = match root.get("inlet") {
        // Bodies may also enter by an inlet.
        Some(_) => root.tables("bodies", accepted, faults),
        None => root.need_tables("bodies", accepted, faults),
    };
    entries
        .iter()
        .filter_map(|node| read_entry(node, materials, forms, domain, regions, growth, faults))
        .collect()
}

fn read_entry(
    node: &Node,
    materials: &[Material],
    forms: &Forms,
    domain: &Domain,
    regions: &[NamedRegion],
    growth: Option<Growth>,
    faults: &mut Vec<Fault>,
) -> Option<Sample> {
    let sample = node.child(SAMPLE.name);
    let is = |kind: &str| sample.is_some_and(|node| node.is_text(kind));
    let of_sample = match KINDS.iter().find(|kind| is(kind)) {
        Some(&"file") => &OF_FILE,
        Some(&"random") => &OF_RANDOM,
        _ => &OF_LATTICE,
    };
    let section = Section::of(node, &[&TABLE, of_sample], faults);
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let material = section.name_of(MATERIAL.name, &names, faults);
    let form = forms.of(&section, faults);
    let velocity = section.read(&VELOCITY, faults);
    let spin = section.read(&SPIN, faults);
    let motion = section.read(&MOTION, faults);
    let moves = section.get(VELOCITY.name).or(section.get(SPIN.name));
    if let (Some(BodyKind::Fixed), Some(node)) = (motion, moves) {
        let accepted = "left out, or come with motion = \"driven\"";
        let found = format!("{} of a fixed body", node.shown);
        must(node, accepted, &found, faults);
    }
    let vectors: [(&str, [f64; 3], &[usize], &str); 2] = [
        (VELOCITY.name, velocity, &[2], "z"),
        (SPIN.name, spin, &[0, 1], "x = y"),
    ];
    for (key, v, axes, names) in vectors {
        let out = domain.two_dimensional && axes.iter().any(|&a| v[a] != 0.0);
        if let (true, Some(node)) = (out, section.get(key)) {
            refuse(node, &format!("{names} = 0 in two dimensions"), faults);
        }
    }
    let good_so_far = faults.len();
    let source = match section.read(&SAMPLE, faults)? {
        "file" => {
            let path = PathBuf::from(section.read(&FILE, faults)?);
            let ids = section.read(&IDS, faults);
            match is_hdf5(&path) {
                true => Source::Checkpoint {
                    path,
                    as_there: motion.is_none(),
                    ids,
                },
                false => Source::File { path, ids },
            }
        }
        "random" => Source::Random(random(&section, domain, regions, faults)),
        _ => Source::Lattice(lattice(&section, domain, regions, faults)),
    };
    let mut sample = Sample {
        source,
        material: material.unwrap_or_default() as u32,
        density: material.map_or(f64::NAN, |k| materials[k].density),
        named: words(&section, materials, faults),
        velocity,
        angular_velocity: spin,
        kind: motion.unwrap_or(BodyKind::Free),
        discs: domain.two_dimensional,
        form,
        size: 1.0,
    };
    if let Source::Checkpoint { .. } = &sample.source {
        let keys = [OF_BODIES.name, MATERIALS.name].into_iter();
        for node in keys.filter_map(|key| section.get(key)) {
            let accepted = "left out of bodies from a checkpoint";
            must(node, accepted, &node.shown, faults);
        }
    }
    sample.count_solid_volume();
    // Bodies are not shrunk to an initial size that is itself at fault.
    let growth = growth.filter(|growth| growth.from.is_finite());
    if let (Some(growth), BodyKind::Free) = (growth, sample.kind) {
        sample.shrink(growth.from);
    }
    // In a domain that is itself at fault no bodies fit; that would only repeat its fault.
    if faults.len() == good_so_far {
        fits(&section, &mut sample, faults);
    }
    Some(sample)
}

/// The materials by the words of a file: `materials = { WORD = "NAME" }`.
fn words(section: &Section, materials: &[Material], faults: &mut Vec<Fault>) -> Vec<Named> {
    let Some(node) = section.get(MATERIALS.name) else {
        return Vec::new();
    };
    if node.entries().is_empty() {
        let accepted = "a table of words of the file, each with the name of a [[material]]";
        refuse(node, accepted, faults);
    }
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let found = node.entries().iter().filter_map(|(word, node)| {
        let Some(number) = names.iter().position(|name| node.is_text(name)) else {
            refuse(node, &format!("one of {}", names.join(", ")), faults);
            return None;
        };
        Some(Named {
            word: word.clone(),
            material: number as u32,
            density: materials[number].density,
        })
    });
    found.collect()
}

/// Whether a file begins with HDF5's signature; `false` for a missing file.
///
/// A resumed run does not need the file, so it may be missing.
fn is_hdf5(path: &Path) -> bool {
    let mut begin = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"\x89HDF\r\n\x1a\n"
}

/// Checks that the bodies fit; a lattice without a count gets as many bodies as fit.
fn fits(section: &Section, sample: &mut Sample, faults: &mut Vec<Fault>) {
    let is_box = |space: &Space| (0..3).all(|k| space.upper[k] > space.lower[k]);
    let (found, keys) = match &mut sample.source {
        Source::Lattice(lattice) if is_box(&lattice.space) => {
            let found = match section.get("count") {
                Some(_) => lattice.check(sample.discs),
                None => lattice.fit(sample.discs).and_then(|fit| {
                    lattice.count = fit;
                    // The count becomes the number that fits, unless none does.
                    if fit > 0 {
                        Ok(())
                    } else {
                        lattice.check(sample.discs)
                    }
                }),
            };
            (found.err(), ["count", "region"])
        }
        Source::Random(random) if is_box(&random.space) => {
            (random.count(sample.discs).err(), ["count", "fraction"])
        }
        _ => return,
    };
    let node = keys.iter().find_map(|key| section.get(key));
    if let (Some(error), Some(node)) = (found, node) {
        report(node, error.to_string(), faults);
    }
}

fn radius(section: &Section, domain: &Domain, faults: &mut Vec<Fault>) -> Radius {
    let radius = section.need(RADIUS.name, RADII, faults);
    radius.map_or(Radius::Constant(f64::NAN), |node| {
        radii(node, domain.two_dimensional, faults)
    })
}

fn lattice(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Lattice {
    if section.get(REGION.name).is_none() {
        section.need(COUNT.name, &COUNT.says(), faults);
    }
    let count = section.read(&COUNT, faults).unwrap_or(1);
    let radius = radius(section, domain, faults);
    let jitter = section.read(&JITTER, faults);
    let arrangement = section.read(&LATTICE, faults);
    if let (Arrangement::FaceCentredCubic, true, Some(node)) =
        (arrangement, domain.two_dimensional, section.get("lattice"))
    {
        refuse(node, "sc or hcp in two dimensions", faults);
    }
    Lattice {
        count,
        radius,
        arrangement,
        space: space(section, domain, regions, faults),
        jitter,
    }
}

fn random(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Random {
    let count = section.read(&OR_FRACTION, faults);
    let fraction = section.read(&FRACTION, faults);
    let amount = match (count, fraction) {
        (Some(count), None) => Amount::Count(count),
        (None, Some(fraction)) => Amount::Fraction(fraction),
        (None, None) => {
            section.missing(
                "count",
                "a whole number >= 1, or fraction in its place",
                faults,
            );
            Amount::Count(1)
        }
        (Some(count), Some(_)) => {
            if let Some(node) = section.get("fraction") {
                both(node, ["count", "fraction"], faults);
            }
            Amount::Count(count)
        }
    };
    Random {
        amount,
        radius: radius(section, domain, faults),
        space: space(section, domain, regions, faults),
    }
}

/// The place of a sample's bodies: the domain, a box in it, or a region.
fn space(
    section: &Section,
    domain: &Domain,
    regions: &[NamedRegion],
    faults: &mut Vec<Fault>,
) -> Space {
    let corner = section.read(&LOWER, faults);
    let mut lower = corner.unwrap_or(domain.lower);
    let corner = section.read(&UPPER, faults);
    let mut upper = corner.unwrap_or(domain.upper);
    if let Some(node) = section.get("upper").or(section.get("lower")) {
        corners(node, lower, upper, faults);
    }
    for (key, corner) in [("lower", lower), ("upper", upper)] {
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let (low, x, high) = (domain.lower[axis], corner[axis], domain.upper[axis]);
            if let (true, Some(node)) = (x < low || x > high, section.get(key)) {
                let accepted = format!("in the domain, {low} to {high} [m] along {name}");
                must(node, &accepted, &x.to_string(), faults);
            }
        }
    }
    let mut region = None;
    if let Some(node) = section.get("region") {
        if section.get("lower").or(section.get("upper")).is_some() {
            both(node, ["region", "the corners lower and upper"], faults);
        }
        if let Some(named) = named(section, regions, faults) {
            no_images(section, named, domain, faults);
            region = Some(named.region);
        }
    }
    if let Some(part) = region {
        let (low, high) = part.bounds();
        for a in 0..3 {
            lower[a] = lower[a].max(low[a]);
            upper[a] = upper[a].min(high[a]);
        }
        // A box has been checked already.
        let across = |plane: &HalfSpace| plane.normal.iter().any(|n| n.abs() == 1.0);
        match &part {
            Region::Box { .. } => region = None,
            Region::HalfSpace(plane) if across(plane) => region = None,
            _ => {}
        }
    }
    let whole = |a: usize| lower[a] == domain.lower[a] && upper[a] == domain.upper[a];
    Space {
        lower,
        upper,
        periodic: [0, 1, 2].map(|a| domain.periodic[a] && whole(a)),
        region,
    }
}
