//! Meshes of other programs: STL, OBJ and PLY files, each of one or several parts.

mod obj;
mod part;
mod ply;
mod stl;

pub use part::Part;

use std::path::Path;

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

#[cfg(test)]
mod tests;
