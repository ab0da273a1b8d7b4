//! How often a run writes rows and frames, and what is in a frame.

use super::document::Value;
use super::fault::Fault;
use super::reader::{Section, tell, wrong_type};
use crate::io::vtkhdf::{Field, Precision, Settings};

/// Rows and frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Series rows every so many steps.
    pub series: u64,
    /// Frames every so many steps, the first before the first step; 0: none.
    pub every: u64,
    /// What is in a frame.
    pub frames: Settings,
}

/// Reads the table `output`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Output {
    let of_frames = ["fields", "precision", "compression", "contacts"];
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
        let message = format!("{} is not accepted; accepted: 0 to 9", node.shown);
        tell(node, message, faults);
    }
    let contacts = section.truth_if("contacts", faults);
    if every.is_none() {
        for node in of_frames.iter().filter_map(|key| section.get(key)) {
            let message = "does nothing without frames; accepted: every = NUMBER beside it";
            tell(node, message, faults);
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
        },
    }
}

/// What frames tell of bodies.
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
                let message = format!("{} is there twice; accepted: each once", item.shown);
                tell(item, message, faults);
            }
            Some(field) => fields.push(field),
            None => {
                let accepted = names.join(", ");
                let message = format!("{} is not known; accepted: {accepted}", item.shown);
                tell(item, message, faults);
            }
        }
    }
    Some(fields)
}
