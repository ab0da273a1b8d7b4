//! The `[output]` table: intervals of rows and frames, contents of a frame.

use super::document::{Node, Value};
use super::fault::Fault;
use super::key::{Accepts, Key, Or, Preset, Truth, Whole, Words};
use super::reader::{Section, needs, refuse, repeated, wrong_type};
use super::table::Table;
use crate::io::vtkhdf::{Field, Precision, Settings};

/// Rows and frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Steps between two rows of the series.
    pub series: u64,
    /// Steps between two frames, the first of which comes before the first step; 0: no frames.
    pub every: u64,
    /// Contents of a frame.
    pub frames: Settings,
}

/// But for its fields.
static DEFAULT: Settings = Settings::of(Vec::new());

const SERIES: Key<Whole, Preset<u64>> =
    Key::new("series", Whole::from(1), Preset(1), "steps between rows");
const EVERY: Key<Whole, Preset<u64>> = Key::new(
    "every",
    Whole::from(0),
    Preset(0),
    "steps between frames for ParaView, the first before the first step; 0: none, \
     [docs/formats.md](formats.md)",
);
const FIELDS: Key<Fields, Or> = Key::new(
    "fields",
    Fields,
    Or("the first eight"),
    "fields of bodies in frames",
);
const PRECISION: Key<Words<Precision>, Preset<Precision>> = Key::new(
    "precision",
    Words(&[("f32", Precision::Single), ("f64", Precision::Double)]),
    Preset(DEFAULT.precision),
    "type of floating-point numbers in frames; `\"f64\"`: as computed",
);
const COMPRESSION: Key<Whole, Preset<u64>> = Key::new(
    "compression",
    Whole(0, 9),
    Preset(DEFAULT.compression as u64),
    "compression of all arrays",
);
const CONTACTS: Key<Truth, Preset<bool>> = Key::new(
    "contacts",
    Truth,
    Preset(DEFAULT.contacts),
    "frames of contacts",
);
const SURFACES: Key<Truth, Preset<bool>> = Key::new(
    "surfaces",
    Truth,
    Preset(DEFAULT.surfaces),
    "frames of mesh walls, with pressure, shear, impact energy and sliding work of each triangle; \
     the sums cost a pass over the contacts in each step",
);
const XDMF: Key<Truth, Preset<bool>> = Key::new(
    "xdmf",
    Truth,
    Preset(DEFAULT.xdmf),
    "describe the frames in `bodies.xmf` and the like as well, for ParaView before 5.12 and VisIt",
);

/// `[output]`.
pub(super) const TABLE: Table = Table::new(
    "output",
    &[
        &SERIES,
        &EVERY,
        &FIELDS,
        &PRECISION,
        &COMPRESSION,
        &CONTACTS,
        &SURFACES,
        &XDMF,
    ],
);

/// Reads the table `output`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Output {
    let section = root.declared(&TABLE, faults);
    let every = section.get(EVERY.name);
    if every.is_none() {
        let of_frames = TABLE.names().into_iter().skip(1);
        for node in of_frames.filter_map(|key| section.get(key)) {
            needs(node, "frames: every = NUMBER", faults);
        }
    }
    Output {
        series: section.read(&SERIES, faults),
        every: section.read(&EVERY, faults),
        frames: Settings {
            fields: section.read(&FIELDS, faults).unwrap_or_else(Field::usual),
            precision: section.read(&PRECISION, faults),
            compression: section.read(&COMPRESSION, faults) as u8,
            contacts: section.read(&CONTACTS, faults),
            surfaces: section.read(&SURFACES, faults),
            xdmf: section.read(&XDMF, faults),
        },
    }
}

/// A list of fields of bodies.
struct Fields;

impl Accepts for Fields {
    type Value = Vec<Field>;
    type Needed = Option<Vec<Field>>;

    fn says(&self) -> String {
        let quoted = Field::ALL.map(|field| format!("\"{}\"", field.name()));
        format!("a list of {}", quoted.join(", "))
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<Vec<Field>> {
        let Value::List(items) = &node.value else {
            wrong_type(node, &self.says(), faults);
            return None;
        };
        let mut fields = Vec::new();
        for item in items {
            let field = match &item.value {
                Value::Text(text) => Field::ALL.into_iter().find(|f| f.name() == text),
                _ => None,
            };
            match field {
                Some(field) if fields.contains(&field) => {
                    repeated(item, faults);
                }
                Some(field) => fields.push(field),
                None => {
                    let names = Field::ALL.map(Field::name).join(", ");
                    refuse(item, &format!("one of {names}"), faults);
                }
            }
        }
        Some(fields)
    }

    fn shown(&self, value: &Vec<Field>) -> String {
        format!("{:?}", value.iter().map(|f| f.name()).collect::<Vec<_>>())
    }

    fn needed(value: Option<Vec<Field>>) -> Option<Vec<Field>> {
        value
    }
}
