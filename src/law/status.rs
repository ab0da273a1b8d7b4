//! The status of a contact after a step: open, sticking, sliding.

use super::cohesion::Cohesion;
use super::coulomb::Parameters;
use crate::math::Vector3;

/// The status of a contact after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Status {
    /// No impulse.
    #[default]
    Open = 0,
    /// Impulse inside Coulomb's cone; zero tangential relative velocity.
    Sticking = 1,
    /// Impulse on Coulomb's cone.
    Sliding = 2,
}

impl Status {
    /// The status that follows from an impulse [N s].
    ///
    /// The contact slides if the impulse is on the cone, up to rounding. `cohesion` is the one that
    /// acts at the contact.
    #[must_use]
    #[inline]
    pub fn of(law: &Parameters, cohesion: Option<&Cohesion<f64>>, impulse: &Vector3) -> Self {
        let cohesion = cohesion.map_or(0.0, |cohesion| cohesion.force);
        if *impulse == Vector3::zeros() && cohesion == 0.0 {
            return Self::Open;
        }
        let r_n = impulse.dot(&law.normal);
        let size = (impulse - law.normal * r_n).norm();
        let bound = law.friction * (r_n + cohesion);
        if size > 0.0 && size >= bound * (1.0 - 1e-12) {
            Self::Sliding
        } else {
            Self::Sticking
        }
    }
}
