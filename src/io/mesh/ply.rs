//! PLY files: points and polygons, as text or binary.

use super::part::Part;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

/// The part of a file.
pub(super) fn read(contents: &[u8]) -> Result<Vec<Part>, String> {
    let mut read = Reader::new(contents);
    let parser = Parser::<Element>::new();
    let header = parser.read_header(&mut read).map_err(on_one_line)?;
    let mut part = Part::default();
    for (name, definition) in &header.elements {
        let elements = parser
            .read_payload_for_element(&mut read, definition, &header)
            .map_err(on_one_line)?;
        match name.as_str() {
            "vertex" => {
                let points = elements.iter().map(|element| element.point);
                part.faces.points.extend(points);
            }
            "face" => {
                for (number, element) in elements.iter().enumerate() {
                    let corners = element.corners.iter().map(|&k| u32::try_from(k));
                    let corners: Result<Vec<u32>, _> = corners.collect();
                    let corners =
                        corners.map_err(|_| format!("face {number} with a negative corner"))?;
                    part.add(&corners)?;
                }
            }
            _ => {}
        }
    }
    if part.faces.points.is_empty() {
        return Err("no element vertex with x, y and z".to_owned());
    }
    Ok(vec![part])
}

/// The message of the reader, which has several lines.
fn on_one_line(error: impl ToString) -> String {
    let text = error.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A point or a face.
#[derive(Debug)]
struct Element {
    point: [f64; 3],
    corners: Vec<i64>,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self {
            point: [f64::NAN; 3],
            corners: Vec::new(),
        }
    }

    fn set_property(&mut self, key: &str, property: Property) -> PropertyAccessResult {
        let set = match key {
            "x" => number(&property).map(|x| self.point[0] = x),
            "y" => number(&property).map(|y| self.point[1] = y),
            "z" => number(&property).map(|z| self.point[2] = z),
            "vertex_index" | "vertex_indices" => list(&property).map(|list| self.corners = list),
            _ => return PropertyAccessResult::Ignored,
        };
        set.map_or(PropertyAccessResult::UnsupportedType, |()| {
            PropertyAccessResult::Set
        })
    }
}

fn number(property: &Property) -> Option<f64> {
    match property {
        Property::Float(x) => Some(f64::from(*x)),
        Property::Double(x) => Some(*x),
        Property::Char(x) => Some(f64::from(*x)),
        Property::UChar(x) => Some(f64::from(*x)),
        Property::Short(x) => Some(f64::from(*x)),
        Property::UShort(x) => Some(f64::from(*x)),
        Property::Int(x) => Some(f64::from(*x)),
        Property::UInt(x) => Some(f64::from(*x)),
        _ => None,
    }
}

fn list(property: &Property) -> Option<Vec<i64>> {
    fn of<T: Copy + Into<i64>>(list: &[T]) -> Option<Vec<i64>> {
        Some(list.iter().map(|&k| k.into()).collect())
    }
    match property {
        Property::ListChar(list) => of(list),
        Property::ListUChar(list) => of(list),
        Property::ListShort(list) => of(list),
        Property::ListUShort(list) => of(list),
        Property::ListInt(list) => of(list),
        Property::ListUInt(list) => of(list),
        _ => None,
    }
}
