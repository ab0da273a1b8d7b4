//! Meshes of other programs: STL, OBJ and PLY files, each of one or several parts.

mod obj;
mod ply;
mod stl;

use crate::shape::mesh::Faces;
use std::path::Path;

/// A part of a file: its name there, if it has one, and its faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The name of the STL solid, or of the OBJ object or group.
    pub name: Option<String>,
    /// Points and triangles.
    pub faces: Faces,
}

/// The parts of a file with these contents; the extension of `path` names the format.
///
/// # Errors
/// If the format is unknown, or the contents do not follow it.
pub fn parts(path: &Path, contents: &[u8]) -> Result<Vec<Part>, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let parts = match extension.to_ascii_lowercase().as_str() {
        "stl" => stl::read(contents),
        "obj" => obj::read(contents),
        "ply" => ply::read(contents),
        _ => Err("a name that ends in none of .stl, .obj, .ply".to_owned()),
    }?;
    match parts.iter().all(|part| part.faces.triangles.is_empty()) {
        true => Err("no faces".to_owned()),
        false => Ok(parts),
    }
}

impl Part {
    /// Adds a polygon as a fan of triangles about its first corner.
    ///
    /// # Errors
    /// If it has fewer than three corners.
    fn add(&mut self, corners: &[u32]) -> Result<(), String> {
        let [first, rest @ ..] = corners else {
            return Err("a face without corners".to_owned());
        };
        if rest.len() < 2 {
            return Err(format!("a face with {} corners", corners.len()));
        }
        let fan = rest.windows(2).map(|pair| [*first, pair[0], pair[1]]);
        self.faces.triangles.extend(fan);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
