//! A mesh at some position.

use crate::math::{IDENTITY, Quaternion, Vector3, conjugate, product, turned};
use crate::shape::mesh::{Mesh, Place};
use std::sync::Arc;

/// A mesh, turned about its origin and then moved. Copies share the mesh.
#[derive(Clone, Debug)]
pub struct Posed {
    mesh: Arc<Mesh>,
    orientation: Quaternion,
    /// The position of the mesh's origin [m].
    origin: Vector3,
}

impl PartialEq for Posed {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.mesh, &other.mesh) || self.mesh == other.mesh;
        same && self.orientation == other.orientation && self.origin == other.origin
    }
}

impl Posed {
    /// A mesh where it was drawn.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        Self {
            mesh: Arc::new(mesh),
            orientation: IDENTITY,
            origin: Vector3::zeros(),
        }
    }

    /// The mesh in its own frame.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The position of a point of the mesh [m].
    #[must_use]
    pub fn out(&self, x: &Vector3) -> Vector3 {
        self.origin + self.turned(x)
    }

    /// The corners of the box around it [m].
    #[must_use]
    pub fn corners(&self) -> [Vector3; 2] {
        let [lower, upper] = self.mesh.corners();
        let middle = self.out(&((lower + upper) * 0.5));
        let half = self.spread(self.orientation, &((upper - lower) * 0.5));
        [middle - half, middle + half]
    }

    /// The mesh turned by `orientation` about `centre` and then moved [m].
    pub(super) fn placed(
        &self,
        centre: &Vector3,
        displacement: &Vector3,
        orientation: Quaternion,
    ) -> Self {
        let origin = centre + turned(orientation, &(self.origin - centre)) + displacement;
        Self {
            mesh: self.mesh.clone(),
            orientation: product(orientation, self.orientation),
            origin,
        }
    }

    /// Distance of a point from it [m], and the unit vector towards the nearest point.
    // Inlined, it would take registers from planes.
    #[inline(never)]
    pub(super) fn nearest(&self, x: &Vector3) -> (f64, Vector3) {
        let (distance, towards) = self.mesh.nearest(&self.within(x));
        (distance, self.turned(&towards))
    }

    /// The same if it is nearer than `reach` [m].
    pub(super) fn nearest_within(&self, x: &Vector3, reach: f64) -> Option<(f64, Vector3)> {
        let found = self.mesh.nearest_within(&self.within(x), reach);
        found.map(|(distance, towards)| (distance, self.turned(&towards)))
    }

    /// The number of the triangle that is nearest to a point, as [`Mesh::triangle_at`] has it.
    #[must_use]
    pub fn triangle_at(&self, x: &Vector3) -> Option<u32> {
        self.mesh.triangle_at(&self.within(x))
    }

    /// Whether it is nearer to a point than `reach` [m].
    pub(super) fn is_nearer(&self, x: &Vector3, reach: f64) -> bool {
        self.mesh.is_nearer(&self.within(x), reach)
    }

    /// Whether a point of a box may be nearer than `reach` [m].
    pub(super) fn may_be_nearer(&self, middle: &Vector3, half: &Vector3, reach: f64) -> bool {
        let back = conjugate(self.orientation);
        let (x, half) = (self.within(middle), self.spread(back, half));
        let size = middle.amax() + self.origin.amax() + half.amax() + reach;
        let half = half.add_scalar(reach + 1e-12 * size);
        self.mesh.reaches_into(&(x - half), &(x + half))
    }

    /// Its places near a point, as [`Mesh::touches`] has them.
    pub fn touches(&self, x: &Vector3, reach: f64, mut found: impl FnMut(Place)) {
        let x = self.within(x);
        self.mesh.touches(&x, reach, |place| {
            found(Place {
                towards: self.turned(&place.towards),
                ..place
            });
        });
    }

    /// Bound on the way of its points between this position and another [m].
    pub(super) fn way(&self, other: &Self) -> f64 {
        let [lower, upper] = self.mesh.corners();
        let middle = (lower + upper) * 0.5;
        let [_, x, y, z] = product(other.orientation, conjugate(self.orientation));
        // A point at a distance D from the axis of a turn by φ moves by 2 D sin(φ/2).
        let turn = 2.0 * Vector3::new(x, y, z).norm() * (upper - middle).norm();
        (other.out(&middle) - self.out(&middle)).norm() + turn
    }

    /// Whether it crosses another mesh, the triangles of the smaller one being visited.
    pub(super) fn crosses(&self, other: &Self) -> bool {
        let ([low, high], [lower, upper]) = (self.corners(), other.corners());
        if (0..3).any(|a| upper[a] < low[a] || lower[a] > high[a]) {
            return false;
        }
        let count = |posed: &Self| posed.mesh.triangles().len();
        let [large, small] = match count(self) < count(other) {
            true => [other, self],
            false => [self, other],
        };
        let place = |x: &Vector3| large.within(&small.out(x));
        large.mesh.is_crossed_by(&small.mesh, place)
    }

    fn turned(&self, v: &Vector3) -> Vector3 {
        turned(self.orientation, v)
    }

    /// A point in the frame of the mesh [m].
    fn within(&self, x: &Vector3) -> Vector3 {
        turned(conjugate(self.orientation), &(x - self.origin))
    }

    /// Half the edges of the box around a turned box [m].
    fn spread(&self, orientation: Quaternion, half: &Vector3) -> Vector3 {
        let edges = [Vector3::x(), Vector3::y(), Vector3::z()];
        let turned = edges
            .iter()
            .zip(half)
            .map(|(e, h)| turned(orientation, e).abs() * *h);
        turned.sum()
    }
}
