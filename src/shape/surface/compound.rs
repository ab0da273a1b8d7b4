//! Compounds: several surfaces that are one wall.
//!
//! A ball touches each surface of a compound as if it were a wall of its own. Meshes are united, so
//! that a compound has at most one, its first part: where they meet edge to edge they are smooth as
//! within one mesh, and a triangle has one number.
//!
//! The name of a touch has 32 bits: the lower 24 hold a feature, the others the number of the place
//! among those of this feature. The features of the mesh come first; part k has the k-th of those
//! that no mesh has.

use super::{Posed, Surface};
use crate::math::Vector3;
use crate::shape::mesh::{MOST_FEATURES, Mesh, MeshError};
use thiserror::Error;

/// The bit from which a name holds the number of a place.
const NUMBER: u32 = 24;

/// The most parts of a compound.
const MOST_PARTS: usize = (1 << NUMBER) - MOST_FEATURES;

/// The reason why surfaces are not one wall.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CompoundError {
    /// There are too many, or none.
    #[error("{0} surfaces, with all meshes as one (from 1 to {MOST_PARTS})")]
    Count(usize),
    /// Its meshes are not one mesh.
    #[error("meshes that are not one: {0}")]
    Mesh(#[from] MeshError),
}

impl Surface {
    /// The surfaces as one; a single one as it is. Meshes are where they were drawn.
    ///
    /// # Errors
    /// If there are none or too many, or their meshes have too many features together.
    pub fn united(surfaces: &[Self]) -> Result<Self, CompoundError> {
        let (mut meshes, mut parts) = (Vec::new(), Vec::new());
        for surface in surfaces.iter().flat_map(Self::parts) {
            match surface {
                Self::Mesh(posed) => meshes.push(posed),
                other => parts.push(other.clone()),
            }
        }
        match &meshes[..] {
            [] => {}
            [one] => parts.insert(0, Self::Mesh((*one).clone())),
            several => {
                let all: Vec<&Mesh> = several.iter().map(|posed| posed.mesh()).collect();
                parts.insert(0, Self::Mesh(Posed::new(Mesh::united(&all)?)));
            }
        }
        if parts.is_empty() || parts.len() > MOST_PARTS {
            return Err(CompoundError::Count(parts.len()));
        }
        match parts.len() {
            1 => Ok(parts.swap_remove(0)),
            _ => Ok(Self::Compound(parts.into())),
        }
    }

    /// The surfaces of a compound; a simple surface alone.
    #[must_use]
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Compound(parts) => parts,
            simple => std::slice::from_ref(simple),
        }
    }

    /// The mesh that it is or has.
    #[must_use]
    pub fn mesh(&self) -> Option<&Posed> {
        match self.parts().first() {
            Some(Self::Mesh(mesh)) => Some(mesh),
            _ => None,
        }
    }

    /// The number of triangles of its mesh.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.mesh().map_or(0, |mesh| mesh.mesh().triangles().len())
    }

    /// The part that a touch with this name is at; the compound itself if it has no such part.
    #[must_use]
    pub fn part_at(&self, feature: u64) -> &Self {
        let Self::Compound(parts) = self else {
            return self;
        };
        let of = (feature & ((1 << NUMBER) - 1)) as usize;
        let part = of.saturating_sub(MOST_FEATURES);
        parts.get(part).unwrap_or(self)
    }

    /// The name of place `k` of part `part` of a compound; those of its mesh are the mesh's.
    #[must_use]
    pub fn feature_of_part(part: usize, k: u64) -> u64 {
        (MOST_FEATURES + part) as u64 | k << NUMBER
    }

    /// Distance of a point [m] and direction of the nearest part, of equal ones the first.
    #[inline(never)]
    pub(super) fn nearest_of(parts: &[Self], x: &Vector3) -> (f64, Vector3) {
        let each = parts.iter().map(|part| part.nearest(x));
        let nearest = each.min_by(|(a, _), (b, _)| a.total_cmp(b));
        nearest.unwrap_or((f64::NAN, Vector3::z()))
    }
}
