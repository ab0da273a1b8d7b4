//! Points and triangles before they are a mesh.

/// Points and the triangles that they form, as a file holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// Points [m].
    pub points: Vec<[f64; 3]>,
    /// The corners of triangles, by number of the point.
    pub triangles: Vec<[u32; 3]>,
}

/// The repair of a mesh: the triangles that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Points that were united with another.
    pub welded: usize,
    /// Triangles without an area.
    pub flat: usize,
    /// Triangles with the corners of another.
    pub doubled: usize,
}

impl Repair {
    /// Two repairs, one after the other.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            welded: self.welded + other.welded,
            flat: self.flat + other.flat,
            doubled: self.doubled + other.doubled,
        }
    }
}
