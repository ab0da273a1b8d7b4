//! A touch: the result of the narrow phase, where two bodies, or a body and a wall, may touch.

use crate::contact::{Candidate, ContactKey, Partner};
use crate::math::Vector3;

/// The point where two surfaces are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Midway between the surfaces [m].
    pub point: Vector3,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces, negative if they overlap [m].
    pub gap: f64,
    /// Identifies the features that touch, by the same number in every step: 0 for two balls; for a
    /// wall the place of [`Surface::place`](crate::shape::Surface::place).
    pub feature: u64,
}

impl Touch {
    /// The touch as a candidate contact. The key's feature is that of the touch.
    pub(super) fn candidate(self, key: ContactKey, a: usize, b: Partner) -> Candidate {
        Candidate {
            key: ContactKey {
                feature: self.feature,
                ..key
            },
            a,
            b,
            normal: self.normal,
            gap: self.gap,
            point: self.point,
            home: None,
        }
    }
}

/// The feature of two parts. Touches of a pair of clumps come in ascending order of feature.
pub(super) fn feature(of_first: usize, of_second: usize) -> u64 {
    ContactKey::feature_of([of_first, of_second])
}
