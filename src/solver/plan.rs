//! The data of batches and single contacts for the projection of positions.

use super::batch::{Eight, LANES};
use crate::body::Member;
use crate::math::Vector3;

/// The projection of the contacts of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Gaps that they will have at the end of the step [m]; infinite: left out.
    pub gap: Eight,
    /// Displacement times mass by which each contact has pushed its bodies apart so far [kg m].
    pub pushed: Eight,
}

impl Plan {
    /// No projection.
    pub const NOTHING: Plan = Plan {
        gap: [f64::INFINITY; LANES],
        pushed: [0.0; LANES],
    };
}

/// One contact, or a sleeping touch, in the projection of positions.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The gap after the step, with the overlap that stays [m].
    pub gap: f64,
    /// The multiplier [kg m].
    pub pushed: f64,
}

impl Aim {
    /// Moves two bodies apart along the normal `n`, or lets them come closer again.
    ///
    /// `push`: the multiplier for a gap of one metre, the part to be opened over `1/m_a + 1/m_b`.
    #[inline]
    pub fn push_apart(
        &mut self,
        push: impl Fn([&Member; 2]) -> f64,
        n: &Vector3,
        places: [usize; 2],
        members: &mut [Member],
    ) {
        let [a, b] = places.map(|place| &members[place]);
        let gap = self.gap + (b.velocity() - a.velocity()).dot(n);
        if gap >= 0.0 && self.pushed == 0.0 {
            return; // Most sleeping touches.
        }
        let wanted = self.pushed - push([a, b]) * gap;
        let wanted = if wanted < 0.0 { 0.0 } else { wanted };
        if wanted == self.pushed {
            return;
        }
        let apart = n * (wanted - self.pushed);
        self.pushed = wanted;
        for (place, sign) in places.into_iter().zip([-1.0, 1.0]) {
            let member = &mut members[place];
            let (way, spin) = (member.velocity(), member.spin());
            member.set(&(way + apart * (sign * member.inverse_mass())), &spin);
        }
    }
}
