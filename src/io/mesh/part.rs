//! A part of a file.

use crate::shape::mesh::Faces;

/// A part of a file: its name there, if it has one, and its faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The name of the STL solid, or of the OBJ object or group.
    pub name: Option<String>,
    /// Points and triangles.
    pub faces: Faces,
}

impl Part {
    /// Adds a polygon as a fan of triangles about its first corner.
    ///
    /// # Errors
    /// If it has fewer than three corners.
    pub(super) fn add(&mut self, corners: &[u32]) -> Result<(), String> {
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
