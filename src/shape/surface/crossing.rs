//! Whether the surfaces of two walls cross each other.

use super::{Posed, Surface};

/// Penetration relative to the size of coordinates that is rounding.
const ROUNDED: f64 = 1e-9;

impl Surface {
    /// Whether a mesh crosses the other surface: a mesh, or a point of it is behind a plane or
    /// outside of a hollow sphere or bore. Other pairs are not looked at.
    #[must_use]
    pub fn crosses(&self, other: &Self) -> bool {
        let crosses = |[a, b]: [&Self; 2]| match (a, b) {
            (Self::Mesh(a), Self::Mesh(b)) => a.crosses(b),
            (Self::Mesh(mesh), hollow) | (hollow, Self::Mesh(mesh)) => hollow.is_left_by(mesh),
            _ => false,
        };
        self.pairs(other).any(crosses)
    }

    /// The number of triangles that [`Surface::crosses`] visits; 0: it does not look at this pair.
    #[must_use]
    pub fn crossing_work(&self, other: &Self) -> usize {
        let count = |mesh: &Posed| mesh.mesh().triangles().len();
        let work = |[a, b]: [&Self; 2]| match (a, b) {
            (Self::Mesh(a), Self::Mesh(b)) => count(a).min(count(b)),
            (Self::Mesh(mesh), other) | (other, Self::Mesh(mesh)) if other.is_hollow() => {
                count(mesh)
            }
            _ => 0,
        };
        self.pairs(other).map(work).sum()
    }

    /// Each part with each part of another.
    fn pairs<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = [&'s Self; 2]> {
        let with = move |part| other.parts().iter().map(move |of_other| [part, of_other]);
        self.parts().iter().flat_map(with)
    }

    /// Whether bodies are in a convex space that it bounds.
    fn is_hollow(&self) -> bool {
        matches!(
            self,
            Self::Plane(_) | Self::Bore { .. } | Self::Sphere { inside: true, .. }
        )
    }

    fn is_left_by(&self, mesh: &Posed) -> bool {
        let points = mesh.mesh().points();
        self.is_hollow()
            && points.iter().any(|x| {
                let x = mesh.out(x);
                self.nearest(&x).0 < -ROUNDED * (1.0 + x.amax())
            })
    }
}
