//! The `[output]` table: intervals of rows and frames, contents of a frame.

use super::document::Value;
use super::fault::Fault;
use super::reader::{Section, needs, refuse, repeated, wrong_type};
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

/// Reads the table `output`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Output {
    let of_frames = [
        "fields",
        "precision",
        "compression",
        "contacts",
        "surfaces",
        "xdmf",
    ];
    let known = [&["series", "every"][..], &of_frames].concat();
    let section = root.table("output", &known, faults);
    let default = Settings::default();
    let series = section.whole_if("series", 1, faults).unwrap_or(1);
    let every = section.whole_if("every", 0, faults);
    let fields = fields(&section, faults).unwrap_or(default.fields);
    let precision = match section.choice_if("precision", &["f32", "f64"], faults) {
        Some("f64") => Precision::Double,
        _ => Precision::Single,
    };
    let compression = section.whole_if("compression", 0, faults);
    if let (Some(node), true) = (
        section.get("compression"),
        compression.is_some_and(|level| level > 9),
    ) {
        refuse(node, "0 to 9", faults);
    }
    let contacts = section.truth_if("contacts", faults);
    let surfaces = section.truth_if("surfaces", faults);
    let xdmf = section.truth_if("xdmf", faults);
    if every.is_none() {
        for node in of_frames.iter().filter_map(|key| section.get(key)) {
            needs(node, "frames: every = NUMBER", faults);
        }
    }
    Output {
        series,
        every: every.unwrap_or(0),
        frames: Settings {
            fields,
            precision,
            compression: compression.map_or(default.compression, |level| level.min(9) as u8),
            contacts: contacts.unwrap_or(default.contacts),
            surfaces: surfaces.unwrap_or(default.surfaces),
            xdmf: xdmf.unwrap_or(default.xdmf),
        },
    }
}

/// The fields of bodies in a frame.
fn fields(section: &Section, faults: &mut Vec<Fault>) -> Option<Vec<Field>> {
    let node = section.get("fields")?;
    let names = Field::ALL.map(Field::name);
    let Value::List(items) = &node.value else {
        let quoted = names.map(|name| format!("\"{name}\"")).join(", ");
        wrong_type(node, &format!("a list of {quoted}"), faults);
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
                refuse(item, &format!("one of {}", names.join(", ")), faults);
            }
        }
    }
    Some(fields)
}
