//! The motion of a body since the plan of contacts was made.

use super::{BodyRow, Reference};
use crate::math::{IDENTITY, Vector3};
use crate::shape::Period;

impl Reference {
    /// The present pose of a body, with an allowance [m].
    #[must_use]
    pub fn here(row: &BodyRow, allowance: f64) -> Self {
        Self {
            position: row.position,
            orientation: match row.shape {
                0 => IDENTITY,
                _ => row.orientation,
            },
            radius: row.radius,
            allowance,
            kind: u64::from(row.kind) + 1,
        }
    }
}

impl BodyRow {
    /// Whether the plan knows the body as it is: free, fixed, driven or held.
    #[must_use]
    #[inline]
    pub fn is_planned(&self) -> bool {
        self.reference.kind == u64::from(self.kind) + 1
    }

    /// Bound on the distance by which its surface has moved since the plan was made [m].
    ///
    /// It is the way of the centre, for a clump also the chord `2 r sin(θ/2)` of the rotation by θ,
    /// and the growth of the radius.
    #[must_use]
    #[inline]
    pub fn strayed(&self, period: &Period) -> f64 {
        let then = &self.reference;
        let [from, to] = [then.position, self.position].map(Vector3::from);
        let grown = (self.radius - then.radius).max(0.0);
        let mut way = period.difference(&from, &to).norm() + grown;
        if self.shape != 0 {
            let pairs = self.orientation.iter().zip(&then.orientation);
            let cosine = pairs.map(|(now, then)| now * then).sum::<f64>();
            // Twice the sine of half the angle; the quaternions contain half the angle.
            way += 2.0 * self.radius * (1.0 - cosine * cosine).max(0.0).sqrt();
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::math::rotate;

    /// The bound is at least the way of any point of the surface, and exact for translations.
    #[test]
    fn no_point_of_the_surface_goes_farther() {
        let period = Period::of_box(
            &Vector3::zeros(),
            &Vector3::repeat(1.0),
            [true, false, false],
        );
        let mut row = BodyRow::sphere(BodyId(1), [0.95, 0.5, 0.5], 0.1, 1.0);
        row.reference = Reference::here(&row, 0.01);
        assert_eq!(row.strayed(&period), 0.0);
        row.position[0] = 0.05; // Across the end of the period.
        assert!((row.strayed(&period) - 0.1).abs() < 1e-15);
        row.radius += 0.02;
        assert!((row.strayed(&period) - 0.12).abs() < 1e-15);
        row.shape = 1;
        row.reference = Reference::here(&row, 0.01);
        row.orientation = rotate(row.orientation, &Vector3::new(0.0, 0.0, 0.3));
        let chord = 2.0 * row.radius * 0.15_f64.sin();
        assert!((row.strayed(&period) - chord).abs() < 1e-12 * chord);
        assert!(row.is_planned());
        row.kind = 3;
        assert!(!row.is_planned());
    }
}
