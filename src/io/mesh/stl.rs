//! STL files: triangles with coordinates in single precision, without common points.

use super::part::Part;
use std::io::Cursor;

/// Bytes of a binary file before its triangles, and of each triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// The parts of a file: one of a binary file, each solid of a text.
pub(super) fn read(contents: &[u8]) -> Result<Vec<Part>, String> {
    if is_binary(contents) {
        // Some programs begin binary files with the word that marks a text.
        let mut contents = contents.to_vec();
        contents[..5].fill(b' ');
        return Ok(vec![solid(contents, None)?]);
    }
    // The name of a solid may have another encoding, and zeros may follow a text.
    let end = contents.iter().rposition(|&byte| byte != 0);
    let written = &contents[..end.map_or(0, |last| last + 1)];
    let text = String::from_utf8_lossy(written);
    let is_solid = text.trim_start().to_ascii_lowercase().starts_with("solid");
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if written.iter().any(is_control) || !is_solid && text.contains('\u{fffd}') {
        let triangles = counted(contents).unwrap_or_default();
        return Err(format!(
            "{} bytes, where a binary STL file of {triangles} triangles has {}",
            contents.len(),
            HEAD + TRIANGLE * triangles
        ));
    }
    let mut parts = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut name = None;
    for (number, line) in text.lines().enumerate() {
        let words = line.trim().to_ascii_lowercase();
        let first = words.split_whitespace().next().unwrap_or_default();
        match (first, lines.is_empty()) {
            ("", _) => {}
            ("solid", true) => {
                name = Some(line.trim()[5..].trim().to_owned()).filter(|name| !name.is_empty());
                lines.push("solid part".to_owned());
            }
            (_, true) => {
                return Err(format!(
                    "line {} outside a solid: {}",
                    number + 1,
                    line.trim()
                ));
            }
            ("endsolid", false) => {
                lines.push("endsolid".to_owned());
                parts.push(solid(lines.join("\n").into_bytes(), name.take())?);
                lines.clear();
            }
            ("vertex", false) => {
                is_point(&words).map_err(|why| format!("line {}: {why}", number + 1))?;
                lines.push(words);
            }
            _ => lines.push(words),
        }
    }
    if !lines.is_empty() {
        return Err("a text that ends within a solid".to_owned());
    }
    Ok(parts)
}

/// Fails if the line of a corner has other than three finite numbers.
fn is_point(line: &str) -> Result<(), String> {
    let numbers = line.split_whitespace().skip(1);
    let mut count = 0;
    for word in numbers {
        let number = word
            .parse::<f32>()
            .map_err(|_| format!("{word} is not a number"))?;
        if !number.is_finite() {
            return Err(format!("{number} is not a finite number"));
        }
        count += 1;
    }
    match count {
        3 => Ok(()),
        _ => Err(format!("a vertex has {count} numbers, not 3")),
    }
}

/// The number of triangles that a binary file says it has.
fn counted(contents: &[u8]) -> Option<usize> {
    let count = contents.get(HEAD - 4..HEAD)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

/// Whether the size of the file is that of a binary one.
fn is_binary(contents: &[u8]) -> bool {
    counted(contents).is_some_and(|n| contents.len() == HEAD + TRIANGLE * n)
}

fn solid(contents: Vec<u8>, name: Option<String>) -> Result<Part, String> {
    let mut read = Cursor::new(contents);
    let triangles = stl_io::create_stl_reader(&mut read).map_err(|error| error.to_string())?;
    let mut part = Part {
        name,
        ..Part::default()
    };
    for triangle in triangles {
        let triangle = triangle.map_err(|error| error.to_string())?;
        let points = &mut part.faces.points;
        let first = points.len() as u32;
        points.extend(triangle.vertices.iter().map(|x| x.0.map(f64::from)));
        part.faces.triangles.push([first, first + 1, first + 2]);
    }
    Ok(part)
}
