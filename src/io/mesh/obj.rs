//! OBJ files: objects and groups of polygons.

use super::part::Part;
use std::collections::HashMap;
use tobj::{LoadError, LoadOptions};

/// The parts of a file: its objects and groups, those of one name together.
pub(super) fn read(contents: &[u8]) -> Result<Vec<Part>, String> {
    are_polygons(contents)?;
    let options = LoadOptions {
        ignore_points: true,
        ignore_lines: true,
        ..LoadOptions::default()
    };
    // Materials are those of the configuration.
    let materials = |_: &std::path::Path| Err(LoadError::OpenFileFailed);
    let read = tobj::load_obj_buf(&mut &*contents, &options, materials);
    let (models, _) = read.map_err(|error| error.to_string())?;
    let mut parts: Vec<Part> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for model in models {
        let number = *numbers.entry(model.name.clone()).or_insert_with(|| {
            let name = Some(model.name.clone());
            parts.push(Part {
                // The name that the reader gives to faces outside an object.
                name: name.filter(|name| !name.is_empty() && name != "unnamed_object"),
                ..Part::default()
            });
            parts.len() - 1
        });
        let part = &mut parts[number];
        let first = part.faces.points.len() as u32;
        let points = model.mesh.positions.chunks_exact(3);
        part.faces.points.extend(points.map(|x| [x[0], x[1], x[2]]));
        let corners: Vec<u32> = model.mesh.indices.iter().map(|k| first + k).collect();
        let mut from = 0;
        if model.mesh.face_arities.is_empty() {
            corners.chunks(3).try_for_each(|face| part.add(face))?;
        }
        for &sides in &model.mesh.face_arities {
            let to = from + sides as usize;
            part.add(&corners[from..to])?;
            from = to;
        }
    }
    Ok(parts)
}

/// Fails if a face has less than three corners: the reader takes it for a line or a point.
fn are_polygons(contents: &[u8]) -> Result<(), String> {
    for (number, line) in (1..).zip(contents.split(|&byte| byte == b'\n')) {
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = text
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        if words.next() != Some(b"f") {
            continue;
        }
        let corners = words.clone().count();
        if words.next_back() == Some(b"\\") {
            return Err(format!(
                "line {number}: a face that goes on in the next line"
            ));
        }
        if corners < 3 {
            return Err(format!("line {number}: a face with {corners} corners"));
        }
    }
    Ok(())
}
